"""Test files by the words of paths, for a file and its folder; how a budget is shared with what the graph finds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.choice.similar_names import OF_FOLDER, OWN, AlikeFiles
from torchtalk.affected.path_words import bare
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_HEAD = (
    "import torch\nfrom torch.testing._internal.common_utils import TestCase\nclass {}(TestCase):\n"
)
_TEST = "    def {}(self):\n        {}\n"


def _tests(name: str, *tests: str, body: str = "pass", head: str = "") -> str:
    return head + _HEAD.format(name) + "".join(_TEST.format(test, body) for test in tests)


_GTEST = "#include <gtest/gtest.h>\nTEST({}, Works) {{ f(1); }}\n"
_LOOM = "torch/csrc/distributed/c10d/ProcessGroupLoom.cpp"
_YARNS = ("test/test_yarn.py", "test/yarns/dyed/test_yarn.py")
FILES = {
    f"{_NATIVE}/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n  dispatch:\n    CPU: weft_cpu\n",
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{_NATIVE}/Weft.cpp": "namespace at::native {\nTensor weft_cpu(const Tensor& self) { return self; }\n}\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/_knit/convert.py": "def stitch():\n    return 1\n",
    "torch/_knit/common.py": "def purl():\n    return 1\n",
    "torch/utils/data/sampler.py": "def draw():\n    return 1\n",
    "torch/ao/quantize/observer.py": "def observe():\n    return 1\n",
    "torch/distributed/fold/_optim_utils.py": "def fold():\n    return 1\n",
    "torch/distributed/elastic/timer/api.py": "def tick():\n    return 1\n",
    "torch/distributed/elastic/meter/api.py": "def count():\n    return 1\n",
    "torch/_knit/passes/yarns.py": "def spin():\n    return 1\n",
    f"{_NATIVE}/Yarns.h": "inline int yarn() { return 1; }\n",
    "wool/utils/yarns.h": "inline int yarn() { return 2; }\n",
    "wool/utils/yarns_test.cc": _GTEST.format("YarnsTest"),
    "wool/python/shuttle_ply_test.py": (
        "from wool.testing import TestCase\n\n\nclass TestShuttlePly(TestCase):\n" + _TEST.format("test_ply", "pass")
    ),
    "aten/src/ATen/test/yarns_test.cpp": _GTEST.format("AtenYarnsTest"),
    "setup.py": "def main():\n    return 1\n",
    "torch/weaving/kit.py": "def weave():\n    return 1\n",
    _LOOM: "void weave() {}\n",
    "torch/csrc/jit/passes/freeze_loom.cpp": "void freeze() {}\n",
    "test/knit/test_misc.py": _tests("TestMisc", "test_one", "test_two", "test_stitch", "test_three"),
    "test/knit/test_export_things.py": _tests("TestExport", "test_one"),
    "test/knit/test_importer.py": _tests("TestImporter", "test_it", head="from torch._knit.common import purl\n"),
    "test/test_dataloader.py": _tests("TestDataLoader", "test_load"),
    "test/test_utils.py": _tests("TestUtils", "test_it"),
    "test/test_yarn.py": _tests("TestYarn", "test_it"),
    "test/distributed/elastic/timer/api_test.py": _tests("TestTimer", "test_tick"),
    "test/distributed/elastic/meter/api_test.py": _tests("TestMeter", "test_count"),
    "test/yarns/dyed/test_yarn.py": _tests("TestDyed", "test_it"),
    "tools/test/test_kit.py": _tests("TestKit", "test_it"),
    "test/quantization/test_all.py": _tests("TestAll", "test_observed"),
    "test/optim/test_optim.py": _tests("TestOptim", "test_sgd"),
    "test/distributed/fold/test_fold_optim_state.py": _tests("TestFold", "test_state"),
    "test/distributed/fold/test_sum_ops.py": _tests("TestSumOps", "test_sum"),
    "test/distributed/test_c10d_loom.py": _tests("TestLoom", "test_weft", "test_broadcast"),
    "test/cpp/c10d/ProcessGroupLoomTest.cpp": _GTEST.format("ProcessGroupLoomTest"),
    "test/cpp/c10d/OtherStoreTest.cpp": _GTEST.format("OtherStoreTest"),
    "test/cpp/api/optim.cpp": _GTEST.format("OptimTest"),
    "test/cpp/api/spindle.cpp": _GTEST.format("SpindleTest"),
    "test/jit/test_freezing.py": _tests("TestFreezing", "test_freeze"),
    "test/test_weft.py": _tests("TestWeft", *(f"test_{n}" for n in range(30)), body="torch.weft(1)"),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("alike")) as connection:
        yield connection


def _changed(conn: sqlite3.Connection, *paths: str, most: int = 50) -> AffectedAnswer:
    line = {f"{_NATIVE}/Weft.cpp": 2}
    diffs = (
        f"--- a/{path}\n+++ b/{path}\n@@ -{line.get(path, 1)} +1 @@\n-a\n+b\n" for path in paths
    )
    return all_tools()["affected"].ask(conn, diff="".join(diffs), max_tests=most)


@pytest.mark.parametrize(
    ("changed", "level", "first"),
    [
        # Words of the file's name and its folders', in a folder that fits.
        (_LOOM, OWN, "test/cpp/c10d/ProcessGroupLoomTest.cpp"),
        ("torch/csrc/jit/passes/freeze_loom.cpp", OWN, "test/jit/test_freezing.py"),
        # A word that says nothing alone is one of the name as well.
        ("torch/distributed/fold/_ops/_sum_ops.py", OWN, "test/distributed/fold/test_sum_ops.py"),
        # The folder, which more tests are about the more general they are called.
        ("torch/_knit/convert.py", OF_FOLDER, "test/knit/test_misc.py"),
        # Of two folders' the one that has the plain folder as well.
        ("torch/csrc/api/src/optim/lbfgs.cpp", OF_FOLDER, "test/cpp/api/optim.cpp"),
        # What is called just like it in the plain folder, whatever tests its other folders have.
        ("torch/csrc/api/src/optim/modules/spindle.cpp", OWN, "test/cpp/api/spindle.cpp"),
        # Its beginning, or another ending.
        ("torch/utils/data/sampler.py", OF_FOLDER, "test/test_dataloader.py"),
        ("torch/ao/quantize/observer.py", OF_FOLDER, "test/quantization/test_all.py"),
        # What is called like a folder that says nothing is about no file of it that has tests of its own.
        ("torch/utils/_yarn.py", OWN, "test/test_yarn.py"),
        ("torch/utils/fancy.py", OF_FOLDER, "test/test_utils.py"),
        # One of another folder is another's where the own one has tests.
        ("torch/distributed/fold/_optim_utils.py", OF_FOLDER, "test/distributed/fold/test_fold_optim_state.py"),
    ],
)  # fmt: skip
def test_the_best_file(conn: sqlite3.Connection, changed: str, level: int, first: str) -> None:
    best = AlikeFiles(conn).of(changed)[0]
    assert (best.path, best.level) == (first, level)


def test_more_than_one_file_is_called_so(conn: sqlite3.Connection) -> None:
    found = AlikeFiles(conn).of(_LOOM)
    own = {one.path for one in found if one.level == OWN}
    assert own == {"test/cpp/c10d/ProcessGroupLoomTest.cpp", "test/distributed/test_c10d_loom.py"}
    assert "test/cpp/c10d/OtherStoreTest.cpp" in {one.path for one in found}


@pytest.mark.parametrize(
    ("changed", "own"),
    [
        # What has the very folders of another source is about that one.
        ("torch/distributed/elastic/timer/api.py", {"test/distributed/elastic/timer/api_test.py"}),
        ("torch/distributed/elastic/meter/api.py", {"test/distributed/elastic/meter/api_test.py"}),
        # Of a part with tests of its own one word does not lead to the folder of another part.
        ("torch/_knit/passes/yarns.py", set()),
        # Nor are tests in C++ about it that stand beside their own source in another library.
        (f"{_NATIVE}/Yarns.h", {"aten/src/ATen/test/yarns_test.cpp", *_YARNS}),
        ("wool/utils/yarns.h", {"wool/utils/yarns_test.cc", _YARNS[1]}),
        # Nor are tests in Python that another library has and that import nothing of torch.
        ("torch/csrc/weaving/shuttle_ply.cpp", set()),
        ("wool/core/shuttle_ply.cpp", {"wool/python/shuttle_ply_test.py"}),
        # A name that says nothing tells of no part but its own, and not of the other language.
        ("torch/distributed/fold/api.py", set()),
        ("torch/csrc/weaving/utils.cpp", set()),
        # Nor are the tests of what builds PyTorch about it.
        ("torch/weaving/kit.py", set()),
    ],
)
def test_what_is_about_another_file(conn: sqlite3.Connection, changed: str, own: set[str]) -> None:
    assert {one.path for one in AlikeFiles(conn).of(changed) if one.level == OWN} == own


def test_what_builds_pytorch_is_said_to(conn: sqlite3.Connection) -> None:
    notes = _changed(conn, "setup.py").notes
    about = "how PyTorch is built: any test may notice, and none is known to be about it"
    assert [note for note in notes if "setup.py" in note] == [f"setup.py: {about}"]


def test_python_is_not_tested_in_cpp(conn: sqlite3.Connection) -> None:
    found = [
        one.path for one in AlikeFiles(conn).of("torch/distributed/c10d/process_group_loom.py")
    ]
    assert found[0] == "test/distributed/test_c10d_loom.py"
    assert not any(path.endswith(".cpp") for path in found)


def test_a_file_with_tests_is_not_looked_for(conn: sqlite3.Connection) -> None:
    assert AlikeFiles(conn).of("test/jit/test_freezing.py") == ()


def test_the_budget_is_filled_with_tests_of_the_folder(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, "torch/_knit/convert.py")
    assert answer.by_name == answer.selected == 6
    # Of a file's tests that with a word of what changed comes first.
    assert answer.tests[0].name == "TestMisc.test_stitch"
    assert all(test.weight < 0.05 for test in answer.tests)
    assert _changed(conn, "torch/_knit/convert.py", most=2).selected == 2


def test_who_imports_it_is_rather_about_it(conn: sqlite3.Connection) -> None:
    first = _changed(conn, "torch/_knit/common.py").tests[0]
    assert (first.name, first.path[1]) == ("TestImporter.test_it", "its file imports it")


def test_each_file_has_its_share(conn: sqlite3.Connection) -> None:
    """What leads to many tests leaves room for those of a file that leads to none."""
    answer = _changed(conn, f"{_NATIVE}/Weft.cpp", "torch/_knit/convert.py", most=12)
    assert answer.selected == 12
    assert answer.by_name == 3
    assert "3 by name only, the others of 31 that are reached" in answer.finding


def test_what_is_called_like_a_file_is_run_beside_what_it_leads_to(
    conn: sqlite3.Connection,
) -> None:
    """torch/csrc/jit/passes/peephole.cpp is called by C++ tests, and test/jit/test_peephole.py scripts models."""
    diff = "".join(
        f"--- a/{path}\n+++ b/{path}\n@@ -{line},1 +{line},1 @@\n-a\n+b\n"
        for path, line in ((f"{_NATIVE}/Weft.cpp", 2), (_LOOM, 1))
    )
    files = {
        test.place.file for test in all_tools()["affected"].ask(conn, diff=diff, max_tests=20).tests
    }
    assert {"test/test_weft.py", "test/distributed/test_c10d_loom.py"} <= files


def test_a_folder_of_several_words_is_that_of_tests_with_all_of_them(tmp_path: Path) -> None:
    changed = "torch/distributed/fold/_fully_knit/_fold_yarn.py"
    about = "test/distributed/_made/fold/test_fully_knit_init.py"
    files = {
        **FILES,
        changed: "def yarn():\n    return 1\n",
        "test/distributed/fold/test_fold_hooks.py": _tests(
            "TestHooks", *"test_a test_b test_c".split()
        ),
        "test/distributed/_knit/fold/test_knit.py": _tests("TestKnit", "test_a"),
        about: _tests("TestInit", "test_a"),
    }
    with indexed(files, tmp_path) as conn:
        found = [one.path for one in AlikeFiles(conn).of(changed) if one.level == OF_FOLDER]
    assert found[0] == about


def test_a_file_may_be_called_like_a_folder_of_several_words(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
        "version.txt": "2.6.0\n",
        "torch/nn/utils/_dyed_silk/warp_ways.py": "def dye():\n    return 1\n",
        "torch/_knit/silk_passes/warp.py": "def knit():\n    return 1\n",
        "torch/silk/passes.py": "def spin():\n    return 1\n",
        "test/test_nn.py": _tests("TestNN", "test_warp"),
        "test/test_dyed_silk.py": _tests("TestDyedSilk", "test_dye"),
        "test/test_silk_passes.py": _tests("TestSilkPasses", "test_it"),
        "test/knit/test_misc.py": _tests("TestMisc", "test_knit"),
    }
    with indexed(files, tmp_path) as conn:
        alike = AlikeFiles(conn)
        assert (
            alike.of("torch/nn/utils/_dyed_silk/warp_ways.py")[0].path == "test/test_dyed_silk.py"
        )
        assert alike.of_folder("torch/nn/utils/_dyed_silk/warp_ways.py") == (
            "test/test_dyed_silk.py",
        )
        # A folder in a part that has tests of its own is not what another's are about.
        changed = "torch/_knit/silk_passes/warp.py"
        assert [one.path for one in alike.of(changed)] == ["test/knit/test_misc.py"]
        assert alike.of_folder(changed) == ()


def test_a_module_s_name_of_one_word_is_that_of_many_things(tmp_path: Path) -> None:
    """test_against_reference_simple of test/functorch/ has nothing to do with functorch/dim/reference.py."""
    files = {
        **{path: text for path, text in FILES.items() if path.startswith(("aten", "torch/_", "v"))},
        "torch/_knit/dim/convert.py": "def _purl():\n    return 1\n",
        "test/knit/test_all.py": _tests("TestAll", *(f"test_{n}" for n in range(20))),
        "test/knit/test_simple.py": _tests("TestSimple", "test_convert_it", "test_other"),
    }
    with indexed(files, tmp_path) as conn:
        tests = _changed(conn, "torch/_knit/dim/convert.py").tests
    (named,) = [test for test in tests if test.name == "TestSimple.test_convert_it"]
    assert named.path[1:] == ("in tests of knit", "named like convert")


@pytest.mark.parametrize(
    ("changed", "is_alike"),
    [("c10/cuda/Pool.cpp", True), ("aten/src/ATen/native/cuda/Pool.cu", False)],
)
def test_kernels_are_not_what_the_devices_tests_are_about(
    tmp_path: Path, changed: str, is_alike: bool
) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
        "torch/__init__.py": "",
        "test/test_cuda.py": "import torch\n\ndef test_streams():\n    torch.cuda.current_stream()\n",
    }
    with indexed(files, tmp_path) as conn:
        assert [one.path for one in AlikeFiles(conn).of(changed)] == [
            "test/test_cuda.py"
        ] * is_alike


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("dims", "dim", True), ("fuse", "fused", True), ("indexing", "index", True),
        ("loss", "los", False), ("axis", "axi", False), ("bias", "bia", False),
    ],
)  # fmt: skip
def test_words_with_another_ending(one: str, other: str, same: bool) -> None:
    """functorch/dim/ is what test/functorch/test_dims.py is about."""
    assert (bare(one) == bare(other)) == same
