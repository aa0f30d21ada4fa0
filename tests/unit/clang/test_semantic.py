"""The whole layer on a small tree: from files to facts, kept, resumed and replaced."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.clang import ended
from indexer.clang.cache_folder import tidy
from indexer.clang.library import VARIABLE, LibclangMissing
from indexer.clang.semantic import Options, SemanticFacts, semantic
from indexer.clang.setup import UNIT, Outcome, Setup, Task
from indexer.facts.clang import UnitFacts
from indexer.scan.tree import SourceTree

FILES = {
    "c10/util/shared.h": "#pragma once\n#include <vector>\ninline int shared(int x) { return x; }\n",
    "c10/core/a.cpp": "#include <c10/util/shared.h>\nint a() { return shared(1); }\n",
    "c10/core/b.cpp": "#include <c10/util/shared.h>\nint a();\nint b() { return a() + shared(2); }\n",
    "c10/core/c.cpp": "#include <c10/util/missing.h>\nint a();\nint c() { return a(); }\n",
    "aten/src/ATen/native/cuda/k.cu": "__global__ void k(int* x) {}\nvoid run(int* x) { k<<<1, 2>>>(x); }\n",
    "aten/src/ATen/native/q.c": "static int f(void) { return 1; }\nint q(void) { return f(); }\n",
    "aten/src/ATen/templates/T.cpp": "${body}\n",
    "c10/test/a_test.cpp": "int a();\nint main() { return a(); }\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    root = tmp_path / "tree"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (tmp_path / "generated/aten/src/ATen").mkdir(parents=True)
    (tmp_path / "generated/aten/src/ATen/made.cpp").write_text(
        "int a();\nint made() { return a(); }\n"
    )
    return SourceTree(root.resolve(), False, "2.6.0")


def run(tree: SourceTree, tmp_path: Path, workers: int = 0, **options: object) -> SemanticFacts:
    chosen = Options(generated=tmp_path / "generated", **options)  # type: ignore[arg-type]
    return semantic(tree, tmp_path / "cache", workers, None, chosen)


def by_unit(facts: SemanticFacts) -> dict[str, UnitFacts]:
    return {facts.unit: facts for facts in facts.units()}


def edges(units: dict[str, UnitFacts]) -> set[tuple[str, str]]:
    return {
        (facts.symbols[a].name, facts.symbols[b].name)
        for facts in units.values()
        for a, b in zip(facts.callers, facts.callees, strict=True)
    }


EDGES = {
    ("a", "shared"),
    ("b", "a"),
    ("b", "shared"),
    ("c", "a"),
    ("run", "k"),
    ("q", "f"),
    ("main", "a"),
    ("made", "a"),
}


@pytest.mark.mostly_slow(fast=1)
@pytest.mark.parametrize("workers", [0, 2])
def test_every_unit_and_the_same_facts_whatever_the_workers(
    tree: SourceTree, tmp_path: Path, workers: int
) -> None:
    facts = run(tree, tmp_path, workers)
    units = by_unit(facts)
    statuses = {path: unit.status for path, unit in units.items() if not path.startswith("<")}
    assert statuses == {
        "aten/src/ATen/native/cuda/k.cu": "ok", "aten/src/ATen/native/q.c": "ok", "build/aten/src/ATen/made.cpp": "ok",
        "c10/core/a.cpp": "ok", "c10/core/b.cpp": "ok", "c10/core/c.cpp": "partial", "c10/test/a_test.cpp": "ok",
    }  # fmt: skip
    assert edges(units) == EDGES
    files = {
        symbol.file for unit in units.values() for symbol in unit.symbols if symbol.is_definition
    }
    assert "c10/util/shared.h" in files
    assert "build/aten/src/ATen/made.cpp" in files


@pytest.mark.slow
def test_the_precompiled_headers_functions_are_collected_once(
    tree: SourceTree, tmp_path: Path
) -> None:
    units = by_unit(run(tree, tmp_path))
    definers = [
        path
        for path, unit in units.items()
        for s in unit.symbols
        if s.name == "shared" and s.is_definition
    ]
    assert definers == ["<headers of core>"]
    without = by_unit(run(tree, tmp_path, precompile=False))
    assert edges(without) == EDGES
    assert not any(path.startswith("<") for path in without)


@pytest.mark.slow
def test_work_is_kept_and_one_change_costs_what_includes_it(
    tree: SourceTree, tmp_path: Path
) -> None:
    run(tree, tmp_path, only=frozenset({"c10/core/a.cpp"}), precompile=False)
    second = run(tree, tmp_path, precompile=False)
    assert second.reused == 1
    assert run(tree, tmp_path, precompile=False).reused == 7
    (tree.root / "c10/core/b.cpp").write_text("int b() { return 1; }\n")
    third = run(tree, tmp_path, precompile=False)
    assert third.reused == 6
    assert edges(by_unit(third)) == EDGES - {("b", "a"), ("b", "shared")}
    (tree.root / "c10/util/shared.h").write_text(
        "#pragma once\ninline int shared(int x) { return x + 1; }\n"
    )
    assert run(tree, tmp_path, precompile=False).reused == 6
    assert run(tree, tmp_path, precompile=False, include=(tmp_path,)).reused == 0


@pytest.mark.slow
def test_a_damaged_result_is_made_again(tree: SourceTree, tmp_path: Path) -> None:
    run(tree, tmp_path, precompile=False)
    for file in (tmp_path / "cache").glob("*.facts"):
        file.write_bytes(b"cdocs\nsystem\n" if file.stat().st_size % 2 else b"")
    again = run(tree, tmp_path, precompile=False)
    assert again.reused == 0
    assert edges(by_unit(again)) == EDGES


def test_what_is_kept_is_bounded_and_what_a_run_used_stays(tmp_path: Path) -> None:
    now = time.time()
    ages = {"used": -1.0, "young": 3600.0, "older": 7200.0, "old": 20 * 86400.0}
    for name, age in ages.items():
        (tmp_path / name).write_bytes(b"x" * 1000)
        os.utime(tmp_path / name, (now - age, now - age))
    tidy(tmp_path, now)
    assert {path.name for path in tmp_path.iterdir()} == {"used", "young", "older"}
    tidy(tmp_path, now, 2000)
    assert {path.name for path in tmp_path.iterdir()} == {"used", "young"}
    tidy(tmp_path, now, 0)
    assert {path.name for path in tmp_path.iterdir()} == {"used"}


@pytest.mark.slow
def test_tests_can_be_left_out(tree: SourceTree, tmp_path: Path) -> None:
    assert "c10/test/a_test.cpp" not in by_unit(run(tree, tmp_path, tests=False))


def test_a_builds_own_commands_are_used(tree: SourceTree, tmp_path: Path) -> None:
    (tree.root / "c10/core/a.cpp").write_text(
        "#ifdef OWN\nint other();\nint a() { return other(); }\n#endif\n"
    )
    built = tree.root / "build/made2.cpp"
    built.parent.mkdir()
    built.write_text("int a();\nint two() { return a(); }\n")
    entries = [
        {
            "directory": str(tree.root),
            "file": "c10/core/a.cpp",
            "arguments": ["c++", "-DOWN", "-c", "c10/core/a.cpp"],
        },
        {"directory": str(tree.root / "build"), "file": str(built), "command": f"c++ -c {built}"},
    ]
    (tree.root / "build/compile_commands.json").write_text(json.dumps(entries))
    facts = run(tree, tmp_path)
    units = by_unit(facts)
    assert facts.note == "compile_commands.json: 2 of 8 units have a command in it"
    assert ("a", "other") in edges(units)
    assert ("two", "a") in edges(units)
    assert "build/made2.cpp" in units


def test_no_libclang(tree: SourceTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LibclangMissing, match="no libclang at"):
        run(tree, tmp_path, libclang=tmp_path / "none.so")
    (tmp_path / "libclang.so").write_bytes(b"no library")
    with pytest.raises(LibclangMissing, match="cannot be used"):
        run(tree, tmp_path, libclang=tmp_path)
    monkeypatch.setenv(VARIABLE, os.fspath(tmp_path / "gone"))
    with pytest.raises(LibclangMissing, match="gone"):
        run(tree, tmp_path)


def _commanded(tree: SourceTree, *arguments: str) -> None:
    """A compile database with a command for one unit."""
    words = ["c++", *arguments, "-c", "c10/core/a.cpp"]
    entry = {"directory": str(tree.root), "file": "c10/core/a.cpp", "arguments": words}
    (tree.root / "compile_commands.json").write_text(json.dumps([entry]))


@pytest.mark.slow
@pytest.mark.mostly_slow(fast=2)
@pytest.mark.parametrize(
    ("options", "include"),
    [
        (("-I../outside",), "#include <own.h>\n"),
        (("-isystem", "../outside"), "#include <own.h>\n"),
        (("-iquote", "../outside"), '#include "own.h"\n'),
        (("-idirafter", "../outside"), "#include <deep.h>\n"),
        (("-include", "../outside/own.h"), ""),
        (("-I../outside", "-include", "deep.h"), ""),
    ],
)
def test_headers_that_only_a_command_finds_are_noticed(
    tree: SourceTree, tmp_path: Path, options: tuple[str, ...], include: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "own.h").write_text("#pragma once\nint one();\ninline int own() { return one(); }\n")
    (outside / "deep.h").write_text('#include "own.h"\n')
    (tree.root / "c10/core/a.cpp").write_text(f"{include}int a() {{ return own(); }}\n")
    _commanded(tree, *options)
    before = run(tree, tmp_path)
    assert ("a", "own") in edges(by_unit(before))
    assert run(tree, tmp_path).reused == sum(before.statuses().values())
    (outside / "own.h").write_text(
        "#pragma once\nint one();\ninline int owner() { return one(); }\n"
    )
    again = run(tree, tmp_path)
    assert by_unit(again)["c10/core/a.cpp"].status == "partial"
    # Units that do not see it are kept.
    assert again.reused == sum(before.statuses().values()) - 1


def test_two_commands_may_find_two_headers_by_one_name(tree: SourceTree, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "own.h").write_text("inline int own() { return 1; }\n")
    entries = []
    for unit, name in (("a", "one"), ("b", "two")):
        (tree.root / f"c10/core/{unit}.cpp").write_text(
            f"#include <own.h>\nint {unit}() {{ return own(); }}\n"
        )
        words = ["c++", f"-I{tmp_path / name}", f"c10/core/{unit}.cpp"]
        entries.append({"directory": str(tree.root), "file": words[-1], "arguments": words})
    (tree.root / "compile_commands.json").write_text(json.dumps(entries))
    run(tree, tmp_path)
    (tmp_path / "two/own.h").write_text("inline int other() { return 1; }\n")
    units = by_unit(run(tree, tmp_path))
    assert units["c10/core/a.cpp"].status == "ok"
    assert units["c10/core/b.cpp"].status == "partial"


@pytest.mark.slow
@pytest.mark.mostly_slow(fast=1)
@pytest.mark.parametrize("text", ["nonsense", "[" * 100_000])
def test_units_are_read_without_a_database_that_cannot_be(
    tree: SourceTree, tmp_path: Path, text: str
) -> None:
    (tree.root / "compile_commands.json").write_text(text)
    facts = run(tree, tmp_path)
    assert edges(by_unit(facts)) == EDGES
    assert facts.note.startswith("no commands of a build: ")


_ENDLESS = (
    "#define L0 x x\n" + "".join(f"#define L{n + 1} L{n} L{n}\n" for n in range(40)) + "int L40;\n"
)


@pytest.mark.slow
def test_what_gave_nothing_is_tried_again_only_where_it_may_give_more(
    tree: SourceTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "c10/core/c.cpp"
    bad = tree.root / name
    bad.write_text(_ENDLESS)
    other = tree.root / "c10/core/b.cpp"
    run_tasks = ended.run_tasks
    tried: list[str] = []

    def noted(setup: Setup, tasks: list[Task], *rest: Any) -> Iterator[tuple[Task, Outcome]]:
        tried.extend(task.path for task in tasks)
        return run_tasks(setup, tasks, *rest)

    monkeypatch.setattr(ended, "run_tasks", noted)

    def status(limit: float = 1.0, *, retry: bool = False, **options: object) -> tuple[str, bool]:
        """How the unit ended, and whether it was tried now."""
        tried.clear()
        chosen = Options(
            generated=tmp_path / "generated", time_limit=limit, precompile=False, **options
        )  # type: ignore[arg-type]
        facts = semantic(tree, tmp_path / "cache", 1, None, chosen, retry=retry)
        return by_unit(facts)[name].status, name in tried

    assert status() == ("timeout", True)
    other.write_text("int b() { return 2; }\n")
    assert status() == ("timeout", False)
    # Other limits, or who asks for everything.
    assert status(1.5) == ("timeout", True)
    assert status(1.5, retry=True) == ("timeout", True)
    assert status(1.5, memory=1 << 30)[1]
    bad.write_text("int c() { return 1; }\n")
    assert status(60.0) == ("ok", True)


def test_nobodys_fault_is_not_kept(
    tree: SourceTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = [
        f"libclang ended its process ({how})"
        for how in ("signal 9", "signal 11", "exit code 1", "signal 15")
    ]

    def run_tasks(setup: Setup, tasks: list[Task], *_: object) -> Iterator[tuple[Task, Outcome]]:
        for task, end in zip(tasks, ends, strict=False):
            yield task, Outcome(0, "crashed", end)

    monkeypatch.setattr(ended, "run_tasks", run_tasks)
    tasks = [Task(0, UNIT, str(n), "", "", str(tmp_path / f"{n}.facts")) for n in range(4)]
    setup = Setup("", "", "", memory=7)
    assert len(list(ended.run_and_keep(setup, tasks, 1, 5.0))) == 4
    known = [ended.how_it_ended(Path(task.result), 5.0, 7) for task in tasks]
    assert known == [None, ("crashed", ends[1]), None, None]
    assert ended.how_it_ended(Path(tasks[1].result), 6.0, 7) is None
    assert ended.how_it_ended(Path(tasks[1].result), 5.0, 8) is None
    (tmp_path / "1.ended").write_text("nonsense")
    assert ended.how_it_ended(Path(tasks[1].result), 5.0, 7) is None
