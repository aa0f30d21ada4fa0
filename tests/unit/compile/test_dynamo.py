"""What Dynamo does with functions: rules and handlers as files register them, and what compile_path says of them."""

from __future__ import annotations

import sqlite3
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.extract.python.compile.dynamo import dynamo
from tests.unit.support.small_tree import indexed
from torchtalk.answers.compile_path import CompilePathAnswer
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": """\
- func: pour(Tensor self) -> Tensor
  dispatch:
    CPU: pour
- func: as_pairs(Tensor self) -> Tensor
  dispatch:
    CPU: as_pairs
""",
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "torch/csrc/distributed/c10d/Functional.cpp": """\
TORCH_LIBRARY(_c10d_functional, m) {
  m.def("gather(Tensor input) -> Tensor");
}
""",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "from .seeds import sow\n__all__ = ['sow']\n",
    "torch/seeds.py": "__all__ = ['sow']\ndef sow(n): ...\n",
    "torch/_decomp/__init__.py": "def register_decomposition(op):\n    return lambda f: f\n",
    "torch/_refs.py": """\
import torch
from torch._decomp import register_decomposition
@register_decomposition(torch.ops.aten.pour)
def pour(a): ...
""",
    "torch/_dynamo/trace_rules.py": """\
manual_torch_name_rule_map = {"torch.seeds.sow": SkipFunctionVariable}
torch_c_binding_in_graph_functions = dict.fromkeys(
    ["math.tan", "torch._C.count_cores"], TorchInGraphFunctionVariable
)
if sys.version_info >= (3, 11):
    torch_c_binding_in_graph_functions["math.exp2"] = TorchInGraphFunctionVariable
""",
    "torch/distributed/__init__.py": """\
from .c10d import gather_all
__all__ = ["gather_all"]
""",
    "torch/distributed/c10d.py": """\
import torch
__all__ = ["gather_all"]
def gather_all(tensor):
    if tensor.is_complex():
        tensor = torch.ops.aten.as_pairs(tensor)
""",
    "torch/distributed/_functional_collectives.py": """\
import torch
def _gather(tensor):
    return torch.ops._c10d_functional.gather(torch.ops.aten.pour(tensor))
def gather_traced(tensor):
    return _gather(tensor)
from torch.distributed.c10d import gather_all as legacy_gather
traceable_collective_remaps = {
    legacy_gather: gather_traced,
}
""",
}


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path) as found:
        yield found


def _ask(conn: sqlite3.Connection, name: str) -> CompilePathAnswer:
    answer = all_tools()["compile_path"].ask(conn, name=name)
    assert isinstance(answer, CompilePathAnswer)
    return answer


def test_a_function_without_an_operator_has_its_rule(conn: sqlite3.Connection) -> None:
    """As `torch.manual_seed`, a rule of which says that Dynamo skips it."""
    answer = _ask(conn, "torch.sow")
    assert answer.finding == (
        "torch.sow is a Python function, no operator: for Dynamo it is a SkipFunctionVariable"
    )
    assert [line.name for line in answer.dynamo] == ["torch.seeds.sow"]
    assert answer.found


@pytest.mark.parametrize("name", ("math.tan", "math.exp2", "torch._C.count_cores"))
def test_a_name_that_the_index_has_nothing_else_of(conn: sqlite3.Connection, name: str) -> None:
    answer = _ask(conn, name)
    assert (
        answer.finding == f"{name} is no operator: for Dynamo it is a TorchInGraphFunctionVariable"
    )
    assert answer.found


def test_what_torch_takes_in_from_c(conn: sqlite3.Connection) -> None:
    assert [line.name for line in _ask(conn, "torch.count_cores").dynamo] == [
        "torch._C.count_cores"
    ]


def test_what_is_traced_in_the_place_of_a_collective(conn: sqlite3.Connection) -> None:
    """As `torch.distributed.all_reduce`, which itself calls `view_as_real` for complex tensors alone."""
    answer = _ask(conn, "torch.distributed.gather_all")
    made = "torch.distributed._functional_collectives.gather_traced"
    assert answer.finding == (
        f"torch.distributed.gather_all: Dynamo traces {made} in its place, which calls "
        "_c10d_functional::gather, aten::pour"
    )
    assert [(line.target, line.kind, str(line.place)) for line in answer.dynamo] == [
        (made, "rewrite", "torch/distributed/_functional_collectives.py:4")
    ]
    assert [path.operators for path in answer.paths] == [
        ("_c10d_functional::gather",),
        ("aten::pour",),
    ]


def _handled(source: str) -> dict[str, str]:
    path = "torch/_dynamo/variables/torch.py"
    rules = dynamo(path, textwrap.dedent(source).encode(), "torch._dynamo.variables.torch")
    return {rule.name: rule.target.rpartition(".")[2] for rule in rules if rule.kind == "handler"}


def test_handlers_of_what_a_list_a_table_or_a_function_holds() -> None:
    """As torch/_dynamo/variables/torch.py does for tracing states, dispatch keys and process groups."""
    assert _handled(
        """
        import torch
        import torch.pipes as pipes
        from ..create import build
        key_sets = {torch._C._keys, torch._C._include}
        few = [torch.thin]
        more = [torch.wide, *few] + [torch.tall]
        more = dict.fromkeys(more)
        class Variable:
            def _get_handlers():
                @register(*states())
                def handle_states(self): ...
                @register(*key_sets)
                def handle_keys(self): ...
                @register(*more)
                def handle_more(self): ...
                from torch.group import get_rank, size as group_size
                @register(get_rank, group_size, pipes.flow, build, torch.a.cached.__wrapped__)
                def handle_group(self): ...
                for each in few:
                    @register(each)
                    def handle_each(self): ...
        def states():
            return {torch.jit.is_odd: False, torch.is_even: True}
        """
    ) == {
        "torch.jit.is_odd": "handle_states",
        "torch.is_even": "handle_states",
        "torch._C._keys": "handle_keys",
        "torch._C._include": "handle_keys",
        "torch.wide": "handle_more",
        "torch.thin": "handle_more",
        "torch.tall": "handle_more",
        "torch.group.get_rank": "handle_group",
        "torch.group.size": "handle_group",
        "torch.pipes.flow": "handle_group",
        "torch._dynamo.create.build": "handle_group",
        "torch.a.cached": "handle_group",
    }
