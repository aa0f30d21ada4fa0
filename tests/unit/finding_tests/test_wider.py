"""find_similar_tests of what few tests use by its own name: by heirs, helpers, bodies, options and several names."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.answers.tests import SimilarTestsAnswer
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_API = "torch/csrc/api/include/torch/nn"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: fold(Tensor self) -> Tensor\n  dispatch:\n    CPU: fold_cpu\n\n"
        "- func: bend(Tensor self) -> Tensor\n  dispatch:\n    CPU: bend_cpu\n"
    ),
    "torch/__init__.py": "from torch import masked\n",
    "torch/masked/__init__.py": "import torch\ndef fold(x):\n    return torch.fold(x)\n",
    "torch/func/__init__.py": "def fold_and_bend(f):\n    return f\n",
    "functorch/__init__.py": "def fold_and_bend(f):\n    return f\n",
    "torch/utils/__init__.py": "",
    "torch/utils/data/__init__.py": (
        "from torch.utils.data.dataset import Loader, Stream\n__all__ = ['Loader', 'Stream']\n"
    ),
    "torch/utils/data/dataset.py": (
        "class Stream:\n    pass\nclass Loader:\n    def no_sync(self):\n        pass\n"
    ),
    "torch/utils/_config_module.py": "def install_config_module(module):\n    pass\n",
    "torch/_dynamo/config.py": (
        "import sys\nfrom torch.utils._config_module import install_config_module\n"
        "fold_all_outputs = False\nfold_none = False\ninstall_config_module(sys.modules[__name__])\n"
    ),
    f"{_API}/modules/fold.h": (
        "namespace torch::nn {\nclass FoldImpl {\n public:\n  int forward(int a) { return a; }\n};\n"
        "TORCH_MODULE(Fold);\n}\n"
    ),
    "torch/csrc/autograd/custom.h": (
        "namespace torch::autograd {\nstruct Context {\n  void keep_for_backward(int a) { a++; }\n};\n}\n"
    ),
    "torch/csrc/reduce.h": "namespace c10d {\nstruct Reducer {\n  void finish() {}\n};\nvoid run_all();\n}\n",
    "torch/csrc/reduce.cpp": (
        "#include <torch/csrc/reduce.h>\nnamespace c10d {\nvoid run_all() {\n  Reducer reducer;\n  reducer.finish();\n}\n"
        "void initReduce(PyObject* module) {\n  auto m = py::handle(module).cast<py::module>();\n"
        '  m.def("_run_all", &run_all);\n}\n}\n'
    ),
    "torch/csrc/Module.cpp": (
        "namespace c10d { void initReduce(PyObject* module); }\nPyObject* initModule() {\n"
        '  static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, {}};\n'
        "  PyObject* module = PyModule_Create(&def);\n  c10d::initReduce(module);\n  return module;\n}\n"
    ),
    "test/test_reduced.py": (
        "import torch\nimport unittest\nclass TestReducers(unittest.TestCase):\n"
        "    def test_max(self):\n        pass\n"
        "class TestIt(unittest.TestCase):\n    def test_all(self):\n        torch._C._run_all()\n"
    ),
    "torch/nn/attention/__init__.py": "",
    "torch/nn/attention/fold.py": "def attend(x):\n    return x\n",
    "test/test_attention.py": (
        "from torch.nn.attention.fold import attend\nimport unittest\nclass TestAttend(unittest.TestCase):\n"
        "    def test_it(self):\n        attend(1)\n"
    ),
    "torch/testing/_internal/opinfo/core.py": "class OpInfo:\n    pass\n",
    "torch/testing/_internal/common_methods_invocations.py": (
        "from torch.testing._internal.opinfo.core import OpInfo\n"
        "op_db = [OpInfo('fold'), OpInfo('masked.fold')]\n"
    ),
    "test/test_ops.py": (
        "import torch\n"
        "from torch.testing._internal.common_device_type import ops, instantiate_device_type_tests\n"
        "from torch.testing._internal.common_methods_invocations import op_db\n"
        "from torch.testing._internal.common_utils import TestCase\n"
        "class TestOps(TestCase):\n    @ops(op_db)\n    def test_all(self, device, op):\n        pass\n"
        "    def test_one(self):\n        torch.fold(1)\n"
        "instantiate_device_type_tests(TestOps, globals())\n"
    ),
    "test/test_data.py": (
        "import torch\nimport unittest\nfrom torch.utils.data import Loader, Stream\n"
        "class Counting(Stream):\n    pass\nclass CountingMore(Counting):\n    pass\n"
        "def run_it():\n    Loader().no_sync()\n"
        "class TestData(unittest.TestCase):\n"
        "    def test_all(self):\n        CountingMore()\n"
        "    def test_helped(self):\n        run_it()\n"
        "    def test_loader_no_more_sync(self):\n        pass\n"
        "    def test_keep(self):\n        self.ctx.keep_for_backward(1)\n"
        "    def test_keep_for_backward_twice(self):\n        pass\n"
    ),
    "test/test_func.py": (
        "import torch\nimport unittest\nfrom torch.func import fold_and_bend\n"
        "class TestFunc(unittest.TestCase):\n    def test_it(self):\n        fold_and_bend(1)\n"
        "    def test_other(self):\n        import functorch\n        functorch.fold_and_bend(1)\n"
    ),
    "test/dynamo/test_misc.py": (
        "import torch\nimport unittest\nclass TestMisc(unittest.TestCase):\n"
        "    @torch._dynamo.config.patch(fold_all_outputs=True)\n    def test_decorated(self):\n        pass\n"
        "    @torch._dynamo.config.patch(no_fold_all_outputs=True)\n    def test_of_another(self):\n        pass\n"
        "    def test_set(self):\n        torch._dynamo.config.fold_all_outputs = True\n"
    ),
    "test/cpp/api/modules.cpp": (
        "#include <gtest/gtest.h>\nTEST(ModulesTest, Fold) {}\nTEST(ModulesTest, FoldTwice) {}\n"
        "TEST(ModulesTest, Folded) {}\n"
    ),
    "test/cpp/jit/test_fold.cpp": "#include <gtest/gtest.h>\nTEST(JitTest, Fold) {}\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("wider")) as connection:
        yield connection


def _asked(conn: sqlite3.Connection, query: str) -> SimilarTestsAnswer:
    answer = all_tools()["find_similar_tests"].ask(conn, query=query)
    assert isinstance(answer, SimilarTestsAnswer)
    return answer


def _found(conn: sqlite3.Connection, query: str) -> dict[str, str]:
    return {hit.name: hit.why[0] for hit in _asked(conn, query).hits}


def test_a_class_has_the_tests_of_what_tests_derive_from_it(conn: sqlite3.Connection) -> None:
    found = _found(conn, "Stream")
    assert found["TestData.test_all"] == "uses a class that derives from torch.utils.data.Stream"


def test_a_class_has_the_tests_whose_helpers_use_it(conn: sqlite3.Connection) -> None:
    found = _found(conn, "torch.utils.data.Loader")
    assert found["TestData.test_helped"] == "a helper of it uses torch.utils.data.Loader"


def test_two_names_are_looked_for_each_as_a_whole(conn: sqlite3.Connection) -> None:
    """The words of both stand apart in another test's name, which comes behind what uses both."""
    answer = _asked(conn, "Loader no_sync")
    assert [hit.name for hit in answer.hits] == [
        "TestData.test_helped",
        "TestData.test_loader_no_more_sync",
    ]


