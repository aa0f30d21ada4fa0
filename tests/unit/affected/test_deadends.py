"""What leads to no test is said for each file, with tests that are only called like it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.render import to_text
from torchtalk.tools import all_tools

NATIVE = "aten/src/ATen/native"
PATH = "torch/csrc/weaving/loom_shuttle.cpp"
SHORT = "torch/csrc/weaving/warp.cpp"
FILES = {
    f"{NATIVE}/native_functions.yaml": (
        "- func: weft(Tensor self) -> Tensor\n  variants: function\n  dispatch:\n    CPU: weft_cpu\n"
    ),
    f"{NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{NATIVE}/Weft.cpp": (
        "namespace at::native {\nTensor weft_cpu(const Tensor& self) { return self; }\n"
        "void nobody_calls_it() {}\n}\n"
    ),
    "torch/_knit/needles/purl.py": "class PurlStitch:\n    def call_yarn(self):\n        return 1\n",
    "test/knit/test_all.py": (
        "from torch.testing._internal.common_utils import TestCase\n"
        "class TestAll(TestCase):\n    def test_yarn(self):\n        pass\n"
        "    def test_needle(self):\n        pass\n"
    ),
    "test/knit/conftest.py": "def pytest_addoption(parser):\n    pass\n",
    "test/test_yarn.py": (
        "from torch.testing._internal.common_utils import TestCase\n"
        "class TestElsewhere(TestCase):\n    def test_yarn(self):\n        pass\n"
    ),
    PATH: "void throw_shuttle() {}\nvoid catch_shuttle() {}\n",
    SHORT: "void warp_thread() {}\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "test/test_loom.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
        "class TestLoom(TestCase):\n    def test_shuttle(self):\n        pass\n"
        "    def test_weaving_warp(self):\n        pass\n"
        "    def test_weft(self):\n        torch.weft(1)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("ends")) as connection:
        yield connection


def _changed(
    conn: sqlite3.Connection, path: str, *lines: int, form: str = "text"
) -> AffectedAnswer:
    hunks = "".join(f"@@ -{line} +{line} @@\n-a\n+b\n" for line in lines)
    return all_tools()["affected"].ask(conn, diff=f"--- a/{path}\n+++ b/{path}\n{hunks}", form=form)


def test_a_file_that_leads_nowhere(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, PATH, 1, 2)
    assert answer.notes == (f"{PATH}: 2 of 2 changed things lead to no test that is known",)
    # Of test_loom.py first what has more words of it.
    assert [named.name for named in answer.tests] == [
        "TestLoom.test_shuttle", "TestLoom.test_weaving_warp", "TestLoom.test_weft",
    ]  # fmt: skip
    assert (answer.by_name, answer.selected, answer.reached) == (3, 3, 0)
    assert answer.tests[0].path == (
        f"by name only: {PATH}", "its file is called like it", "named like shuttle",
    )  # fmt: skip
    assert answer.commands == (
        "pytest test/test_loom.py -k 'TestLoom and (test_shuttle or test_weaving_warp or test_weft)'",
    )
    assert "no test is known to be reached: 3 tests by name only" in answer.finding
    text = to_text(answer)
    assert (
        f"by name only: {PATH} -> its file is called like it -> named like shuttle\n  TestLoom.test_sh"
        in text
    )


def test_a_short_name_is_told_by_its_folder(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, SHORT, 1)
    assert [guess.name for guess in answer.guesses] == ["TestLoom.test_weaving_warp"]


def test_tests_by_name_are_looked_for_at_home(conn: sqlite3.Connection) -> None:
    """By the words of what changed, in the folder that is called like the package."""
    first, second = _changed(conn, "torch/_knit/needles/purl.py", 3).tests
    assert (first.name, first.path[1:]) == (
        "TestAll.test_yarn",
        ("in tests of knit", "named like yarn"),
    )
    assert (second.name, second.path[1:]) == ("TestAll.test_needle", ("in tests of knit",))


def test_what_all_classes_of_a_folder_have_says_nothing(tmp_path: Path) -> None:
    """torch/_dynamo/variables/: each class is a Variable, and has a call_method."""
    stitches = ["Purl", "Rib", "Cable", "Moss", "Garter", "Seed"]
    files = {
        f"torch/_knit/needles/{name.lower()}.py": (
            f"class {name}Stitch:\n    def call_method(self):\n        return 1\n"
        )
        for name in stitches
    }
    files["test/knit/test_all.py"] = (
        "from torch.testing._internal.common_utils import TestCase\n"
        "class TestAll(TestCase):\n"
        + "".join(
            f"    def test_{name}(self):\n        pass\n"
            for name in ("stitch", "call_method", "garterbelt", "garter", "ribbon", "rib")
        )
    )
    with indexed({**FILES, **files}, tmp_path) as conn:
        garter = _changed(conn, "torch/_knit/needles/garter.py", 3).tests
        rib = _changed(conn, "torch/_knit/needles/rib.py", 3).tests
    assert [test.path[2:] for test in garter] == [("named like garter",), (), (), (), (), ()]
    assert (garter[0].name, rib[0].name) == ("TestAll.test_garter", "TestAll.test_rib")


def test_what_makes_code_may_be_noticed_by_any_test(tmp_path: Path) -> None:
    """tools/autograd/ is what autograd's bindings are made by, and its tests are not those of autograd."""
    path = "tools/autograd/gen_things.py"
    files = {
        path: "def gen_yarn():\n    return 1\n",
        "test/autograd/test_yarn.py": FILES["test/test_yarn.py"],
    }
    with indexed({**FILES, **files}, tmp_path) as conn:
        answer = _changed(conn, path, 2)
    assert f"{path}: makes code when PyTorch is built: any test may notice" in answer.notes
    assert not answer.guesses
    assert not answer.by_name


