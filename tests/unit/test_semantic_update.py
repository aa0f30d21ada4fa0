"""An update with the semantic layer gives what a full build gives, row for row, in place where little was edited."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from indexer.build import BuildReport, build
from indexer.clang import ended
from indexer.clang.semantic import Options
from indexer.clang.setup import Outcome, Task
from indexer.keeping import state_path
from indexer.layers import LAYER_NAMES
from indexer.scan.tree import open_tree
from indexer.semantic import add_semantic
from indexer.together import Together
from indexer.write.clang_base import BaseCalls, keep_base, remove_semantic
from indexer.write.clang_state import load_state
from tests.unit import index_dump
from tests.unit.test_semantic_layer import FILES, NATIVE

EXAMPLES = int(os.environ.get("TORCHTALK_UPDATE_EXAMPLES", "12"))

MORE = {
    "c10/util/deep.h": (
        "#pragma once\nnamespace c10 {\nint deep(int);\nint outside(int);\nint outside(double);\n"
        "struct Walk { virtual int step(int x); virtual ~Walk(); };\n"
        "#define MADE(name) int name##_made(int x) { return deep(x); }\n}\n"
    ),
    "c10/core/deep.cpp": (
        "#include <c10/util/deep.h>\n#include <vector>\nnamespace c10 {\n"
        "static int own(int x) { return x; }\n"
        "int deep(int x) { return own(x) + outside(1); }\n"
        "int Walk::step(int x) { return own(x); }\n"
        "MADE(first)\n"
        "int lone(const int x) { return x; }\n"
        "int either(int x) {\n#ifdef NEVER\n  at::relu(x);\n  return own(outside(x));\n#endif\n  return deep(x);\n}\n"
        "int grow() { std::vector<int> v; v.push_back(deep(1)); return v.size(); }\n}\n"
    ),
    "c10/core/user.cpp": (
        "#include <c10/util/deep.h>\n#include <c10/util/shared.h>\nnamespace c10 {\n"
        "static int own(int x) { return deep(x); }\n"
        "struct Far : Walk { int step(int x) override { return own(x) + outside(2.0); } };\n"
        "int go(Walk& w) { auto f = [](int x) { return deep(x); }; return w.step(f(1)) + shared(2); }\n"
        "int twin(int x);\nint calls_twin() { return twin(1); }\n"
        "int lone(int x);\nint calls_lone() { return lone(1); }\n"
        "MADE(second)\nint main_like() { return go(*new Far()); }\n}\n"
    ),
    "c10/util/ops.h": (
        "#pragma once\nnamespace c10 {\nint deep(int);\n"
        "struct Ops { int project(int x) const { return deep(x); } int combine(int x) const { return x; } };\n"
        "struct Plus { int operator()(int x) const { return deep(x); } };\n"
        "template <class Op> int fold(Op op) { return op.project(1) + op(2); }\n"
        "template <class T> T wide(T x);\ntemplate <> inline int wide<int>(int x) { return deep(x); }\n"
        "template <> inline float wide<float>(float x) { return x; }\n}\n"
    ),
    "c10/core/ops.cpp": (
        "#include <c10/util/ops.h>\nnamespace c10 {\n"
        "int once();\ntemplate <> char wide<char>(char x) { return once(); }\n"
        "template <class T> int folds(T x) { return fold(Ops{}) + fold<Plus>(Plus()) + wide(x); }\n"
        "int once() { return wide<int>(Plus()(1)); }\n}\n"
    ),
    f"{NATIVE}/mps/Only.mm": "namespace c10 { int outside(int x) { return x; } }\n",
}
UNITS = sorted(name for name in {**FILES, **MORE} if name.endswith((".cpp", ".cu")))
LINES = (
    "", "// a word", "int made_up(int x) { return x; }", "namespace c10 { int deep(int); int up() { return deep(1); } }",
    "static int own_too(int x) { return x; }", "namespace c10 { int b2(); int b2() { return 2; } }",
    "namespace c10 { int outside(int); int further() { return outside(3); } }", "int broken( {",
    "namespace c10 { int late(); int later() { return late(); } }", "#include <c10/util/shared.h>",
    "namespace c10 { int twin(const int x) { return x; } int lone(int x); int l() { return lone(1); } }",
    "__attribute__((unused)) static void (*kept)() = nullptr;", "int initial = made_elsewhere(1);",
    "#ifdef NEVER", "#if 0", "#else", "#endif",
    "template <class T> T made_of(T x) { return x; }\ntemplate <> int made_of<int>(int x) { return made_of('a'); }",
)  # fmt: skip
EDITS = st.lists(
    st.tuples(
        st.sampled_from(("insert", "cut", "copy", "python", "header", "revert", "metal", "new")),
        st.integers(0, 99), st.integers(0, 99), st.integers(0, 99),
    ),
    min_size=1, max_size=2,
)  # fmt: skip


def _make(root: Path) -> Path:
    for name, text in {**FILES, **MORE}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def _index(
    tree: Path, target: Path, cache: Path, *, options: Options | None = None, **how: Any
) -> BuildReport:
    opened, options = open_tree(tree), options or Options()
    report = build(
        opened,
        target,
        layers=LAYER_NAMES,
        workers=0,
        together=lambda: Together(options, cache, 0),
        **how,
    )
    if report.semantic is None:
        unchanged = report.action == "unchanged"
        add_semantic(opened, target, options=options, cache=cache, workers=0, unchanged=unchanged)
    return report


def _dump(target: Path) -> dict[str, list[Any]]:
    rows = index_dump.dump(target)
    del rows["semantic_base"]
    return rows


def _apply(tree: Path, edit: tuple[str, int, int, int]) -> None:
    kind, which, where, what = edit
    path = tree / UNITS[which % len(UNITS)]
    lines = path.read_text().splitlines()
    if kind == "insert":
        lines.insert(where % (len(lines) + 1), LINES[what % len(LINES)])
    elif kind == "cut" and lines:
        del lines[where % len(lines)]
    elif kind == "copy" and lines:
        lines.insert(where % (len(lines) + 1), lines[what % len(lines)])
    elif kind == "python":
        with (tree / "torch/__init__.py").open("a") as file:
            file.write(f"\n\ndef fresh_{what}(x):\n    return x\n")
        return
    elif kind == "header":
        with (tree / "c10/util/shared.h").open("a") as file:
            file.write(f"namespace c10 {{ inline int more_{what}() {{ return 1; }} }}\n")
        return
    elif kind == "metal":
        with (tree / f"{NATIVE}/mps/Only.mm").open("a") as file:
            file.write(
                f"namespace c10 {{ int {('outside', 'late')[what % 2]}(int y) {{ return y; }} }}\n"
            )
        return
    elif kind == "new":
        (tree / f"c10/core/new{what}.cpp").write_text(
            f"namespace c10 {{ int new{what}() {{ return 1; }} }}\n"
        )
        return
    else:
        lines = {**FILES, **MORE}[UNITS[which % len(UNITS)]].splitlines()
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A folder with the tree, its index and the cache, made in place; and the same to copy from."""
    folder = tmp_path_factory.mktemp("semantic").resolve()
    _make(folder / "tree")
    yield folder, folder / "cache"