def test_what_is_called_on_a_value_is_found_in_bodies(conn: sqlite3.Connection) -> None:
    answer = _asked(conn, "keep_for_backward")
    assert answer.subject == "torch::autograd::Context::keep_for_backward"
    assert [(hit.name, hit.why[0]) for hit in answer.hits] == [
        ("TestData.test_keep_for_backward_twice", "named keep for backward"),
        ("TestData.test_keep", "its body has keep_for_backward"),
    ]


def test_a_name_of_two_functions_has_the_tests_of_both(conn: sqlite3.Connection) -> None:
    answer = _asked(conn, "fold_and_bend")
    assert {hit.name for hit in answer.hits} >= {"TestFunc.test_it", "TestFunc.test_other"}
    assert answer.notes[0] == (
        "fold_and_bend could be: functorch.fold_and_bend, torch.func.fold_and_bend; these are of all of them"
    )


@pytest.mark.parametrize(
    "query",
    ["torch._dynamo.config.fold_all_outputs", "config.fold_all_outputs", "fold_all_outputs"],
)
def test_an_option_has_the_tests_that_set_it(conn: sqlite3.Connection, query: str) -> None:
    answer = _asked(conn, query)
    assert answer.finding == "torch._dynamo.config.fold_all_outputs: 2 tests"
    assert [(hit.name, hit.why[0]) for hit in answer.hits] == [
        ("TestMisc.test_decorated", "its decorators set it"),
        ("TestMisc.test_set", "its body has fold_all_outputs"),
    ]


def test_an_option_that_no_test_sets_is_known(conn: sqlite3.Connection) -> None:
    answer = _asked(conn, "torch._dynamo.config.fold_none")
    assert answer.finding == "no test was found for torch._dynamo.config.fold_none"
    assert answer.notes[0].startswith("torch._dynamo.config.fold_none is an option")


def test_an_entry_of_the_full_name_comes_first(conn: sqlite3.Connection) -> None:
    assert [hit.name for hit in _asked(conn, "torch.masked.fold").hits[:2]] == [
        "masked.fold",
        "fold",
    ]


def test_a_wrong_name_of_an_operator_has_its_tests_too(conn: sqlite3.Connection) -> None:
    """The entries are those of its end, and none of its tests were there."""
    answer = _asked(conn, "at::native::fold")
    assert answer.finding.startswith("aten::fold: ")
    assert answer.notes[:2] == (
        "nothing in the index is called at::native::fold",
        "these are of aten::fold",
    )
    assert "TestOps.test_one" in {hit.name for hit in answer.hits}


def test_a_holder_has_the_tests_of_its_name(conn: sqlite3.Connection) -> None:
    found = _found(conn, "torch::nn::Fold")
    assert {"ModulesTest.Fold", "ModulesTest.FoldTwice"} <= set(found)
    assert not {"ModulesTest.Folded", "JitTest.Fold"} & set(found)


def test_a_class_of_cpp_has_the_tests_that_its_callers_lead_to(conn: sqlite3.Connection) -> None:
    """One with its word in another form is about something else."""
    (hit,) = _asked(conn, "c10d::Reducer").hits
    assert (hit.name, hit.why) == (
        "TestIt.test_all",
        ("leads to c10d::Reducer in 3 steps, by torch._C._run_all",),
    )


def test_a_module_that_is_called_like_an_entry_has_the_tests_of_what_stands_in_it(
    conn: sqlite3.Connection,
) -> None:
    answer = _asked(conn, "torch.nn.attention.fold")
    assert answer.counts["entries"]
    assert "TestAttend.test_it" in {hit.name for hit in answer.hits}
