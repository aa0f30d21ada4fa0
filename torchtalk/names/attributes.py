"""Attributes that run something: descriptors of a class, and what a class answers by a name's text.

A module may be an object of a class of its own: `torch.backends.cudnn.benchmark` is an attribute of CudnnModule.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from torchtalk.answers.base import Place
from torchtalk.names.forms import modules_of
from torchtalk.names.imported import assigned, spellings
from torchtalk.names.inheritance import ancestors
from torchtalk.names.methods import find_method
from torchtalk.sqlfile import statements

_NAMES = Path(__file__).parent / "names.sql"
_SQL = Path(__file__).parent / "attributes.sql"
_READ, _SET, _ASKED, _CLASS = "__get__", "__set__", "__getattr__", "__class__"


@dataclass(frozen=True)
class Attribute:
    """An attribute that runs something where it is read or set.

    Args:
        name: in full, as it was asked for: `torch.backends.cudnn.benchmark`.
        owner: the class that has it, in full.
        made_by: the descriptor's class; an empty string where methods of the owner answer.
        runs: what is run for it, in full: `torch._C._get_cudnn_benchmark`.
        place: of the statement that makes it, or that answers it.
    """

    name: str
    owner: str
    made_by: str
    runs: tuple[str, ...]
    place: Place


@dataclass(frozen=True)
class _Owner:
    """A class whose attribute may be meant.

    Args:
        class_id: of `python_classes`.
        name: of the class, in full.
        what: what was asked for instead of the class: a module, or what a call makes; an empty string for itself.
        is_module: whether it is a module.
        place: of the statement that makes it an object of this class.
    """

    class_id: int
    name: str
    what: str = ""
    is_module: bool = False
    place: Place | None = None


def find_attribute(conn: sqlite3.Connection, text: str) -> Attribute | None:
    """Find the attribute that a dotted name means.

    Args:
        conn: an index.
        text: class, module or value that a module makes, and attribute: in full.

    Returns:
        The attribute; None where it is none, or one that runs nothing.
    """
    owner, _, member = text.rpartition(".")
    for known in _owners(conn, owner):
        for entry in ancestors(conn, known.class_id):
            wanted = {"class": entry.class_id, "name": member}
            row = conn.execute(statements(_SQL)["attribute"], wanted).fetchone()
            if row is None:
                continue
            place = Place(row["path"], row["line"])
            targets = tuple(str(row["target"]).split("|"))
            if row["kind"] == "answered":
                return Attribute(text, known.name, "", targets, place)
            made_by = _class_named(conn, targets[0])
            if made_by is None:
                return None
            own = (find_method(conn, f"{made_by.name}.{method}") for method in (_READ, _SET))
            run = [method.name for method in own if method is not None]
            return (
                Attribute(text, known.name, made_by.name, targets[1:] or tuple(run), place)
                if run
                else None
            )
    return None


def method_of_object(conn: sqlite3.Connection, text: str) -> tuple[str, str] | None:
    """The method that a name means of a module that is an object of its own class, or of what a module makes by a call.

    Args:
        conn: an index.
        text: in full: `torch.utils.deterministic.fill_uninitialized_memory`.

    Returns:
        The method in full, or `__getattr__` of a class that has no such method but answers names by that; and a note
        that says so.
    """
    owner, _, member = text.rpartition(".")
    for known in _owners(conn, owner):
        if not known.what:
            continue
        where = f"{known.what} is an object of {known.name}  {known.place}"
        if find_method(conn, f"{known.name}.{member}") is not None:
            return f"{known.name}.{member}", where
        # What a module answers so is mostly its own names.
        asked = None if known.is_module else find_method(conn, f"{known.name}.{_ASKED}")
        if asked is not None:
            return asked.name, f"{where}, which has no {member}: {_ASKED} answers, or refuses"
    return None


def _owners(conn: sqlite3.Connection, name: str) -> Iterator[_Owner]:
    found = _class_named(conn, name)
    if found is not None:
        yield found
        return
    made = assigned(conn, name)
    module, _, last = made.rpartition(".") if made else ("", "", "")
    for where, called in ((name, _CLASS), (module, last)):
        wanted = {"module": where, "name": called}
        row = conn.execute(statements(_NAMES)["assigned"], wanted).fetchone()
        known = (
            _class_named(conn, str(row["target"]).partition("|")[0]) if row is not None else None
        )
        if known is not None:
            place = Place(row["path"], row["line"])
            yield _Owner(known.class_id, known.name, name, called == _CLASS, place)


def _class_named(conn: sqlite3.Connection, name: str) -> _Owner | None:
    for full in (name, *(spelling.name for spelling in spellings(conn, name))) if name else ():
        row = conn.execute(statements(_NAMES)["class_id"], {"name": full}).fetchone()
        if row is not None:
            shown = conn.execute(statements(_NAMES)["class"], {"name": full}).fetchone()
            return _Owner(row["id"], shown["name"])
    return None


def described(conn: sqlite3.Connection, attribute: Attribute) -> tuple[str, ...]:
    """The lines that show an attribute: what makes it, and what is run for it.

    Args:
        conn: an index.
        attribute: of a class.
    """
    last = attribute.name.rpartition(".")[2]
    if attribute.made_by:
        how = f"{last} of {attribute.owner} is a {attribute.made_by}"
    else:
        how = f"{last} is answered by methods of {attribute.owner}"
    return (
        f"{how}  {attribute.place}",
        *(f"runs {_placed(conn, name)}" for name in attribute.runs),
    )


def _placed(conn: sqlite3.Connection, name: str) -> str:
    wanted = {"name": name, "modules": modules_of(name)}
    row = conn.execute(statements(_SQL)["place_in_python"], wanted).fetchone()
    return f"{name}  {Place(row['path'], row['line'])}" if row is not None else name