@pytest.mark.slow
@settings(
    max_examples=max(6, EXAMPLES // 2), deadline=None, derandomize=EXAMPLES < 50,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(rounds=st.lists(EDITS, min_size=2, max_size=4))
# All calls are resolved anew where a class is another than before.
@example(rounds=[[("insert", 0, 0, 0)], [("insert", 0, 0, 0)], [("cut", 66, 1, 0)]])
def test_random_edits(
    start: tuple[Path, Path], rounds: list[list[tuple[str, int, int, int]]]
) -> None:
    folder, cache = start
    tree = folder / "tree"
    shutil.rmtree(tree)
    _make(tree)
    with tempfile.TemporaryDirectory() as own:
        target, whole = Path(own, "x.db"), Path(own, "whole.db")
        _index(tree, target, cache)
        for edits in rounds:
            for edit in edits:
                _apply(tree, edit)
            _index(tree, target, cache)
            _index(tree, whole, cache, full=True)
            assert index_dump.differences(_dump(target), _dump(whole)) == []
            conn = sqlite3.connect(target)
            base = _base(conn)
            remove_semantic(conn)
            conn.close()
            other = sqlite3.connect(whole)
            assert base == _base(other)
            other.close()


def _base(conn: sqlite3.Connection) -> list[tuple[str, int, str, int, int]]:
    """The calls that come back when the layer is taken out, by names."""
    names = dict(conn.execute("SELECT id, name || ' ' || line FROM functions"))
    return sorted(
        (names[a], a > 1 << 30, names[b], line, code) for a, b, line, code in BaseCalls(conn).rows()
    )


# Which edits are dealt with in place --------------------------------------------------------


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, Path, Path]:
    folder = tmp_path.resolve()
    tree, target, cache = _make(folder / "tree"), folder / "x.db", folder / "cache"
    _index(tree, target, cache)
    return tree, target, cache


def _edited(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("c10/core/deep.cpp", "return own(x) + outside(1);", "return own(x);"),
        ("c10/core/deep.cpp", "namespace c10 {\n", "\n\nnamespace c10 {\n"),
        ("c10/core/deep.cpp", "static int own(", "static int more(int x) { return x; }\nstatic int own("),
        ("c10/core/deep.cpp", "int grow()", "int grow(int y) { return first_made(y); }\nint grow()"),
        ("c10/core/deep.cpp", "v.push_back(deep(1)); ", "v.clear(); v.reserve(2);"),
        ("c10/core/deep.cpp", "#ifdef NEVER", "#ifndef NEVER"),
        ("c10/core/deep.cpp", "int lone(const int x) { return x; }", "\nint lone(const int x) { return deep(x); }"),
        ("c10/core/deep.cpp", "  at::relu(x);\n", "\n  at::relu(x);\n  deep(2);\n"),
        ("c10/core/ops.cpp", "{ return once(); }", "{\n  return wide(1); }"),
        ("c10/core/user.cpp", "shared(2)", "0"),
        ("c10/core/user.cpp", "int main_like() { return go(*new Far()); }", ""),
        ("c10/core/user.cpp", "return deep(x); }\nstruct", "return nowhere(x); }\nstruct"),
        (f"{NATIVE}/cuda/k.cu", "void run", "\nvoid run"),
        ("torch/__init__.py", "", "def f():\n    return 1\n"),
        (f"{NATIVE}/mps/Only.mm", "int outside", "int inside(int x) { return x; }\nint outside"),
    ],
)  # fmt: skip
def test_an_edit_of_one_file_is_made_in_place(
    made: tuple[Path, Path, Path], name: str, before: str, after: str
) -> None:
    tree, target, cache = made
    _edited(tree / name, before, after)
    report = _index(tree, target, cache)
    assert report.action == "updated"
    assert report.semantic is not None
    assert report.semantic.changed
    assert report.counts["semantic"]["call sites"] > 0
    again = build(open_tree(tree), target, layers=LAYER_NAMES, workers=0)
    assert again.action == "unchanged"
    whole = target.with_name("whole.db")
    _index(tree, whole, cache)
    assert index_dump.differences(_dump(target), _dump(whole)) == []


