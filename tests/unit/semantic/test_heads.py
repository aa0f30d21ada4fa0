"""What is stored of a signature gives the signature again."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.write.heads import head_of

# As schema.sql computes the columns `last` and `signature`.
_READ = "SELECT replace(?2, char(1), replace(?1, rtrim(?1, replace(?1, ':', '')), '')) AS signature"
_NAMES = st.text(st.sampled_from("ab_:( ~<=,1"), max_size=12)


@given(name=_NAMES, signature=_NAMES)
@example(name="at::native::add", signature="Tensor add(const Tensor& add)")
@example(name="f", signature="void f()")
@example(name="A::operator std::string", signature="operator std::string() const")
@example(name="a::a::a", signature="a::a a::a::a()")
@example(name="a::", signature="a::")
@example(name="", signature="lambda")
def test_it_is_read_as_it_was(name: str, signature: str) -> None:
    conn = sqlite3.connect(":memory:")
    try:
        [(read,)] = conn.execute(_READ, (name, head_of(name, signature)))
    finally:
        conn.close()
    assert read == signature


@pytest.mark.parametrize(
    ("name", "signature", "head"),
    [
        ("at::native::relu", "Tensor relu(const Tensor& self)", "Tensor \x01(const Tensor& self)"),
        ("C::C", "C(C&& other) : x(other.x)", "\x01(C&& other) : x(other.x)"),
        ("C::operator()", "auto lambda", "auto lambda"),
    ],
)
def test_the_name_takes_no_room(name: str, signature: str, head: str) -> None:
    assert head_of(name, signature) == head
