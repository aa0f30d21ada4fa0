"""After random edits the index of all layers has what a full build has, row for row."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from indexer.write.clang_base import BaseCalls, remove_semantic
from tests.unit.support import index_dump
from tests.unit.support.semantic_tree import NATIVE, WHOLE, dump, index, make_tree

EXAMPLES = int(os.environ.get("TORCHTALK_UPDATE_EXAMPLES", "12"))

UNITS = sorted(name for name in WHOLE if name.endswith((".cpp", ".cu")))

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
        lines = WHOLE[UNITS[which % len(UNITS)]].splitlines()
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A folder with the tree, its index and the cache, made in place; and the same to copy from."""
    folder = tmp_path_factory.mktemp("semantic").resolve()
    make_tree(folder / "tree")
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
    make_tree(tree)
    with tempfile.TemporaryDirectory() as own:
        target, whole = Path(own, "x.db"), Path(own, "whole.db")
        index(tree, target, cache)
        for edits in rounds:
            for edit in edits:
                _apply(tree, edit)
            index(tree, target, cache)
            index(tree, whole, cache, full=True)
            assert index_dump.differences(dump(target), dump(whole)) == []
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
