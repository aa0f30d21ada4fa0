"""Functions and classes of Python by the ends of their names: `interpolate`, `AdamW`, `adam._single_tensor_adam`."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import NamedTuple

from torchtalk.names.closest import last_component
from torchtalk.names.forms import modules_of
from torchtalk.names.imported import spellings
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_OWNERS = ("torch", "torch.nn.functional", "torch.nn", "torch.optim", "torch.Tensor")
"""Whose names come before others': those that users write most."""

_WRITTEN = re.compile(r"[\w.]+")


class Ending(NamedTuple):
    """What a name may be the end of.

    Args:
        chosen: the one that is meant, in full; None where several are as likely, or none is.
        names: all of them, the likeliest first; each thing by one of its names.
    """

    chosen: str | None
    names: tuple[str, ...]


def public(conn: sqlite3.Connection, name: str) -> Ending:
    """The public functions and classes whose names end so.

    Args:
        conn: an index.
        name: without the packages before it.
    """
    wanted = {"name": name, "last": last_component(name)}
    sql = statements(_SQL)
    shown: dict[str, str] = {}
    for row in conn.execute(sql["api_ending"], wanted):
        if not any(part.startswith("_") for part in row["name"].split(".")[:-1]):
            shown.setdefault(_definition(conn, row["name"]), row["name"])
    for row in conn.execute(sql["class_ending"], wanted):
        shown.setdefault(row["name"], row["name"])
    names = sorted(shown.values(), key=_rank)
    usual = [known for known in names if known.rpartition(".")[0] in _OWNERS]
    likely = usual or names
    return Ending(likely[0] if len(likely) == 1 else None, tuple(names))


def internal(conn: sqlite3.Connection, name: str) -> Ending:
    """The functions of the packages' modules, public or not, whose names end so; else what else ends so.

    That is an object that is an operator (`cond_op`), else methods, which no index finds: all functions are looked
    at, in some milliseconds.

    Args:
        conn: an index.
        name: without the packages before it.
    """
    found = _first(
        conn, name, ("python_function_ending", "operator_object", "python_method_ending")
    )
    # Of tests a class has to be said: `TestNN.test_to`.
    return (
        found if found.names or "." not in name else _first(conn, name, ("python_in_any_module",))
    )


def beside(conn: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """The same beside what C++ calls so, found at once: of methods those of modules and optimizers alone.

    Args:
        conn: an index.
        name: without the packages before it.
    """
    return _first(conn, name, ("python_function_ending", "module_method_ending")).names


def _first(conn: sqlite3.Connection, name: str, queries: tuple[str, ...]) -> Ending:
    """What the first of these queries finds that finds anything."""
    if not _WRITTEN.fullmatch(name):
        return Ending(None, ())
    wanted = {"name": name, "last": last_component(name)}
    for query in queries:
        rows = conn.execute(statements(_SQL)[query], wanted)
        names = tuple(dict.fromkeys(row["name"] for row in rows))
        if names:
            return Ending(names[0] if len(names) == 1 else None, names)
    return Ending(None, ())


def _rank(name: str) -> tuple[int, int, str]:
    owner = name.rpartition(".")[0]
    return _OWNERS.index(owner) if owner in _OWNERS else len(_OWNERS), len(name), name


def _definition(conn: sqlite3.Connection, api: str) -> str:
    """Where a public name's function is defined: several names may lead to one."""
    for name in (api, *(spelling.name for spelling in spellings(conn, api))):
        modules = modules_of(name)
        wanted = {"name": name, "modules": modules}
        if conn.execute(statements(_SQL)["python_function"], wanted).fetchone() is not None:
            return name
    return api
