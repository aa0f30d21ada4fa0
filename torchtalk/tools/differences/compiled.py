"""torch.compile in a diff: decompositions and lowerings."""

from __future__ import annotations

import json
import sqlite3

from torchtalk.answers.base import Place
from torchtalk.answers.diff import Change
from torchtalk.tools.differences.sections import Found, overload, packet, place, rank, rows, short


def decompositions(conn: sqlite3.Connection) -> Found:
    """Overloads that have got a decomposition, lost theirs, or have another function for it; `conn` has both trees'."""
    before, after = (
        _states(conn, "old", ("decomposition",)),
        _states(conn, "new", ("decomposition",)),
    )
    functions = {which: _functions(conn, which) for which in ("old", "new")}
    states: dict[str, tuple[str, str]] = {}
    for operator in before.keys() | after.keys():
        if operator not in after:
            states[operator] = "removed", _text(functions["old"].get(operator))
        elif operator not in before:
            states[operator] = "added", _text(functions["new"].get(operator))
        else:
            old, new = (functions[which].get(operator, ()) for which in ("old", "new"))
            if old != new:
                states[operator] = "other function", f"{_text(old)} → {_text(new)}"
    return _grouped(states, before, after, ("removed", "other function", "added"))


def lowerings(conn: sqlite3.Connection) -> Found:
    """Overloads that Inductor lowers, or falls back for, in another way than before; `conn` has both indexes.

    Where one of the trees has no Inductor that is said as a fact.
    """
    roles = ("lowering", "fallback")
    before, after = _states(conn, "old", roles), _states(conn, "new", roles)
    states: dict[str, tuple[str, str]] = {}
    for operator in before.keys() | after.keys():
        was, now = (_role(found.get(operator, {})) for found in (before, after))
        if was == now:
            continue
        if not was:
            states[operator] = f"{now} added", ""
        elif not now:
            states[operator] = f"{was} removed", ""
        else:
            states[operator] = f"{was} became {now}", ""
    order = (
        "lowering removed", "fallback removed", "lowering became fallback",
        "fallback became lowering", "lowering added", "fallback added",
    )  # fmt: skip
    found = _grouped(states, before, after, order)
    for which, entries in (("first", before), ("second", after)):
        if not entries and found.changes:
            return Found(found.changes, found.counts, (f"the {which} tree has no Inductor",))
    return found


def _states(
    conn: sqlite3.Connection, which: str, roles: tuple[str, ...]
) -> dict[str, dict[str, sqlite3.Row]]:
    found: dict[str, dict[str, sqlite3.Row]] = {}
    for row in rows(conn, "compile", which, roles=json.dumps(roles)):
        found.setdefault(row["operator"], {})[row["role"]] = row
    return found


def _functions(conn: sqlite3.Connection, which: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in rows(conn, "functions_of_role", which, role="decomposition"):
        found[row["operator"]] = (*found.get(row["operator"], ()), row["function"])
    return found


def _role(entries: dict[str, sqlite3.Row]) -> str:
    """What counts where an operator has both: a lowering."""
    return "lowering" if "lowering" in entries else "fallback" if entries else ""


def _text(functions: tuple[str, ...] | None) -> str:
    return short(", ".join(functions)) if functions else "(no function)"


def _grouped(
    states: dict[str, tuple[str, str]],
    before: dict[str, dict[str, sqlite3.Row]],
    after: dict[str, dict[str, sqlite3.Row]],
    order: tuple[str, ...],
) -> Found:
    groups: dict[tuple[str, str, str], list[str]] = {}
    for operator in sorted(states):
        groups.setdefault((packet(operator), *states[operator]), []).append(operator)
    changes = []
    counts = dict.fromkeys(order, 0)
    for (name, kind, detail), members in groups.items():
        counts[kind] += len(members)
        old, new = (_at(found.get(members[0], {})) for found in (before, after))
        details = (detail,) if detail else ()
        changes.append(Change(kind, name, tuple(map(overload, members)), details, old, new))
    changes.sort(key=lambda change: (order.index(change.kind), rank(change.name)))
    return Found(changes, {kind: number for kind, number in counts.items() if number})


def _at(entries: dict[str, sqlite3.Row]) -> Place | None:
    row = entries.get("lowering") or next(iter(entries.values()), None)
    return None if row is None else place(row["file"], row["line"])
