"""What decorators put into a module's dictionary or list, for a function to look it up: `@register_kl(Normal, Normal)`.

Nobody names such a function again. Told are the three ends, which may stand in three files: who fills the table, what
is decorated by it, and who reads the table; the link step joins them. Only tables that a decorator's own text fills
with what it decorates, `_KL_REGISTRY[type_p, type_q] = fun`, and those of handed_tables.py and held_functions.py.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator

from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.handed_tables import handed, imported_within, taken
from indexer.extract.python.held_functions import held
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import DECORATED, DECORATOR, FILLS, LOOKS_UP, TABLE, PythonCalls

_MAKERS = frozenset(("dict", "list", "defaultdict", "OrderedDict"))
_PUT = re.compile(r"(?:\[[^\n=]{0,200}\] = |\.(?:append|insert|setdefault)\()([^\n]{0,200})")
_IS_PUT = re.compile(r"\[[^\n=]{0,200}\] = ")
# A loop over it, or what it holds for a key; whether it holds a key at all says nothing of what runs.
_LOOP = re.compile(r"\bfor [^\n:]{0,200} in \Z")
_LOOP_ROOM = 208  # of such a head, in characters
_TAKES_OUT = ("[", ".get(", ".items(", ".values(")
_WORD = re.compile(r"[^\W\d]\w*")
COMMON = frozenset(
    ("property", "setter", "staticmethod", "classmethod", "overload", "wraps", "lru_cache", "contextmanager",
     "abstractmethod", "deprecated", "compatibility", "py_impl", "py_functionalize_impl", "py_autograd_impl")
)  # fmt: skip
"""Decorators that say how a name is bound or what is run around it, and those that operators have (torch/_ops.py)."""
_TESTING = "torch/testing/"


def read(unit: PyUnit, definitions: Definitions, scope: Scope, calls: PythonCalls) -> None:
    """Add what a file's functions have to do with such tables.

    Args:
        unit: the file.
        definitions: its functions.
        scope: its names.
        calls: where it is added.
    """
    functions = [
        (found, unit.spans[found.node.lineno])
        for found in definitions.functions
        if found.node.lineno in unit.spans
    ]
    for position, (found, _) in enumerate(functions):
        if unit.path.startswith(_TESTING):
            break
        for name, line in _decorators(found):
            target = scope.target(name)
            if target:
                calls.add(position, f"{target}{DECORATOR}", DECORATED, line)
    order = sorted(range(len(functions)), key=lambda position: functions[position][1].body)
    bodies = [functions[position][1].body for position in order]

    def within(at: int) -> list[int]:
        """The function of the module or of a class that a place is in, if any."""
        last = bisect_right(bodies, at) - 1
        return [order[last]] if last >= 0 and at < functions[order[last]][1].end else []

    tables = {name: f"{definitions.module}.{name}{TABLE}" for name in _made(definitions)}
    filled = set()
    for ends in (
        handed(unit, definitions, functions, tables),
        held(unit, definitions, scope, functions),
    ):
        for position, table, kind, line in ends:
            calls.add(position, table, kind, line)
    for name, table in tables.items():
        for start, end in _places(unit.code, name):
            match = _PUT.match(unit.code, end)
            for position in within(start) if match else ():
                found, span = functions[position]
                put_in = set(_WORD.findall(match[1])) if match else set()
                if not found.scope and taken(unit.code, found, span) & put_in:
                    calls.add(position, table, FILLS, unit.line(start))
                    filled.add(position)
    tables |= {
        name: f"{scope.names[name]}{TABLE}"
        for name in (binding.name for binding in definitions.imports)
        if name.isupper() and name in scope.names
    }
    tables = {name: f"{path}{TABLE}" for name, path in imported_within(unit, definitions)} | tables
    for name, table in tables.items():
        for start, end in _places(unit.code, name):
            for position in within(start) if _looks_up(unit.code, start, end) else ():
                if position not in filled:
                    calls.add(position, table, LOOKS_UP, unit.line(start))


def _places(code: str, name: str) -> Iterator[tuple[int, int]]:
    """Where a name stands as a whole word: a search for it as it is, which is many times faster than an expression."""
    start = code.find(name)
    while start >= 0:
        end = start + len(name)
        if not _is_in_word(code[start - 1 : start]) and not _is_in_word(code[end : end + 1]):
            yield start, end
        start = code.find(name, end)


def _is_in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _looks_up(code: str, start: int, end: int) -> bool:
    if _IS_PUT.match(code, end):
        return False
    if code.startswith(_TAKES_OUT, end) and not code.endswith((".", "del "), 0, start):
        return True
    return code.endswith(" in ", 0, start) and bool(
        _LOOP.search(code, max(0, start - _LOOP_ROOM), start)
    )


def _decorators(found: FunctionNode) -> Iterator[tuple[str, int]]:
    for decorator in found.node.decorator_list:
        name = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if name and name.rpartition(".")[2] not in COMMON:
            yield name, decorator.lineno


def _made(definitions: Definitions) -> Iterator[str]:
    """Names that a module gives to dictionaries and lists."""
    for found in definitions.assignments:
        value = found.value
        if not found.scope and (
            isinstance(value, (ast.Dict, ast.List))
            or (isinstance(value, ast.Call) and dotted(value.func).rpartition(".")[2] in _MAKERS)
        ):
            yield found.name
