"""Functions that a decorator puts into a table of its module: who looks into the table runs them.

`@register_kl(Beta, Beta)` of torch/distributions/kl.py writes `_KL_REGISTRY[type_p, type_q] = fun`, and
`_dispatch_kl` reads it. No call leads from one to the other; the decorator's text tells which table it is. What is
registered so may also be asked for by its name, as a text.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from torchtalk.affected import queries
from torchtalk.affected.changes import Changes, Seed
from torchtalk.affected.graph import Graph
from torchtalk.affected.mentions import Wanted, add_having, tells
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
    """Add who reads the tables that decorators put changed functions into, and tests that have these as a text.

    It is looked for where nothing else leads on.

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
    named: dict[str, Wanted] = {}
    for seed in seeds:
        decorators = list(_decorators(conn, seed.node))
        name = seed.node.name.rpartition(".")[2]
        if not (decorators or tells(name)) or looked_at >= _MOST_SEEDS:
            continue
        looked_at += 1
        if search(graph, [(seed.node, seed.weight)], enough=1).found:
            continue
        if tells(name):
            # torch.compile(f, backend="relu_compile_error_TESTING_ONLY"), mock.patch("torch.x.do_this")
            form = re.compile(rf"([\"'])(?:[\w.]+\.)?{re.escape(name)}\1")
            named[name] = Wanted(form, f'has "{name}"', seed.place)
        for table, users in _tables(conn, decorators, sources):
            for user in users[:_MOST_USERS]:
                weight = seed.weight * _WEIGHT * spread(len(users))
                changes.add(Seed(user, weight, seed.place, seed.lines, f"uses {table}"))
            if users:
                verb = "uses" if len(users) == 1 else "use"
                changes.notes.append(
                    f"{seed.node.name} is put into {table}, which {counted(len(users), 'function')} {verb}"
                )
    add_having(conn, named, changes, sources)


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
