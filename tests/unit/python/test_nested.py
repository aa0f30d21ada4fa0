"""What nested functions are decorated with and take, and what stands behind square brackets."""

from __future__ import annotations

import pytest

from indexer.facts.python import UNKNOWN
from tests.unit.support.python_sources import read

NODE = """
class Node:
    def erase(self): ...
class Bag(Base):
    def add(self, node): ...
class Other:
    def erase(self): ...
def wraps(f): ...
def node_of(x): ...
TABLE = node_of(1)
"""


def _calls(body: str) -> list[tuple[str, int]]:
    """Targets without the module, and lines within the body, of the calls of its functions."""
    fact = read(NODE + body, "torch/example.py")
    first = NODE.count("\n")
    return sorted(
        (call.target.removeprefix("torch.example."), call.line - first)
        for call in fact.calls
        if call.line > first
        and call.kind == "call"
        and not call.target.startswith(("?", "custom("))
    )


@pytest.mark.parametrize("head", ["def outer(f):", "def outer(f, x: torch.Tensor):"])
def test_what_decorates_a_nested_function_is_called(head: str) -> None:
    body = f"""{head}
    @wraps
    @Node
    def inner(): ...
    @wraps
    class Inner: ...
    @f
    def other(): ...
def next(): ...
@wraps
def later(): ...
"""
    found = _calls(body)
    assert [call for call in found if call != ("wraps", 5)] == [("Node", 3), ("wraps", 2)]


def test_the_arguments_of_a_nested_function_s_decorator_are_read() -> None:
    body = """import torch
def outer(x: torch.Tensor):
    @wraps(node_of(x))
    def inner(): ...
"""
    assert _calls(body) == [("node_of", 3), ("wraps", 3)]


def test_parameters_of_nested_functions_are_what_they_say() -> None:
    body = """def outer(taken, other: Other):
    def visit(node: Node, *, depth: int = 0): node.erase()
    def ask(other: Node, taken: Node):
        other.erase()
        taken.erase()
    def either(one: Node): ...
    def or_this(one: Other): one.erase()
    def untold(bare): bare.erase()
"""
    assert _calls(body) == [
        ("Node().erase", 2), ("Node().erase", 4), ("Node().erase", 5), ("Other().erase", 7),
    ]  # fmt: skip


def test_a_nested_function_has_names_of_its_own() -> None:
    """As `get_context` in torch/_inductor/kernel/mm.py, whose `context` is another than the one around it."""
    body = """def outer(seen: Bag, items: list[Other]):
    def make():
        node = Node()
        node.erase()
        def deeper(seen: Node):
            nonlocal node
            node = Node()
            seen.erase()
            node.erase()
    node = node_of(make)
    node.erase()
    for item in items: item.erase()
    def told(seen: str, node: Bag):
        seen.erase()
        node.add(seen)
    def untold(node):
        node.erase()
        with Other() as seen:
            seen.erase()
"""
    methods = [call for call in _calls(body) if "()." in call[0]]
    assert methods == [
        ("Bag().add", 15), ("Node().erase", 4), ("Node().erase", 8), ("Node().erase", 9),
        ("Other().erase", 12), ("Other().erase", 19), ("node_of().erase", 11),
    ]  # fmt: skip


def test_a_nested_function_takes_what_the_one_around_it_imports() -> None:
    body = """def outer(kind):
    from torch.kinds import Kind
    def one(x: Kind):
        x.ask()
    def other(x: Node, once: Kind):
        x.erase()
        once.ask()
"""
    assert _calls(body) == [
        ("Node().erase", 6), ("torch.kinds.Kind().ask", 4), ("torch.kinds.Kind().ask", 7),
    ]  # fmt: skip


def test_a_parameter_stays_what_it_was_declared_as() -> None:
    body = """def declared(node: "Node", bare, bag: Bag):
    node = bare.replaced(node)
    node.erase()
    bare = unknown(node)
    bare.erase()
    bag = Other()
    bag.erase()
"""
    assert _calls(body) == [("Node().erase", 3), ("Other", 6), ("Other().erase", 7)]


def test_a_generic_class_is_called_by_its_name() -> None:
    body = """def text(given: Bag[Node]):
    seen = Bag[tuple[Node, int]]()
    seen.add(1)
    given.add(1)
    made = TABLE[seen](1)
    made.erase()
"""
    assert _calls(body) == [
        ("Bag", 2), ("Bag().add", 3), ("Bag().add", 4), ("TABLE[]", 5), ("TABLE[]().erase", 6),
    ]  # fmt: skip
    body = """import torch
def values(x: torch.Tensor):
    seen = Bag[Node]()
    seen.add(x)
    TABLE[x](x)
"""
    assert [call for call in _calls(body) if call[0].startswith("Bag")] == [
        ("Bag", 3),
        ("Bag().add", 4),
    ]


def test_a_method_is_called_on_an_element() -> None:
    body = """def text(nodes: list[Node], named: dict[str, Node], bare):
    nodes[0].erase()
    nodes[len(bare[1])].erase()
    named[f"{bare}"].erase()
    nodes[1:].erase()
    bare[0].erase()
"""
    found = [call for call in _calls(body) if call[0] != "len"]
    assert found == [("Node().erase", 2), ("Node().erase", 3), ("Node().erase", 4)]


def test_a_mapping_is_looped_over_by_its_keys() -> None:
    body = """import torch
def values(x: torch.Tensor, named: dict[str, Node]):
    for key in named:
        key.erase()
    for node in named.values():
        node.erase()
    named[x].erase()
    named.items().erase()
"""
    found = [call for call in _calls(body) if call[0] != UNKNOWN]
    assert found == [("Node().erase", line) for line in (6, 7)]


def test_defaults_of_a_nested_function_are_made_where_it_is_defined() -> None:
    body = """import torch
def outer(x: torch.Tensor):
    def inner(y, z=node_of(x), *, key=wraps, none=None, w): ...
    return inner
"""
    assert _calls(body) == [("node_of", 3)]
    fact = read(NODE + body, "torch/example.py")
    references = [call.target for call in fact.calls if call.kind == "reference"]
    assert "torch.example.wraps" in references


@pytest.mark.parametrize("typed", ["", ", x: torch.Tensor"])
def test_super_is_that_of_the_class_within_the_function(typed: str) -> None:
    body = f"""
class Maker(Base):
    def make(self{typed}):
        super().before()
        class Made(Bag, metaclass=Other):
            text = '''
  a text
'''
            def add(self, node):
                return super().add(node)
            class Inner:
                def erase(self):
                    super().erase()
        super().make()
        return Made
def alone(x{typed}):
    class Made(unknown, Node):
        def erase(self):
            super().erase()
"""
    assert [call for call in _calls("import torch\n" + body) if call[0] != "Base"] == [
        ("Bag.add", 11),
        ("Node.erase", 20),
        ("super(torch.example.Maker).before", 5),
        ("super(torch.example.Maker).make", 15),
    ]
