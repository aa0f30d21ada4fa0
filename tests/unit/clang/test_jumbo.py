"""Units that are parsed as one say what they say alone."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.clang.jumbo import MOST, MOST_BYTES, as_jumbo, jumbo_text, with_jumbos
from indexer.clang.pool import run_tasks
from indexer.clang.results import read_result
from indexer.clang.setup import JUMBO, PRECOMPILE, UNIT, Outcome, Setup, Task
from indexer.facts.clang import UnitFacts
from tests.unit.support.clang_units import FLAGS, libclang, said
from tests.unit.support.tries import tries

_PRECOMPILED = """\
#pragma once
#define UID __COUNTER__
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define BLOCK(name) static void JOINED(name##_, UID)()
void declared();
inline int held = 0;
template <class T> struct Box { Box(T value) : value(value) {} T get() const { return value; } T value; };
"""


def _facts(folder: Path, texts: Mapping[str, str], *, together: bool) -> dict[str, UnitFacts]:
    """Facts of units that stand beside their headers, and are parsed as one or each alone."""
    for name, text in {"pre.h": _PRECOMPILED, **texts}.items():
        (folder / name).write_text(text)
    (folder / "all.h").write_text('#include "pre.h"\n')
    setup = Setup(
        str(libclang().path), str(folder), str(folder / "none"), {"core": FLAGS},
        precompiled={"core": str(folder / "all.pch")}, sources={"core": str(folder / "all.h")},
    )  # fmt: skip
    units = [name for name in texts if name.endswith(".cpp")]
    tasks = [
        Task(
            number, UNIT, name, str(folder / name), "core", str(folder / f"{name}.facts"),
            ("core",), size=1 + len(texts[name]),
        )
        for number, name in enumerate(units)
    ]  # fmt: skip
    first = Task(len(units), PRECOMPILE, "<all>", str(folder / "all.h"), "core", "")
    jumbo = replace(tasks[0], kind=JUMBO, path="<all>", result="", members=tuple(tasks))
    wanted = [jumbo] if together and len(tasks) > 1 else tasks
    done = {task.path: o for task, o in run_tasks(setup, [first, *wanted], 0, 60.0)}
    assert set(done) == {"<all>", *units}
    found = {}
    for task in tasks:
        facts = read_result(Path(task.result))
        assert facts is not None, done[task.path]
        found[task.path] = facts
        Path(task.result).unlink()
    return found


def _check(folder: Path, texts: Mapping[str, str]) -> dict[str, UnitFacts]:
    """That units say the same together, in this order and in the other, as alone."""
    alone = _facts(folder, texts, together=False)
    for order in (texts, dict(reversed(texts.items()))):
        together = _facts(folder, order, together=True)
        assert {n: said(u) for n, u in together.items()} == {n: said(u) for n, u in alone.items()}
    return together


def test_functions_of_each_other(tmp_path: Path) -> None:
    found = _check(
        tmp_path,
        {
            "own.h": "#pragma once\nvoid first(const int a);\ninline void both() { declared(); }\n",
            "a.cpp": '#include "own.h"\nvoid first(int a) { both(); }\n',
            "b.cpp": '#include "own.h"\nvoid second() { first(1); both(); }\n',
            "c.cpp": "void first(int);\nvoid third() { first(2); declared(); }\n",
        },
    )
    first = {n: next(s for s in u.symbols if s.name == "first") for n, u in found.items()}
    assert (first["a.cpp"].file, first["a.cpp"].line) == ("a.cpp", 2)
    assert (first["b.cpp"].file, first["b.cpp"].line) == ("own.h", 2)
    assert (first["c.cpp"].file, first["c.cpp"].line) == ("c.cpp", 1)
    assert [u.seen for u in found.values()] == [["c.cpp"], ["b.cpp", "own.h"], ["a.cpp", "own.h"]]


_COMPANY = {
    "one name twice": (
        "static void same() { declared(); }\nvoid a() { same(); }\n",
        "static void same() {}\nvoid b() { same(); }\n",
    ),
    "a better overload": (
        "namespace { void pick(int) {} }\nvoid a() { pick(1); }\n",
        '#include "pick.h"\nvoid b() { pick(1); }\n',
    ),
    "a specialization": (
        '#include "of.h"\ntemplate <> void of<int>(int) { declared(); }\nvoid a() { of(1); }\n',
        '#include "of.h"\nvoid b() { of(1); }\n',
    ),
    "an overload for a dependent name": (
        "struct A {};\nvoid open(A) {}\n",
        '#include "open.h"\ntemplate <class T> void b(T t) { open(t); }\n',
    ),
    "a macro": (
        "#define WHICH declared()\nvoid a() { WHICH; }\n",
        "void own();\n#ifndef WHICH\n#define WHICH own()\n#endif\nvoid b() { WHICH; }\n",
    ),
    "a macro taken away": (
        "#undef BLOCK\n#define BLOCK(name) void name()\nBLOCK(a) {}\n",
        "BLOCK(b) { declared(); }\n",
    ),
    "a brace left open": (
        "namespace left {\nvoid a() { declared(); }\n",
        "void b() { declared(); }\n",
    ),
    "a function left open": (
        "void a() { declared();\n",
        "void b() { declared(); }\n",
    ),
    "a header that another one brings": (
        '#include "pick.h"\nvoid a() { pick(1); }\n',
        "void b() { pick(1); }\n",
    ),
    "a unit that includes a unit": (
        "void a() { declared(); }\n",
        '#include "a.cpp"\nvoid b() { a(); }\n',
    ),
    "a value made elsewhere": (
        '#include "value.h"\nint made();\nint value = made();\n',
        '#include "value.h"\nint b() { return value; }\n',
    ),
    "names that are counted": (
        "BLOCK(block) { declared(); }\nBLOCK(block) {}\nvoid block_7() {}\n",
        "void own_0();\nBLOCK(block) { declared(); }\nBLOCK(block) { own_0(); }\n",
    ),
    "a header that is read again and again": (
        '#define NAME a\n#include "again.h"\n#undef NAME\n',
        '#define NAME b\n#include "again.h"\n#undef NAME\n',
    ),
    "classes and what they override": (
        '#include "base.h"\nstruct A : Base { void run() override { declared(); } };\n',
        '#include "base.h"\nstruct B : Base { void run() override {} };\nvoid b(Base& x) { x.run(); }\n',
    ),
    "lines left out": (
        "#define SAID\nvoid a() {\n#ifdef SAID\n  declared();\n#endif\n}\n",
        "void b() {\n#ifdef SAID\n  declared();\n#else\n  b();\n#endif\n}\n",
    ),
    "a header that is not there": (
        "#include <no_such.h>\nvoid a() { declared(); }\n",
        "void b() { declared(); }\n",
    ),
    "templates of the header": (
        "int a() { return Box<int>(1).get(); }\n",
        "int b() { return Box<int>(1).get() + held; }\n",
    ),
}
_HEADERS = {
    "pick.h": "#pragma once\nvoid pick(long);\n",
    "of.h": "#pragma once\ntemplate <class T> void of(T) {}\n",
    "open.h": "#pragma once\nstruct Other {};\nvoid open(Other);\n",
    "value.h": "#pragma once\nextern int value;\n",
    "again.h": "void NAME() { declared(); }\n",
    "base.h": "#pragma once\nstruct Base { virtual ~Base(); virtual void run(); };\n",
}


@pytest.mark.parametrize("case", _COMPANY)
def test_company_changes_nothing(case: str, tmp_path: Path) -> None:
    first, second = _COMPANY[case]
    _check(tmp_path, {**_HEADERS, "a.cpp": first, "b.cpp": second})


@settings(max_examples=tries(12), deadline=None)
@given(st.lists(st.sampled_from([*_COMPANY]), min_size=1, max_size=4, unique=True))
def test_any_company_changes_nothing(cases: list[str]) -> None:
    """Whatever stands together; each case's functions are called by its own names where they would collide."""
    texts = dict(_HEADERS)
    for number, case in enumerate(cases):
        for letter, text in zip("ab", _COMPANY[case], strict=True):
            own = text.replace("a.cpp", f"a{number}.cpp")
            texts[f"{letter}{number}.cpp"] = own
    with TemporaryDirectory() as folder:
        _check(Path(folder), texts)


def test_counted_names_begin_anew(tmp_path: Path) -> None:
    text = "BLOCK(block) { declared(); }\nBLOCK(block) {}\n"
    found = _facts(
        tmp_path, {"a.cpp": text, "b.cpp": text.replace("block", "other")}, together=True
    )
    names = [s.name for unit in found.values() for s in unit.symbols if s.is_definition]
    assert names == ["block_0", "block_1", "other_0", "other_1"]


def test_what_is_put_together() -> None:
    def task(path: str, group: str, size: int, *, is_test: bool = False) -> Task:
        weight = size if is_test else size + (1 << 40)
        return Task(0, UNIT, path, f"/tree/{path}", group, path, (), weight, size=size)

    small = [task(f"a/{number:02}.cpp", "core", 1000) for number in range(MOST + 4)]
    tests = [task(f"test/{number}.cpp", "core", 1000, is_test=True) for number in range(5)]
    few = [task(f"b/{number}.cpp", "torch", 1000) for number in range(3)]
    others = [
        task("large.cpp", "core", MOST_BYTES),
        task("without.cpp", "plain", 1000),
        task('quo"ted.cpp', "core", 1000),
    ]
    found = with_jumbos([*small, *tests, *few, *others], ("core", "torch"))
    jumbos = [t for t in found if t.kind == JUMBO]
    assert [len(t.members) for t in jumbos] == [MOST, 4, 5]
    assert [m.path for t in jumbos for m in t.members] == [t.path for t in [*small, *tests]]
    assert [t.size for t in jumbos] == [MOST * 1000, 4000, 5000]
    # Tests come after all else, together as well.
    assert [t.weight >= 1 << 40 for t in jumbos] == [True, True, False]
    assert {t.path for t in found if t.kind == UNIT} == {t.path for t in [*few, *others]}
    assert as_jumbo(few[:2]) == few[:2]


def test_a_text_with_any_macros() -> None:
    text = jumbo_text([("/x/a.cpp", b"# define A(x) x\n  #undef B\n//#define C\n#define A 1\n")])
    assert text.decode().splitlines()[-6:] == [
        '#pragma push_macro("A")',
        '#pragma push_macro("B")',
        '#include "/x/a.cpp"',
        '#pragma pop_macro("A")',
        '#pragma pop_macro("B")',
        "TORCHTALK_MARK(1)",
    ]


@pytest.mark.slow
def test_one_that_hangs_costs_itself(tmp_path: Path) -> None:
    doubled = "".join(f"#define L{n + 1} L{n} L{n}\n" for n in range(40))
    texts = {
        "a.cpp": "void a() { declared(); }\n",
        "bad.cpp": f"#define L0 x x\n{doubled}int L40;\n",
        "c.cpp": "void c() { declared(); }\n",
        "pre.h": _PRECOMPILED,
        "all.h": '#include "pre.h"\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    setup = Setup(
        str(libclang().path), str(tmp_path), str(tmp_path / "none"), {"core": FLAGS},
        precompiled={"core": str(tmp_path / "all.pch")}, sources={"core": str(tmp_path / "all.h")},
    )  # fmt: skip
    numbers = itertools.count()
    tasks = [
        Task(next(numbers), UNIT, name, str(tmp_path / name), "core", str(tmp_path / f"{name}.facts"), ("core",))
        for name in ("a.cpp", "bad.cpp", "c.cpp")
    ]  # fmt: skip
    first = Task(next(numbers), PRECOMPILE, "<all>", str(tmp_path / "all.h"), "core", "")
    jumbo = replace(tasks[0], kind=JUMBO, path="<all>", result="", members=tuple(tasks))
    found: dict[str, Outcome] = {
        task.path: outcome for task, outcome in run_tasks(setup, [first, jumbo], 1, 3.0)
    }
    assert {name: outcome.status for name, outcome in found.items()} == {
        "<all>": "ok", "a.cpp": "ok", "bad.cpp": "timeout", "c.cpp": "ok",
    }  # fmt: skip
