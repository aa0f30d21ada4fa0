"""Which edits are made in place in an index with the semantic layer, and which write the layer anew."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.build import _Job, build
from indexer.clang import ended
from indexer.clang.again import Again
from indexer.clang.semantic import Options
from indexer.clang.setup import Outcome, Task
from indexer.joint_update import Together, Update
from indexer.layers import LAYER_NAMES
from indexer.report import BuildReport
from indexer.scan.tree import open_tree
from tests.unit.support.semantic_tree import (
    NATIVE,
    differences_from_whole,
    edges,
    edited,
    index,
    make_tree,
    same_tree,
)


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tree stands for every test, beside what was parsed of it once."""
    return tmp_path_factory.mktemp("parsed").resolve()


@pytest.fixture
def made(parsed: Path, tmp_path: Path) -> tuple[Path, Path, Path]:
    tree, target, cache = same_tree(parsed / "tree"), tmp_path.resolve() / "x.db", parsed / "cache"
    index(tree, target, cache)
    return tree, target, cache


@pytest.mark.mostly_slow(fast=3)
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("c10/core/deep.cpp", "return own(x) + outside(1);", "return own(x);"),
        pytest.param("c10/core/deep.cpp", "namespace c10 {\n", "\n\nnamespace c10 {\n", marks=pytest.mark.slow),
        ("c10/core/deep.cpp", "static int own(", "static int more(int x) { return x; }\nstatic int own("),
        pytest.param("c10/core/deep.cpp", "int grow()", "int grow(int y) { return first_made(y); }\nint grow()", marks=pytest.mark.slow),
        ("c10/core/deep.cpp", "v.push_back(deep(1)); ", "v.clear(); v.reserve(2);"),
        pytest.param("c10/core/deep.cpp", "#ifdef NEVER", "#ifndef NEVER", marks=pytest.mark.slow),
        ("c10/core/deep.cpp", "int lone(const int x) { return x; }", "\nint lone(const int x) { return deep(x); }"),
        pytest.param("c10/core/deep.cpp", "  at::relu(x);\n", "\n  at::relu(x);\n  deep(2);\n", marks=pytest.mark.slow),
        ("c10/core/ops.cpp", "{ return once(); }", "{\n  return wide(1); }"),
        pytest.param("c10/core/user.cpp", "shared(2)", "0", marks=pytest.mark.slow),
        ("c10/core/user.cpp", "int main_like() { return go(*new Far()); }", ""),
        pytest.param("c10/core/user.cpp", "return deep(x); }\nstruct", "return nowhere(x); }\nstruct", marks=pytest.mark.slow),
        (f"{NATIVE}/cuda/k.cu", "void run", "\nvoid run"),
        ("torch/__init__.py", "", "def f():\n    return 1\n"),
        (f"{NATIVE}/mps/Only.mm", "int outside", "int inside(int x) { return x; }\nint outside"),
    ],
)  # fmt: skip
def test_an_edit_of_one_file_is_made_in_place(
    made: tuple[Path, Path, Path], name: str, before: str, after: str
) -> None:
    tree, target, cache = made
    edited(tree / name, before, after)
    report = index(tree, target, cache)
    assert report.action == "updated"
    assert report.semantic is not None
    assert report.semantic.changed
    assert report.counts["semantic"]["call sites"] > 0
    again = build(open_tree(tree), target, layers=LAYER_NAMES, workers=0)
    assert again.action == "unchanged"
    assert differences_from_whole(tree, target, cache) == []


@pytest.mark.slow
def test_calls_of_the_text_stay_where_a_function_gets_another_head(
    made: tuple[Path, Path, Path],
) -> None:
    tree, target, cache = made
    only = tree / NATIVE / "mps/Only.mm"
    only.write_text(only.read_text() * 2)  # so clang knows neither by its declaration
    index(tree, target, cache)
    edited(only, "outside(int x) { return x; }", "outside(int y) { return y; }")
    assert index(tree, target, cache).semantic is not None
    assert ("c10::either", "c10::outside", "candidate") in edges(target, "syntax")
    assert differences_from_whole(tree, target, cache) == []


@pytest.mark.slow
def test_heads_that_macros_make_are_kept_the_same_where_the_layer_is_hidden(
    made: tuple[Path, Path, Path],
) -> None:
    tree, target, cache = made
    deep, user = tree / "c10/core/deep.cpp", tree / "c10/core/user.cpp"
    edited(
        deep,
        "MADE(first)",
        "#define HEAD(name) int name(int x)\nHEAD(one) { return x; }\nMADE(first)",
    )
    edited(
        user,
        "MADE(second)",
        "#define TOP(name) int name(int x)\nTOP(two) { return x; }\nMADE(second)",
    )
    index(tree, target, cache)
    edited(user, "TOP(two) { return x; }", "TOP(two) { return x + 1; }")
    assert index(tree, target, cache).semantic is not None
    # Another macro: the heads of both files are expanded again, from what was kept of them.
    edited(deep, "#define HEAD", "#define OTHER 1\n#define HEAD")
    assert index(tree, target, cache).action == "updated"
    assert differences_from_whole(tree, target, cache) == []


@pytest.mark.slow
def test_many_functions_that_only_clang_sees_find_room_again(
    made: tuple[Path, Path, Path],
) -> None:
    tree, target, cache = made
    many = tree / "c10/core/deep.cpp"
    initialised = "".join(f"int first_{n} = deep({n});\n" for n in range(60))
    edited(many, "int grow()", f"{initialised}int grow()")
    index(tree, target, cache, full=True)
    for _ in range(3):
        edited(many, "int first_0", "\nint first_0")
        assert index(tree, target, cache).semantic is not None
    assert differences_from_whole(tree, target, cache) == []


