"""GPU kernels and launches of whole trees, held against a grep of their own."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from tests.real.conftest import Real
from tests.real.cpp_grep import occurrences
from torchtalk.tools import all_tools

COUNTS = {
    # version: `<<<` in code, of them in macro definitions; `__global__` functions outside of them
    "2.6.0": (427, 27, 781),
    "1.13.1": (890, 57, 758),
}


def test_every_launch_of_the_tree_is_accounted_for(real: Real) -> None:
    found = list(occurrences(real.root, r"<<<", "<<<"))
    written = sorted((path, line) for path, line, _, in_define in found if not in_define)
    in_macros = sorted((path, line) for path, line, _, in_define in found if in_define)
    assert (len(found), len(in_macros)) == COUNTS[real.version][:2]
    sql = (
        "SELECT f.path, l.line FROM launches AS l JOIN source_files AS f ON f.id = l.file_id"
        " WHERE l.kind = 'launch' AND {} ORDER BY 1, 2"
    )
    rows = real.conn.execute(sql.format("l.macro IS NULL")).fetchall()
    assert [tuple(row) for row in rows] == written
    rows = real.conn.execute(sql.format("l.in_definition")).fetchall()
    assert [tuple(row) for row in rows] == in_macros


def test_every_global_function_is_accounted_for(real: Real) -> None:
    found = [
        (path, line) for path, line, _, in_define in occurrences(real.root, r"\b__global__\b", "__global__")
        if not in_define
    ]  # fmt: skip
    rows = real.conn.execute(
        "SELECT f.path, k.line FROM kernels AS k JOIN source_files AS f ON f.id = k.file_id"
        " WHERE k.platform = 'cuda' AND k.macro IS NULL ORDER BY 1, 2"
    ).fetchall()
    kernels = [tuple(row) for row in rows]
    assert len(kernels) == COUNTS[real.version][2]
    for path, line in found:
        near = [k for k in kernels if k[0] == path and line <= k[1] <= line + 12]
        assert near, (path, line)
    names = real.conn.execute(
        "SELECT DISTINCT name FROM kernels WHERE platform = 'cuda'"
    ).fetchall()
    for (name,) in names:
        assert not re.search(r"launch_bounds|LAUNCH_BOUNDS|__attribute__|\(|\s", name), name


def test_every_shader_of_vulkan_that_is_asked_for_is_there(real: Real) -> None:
    found = occurrences(real.root, r"\bVK_KERNEL\(", "VK_KERNEL")
    written = sorted((path, line) for path, line, _, in_define in found if not in_define)
    rows = real.conn.execute(
        "SELECT f.path, l.line, lk.kernel_id, l.launcher_id FROM launches AS l"
        " JOIN source_files AS f ON f.id = l.file_id"
        " LEFT JOIN launch_kernels AS lk ON lk.launch_id = l.id AND lk.is_primary"
        " WHERE l.platform = 'vulkan' ORDER BY 1, 2"
    ).fetchall()
    assert [tuple(row)[:2] for row in rows] == written
    assert len(written) == {"2.6.0": 167, "1.13.1": 79}[real.version]
    assert all(row["kernel_id"] and row["launcher_id"] for row in rows)


def test_kernels_stand_where_they_are_said_to(real: Real) -> None:
    rows = real.conn.execute(
        # Each of Vulkan's shaders is a function `main`, called like its file.
        "SELECT CASE k.platform WHEN 'vulkan' THEN 'main' ELSE k.function END, f.path, k.line"
        " FROM kernels AS k JOIN source_files AS f ON f.id = k.file_id"
        " WHERE k.macro IS NULL AND instr(k.function, '*') = 0 AND (k.platform <> 'vulkan' OR k.is_definition)"
        " ORDER BY f.path, k.line"
    ).fetchall()
    wrong = [tuple(row) for row in rows if row[0] not in real.line(row[1], row[2])]
    assert not wrong


def test_variants_of_shaders_stand_where_they_are_said_to(real: Real) -> None:
    rows = real.conn.execute(
        "SELECT k.name, f.path, k.line FROM kernels AS k JOIN source_files AS f ON f.id = k.file_id"
        " WHERE k.platform = 'vulkan' AND NOT k.is_definition"
    ).fetchall()
    assert len(rows) == {"2.6.0": 31, "1.13.1": 0}[real.version]
    for name, path, line in rows:
        entry = [real.line(path, line + more).strip() for more in range(3)]
        variant = entry[0].removeprefix("- NAME: ")
        assert variant != entry[0]
        # A variant may be registered for an operation besides.
        assert name.startswith(variant) or f'["{name}"' in " ".join(entry[1:])


def test_share_of_launches_with_a_kernel(real: Real) -> None:
    total, located = real.conn.execute(
        "SELECT count(*), count(kernel_line) FROM v_launches AS v WHERE EXISTS ("
        " SELECT 1 FROM launches AS l JOIN source_files AS f ON f.id = l.file_id"
        " WHERE l.kind = 'launch' AND f.path = v.file AND l.line = v.line)"
    ).fetchone()
    assert located / total > 0.985


def test_every_launch_in_code_has_a_launcher(real: Real) -> None:
    total, named, known = real.conn.execute(
        "SELECT count(*), sum(launcher <> ''), count(launcher_id) FROM launches"
        " WHERE kind = 'launch' AND NOT in_definition"
    ).fetchone()
    assert named == total
    assert known / total > 0.99


@pytest.mark.parametrize(
    ("kernel", "launcher", "place", "kernel_place", "grid", "block"),
    [
        (
            "at::native::vectorized_layer_norm_kernel", "at::native::launch_vectorized_layer_norm_kernel",
            "aten/src/ATen/native/cuda/layer_norm_kernel.cu:751",
            "aten/src/ATen/native/cuda/layer_norm_kernel.cu:300", "blocks", "threads",
        ),
        (
            "at::native::vectorized_elementwise_kernel", "at::native::launch_vectorized_kernel",
            "aten/src/ATen/native/cuda/CUDALoops.cuh:159", "aten/src/ATen/native/cuda/CUDALoops.cuh:92",
            "grid", "num_threads()",
        ),
    ],
)  # fmt: skip
def test_known_launches(
    new: Real, kernel: str, launcher: str, place: str, kernel_place: str, grid: str, block: str
) -> None:
    rows = new.conn.execute(
        "SELECT kernel, launcher, kernel_file || ':' || kernel_line, platform FROM v_launches"
        " WHERE file || ':' || line = ?",
        (place,),
    ).fetchall()
    assert [tuple(row) for row in rows] == [(kernel, launcher, kernel_place, "cuda")]
    file, _, line = place.rpartition(":")
    row = new.conn.execute(
        "SELECT l.grid, l.block FROM launches AS l JOIN source_files AS f ON f.id = l.file_id"
        " WHERE f.path = ? AND l.line = ?",
        (file, int(line)),
    ).fetchone()
    assert tuple(row) == (grid, block)


@pytest.mark.parametrize(
    ("file", "line", "kernel"),
    [
        # By what their accessors are of, by the number of arguments, and of template arguments.
        ("ReplicationPadding.cu", 526, 65), ("ReplicationPadding.cu", 295, 118), ("ReplicationPadding.cu", 409, 186),
        ("Normalization.cuh", 881, 568), ("Normalization.cuh", 929, 546), ("AveragePool3d.cu", 424, 36),
    ],
)  # fmt: skip
def test_the_overload_of_a_kernel(new: Real, file: str, line: int, kernel: int) -> None:
    path = f"aten/src/ATen/native/cuda/{file}"
    found = new.conn.execute(
        "SELECT kernel_line FROM v_launches WHERE file = ? AND line = ?", (path, line)
    )
    assert [row["kernel_line"] for row in found] == [kernel]


def test_a_variable_is_followed_to_its_kernel(new: Real) -> None:
    rows = new.conn.execute(
        "SELECT DISTINCT l.kernel, l.variable FROM launches AS l JOIN source_files AS f ON f.id = l.file_id"
        " WHERE f.path LIKE '%flash_fwd_launch_template.h' AND l.variable = 'kernel' AND l.kind = 'launch' ORDER BY 1"
    ).fetchall()
    assert [tuple(row) for row in rows] == [
        ("pytorch_flash::flash_fwd_kernel", "kernel"),
        ("pytorch_flash::flash_fwd_splitkv_kernel", "kernel"),
    ]


def test_metal(new: Real) -> None:
    counts = dict(
        new.conn.execute(
            "SELECT CASE WHEN embedded THEN 'embedded' ELSE 'file' END, count(*) FROM kernels"
            " WHERE platform = 'metal' GROUP BY 1"
        ).fetchall()
    )
    assert counts == {"embedded": 63, "file": 232}
    rows = new.conn.execute(
        "SELECT kernel, kernel_file, kernel_line FROM v_launches WHERE file LIKE '%operations/Quantized.mm'"
        " ORDER BY line, kernel"
    ).fetchall()
    metal = "aten/src/ATen/native/mps/kernels/Quantized.metal"
    assert [tuple(row) for row in rows] == [
        ("weight_to_int4pack", metal, 36),
        ("int4pack_mm_*_*", metal, 119),
        ("int8pack_mv_*", metal, 570),
        ("large_m_int8pack_mm_*", metal, 292),
    ]
    # Through a function of the same file that gets the name as a parameter.
    row = new.conn.execute(
        "SELECT launcher, kernel_file FROM v_launches WHERE kernel = 'fmax_*'"
    ).fetchone()
    assert tuple(row) == (
        "at::native::fmax_mps_kernel",
        "aten/src/ATen/native/mps/kernels/BinaryKernel.metal",
    )


def test_no_metal_kernel_of_the_library_is_left_without_a_lookup(new: Real) -> None:
    rows = new.conn.execute(
        "SELECT DISTINCT k.function FROM kernels AS k JOIN source_files AS f ON f.id = k.file_id"
        " WHERE f.path LIKE '%.metal' AND NOT EXISTS (SELECT 1 FROM launch_kernels AS lk"
        " JOIN kernels AS o ON o.id = lk.kernel_id WHERE o.function = k.function AND o.file_id = k.file_id)"
    ).fetchall()
    assert [row[0] for row in rows] == []


def test_every_instance_of_a_metal_kernel_has_a_launch(new: Real) -> None:
    names = [
        name
        for (name,) in new.conn.execute(
            "SELECT DISTINCT name FROM kernels WHERE platform = 'metal' AND NOT is_definition"
        )
    ]
    assert len(names) == 194
    ask = all_tools()["cuda_kernels"].ask
    assert [name for name in names if not ask(new.conn, name=name).sites] == []


def test_every_foreach_operator_launches(real: Real) -> None:
    """Their kernels are made by macros, each of which ends at multi_tensor_apply."""
    rows = real.conn.execute(
        "SELECT DISTINCT o.base FROM operators AS o JOIN dispatch AS d ON d.operator_id = o.id"
        " WHERE o.base GLOB '_foreach_*' AND o.namespace = 'aten' AND d.dispatch_key = 'CUDA'"
    ).fetchall()
    assert len(rows) == {"2.6.0": 88, "1.13.1": 74}[real.version]
    without = []
    for (base,) in rows:
        answer = all_tools()["trace"].run(real.conn, name=base, focus="dispatch")
        without += [
            overload.operator
            for overload in answer.overloads
            for line in overload.dispatch
            if "CUDA" in line.keys and not any(r.kind == "launch" for r in line.reached)
        ]
    assert not without


def test_what_a_macro_s_expansion_calls(new: Real) -> None:
    rows = new.conn.execute(
        "SELECT c.callee, u.file, c.line, c.origin FROM v_calls AS c JOIN v_functions AS u ON u.id = c.callee_id"
        " WHERE c.caller = 'at::native::foreach_tensor_pow_list_kernel_cuda_' AND c.kind = 'call'"
    ).fetchall()
    native = "aten/src/ATen/native"
    assert {tuple(row) for row in rows} == {
        ("at::native::all_types_complex_half_bfloat16_", f"{native}/cuda/ForeachBinaryOpList.cu", 251, "macro"),
        ("at::native::foreach_tensor_pow_list_kernel_slow_", f"{native}/ForeachOpsKernels.cpp", 251, "macro"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("file", "line", "header"),
    [("attention.cu", 1383, "cutlassF.h"), ("attention_backward.cu", 745, "cutlassB.h")],
)
def test_kernels_that_a_lambda_is_called_with(new: Real, file: str, line: int, header: str) -> None:
    folder = "aten/src/ATen/native/transformers/cuda"
    written = (new.root / folder / "mem_eff_attention/kernels" / header).read_text()
    rows = new.conn.execute(
        "SELECT DISTINCT k.function, k.is_definition FROM launch_kernels AS x JOIN launches AS l ON l.id = x.launch_id"
        " JOIN kernels AS k ON k.id = x.kernel_id JOIN source_files AS f ON f.id = l.file_id"
        " WHERE f.path = ? AND l.line = ?", (f"{folder}/{file}", line),
    ).fetchall()  # fmt: skip
    assert {row[0] for row in rows} == set(re.findall(r"\bcb\(.*, (fmha_\w+)\);", written))
    assert all(row[1] for row in rows)  # the header declares them


def test_every_adapter_is_launched(real: Real) -> None:
    named = re.compile(
        r"(?:using|auto) \w+ =\s*(?:typename )?((?:cutlass|ck)::\w+::device::\w+)<[^;{]*>(?:;|\{\};)"
    )
    written = {
        (path.relative_to(real.root).as_posix(), name)
        for pattern in ("*.cu", "*.cuh", "*.h", "*.hip")
        for folder in ("aten/src/ATen/native", "torch/csrc")
        for path in (real.root / folder).rglob(pattern)
        for name in named.findall(path.read_text(errors="replace"))
        if "::Default" not in name
    }
    rows = real.conn.execute(
        "SELECT DISTINCT f.path, l.kernel FROM launches AS l JOIN source_files AS f ON f.id = l.file_id"
        " WHERE l.kernel GLOB '*::device::*' AND l.kind = 'library'"
    )
    assert {tuple(row) for row in rows} == written
    assert len(written) == {"2.6.0": 8, "1.13.1": 0}[real.version]


# What nothing in the tree calls, and what only a virtual call behind an unknown value does.
_BEHIND_NO_OPERATOR = frozenset(
    "max_unpooling2d_backward_out_cuda max_unpooling3d_backward_out_cuda clamp_kernel_cuda clamp_max_kernel_cuda"
    " clamp_min_kernel_cuda".split()
)


def test_every_launch_is_behind_an_operator(real: Real) -> None:
    below: dict[int, set[int]] = defaultdict(set)
    for caller, callee in real.conn.execute(
        "SELECT c.caller_id, c.callee_id FROM calls AS c LEFT JOIN ambiguous_calls AS a"
        " ON a.callee_id = c.callee_id AND a.caller_id = c.caller_id"
        " WHERE c.kind <> 'candidate' OR a.caller_id IS NULL"
        " UNION SELECT source >> 4, target >> 4 FROM edges JOIN edge_kinds AS k ON k.id = kind_id AND k.kind = 'template'"
        " UNION SELECT s.function_id, r.function_id FROM stub_callers AS s JOIN stub_registrations AS r USING (stub)"
    ):
        below[caller].add(callee)
    reached = {n for (n,) in real.conn.execute("SELECT function_id FROM dispatch_kernels")}
    ahead = list(reached)
    while ahead:
        found = below[ahead.pop()] - reached
        reached |= found
        ahead += found
    rows = real.conn.execute(
        "SELECT l.launcher_id, l.launcher FROM launches AS l JOIN source_files AS f ON f.id = l.file_id"
        " WHERE f.path GLOB 'aten/src/ATen/native/*' AND l.platform = 'cuda' AND NOT l.in_definition"
    ).fetchall()
    left = {name.removeprefix("at::native::") for n, name in map(tuple, rows) if n not in reached}
    assert len(rows) == {"2.6.0": 1033, "1.13.1": 928}[real.version]
    assert (
        left - _BEHIND_NO_OPERATOR
        == {"2.6.0": set(), "1.13.1": {"_get_complete_sum"}}[real.version]
    )
    assert left >= _BEHIND_NO_OPERATOR


_KERNELS = "aten/src/ATen/native/quantized/cuda/AffineQuantizer.cu"
_QUANTIZERS = "aten/src/ATen/quantized/Quantizer.cpp"


def test_launches_are_found_behind_a_quantizer(real: Real) -> None:
    """`dequantize_quantized` calls a virtual method (aten/src/ATen/native/quantized/QTensor.cpp)."""
    trace, cuda_kernels = (all_tools()[name] for name in ("trace", "cuda_kernels"))
    overload = trace.ask(real.conn, name="aten::dequantize").overloads[0]
    (line,) = (line for line in overload.dispatch if "QuantizedCUDA" in line.keys)
    methods, kernels = {
        "2.6.0": ((294, 244, 207, 434), (213, 129, 68)),
        "1.13.1": ((292, 242, 205, 436), (204, 120, 59)),
    }[real.version]
    found = {
        (str(one.definition), str(kernel.definition))
        for one in line.reached
        for kernel in one.behind
        if kernel.backend == "CUDA"
    }
    assert [str(one.definition) for one in line.reached] == [f"{_QUANTIZERS}:{n}" for n in methods]
    assert found == {
        (f"{_QUANTIZERS}:{method}", f"{_KERNELS}:{kernel}")
        for method, kernel in zip(methods, kernels, strict=False)
    }
    sites = cuda_kernels.ask(real.conn, name="aten::dequantize").sites
    launching = [str(site.place) for site in sites if site.place.file == _KERNELS]
    lines = {"2.6.0": (80, 156, 240), "1.13.1": (71, 147, 231)}[real.version]
    assert launching == [f"{_KERNELS}:{n}" for n in lines]


def test_what_leads_to_a_launch_in_gpu_files(real: Real) -> None:
    """Held against a walk that looks at all calls: a kernel's way down is looked for among these alone."""
    conn = real.conn
    gpu = {
        n for (n, path, kind) in conn.execute(
            "SELECT u.id, f.path, f.kind FROM functions AS u JOIN source_files AS f ON f.id = u.file_id"
        )
        if kind in ("cuda", "objc") or any(part in path for part in ("/cuda/", "/mps/", "/vulkan/"))
    }  # fmt: skip
    closed = {n for (n,) in conn.execute("SELECT id FROM functions WHERE kind = 'constructor'")}
    closed |= {
        n
        for (n,) in conn.execute(
            "SELECT callee_id FROM launches WHERE callee_id IS NOT NULL AND kind <> 'library'"
        )
    }
    ambiguous = {
        tuple(row) for row in conn.execute("SELECT caller_id, callee_id FROM ambiguous_calls")
    }
    followed = ("call", "launch", "candidate", "reference")
    callers = defaultdict(set)
    for caller, callee, kind in conn.execute("SELECT caller_id, callee_id, kind FROM calls"):
        is_sure = kind != "candidate" or (caller, callee) not in ambiguous
        if kind in followed and is_sure and caller in gpu and callee not in closed:
            callers[callee].add(caller)
    for source, target in conn.execute(
        "SELECT source >> 4, target >> 4 FROM edges JOIN edge_kinds AS k ON k.id = kind_id"
        " WHERE k.kind = 'template' AND source & 15 = 0 AND target & 15 = 0"
    ):
        if source in gpu:
            callers[target].add(source)
    left = [n for (n,) in conn.execute("SELECT DISTINCT launcher_id FROM launches") if n in gpu]
    found = set(left)
    while left:
        new = callers[left.pop()] - found
        found |= new
        left += new
    kept = {n for (n,) in conn.execute("SELECT function_id FROM gpu_launching_functions")}
    assert kept == found
    assert len(kept) == {"2.6.0": 1661, "1.13.1": 2393}[real.version]
