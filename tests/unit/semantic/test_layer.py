"""`add_semantic`: the layer added to an index, taken out again, added anew, skipped, and shown."""

from __future__ import annotations

import json
import shutil
import sqlite3
from functools import partial
from pathlib import Path

import pytest

from indexer import semantic as layer
from indexer.build import build
from indexer.clang import semantic as parser
from indexer.clang.codegen import GENERATOR
from indexer.clang.made_folder import CodegenError
from indexer.clang.semantic import Options
from indexer.clang.substitutes import configured_headers
from indexer.layers import LAYER_NAMES
from indexer.progress import Silent
from indexer.report import SemanticReport
from indexer.scan.tree import SourceTree
from indexer.semantic import add_semantic
from indexer.write.clang_base import remove_semantic
from tests.unit.support.command import Command
from tests.unit.support.semantic_tree import (
    FILES,
    add,
    dump_without_keys,
    edges,
    fast_index,
    plain_tree,
    statuses,
)


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    return plain_tree(tmp_path)


@pytest.fixture
def target(tree: SourceTree, tmp_path: Path) -> Path:
    return fast_index(tree, tmp_path)


@pytest.mark.slow
def test_taking_it_out_gives_the_other_layers_back(tree: SourceTree, target: Path) -> None:
    fast = dump_without_keys(target)
    add(tree, target)
    assert dump_without_keys(target) != fast
    conn = sqlite3.connect(target)
    assert remove_semantic(conn)
    assert not remove_semantic(conn)
    # What stands on it is made anew, as whoever takes it out does.
    layer.link_steps(conn, layer.steps_again(conn), Silent())
    conn.commit()
    conn.close()
    # Edges are made again by the steps in `Layer.again`, as whoever takes the layer out does.
    assert {**dump_without_keys(target), "edges": []} == {**fast, "edges": []}


@pytest.mark.slow
def test_the_same_rows_however_often_it_is_added(tree: SourceTree, target: Path) -> None:
    add(tree, target)
    once = dump_without_keys(target)
    again = add(tree, target)
    assert not again.changed
    assert again.reused == sum(again.units.values())
    settled = {"cache": target.parent / "clang", "workers": 0, "unchanged": True}
    assert add_semantic(tree, target, **settled).seconds == {}  # type: ignore[arg-type]
    others = Options(include=(target.parent,))
    assert add_semantic(tree, target, options=others, **settled).reused == 0  # type: ignore[arg-type]
    assert add(tree, target).changed
    (tree.root / "c10/core/a.cpp").write_text("namespace c10 {\nint a() { return 1; }\n}\n")
    build(tree, target, layers=LAYER_NAMES, workers=0)
    changed = add(tree, target)
    assert changed.changed
    assert changed.reused == sum(changed.units.values()) - 1
    assert ("c10::a", "c10::twice", "call") not in edges(target)
    fresh = target.with_name("fresh.db")
    build(tree, fresh, layers=LAYER_NAMES, workers=0)
    add_semantic(tree, fresh, cache=target.parent / "other", workers=2)
    assert dump_without_keys(fresh) == dump_without_keys(target)
    (tree.root / "c10/core/a.cpp").write_text(FILES["c10/core/a.cpp"])
    build(tree, target, layers=LAYER_NAMES, workers=0)
    assert add(tree, target).reused == sum(changed.units.values())
    assert dump_without_keys(target) == once


def test_a_changed_unit_replaces_only_its_owndump_without_keys(
    tree: SourceTree, target: Path
) -> None:
    """Without a new index of the other layers too: what was there before is taken out first."""
    add(tree, target)
    first = edges(target)
    (tree.root / "c10/core/b.cpp").write_text(
        "namespace c10 {\nint a();\nint b2() { return a(); }\n}\n"
    )
    add(tree, target)
    gone = first - edges(target)
    assert {caller for caller, _, _ in gone} == {"c10::Own::run", "c10::Base::run", "c10::b"}


def test_without_libclang_the_index_says_so(tree: SourceTree, target: Path) -> None:
    fast = dump_without_keys(target)
    missing = add(tree, target, libclang=target.parent / "none.so")
    assert (missing.status, missing.units) == ("skipped", {})
    assert statuses(target)[None] == ("skipped", f"no libclang at {target.parent / 'none.so'}")
    assert edges(target) == set()
    add(tree, target)
    assert edges(target)
    add(tree, target, libclang=target.parent / "none.so")
    assert {k: v for k, v in dump_without_keys(target).items() if k != "coverage"} == {
        k: v for k, v in fast.items() if k != "coverage"
    }


