"""Where users enter: operators, public Python names, modules and tests above what was reached."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from torchtalk.graph import nodes
from torchtalk.graph.reached import Reached

_HIDDEN = ("torch.ops.", "torch._C.", "torch._VF.")


@dataclass(frozen=True)
class Entries:
    """What users know of what was reached.

    Args:
        operators: packets, the nearest first.
        apis: public names of functions.
        classes: nodes of public modules, optimizers and schedulers with their names, the nearest first.
        tests: how many tests call or use any of it.
    """

    operators: tuple[str, ...]
    apis: tuple[str, ...]
    classes: dict[int, str]
    tests: int

    @property
    def any(self) -> bool:
        """Whether users know anything of it."""
        return bool(self.operators or self.apis or self.classes)


def entries(conn: sqlite3.Connection, reached: Reached, *, of_tests: bool = True) -> Entries:
    """Find them.

    Args:
        conn: an index.
        reached: by `upwards`, and `into_python`.
        of_tests: count the tests, too, which takes as long as all else.
    """
    found = reached.depths
    operators = sorted(
        reached.rows[nodes.OPERATOR],
        key=lambda number: (found[nodes.code(nodes.OPERATOR, number)], number),
    )
    rows = conn.execute(nodes.sql()["operators"], {"ids": json.dumps(operators)})
    names = {row["id"]: row["name"].partition(".")[0] for row in rows}
    wanted = {
        "operators": json.dumps(operators),
        "functions": json.dumps(reached.rows[nodes.PYTHON]),
    }
    apis = dict.fromkeys(row["api"] for row in conn.execute(nodes.sql()["apis"], wanted))
    more = {
        "classes": json.dumps(reached.rows[nodes.CLASS]),
        "cpp": json.dumps(reached.rows[nodes.FUNCTION]),
    }
    tests = conn.execute(nodes.sql()["test_count"], {**wanted, **more}) if of_tests else None
    return Entries(
        tuple(dict.fromkeys(names[number] for number in operators)),
        tuple(api for api in apis if _is_public(api)),
        _classes(conn, reached),
        tests.fetchone()["number"] if tests is not None else 0,
    )


def _is_public(api: str) -> bool:
    return not api.startswith(_HIDDEN) and not any(
        part.startswith("_") and not part.startswith("__") for part in api.split(".")
    )


def _classes(conn: sqlite3.Connection, reached: Reached) -> dict[int, str]:
    found = {
        node: (depth, is_beyond)
        for depths, is_beyond in ((reached.depths, False), (reached.beyond, True))
        for node, depth in depths.items()
        if node & 15 == nodes.CLASS
    }
    rows = conn.execute(
        nodes.sql()["public_classes"], {"ids": json.dumps(nodes.ids(found, nodes.CLASS))}
    )
    ranked = sorted(
        (row["hidden"], row["category"] != "nn", found[node][1], found[node][0],
         row["section_position"] or 0, row["public_name"], node)
        for row in rows for node in (nodes.code(nodes.CLASS, row["id"]),)
    )  # fmt: skip
    return {node: name for *_, name, node in ranked}
