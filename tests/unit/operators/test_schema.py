"""Function schemas: what is read prints back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.facts.schema import (
    FunctionSchema,
    SchemaError,
    SchemaKind,
    parse_operator_name,
    split_top_level,
)
from indexer.facts.signature import functional_base, is_view, signature, without_tensor_options

WRITTEN = [
    "blend(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "blend.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)",
    "nothing() -> ()",
    "pair(Tensor self) -> (Tensor values, Tensor indices)",
    "view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
    "parts(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
    "each_(Tensor(a!)[] self, Scalar s) -> ()",
    "maybe(Tensor? weight=None, *, Generator? generator=None) -> Tensor?",
    "sized(Tensor self, int[2] pad=[0, 1], bool[3] mask) -> Tensor",
    "aten::spaced.Tensor(Tensor self) -> Tensor",
    "text(Tensor self, str mode=\"a, b) -> c\", str other='x\\'y') -> Tensor",
    "either(Tensor(a|b) self) -> Tensor(a|b)",
    "custom(__torch__.torch.classes.ns.Thing thing) -> Dict(str, Tensor)",
    "jit(Tensor[](a!) list, (Tensor, int)[] pairs, Future(t) work) -> t(*)",
    "variadic(str format, ...) -> str",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_prints_back(text: str) -> None:
    assert str(FunctionSchema.parse(text)) == text


_name = st.from_regex(r"[a-z][a-z_0-9]{0,8}", fullmatch=True).filter(lambda n: n != "self")
_type = st.sampled_from(
    ["Tensor", "Tensor?", "Tensor[]", "Tensor(a)", "int", "SymInt[2]?", "float", "str", "Scalar?"]
)
_default = st.sampled_from(["", "=None", "=1", "=[0, 1]", '="a, b"', "=1e-05", "=-1"])
_argument = st.builds("{} {}{}".format, _type, _name, _default)
_returns = st.sampled_from(["Tensor", "()", "(Tensor, Tensor)", "(Tensor a, int b)", "Tensor(a)"])


@given(_name, st.lists(_argument, max_size=5), st.lists(_argument, max_size=3), _returns)
def test_every_schema_of_the_grammar_prints_back(
    name: str, positional: list[str], keyword: list[str], returns: str
) -> None:
    arguments = ", ".join([*positional, *(["*", *keyword] if keyword else [])])
    text = f"{name}({arguments}) -> {returns}"
    parsed = FunctionSchema.parse(text)
    assert str(parsed) == text
    assert len(parsed.arguments) == len(positional) + len(keyword)
    assert FunctionSchema.parse(str(parsed)) == parsed


@given(st.text(max_size=80))
def test_any_text_is_a_schema_or_an_error(text: str) -> None:
    try:
        FunctionSchema.parse(text)
    except SchemaError as error:
        assert str(error)


@pytest.mark.parametrize(
    "text",
    ["", "f", "f(", "f()", "f() ->", "(Tensor a) -> Tensor", "f(int) -> int", "f(*, *) -> ()",
     "f g(int a) -> int", "f(int 1a) -> int"],
)  # fmt: skip
def test_what_is_wrong_is_said(text: str) -> None:
    with pytest.raises(SchemaError):
        FunctionSchema.parse(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("f(Tensor self) -> Tensor", SchemaKind.FUNCTIONAL),
        ("f_(Tensor(a!) self) -> Tensor(a!)", SchemaKind.INPLACE),
        ("__ior__(Tensor(a!) self, Scalar o) -> Tensor(a!)", SchemaKind.INPLACE),
        ("__or__(Tensor self, Scalar o) -> Tensor", SchemaKind.FUNCTIONAL),
        ("f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", SchemaKind.OUT),
        ("f(Tensor self, Tensor(a!) stat) -> Tensor", SchemaKind.MUTABLE),
        ("f.o(Tensor self, *, Tensor(a!) _scratch_x) -> ()", SchemaKind.SCRATCH),
    ],
)
def test_kind(text: str, kind: SchemaKind) -> None:
    assert FunctionSchema.parse(text).kind is kind


def test_variants_share_a_signature() -> None:
    functional = FunctionSchema.parse("mix.T(Tensor self, Tensor o, *, Scalar a=1) -> Tensor")
    inplace = FunctionSchema.parse("mix_.T(Tensor(a!) self, Tensor o, *, Scalar a=1) -> Tensor(a!)")
    out = FunctionSchema.parse(
        "mix.out(Tensor self, Tensor o, *, Scalar a=1, Tensor(a!) out) -> Tensor(a!)"
    )
    other = FunctionSchema.parse("mix.S(Tensor self, Scalar o, *, Scalar a=1) -> Tensor")
    assert signature(functional) == signature(inplace) == signature(out)
    assert signature(other) != signature(functional)


def test_mutable_inputs_become_returns() -> None:
    mutable = FunctionSchema.parse("norm(Tensor self, Tensor(a!) mean) -> Tensor")
    twin = FunctionSchema.parse(
        "norm_functional(Tensor self, Tensor mean) -> (Tensor, Tensor mean_out)"
    )
    assert signature(mutable) == signature(twin)


def test_factory_functions_lose_their_tensor_options() -> None:
    text = (
        "full(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,"
        " bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"
    )
    kept = without_tensor_options(FunctionSchema.parse(text).arguments)
    assert [argument.name for argument in kept] == ["size", "memory_format"]


@pytest.mark.parametrize(
    ("name", "base"),
    [("add_", "add"), ("__iadd__", "__add__"), ("__and__", "__and__"), ("norm_functional", "norm")],
)
def test_functional_base(name: str, base: str) -> None:
    schema = FunctionSchema.parse(f"{name}(Tensor(a!) self) -> Tensor(a!)")
    assert functional_base(schema) == base


def test_views() -> None:
    assert is_view(FunctionSchema.parse("v(Tensor(a) self) -> Tensor(a)"), ())
    assert is_view(FunctionSchema.parse("v(Tensor(a -> *) self) -> Tensor(a)[]"), ())
    assert not is_view(FunctionSchema.parse("v_(Tensor(a!) self) -> Tensor(a!)"), ())
    assert is_view(FunctionSchema.parse("v_(Tensor(a!) self) -> Tensor(a!)"), ("inplace_view",))


@given(st.lists(st.sampled_from(["a", "f(x, y)", "'a,b'", "[1, 2]", "{k: v}"]), max_size=6))
def test_split_at_the_top_level_only(parts: list[str]) -> None:
    assert split_top_level(", ".join(parts)) == parts


def test_operator_names() -> None:
    assert parse_operator_name("aten::add.Tensor") == ("aten", "add", "Tensor")
    assert parse_operator_name("add") == ("", "add", "")
    with pytest.raises(SchemaError):
        parse_operator_name("aten::")
