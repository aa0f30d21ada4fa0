"""Functions that macros make: a use is expanded and what comes out is read as a file is."""

from __future__ import annotations

import re
from typing import NamedTuple

from indexer.extract.cpp.definitions import joined, kind_of, qualified
from indexer.extract.cpp.heads import parse_head
from indexer.extract.cpp.preprocess import MacroTable, expand, parse_defines
from indexer.extract.cpp.structure import scan
from indexer.facts.cpp import MacroDefinition

# Heads that macros of other projects make, which are no part of the tree: googletest (gtest.h, gtest-typed-test.h),
# pybind11 (pybind11.h), Google Benchmark (benchmark.h). A definition in the tree comes first.
_ELSEWHERE = parse_defines(
    b"""
#define TEST(suite, name) void suite##_##name##_Test::TestBody()
#define TEST_F(suite, name) void suite##_##name##_Test::TestBody()
#define TEST_P(suite, name) void suite##_##name##_Test::TestBody()
#define TYPED_TEST(suite, name) void suite##_##name##_Test::TestBody()
#define TYPED_TEST_P(suite, name) void suite##_##name##_Test::TestBody()
#define PYBIND11_MODULE(name, variable, ...) void pybind11_init_##name(::pybind11::module_& variable)
#define BENCHMARK_F(suite, name) void suite##_##name##_Benchmark::BenchmarkCase
#define BENCHMARK_DEFINE_F(suite, name) void suite##_##name##_Benchmark::BenchmarkCase
#define BENCHMARK_TEMPLATE_F(suite, name, ...) \\
  void suite##_##name##_Benchmark::BenchmarkCase
#define BENCHMARK_TEMPLATE_DEFINE_F(suite, name, ...) \\
  void suite##_##name##_Benchmark::BenchmarkCase
"""
)
_WORD = re.compile(r"[A-Za-z_]\w*")
# torchgen/dest/register_dispatch_key.py and native_functions.py: a structured kernel `f` is `structured_f::impl`.
_STRUCTURED_IMPL = re.compile(r"(?:^|::)structured_(\w+)::impl$")
_STRUCTURED_META = re.compile(r"(?:^|::)structured_\w+::meta$")


class MadeFunction(NamedTuple):
    """A function that a macro makes.

    Args:
        name: qualified; a structured kernel's is the one inside `TORCH_IMPL_FUNC`.
        signature: as expanded.
        kind: as in `FunctionDefinition`.
        is_anonymous: the expansion puts it into an anonymous namespace.
    """

    name: str
    signature: str
    kind: str
    is_anonymous: bool


def macro_table(definitions: list[MacroDefinition]) -> MacroTable:
    """The tree's macros, and those of other projects that the tree does not define."""
    known = {definition.name for definition in definitions}
    return MacroTable([*definitions, *(d for d in _ELSEWHERE if d.name not in known)])


class FunctionMacros:
    """Expands macro uses into the functions they make.

    Args:
        table: every macro of the tree.
    """

    def __init__(self, table: MacroTable) -> None:
        self._table = table
        self._opens: dict[str, bool] = {}

    def opens_body(self, name: str) -> bool:
        """Whether any definition of a macro can come to hold a `{`."""
        known = self._opens.get(name)
        if known is None:
            self._opens[name] = False  # a macro that leads back to itself adds nothing
            known = False
            for definition in self._table.definitions(name):
                known = (
                    known
                    or "{" in definition.body
                    or any(
                        self.opens_body(word)
                        for word in dict.fromkeys(_WORD.findall(definition.body))
                        if word in self._table
                    )
                )
            self._opens[name] = known
        return known

    def from_head(
        self, text: str, scope: str, class_name: str, file: str, line: int
    ) -> MadeFunction | None:
        """The function whose head a macro's use makes, or None where the macro is not known."""
        expanded = expand(text, self._table, file, line)
        if expanded == " ".join(text.split()):
            return None
        if ";" not in expanded and "{" not in expanded:
            single = _read_head(expanded, scope, class_name)  # most are; it saves a scan
            made = [single] if single is not None else []
        else:
            made = _read(expanded + " {}", scope, class_name)
        if not made:
            return None
        return made[-1]._replace(signature=text)

    def from_use(
        self, name: str, text: str, scope: str, class_name: str, file: str, line: int
    ) -> list[MadeFunction]:
        """The functions that a use at namespace or class level makes as a whole."""
        if name not in self._table or not (
            self.opens_body(name)
            or any(self.opens_body(word) for word in _WORD.findall(text) if word in self._table)
            or "{" in text
        ):
            return []
        found: list[MadeFunction] = []
        seen: set[str] = set()
        for variant in self._table.variants(name, file, line):
            if found and variant.file != file:
                break  # another header's macro of the same name
            if not variant.body or not file:
                continue
            expanded = expand(text, self._table, file, line, {name: variant})
            if expanded in seen or "{" not in expanded:
                continue
            seen.add(expanded)
            found.extend(made for made in _read(expanded, scope, class_name) if made not in found)
            break
        return found


def _read_head(text: str, scope: str, class_name: str) -> MadeFunction | None:
    head = parse_head(text, class_name)
    if head.kind != "function":
        return None
    kind = head.flavour
    if kind == "function" and class_name:
        kind = "method"
    return _made(joined(scope, head.name), text, kind, False)


def _made(name: str, signature: str, kind: str, is_anonymous: bool) -> MadeFunction:
    structured = _STRUCTURED_IMPL.search(name)
    if structured is not None:
        return MadeFunction(
            joined(name[: structured.start()], structured.group(1)),
            signature,
            "structured",
            is_anonymous,
        )
    if _STRUCTURED_META.search(name):
        kind = "structured"
    return MadeFunction(name, signature, kind, is_anonymous)


def _read(text: str, scope: str, class_name: str) -> list[MadeFunction]:
    # A class around it lets constructors be known as such.
    wrapped = f"class {class_name} {{ {text} }};" if class_name else text
    made = []
    for function in scan(wrapped.encode("utf-8", "replace")).functions:
        scopes = function.scopes[1:] if class_name else function.scopes
        if function.head.kind == "macro":
            continue
        inner = qualified(scopes)
        outer = joined(scope, inner) if inner else scope
        name = joined(outer, function.head.name)
        anonymous = any(s.is_anonymous for s in scopes)
        made.append(_made(name, " ".join(function.text.split()), kind_of(function), anonymous))
    return made
