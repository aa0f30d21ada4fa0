"""What a walk leaves out: kinds and origins of edges, and groups of them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from indexer.facts.edges import codes_of
from torchtalk.arguments import BadArgument
from torchtalk.graph.nodes import sql

COMPILE = frozenset(("decomposition", "meta", "fake", "ref", "prim", "lowering", "fallback"))
"""Kinds of what torch.compile runs in an operator's place."""

_CALLS = ("call", "virtual", "constructor", "launch", "reference", "candidate")
_GROUPS = ("ambiguous", "boilerplate", "compile")
DEFAULT = ",".join(_GROUPS)
NONE = "none"

HELP = (
    "kinds and origins of edges to leave out, comma-separated; ambiguous: calls that may be of "
    "another function; boilerplate: std, checks, logging; compile: decompositions, lowerings; none"
)


@dataclass(frozen=True)
class Exclusions:
    """What is left out.

    Args:
        words: kinds and origins.
        edges: ids of `edge_kinds`.
        ambiguous: calls that may be of a function of another name.
        boilerplate: functions that say nothing about who calls them.
    """

    words: frozenset[str]
    edges: frozenset[int]
    ambiguous: bool
    boilerplate: bool

    def leaves_out(self, row: Mapping[str, object] | sqlite3.Row) -> bool:
        """Whether an edge is left out; `row` is one of the statements `uses` and `users`."""
        return (
            row["kind"] in self.words
            or row["origin"] in self.words
            or (self.ambiguous and bool(row["ambiguous"]))
        )

    def parameters(self) -> dict[str, object]:
        """As the statements take them."""
        return {
            # What calls a stub is among the edges.
            "codes": sum(1 << code for code in codes_of({"stub", *self.words})),
            "edges": json.dumps(sorted(self.edges)),
            "ambiguous": not self.ambiguous,
            "boilerplate": not self.boilerplate,
        }


def parse(conn: sqlite3.Connection, text: str) -> Exclusions:
    """Read a list of exclusions.

    Args:
        conn: an index, whose kinds of edges are known.
        text: words with commas or white space between them; empty or `none` excludes nothing.

    Raises:
        BadArgument: a word is neither a kind nor an origin.
    """
    words = frozenset(word for word in re.split(r"[,\s]+", text.strip().lower()) if word) - {NONE}
    kinds = conn.execute(sql()["edge_kinds"]).fetchall()
    known = (
        {row["kind"] for row in kinds}
        | {row["origin"] for row in kinds}
        | {*_CALLS, *_GROUPS, "clang"}
    )
    for word in sorted(words):
        if word not in known:
            raise BadArgument(
                f"exclude has {word[:40]!r}, which is no kind or origin; there are {', '.join(sorted(known))}"
            )
    given = words | (COMPILE if "compile" in words else frozenset())
    edges = frozenset(row["id"] for row in kinds if row["kind"] in given or row["origin"] in given)
    return Exclusions(given - set(_GROUPS), edges, "ambiguous" in words, "boilerplate" in words)