def test_heads_that_macros_make_are_kept_the_same_where_the_layer_is_hidden(
    made: tuple[Path, Path, Path],
) -> None:
    tree, target, cache = made
    deep, user = tree / "c10/core/deep.cpp", tree / "c10/core/user.cpp"
    _edited(
        deep,
        "MADE(first)",
        "#define HEAD(name) int name(int x)\nHEAD(one) { return x; }\nMADE(first)",
    )
    _edited(
        user,
        "MADE(second)",
        "#define TOP(name) int name(int x)\nTOP(two) { return x; }\nMADE(second)",
    )
    _index(tree, target, cache)
    _edited(user, "TOP(two) { return x; }", "TOP(two) { return x + 1; }")
    assert _index(tree, target, cache).semantic is not None
    # Another macro: the heads of both files are expanded again, from what was kept of them.
    _edited(deep, "#define HEAD", "#define OTHER 1\n#define HEAD")
    assert _index(tree, target, cache).action == "updated"
    whole = target.with_name("whole.db")
    _index(tree, whole, cache)
    assert index_dump.differences(_dump(target), _dump(whole)) == []


def test_many_functions_that_only_clang_sees_find_room_again(
    made: tuple[Path, Path, Path],
) -> None:
    tree, target, cache = made
    many = tree / "c10/core/deep.cpp"
    initialised = "".join(f"int first_{n} = deep({n});\n" for n in range(60))
    _edited(many, "int grow()", f"{initialised}int grow()")
    _index(tree, target, cache, full=True)
    for _ in range(3):
        _edited(many, "int first_0", "\nint first_0")
        assert _index(tree, target, cache).semantic is not None
    whole = target.with_name("whole.db")
    _index(tree, whole, cache)
    assert index_dump.differences(_dump(target), _dump(whole)) == []


