"""Layer 4's tables in memory, arranged for looking names up."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.python.beside import PACKAGES

_TYPE_PARAMETERS = re.compile(r"(?:\w+\.)*(?:Generic|Protocol)\[(.*)\]\Z", re.DOTALL)
_NAME = re.compile(r"\w+")
_PATH = re.compile(r"\w+(?:\.\w+)*\Z")


class Entity(NamedTuple):
    """What a target stands for.

    Args:
        kind: module, class, instance, function, native (a name bound in C++), list (of what
            `inner` is), tuple (of `parts`), type (what annotations name: `inner` is an object of it), choice (one of
            `choices`, as arguments decide) or path (a dotted name that the tree does not define).
        id: of the row; 0 where there is none.
        path: dotted name, for natives and paths; `dict` of a list that is the values of a mapping; of an instance that
            is a higher-order operator, the operator's below `torch.ops`; `inner` of a function that stands for one
            within it.
        inner: of a list; of an object of a generic class what it is told to be for, and of its methods.
        parts: of a tuple, in their order.
        choices: of a choice, and of an instance that may be one of others as well.
    """

    kind: str
    id: int
    path: str = ""
    inner: Entity | None = None
    choices: tuple[Entity, ...] = ()
    parts: tuple[Entity, ...] = ()


class Binding(NamedTuple):
    """A name of a module or class.

    Args:
        kind: as of the facts, or `function` or `class`.
        target: of what it stands for; "" for a function or class.
        line: 1-based.
        guarded: it is not what the name is at runtime, unless nothing else is.
        id: of the function or class; 0 for others.
    """

    kind: str
    target: str
    line: int
    guarded: bool
    id: int


class ModuleRow(NamedTuple):
    """A module.

    Args:
        id: in `python_modules`.
        name: dotted.
        is_package: it is an `__init__.py`.
        has_all: it has an `__all__`.
    """

    id: int
    name: str
    is_package: bool
    has_all: bool


class ClassRow(NamedTuple):
    """A class statement.

    Args:
        id: in `python_classes`.
        module_id: of its module.
        name: with its module.
        guarded: see `PythonBinding`.
        line: 1-based.
    """

    id: int
    module_id: int
    name: str
    guarded: bool
    line: int


class FunctionRow(NamedTuple):
    """A function or method.

    Args:
        id: in `python_functions`.
        module_id: of its module.
        class_id: of a method's class.
        name: within its module.
        kind: as in `PythonFunction`.
        returns: target of what it says to return, or an empty string.
        line: of the `def`, 1-based.
    """

    id: int
    module_id: int
    class_id: int | None
    name: str
    kind: str
    returns: str
    line: int


class Tables:
    """What the index holds, by id and by name.

    Args:
        conn: the database.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self.modules: dict[int, ModuleRow] = {}
        self.module_ids: dict[str, int] = {}
        for row in conn.execute(
            "SELECT id, name, is_package, has_all FROM python_modules ORDER BY id"
        ):
            module = ModuleRow(*row)
            self.modules[module.id] = module
            # `a/__init__.py` is found before `a.py` by Python's import system.
            if module.is_package or module.name not in self.module_ids:
                self.module_ids[module.name] = module.id
        # What the names of modules that are in no package begin with.
        tops = {name.partition(".")[0] for name in self.module_ids} - PACKAGES
        self.scripts = tuple(sorted(f"{top}." for top in tops))
        self.exports: dict[int, list[str]] = {}
        for module_id, name in conn.execute(
            "SELECT module_id, name FROM python_exports ORDER BY module_id, position"
        ):
            self.exports.setdefault(module_id, []).append(name)
        self.classes: dict[int, ClassRow] = {}
        self.bases: dict[int, list[str]] = {}
        # Of generic classes: `T` of `class Virtualized(Generic[T])` (PEP 484).
        self.type_parameters: dict[int, list[str]] = {}
        self.class_ids: dict[tuple[int, str], int] = {}
        # By module and class within it (empty for the module's own): name to its bindings.
        self.names: dict[tuple[int, str], dict[str, list[Binding]]] = {}
        self.stars: dict[int, list[Binding]] = {}
        self.forwarded: dict[tuple[int, str], list[str]] = {}  # what a class's `__getattr__` asks
        self._read_classes(conn)
        self.functions: dict[int, FunctionRow] = {}
        self.properties: set[str] = set()  # last parts of their names
        self.setters: set[str] = set()  # likewise
        self._read_functions(conn)
        # `@FunctionIdSet` over a function makes an object of that class of it, which holds the function.
        self.objects = dict(
            conn.execute(
                "SELECT f.id, m.name || '.' || f.decorators FROM python_functions AS f"
                " JOIN python_modules AS m ON m.id = f.module_id"
                " WHERE f.class_id IS NULL AND f.decorators GLOB '[A-Z_]*' AND f.decorators NOT GLOB '*[^A-Za-z0-9_]*'"
            ).fetchall()
        )
        self.objects.update(_decorated_by_calls(conn))
        self._read_bindings(conn)
        self.higher_order = dict(
            conn.execute(
                "SELECT kernel, 'torch.ops.' || replace(operator, '::', '.') FROM registrations"
                " WHERE kind = 'def' AND via = 'HigherOrderOperator' AND kernel IS NOT NULL ORDER BY id"
            ).fetchall()
        )
        # torch/_library/custom_ops.py, custom_op: what it decorates becomes an object that calls the operator.
        self.custom_operators = dict(
            conn.execute(
                "SELECT kernel, 'torch.ops.' || replace(operator, '::', '.') FROM registrations"
                " WHERE kind = 'impl' AND via = 'custom_op' AND kernel NOT LIKE '%<%' AND kernel_form <> 'unknown'"
                " ORDER BY id"
            ).fetchall()
        )
        # What a helper makes in the line where a module defines an operator is that operator: `_make_prim` of
        # torch/_prims/__init__.py gives back `torch.ops.prims.rev.default`, custom_op an object that calls it.
        self.made_operators = {
            (module_id, line): "torch.ops." + _overload_path(operator)
            for module_id, line, operator in conn.execute(
                "SELECT m.id, r.line, min(r.operator) FROM registrations AS r"
                " JOIN python_modules AS m ON m.file_id = r.file_id"
                " WHERE r.kind = 'def' AND r.origin = 'python' AND r.via <> 'HigherOrderOperator'"
                " AND r.operator IS NOT NULL GROUP BY m.id, r.line HAVING count(DISTINCT r.operator) = 1"
            )
        }
        for names in self.names.values():
            for bindings in names.values():
                if len(bindings) > 1:
                    # What stands last holds; what is only there for type checkers never does.
                    bindings.sort(key=lambda b: (not b.guarded, b.line), reverse=True)

    def _bind(self, module_id: int, scope: str, name: str, binding: Binding) -> None:
        self.names.setdefault((module_id, scope), {}).setdefault(name, []).append(binding)

    def local_name(self, row: ClassRow) -> str:
        """Name of the class `row` within its module."""
        return row.name[len(self.modules[row.module_id].name) + 1 :]

    def _read_classes(self, conn: sqlite3.Connection) -> None:
        for row in conn.execute(
            "SELECT id, module_id, name, guarded, line FROM python_classes ORDER BY id"
        ):
            found = ClassRow(*row)
            self.classes[found.id] = found
            local = self.local_name(found)
            scope, _, name = local.rpartition(".")
            guarded = bool(found.guarded)
            self._bind(
                found.module_id, scope, name, Binding("class", "", found.line, guarded, found.id)
            )
            self.class_ids[found.module_id, local] = found.id
        for class_id, target, written in conn.execute(
            "SELECT class_id, target, written FROM python_bases ORDER BY class_id, position"
        ):
            self.bases.setdefault(class_id, []).append(target)
            if match := _TYPE_PARAMETERS.match(written):
                self.type_parameters[class_id] = _NAME.findall(match[1])

    def _read_functions(self, conn: sqlite3.Connection) -> None:
        functions, names, make = self.functions, self.names, FunctionRow._make
        for *row, hidden in conn.execute(
            "SELECT id, module_id, class_id, name, kind, returns, line,"
            # A signature for type checkers or a property's setter is not what the name is.
            " guarded OR kind IN ('overload', 'setter') FROM python_functions ORDER BY id"
        ):
            number, module_id, _, name, kind, _, line = row
            functions[number] = make(row)
            if kind == "module":
                continue  # no name of the module leads to it
            scope, _, last = name.rpartition(".")
            if kind == "property":
                self.properties.add(last)
            elif kind == "setter":
                self.setters.add(last)
            binding = Binding("function", "", line, hidden == 1, number)
            within = names.get((module_id, scope))
            if within is None:
                names[module_id, scope] = {last: [binding]}
            elif last in within:
                within[last].append(binding)
            else:
                within[last] = [binding]

    def _read_bindings(self, conn: sqlite3.Connection) -> None:
        for module_id, scope, name, kind, target, line, guarded in conn.execute(
            "SELECT module_id, scope, name, kind, target, line, guarded"
            " FROM python_bindings WHERE kind <> 'conforms' ORDER BY id"
        ):
            binding = Binding(kind, target, line, bool(guarded), 0)
            if kind == "star":
                self.stars.setdefault(module_id, []).append(binding)
            elif kind == "forwarded":
                self.forwarded[module_id, scope] = target.split("|")
            else:
                self._bind(module_id, scope, name, binding)


def _overload_path(operator: str) -> str:
    """`prims.rev.default` of prims::rev, as torch/_ops.py names an overload that has no name."""
    namespace, _, name = operator.partition("::")
    return f"{namespace}.{name}" if "." in name else f"{namespace}.{name}.default"


def _decorated_by_calls(conn: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """Functions that one decorator stands over, which is a call, and the target of what that gives."""
    rows = conn.execute(
        "SELECT f.id, m.name || '.' || substr(f.decorators, 1, instr(f.decorators, '(') - 1)"
        " FROM python_functions AS f JOIN python_modules AS m ON m.id = f.module_id"
        " WHERE f.class_id IS NULL AND f.decorators GLOB '[A-Za-z_]*(*)' AND instr(f.decorators, char(10)) = 0"
    )
    for function, name in rows:
        if _PATH.match(name):
            yield function, f"{name}()"
