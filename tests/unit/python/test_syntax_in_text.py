"""What syntax runs in bodies that are read as text, and what names are that are given several things."""

from __future__ import annotations

from tests.unit.support.python_sources import read
from tests.unit.support.python_torch import index_torch

SOURCE = """
import torch
class Bag:
    def __contains__(self, item): ...
    def __sub__(self, other): ...
    held: dict
OTHER = Bag()

def looks(bag: Bag, items: list[Bag], own: Bag):
    if items in bag and not (own not in bag.held):
        bag[items[0]] = 1
        del bag[1]
        bag[bag[2]] += 1
    for own in bag:
        pass
    found = [one for one in bag if one in own]
    left = bag - own
    own |= bag
    number = items - 1
    return Bag | own, OTHER - bag, left, 1 in OTHER.held, 1 in unknown.held
def texts(bags: list[Bag], bag: Bag):
    number = torch.ones(2).tolist()
    for each in bags:
        each["one"]
        unknown(bags[0].held[1]["one"])
    return bag["two"], number[0]
def nested(bag: Bag):
    def inner(bag: list):
        return 1 in bag
    return inner in bag
"""


def test_syntax_runs_methods_of_objects_that_are_known() -> None:
    fact = read(SOURCE, "torch/example.py")
    found = sorted(
        (call.line, call.target.replace("torch.example.", ""))
        for call in fact.calls
        if call.kind == "operator"
    )
    assert found == [
        (10, "Bag().__contains__"),
        (10, "Bag().held.__contains__"),
        (11, "Bag().__setitem__"),
        (12, "Bag().__delitem__"),
        (13, "Bag().__getitem__"),
        (13, "Bag().__getitem__"),
        (16, "Bag().__contains__"),
        (17, "Bag().__sub__"),
        (18, "Bag().__ior__"),
        (20, "OTHER.held.__contains__"),
        (24, "Bag().__getitem__"),
        (26, "Bag().__getitem__"),
        (30, "Bag().__contains__"),
    ]


GIVEN = """\
class Node:
    def erase(self): ...
class Fused(Node):
    def erase(self): ...
def make() -> Node: ...
def fuse() -> Fused: ...
def unknown(): ...

def several(flag):
    if flag:
        node = make()
    else:
        node = fuse()
    node.erase()

def declared(node: Node):
    node = unknown()
    node = unknown(node)
    node.erase()

def before(node: Node):
    node.erase()
    node = fuse()
    node = unknown(node)
    node.close()

def partly(flag):
    node = unknown()
    node = make() if flag else None
    node.erase()

def named(flag):
    if node := make():
        node.erase()
    while other := flag:
        other.erase()

def demanded(node):
    if not isinstance(node, Fused):
        raise TypeError(
            "no node"
        )
    node.erase()
"""


def test_a_name_may_be_any_of_the_things_that_it_is_given() -> None:
    conn = index_torch({"torch/example.py": GIVEN})
    rows = conn.execute(
        "SELECT DISTINCT caller.name, called.name FROM python_calls AS c"
        " JOIN python_functions AS caller ON caller.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS called ON called.id = r.function_id"
        " WHERE called.name LIKE '%.erase' AND c.kind = 0 ORDER BY 1, 2"
    )
    assert [tuple(row) for row in rows] == [
        ("before", "Fused.erase"),
        ("before", "Node.erase"),
        ("declared", "Node.erase"),
        ("demanded", "Fused.erase"),
        ("named", "Node.erase"),
        ("partly", "Node.erase"),
        ("several", "Fused.erase"),
        ("several", "Node.erase"),
    ]
