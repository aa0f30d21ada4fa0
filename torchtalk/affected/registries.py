"""Functions that a decorator puts into a table of its module: who looks into the table runs them.

`@register_kl(Beta, Beta)` of torch/distributions/kl.py writes `_KL_REGISTRY[type_p, type_q] = fun`, and
`_dispatch_kl` reads it. No call leads from one to the other; the decorator's text tells which table it is.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from torchtalk.affected import queries
from torchtalk.affected.changes import Changes, Seed
from torchtalk.affected.graph import Graph
from torchtalk.affected.nodes import Node, spread
from torchtalk.affected.search import search
from torchtalk.affected.sources import Sources
from torchtalk.affected.users import Users
from torchtalk.counted import counted

_WEIGHT = 0.6
_MOST_SEEDS = 8
_MOST_USERS = 12
_DECORATOR = re.compile(r"(?:[\w.]+\.)?(\w+)\s*(?:\(|$)")
# `_TABLE[key] = …`, `_TABLE[key][other] = …`, `_TABLE.append(…)`, `_TABLE[key].append(…)`
_FILLS = re.compile(
    r"(?<![\w.])([A-Za-z_]\w*)(?:(?:\[[^\n]*?\])+\s*=(?!=)"
    r"|(?:\[[^\n]*?\])*\.(?:append|add|update|setdefault|insert|extend)\()"
)


def take_registries(
    conn: sqlite3.Connection, graph: Graph, changes: Changes, sources: Sources
) -> None:
    """Add who reads the tables that decorators put changed functions into, where nothing else leads on from these.

    Args:
        conn: an index.
        graph: of it.
        changes: to be added to.
        sources: the tree.
    """
    if sources.root is None:
        return
    seeds = [seed for seed in changes.seeds.values() if seed.node.kind in ("python", "class")]
    looked_at = 0
    for seed in seeds:
        decorators = list(_decorators(conn, seed.node))
        if not decorators or looked_at >= _MOST_SEEDS:
            continue
        looked_at += 1
        if search(graph, [(seed.node, seed.weight)], enough=1).found:
            continue
        for table, users in _tables(conn, decorators, sources):
            for user in users[:_MOST_USERS]:
                weight = seed.weight * _WEIGHT * spread(len(users))
                changes.add(Seed(user, weight, seed.place, seed.lines, f"uses {table}"))
            if users:
                verb = "uses" if len(users) == 1 else "use"
                changes.notes.append(
                    f"{seed.node.name} is put into {table}, which {counted(len(users), 'function')} {verb}"
                )


def _decorators(conn: sqlite3.Connection, node: Node) -> Iterator[sqlite3.Row]:
    """The functions of the tree that decorate one."""
    sql = queries("places")
    statement = "decorated_class" if node.kind == "class" else "decorated"
    row = conn.execute(sql[statement], {"id": node.key}).fetchone()
    for text in (row["decorators"] or "").split("\n") if row else ():
        match = _DECORATOR.match(text.strip())
        if match:
            of = {"module": row["module_id"], "name": match[1]}
            yield from conn.execute(sql["decorator"], of).fetchall()


def _tables(
    conn: sqlite3.Connection, decorators: list[sqlite3.Row], sources: Sources
) -> Iterator[tuple[str, list[Node]]]:
    """The tables that decorators fill, each with the functions that use it."""
    for row in decorators:
        source = sources.read(row)
        if source is None or not source.is_indexed:
            continue
        body = "\n".join(source.text.split("\n")[row["line"] : row["end_line"]])
        for name in dict.fromkeys(_FILLS.findall(body)):
            if re.search(rf"^{name}[ \t]*(?::|=(?!=))", source.text, re.MULTILINE):
                own = Node("python", row["function_id"], row["name"])
                users = Users(conn, row, None, sources).using(name)
                yield name, [user for user in users if user != own]
