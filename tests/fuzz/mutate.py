"""Damaging a file: as editors, merges and malice do."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

LONGEST = 200_000
"""Bytes of a mutated file: enough for what is quadratic to show."""

WORDS = (
    b"(", b")", b"{", b"}", b"[", b"]", b"<", b">", b"<<<", b">>>", b"::", b";", b",", b"\\\n",
    b'"', b"'", b'R"(', b')"', b'"""', b"'''", b"/*", b"*/", b"//", b"#", b"\n", b"\r\n", b"\t",
    b"\0", b"\xff\xfe", b"\xed\xa0\x80", "é".encode(), "\u2028".encode(), b"\f", b" ", b"    ",
    b"#define A(x) A(A(x))\n", b"#if 0\n", b"#else\n", b"#endif\n", b"#include \"a.h\"\n",
    b"template <typename T> ", b"namespace a {", b"struct S : T {", b"operator()", b"auto ",
    b"TORCH_LIBRARY(a, m) {", b"TORCH_LIBRARY_IMPL(_, CPU, m) {", b"m.def(", b"m.impl(",
    b"REGISTER_DISPATCH(", b"DECLARE_DISPATCH(", b"TORCH_IMPL_FUNC(", b"__global__ ", b"kernel void ",
    b"PYBIND11_MODULE(a, m) {", b"PyMethodDef x[] = {", b"[&](", b"->", b"= default", b"const ",
    b"def f(", b"class C(", b"lambda x: ", b"async ", b"await ", b"@", b"if 1:\n", b"else:\n",
    b"return ", b"import ", b"from . import *\n", b"f'{", b"x = ", b"not ", b"-", b"*", b"**", b":",
    b"- func: ", b"  dispatch:\n", b"- name: ", b"  self: ", b"&a ", b"*a", b"<<: *a\n", b"!!python/object",
    b"| \n", b"? ", b"~", b"null", b"Tensor(a!) ", b"-> ()", b"9" * 400, b"1e999", b"0x", b"\xef\xbb\xbf",
)  # fmt: skip

Mutation = Callable[[random.Random, bytes, bytes], bytes]


def mutated(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """A file after one to six mutations.

    Args:
        rng: decides all.
        data: what is damaged.
        other: another file, that pieces are taken from.
    """
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        data = rng.choice(_MUTATIONS)(rng, data, other)[:LONGEST]
    return data


def _span(rng: random.Random, data: bytes, longest: int = 400) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.randrange(1, longest))


def _replaced(data: bytes, start: int, end: int, piece: bytes) -> bytes:
    return data[:start] + piece + data[end:]


def _cut(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _remove(rng: random.Random, data: bytes, other: bytes) -> bytes:
    start, end = _span(rng, data)
    return _replaced(data, start, end, b"")


def _bytes(rng: random.Random, data: bytes, other: bytes) -> bytes:
    start, end = _span(rng, data, 8)
    return _replaced(data, start, end, rng.randbytes(end - start))


def _insert(rng: random.Random, data: bytes, other: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return _replaced(data, at, at, b"".join(rng.choices(WORDS, k=rng.randrange(1, 6))))


def _token(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """One use of a word becomes another word."""
    word = rng.choice(WORDS)
    at = data.find(word, rng.randrange(len(data) + 1))
    return data if at < 0 else _replaced(data, at, at + len(word), rng.choice(WORDS))


def _splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    start, end = _span(rng, other)
    at = rng.randrange(len(data) + 1)
    return _replaced(data, at, at, other[start:end])


def _lines(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Lines in another order, or a stretch of them lost."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    start = rng.randrange(len(lines))
    end = min(len(lines), start + rng.randrange(1, 30))
    piece = lines[start:end]
    rng.shuffle(piece)
    return b"".join(lines[:start] + piece[: rng.randrange(len(piece) + 1)] + lines[end:])


def _join(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Some lines run together."""
    start, end = _span(rng, data, 4_000)
    return _replaced(
        data, start, end, data[start:end].replace(b"\n", rng.choice((b"", b" ", b"\r")))
    )


def _again(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """A piece of the file, or some words, over and over: nesting and endless lines."""
    if rng.random() < 0.5:
        start, end = _span(rng, data, rng.choice((8, 60, 400)))
        piece = data[start:end]
    else:
        piece = b"".join(rng.choices(WORDS, k=rng.randrange(1, 4)))
    if not piece:
        return data
    at = rng.randrange(len(data) + 1)
    most = max(1, rng.choice((2_000, 20_000, LONGEST - len(data))) // len(piece))
    return _replaced(data, at, at, piece * most)


_MUTATIONS: Sequence[Mutation] = (
    _cut, _remove, _bytes, _insert, _insert, _token, _token, _splice, _splice, _lines, _join, _again,
)  # fmt: skip
