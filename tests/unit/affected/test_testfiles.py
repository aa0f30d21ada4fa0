"""Changes in test files: new, deleted, renamed and moved tests, and what changes all of a file's."""

from __future__ import annotations

import difflib
import hashlib
import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

OLD = """\
import torch
from torch.testing._internal.common_utils import TestCase

LIMIT = 3


def helper():
    return 1


class TestWarp(TestCase):
    def test_one(self):
        helper()

    def test_two(self):
        pass


class TestWeft(TestCase):
    def test_one(self):
        pass
"""
GTEST = "#include <gtest/gtest.h>\n\nTEST(Warp, One) {\n  f();\n}\n"
PATH = "test/test_warp.py"
CPP = "test/cpp/api/warp.cpp"
SHARED = "torch/testing/_internal/distributed/shared_test.py"
WOOL = "torch/wool.py"
BASE = {
    SHARED: "LIMIT = 3\n\n\nclass Shared:\n    def test_shared(self):\n        pass\n",
    "test/test_spawn.py": (
        "from torch.testing._internal.common_utils import TestCase\n"
        "from torch.testing._internal.distributed.shared_test import Shared\n"
        "from torch.wool import spin\n\n\n"
        "class TestSpawn(TestCase, Shared):\n    def test_spin(self):\n        spin()\n"
    ),
    WOOL: "def spin():\n    return 1\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    CPP: GTEST,
}
ADDED = OLD.replace("    def test_two", "    def test_new(self):\n        pass\n\n    def test_two")


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed({**BASE, PATH: OLD}, tmp_path_factory.mktemp("old")) as connection:
        yield connection


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """The index of the tree after a test was added."""
    with indexed({**BASE, PATH: ADDED}, tmp_path_factory.mktemp("new")) as connection:
        yield connection


def _blob(text: str) -> str:
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()[:10]


def _diff(old: str, new: str, path: str = PATH, to: str = "", context: int = 0) -> str:
    lines = (text.splitlines(keepends=True) for text in (old, new))
    hunks = "".join(difflib.unified_diff(*lines, f"a/{path}", f"b/{to or path}", n=context))
    renames = f"rename from {path}\nrename to {to}\n" if to else ""
    head = f"diff --git a/{path} b/{to or path}\n{renames}"
    return f"{head}index {_blob(old)}..{_blob(new)} 100644\n{hunks}"


def _names(answer: AffectedAnswer) -> list[str]:
    return [test.name for test in answer.tests]


@pytest.mark.parametrize("context", [0, 3])
@pytest.mark.parametrize("is_plain", [False, True])
def test_a_new_test_is_selected_by_its_name(
    conn: sqlite3.Connection, after: sqlite3.Connection, context: int, is_plain: bool
) -> None:
    diff = _diff(OLD, ADDED, context=context)
    if is_plain:
        # Without git's ids nothing tells which side the index has.
        diff = diff[diff.index("--- ") :]
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert (_names(answer), answer.commands) == (["test_new"], (f"pytest {PATH} -k test_new",))
    assert answer.tests[0].path == ("new in this diff",)
    assert answer.tests[0].place.line == ADDED.splitlines().index("    def test_new(self):") + 1
    if not is_plain:
        assert _names(all_tools()["affected"].ask(after, diff=diff)) == ["TestWarp.test_new"]


def test_a_new_test_of_another_tests_name(conn: sqlite3.Connection) -> None:
    new = OLD + "\n    def test_two(self):\n        pass\n"
    assert _names(all_tools()["affected"].ask(conn, diff=_diff(OLD, new))) == ["test_two"]


def test_a_new_class_changes_none_of_the_others(conn: sqlite3.Connection) -> None:
    new = OLD + "\n\n@slow\nclass TestWoof(TestCase):\n    def test_woof(self):\n        pass\n"
    assert _names(all_tools()["affected"].ask(conn, diff=_diff(OLD, new))) == ["test_woof"]


@pytest.mark.parametrize("context", [0, 3])
def test_a_deleted_test_is_named_in_no_command(conn: sqlite3.Connection, context: int) -> None:
    new = OLD.replace("    def test_two(self):\n        pass\n\n", "\n")
    answer = all_tools()["affected"].ask(conn, diff=_diff(OLD, new, context=context))
    assert (answer.tests, answer.changed, answer.commands) == ((), (), ())
    assert answer.notes == (f"{PATH}: test_two deleted",)


def test_a_renamed_test_goes_by_its_new_name(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff(OLD, OLD.replace("test_two", "test_too")))
    assert answer.commands == (f"pytest {PATH} -k test_too",)


def test_a_moved_test_is_still_there(conn: sqlite3.Connection) -> None:
    body = "    def test_two(self):\n        pass\n\n"
    new = OLD.replace(body, "").replace("    def test_one", f"{body}    def test_one", 1)
    answer = all_tools()["affected"].ask(conn, diff=_diff(OLD, new))
    assert "TestWarp.test_two" in _names(answer)
    assert not answer.notes


