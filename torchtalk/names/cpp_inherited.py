"""Methods of C++ classes by a class that inherits them: `at::Tensor::sizes` is at::TensorBase::sizes."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from torchtalk.names.usings import Usings
from torchtalk.sqlfile import statements

_NAMES = Path(__file__).parent / "names.sql"
_SQL = Path(__file__).parent / "cpp_inherited.sql"
_MOST_CLASSES = 60
_MOST_HEIRS = 400
_MOST_SPELLINGS = 12
_HELD = re.compile(r"TORCH_MODULE(?:_IMPL)?\s*\(\s*(\w+)\s*(?:,\s*([\w:]+)\s*)?\)")
"""`torch::nn::Conv2d` holds a `Conv2dImpl` (torch/csrc/api/include/torch/nn/pimpl.h)."""


class Inherited(NamedTuple):
    """A method as it is found on a class.

    Args:
        name: in full, with the class that defines it.
        owner: the class that was asked for, in full.
        holder: what holds an object of that class, where that was asked for; else empty.
    """

    name: str
    owner: str
    holder: str = ""

    @property
    def note(self) -> str:
        """How it was understood."""
        is_own = self.name.rpartition("::")[0] == self.owner
        inherits = "" if is_own else f", which {self.owner} inherits"
        holds = f", of which {self.holder} holds one" if self.holder else ""
        return f"taken as {self.name}{inherits}{holds}"


class CppClasses:
    """Looks up members as C++ does: in the class, then in its bases ([class.member.lookup]).

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._sql = {**statements(_NAMES), **statements(_SQL)}
        self._usings = Usings(conn)

    def methods(self, text: str) -> list[Inherited]:
        """The methods that a name means by a class that inherits them, or holds an object that has them.

        Args:
            text: class and method, `::` between them; the class by its full name, its end, or one that a namespace has
                from another.

        Returns:
            One for each class that is called so; none where no class is, or none of their bases has the method.
        """
        owner, _, member = text.rpartition("::")
        if not owner or not member:
            return []
        for classes in (self._named(owner), self._held(owner), self._ending(owner)):
            found: dict[str, Inherited] = {}
            for name, holder in classes:
                for method in self._member(name, member):
                    found.setdefault(method, Inherited(method, name, holder))
            if found:
                return list(found.values())
        return []

    def overriding(self, text: str) -> tuple[str, list[str]]:
        """The methods that override one which is abstract in its class: `c10::Allocator::allocate`.

        Args:
            text: class and method, `::` between them; the class by its full name, its end, or one that a namespace has
                from another.

        Returns:
            The class in full, and the methods; none where no class or several are called so, or none of its heirs has
            the method.
        """
        owner, _, member = text.rpartition("::")
        classes = (self._named(owner) or self._ending(owner)) if owner and member else []
        if len(classes) != 1:
            return "", []
        waiting = [classes[0][0]]
        found: list[str] = []
        for of in waiting:
            heirs = [row["name"] for row in self._rows("heirs", last=of.rpartition("::")[2])]
            own = [heir for heir in heirs if heir not in waiting and of in self._bases(heir)]
            waiting += own[: max(0, _MOST_HEIRS - len(waiting))]
            found += [
                f"{heir}::{member}"
                for heir in own
                if self._rows("has_function", name=f"{heir}::{member}")
            ]
        # What is not seen to override anything is the heirs' own.
        names = json.dumps(list(dict.fromkeys(found)))
        return classes[0][0], json.loads(names) if self._rows("overrides", names=names) else []

    def _named(self, text: str) -> list[tuple[str, str]]:
        """The class of a name, or of what it is by what its namespaces have from others."""
        waiting, seen = [text], {text}
        for at in range(_MOST_SPELLINGS):
            if at >= len(waiting):
                break
            if self._rows("cpp_class", name=waiting[at]):
                return [(waiting[at], "")]
            more = [meant for meant, _ in self._usings.of(waiting[at]) if meant not in seen]
            seen.update(more)
            waiting += more
        return []

    def _held(self, text: str) -> list[tuple[str, str]]:
        """The classes of the objects that what is called so holds, each with its holder."""
        found = []
        for row in self._rows("holders"):
            match = _HELD.match(row["text"])
            holder = f"{row['scope']}::{match[1]}" if match and row["scope"] else ""
            if match is not None and f"::{holder}".endswith(f"::{text}"):
                held = match[2] or f"{match[1]}Impl"
                found.append((f"{row['scope']}::{held}", holder))
        return found

    def _ending(self, text: str) -> list[tuple[str, str]]:
        """The classes whose names end in one."""
        return [(row["name"], "") for row in self._rows("cpp_class_ending", name=text)]

    def _member(self, name: str, member: str) -> list[str]:
        """The methods of a name in the nearest of a class's bases that have some."""
        level, seen = [name], {name}
        while level and len(seen) < _MOST_CLASSES:
            found = [
                f"{of}::{member}"
                for of in level
                if self._rows("has_function", name=f"{of}::{member}")
            ]
            if found:
                return found
            above = dict.fromkeys(base for of in level for base in self._bases(of))
            level = [base for base in above if base not in seen]
            seen.update(level)
        return []

    def _bases(self, name: str) -> Iterator[str]:
        """The classes that one derives from, each looked up from where it is named."""
        for row in self._rows("cpp_bases", name=name):
            base = row["base"].removeprefix("::")
            parts = name.split("::")
            spelled = ["::".join((*parts[:at], base)) for at in range(len(parts) - 1, -1, -1)]
            known = next((one for one in spelled if self._rows("cpp_class", name=one)), None)
            classes = (
                [(known, "")] if known is not None else self._named(base) or self._ending(base)
            )
            if len(classes) == 1:
                yield classes[0][0]

    def _rows(self, statement: str, /, **values: str) -> list[sqlite3.Row]:
        rows: list[sqlite3.Row] = self._conn.execute(self._sql[statement], values).fetchall()
        return rows
