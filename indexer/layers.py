"""The layers of the index: what each counts, and why it may be empty."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    """One layer.

    Args:
        name: as it stands in `coverage` and `meta`.
        title: for people.
        counts: name of a count to the SQL condition or table it counts.
        missing: what to say where a tree has nothing for it.
    """

    name: str
    title: str
    counts: dict[str, str]
    missing: str


LAYERS = (
    Layer(
        "operators",
        "operators, dispatch and derivatives from YAML",
        {
            "operators": "operators WHERE origin = 'yaml'",
            "generated overloads": "operators WHERE origin = 'autogen'",
            "dispatch entries": "dispatch WHERE origin IN ('yaml', 'default', 'delegate')",
            "formulas": "derivatives",
            "tags": "tags",
        },
        "no native_functions.yaml was read",
    ),
)


def layer_counts(conn: sqlite3.Connection) -> dict[str, dict[str, int]]:
    """Rows of each layer, by the name of the count."""
    return {
        layer.name: {
            name: int(conn.execute(f"SELECT count(*) FROM {source}").fetchone()[0])
            for name, source in layer.counts.items()
        }
        for layer in LAYERS
    }
