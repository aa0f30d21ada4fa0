"""What `isinstance` tells of a value that nothing else does, and what functools.partial is made of."""

from __future__ import annotations

from tests.unit.support.python_torch import index_torch


def test_what_is_asked_for_its_class_is_followed_beside_tensors_and_so_is_what_its_own_attribute_is() -> (
    None
):
    conn = index_torch(
        {
            "torch/nodes.py": "class Node:\n    @property\n    def size(self): ...\n    def name(self): ...\n"
            "class Other:\n    def name(self): ...\n",
            "torch/user.py": "from torch import Tensor\nfrom torch.nodes import Node, Other\n"
            "def asked(x, t: Tensor):\n    if isinstance(x, Node):\n        return x.size\n    x.missing()\n"
            "def either(x, t: Tensor):\n    if isinstance(x, (Node, Other)):\n        x.name()\n"
            "def asserted(x, t: Tensor):\n    assert isinstance(x, Node)\n    return x.name()\n"
            "def leaves(x, y, t: Tensor):\n    if not isinstance(x, Node) or not isinstance(y, Tensor):\n        raise E(x.name())\n"
            "    return x.name(), y.top()\n"
            "def stays(x, y, z, t: Tensor):\n    if not isinstance(x, Node):\n        x.name()\n    if t:\n"
            "        if not isinstance(y, Node): return\n        with t:\n            assert isinstance(z, Node)\n        z.size\n"
            "    else:\n        y.name()\n    z.name(), x.name()\n"
            "def other(x, t: Tensor):\n    if not isinstance(x, Node):\n        return\n    else:\n        x.name()\n"
            "def local(x, cls, t: Tensor):\n    if isinstance(t, cls):\n        return t.relu()\n"
            "class Made:\n    def __init__(self, t: Tensor):\n        self.node = Node()\n        n = self.node.size\n",
        }
    )
    rows = conn.execute(
        "SELECT p.name, coalesce(g.name, n.name) FROM python_calls AS c"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " LEFT JOIN python_functions AS g ON g.id = r.function_id"
        " LEFT JOIN python_natives AS n ON n.id = r.native_id"
        " WHERE coalesce(g.name, n.name) IS NOT NULL AND c.kind = 0"
    )
    assert {tuple(row) for row in rows} == {
        ("asked", "Node.size"),
        ("either", "Node.name"),
        ("either", "Other.name"),
        ("asserted", "Node.name"),
        ("leaves", "Node.name"),
        ("leaves", "torch._C.TensorBase.top"),
        ("stays", "Node.size"),
        ("other", "Node.name"),
        ("local", "torch._C.TensorBase.relu"),
        ("Made.__init__", "Node.size"),
    }


def test_what_is_asked_for_its_class_is_of_it_whatever_it_was_known_as_and_so_is_what_a_name_holds_or_gives() -> (
    None
):
    conn = index_torch(
        {
            "torch/nodes.py": "class Node:\n    def name(self): ...\n    def same(self) -> 'Node': ...\n"
            "class Fused(Node):\n    def parts(self): ...\nclass Other:\n    def name(self): ...\n",
            "torch/user.py": "from torch import Tensor\nfrom torch.nodes import Fused, Node, Other\n"
            "def looped(nodes, t: Tensor):\n    for x in t.size(nodes):\n        if isinstance(x, Fused):\n            x.parts()\n"
            "def declared(x: Node, t: Tensor):\n    if isinstance(x, Fused):\n        x.parts(), x.same()\n    x.name()\n"
            "def held(x, t: Tensor):\n    if isinstance(x.held, Fused):\n        x.held.parts(), x.other.name()\n"
            "    x.held.name()\n"
            "def given(x, t: Tensor):\n    assert isinstance(x.held, Fused)\n    x.held = x.held.parts()\n    x.held.name()\n"
            "def anew(x, t: Tensor):\n    assert isinstance(x.held, Fused)\n    x = t\n    x.held.name()\n"
            "def gives(x, t: Tensor):\n    if isinstance(x.held(), Fused) and x.held().parts():\n        x.held(1).name()\n",
        }
    )
    rows = conn.execute(
        "SELECT p.name, g.name FROM python_calls AS c JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS g ON g.id = r.function_id"
    )
    assert {tuple(row) for row in rows} == {
        ("looped", "Fused.parts"), ("declared", "Fused.parts"), ("declared", "Node.same"),
        ("declared", "Node.name"), ("held", "Fused.parts"), ("given", "Fused.parts"),
        ("gives", "Fused.parts"),
    }  # fmt: skip


def test_what_partial_makes_is_called_and_a_method_is_handed_on_beside_tensors() -> None:
    files = {
        "torch/parts.py": "def part(x, y): ...\n",
        "torch/user.py": "from functools import partial\nfrom torch import Tensor\nfrom torch.parts import part\n"
        "class User:\n    @property\n    def held(self): ...\n    def hook(self, x): ...\n"
        "    def called(self, t: Tensor):\n        made = partial(part, t)\n        made(1)\n"
        "    def handed(self, t: Tensor):\n        t.visit(self.hook, self.held, t.hook)\n",
    }
    files["torch/testing/_internal/samples.py"] = (
        "from functools import partial\nfrom torch import Tensor\nfrom torch.parts import part\n"
        "def sample(t: Tensor):\n    made = partial(part, t)\n    made(1)\n"
        "def other():\n    made = partial(part, 1)\n    made(1)\n"
    )
    conn = index_torch(files)
    rows = conn.execute(
        "SELECT p.name, g.name, c.line FROM python_calls AS c JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS g ON g.id = r.function_id"
    )
    assert {tuple(row) for row in rows} == {
        ("User.called", "part", 9), ("User.called", "part", 10), ("User.handed", "User.hook", 12),
        ("User.handed", "User.held", 12), ("sample", "part", 5), ("other", "part", 8),
    }  # fmt: skip


def test_of_two_classes_with_long_names_either_is_meant() -> None:
    """`inline_call_` of torch/_dynamo/symbolic_convert.py calls `bind_args`, which the declared class lacks."""
    conn = index_torch(
        {
            "torch/variables_of_functions.py": "class Variable: ...\n"
            "class NestedUserDefinedFunctionVariable(Variable):\n    def bind(self): ...\n"
            "class TopLevelUserDefinedFunctionVariable(Variable):\n    def bind(self): ...\n",
            "torch/user.py": "import torch\nfrom torch.variables_of_functions import *\n"
            "def inline(x: Variable, t: torch.Tensor):\n"
            "    assert isinstance(x, (NestedUserDefinedFunctionVariable, TopLevelUserDefinedFunctionVariable))\n"
            "    x.bind()\n",
        }
    )
    rows = conn.execute(
        "SELECT target FROM v_edges WHERE source = 'torch.user.inline' AND line = 5"
    )
    assert {target.rpartition("torch.variables_of_functions.")[2] for (target,) in rows} == {
        "NestedUserDefinedFunctionVariable.bind",
        "TopLevelUserDefinedFunctionVariable.bind",
    }
