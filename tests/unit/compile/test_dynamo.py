"""What Dynamo does with functions: rules and handlers as files register them, and what compile_path says of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

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
- func: range(Scalar end) -> Tensor
  dispatch:
    CPU: range
- func: random.from(Tensor self, int from) -> Tensor
  dispatch:
    CPU: random
""",
    "c10/Pen.cpp": "namespace c10 {\nvoid Ink::print() {}\nvoid Paper::print() {}\n}\n",
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "torch/csrc/distributed/c10d/Functional.cpp": """\
TORCH_LIBRARY(_c10d_functional, m) {
  m.def("gather(Tensor input) -> Tensor");
}
""",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": """\
from .seeds import sow
from ._tensor import Tensor
from .modes import calm
__all__ = ['sow', 'Tensor', 'calm']
""",
    "torch/modes.py": "__all__ = ['calm']\nclass calm: ...\n",
    "torch/seeds.py": "__all__ = ['sow']\ndef sow(n): ...\n",
    "torch/kept.py": "import torch\n__all__ = ['keep']\ndef keep(x):\n    return torch.ops.aten.pour(x)\n",
    "torch/_dynamo/utils.py": "def is_keep(obj):\n    import torch.kept\n\n    return obj is torch.kept.keep\n",
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
BUILTIN_SKIPLIST = (
    random,
    "sklearn",
)
if sys.version_info >= (3, 11):
    torch_c_binding_in_graph_functions["math.exp2"] = TorchInGraphFunctionVariable
""",
    "torch/_dynamo/variables/modes.py": """\
import torch
class ModeVariable:
    def call_function(self, tx, args, kwargs):
        if self.value is torch.modes.calm:
            return 1
""",
    "torch/_dynamo/variables/tensor.py": """\
class TensorVariable:
    def method_tap(self): ...
    def method_attr_depth(self, tx): ...
""",
    "torch/_dynamo/polyfills/builtins.py": """\
import builtins
from ..decorators import substitute_in_graph
@substitute_in_graph(builtins.enumerate)
def enumerate(iterable, start=0): ...
""",
    "torch/_dynamo/variables/lists.py": """\
def unpack(tx):
    unimplemented("unpacking of a data-dependent size")
""",
    "torch/_dynamo/variables/builtin.py": """\
class BuiltinVariable:
    def call_zip(self, tx, *args): ...
    def call_isinstance(self, tx, arg, kind): ...
    def call_contains(self, tx, left, right): ...
    def call_custom(self, tx): ...
""",
    "torch/_tensor.py": """\
import torch
class Tensor(torch._C.TensorBase):
    def tap(self):
        return torch.ops.aten.pour(self)
    @property
    def depth(self): ...
""",
    "torch/jit.py": "__all__ = ['isinstance']\ndef isinstance(obj, kind): ...\n",
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


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module")) as found:
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


@pytest.mark.parametrize("name", ("torch.calm", "torch.modes.calm"))
def test_a_class_by_either_of_its_names(conn: sqlite3.Connection, name: str) -> None:
    """As `torch.autocast`, which torch/_dynamo/variables/torch.py calls torch.amp.autocast_mode.autocast."""
    (line,) = _ask(conn, name).dynamo
    assert line.target == "torch._dynamo.variables.modes.ModeVariable.call_function"
    assert str(line.place) == "torch/_dynamo/variables/modes.py:4"


_BUILTINS = "torch._dynamo.variables.builtin.BuiltinVariable"


@pytest.mark.parametrize("name", ("zip", "builtins.zip", "isinstance", "operator.contains"))
def test_a_function_of_python_that_dynamo_has_a_method_for(
    conn: sqlite3.Connection, name: str
) -> None:
    """A name alone is Python's own, though something of PyTorch's is called so, too."""
    answer = _ask(conn, name)
    handler = f"{_BUILTINS}.call_{name.rpartition('.')[2]}"
    assert answer.finding == f"{name} is no operator: Dynamo handles it by {handler}"
    assert answer.dynamo[0].name == (name if "." in name else f"builtins.{name}")
    is_other = name == "isinstance"
    assert answer.notes == (("also of this name: torch.jit.isinstance",) if is_other else ())
    assert answer.found