@pytest.mark.parametrize(
    ("old", "new", "is_whole"),
    [
        ("LIMIT = 3", "LIMIT = 4", True),
        ("import torch\n", "import torch\nimport os\n", True),
        ("LIMIT = 3", "LIMIT = 3\n# Why.", False),
        ("LIMIT = 3", "LIMIT = 3\n\n\ndef other():\n    pass", False),
    ],
)
def test_a_line_of_the_module_is_all_its_tests(
    conn: sqlite3.Connection, old: str, new: str, is_whole: bool
) -> None:
    answer = all_tools()["affected"].ask(
        conn, diff=_diff(OLD, OLD.replace(old, new, 1)), max_tests=1
    )
    assert answer.commands == ((f"pytest {PATH}",) if is_whole else ())
    if is_whole:
        assert _names(answer) == ["all 3 tests"]
        assert answer.selected == 3


def test_new_files(conn: sqlite3.Connection) -> None:
    text = "import torch\n\n\ndef test_fresh():\n    pass\n"
    for path in ("test/test_fresh.py", "elsewhere/fresh.py"):
        added = "".join(f"+{line}\n" for line in text.splitlines())
        diff = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,5 @@\n{added}"
        answer = all_tools()["affected"].ask(conn, diff=diff)
        assert answer.commands == (f"pytest {path}",)
        assert answer.tests[0].path == ("a new file",)
        assert not answer.unseen
    diff = "--- /dev/null\n+++ b/torch/fresh.py\n@@ -0,0 +1 @@\n+x = 1\n"
    assert all_tools()["affected"].ask(conn, diff=diff).unseen == ("torch/fresh.py: a new file",)


def test_a_new_file_that_the_index_has(conn: sqlite3.Connection) -> None:
    added = "".join(f"+{line}\n" for line in OLD.splitlines())
    diff = f"--- /dev/null\n+++ b/{PATH}\n@@ -0,0 +1,{OLD.count(chr(10))} @@\n{added}"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert (answer.commands, answer.selected) == ((f"pytest {PATH}",), 3)


def test_a_deleted_file(conn: sqlite3.Connection) -> None:
    removed = "".join(f"-{line}\n" for line in OLD.splitlines())
    diff = f"--- a/{PATH}\n+++ /dev/null\n@@ -1,{OLD.count(chr(10))} +0,0 @@\n{removed}"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert (answer.tests, answer.notes) == ((), (f"{PATH}: deleted",))


def test_tests_that_another_file_runs(conn: sqlite3.Connection) -> None:
    """What stands in the package is no file that pytest finds tests in."""
    old = BASE[SHARED]
    answer = all_tools()["affected"].ask(conn, diff=_diff(old, old.replace("3", "4"), SHARED))
    assert answer.commands == ("pytest test/test_spawn.py",)
    assert answer.tests[0].path == (
        f"has the tests of {SHARED}: 1 changed line outside of its tests",
    )
    new = old + "\n    def test_new(self):\n        pass\n"
    answer = all_tools()["affected"].ask(conn, diff=_diff(old, new, SHARED))
    assert answer.commands == ("pytest test/test_spawn.py -k test_new",)


def test_a_new_file_of_gtests(conn: sqlite3.Connection) -> None:
    path = CPP.replace("warp", "woof")
    added = "".join(f"+{line}\n" for line in GTEST.splitlines())
    answer = all_tools()["affected"].ask(
        conn, diff=f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,5 @@\n{added}"
    )
    assert answer.commands == ("build/bin/test_api --gtest_filter='*Warp*.One*'",)
    assert answer.unseen == ()


def test_who_uses_a_renamed_file(conn: sqlite3.Connection) -> None:
    to = "torch/yarn.py"
    head = (
        f"diff --git a/{WOOL} b/{to}\nsimilarity index 100%\nrename from {WOOL}\nrename to {to}\n"
    )
    answer = all_tools()["affected"].ask(conn, diff=head)
    assert (_names(answer), answer.notes) == (
        ["TestSpawn.test_spin"],
        (f"{WOOL}: renamed to {to}, no line changed",),
    )


def test_a_renamed_file(conn: sqlite3.Connection) -> None:
    to = "test/test_wrap.py"
    answer = all_tools()["affected"].ask(
        conn, diff=_diff(OLD, OLD.replace("return 1", "return 2"), to=to)
    )
    assert answer.tests
    assert {test.place.file for test in answer.tests} == {to}
    assert all(PATH not in command for command in answer.commands)
    head = (
        f"diff --git a/{PATH} b/{to}\nsimilarity index 100%\nrename from {PATH}\nrename to {to}\n"
    )
    answer = all_tools()["affected"].ask(conn, diff=head)
    assert (answer.commands, answer.selected) == ((f"pytest {to}",), 3)
    assert answer.notes == (f"{PATH}: renamed to {to}, no line changed",)
    mode = f"diff --git a/{PATH} b/{PATH}\nold mode 100644\nnew mode 100755\n"
    (note,) = all_tools()["affected"].ask(conn, diff=mode).notes
    assert note.startswith(f"{PATH}: no line changed")


def test_gtests(conn: sqlite3.Connection) -> None:
    new = GTEST + "\nTEST_F(Weft, Two) {\n  g();\n}\n"
    answer = all_tools()["affected"].ask(conn, diff=_diff(GTEST, new, CPP))
    assert answer.commands == ("build/bin/test_api --gtest_filter='*Weft*.Two*'",)
    answer = all_tools()["affected"].ask(
        conn, diff=_diff(GTEST, GTEST.replace("Warp, One", "Warp, Won"), CPP)
    )
    assert _names(answer) == ["Warp.Won"]
