"""Diffs whose paths begin elsewhere, and files that are called like one test."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.diff.diffs import parse_diff
from torchtalk.affected.diff.folders import placed
from torchtalk.tools import all_tools

_HEAD = "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
_CAP = "torch/optim/cap.py"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/optim/__init__.py": "",
    _CAP: "def cap(x):\n    y = x\n    return y\n",
    "torch/utils/__init__.py": "",
    "torch/utils/tools/lone.py": "def lone(x):\n    return x\n",
    "test/test_cap.py": (
        f"{_HEAD}from torch.optim.cap import cap\nclass TestCap(TestCase):\n"
        "    def test_cap(self, device):\n        cap(1)\n\n    def test_other(self):\n        pass\n\n\n"
        "class TestCapToo(TestCase):\n    def test_other(self):\n        pass\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("folders")) as connection:
        yield connection


def _diff(old: str, new: str, blob: str = "") -> str:
    index = f"index {blob}..1234567 100644\n" if blob else ""
    return f"diff --git {old} {new}\n{index}--- {old}\n+++ {new}\n@@ -2 +2 @@\n-    y = x\n+    y = -x\n"


def _blob(path: str) -> str:
    text = FILES[path].encode()
    return hashlib.sha1(b"blob %d\0%s" % (len(text), text)).hexdigest()[:10]


@pytest.mark.parametrize(
    ("old", "new", "blob"),
    [
        ("a/optim/cap.py", "b/optim/cap.py", ""),
        ("a/optim/cap.py", "b/optim/cap.py", _blob(_CAP)),
        ("a/cap.py", "b/cap.py", _blob(_CAP)),
        (f"a/monorepo/pytorch/{_CAP}", f"b/monorepo/pytorch/{_CAP}", ""),
        (f"a/monorepo/pytorch/{_CAP}", f"b/monorepo/pytorch/{_CAP}", "abcdef0"),
        (f"pytorch-old/{_CAP}", f"pytorch-new/{_CAP}", ""),
    ],
)
def test_paths_that_begin_in_another_folder(
    conn: sqlite3.Connection, old: str, new: str, blob: str
) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff(old, new, blob))
    assert [thing.place.file for thing in answer.changed] == [_CAP]
    assert answer.tests[0].name == "TestCap.test_cap"
    assert answer.notes[0].startswith("paths of the diff are taken to begin elsewhere: ")
    assert answer.notes[0].endswith(f" for {_CAP}")


@pytest.mark.parametrize(
    ("path", "blob"),
    [
        # Which folder is meant is not sure: the name alone tells, or its content is another.
        ("cap.py", ""),
        ("optim/cap.py", "abcdef0"),
        ("tools/lone.py", "abcdef0"),
        # A file of the outermost folder that is not indexed.
        ("x/setup.py", ""),
    ],
)
def test_a_path_never_silently_becomes_another(
    conn: sqlite3.Connection, path: str, blob: str
) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff(f"a/{path}", f"b/{path}", blob))
    assert not answer.changed
    assert not [note for note in answer.notes if "begin elsewhere" in note]


@pytest.mark.parametrize(
    ("old", "new"),
    [(f"/src/tree/{_CAP}", _CAP), (f"../tree/{_CAP}", _CAP), (_CAP, f"/src/tree/{_CAP}")],
)
def test_one_side_with_the_whole_path(conn: sqlite3.Connection, old: str, new: str) -> None:
    """`diff -u /src/tree/torch/x.py torch/x.py`: nothing is renamed, and what is said has the tree's path."""
    text = f"--- {old}\n+++ {new}\n@@ -2 +2 @@\n-    y = x\n+    y = -x\n"
    ((change,), _) = placed(conn, parse_diff(text))
    assert change.old_path == change.new_path == _CAP


def test_one_path_that_fits_is_enough(conn: sqlite3.Connection) -> None:
    diff = _diff(f"a/{_CAP}", f"b/{_CAP}") + _diff("a/tools/lone.py", "b/tools/lone.py")
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert [thing.place.file for thing in answer.changed] == [_CAP]
    assert "tools/lone.py: not in the index" in answer.unseen


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("test/dynamo_expected_failures/TestCap.test_cap", "TestCap.test_cap"),
        ("test/dynamo_skips/TestCapCPU.test_cap_cpu_float32", "TestCap.test_cap"),
        ("test/dynamo_skips/TestCapToo.test_other", "TestCapToo.test_other"),
        ("test/expect/TestCap.test_other-of_two.expect", "TestCap.test_other"),
        ("test/caps/serialized/TestCap.test_other.input.pt", "TestCap.test_other"),
        ("test/dynamo_skips/TestMadeInALoop.test_cap", "TestCap.test_cap"),
    ],
)
def test_files_called_like_a_test(conn: sqlite3.Connection, path: str, test: str) -> None:
    answer = all_tools()["affected"].ask(
        conn, diff=f"diff --git a/{path} b/{path}\ndeleted file mode 100644\nindex e69de29..0000000\n"
    )  # fmt: skip
    (found,) = answer.tests
    assert (found.name, found.path) == (test, (f"{test} is what this file is called like",))
    with_dynamo = [note for note in answer.notes if "PYTORCH_TEST_WITH_DYNAMO=1" in note]
    assert bool(with_dynamo) == ("dynamo" in path)


@pytest.mark.parametrize(
    "path",
    [
        "test/dynamo_skips/TestElse.test_other",
        "test/dynamo_skips/TestElse.test_nothing",
        "torch/TestCap.test_cap",
    ],
)
def test_files_called_like_no_test(conn: sqlite3.Connection, path: str) -> None:
    diff = f"diff --git a/{path} b/{path}\nnew file mode 100644\nindex 0000000..e69de29\n"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert (answer.selected, answer.unseen) == (answer.by_name, (f"{path}: a new file",))