def test_a_generator_that_failed_is_asked_again(
    tree: SourceTree, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> Path:
        raise CodegenError("the tree's code generator took over 1 s")

    (tree.root / GENERATOR).parent.mkdir()
    (tree.root / GENERATOR).write_text("")
    unchanged = partial(
        add_semantic, tree, target, cache=target.parent / "clang", workers=0, unchanged=True
    )
    monkeypatch.setattr(parser, "generated_headers", failing)
    assert "; the tree's code generator took over 1 s" in unchanged().detail
    again = unchanged()
    assert (again.changed, again.units) == (False, {"ok": 5, "partial": 1})
    monkeypatch.setattr(parser, "generated_headers", configured_headers)
    assert "generator" not in unchanged().detail
    assert unchanged().units == {}, "with its headers it is not read again"


@pytest.mark.slow
def test_the_command_shows_both_parts(
    tree: SourceTree,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TORCHTALK_NO_CLANG")  # which other tests of commands set
    torchtalk = Command(capsys)
    target = tmp_path / "cli.db"
    arguments = (
        "index", "--pytorch-source", tree.root, "--db", target, "--workers", 0,
        "--clang-cache", tmp_path / "clang",
    )  # fmt: skip
    ended = torchtalk(*arguments)
    assert ended.code == 0
    assert ended.out.index("indexed PyTorch 2.6.0") < ended.out.index("read C++ exactly")
    assert "5 without an error, 1 partial; the tree has no code generator" in ended.out
    assert "semantic: unchanged; 6 units read" in torchtalk(*arguments).out
    told = json.loads(torchtalk(*arguments, "--full", "--json").out)
    assert told["semantic"]["units"] == {"ok": 5, "partial": 1}
    assert told["semantic"]["reused"] == 6
    status = torchtalk("status", "--db", target).out
    assert "semantic: ok; " in status
    assert "gaps: 1 partial" in status
    left_out = torchtalk(*arguments, "--no-clang")
    assert "read C++" not in left_out.out
    assert "semantic: skipped (not asked for" in torchtalk("status", "--db", target).out
    assert torchtalk(*arguments, "--layers", "native").out.count("read C++") == 0
    assert torchtalk(*arguments, "--libclang", tmp_path / "gone").code == 2


@pytest.mark.slow
@pytest.mark.mostly_slow(fast=1)
@pytest.mark.parametrize("what", ["header", "response"])
def test_an_index_notices_what_only_a_command_leads_to(
    tree: SourceTree, target: Path, tmp_path: Path, what: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "own.h").write_text("#ifdef MORE\nint more();\n#endif\nint own();\n")
    (outside / "a.rsp").write_text(f"-I{outside}")
    unit = "c10/core/command.cpp"
    (tree.root / unit).write_text(
        "#include <own.h>\n#ifdef MORE\nint f() { return more(); }\n#else\nint f() { return own(); }\n#endif\n"
    )
    entry = {
        "directory": str(tree.root),
        "file": unit,
        "arguments": ["c++", f"@{outside}/a.rsp", unit],
    }
    (tree.root / "compile_commands.json").write_text(json.dumps([entry]))
    build(tree, target, layers=LAYER_NAMES, workers=0)

    def again() -> SemanticReport:
        unchanged = build(tree, target, layers=LAYER_NAMES, workers=0).action == "unchanged"
        assert unchanged
        options = Options()
        return add_semantic(
            tree, target, options=options, cache=target.parent / "clang", workers=0, unchanged=True
        )

    assert add(tree, target).status == "ok"
    assert ("f", "own", "call") in edges(target)
    assert not again().changed
    if what == "header":
        text = (outside / "own.h").read_text()
        (outside / "own.h").write_text(f"#define MORE\n{text}")
    else:
        (outside / "a.rsp").write_text(f"-I{outside} -DMORE")
    other = target.with_name("other.db")
    shutil.copyfile(target, other)
    assert again().changed
    assert ("f", "more", "call") in edges(target)
    assert not again().changed
    # Another index of the tree finds out as well, though the cache knows the file now.
    options, cache = Options(), target.parent / "clang"
    assert add_semantic(
        tree, other, options=options, cache=cache, workers=0, unchanged=True
    ).changed
    assert ("f", "more", "call") in edges(other)
