"""Names of what C++ defines: kernels, structured classes, functions, stubs, classes, by their ends."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from pathlib import Path

from torchtalk.counted import few
from torchtalk.names.closest import last_component
from torchtalk.names.meaning import Resolution, Target
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_MOST_NAMES = 8
_STRUCTURED = re.compile(r"(.*::)?structured_(\w+?)(?:::(impl|meta))?")


class CppNames:
    """Finds them in an index.

    Args:
        conn: the index.
        query: as given.
        text: the name in it.
    """

    def __init__(self, conn: sqlite3.Connection, query: str, text: str) -> None:
        self._conn = conn
        self._query = query
        self._text = text
        self._sql = statements(_SQL)

    def kernel(self, name: str) -> Resolution | None:
        """A kernel, with the operators that it is one of."""
        names = self._ending("kernel", name)
        if not names:
            return None
        # Of an end of a name functions that are no kernels are meant as well.
        alike = [] if names == [name] else self._ending("function", name)
        others = [other for other in alike if other not in names]
        if len(names) > 1:
            return Resolution(self._query, candidates=(*names, *others))
        rows = self._rows("kernel", kernel=names[0])
        target = Target("kernel", names[0], tuple(row["name"] for row in rows))
        notes = (f"other functions of this name: {few(others, _MOST_NAMES)}",) if others else ()
        return Resolution(self._query, target, notes=notes)

    def structured(self, name: str) -> Resolution | None:
        """`structured_cat_out_cpu`, `structured_add_Tensor::meta`: classes that are generated (torchgen/gen.py)."""
        match = _STRUCTURED.fullmatch(name)
        if match is None:
            return None
        scope, base, method = match.groups()
        if method != "impl":
            meta = f"{scope or ''}structured_{base}::meta"
            found = self.kernel(meta) or self.other(meta)
            if found is not None:
                return found
        found = self.kernel(f"{scope or ''}{base}") if method != "meta" else None
        if found is None:
            return None
        return replace(found, notes=(f"the kernel of the class {name.removesuffix('::impl')}",))

    def other(self, name: str) -> Resolution | None:
        """A C++ function, a DispatchStub or a C++ class."""
        for kind in ("stub", "function"):
            names = self._ending(kind, name)
            classes = self._made(names) if kind == "function" else []
            if classes:
                return self._one_of("cpp_class", classes)
            if names:
                return self._one_of(kind, names)
        exact = [row["name"] for row in self._rows("cpp_class", name=name)]
        classes = exact or [row["name"] for row in self._rows("cpp_class_ending", name=name)]
        if classes:
            return self._one_of("cpp_class", classes)
        kernels = [row["name"] for row in self._rows("gpu_kernel", name=name)]
        return self._one_of("gpu_kernel", kernels) if kernels else None

    def used(self, name: str) -> Resolution | None:
        """What a namespace has by a using-directive, -declaration or alias: `at::cuda::getCurrentCUDAStream`."""
        scope, _, last = name.rpartition("::")
        for row in self._rows("used", scope=scope, last=last) if scope else ():
            meant = f"{row['target'].lstrip(':')}::{last}"
            for kind in ("kernel", "function"):
                if self._ending(kind, meant) == [meant]:
                    found = self.kernel(meant) if kind == "kernel" else self._one_of(kind, [meant])
                    note = f"{scope} has it from {row['target']} ({row['path']}:{row['line']})"
                    return None if found is None else replace(found, notes=(note, *found.notes))
        return None

    def _one_of(self, kind: str, names: list[str]) -> Resolution:
        if self._text in names:
            names = [self._text]
        if len(names) > 1:
            return Resolution(self._query, candidates=tuple(names))
        return Resolution(self._query, Target(kind, names[0]))

    def _made(self, names: list[str]) -> list[str]:
        """The classes of constructors; none unless all are constructors, and it was not one that was asked for."""
        # A conversion to a class has the look of its constructor: `A::operator at::Tensor`.
        names = [name for name in names if "::operator " not in name]
        scopes = [name.rpartition("::")[0] for name in names]
        scope, _, last = self._text.rpartition("::")
        if last_component(scope) == last or not all(
            last_component(scope) == last_component(name)
            for scope, name in zip(scopes, names, strict=True)
        ):
            return []
        known = [self._rows("cpp_class", name=scope) for scope in dict.fromkeys(scopes)]
        return [rows[0]["name"] for rows in known if rows] if all(known) else []

    def _ending(self, kind: str, name: str) -> list[str]:
        """The exact name alone where there is one, else all that end in it."""
        last = last_component(name)
        if kind == "function":
            rows = self._rows("ending_function", name=name, last=last)
        else:
            rows = self._rows("ending", kind=kind, name=name, last=last)
        names = [row["name"] for row in rows]
        return [name] if name in names else names

    def _rows(self, statement: str, /, **values: str | None) -> list[sqlite3.Row]:
        rows: list[sqlite3.Row] = self._conn.execute(self._sql[statement], values).fetchall()
        return rows
