"""Tests with a text that a diff changes: the message of an error that they assert."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.sources import Sources, worked
from torchtalk.affected.texts.messages import begins_in
from torchtalk.render import to_text
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_CPP = f"{_NATIVE}/Warp.cpp"
_HEAD = "from torch.testing._internal.common_utils import TestCase\nclass TestWarp(TestCase):\n"
_TEST = "    def test_{}(self):\n        with self.assertRaisesRegex(RuntimeError, {}):\n            call()\n"
FILES = {
    f"{_NATIVE}/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n  dispatch:\n    CPU: warp_cpu\n",
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/yarn.py": "def pull(n):\n    raise ValueError(f'cannot pull (all of) {n} yarns')\ndef push():\n    raise ValueError('bad yarns [wool, silk]')\ndef find():\n    raise ValueError('no loom is left here')\n",
    "test/test_loom.py": (
        _HEAD.replace("TestWarp", "TestLoom")
        + "    def _check(self):\n        with self.assertRaisesRegex(ValueError, 'no loom is left'):\n            call()\n"
        "    def test_it(self):\n        self._check()\n    def test_other(self):\n        pass\n"
    ),
    _CPP: (
        "namespace at::native {\nTensor warp_cpu(const Tensor& self) {\n"
        '  TORCH_CHECK(self.dim() == 2, "warp: expected a matrix (of yarn) but got ", self.dim());\n'
        "  return self;\n}\n}\n"
    ),
    "torch/testing/_internal/yarns.py": "def error_inputs_warp():\n    return 'expected a matrix'\n",
    "test/test_all.py": (
        _HEAD
        + _TEST.format("part", 'r"expected a matrix.*yarn"')
        + _TEST.format("escaped", 'r"^expected a matrix \\(of yarn\\).*"')
        + _TEST.format("other", '"expected a vector"')
        + _TEST.format("word", '"warp"')
        + _TEST.format("bracketed", '"bad yarns \\\\[wool, silk\\\\]"')
        + _TEST.format("python", '"cannot pull \\\\(all of\\\\) 3 yarns"')
        + "    def test_errors(self):\n        error_inputs_warp()\n"
    ).replace("import TestCase", "import TestCase\nfrom torch.testing._internal.yarns import error_inputs_warp"),
}  # fmt: skip
_OLD = '  TORCH_CHECK(self.dim() == 2, "warp: expected a matrix (of yarn) but got ", self.dim());'
_NEW = '  TORCH_CHECK(self.dim() == 2, "warp: wants a matrix, not ", self.dim());'


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("messages")) as connection:
        yield connection


def _diff(path: str, line: int, old: str, new: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-{old}\n+{new}\n"


def test_what_asserts_a_changed_message(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff(_CPP, 3, _OLD, _NEW))
    assert {test.name for test in answer.tests} == {
        "TestWarp.test_part", "TestWarp.test_escaped", "TestWarp.test_errors",
    }  # fmt: skip
    # What changed is the kernel, and a helper of tests has the text as well; the tests that have it did not change.
    assert [thing.name.partition(" ")[0] for thing in answer.changed] == [
        "at::native::warp_cpu", "torch.testing._internal.yarns.error_inputs_warp",
    ]  # fmt: skip
    why = f'expects the text "warp: expected a matrix (of yarn) but got" of {_CPP}'
    # What has few of its words may mean another message.
    assert f"0.97 {why}\n  TestWarp.test_escaped  test/test_all.py:7\n" in to_text(answer)
    part = {test.name: test.weight for test in answer.tests}["TestWarp.test_part"]
    assert part == pytest.approx(0.5 * (3 / 8) ** 0.5, abs=0.001)


def test_a_helper_that_expects_it_is_run_by_those_that_call_it(conn: sqlite3.Connection) -> None:
    old = "    raise ValueError('no loom is left here')"
    answer = all_tools()["affected"].ask(conn, diff=_diff("torch/yarn.py", 6, old, "    return 1"))
    assert [test.name for test in answer.tests] == ["TestLoom.test_it"]
    assert answer.tests[0].path[-1] == "calls it"


def test_only_the_condition_changes(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(
        conn, diff=_diff(_CPP, 3, _OLD, _OLD.replace("== 2", "== 3"))
    )
    assert "TestWarp.test_escaped" in {test.name for test in answer.tests}


def test_what_is_put_into_a_message_is_no_part_of_it(conn: sqlite3.Connection) -> None:
    old = "    raise ValueError(f'cannot pull (all of) {n} yarns')"
    answer = all_tools()["affected"].ask(conn, diff=_diff("torch/yarn.py", 2, old, "    return 1"))
    assert [test.name for test in answer.tests] == ["TestWarp.test_python"]


def test_escaped_brackets_are_text(conn: sqlite3.Connection) -> None:
    old = "    raise ValueError('bad yarns [wool, silk]')"
    answer = all_tools()["affected"].ask(conn, diff=_diff("torch/yarn.py", 4, old, "    return 1"))
    assert [test.name for test in answer.tests] == ["TestWarp.test_bracketed"]


@pytest.mark.parametrize(
    ("path", "old"),
    [
        (_CPP, '  auto a = f("warp", "of yarn");'),
        (_CPP, '  // expected a matrix (of yarn) but got "expected a matrix (of yarn)"'),
        ("test/test_all.py", 'x = "expected a matrix (of yarn) but got"'),
    ],
)
def test_what_is_no_message(conn: sqlite3.Connection, path: str, old: str) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff(path, 3, old, "  x();"))
    assert "the text" not in to_text(answer)


def test_there_may_be_no_tree(conn: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchtalk.affected.sources._root", lambda conn: None)
    answer = all_tools()["affected"].ask(conn, diff=_diff(_CPP, 3, _OLD, _NEW))
    assert [thing.name for thing in answer.changed] == ["at::native::warp_cpu"]
    # What tests expect is in the index.
    assert [test.name for test in answer.tests] == ["TestWarp.test_escaped", "TestWarp.test_part"]
    said = "texts of files were not searched: the tree that was indexed is not here"
    assert said in answer.notes
    # Nothing would have been looked for.
    assert said not in all_tools()["affected"].ask(conn, names="aten::warp").notes


@pytest.mark.parametrize(
    "path",
    [
        "/outside.txt",
        "../outside.txt",
        "a/../../outside.txt",
        "pipe",
        "folder",
        "none",
        "a\0b",
        "link",
        "folder/out/outside.txt",
        "circle",
    ],
)
def test_only_files_of_the_tree_are_read(
    conn: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "outside.txt").write_text("a text of others")
    root = tmp_path / "tree"
    (root / "folder").mkdir(parents=True)
    (root / "a").mkdir()
    os.mkfifo(root / "pipe")
    (root / "link").symlink_to("../outside.txt")
    (root / "folder/out").symlink_to(tmp_path)
    (root / "folder/within.txt").write_text("a text of it")
    (root / "a/same").symlink_to("../folder/within.txt")
    (root / "a/all").symlink_to("../folder")
    (root / "circle").symlink_to("circle")
    monkeypatch.setattr("torchtalk.affected.sources._root", lambda conn: root)
    path = path.replace("/outside", f"{tmp_path}/outside") if path.startswith("/") else path
    row = conn.execute("SELECT 1 AS id, ? AS path, '' AS sha", (path,)).fetchone()
    sources = Sources(conn)
    assert sources.read(row) is None
    for path in ("folder/within.txt", "a/same", "a/all/within.txt"):
        row = conn.execute("SELECT 1 AS id, ? AS path, '' AS sha", (path,)).fetchone()
        source = sources.read(row)
        assert source is not None, path
        assert source.text == "a text of it"


def test_what_there_was_no_time_for_is_told(
    conn: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torchtalk.affected.sources.ALWAYS", 2)
    times = iter(range(100))
    sources = Sources(conn, clock=lambda: float(next(times)))
    rows = conn.execute("SELECT id, path, sha FROM source_files").fetchall()
    assert len(list(sources.holding(rows, [""]))) == 2
    assert (
        sources.shortfall
        == f"texts of {len(rows) - 2} files of the tree were not searched, for want of time"
    )


@pytest.mark.slow
def test_waiting_is_hardly_counted() -> None:
    """What is found of the tree should not tell how busy the machine was."""
    began = worked()
    time.sleep(0.5)
    assert 0.05 < worked() - began < 0.3
    began, until = worked(), time.thread_time() + 0.2
    while time.thread_time() < until:
        pass
    assert worked() - began >= 0.2


def test_what_many_messages_say_tells_little_of_one(tmp_path: Path) -> None:
    silk = '  TORCH_CHECK(false, "silk on a narrow loom is not possible in winter");'
    others = "".join(_TEST.format(f"of_{n}", f'"yarn {n} is not possible"') for n in range(20))
    files = {
        **FILES,
        _CPP: f"namespace at::native {{\nTensor warp_cpu(const Tensor& self) {{\n{silk}\n  return self;\n}}\n}}\n",
        "test/test_usual.py": _HEAD + _TEST.format("usual", '".*is not possible.*"') + others,
        "test/test_rare.py": _HEAD + _TEST.format("rare", '"narrow loom"'),
    }
    with indexed(files, tmp_path) as conn:
        answer = all_tools()["affected"].ask(conn, diff=_diff(_CPP, 3, silk, "  f();"))
    found = {test.name: test for test in answer.tests}
    usual, rare = found["TestWarp.test_usual"], found["TestWarp.test_rare"]
    text = f'the text "silk on a narrow loom is not possible in winter" of {_CPP}'
    assert rare.path == (f'expects "narrow loom" of {text}',)
    assert usual.path == (f'expects "is not possible" of {text}',)
    assert rare.weight == pytest.approx(0.5 * (2 / 10) ** 0.5, abs=0.001)
    assert usual.weight < 2 * rare.weight / 3  # though it has three of the words


@pytest.mark.parametrize(
    ("text", "part", "has"),
    [
        ("Unexpected dtype", "expected dtype", False),
        ("Unexpected dtype, expected dtype", "expected dtype", True),
        ("got: expected dtype", "expected dtype", True),
        ("must be matrices", "must be matri", True),
        ("cannot be '[a]'", "[a]", True),
        ("expected", "expected dtype", False),
    ],
)
def test_a_part_begins_where_a_word_does(text: str, part: str, *, has: bool) -> None:
    assert begins_in(text, part) == has


def test_all_parts_of_a_pattern_are_wanted(tmp_path: Path) -> None:
    files = {
        f"{_NATIVE}/native_functions.yaml": FILES[f"{_NATIVE}/native_functions.yaml"],
        "torch/__init__.py": "",
        _CPP: (
            "namespace at::native {\nTensor warp_cpu(const Tensor& self) {\n"
            '  TORCH_CHECK(false, "Weaving by hand of "\n'
            '    "lists is no longer supported here");\n}\n}\n'
        ),
        "test/test_all.py": _HEAD
        + _TEST.format("own", "'Weaving by hand.+is no longer supported here'")
        + _TEST.format("other", "'^Integer division.+is no longer supported here'"),
    }
    old, new = '    "lists is no longer supported here");', '    "lists is gone");'
    with indexed(files, tmp_path) as conn:
        answer = all_tools()["affected"].ask(conn, diff=_diff(_CPP, 4, old, new))
    weights = {test.name.rpartition("_")[2]: test.weight for test in answer.tests}
    # What the file has on another line is no part of another message.
    assert weights["own"] > 0.9
    assert weights.get("other", 0.0) < 0.5
