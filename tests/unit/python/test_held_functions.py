"""Functions that decorators hand to objects, which run them later."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.python.test_handed_tables import looked_up
from tests.unit.support.python_sources import index

SOURCES = {
    "torch/__init__.py": "",
    "torch/matcher.py": """
import dataclasses

@dataclasses.dataclass
class Entry:
    pattern: str
    handler: object

    def apply(self, graph):
        if graph:
            self.handler(graph)
    def named(self):
        return self.handler.__name__

class Other:
    def apply(self):
        self.handler()

def register(pattern):
    def decorator(handler):
        Entry(
            pattern=pattern, handler=handler
        ).register(1)
        return handler
    return decorator

def register_pattern(pattern):
    def decorator(handler):
        Entry(pattern=handler.__name__, handler=pattern)
        return handler
    return decorator

def wrapping(pattern):
    def decorator(handler):
        def inner(*args):
            return Entry(pattern=pattern, handler=handler)
        return inner
    return decorator
""",
    "torch/passes.py": """
from torch.matcher import register, register_pattern, wrapping

@register("a")
def replaced(graph): ...

@register_pattern("a")
def told(graph): ...

@wrapping("a")
def wrapped(graph): ...
""",
    "torch/propagation.py": """
class Propagator:
    def register_rule(self, op, rule, schema=None):
        self.rules[op] = rule
        self.schemas[op] = schema
    def propagate(self, op):
        return self.rules[op](op)
    def by_variable(self, op):
        rule = self.rules.get(op)
        return rule(op)
    def has(self, op):
        return self.rules[op] is not None
    def schema(self, op):
        return self.schemas[op]

class Dispatcher:
    propagator: Propagator = Propagator()

def register_op(op):
    def wrapper(impl):
        Dispatcher.propagator.register_rule(op, impl, None)
        return impl
    return wrapper

registry = Propagator()
""",
    "torch/rules.py": """
from torch.propagation import register_op, registry

@register_op("a")
def a_rule(op): ...

@registry.register_rule("b")
def b_rule(op): ...
""",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index(SOURCES)


def test_an_object_that_a_decorator_makes(conn: sqlite3.Connection) -> None:
    assert looked_up(conn, "torch.matcher.Entry.apply") == {("torch.passes.replaced", 11)}
    assert not looked_up(conn, "torch.matcher.Entry.named")
    assert not looked_up(conn, "torch.matcher.Other.apply")


def test_a_method_that_keeps_what_it_is_given(conn: sqlite3.Connection) -> None:
    """Also one that stands over a function itself."""
    rules = {"torch.rules.a_rule", "torch.rules.b_rule"}
    for method, line in (("propagate", 7), ("by_variable", 9)):
        found = looked_up(conn, f"torch.propagation.Propagator.{method}")
        assert found == {(rule, line) for rule in rules}
    assert not looked_up(conn, "torch.propagation.Propagator.has")
    assert not looked_up(conn, "torch.propagation.Propagator.schema")
