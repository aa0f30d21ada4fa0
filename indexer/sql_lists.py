"""Asking SQL for rows of some ids or names: all are one parameter, since SQLite takes only so many."""

from __future__ import annotations

import json
from collections.abc import Iterable

INSIDE = "IN (SELECT value FROM json_each(?))"
"""The condition, whose parameter `chosen` gives."""


def chosen(values: Iterable[int] | Iterable[str]) -> str:
    """`values`, ids or names, as the parameter of `INSIDE`, in order: the rows come the same way each time."""
    return json.dumps(sorted(values))
