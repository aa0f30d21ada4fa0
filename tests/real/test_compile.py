"""Layer 6 on whole trees, against what torch 2.6.0 registers when it is imported.

The facts were read off torch by tests/data/read_compile_truth.py.
"""

from __future__ import annotations

import ast
import gzip
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.real.conftest import Real
from torchtalk.install.guides import guides_root
from torchtalk.install.reference import REFERENCE, reference
from torchtalk.render import to_text
from torchtalk.tools import all_tools

_TRUTH = Path(__file__).parents[1] / "data" / "compile-2.6.0.tsv.gz"

Rows = dict[str, tuple[str, ...]]


@pytest.fixture(scope="module")
def truth() -> dict[str, Rows]:
    found: dict[str, Rows] = {}
    for line in gzip.decompress(_TRUTH.read_bytes()).decode().splitlines()[1:]:
        kind, name, *rest = line.split("\t")
        found.setdefault(kind, {})[name] = tuple(rest)
    return found


def entries(real: Real, where: str) -> Rows:
    rows = real.conn.execute(
        "SELECT e.operator, e.function, f.path, e.function_line FROM compile_entries AS e"
        f" LEFT JOIN source_files AS f ON f.id = e.function_file_id WHERE {where} ORDER BY e.id"
    )
    return {row[0]: (row[1], row[2], str(row[3])) for row in rows}


def table(real: Real, name: str) -> set[str]:
    rows = real.conn.execute(
        "SELECT operator FROM compile_tables WHERE table_name = ? AND NOT removed", (name,)
    )
    return {operator for (operator,) in rows}


def differing(found: Rows, expected: Rows) -> list[str]:
    """Operators whose function or its place is another, where torch tells the place."""
    return [
        name for name, (function, path, line) in found.items()
        if name in expected and expected[name][1] and (function, path, line) != expected[name]
    ]  # fmt: skip


def test_decompositions(new: Real, truth: dict[str, Rows]) -> None:
    expected = truth["decomposition:post_autograd"]
    found = entries(
        new, "e.role = 'decomposition' AND e.table_name = 'post_autograd' AND NOT e.is_conditional"
    )
    assert set(found) == set(expected)
    # torch shows what an in-place variant or a copy of a view wraps; we name what is registered.
    others = differing(found, expected)
    assert len(others) < 0.15 * len(expected)
    assert all(
        found[name][0].endswith(("_", "_copy")) or ".<locals>." in found[name][0] for name in others
    )


def test_meta_table(new: Real, truth: dict[str, Rows]) -> None:
    found = entries(new, "e.role = 'meta' AND e.table_name = 'meta'")
    assert set(found) == set(truth["decomposition:meta"])
    assert differing(found, truth["decomposition:meta"]) == []


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("core_aten_post_autograd", "torch._decomp._core_aten_decompositions_post_autograd()"),
        ("core_aten", "torch._decomp.core_aten_decompositions()"),
        ("inductor", "torch._inductor.decomposition.decompositions"),
        ("random", "torch._decomp.decompositions_for_rng.extra_random_decomps"),
    ],
)
def test_tables_of_decompositions(new: Real, truth: dict[str, Rows], kind: str, name: str) -> None:
    found, expected = table(new, name), set(truth[kind])
    assert found == expected


def test_lowerings(new: Real, truth: dict[str, Rows]) -> None:
    expected = truth["lowering"]
    found = entries(new, "e.role = 'lowering' AND NOT e.is_conditional")
    assert set(found) == set(expected)
    assert differing(found, expected) == []


def test_fallbacks(new: Real, truth: dict[str, Rows]) -> None:
    assert set(entries(new, "e.role = 'fallback' AND NOT e.is_conditional")) == set(
        truth["fallback"]
    )


def test_fake_implementations(new: Real, truth: dict[str, Rows]) -> None:
    found = entries(
        new,
        "e.role = 'fake' AND e.how = 'register_op_impl' AND NOT e.is_conditional"
        " AND coalesce(e.condition, '') NOT LIKE 'if %'",
    )
    assert set(found) == set(truth["fake"])
    assert differing(found, truth["fake"]) == []


def test_higher_order_operators(new: Real, truth: dict[str, Rows]) -> None:
    rows = new.conn.execute("SELECT 'higher_order::' || name FROM higher_order_operators")
    assert {name for (name,) in rows} == set(truth["hop"])


def test_logs_and_artifacts(new: Real, truth: dict[str, Rows]) -> None:
    rows = new.conn.execute("SELECT name FROM v_compile_options WHERE kind = 'log'")
    assert {name for (name,) in rows} == set(truth["log"])
    rows = new.conn.execute(
        "SELECT name, description, details FROM compile_options WHERE kind = 'artifact'"
    )
    found = {
        name: (
            "visible" * ("visible" in (details or "")),
            "off" * ("off" in (details or "")),
            text or "",
        )
        for name, text, details in rows
    }
    assert found == truth["artifact"]


def test_config_options(new: Real, truth: dict[str, Rows]) -> None:
    rows = new.conn.execute(
        "SELECT name, default_value FROM v_compile_options WHERE kind = 'config'"
    )
    found = dict(rows.fetchall())
    # A constant that the module imports counts as an option of it: `TYPE_CHECKING`.
    expected = {n: v for n, v in truth["config"].items() if not n.endswith("TYPE_CHECKING")}
    assert set(found) == set(expected)
    literal: dict[str, tuple[object, object]] = {}
    for name, text in found.items():
        try:
            literal[name] = (ast.literal_eval(text or ""), ast.literal_eval(expected[name][0]))
        except (ValueError, SyntaxError):
            continue  # an expression: what it gives depends on the machine; or cut where it is long
    assert len(literal) > 200
    assert [name for name, (ours, given) in literal.items() if ours != given] == []


