"""Layer 5 on whole trees, against `ast` and against the databases of an installed torch."""

from __future__ import annotations

import ast
import json
import lzma
import random
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.conftest import Real
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.nodes import Node, operator
from torchtalk.affected.graph.search import search
from torchtalk.sqlfile import listed
from torchtalk.testing.environment import Environments
from torchtalk.testing.exact import Exact
from torchtalk.tools import (
    all_tools,
    queries,
)
from torchtalk.tools.finding_tests import hits

pytestmark = pytest.mark.real

_DATA = Path(__file__).parents[1] / "data"
_INVOCATIONS = "torch/testing/_internal/common_methods_invocations.py"
_SOFTMAX = "aten/src/ATen/native/SoftMax.cpp"

# Classes with methods named `test…` that no test runner ever runs: a model, a mock, a generator.
_NO_TESTS = {
    ("android/pytorch_android/generate_test_torchscripts.py", "Test"),
    ("benchmarks/operator_benchmark/benchmark_pytorch.py", "TorchBenchmarkBase"),
    ("test/export/random_dag.py", "Unflatten"),
    ("test/inductor/test_perf.py", "WouldBeNiceIfItWorked"),
    ("test/mobile/model_test/android_api_module.py", "AndroidAPIModule"),
    ("test/profiler/test_profiler_tree.py", "ProfilerTree"),
    # Called by tests that are made of them, with what only these have.
    ("test/test_expanded_weights.py", "ContextManagerTests"),
    ("torch/testing/_internal/common_nn.py", "CriterionTest"),
    ("torch/testing/_internal/common_nn.py", "ModuleTest"),
    ("torch/_inductor/codegen/cuda/gemm_template.py", "CUTLASSGemmTemplate"),
}


@pytest.fixture(scope="module")
def truth(real: Real) -> dict[str, Any]:
    """What torch of that version made when its testing modules were imported."""
    path = _DATA / f"tests-{real.version}.json.xz"
    found: dict[str, Any] = json.loads(lzma.decompress(path.read_bytes()))
    if real.version == "1.13.1":
        # Its common_modules.py names a module after the last namespace that has it; later ones after the first.
        for info in found["infos"]:
            if info["name"] == "ao.nn.quantized.MaxPool2d":
                info["name"] = "nn.MaxPool2d"
    return found


def _key(info: dict[str, Any]) -> tuple[Any, ...]:
    names = ("name", "variant", "aten_name", "class", "file", "line")
    return tuple(info[name] for name in names)


def test_every_opinfo_is_what_the_runtime_has(real: Real, truth: dict[str, Any]) -> None:
    made = Counter(map(_key, truth["infos"]))
    rows = real.conn.execute("SELECT * FROM v_opinfos WHERE file GLOB 'torch/*'")
    assert sum(made.values()) == {"2.6.0": 1248, "1.13.1": 954}[real.version]
    assert Counter(tuple(row) for row in rows) == made


def test_lists_are_what_the_runtime_has(real: Real, truth: dict[str, Any]) -> None:
    exact = 0
    for name, positions in truth["lists"].items():
        wanted = {_key(truth["infos"][at]) for at in positions}
        rows = real.conn.execute(
            "SELECT o.name, o.variant, o.aten_name, o.class, f.path, o.line, m.is_certain"
            " FROM opinfo_lists AS l JOIN opinfo_list_members AS m ON m.list_id = l.id"
            " JOIN opinfos AS o ON o.id = m.opinfo_id"
            " JOIN source_files AS f ON f.id = o.file_id WHERE l.name = ?",
            (name,),
        ).fetchall()
        if not rows:
            # A name that a module imports and does not make.
            assert name == "torch.testing._internal.opinfo.definitions.nested.op_db"
            continue
        found = {tuple(row)[:6] for row in rows}
        certain = {tuple(row)[:6] for row in rows if row["is_certain"]}
        assert certain <= wanted <= found, name
        exact += found == wanted
    assert exact == len(truth["lists"]) - {"2.6.0": 6, "1.13.1": 0}[real.version]


