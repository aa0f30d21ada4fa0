"""What tells of which class an object is that no call of that class makes: `__new__`, `@C`, private names."""

from __future__ import annotations

from collections.abc import Mapping

from tests.unit.support.python_torch import index_torch


def _called(files: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """Who calls what for sure, with the lines."""
    rows = index_torch(files).execute(
        "SELECT caller.name, c.line, called.name FROM python_calls AS c"
        " JOIN python_functions AS caller ON caller.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS called ON called.id = r.function_id WHERE c.kind IN (0, 2) ORDER BY 1, 2, 3"
    )
    return [tuple(row) for row in rows]


def test_what_new_makes_is_an_object_of_the_class() -> None:
    text = """\
class Layer:
    def fill_in(self): ...
    def like(self):
        made = self.__new__(type(self))
        made.fill_in()
    @classmethod
    def make(cls):
        made = cls.__new__(cls)
        made.fill_in()
class Said:
    def __new__(cls) -> Layer: ...
    def fill_in(self): ...
def copies():
    made = Layer.__new__(Layer)
    made.fill_in()
    said = Said.__new__(Said)
    said.fill_in()
    other = foreign.__new__(Layer)
    other.fill_in()
"""
    assert _called({"torch/a.py": text}) == [
        ("Layer.like", 5, "Layer.fill_in"),
        ("Layer.make", 9, "Layer.fill_in"),
        ("copies", 15, "Layer.fill_in"),
        ("copies", 16, "Said.__new__"),
        ("copies", 17, "Layer.fill_in"),
    ]


def test_a_class_over_a_function_makes_an_object_of_it() -> None:
    """`FunctionIdSet` of torch/_dynamo/trace_rules.py; whoever calls that still runs the function."""
    text = """\
class Ids:
    def add(self, one): ...
    def __contains__(self, one): ...
@Ids
def allowed(): ...
@Ids.of
def other(): ...
def use(x):
    allowed.add(x)
    allowed()
    other.add(x)
    return x in allowed
"""
    assert _called({"torch/a.py": text}) == [
        ("use", 9, "Ids.add"),
        ("use", 10, "allowed"),
        ("use", 12, "Ids.__contains__"),
    ]


def test_a_function_makes_one_of_several_classes() -> None:
    """`_DatasetKind.create_fetcher` of torch/utils/data/dataloader.py: what is called on it may be either's."""
    text = """\
class Map:
    def fetch_it(self): ...
class Iterable:
    def fetch_it(self): ...
def create(kind):
    if kind:
        return Map(kind)
    return Iterable(kind)
def unclear(kind):
    if kind:
        return Map(kind)
    return kind
class Layout:
    def fixed(self):
        if isinstance(self, Fixed):
            return self
        return Fixed(self)
    def fetch_it(self): ...
class Fixed(Layout):
    def fetch_it(self): ...
def use(kind, layout: Layout):
    create(kind).fetch_it()
    unclear(kind).fetch_it()
    layout.fixed().fetch_it()
"""
    assert [row for row in _called({"torch/a.py": text}) if row[2].endswith("fetch_it")] == [
        ("use", 22, "Iterable.fetch_it"),
        ("use", 22, "Map.fetch_it"),
    ]


def test_a_private_method_is_of_the_class_that_the_call_stands_in() -> None:
    """`use_node.__update_args_kwargs(…)` of torch/fx/node.py, whatever `use_node` is."""
    text = """\
class Node:
    def __update(self): ...
    def __eq__(self, other): ...
    def replace(self, nodes):
        for node in nodes:
            node.__update()
            node.__eq__(self)
class Other:
    def __update(self): ...
def outside(node):
    node.__update()
"""
    assert _called({"torch/a.py": text}) == [("Node.replace", 6, "Node.__update")]
