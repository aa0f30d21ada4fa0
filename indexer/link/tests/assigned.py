"""Tests that a class body takes from elsewhere: `test_a_cpu = Base._test_a`, `test_seq = make_test(Seq())`.

To unittest and pytest a test is what the class has under such a name, however it came there.
"""

from __future__ import annotations

import bisect
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

# What makes tests is called after them: make_test, multi_record_test, make_cpp_wrapper_test. Other calls give values.
_MAKER = "test"
_DEPTH = 20


class Assigned(NamedTuple):
    """A test that an assignment makes.

    Args:
        name: of the test.
        class_id: of its Python class.
        function_id: what is run: the function that it is, that is wrapped for it, or that makes it.
        line: of the assignment.
        end_line: where the next thing of the class begins, at the latest.
    """

    name: str
    class_id: int
    function_id: int
    line: int
    end_line: int


def assigned_tests(
    conn: sqlite3.Connection,
    classes: Collection[int],
    bases: Mapping[int, list[int]],
) -> Iterator[Assigned]:
    """The tests of Python classes that their bodies assign.

    Args:
        conn: an index whose Python layer is linked.
        classes: ids of the classes that hold tests.
        bases: by class, the classes that it derives from.
    """
    functions = _Functions(conn, bases)
    found: dict[tuple[int, str], tuple[int, int, int, int]] = {}
    for class_id, of, end_line, name, target, kind, line, file_id in conn.execute(
        "SELECT c.id, c.name, c.end_line, b.name, b.target, b.kind, b.line, m.id FROM python_bindings AS b"
        " JOIN python_modules AS m ON m.id = b.module_id"
        " JOIN python_classes AS c ON c.module_id = m.id AND c.name = m.name || '.' || b.scope"
        " WHERE b.name GLOB 'test*' AND b.scope <> '' AND b.kind IN ('alias', 'call')"
        " AND b.line BETWEEN c.line AND c.end_line ORDER BY c.id, b.line, b.id"
    ).fetchall():
        if class_id in classes and not functions.has(class_id, f"{of.rpartition('.')[2]}.{name}"):
            function_id = functions.run_by(target, is_call=kind == "call")
            if function_id is not None:
                # Of the branches of an `if` the last.
                found[class_id, name] = function_id, line, end_line, file_id
    begun: dict[int, list[int]] = {}
    for (class_id, name), (function_id, line, end_line, module_id) in found.items():
        lines = begun.get(module_id)
        if lines is None:
            lines = begun[module_id] = _begun(conn, module_id)
        after = bisect.bisect_right(lines, line)
        last = min(end_line, lines[after] - 1 if after < len(lines) else end_line)
        yield Assigned(name, class_id, function_id, line, last)


def _begun(conn: sqlite3.Connection, module_id: int) -> list[int]:
    """The lines on which functions, classes and assignments of a module begin."""
    rows = conn.execute(
        "SELECT line FROM python_bindings WHERE module_id = :module"
        " UNION SELECT line FROM python_functions WHERE module_id = :module"
        " UNION SELECT line FROM python_classes WHERE module_id = :module ORDER BY 1",
        {"module": module_id},
    )
    return [line for (line,) in rows]


class _Functions:
    """Finds functions and methods by their targets, inherited ones too."""

    def __init__(self, conn: sqlite3.Connection, bases: Mapping[int, list[int]]) -> None:
        self._conn = conn
        self._bases = bases

    def has(self, class_id: int, name: str) -> bool:
        """Whether a class has a method of its own that is called so."""
        return self._method(class_id, name.rpartition(".")[2]) is not None

    def run_by(self, target: str, *, is_call: bool) -> int | None:
        """What runs where the value of an assignment is a test; None where it is none, as far as known.

        Args:
            target: of the binding; of a call what is called, and after bars what it is given.
            is_call: whether it is one.
        """
        called, *given = target.split("|")
        if not is_call:
            return self._function(called)
        for part in given:
            # functools.partialmethod(Base._test_a, dtype=…), unittest.skipIf(…)(test_a)
            function_id = self._function(part)
            if function_id is not None:
                return function_id
        if _MAKER in called.rpartition(".")[2].lower():
            return self._function(called)
        return None

    def _function(self, target: str) -> int | None:
        owner, _, last = target.replace(":", ".").rpartition(".")
        if not owner:
            return None
        row = self._conn.execute(
            "SELECT p.id FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id"
            " WHERE m.name = ? AND p.name = ? AND p.class_id IS NULL ORDER BY p.id DESC LIMIT 1",
            (owner, last),
        ).fetchone()
        if row is not None:
            return int(row[0])
        row = self._conn.execute(
            "SELECT id FROM python_classes WHERE name = ? ORDER BY id DESC LIMIT 1", (owner,)
        ).fetchone()
        return None if row is None else self._inherited(int(row[0]), last)

    def _inherited(self, class_id: int, name: str) -> int | None:
        pending, seen = [class_id], {class_id}
        while pending:
            at = pending.pop(0)
            found = self._method(at, name)
            if found is not None:
                return found
            for base in self._bases.get(at, ()):
                if base not in seen and len(seen) < _DEPTH:
                    seen.add(base)
                    pending.append(base)
        return None

    def _method(self, class_id: int, name: str) -> int | None:
        row = self._conn.execute(
            "SELECT id FROM python_functions WHERE class_id = ?"
            " AND substr(name, -length(?) - 1) = '.' || ? ORDER BY id DESC LIMIT 1",
            (class_id, name, name),
        ).fetchone()
        return None if row is None else int(row[0])
