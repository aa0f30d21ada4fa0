"""What do Python's names stand for? Bases, public names, calls, and the operators of each API."""

from __future__ import annotations

import sqlite3

from indexer.link.python.aliases import link_aliases
from indexer.link.python.apis import Apis
from indexer.link.python.classes import link_classes, link_public_names, public_names
from indexer.link.python.decorators import link_decorators
from indexer.link.python.natives import Natives
from indexer.link.python.resolver import Resolver
from indexer.link.python.tables import Tables
from indexer.link.python.targets import link_calls
from indexer.workers import WorkerPool


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Resolve everything of layer 4 that names something else, in the database `conn`."""
    natives = Natives(conn)
    resolver = Resolver(Tables(conn), natives.find, natives.returns)
    link_classes(conn, resolver)
    names = public_names(resolver)
    link_public_names(conn, resolver, names)
    link_aliases(conn, resolver, names)
    calls = link_calls(conn, resolver)
    link_decorators(conn)
    Apis(conn, resolver, natives, calls).link(names)
