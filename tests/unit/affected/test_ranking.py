"""What a test counts besides the way to it: names like what changed, folders like its own, devices that are others."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.choice.elsewhere import (
    backend_of,
    device_of,
    is_of_backend,
    leads_elsewhere,
    names_of,
    runs_elsewhere,
    runs_on_few,
    runs_other_backend,
)
from torchtalk.affected.choice.home import NONE, OF_FOLDER, OF_FOLDERS, OF_NEAR, Homes
from torchtalk.db import connect
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_HEAD = "from torch.testing._internal.common_utils import TestCase\n"
_CUDA = f"{_NATIVE}/cuda/Warp.cu"
_STUB = f"{_NATIVE}/cpu/WarpKernel.cpp"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  dispatch:\n    CPU: warp_cpu\n    CUDA: warp_cuda\n"
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    _CUDA: "namespace at::native {\nTensor warp_cuda(const Tensor& self) {\n  return self;\n}\n}\n",
    f"{_NATIVE}/Warp.h": "namespace at::native {\nusing fn = void (*)(int);\nDECLARE_DISPATCH(fn, warp_stub)\n}\n",
    f"{_NATIVE}/Warp.cpp": (
        "#include <ATen/native/Warp.h>\nnamespace at::native {\nDEFINE_DISPATCH(warp_stub);\n"
        "Tensor warp_cpu(const Tensor& self) {\n  warp_stub(kCPU, 1);\n  return self;\n}\n}\n"
    ),
    _STUB: (
        "#include <ATen/native/Warp.h>\nnamespace at::native {\nvoid warp_kernel(int a) { a++; }\n"
        "REGISTER_DISPATCH(warp_stub, &warp_kernel)\nvoid other(int a) { a++; }\n}\n"
    ),
    "torch/__init__.py": "",
    "torch/load/pin.py": "def pin_it(x):\n    return x\n",
    "torch/load/fold.py": "def simplify(x):\n    return x\n\n\ndef fold(x):\n    return x\n",
    "test/test_folds.py": (
        f"from torch.load.fold import fold, simplify\n{_HEAD}class TestFolds(TestCase):\n"
        "    def test_a(self):\n        fold(1)\n        simplify(1)\n"
        "    def test_fold(self):\n        fold(1)\n        simplify(1)\n"
        "    def test_simplify(self):\n        fold(1)\n        simplify(1)\n"
    ),
    "torch/tensor/parallel/style.py": "def plan(x):\n    return x\n",
    "torch/_pickler.py": "class Pickler:\n    def load(self):\n        pass\n",
    "torch/sharing/reduce.py": "def rebuild(x):\n    return x\n\n\ndef build(x):\n    return rebuild(x)\n",
    "torch/remote.py": (
        "from torch.sharing.reduce import build\n\n\ndef send(x):\n    return build(x)\n\n\n"
        "def ask(x):\n    return send(x)\n\n\ndef call(x):\n    return ask(x)\n"
    ),
    "test/test_far.py": (
        f"from torch.remote import call\n{_HEAD}class TestFar(TestCase):\n"
        "    def test_case(self):\n        call(1)\n"
    ),
    "test/test_sharing.py": _HEAD
    + "class TestSharing(TestCase):\n    def test_it(self):\n        pass\n",
    "test/test_torch.py": _HEAD
    + "class TestTorch(TestCase):\n    def test_it(self):\n        pass\n",
    "torch/testing/_internal/makers.py": "def make(x):\n    return x\n",
    "torch/testing/_internal/common_loom.py": (
        "from torch.testing._internal.makers import make\n\n\ndef loom():\n    return make(1)\n"
    ),
    "test/test_common_loom.py": _HEAD
    + "class TestLoom(TestCase):\n    def test_it(self):\n        pass\n",
    "test/test_made.py": (
        f"from torch.testing._internal.makers import make\n{_HEAD}class TestMade(TestCase):\n"
        "    def test_it(self):\n        make(1)\n"
    ),
    "torch/testing/_pair.py": "class Pair:\n    def same(self):\n        pass\n",
    "test/test_testing.py": _HEAD
    + "class TestIt(TestCase):\n    def test_it(self):\n        pass\n",
    "torch/saving.py": "from torch import _pickler\n\n\ndef load():\n    return _pickler\n",
    "test/test_saving.py": _HEAD
    + "class TestSaving(TestCase):\n    def test_it(self):\n        pass\n",
    **{
        f"test/{name}.py": (
            f"import torch\n{_HEAD}class Test{number}(TestCase):\n    def test_warp(self):\n        torch.warp(1)\n"
        )
        for number, name in enumerate(
            ("test_xpu", "test_of_mkldnn", "test_cuda_and_xpu", "test_warps")
        )
    },
    "test/test_zones.py": (
        "import torch\nfrom torch.testing._internal.common_device_type import instantiate_device_type_tests\n"
        f"{_HEAD}class TestZones(TestCase):\n    def test_warp(self, device):\n        torch.warp(device)\n"
        "instantiate_device_type_tests(TestZones, globals())\n"
    ),
    "test/test_pins.py": (
        f"from torch.load.pin import pin_it\n{_HEAD}class TestPins(TestCase):\n"
        "    def test_a(self):\n        pin_it(1)\n    def test_pin_it_twice(self):\n        pin_it(1)\n"
    ),
    **{
        f"test/{name}.py": (
            f"from torch.tensor.parallel.style import plan\n{_HEAD}class Test{number}(TestCase):\n"
            "    def test_plan(self):\n        plan(1)\n"
        )
        for number, name in enumerate(
            ("a/test_a", "tensor/test_b", "tensor/parallel/test_c", "tensor/parallel/test_tp_style")
        )
    },
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("nearer")) as connection:
        yield connection


def _diff(path: str, line: int) -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-a\n+b\n"


def test_tests_of_other_devices_are_not_chosen(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff(_CUDA, 3))
    assert {test.place.file for test in answer.tests} == {
        "test/test_cuda_and_xpu.py", "test/test_warps.py", "test/test_zones.py",
    }  # fmt: skip
    # Of those that are as much about the operator the one that is made for each device comes first.
    assert answer.tests[0].place.file == "test/test_zones.py"


def test_what_all_devices_run_has_the_tests_of_all(conn: sqlite3.Connection) -> None:
    """So has a diff of which a part is for all of them."""
    diff = _diff(_CUDA, 3) + _diff(f"{_NATIVE}/Warp.cpp", 5)
    answer = all_tools()["affected"].ask(conn, diff=diff)
    files = [test.place.file for test in answer.tests]
    assert {"test/test_xpu.py", "test/test_of_mkldnn.py"} <= set(files)
    # What few machines have comes after what runs on all.
    assert files.index("test/test_xpu.py") > files.index("test/test_warps.py")
    assert files.index("test/test_of_mkldnn.py") < files.index("test/test_xpu.py")


@pytest.mark.parametrize(
    ("path", "device"),
    [
        ("aten/src/ATen/native/cuda/Loops.cuh", "cuda"),
        ("c10/cuda/CUDACachingAllocator.cpp", "cuda"),
        ("aten/src/ATen/native/mps/operations/Pooling.mm", "mps"),
        ("aten/src/ATen/native/Pool.h", ""),
        ("test/cpp/cuda/test_x.cu", ""),
    ],
)
def test_the_device_of_a_file(path: str, device: str) -> None:
    assert device_of(path) == device


def test_nothing_runs_elsewhere_of_what_has_no_device() -> None:
    assert not runs_elsewhere([], names_of("test/test_mps.py", "test mps"))
    assert not runs_elsewhere(["cuda", ""], names_of("test/test_mps.py", "test mps"))
    assert runs_elsewhere(["cuda"], names_of("test/test_mps.py", "test mps"))


@pytest.mark.parametrize(
    ("backends", "words", "is_other", "is_own"),
    [
        (["gloo"], "test gloo", False, True),
        (["gloo"], "test nccl", True, False),
        (["gloo", "nccl"], "test nccl", False, False),
        (["gloo", ""], "test nccl", False, False),
        ([""], "", False, False),
        ([], "test nccl", False, False),
        (["ucc"], "test", False, False),
    ],
)
def test_a_backend_of_what_processes_talk_by(
    backends: list[str], words: str, is_other: bool, is_own: bool
) -> None:
    assert runs_other_backend(backends, names_of("test/test_c10d.py", words)) == is_other
    assert is_of_backend(backends, names_of("test/test_c10d.py", words)) == is_own


@pytest.mark.parametrize(
    ("path", "backend"),
    [
        ("torch/csrc/distributed/c10d/ProcessGroupGloo.cpp", "gloo"),
        ("torch/csrc/distributed/c10d/UCCTracing.hpp", "ucc"),
        ("torch/csrc/distributed/c10d/NCCLUtils.cpp", "nccl"),
        ("torch/csrc/distributed/c10d/Backend.hpp", ""),
        ("test/distributed/test_c10d_nccl.py", ""),
    ],
)
def test_the_backend_of_a_file(path: str, backend: str) -> None:
    assert backend_of(path) == backend


def test_what_leads_to_a_test_by_the_code_of_another_device() -> None:
    def leads(way: list[str], path: str, words: str) -> bool:
        return leads_elsewhere(way, path, names_of(path, words))

    way = ["c10/util/Gauge.cpp", "c10/cuda/CUDACachingAllocator.cpp"]
    xpu = "c10/xpu/test/impl/XPUTest.cpp"
    assert leads(way, xpu, "xpu test")
    # The test's own body is no code of a device.
    assert leads([*way, xpu], xpu, "xpu test")
    assert not leads(way, "test/test_cuda.py", "test cuda")
    assert not leads([*way, "c10/xpu/XPUStream.cpp"], "test/test_xpu.py", "test xpu")
    assert not leads(way[:1], "test/test_xpu.py", "test xpu")
    assert leads(["torch/csrc/c10d/ProcessGroupMPI.cpp"], "test/test_gloo.py", "test")


def test_what_leads_to_a_test_may_be_of_its_device() -> None:
    assert runs_on_few(["aten/src/ATen/native/Warp.cpp"], names_of("test/test_mps.py", "test mps"))
    assert not runs_on_few(
        ["aten/src/ATen/detail/MPSHooksInterface.h"], names_of("test/test_mps.py", "")
    )
    assert not runs_on_few(["aten::warp\tmps"], names_of("test/test_mps.py", "test mps"))
    assert not runs_on_few(
        ["aten/src/ATen/native/Warp.cpp"], names_of("test/test_cuda.py", "test cuda")
    )


def test_a_test_that_is_called_like_what_changed_comes_first(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff("torch/load/pin.py", 2))
    assert [test.name for test in answer.tests] == [
        "TestPins.test_pin_it_twice", "TestPins.test_a",
    ]  # fmt: skip


def test_one_word_says_it_less_surely_and_a_short_one_nothing(conn: sqlite3.Connection) -> None:
    folded, simplified = (
        all_tools()["affected"].ask(conn, diff=_diff("torch/load/fold.py", line)).tests
        for line in (6, 2)
    )
    assert simplified[0].name == "TestFolds.test_simplify"
    assert simplified[0].weight > simplified[1].weight
    assert len({test.weight for test in folded}) == 1


def test_the_nearer_a_folder_the_sooner(conn: sqlite3.Connection) -> None:
    path = "torch/tensor/parallel/style.py"
    answer = all_tools()["affected"].ask(conn, diff=_diff(path, 2))
    assert [test.place.file for test in answer.tests] == [
        "test/tensor/parallel/test_tp_style.py", "test/tensor/parallel/test_c.py",
        "test/tensor/test_b.py", "test/a/test_a.py",
    ]  # fmt: skip
    homes = Homes(conn)
    assert [homes.factor(path, test.place.file or "") for test in answer.tests] == [
        OF_NEAR, OF_FOLDERS, OF_FOLDER, NONE,
    ]  # fmt: skip
    assert (
        homes.factor("torch/utils/cpp_extension.py", "test/test_cpp_extensions_jit.py") == OF_NEAR
    )


@pytest.mark.parametrize(
    ("changed", "test", "factor"),
    [
        # What is called like the folder is there for it, and a device's folder is one where no other tells.
        ("torch/csrc/weaving/loom.cpp", "test/test_weaving.py", OF_FOLDERS),
        ("torch/csrc/weaving/loom.cpp", "test/other/test_weaving.py", OF_FOLDER),
        ("c10/cuda/Allocator.cpp", "test/test_cuda.py", OF_FOLDERS),
        ("c10/cuda/Allocator.cpp", "test/test_pins.py", NONE),
        ("aten/src/ATen/native/cuda/Warp.cu", "test/test_cuda.py", NONE),
        ("torch/csrc/weaving/cuda/loom.cpp", "test/test_cuda.py", NONE),
    ],
)
def test_files_that_are_called_like_a_folder(
    conn: sqlite3.Connection, changed: str, test: str, factor: float
) -> None:
    assert Homes(conn).factor(changed, test) == factor


@pytest.mark.parametrize(
    ("changed", "test", "is_elsewhere"),
    [
        ("torch/tensor/parallel/style.py", "test/a/test_a.py", True),
        ("torch/tensor/parallel/style.py", "test/tensor/test_b.py", False),
        # Another ending, a folder that says nothing, and a part that has no tests of its own.
        ("aten/src/ATen/tensors/style.cpp", "test/tensor/test_b.py", False),
        ("torch/tensor/parallel/style.py", "test/test_pins.py", False),
        ("torch/load/pin.py", "test/a/test_a.py", False),
    ],
)
def test_other_parts_come_after_where_the_own_one_has_tests(
    conn: sqlite3.Connection, changed: str, test: str, is_elsewhere: bool
) -> None:
    assert Homes(conn).is_elsewhere(changed, test) == is_elsewhere


def test_a_test_of_another_part_counts_less(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff("torch/tensor/parallel/style.py", 2))
    weights = {test.place.file: test.weight for test in answer.tests}
    assert weights["test/a/test_a.py"] < 0.6 < weights["test/tensor/test_b.py"]


def test_what_leads_nowhere_has_the_tests_of_what_imports_it(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff("torch/_pickler.py", 3))
    (test,) = answer.tests
    assert (test.name, test.path) == (
        "TestSaving.test_it",
        (
            "by name only: torch/_pickler.py",
            "in tests of torch/saving.py, which imports it",
        ),
    )


def test_where_hardly_any_test_is_reached_from_afar_names_tell(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff("torch/sharing/reduce.py", 2))
    assert [test.name for test in answer.tests] == ["TestSharing.test_it", "TestFar.test_case"]
    assert answer.by_name == 1


def test_what_tests_are_made_of_has_those_that_use_it_alone(conn: sqlite3.Connection) -> None:
    """common_modules.py imports common_methods_invocations.py, whose OpInfos test_modules.py has nothing to do with."""
    answer = all_tools()["affected"].ask(conn, diff=_diff("torch/testing/_internal/makers.py", 2))
    assert [test.place.file for test in answer.tests] == ["test/test_made.py"]


def test_a_folder_that_says_little_has_what_is_called_as_it_is(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff("torch/testing/_pair.py", 3))
    assert [test.place.file for test in answer.tests] == ["test/test_testing.py"]


def test_a_line_that_registers_a_kernel_is_the_stub_alone(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """As libclang has it, the macro makes a variable that is called alike for all stubs, and stands above another."""
    with indexed(_FILES, tmp_path_factory.mktemp("stub")) as own:
        (path,) = own.execute("SELECT file FROM pragma_database_list").fetchone()
        with closing(sqlite3.connect(path)) as writable, writable:
            (kernel,) = writable.execute(
                "SELECT file_id FROM functions WHERE name = 'at::native::warp_kernel'"
            ).fetchone()
            writable.execute(
                "INSERT INTO functions (id, name, kind, head, file_id, line, end_line, is_exact)"
                " SELECT max(id) + 1, 'at::native::DispatchStub::DEFAULT', 'variable', '', ?, 4, 4, 1"
                " FROM functions",
                (kernel,),
            )
        with closing(connect(Path(path))) as again:
            answer = all_tools()["affected"].ask(again, diff=_diff(_STUB, 4))
    assert [(one.kind, one.name) for one in answer.changed] == [("stub", "at::native::warp_stub")]
