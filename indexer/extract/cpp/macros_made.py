"""Functions that macros make: a use is expanded and what comes out is read as a file is."""

from __future__ import annotations

import re
from typing import NamedTuple

from indexer.extract.cpp.calls import calls
from indexer.extract.cpp.definitions import joined, kind_of, qualified
from indexer.extract.cpp.heads import parse_head
from indexer.extract.cpp.preprocess import MacroTable, expand, parse_defines
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.cpp import CallColumns, MacroDefinition

# Heads that macros of other projects make, which are no part of the tree: googletest (gtest.h, gtest-typed-test.h),
# pybind11 (pybind11.h), Google Benchmark (benchmark.h). A definition in the tree comes first. googletest pastes the
# names one macro further in, so that what is handed to it is expanded before (`DISABLED_ON_WINDOWS(x)`); where they
# part is lost in the pasted name, so that the two are kept in the parentheses.
_ELSEWHERE = parse_defines(
    b"""
#define TEST(suite, name) GTEST_TEST_(suite, name)
#define TEST_F(suite, name) GTEST_TEST_(suite, name)
#define TEST_P(suite, name) GTEST_TEST_(suite, name)
#define TYPED_TEST(suite, name) GTEST_TEST_(suite, name)
#define TYPED_TEST_P(suite, name) GTEST_TEST_(suite, name)
#define GTEST_TEST_(suite, name) void suite##_##name##_Test::TestBody(GTEST_NAMES suite, name)
#define PYBIND11_MODULE(name, variable, ...) void pybind11_init_##name(::pybind11::module_& variable)
#define BENCHMARK_F(suite, name) void suite##_##name##_Benchmark::BenchmarkCase
#define BENCHMARK_DEFINE_F(suite, name) void suite##_##name##_Benchmark::BenchmarkCase
#define BENCHMARK_TEMPLATE_F(suite, name, ...) \\
  void suite##_##name##_Benchmark::BenchmarkCase
#define BENCHMARK_TEMPLATE_DEFINE_F(suite, name, ...) \\
  void suite##_##name##_Benchmark::BenchmarkCase
"""
)
_GTEST = re.compile(r"\bvoid \w+::TestBody\s*\(GTEST_NAMES (\w+), ?(\w+)\)")
_WORD = re.compile(r"[A-Za-z_]\w*")
# torchgen/dest/register_dispatch_key.py and native_functions.py: a structured kernel `f` is `structured_f::impl`.
_STRUCTURED_IMPL = re.compile(r"(?:^|::)structured_(\w+)::impl$")
_STRUCTURED_META = re.compile(r"(?:^|::)structured_\w+::meta$")


class MadeFunction(NamedTuple):
    """A function that a macro makes.

    Args:
        name: qualified; a structured kernel's is the one inside `TORCH_IMPL_FUNC`.
        signature: as expanded; of a googletest `TEST(suite, name)`.
        kind: as in `FunctionDefinition`.
        is_anonymous: the expansion puts it into an anonymous namespace.
    """

    name: str
    signature: str
    kind: str
    is_anonymous: bool


class MadeByUse(NamedTuple):
    """What a macro's use makes as a whole.

    Args:
        functions: in the order of the expansion.
        calls: in the expansion; None where it was not asked for or there are none.
        callers: the place among `functions` of each caller that `calls` numbers.
    """

    functions: list[MadeFunction]
    calls: CallColumns | None = None
    callers: tuple[int | None, ...] = ()


def macro_table(definitions: list[MacroDefinition]) -> MacroTable:
    """The macros of a tree, `definitions`, and those of other projects that it uses and does not define."""
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
        """Whether a definition of the macro `name` holds a `{`, or uses a macro that does; False for an unknown one."""
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
        """The function whose head a macro's use makes, or None where the macro is not known.

        Args:
            text: the head as it is written, with the macro's use in it.
            scope: qualified, of the namespaces and classes around it.
            class_name: of the class that it stands in, or empty.
            file: that it stands in: which definition a use sees depends on it.
            line: of the use.
        """
        expanded = expand(text, self._table, file, line)
        if expanded == " ".join(text.split()):
            return None
        if ";" not in expanded and "{" not in expanded:
            single = _read_head(expanded, scope, class_name)  # most are; it saves a scan
            made = [single] if single is not None else []
        else:
            made = _read(expanded + " {}", scope, class_name).functions
        if not made:
            return None
        return made[-1]._replace(signature=text)

    def from_use(
        self, name: str, text: str, scope: str, class_name: str, file: str, line: int
    ) -> MadeByUse:
        """What a use at namespace or class level makes as a whole: functions, and what these call.

        Args:
            name: of the macro.
            text: the use with its arguments.
            scope: qualified, of the namespaces and classes around it.
            class_name: of the class that it stands in, or empty.
            file: that it stands in.
            line: of the use.
        """
        if name not in self._table or not (
            self.opens_body(name)
            or any(self.opens_body(word) for word in _WORD.findall(text) if word in self._table)
            or "{" in text
        ):
            return MadeByUse([])
        for variant in self._table.variants(name, file, line):
            if not variant.body or not file:
                continue
            expanded = expand(text, self._table, file, line, {name: variant})
            if "{" in expanded:
                return _read(expanded, scope, class_name, with_calls=True)
        return MadeByUse([])


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
    if name.endswith("_Test::TestBody"):
        signature = _GTEST.sub(r"TEST(\1, \2)", signature)
    return MadeFunction(name, signature, kind, is_anonymous)


def _read(text: str, scope: str, class_name: str, with_calls: bool = False) -> MadeByUse:
    # A class around it lets constructors be known as such.
    wrapped = f"class {class_name} {{ {text} }};" if class_name else text
    made: list[MadeFunction] = []
    callers: list[int | None] = []
    unit = CppUnit("", wrapped.encode("utf-8", "replace"))
    for function in unit.structure.functions:
        scopes = function.scopes[1:] if class_name else function.scopes
        # Of the variables that macros make each registers something, by thousands and under one name.
        if function.head.kind == "macro" or function.head.flavour == "variable":
            callers.append(None)
            continue
        inner = qualified(scopes)
        outer = joined(scope, inner) if inner else scope
        if class_name and not function.scopes:  # a friend, which is none of the class's
            outer = scope.removesuffix(class_name).removesuffix("::")
        name = joined(outer, function.head.name)
        anonymous = any(s.is_anonymous for s in scopes)
        found = _made(name, " ".join(function.text.split()), kind_of(function), anonymous)
        callers.append(made.index(found) if found in made else len(made))
        if found not in made:
            made.append(found)
    return MadeByUse(made, calls(unit) if with_calls and made else None, tuple(callers))
