"""What is called on a name whose class was asked for, and on what `functools.partial` makes."""

from __future__ import annotations

import pytest

from tests.unit.support.python_sources import read

HEAD = """import functools
from functools import partial
class Node:
    def erase(self): ...
class Fused(Node): ...
def check(x): ...
def run(x, y, node: Node):
"""


def _called(body: str) -> list[tuple[str, int]]:
    """Targets within the module and lines in the body of the methods and functions that it calls."""
    fact = read(HEAD + "".join(f"    {line}\n" for line in body.split("\n")), "torch/a.py")
    first = HEAD.count("\n")
    return sorted(
        {
            (call.target.removeprefix("torch.a."), call.line - first)
            for call in fact.calls
            if call.line > first
            and call.kind == "call"
            and not call.target.startswith(("?", "custom("))
        }
    )


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("if isinstance(x, Node):\n    x.erase()\n\n    x.a(x.b())\nx.c()", [("Node().a", 4), ("Node().b", 4), ("Node().erase", 2)]),
        ("if y and isinstance(x, Fused) and x.a():\n    pass\nelif isinstance(x, Node):\n    x.b()\nelse:\n    x.c()",
         [("Fused().a", 1), ("Node().b", 4)]),
        ("assert isinstance(x, Node)\nx.a()\nif y:\n    x.b()", [("Node().a", 2), ("Node().b", 4)]),
        ("if y:\n    assert isinstance(x, Node), y\n    x.a()\nx.b()", [("Node().a", 3)]),
        ("if y:\n    assert isinstance(x, Node), y\nx.b()", []),
        ("return isinstance(x, Node) and x.a() or x.b()", [("Node().a", 1)]),
        ("if isinstance(x, (Node, Fused)):\n    x.a()", [("union(torch.a.Node()|torch.a.Fused()).a", 2)]),
        ("if isinstance(x, (Node, str)):\n    x.a()", [("Node().a", 2)]),
        # What is read may be a property.
        ("if isinstance(x, Node):\n    y = x.a.b\n    x.a.c()\n    x.a = 1",
         [("Node().a!", 2), ("Node().a!", 3), ("Node().a.b!", 2), ("Node().a.c", 3)]),
        # Where it may be something else, or is something else by then.
        ("if not isinstance(x, Node):\n    x.a()", []),
        ("if y or isinstance(x, Node):\n    x.a()", []),
        ("if isinstance(x, Node) or y:\n    x.a()", []),
        ("if isinstance(x, Node):\n    x.a()\n    x = y.x\n    x.b()", [("Node().a", 2)]),
        ("if isinstance(x, str):\n    x.a()", []),
        # What a name is declared as says less.
        ("if isinstance(node, Fused):\n    node.a()", [("Fused().a", 2), ("Node().a", 2)]),
        # Whoever goes on has it.
        ("for x in y:\n    if not isinstance(x, Node):\n        continue\n    x.a()\nx.b()", [("Node().a", 4)]),
        ("if not isinstance(x, Node):\n    raise ValueError(x.z())\nx.a()", [("Node().a", 3)]),
        ("if not isinstance(x, Node):\n    x.z()\nx.a()", []),
        ("if not isinstance(x, Node):\n    return x.z()\nelse:\n    x.b()", [("Node().b", 4)]),
        ("if y and not isinstance(x, Node):\n    return\nx.a()", []),
        ("if not isinstance(x, Node) and y:\n    return\nx.a()", []),
        ("for x in y:\n    if not isinstance(x, Node):\n        # why\n        continue\n    x.a()", [("Node().a", 5)]),
        ("for z in y:\n    if not isinstance(z, Node):\n        continue\n\n    z.a()", [("Node().a", 5)]),
        ("z = y[0].b\nassert isinstance(z, Node)\nz.a()", [("Node().a", 3)]),
        # Of several questions of which none may be so, what is asked behind it, too.
        ("if not isinstance(x, Node) or x.a():\n    return\nx.b()", [("Node().a", 1), ("Node().b", 3)]),
        ("if y.a() or not isinstance(x, Node):\n    return\nx.b()", [("Node().b", 3)]),
        ("if not isinstance(x, Node) or not isinstance(y, Fused):\n    return\nx.b(y.c())",
         [("Fused().c", 3), ("Node().b", 3)]),
        ("if not isinstance(x, Node) or x.a():\n    y = 1\nx.b()", [("Node().a", 1)]),
        ("return not isinstance(x, Node) or x.a()", [("Node().a", 1)]),
        ("if not isinstance(x, Node) or x.a() and y:\n    return\nx.b()", []),
        ("if y and z or not isinstance(x, Node):\n    return\nx.b()", []),
        ("if check(not isinstance(x, Node) or x.a()):\n    return\nx.b()", [("check", 1)]),
        # Over several lines.
        ("if (\n    isinstance(x, Node)\n    and x.a()\n):\n    x.b()\nx.c()", [("Node().a", 3), ("Node().b", 5)]),
        ("assert (\n    y\n    and isinstance(x, Node)\n)\nx.b()", [("Node().b", 5)]),
        ("assert (\n    isinstance(x, Node)\n), y\nx.b()", [("Node().b", 4)]),
        ("if (\n    y\n    or isinstance(x, Node)\n):\n    x.b()", []),
        ("if (\n    isinstance(x, Node)\n    or y\n):\n    x.b()", []),
        ("check(\n    isinstance(x, Node)\n)\nx.b()", [("check", 1)]),
        # What is no local name, and what has another's name.
        ("if isinstance(Node, Fused):\n    Node.a()", [("Node.a", 2)]),
        ("if isinstance(x, Node):\n    y.x.a()\n    xx.b()", []),
        # What is a name's own, and what it gives.
        ("if isinstance(x.held, Node):\n    x.held.a()\n    x.b()\n    x.held.other.c()",
         [("Node().a", 2), ("Node().other!", 4), ("Node().other.c", 4)]),
        ("assert isinstance(x.held, Node)\nx.held = x.held.a(\n    x.held.b())\nx.held.c()", [("Node().a", 2), ("Node().b", 3)]),
        ("assert isinstance(x.held, Node)\nx = y\nx.held.c()", []),
        ("assert isinstance(x, Node)\nx = x.a()\nx.c()", [("Node().a", 2)]),
        ("if isinstance(x.held(), Node) and x.held().a():\n    x.held().b()\n    x.held(1).c()",
         [("Node().a", 1), ("Node().b", 2)]),
        # What a case asks for.
        ("match x:\n    case Node():\n        x.a()\n    case Fused(n=1) | Node() if y:\n        x.b()\n    case _:\n        x.c()",
         [("Node().a", 3), ("union(torch.a.Fused()|torch.a.Node()).b", 5)]),
        ("match x.y:\n    case Node():\n        x.a()", []),
        ("match y:\n    case 1:\n        match x:\n            case Node():\n                y.a()\n    case Fused() as z:\n        y.b()",
         [("Fused().b", 7)]),
        ("match x:\n    case Node() | None:\n        x.a()", []),
        # A guard calls, and so does what a variable of that name is given.
        ("match y:\n    case Node() if check(y):\n        pass\ncase = check(y)\ncase in check(y)", [("check", 2), ("check", 4), ("check", 5)]),
    ],
)  # fmt: skip
def test_a_name_that_was_asked_for_its_class(body: str, called: list[tuple[str, int]]) -> None:
    assert _called(body) == called


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("f = functools.partial(check, y)\nf()", [("check", 2)]),
        ("f = partial(\n    Node, y)\nf(x).erase()", [("Node", 3), ("Node().erase", 3)]),
        ("f = y.partial(check)\nf()", []),
        ("f = functools.partial(y, x)\nf()", []),
    ],
)
def test_what_a_partial_is_called_as(body: str, called: list[tuple[str, int]]) -> None:
    assert _called(body) == called