@pytest.mark.slow
@pytest.mark.parametrize("many", [-1, 5_000])
def test_what_a_worker_finds_out_of_tests_is_of_their_present_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    """It reads the file itself, where the layer is not hidden and calls are those of before."""
    monkeypatch.setattr("indexer.update.relink._MANY_TESTS", many)
    folder = tmp_path.resolve()
    tree, target, cache = make_tree(folder / "tree"), folder / "x.db", folder / "cache"
    test = tree / "test/cpp/api/caps.cpp"
    test.parent.mkdir(parents=True)
    test.write_text(
        "#include <gtest/gtest.h>\nnamespace at { int relu(int); int plain(int); }\n"
        "TEST(Caps, Works) { at::plain(1); }\nTEST(Caps, Others) { at::relu(2); }\n"
    )
    options = Options(tests=True)
    index(tree, target, cache, options=options)
    edited(test, "at::plain(1)", "at::relu(1)")
    assert index(tree, target, cache, options=options).semantic is not None
    assert differences_from_whole(tree, target, cache, options=options) == []
    conn = sqlite3.connect(target)
    rows = conn.execute(
        "SELECT t.name, o.how FROM test_operators AS o JOIN tests AS t ON t.id = o.test_id ORDER BY 1"
    ).fetchall()
    conn.close()
    assert rows == [("Others", "c"), ("Works", "c")]


@pytest.mark.slow
@pytest.mark.mostly_slow(fast=1)
@pytest.mark.parametrize(
    "edit",
    [
        # One function by two USRs: what is const in a definition says nothing to its callers.
        lambda tree: edited(
            tree / "c10/core/deep.cpp", "int grow()", "int twin(const int x) { return x; }\nint grow()"
        ),
        lambda tree: edited(tree / "c10/util/deep.h", "int deep(int);", "int deep(int);\nint x();"),
        lambda tree: edited(tree / "c10/core/a.cpp", "#include", "#include <c10/util/deep.h>\n#include"),
        lambda tree: (tree / "c10/core/late.cpp").write_text("int x;\n"),
        lambda tree: (tree / "c10/core/deep.cpp").unlink(),
    ],
)  # fmt: skip
def test_wider_edits_write_the_layer_anew(made: tuple[Path, Path, Path], edit: Any) -> None:
    tree, target, cache = made
    edit(tree)
    report = index(tree, target, cache)
    assert (report.action, report.semantic) == ("updated", None)
    assert report.anew
    assert differences_from_whole(tree, target, cache) == []


@pytest.mark.slow
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
    edited(tree / "c10/core/user.cpp", "shared(2)", "0")
    index(tree, target, cache)
    monkeypatch.undo()
    edited(tree / "c10/core/deep.cpp", "outside(1)", "1")
    assert index(tree, target, cache).semantic is not None
    assert differences_from_whole(tree, target, cache) == []


@pytest.mark.slow
def test_an_edited_test_that_is_not_parsed_is_read_in_place(tmp_path: Path) -> None:
    folder, options = tmp_path.resolve(), Options(tests=False)
    tree, target, cache = make_tree(folder / "tree"), folder / "x.db", folder / "cache"
    test = tree / "test/cpp/caps.cpp"
    test.parent.mkdir(parents=True)
    test.write_text("#include <c10/util/deep.h>\nint tried() { return c10::deep(1); }\n")
    index(tree, target, cache, options=options)
    for name, before, after in (
        (test, "deep(1)", "deep(2) + c10::deep(3)"), (test, "tried", "\ntried_again"),
        (tree / "c10/core/deep.cpp", "outside(1)", "1"), (test, "again", "at_last"),
    ):  # fmt: skip
        edited(name, before, after)
        report = index(tree, target, cache, options=options)
        assert report.semantic is not None, report.anew
    assert differences_from_whole(tree, target, cache, options=options) == []


@pytest.mark.slow
def test_a_test_that_another_unit_may_include_is_none_that_is_left_out(tmp_path: Path) -> None:
    folder, options = tmp_path.resolve(), Options(tests=False)
    tree, target, cache = make_tree(folder / "tree"), folder / "x.db", folder / "cache"
    test = tree / "test/cpp/caps.cpp"
    test.parent.mkdir(parents=True)
    test.write_text("int tried() { return 1; }\n")
    user = tree / "c10/core/user.cpp"
    user.write_text('#include "../../test/cpp/caps.cpp"\n' + user.read_text())
    index(tree, target, cache, options=options)
    edited(test, "return 1", "return 2")
    report = index(tree, target, cache, options=options)
    assert (report.semantic, "another for the parser" in report.anew) == (None, True)


@pytest.mark.slow
def test_nothing_is_parsed_any_more_when_an_update_fails(
    made: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, target, cache = made
    edited(tree / "c10/core/deep.cpp", "return own(x) + outside(1);", "return own(x);")
    running: list[bool] = []
    run_again = Again.run

    def slow(again: Again, *arguments: Any) -> dict[str, Outcome]:
        running.append(True)
        time.sleep(0.5)
        outcomes = run_again(again, *arguments)
        running.append(False)
        return outcomes

    def fail(*_: object) -> None:
        raise sqlite3.DatabaseError("it is damaged")

    monkeypatch.setattr(Again, "run", slow)
    monkeypatch.setattr(Update, "hide", fail)
    asked = Together(Options(), cache, 1)
    build_anew = _Job.build

    def anew(builder: _Job, reason: str) -> BuildReport:
        assert running == [True, False]
        return build_anew(builder, reason)

    monkeypatch.setattr(_Job, "build", anew)
    report = build(open_tree(tree), target, layers=LAYER_NAMES, workers=0, together=lambda: asked)
    assert (report.action, report.reason.partition("(")[0]) == (
        "built", "the one that was there was damaged ",
    )  # fmt: skip