@pytest.mark.parametrize("name", ("print", "builtins.print", "operator.add"))
def test_a_function_of_python_that_nothing_of_dynamos_is_for_is_a_builtin_all_the_same(
    conn: sqlite3.Connection, name: str
) -> None:
    """Though functions of C++ be called so: 13 in PyTorch 2.6.0, of which compile_path wanted one."""
    answer = _ask(conn, name)
    assert answer.finding == f"{name} is no operator: for Dynamo it is a BuiltinVariable"
    assert str(answer.dynamo[0].place) == "torch/_dynamo/variables/builtin.py:1"
    others = ("also of this name: c10::Ink::print, c10::Paper::print",) if name == "print" else ()
    assert answer.notes == others


def test_a_function_of_python_by_its_name_alone_has_its_polyfill(conn: sqlite3.Connection) -> None:
    polyfill = "torch._dynamo.polyfills.builtins.enumerate"
    for name in ("enumerate", "builtins.enumerate"):
        said = f"{name} is no operator: Dynamo traces {polyfill} in its place"
        assert _ask(conn, name).finding == said


def test_an_operator_is_not_what_python_has_of_its_name(conn: sqlite3.Connection) -> None:
    answer = _ask(conn, "range")
    assert answer.finding.startswith("aten::range: ")
    assert "Python's own range is another: for Dynamo it is a BuiltinVariable" in answer.notes
    assert not [note for note in _ask(conn, "torch.range").notes if "Python's own" in note]


def test_what_is_of_a_module_of_pythons_is_said_to_be(conn: sqlite3.Connection) -> None:
    """As `random.random`, which was taken for an overload of aten::random."""
    for name in ("warnings.warn", "random.random"):
        answer = _ask(conn, name)
        assert (
            f"{name} is no operator: {name.partition('.')[0]} is a module of Python"
            in answer.finding
        )
        assert not answer.found and not answer.closest
    skipped = "random is a module of Python's own, whose functions Dynamo skips (torch/_dynamo/trace_rules.py:6), and"
    assert skipped in _ask(conn, "random.random").finding
    assert "warnings is a module of Python's own, and" in _ask(conn, "warnings.warn").finding
    assert "dict is a type of Python's own" in _ask(conn, "dict.update").finding
    for name in ("thread.warn", "dict.weave"):
        assert "nothing in this index is called" in _ask(conn, name).finding


def test_words_lead_to_the_options_and_messages_that_they_are_of(conn: sqlite3.Connection) -> None:
    answer = _ask(conn, "data dependent")
    assert not answer.found
    assert answer.notes[0] == (
        "this is no name; compile_options has 1 entry of these words, such as [graph_break] unpacking of a"
        " data-dependent size"
    )
    assert "compile_options" not in str(_ask(conn, "words of nothing").notes)


@pytest.mark.parametrize("name", ("custom", "builtins.sow", "operator.sow", "torch.jit.isinstance"))
def test_what_is_no_function_of_pythons_has_no_method_of_builtins(
    conn: sqlite3.Connection, name: str
) -> None:
    assert not _ask(conn, name).dynamo


def test_a_method_of_tensors_that_dynamo_has_a_method_for(conn: sqlite3.Connection) -> None:
    """As `torch.Tensor.tolist`, which outside of torch.compile ends at operators."""
    answer = _ask(conn, "torch.Tensor.tap")
    handler = "torch._dynamo.variables.tensor.TensorVariable.method_tap"
    assert answer.finding.startswith(
        f"torch.Tensor.tap: Dynamo handles it by {handler}; without it reaches 1 operator: aten::pour"
    )
    assert answer.dynamo[0].target == handler
    # So has what Dynamo knows by itself: torch.utils.checkpoint.checkpoint seemed to be what it makes a dummy of.
    kept = "torch.kept.keep: Dynamo handles it by torch._dynamo.utils.is_keep; without it reaches 1 operator"
    assert _ask(conn, "torch.kept.keep").finding.startswith(kept)
    attribute = _ask(conn, "torch.Tensor.depth")
    assert [line.target.rpartition(".")[2] for line in attribute.dynamo] == ["method_attr_depth"]