def test_of_a_name_that_leads_nowhere_tests_at_home_are_run(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(
        conn, names="torch._knit.needles.purl.PurlStitch.call_yarn"
    )
    assert [named.name for named in answer.tests] == ["TestAll.test_yarn", "TestAll.test_needle"]


def test_what_pytest_reads_for_all_tests_of_a_folder(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, "test/knit/conftest.py", 2)
    assert (
        "test/knit/conftest.py: pytest reads it before all tests below test/knit/" in answer.notes
    )


def test_guesses_are_comments_of_a_script(conn: sqlite3.Connection) -> None:
    lines = to_text(_changed(conn, SHORT, 1, form="commands")).splitlines()
    assert all(line.startswith("# ") for line in lines)
    assert any(line.startswith("# by name only: ") for line in lines)


def test_of_a_file_some_of_which_leads_to_tests_nothing_is_guessed(
    conn: sqlite3.Connection,
) -> None:
    answer = _changed(conn, f"{NATIVE}/Weft.cpp", 2, 3)
    assert [test.name for test in answer.tests] == ["TestLoom.test_weft"]
    assert answer.notes == (
        f"{NATIVE}/Weft.cpp: 1 of 2 changed things leads to no test that is known",
    )
    assert not answer.guesses


def test_what_leads_to_the_same_tests_as_another_is_no_dead_end(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(
        conn, names="aten::weft at::native::weft_cpu nobody_calls_it"
    )
    assert answer.notes == ("at::native::nobody_calls_it leads to no test that is known",)


def test_who_imports_a_file_that_leads_nowhere(tmp_path: Path) -> None:
    """What is made of it while a file runs is not seen; that it is imported is."""
    path = "torch/testing/_internal/common_loom.py"
    files = {
        f"{NATIVE}/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n",
        "version.txt": "2.6.0\n",
        "torch/__init__.py": "",
        path: "class Loom:\n    def run(self):\n        return 1\n",
        **{
            f"test/test_{name}.py": (
                f"from torch.testing._internal.common_loom {line}\n"
                "from torch.testing._internal.common_utils import TestCase\n"
                "class TestIt(TestCase):\n    def test_it(self):\n        pass\n"
            )
            for name, line in (("a", "import Loom"), ("b", "import *"))
        },
    }
    with indexed(files, tmp_path) as conn:
        answer = _changed(conn, path, 3)
    assert answer.selected == answer.by_name == 2
    assert f"{path}: imported by test/test_a.py, test/test_b.py" in answer.notes


def test_a_file_whose_weak_ways_others_share_is_asked_for_by_name_too(tmp_path: Path) -> None:
    test = "from torch.testing._internal.common_utils import TestCase\n"
    inner, outer = "torch/_knit/selvage.py", "torch/_knit/cord.py"
    cords = "".join(f"def cord{n}():\n    return cord{n - 1}()\n" for n in range(1, 14))
    files = {
        **FILES,
        inner: "def hem():\n    return 1\n",
        outer: f"from torch._knit.selvage import hem\ndef cord0():\n    return hem()\n{cords}",
        "test/test_rope.py": (
            f"from torch._knit.cord import cord13\n{test}"
            "class TestRope(TestCase):\n    def test_rope(self):\n        cord13()\n"
        ),
        "test/knit/test_edges.py": f"{test}class TestEdge(TestCase):\n    def test_hem(self):\n        pass\n",
    }
    with indexed(files, tmp_path) as conn:
        hunk = "@@ -{0} +{0} @@\n-    return 0\n+    return 1\n"
        one = f"--- a/{inner}\n+++ b/{inner}\n{hunk.format(2)}"
        two = f"--- a/{outer}\n+++ b/{outer}\n{hunk.format(3)}"
        alone = all_tools()["affected"].ask(conn, diff=one)
        both = all_tools()["affected"].ask(conn, diff=one + two)
    for answer in (alone, both):
        edge = next(test for test in answer.tests if test.name == "TestEdge.test_hem")
        assert edge.path[0] == f"by name only: {inner}"


def test_what_very_many_use_any_test_may_notice(
    conn: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _changed(conn, f"{NATIVE}/Weft.cpp", 2).notes == ()
    monkeypatch.setattr("torchtalk.affected.choice.deadends._ANY", 0)
    assert not any("users" in note for note in _changed(conn, PATH, 1).notes)
    notes = _changed(conn, f"{NATIVE}/Weft.cpp", 2).notes
    assert notes[-1] == "at::native::weft_cpu has 1 users: any test may notice"


def test_a_template_makes_code(tmp_path: Path) -> None:
    path = "tools/autograd/templates/warp.cpp"
    with indexed({**FILES, path: "#include <a.h>\n$ops_headers\n"}, tmp_path) as conn:
        notes = _changed(conn, path, 2).notes
    assert f"{path}: makes code when PyTorch is built: any test may notice" in notes
