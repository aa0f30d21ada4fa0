"""Other names of classes and methods: where packages show a class, and what a class body assigns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from indexer.extract.python.beside import PACKAGES
from indexer.link.python.resolver import Resolver
from indexer.link.python.tables import Entity

_ASSIGNED = ("alias", "call")


def link_aliases(conn: sqlite3.Connection, resolver: Resolver, public: dict[str, Entity]) -> None:
    """Insert the rows of `python_aliases`.

    Args:
        conn: the database; classes have their public names.
        resolver: for what classes assign.
        public: what each public name of a module stands for.
    """
    known = {
        class_id: (name, public_name)
        for class_id, name, public_name in conn.execute(
            "SELECT id, name, public_name FROM python_classes"
        )
    }
    classes = (
        (name, entity.id, None)
        for name, entity in public.items()
        if entity.kind == "class" and name not in known[entity.id]
    )
    conn.executemany(
        "INSERT OR IGNORE INTO python_aliases (name, class_id, function_id) VALUES (?, ?, ?)",
        sorted([*classes, *_methods(resolver)]),
    )


def _methods(resolver: Resolver) -> Iterator[tuple[str, None, int]]:
    """What class bodies call a function that is defined elsewhere: `__call__ = _wrapped_call_impl`."""
    tables = resolver.tables
    for (module_id, scope), names in tables.names.items():
        class_id = tables.class_ids.get((module_id, scope))
        module = tables.modules[module_id].name
        if class_id is None or module.partition(".")[0] not in PACKAGES:
            continue
        for name, bindings in names.items():
            if bindings[0].kind in _ASSIGNED:
                found = resolver.attribute(Entity("class", class_id), name)
                if found is not None and found.kind == "function":
                    yield f"{module}.{scope}.{name}", None, found.id
