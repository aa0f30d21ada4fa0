"""Tables that decorators fill without naming them: those that they are handed, objects, and functions that dispatch."""

from __future__ import annotations

import sqlite3

import pytest

from indexer.facts.python import REGISTERED
from tests.unit.support.python_sources import index

SOURCES = {
    "torch/__init__.py": "",
    "torch/handed.py": """
import functools

TABLE = {}
OTHER = {}

def register_func(tables, op, schema):
    if not isinstance(tables, list):
        tables = [tables]
    def wrapper(func):
        for table in tables:
            table[op] = functools.partial(func, op)
        return func
    return wrapper

def only_told(tables, op):
    def wrapper(func):
        tables[op] = op
        return func
    return wrapper

register_jagged = functools.partial(register_func, TABLE)
register_nothing = functools.partial(only_told, OTHER)

@register_jagged("a", "b")
def of_table(x): ...

@register_nothing("a")
def of_nothing(x): ...

def look(op):
    return OTHER[op], TABLE.get(op)
""",
    "torch/readers.py": """
def read(op):
    from .handed import TABLE
    if op in TABLE:
        return TABLE[op](op)
""",
    "torch/registry.py": """
class Registry:
    def __init__(self):
        self._held = {}
    def register(self, name, func):
        self._held[name] = func
    def group(self, name):
        return self._held.get(name)
    def names(self):
        return set(self._held)

class Unfilled:
    def group(self, name):
        return self._held[name]

registry = Registry()
unfilled = Unfilled()

def symbolic(name, opset, decorate=None):
    def wrapper(func):
        decorated = func
        registry.register(name, decorated)
        unfilled.register(name, opset)
        return func
    return wrapper
""",
    "torch/symbolic.py": """
import functools
from torch import registry

_symbolic = functools.partial(registry.symbolic, opset=9)

@_symbolic("aten::eye")
def eye(g): ...
""",
    "torch/single.py": """
import functools

@functools.singledispatch
def shown(x): ...

@shown.register
def _(x: int): ...

@shown.register(str)
def _text(x): ...

@functools.singledispatch
def impl(lib):
    return lib

@impl("here")
def kernel(x): ...
""",
    "torch/elsewhere.py": """
from torch import single

@single.shown.register(float)
def number(x): ...
""",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index(SOURCES)


def looked_up(conn: sqlite3.Connection, function: str) -> set[tuple[str, int]]:
    """What may run where a function looks something up, and in which line it does."""
    found = conn.execute(
        """
        SELECT m.name || '.' || f.name, c.line FROM python_calls AS c
        JOIN python_functions AS u ON u.id = c.caller_id
        JOIN python_modules AS n ON n.id = u.module_id
        JOIN python_resolutions AS r ON r.target_id = c.target_id
        JOIN python_functions AS f ON f.id = r.function_id
        JOIN python_modules AS m ON m.id = f.module_id
        WHERE c.kind = ? AND n.name || '.' || u.name = ?
        """,
        (REGISTERED, function),
    )
    return {tuple(row) for row in found}


def test_what_a_decorator_is_handed(conn: sqlite3.Connection) -> None:
    assert looked_up(conn, "torch.handed.look") == {("torch.handed.of_table", 32)}


def test_a_table_that_a_function_imports(conn: sqlite3.Connection) -> None:
    assert looked_up(conn, "torch.readers.read") == {("torch.handed.of_table", 5)}


def test_an_object_that_is_handed_what_is_decorated(conn: sqlite3.Connection) -> None:
    assert looked_up(conn, "torch.registry.Registry.group") == {("torch.symbolic.eye", 8)}
    assert not looked_up(conn, "torch.registry.Registry.names")
    assert not looked_up(conn, "torch.registry.Unfilled.group")


def test_what_single_dispatch_registers(conn: sqlite3.Connection) -> None:
    assert looked_up(conn, "torch.single.shown") == {
        ("torch.single._", 5),
        ("torch.single._text", 5),
        ("torch.elsewhere.number", 5),
    }
    assert not looked_up(conn, "torch.single.impl")