@pytest.mark.slow
@pytest.mark.parametrize("many", [-1, 5_000])
def test_what_a_worker_finds_out_of_tests_is_of_their_present_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    """It reads the file itself, where the layer is not hidden and calls are those of before."""
    monkeypatch.setattr("indexer.update.relink._MANY_TESTS", many)
    folder = tmp_path.resolve()
    tree, target, cache = _make(folder / "tree"), folder / "x.db", folder / "cache"
    test = tree / "test/cpp/api/caps.cpp"
    test.parent.mkdir(parents=True)
    test.write_text(
        "#include <gtest/gtest.h>\nnamespace at { int relu(int); int plain(int); }\n"
        "TEST(Caps, Works) { at::plain(1); }\nTEST(Caps, Others) { at::relu(2); }\n"
    )
    options = Options(tests=True)
    _index(tree, target, cache, options=options)
    _edited(test, "at::plain(1)", "at::relu(1)")
    assert _index(tree, target, cache, options=options).semantic is not None
    whole = target.with_name("whole.db")
    _index(tree, whole, cache, options=options)
    assert index_dump.differences(_dump(target), _dump(whole)) == []
    conn = sqlite3.connect(target)
    rows = conn.execute(
        "SELECT t.name, o.how FROM test_operators AS o JOIN tests AS t ON t.id = o.test_id ORDER BY 1"
    ).fetchall()
    conn.close()
    assert rows == [("Others", "call"), ("Works", "call")]


@pytest.mark.parametrize(
    "edit",
    [
        # One function by two USRs: what is const in a definition says nothing to its callers.
        lambda tree: _edited(
            tree / "c10/core/deep.cpp", "int grow()", "int twin(const int x) { return x; }\nint grow()"
        ),
        lambda tree: _edited(tree / "c10/util/deep.h", "int deep(int);", "int deep(int);\nint x();"),
        lambda tree: _edited(tree / "c10/core/a.cpp", "#include", "#include <c10/util/deep.h>\n#include"),
        lambda tree: (tree / "c10/core/late.cpp").write_text("int x;\n"),
        lambda tree: (tree / "c10/core/deep.cpp").unlink(),
    ],
)  # fmt: skip
def test_wider_edits_write_the_layer_anew(made: tuple[Path, Path, Path], edit: Any) -> None:
    tree, target, cache = made
    edit(tree)
    report = _index(tree, target, cache)
    assert (report.action, report.semantic) == ("updated", None)
    assert report.anew
    whole = target.with_name("whole.db")
    _index(tree, whole, cache)
    assert index_dump.differences(_dump(target), _dump(whole)) == []


