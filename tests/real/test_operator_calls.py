"""What operators run, as recorded by torch itself, against what their kernels are said to call.

The facts in tests/data/operator-calls-2.6.0.json.xz were read by tests/data/read_operator_calls.py. An operator is
compared whose kernel is a composite one: of others the recordings have what runs in C++, far from the kernel.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

from tests.real.conftest import Real
from tests.unit.support.asking import text
from torchtalk.tools.kernels.operator_calls import operator_calls

FACTS = Path(__file__).resolve().parent.parent / "data" / "operator-calls-2.6.0.json.xz"
KERNELS = """
SELECT DISTINCT 'aten::' || o.base AS packet, k.function_id
FROM operators AS o
JOIN dispatch AS d ON d.operator_id = o.id AND d.dispatch_key GLOB 'Composite*'
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
WHERE o.namespace = 'aten'
  AND NOT EXISTS (SELECT 1 FROM operators AS x JOIN dispatch AS y ON y.operator_id = x.id
                  WHERE x.namespace = 'aten' AND x.base = o.base AND y.dispatch_key = 'CPU')
"""


def compared(real: Real) -> tuple[int, dict[str, list[str]]]:
    """How many pairs of an operator and one that it runs were recorded, and those that are not known."""
    recorded: dict[str, list[str]] = json.loads(lzma.decompress(FACTS.read_bytes()))
    kernels: dict[str, list[int]] = {}
    for packet, function in real.conn.execute(KERNELS):
        kernels.setdefault(packet, []).append(function)
    pairs = 0
    missing: dict[str, list[str]] = {}
    for packet, ran in recorded.items():
        if packet not in kernels:
            continue
        known = {row["packet"] for row in operator_calls(real.conn, kernels[packet])}
        pairs += len(ran)
        missing[packet] = [name for name in ran if name not in known]
    return pairs, {packet: names for packet, names in missing.items() if names}


def test_what_composite_kernels_run_is_known(new: Real) -> None:
    pairs, missing = compared(new)
    lost = [name for names in missing.values() for name in names]
    # The text does not know the types that `a * b` needs; libclang leaves 39 of all, 14 of those that are not common.
    signs = {f"aten::{name}" for name in ("add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge", "neg")}  # fmt: skip
    assert (pairs, len(lost), len([name for name in lost if name not in signs])) == (893, 141, 60)


def test_no_family_of_functions_is_cut_off(new: Real) -> None:
    """Of these the recordings have nothing that trace does not show, by itself or below what it shows."""
    _, missing = compared(new)
    for packet in ("matmul", "einsum", "conv2d", "grid_sampler", "stft", "tensordot", "multilabel_margin_loss"):  # fmt: skip
        assert f"aten::{packet}" not in missing


def test_trace_leads_from_a_composite_operator_to_its_gpu_kernels(new: Real) -> None:
    lines = text(new.conn, "trace", name="aten::grid_sampler")
    first = next(
        n for n, line in enumerate(lines) if line.startswith("    calls aten::grid_sampler_3d")
    )
    assert lines[first : first + 4] == [
        "    calls aten::grid_sampler_3d  at aten/src/ATen/native/GridSampler.cpp:1062",
        "      CPU -> at::native::grid_sampler_3d_cpu  aten/src/ATen/native/GridSampler.cpp:961",
        "      CUDA -> at::native::grid_sampler_3d_cuda  aten/src/ATen/native/cuda/GridSampler.cpp:31",
        "        launches at::native::grid_sampler_3d_kernel  aten/src/ATen/native/cuda/GridSampler.cu:156"
        "  at aten/src/ATen/native/cuda/GridSampler.cu:814, 825",
    ]


def test_trace_of_the_older_tree_leads_on_too(old: Real) -> None:
    lines = text(old.conn, "trace", name="torch.nn.functional.softmax")
    assert (
        "      CUDA -> at::native::softmax_cuda_out  aten/src/ATen/native/cuda/SoftMax.cu:935"
        "  via aten::_softmax.out  [delegate]"
    ) in lines


def test_trace_ends_at_libraries(real: Real) -> None:
    places = {
        "2.6.0": ("815, 828, 841, 856, 980", "1311, 416"),
        "1.13.1": ("341, 354, 368, 385, 541", "744"),
    }
    file = "aten/src/ATen/cuda/CUDABlas.cpp"
    blas, lt = places[real.version]
    lines = text(real.conn, "trace", name="aten::addmm.out")
    assert (
        "    calls cuBLAS: cublasDgemm, cublasSgemm, cublasZgemm, cublasCgemm, cublasGemmEx"
        f"  at {file}:{blas}"
    ) in lines
    assert f"    calls cuBLASLt: cublasLtMatmul  at {file}:{lt}" in lines
    for line in lines:
        if line.strip().startswith("calls cuBLAS"):
            path, _, numbers = line.split("  at ")[1].split(" if ")[0].partition(":")
            for number in numbers.split(", "):
                assert "cublas" in real.line(path, int(number))


def test_trace_leads_from_collectives_to_the_backends(new: Real) -> None:
    """`all_reduce` runs c10d::allreduce_ by what pybind11 binds; its kernels call a virtual method of the backend."""
    folder = "torch/csrc/distributed/c10d/"
    rows = new.conn.execute(
        "SELECT operator FROM v_python_api WHERE api = 'torch.distributed.all_reduce' ORDER BY 1"
    )
    assert [operator for (operator,) in rows] == ["aten::view_as_real", "c10d::allreduce_"]
    lines = text(new.conn, "trace", name="torch.distributed.all_reduce")
    assert lines[0].startswith("torch.distributed.all_reduce reaches c10d::allreduce_, ")
    (at,) = (
        number for number, line in enumerate(lines)
        if line.startswith("    calls ") and f"{folder}Ops.cpp:183: one of" in line
    )  # fmt: skip
    below = lines[at + 1 : at + 8]
    assert f"      c10d::ProcessGroupGloo::allreduce  {folder}ProcessGroupGloo.cpp:1498" in below
    assert f"      c10d::ProcessGroupNCCL::allreduce  {folder}ProcessGroupNCCL.cpp:3832" in below
