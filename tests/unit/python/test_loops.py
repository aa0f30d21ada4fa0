"""What loops and comprehensions bind, and what an attribute is that is declared where it is given a value."""

from __future__ import annotations

import pytest

from tests.unit.support.python_sources import index

SOURCE = """
from typing import Dict, List, cast
from torch.graph import nodes_of, find
class Node:
    def __init__(self):
        self.users: List["Node"] = []
        self.made: "Node" = Other()
        self.named: Dict[str, "Node"] = {}
        self.by: Dict[Node, Other] = {}
        self.count: int = 0
    def erase(self): ...
    def outputs(self) -> List["Node"]: ...
class Other(Node):
    def erase(self): ...
    def only(self): ...
class Bag:
    def __iter__(self) -> "Iterator[Node]": ...
    def values(self): ...
    def kept(self) -> List[Other]: ...
def node(): ...
def run(self_: Node, bag: Bag, other: Other, nodes: "Dict[Node, Other]", unknown):
"""


def _called(body: str) -> list[str]:
    """What `run` calls of the sources, with the given body."""
    text = SOURCE + "".join(f"    {line}\n" for line in body.split("\n"))
    conn = index({"torch/a.py": text, "torch/graph.py": "def nodes_of(): ...\ndef find(): ...\n"})
    return [
        str(row[0])
        for row in conn.execute(
            "SELECT DISTINCT p.name FROM python_calls AS c"
            " JOIN python_functions AS f ON f.id = c.caller_id AND f.name = 'run'"
            " JOIN python_resolutions AS r ON r.target_id = c.target_id AND c.kind <> 7"
            " JOIN python_functions AS p ON p.id = r.function_id"
            " WHERE p.name LIKE '%.erase' OR p.name LIKE '%.only' OR p.name = 'node' ORDER BY 1"
        )
    ]


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("for x in self_.users:\n    x.erase()", ["Node.erase"]),
        ("return [x.erase() for x in self_.users if x]", ["Node.erase"]),
        ("return {x.erase(): 1 for x in sorted(self_.users, key=str)}", ["Node.erase"]),
        ("for i, x in enumerate(self_.outputs()):\n    x.erase()", ["Node.erase"]),
        ("for x in reversed(self_.users):\n    for y in x.outputs():\n        y.erase()", ["Node.erase"]),
        ("for a, b in zip(self_.users, unknown):\n    a.erase()\n    b.only()", ["Node.erase"]),
        ("for x in self_.named.values():\n    x.erase()", ["Node.erase"]),
        ("for k, x in self_.named.items():\n    k.only()\n    x.erase()", ["Node.erase"]),
        ("for x in bag:\n    x.erase()", ["Node.erase"]),
        # Keys, of which nobody says what they are, and what has no elements.
        ("for x in self_.by:\n    x.erase()", []),
        ("for x in nodes:\n    x.erase()", []),
        ("for x in bag.values():\n    x.erase()", []),
        ("for x in other:\n    x.erase()", []),
        ("for i, (a, b) in enumerate(self_.users):\n    a.erase()", []),
        # Different things, and a name that hides the module's.
        ("for x in self_.users:\n    x.erase()\nfor x in unknown:\n    x.only()", []),
        ("for node in unknown:\n    node()", []),
        # One loop after the other, and what is given to the name besides: it may be any of them.
        ("for x in self_.users:\n    x.erase()\nfor x in bag.kept():\n    x.only()", ["Node.erase", "Other.erase", "Other.only"]),
        ("for x in self_.users:\n    x.erase()\n    x = cast(Other, x)\n    x.only()", ["Node.erase", "Other.erase", "Other.only"]),
        ("for x in self_.users:\n    x.erase()\nx = bag.kept()[0]\nx.only()", ["Node.erase", "Other.erase", "Other.only"]),
        ("x: Other\nfor x in self_.users:\n    x.erase()", ["Other.erase"]),
        ("before x in self_.users:", []),
    ],
)  # fmt: skip
def test_what_a_loop_binds(body: str, called: list[str]) -> None:
    assert _called(body) == called


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("self_.made.erase()\nself_.made.only()", ["Other.erase", "Other.only"]),  # what is given says more
        ("self_.named['a'].erase()", ["Node.erase"]),
        ("self_.count.erase()", []),
    ],
)  # fmt: skip
def test_what_is_declared_where_it_is_given_a_value(body: str, called: list[str]) -> None:
    assert _called(body) == called


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("made = [Node(1, (2))]\nfor x in made:\n    x.erase()", ["Node.erase"]),
        ("made = [\n    Other(x)\n    for x in unknown\n]\nmade[0].only()", ["Other.only"]),
        ("made = [Node(), Other()]\nmade[0].erase()", []),  # not of one class
        ("made = [Node()] + unknown\nmade[0].erase()", []),
        ("made = [Node()]\nmade = [Other()]\nmade[0].erase()", []),
        ("made = [node()]\nmade[0].erase()", []),
    ],
)
def test_a_list_of_what_one_class_makes(body: str, called: list[str]) -> None:
    assert [name for name in _called(body) if name != "node"] == called


def test_a_module_list_holds_what_the_list_has() -> None:
    conn = index({"torch/nn/modules/module.py": "class Module: ...\nclass ModuleList(Module): ...\n", "torch/a.py": """
import torch
from torch.nn.modules.module import Module, ModuleList
class Layer(Module):
    def forward(self, x): ...
class Model(Module):
    def __init__(self, n):
        layers = [
            Layer(n)
        ]
        layers.extend(Layer(n) for _ in range(n))
        self.layers = ModuleList(layers)
        self.others = ModuleList([Layer(i) for i in range(n)])
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.others[0](x)
"""})  # fmt: skip
    lines = conn.execute(
        "SELECT c.line FROM python_calls AS c JOIN python_resolutions AS r ON r.target_id = c.target_id AND c.kind <> 7"
        " JOIN python_functions AS p ON p.id = r.function_id WHERE p.name = 'Layer.forward' ORDER BY 1"
    )
    assert [line for (line,) in lines] == [16, 17]
