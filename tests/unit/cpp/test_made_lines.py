"""The lines of calls in what macros make."""

from __future__ import annotations

from indexer.extract.cpp.macros_made import FunctionMacros, macro_table
from indexer.extract.cpp.made_calls import MadeCalls
from indexer.extract.cpp.preprocess import parse_defines

MACROS = b"""
#define REGISTER(name, id, ...)              \\
  struct Functor_##id : public Functor {     \\
    const Fn fn = __VA_ARGS__;               \\
    Op generate(Node* n) { return fn(n); }   \\
  };
#define TWICE(NAME, ...) void NAME(int x) { begin(); if (x) { __VA_ARGS__ } else { __VA_ARGS__ } }
"""


def lines(text: str) -> list[tuple[str, int]]:
    """What the functions call that a use in line 100 makes."""
    macros = FunctionMacros(macro_table(parse_defines(MACROS, "a.h")))
    made = macros.from_use(text.partition("(")[0], text, "n", "", "a.cpp", 100)
    assert made.calls is not None
    gathered = MadeCalls()
    gathered.add(made.calls, made.callers, 100, text)
    columns = gathered.columns()
    assert columns is not None
    return [
        (columns.texts[callee], line)
        for callee, line in zip(columns.callees, columns.lines, strict=True)
    ]


def test_calls_of_an_argument_stand_where_it_has_them() -> None:
    found = lines(
        "REGISTER(aten::warp, aten_warp, [](Node* n) -> Op {\n"
        "  log_schema(n);\n"
        "  return [](Processed* p) {\n"
        "    auto& out = p->Output(0); check(out);\n"
        "    p->Output(1) = warp_out(\n"
        "        out);\n"
        "  };\n"
        "})"
    )
    assert [call for call in found if call[0] not in ("fn", "Op")] == [
        ("log_schema", 101),
        ("Output", 103),
        ("check", 103),
        ("Output", 104),
        ("warp_out", 104),
    ]


def test_an_argument_that_is_there_twice_has_each_of_its_lines_once() -> None:
    found = lines("TWICE(weft,\n  first(1);\n  second(2);\n  first(3);\n)")
    assert found == [("begin", 100), ("first", 101), ("second", 102), ("first", 103)]


def test_a_use_in_one_line() -> None:
    assert lines("TWICE(weft, first(1); first(1);)") == [("begin", 100), ("first", 100)]


def test_a_word_that_is_called_comes_before_one_that_is_named() -> None:
    found = lines(
        "TWICE(two,\n"  # the word alone
        "  auto step = 1;\n"
        "  first_step(x);\n"
        "  step (x);\n"
        "  make<T>(x); )"
    )
    assert {("first_step", 102), ("step", 103), ("make", 104)} <= set(found)
    assert not {("step", 101), ("step", 102)} & set(found)