def _starts(real: Real, rows: Iterable[tuple[str, int, str]]) -> list[str]:
    return [f"{path}:{line}" for path, line, name in rows if name not in real.line(path, line)]


def test_lines_are_those_of_def(new: Real) -> None:
    rows = new.conn.execute(
        "SELECT file, line, function, registered_file, registered_line FROM v_compile"
        " WHERE file LIKE '%.py' AND line IS NOT NULL"
    ).fetchall()
    assert len(rows) > 4000
    elsewhere = [
        f"{row['file']}:{row['line']} {row['function']}" for row in rows
        if f"def {row['function'].rpartition('.')[2]}" not in new.line(row["file"], row["line"])
        and (row["file"], row["line"]) != (row["registered_file"], row["registered_line"])
    ]  # fmt: skip
    # Prims are made by one helper from a table; what stands for them is the statement.
    assert [place for place in elsewhere if "torch/_prims/" not in place] == []


def test_options_stand_where_they_are_set(new: Real) -> None:
    rows = new.conn.execute("SELECT file, line, kind, name FROM v_compile_options").fetchall()
    assert len(rows) > 900
    config = [
        (r["file"], r["line"], r["name"].rpartition(".")[2]) for r in rows if r["kind"] == "config"
    ]
    assert _starts(new, config) == []
    listed = [(r["file"], r["line"], "register_") for r in rows if r["kind"] in ("log", "artifact")]
    assert _starts(new, listed) == []


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (
            "softmax",
            (
                "composite: at::native::softmax",
                "aten::_softmax [Core ATen] decomposed by torch._decomp.decompositions._softmax",
            ),
        ),
        ("F.gelu", ("decomposed by torch._refs.nn.functional.gelu", "at::meta::structured_gelu::meta")),
        (
            "torch.nn.functional.scaled_dot_product_attention",
            ("aten::_scaled_dot_product_flash_attention [not Core ATen] falls back",),
        ),
        (
            "aten::index_put_",
            (
                "Inductor lowers it with torch._inductor.lowering.index_put_",
                "fake: torch._subclasses.fake_impls.index_put_impl",
            ),
        ),
        (
            "addmm",
            (
                "decomposed by torch._inductor.decomposition.addmm; where that declines: "
                "Inductor lowers it with torch._inductor.kernel.mm.tuned_addmm (template",
                "unfuse_bias_add_to_pointwise",
                "compute_intensive_ops",
            ),
        ),
        (
            "native_batch_norm",
            ("decomposed by torch._decomp.decompositions.native_batch_norm", "native_batch_norm_decomposition"),
        ),
        ("torch.ops.higher_order.cond", ("Inductor lowers it with torch._inductor.lowering.cond",)),
        ("itertools.accumulate", ("ItertoolsVariable.call_function [handler]  torch/_dynamo/variables/iter.py:57",)),
        ("torch.utils.checkpoint.checkpoint", ("torch._dynamo.utils.is_utils_checkpoint [handler]  torch/_dynamo/utils.py:2990",)),
        ("torch.autocast", ("TorchCtxManagerClassVariable.call_function [handler]  torch/_dynamo/variables/torch.py:292",)),
        ("zip", ("BuiltinVariable.call_zip [handler]  torch/_dynamo/variables/builtin.py:1501",)),
        ("torch.Tensor.tolist", ("TensorVariable.method_tolist [method]  torch/_dynamo/variables/tensor.py:788",)),
    ],
)  # fmt: skip
def test_paths(new: Real, name: str, parts: tuple[str, ...]) -> None:
    text = to_text(all_tools()["compile_path"].ask(new.conn, name=name))
    for part in parts:
        assert part in text
    assert len(text) < 7_000


def test_what_causes_a_graph_break(new: Real) -> None:
    text = to_text(
        all_tools()["compile_options"].ask(
            new.conn, query="Dynamic slicing on data-dependent value"
        )
    )
    assert "[graph_break] Dynamic slicing on data-dependent value is not supported" in text
    assert "torch/_dynamo/" in text


def test_variables_of_the_environment(new: Real) -> None:
    rows = new.conn.execute("SELECT DISTINCT name, file FROM v_compile_options WHERE kind = 'env'")
    found = {tuple(row) for row in rows}
    assert ("TORCHINDUCTOR_MAX_AUTOTUNE", "torch/_inductor/config.py") in found
    assert ("TORCH_LOGS", "torch/_logging/_internal.py") in found
    assert {file for name, file in found if name == "TORCH_SHOW_CPP_STACKTRACES"} == {
        "torch/csrc/utils/cpp_stacktraces.cpp"
    }
    assert {file for name, file in found if name == "PYTORCH_CUDA_ALLOC_CONF"} == {
        "c10/cuda/CUDAAllocatorConfig.h", "c10/cuda/CUDACachingAllocator.cpp", "torch/utils/collect_env.py"
    }  # fmt: skip


def test_the_guides_reference_is_that_of_this_version(new: Real) -> None:
    assert (guides_root() / REFERENCE).read_text(encoding="utf-8") == reference(new.conn)


def test_an_old_version_says_what_it_has_not(old: Real) -> None:
    text = to_text(all_tools()["compile_path"].ask(old.conn, name="addmm"))
    assert "this version has no Inductor" in text
    assert "torch._decomp.decompositions.addmm" in text
    answer = all_tools()["compile_options"].ask(old.conn, query="max_autotune", kind="config")
    assert not answer.found
    assert (
        old.conn.execute("SELECT count(*) FROM v_compile WHERE role = 'decomposition'").fetchone()[
            0
        ]
        > 1500
    )
    assert (
        old.conn.execute("SELECT count(*) FROM v_compile WHERE role = 'lowering'").fetchone()[0]
        == 0
    )