def test_a_unit_that_gave_nothing_keeps_no_other_from_being_updated_in_place(
    made: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, target, cache = made
    run_tasks = ended.run_tasks

    def some_crash(*arguments: Any) -> Iterator[tuple[Task, Outcome]]:
        for task, outcome in run_tasks(*arguments):
            if task.path == "c10/core/user.cpp":
                Path(task.result).unlink()
                yield task, Outcome(task.number, "crashed", "libclang crashed")
            else:
                yield task, outcome

    monkeypatch.setattr(ended, "run_tasks", some_crash)
    _edited(tree / "c10/core/user.cpp", "shared(2)", "0")
    _index(tree, target, cache)
    monkeypatch.undo()
    _edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    assert _index(tree, target, cache).semantic is not None
    whole = target.with_name("whole.db")
    _index(tree, whole, cache)
    assert index_dump.differences(_dump(target), _dump(whole)) == []


def test_an_edited_test_that_is_not_parsed_is_read_in_place(tmp_path: Path) -> None:
    folder, options = tmp_path.resolve(), Options(tests=False)
    tree, target, cache = _make(folder / "tree"), folder / "x.db", folder / "cache"
    test = tree / "test/cpp/caps.cpp"
    test.parent.mkdir(parents=True)
    test.write_text("#include <c10/util/deep.h>\nint tried() { return c10::deep(1); }\n")
    _index(tree, target, cache, options=options)
    for name, before, after in (
        (test, "deep(1)", "deep(2) + c10::deep(3)"), (test, "tried", "\ntried_again"),
        (tree / "c10/core/deep.cpp", "outside(1)", "1"), (test, "again", "at_last"),
    ):  # fmt: skip
        _edited(name, before, after)
        report = _index(tree, target, cache, options=options)
        assert report.semantic is not None, report.anew
    whole = folder / "whole.db"
    _index(tree, whole, cache, options=options)
    assert index_dump.differences(_dump(target), _dump(whole)) == []


def test_a_test_that_another_unit_may_include_is_none_that_is_left_out(tmp_path: Path) -> None:
    folder, options = tmp_path.resolve(), Options(tests=False)
    tree, target, cache = _make(folder / "tree"), folder / "x.db", folder / "cache"
    test = tree / "test/cpp/caps.cpp"
    test.parent.mkdir(parents=True)
    test.write_text("int tried() { return 1; }\n")
    user = tree / "c10/core/user.cpp"
    user.write_text('#include "../../test/cpp/caps.cpp"\n' + user.read_text())
    _index(tree, target, cache, options=options)
    _edited(test, "return 1", "return 2")
    report = _index(tree, target, cache, options=options)
    assert (report.semantic, "another for the parser" in report.anew) == (None, True)


def test_two_indexes_of_a_tree_are_each_updated_in_place(made: tuple[Path, Path, Path]) -> None:
    tree, target, cache = made
    other = target.with_name("other.db")
    _index(tree, other, cache)
    _edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    assert _index(tree, target, cache).semantic is not None
    _edited(tree / "c10/core/user.cpp", "shared(2)", "0")
    for path in (target, other):
        assert _index(tree, path, cache).semantic is not None
    assert index_dump.differences(_dump(target), _dump(other)) == []


def test_without_what_was_kept_the_layer_is_written_anew(made: tuple[Path, Path, Path]) -> None:
    tree, target, cache = made
    _edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    state_path(cache, target).unlink()
    assert _index(tree, target, cache).semantic is None
    _edited(tree / "c10/core/deep.cpp", "own(x) + 1", "own(x)")
    assert _index(tree, target, cache).semantic is not None


@pytest.mark.parametrize(
    "damage", [b"", b"torchtalk state 2\n", b"torchtalk state 2\n{}\n", b"\0" * 99]
)
def test_a_damaged_state_is_none(made: tuple[Path, Path, Path], damage: bytes) -> None:
    tree, target, cache = made
    path = state_path(cache, target)
    path.write_bytes(damage)
    assert load_state(path, []) is None
    _edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    assert _index(tree, target, cache).semantic is None


@pytest.mark.parametrize("damage", ["x'00'", "'Q'", "zeroblob(0)"])
def test_what_was_kept_of_the_other_layers_may_be_damaged(
    made: tuple[Path, Path, Path], damage: str
) -> None:
    tree, target, cache = made
    conn = sqlite3.connect(target)
    conn.execute(f"UPDATE semantic_base SET content = CAST({damage} AS BLOB)")
    conn.commit()
    conn.close()
    _edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    report = _index(tree, target, cache)
    assert report.action == "built"
    assert "damaged (what was there before the semantic layer" in report.reason


def test_another_file_of_the_same_name_has_no_state(made: tuple[Path, Path, Path]) -> None:
    tree, target, cache = made
    copy = target.with_name("copy.db")
    shutil.copyfile(target, copy)
    os.replace(copy, target)
    _edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    assert _index(tree, target, cache).semantic is None


def test_the_texts_calls_are_kept_apart_from_those_before(tmp_path: Path) -> None:
    conn = sqlite3.connect(tmp_path / "x.db")
    from indexer import schema

    schema.create(conn)
    conn.execute("INSERT INTO source_files VALUES (1, 'a', 'cpp', 1, 'x')")
    conn.executemany(
        "INSERT INTO functions (id, name, signature, kind, file_id, line, end_line, origin)"
        " VALUES (?, 'f', '', 'function', 1, 1, 1, 'syntax')",
        [(1,), (2,), (3,)],
    )
    conn.executemany("INSERT INTO calls VALUES (?, ?, 1, 0)", [(1, 2), (2, 3)])
    keep_base(conn)
    base = BaseCalls(conn)
    assert base.of({1}) == [(1, 2, 1, 0)]
    assert base.of({9}, {3}) == [(2, 3, 1, 0)]
    base.change(conn, {(1, 2, 1, 0)}, {(1, 3, 5, 0)})
    assert BaseCalls(conn).rows() == [(1, 3, 5, 0), (2, 3, 1, 0)]
    base.change(conn, {(1, 3, 5, 0)}, {(1, 2, 1, 0)})
    assert base.rows() == BaseCalls(conn).rows() == [(1, 2, 1, 0), (2, 3, 1, 0)]
    assert base.of({1}, {3}) == [(1, 2, 1, 0), (2, 3, 1, 0)]
    conn.close()
