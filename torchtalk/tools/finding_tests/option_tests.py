"""Tests that set an option of torch.compile: `@torch._dynamo.config.patch(capture_scalar_outputs=True)`."""

from __future__ import annotations

import re
import sqlite3

from torchtalk.names.closest import last_component
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.of_methods import tells
from torchtalk.tools.finding_tests.scored import Scored
from torchtalk.tools.finding_tests.wider import having

_SETS = 6.0
_NAME = re.compile(r"[A-Za-z_][\w.]*\Z")


def tests_of_option(
    conn: sqlite3.Connection, query: str
) -> tuple[str, dict[int, Scored], str] | None:
    """The tests whose decorators set an option, and those that have its name in their bodies.

    Args:
        conn: an index.
        query: the option's full name, its end or its variable of the environment.

    Returns:
        Its full name, the tests and what is to be said of them; None where no option or several are called so.
    """
    text = query.strip()
    if not _NAME.match(text) or not ("." in text or tells(text)):
        return None
    sql = queries("find_similar_tests")
    of = {"name": text, "last": last_component(text)}
    names = [row["name"] for row in conn.execute(sql["option_called"], of)]
    if len(names) != 1:
        return None
    name = names[0].partition(".config.")[2]
    sets = re.compile(rf"(?<![\w.]){re.escape(name)}(?:\s*=(?!=)|['\"])|\.{re.escape(name)}\b")
    found: dict[int, Scored] = {}
    for row in conn.execute(sql["decorated_with"], {"name": name}):
        if sets.search(row["decorators"]):
            found.setdefault(row["id"], Scored()).add(_SETS, "its decorators set it")
    for test, (score, why) in having(conn, last_component(name)).items():
        found.setdefault(test, Scored()).add(score, why)
    said = f"{names[0]} is an option of torch.compile: these set it or have it in their bodies"
    return names[0], found, said