def _methods(body: list[ast.stmt], outer: str) -> Iterator[tuple[str, str, int]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _methods(node.body, f"{outer}.{node.name}".lstrip("."))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if outer and node.name.startswith("test"):
                yield outer, node.name, node.lineno
        else:
            for inner in (getattr(node, name, []) for name in ("body", "orelse", "finalbody")):
                yield from _methods(inner if isinstance(inner, list) else [], outer)


def _by_ast(root: Path) -> set[tuple[str, str, str, int]]:
    found = set()
    for path in sorted(root.rglob("*.py")):
        file = path.relative_to(root).as_posix()
        if file.startswith(("third_party/", "build/")):
            continue
        data = path.read_bytes()
        if not re.search(rb"\bdef\s+test", data):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(data)
        except (SyntaxError, ValueError):
            continue
        found |= {(file, *method) for method in _methods(tree.body, "")}
    return found


def _assigned(root: Path, files: Iterable[str]) -> set[tuple[str, str, int]]:
    """What classes assign to a name like a test's that is a function's or comes of a call."""
    found = set()
    for file in files:
        for node in ast.walk(ast.parse((root / file).read_bytes())):
            for part in node.body if isinstance(node, ast.ClassDef) else ():
                for inner in ast.walk(part) if isinstance(part, (ast.Assign, ast.If)) else ():
                    if isinstance(inner, ast.Assign) and isinstance(
                        inner.value, (ast.Attribute, ast.Call)
                    ):
                        (target,) = inner.targets
                        if isinstance(target, ast.Name) and target.id.startswith("test"):
                            found.add((file, target.id, inner.lineno))
    return found


def test_every_test_method_is_there(new: Real) -> None:
    methods = _by_ast(new.root)
    rows = new.conn.execute(
        "SELECT file, class, test, line FROM v_tests WHERE kind = 'python' AND class IS NOT NULL"
    )
    found = {tuple(row) for row in rows}
    assigned = found - methods
    told = {(file, test, line) for file, _, test, line in assigned}
    assert told <= _assigned(new.root, {file for file, *_ in assigned})
    assert {(file, owner) for file, owner, _, _ in methods - found} == _NO_TESTS
    assert len(found - assigned) == 25_220
    # Those of unittest in 2.6.0's own files, as importing them tells: test_fused_attention.py 44, test_modules.py 54.
    assert len(assigned) == 151


def test_gtests(new: Real) -> None:
    rows = new.conn.execute(
        "SELECT file, class, test, line FROM v_tests WHERE kind = 'gtest'"
    ).fetchall()
    assert len(rows) > 8_000
    written = [
        row
        for row in rows
        if f"({row['class']}, {row['test']})" in new.line(row["file"], row["line"])
    ]
    assert len(written) > 6_000
    functional = {tuple(row) for row in rows if row["file"] == "test/cpp/api/functional.cpp"}
    assert ("test/cpp/api/functional.cpp", "FunctionalTest", "Conv1d", 14) in functional


def test_exact_facts(new: Real) -> None:
    ask = new.conn.execute
    assert (
        ask(
            "SELECT role, line FROM test_classes AS c JOIN source_files AS f ON f.id = c.file_id"
            " WHERE f.path = 'test/test_serialization.py' AND name = 'SerializationMixin'"
        ).fetchone()["role"]
        == "mixin"
    )
    row = ask(
        "SELECT file, line, decorators FROM v_tests"
        " WHERE class = 'TestNNDeviceType' AND test = 'test_softmax_cpu'"
    ).fetchone()
    assert "def test_softmax_cpu" in new.line(row["file"], row["line"])
    made = ask(
        "SELECT i.kind, i.arguments FROM test_instantiations AS i"
        " JOIN test_classes AS c ON c.id = i.class_id WHERE c.name = 'TestNNDeviceType'"
    ).fetchall()
    assert ("devices", "allow_mps=True") in [tuple(row) for row in made]


def test_lines_are_those_of_the_statements(real: Real) -> None:
    for row in real.conn.execute(
        "SELECT file, test, line FROM v_tests WHERE kind = 'python' AND line % 50 = 0"
    ):
        line = real.line(row["file"], row["line"])
        # Or of what a class body assigns.
        assert f"def {row['test']}(" in line or f"{row['test']} = " in line
    for row in real.conn.execute("SELECT file, class, line FROM v_opinfos WHERE line % 10 = 0"):
        assert row["class"] in real.line(row["file"], row["line"])


def test_names_of_all_entries_are_known(real: Real) -> None:
    unknown = real.conn.execute("SELECT count(*) FROM v_opinfos WHERE name IS NULL").fetchone()[0]
    assert unknown == 0
    number = real.conn.execute("SELECT count(*) FROM v_opinfos").fetchone()[0]
    assert number > 900


def test_the_older_tree_renames_foreach_entries_in_its_constructor(old: Real) -> None:
    names = {
        row["name"]
        for row in old.conn.execute("SELECT name FROM v_opinfos WHERE class = 'ForeachFuncInfo'")
    }
    assert "_foreach_exp" in names
    assert all(name.startswith("_foreach_") for name in names)


def test_finding_says_why(new: Real) -> None:
    for query in ("softmax", "nn.Linear", "F.gelu", "channels last", "graph break", "sdpa"):
        answer = all_tools()["find_similar_tests"].ask(new.conn, query=query)
        assert answer.page.total > 10
        assert all(hit.why for hit in answer.hits)
    hits = all_tools()["find_similar_tests"].ask(new.conn, query="sum", limit=200).hits
    assert hits[0].name == "sum"
    assert not any(hit.name.endswith("test_sum_to_size") for hit in hits)


def test_utilities(new: Real) -> None:
    lines = all_tools()["list_test_utils"].ask(new.conn, category="decorators", limit=3).utilities
    assert lines[0].name == "torch.testing._internal.common_utils.parametrize"
    assert lines[0].uses > 2_000


def test_uses_of_utilities(new: Real) -> None:
    found = {
        name: (uses, files)
        for name, uses, files in map(tuple, new.conn.execute("SELECT last, uses, used_in FROM test_utilities"))
    }  # fmt: skip
    # As grep has them, but for texts and for functions of the same names elsewhere.
    assert found["assertEqual"][0] > 25_000
    assert found["instantiate_device_type_tests"][1] > 100
    assert found["run_tests"][0] > 500


def test_every_command_names_what_runs(new: Real) -> None:
    rows = new.conn.execute(queries("find_similar_tests")["details"], {"tests": listed(tuple(
        row[0] for row in new.conn.execute("SELECT id FROM tests WHERE kind = 'python'")))})  # fmt: skip
    exact, environments = Exact(new.conn), Environments(new.conn)
    commands = [hits.test_hit(row, (), exact, environments).command for row in rows]
    assert not any(" torch/testing/" in command for command in commands)
    # Those of torch/ that nobody imports, and helpers.
    assert commands.count("") < 20
    assert {note.split(" ")[0] for note in environments.notes()} == {
        "test/distributed/test_distributed_spawn.py",
        "test/distributed/algorithms/quantization/test_quantization.py",
    }


def test_a_file(new: Real) -> None:
    answer = all_tools()["test_file_info"].ask(new.conn, path="test_ops.py")
    assert len(answer.candidates) > 1
    answer = all_tools()["test_file_info"].ask(new.conn, path="test/test_ops.py")
    assert any(line.name.endswith("common_methods_invocations.op_db") for line in answer.lists)


def _diff(real: Real, file: str, text: str) -> str:
    source = (real.root / file).read_text(encoding="utf-8").split("\n")
    line = next(at for at, found in enumerate(source, 1) if text in found)
    return f"--- a/{file}\n+++ b/{file}\n@@ -{line} +{line} @@\n-{source[line - 1]}\n+changed\n"


def test_what_a_kernel_touches_is_not_what_another_touches(new: Real) -> None:
    found = {}
    for name in ("softmax_cpu_out", "at::native::relu"):
        answer = all_tools()["affected"].ask(new.conn, names=name, max_tests=300)
        found[name] = {test.place.file for test in answer.tests}
        assert answer.selected <= 300
    assert found["softmax_cpu_out"] != found["at::native::relu"]
    tests = all_tools()["affected"].ask(new.conn, names="softmax_cpu_out", max_tests=300).tests
    assert any(test.name.endswith("test_softmax") for test in tests)
    assert not any("relu" in test.name for test in tests[:50])


def test_operators_that_gradients_call_lead_to_tests(new: Real) -> None:
    graph = Graph(new.conn)
    bases = [
        base for (base,) in map(tuple, new.conn.execute(
            "SELECT DISTINCT o.base FROM v_edges AS e JOIN operators AS o ON o.name = e.target"
            " WHERE e.origin = 'yaml' AND e.kind IN ('derivative', 'candidate') AND o.base GLOB '*backward*'"
            " AND e.source NOT GLOB 'aten::' || o.base || '*'"
        ))
    ]  # fmt: skip
    assert len(bases) == 135
    # What nobody calls torch.overrides lists (get_ignored_functions).
    assert [
        base for base in bases if not search(graph, [(operator(f"aten::{base}"), 1.0)]).found
    ] == []


def test_what_torch_compile_has_for_operators_leads_to_tests(new: Real) -> None:
    graph = Graph(new.conn)
    rows = new.conn.execute(
        "SELECT DISTINCT p.id, m.name || '.' || p.name FROM edges AS e"
        " JOIN edge_kinds AS k ON k.id = e.kind_id JOIN python_functions AS p ON p.id = e.target >> 4"
        " JOIN python_modules AS m ON m.id = p.module_id"
        " WHERE e.target & 15 = 4 AND k.kind IN ('decomposition', 'meta', 'fake', 'ref', 'lowering')"
        " ORDER BY p.id"
    ).fetchall()
    drawn = random.Random(3).sample([tuple(row) for row in rows], 100)
    lost = [
        name for identity, name in drawn
        if not search(graph, [(Node("python", identity, name), 1.0)], enough=1).found
    ]  # fmt: skip
    assert len(lost) < 8, lost


@pytest.mark.parametrize(
    ("file", "text", "test"),
    [
        (
            "aten/src/ATen/native/cpu/SoftMaxKernel.cpp",
            "static void softmax_lastdim_kernel_impl(",
            "TestSparse.test_softmax",
        ),
        (
            "aten/src/ATen/native/native_functions.yaml",
            "- func: relu(Tensor self)",
            "TestMkldnn.test_relu",
        ),
        (_INVOCATIONS, "OpInfo('cumsum'", "26 generic tests for cumsum"),
        (
            "torch/nn/functional.py",
            "def cross_entropy(",
            "24 generic tests for nn.functional.cross_entropy",
        ),
        (
            "aten/src/ATen/native/Pool.h",
            "pooling_output_shape_pad_lr(",
            "TestAvgPool.test_doubletensor_avg_pool2d",
        ),
    ],
)
def test_a_diff_leads_to_its_tests(new: Real, file: str, text: str, test: str) -> None:
    answer = all_tools()["affected"].ask(new.conn, diff=_diff(new, file, text), max_tests=100)
    assert len(answer.changed) == 1
    assert test in [found.name for found in answer.tests]
    assert all(found.path for found in answer.tests)


def test_what_an_object_of_a_class_is_asked_is_no_method_of_tensors(new: Real) -> None:
    """`MyTracer().trace(…)` in test/test_fx.py is no `Tensor.trace`; `torch.LongTensor(10).random_(0, 10)` is one's."""
    rows = new.conn.execute(
        "SELECT t.name, x.how FROM tests AS t JOIN test_operators AS x ON x.test_id = t.id"
        " JOIN source_files AS f ON f.id = t.file_id"
        " WHERE f.path = 'test/test_fx.py' AND x.base IN ('trace', 'random_') ORDER BY t.line"
    ).fetchall()
    ways = {row["name"]: row["how"] for row in rows}
    assert ways["test_trace_dict_int_keys"] == ways["test_trace_dict_proxy_keys"] == "n"
    assert {name for name, how in ways.items() if "m" in how} == {
        "test_fx_shifts",
        "test_fx_and_or",
    }


def test_who_calls_the_base_of_super_runs_no_other_override(new: Real) -> None:
    answer = all_tools()["impact"].ask(
        new.conn, name="torch.fx.passes.shape_prop.ShapeProp.run_node", depth=1
    )
    names = [dependent.name for dependent in answer.dependents]
    # 20 others call `super().run_node(n)`, or do so in a class of their own.
    assert names == [
        "torch.fx.interpreter.Interpreter.run_node",
        "torch.fx.interpreter.Interpreter.run",
    ]
    assert any("callers of 1 overridden method on the way not followed" in n for n in answer.notes)


def test_who_scatters_over_processes_tests_no_method_of_tensors(real: Real) -> None:
    """`torch.distributed.scatter` runs c10d::scatter_, which aten has a namesake of; so quantized::linear."""
    rows = real.conn.execute(
        "SELECT t.name FROM tests AS t JOIN test_operators AS x ON x.test_id = t.id AND x.base = 'scatter_'"
        " JOIN source_files AS f ON f.id = t.file_id"
        " WHERE f.path = 'torch/testing/_internal/distributed/distributed_test.py'"
    ).fetchall()
    assert rows == []
    reached = [
        all_tools()["impact"].ask(real.conn, name=f"{space}::linear").tests
        for space in ("quantized", "aten")
    ]
    assert reached[0] * 10 < reached[1]
