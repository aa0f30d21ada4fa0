"""The OpInfos, ModuleInfos and OptimizerInfos of a subject, and the generic tests that run over them."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from typing import NamedTuple

from torchtalk.answers.base import Place
from torchtalk.answers.tests import TestHit
from torchtalk.counted import counted
from torchtalk.names.inheritance import ancestors
from torchtalk.sqlfile import listed
from torchtalk.testing.commands import filter_command
from torchtalk.testing.filters import EntryFilters
from torchtalk.testing.subject import Subject
from torchtalk.testing.words import words_of
from torchtalk.tools import queries

_KINDS = {"op": "opinfo", "module": "moduleinfo", "optimizer": "optimizerinfo"}
# The tier of entries whose function calls the operator among others (`operator_entries`).
_REACHES = 3
# cudnn_convolution is called by _convolution, this by convolution, and this by conv2d, which has an entry.
_MOST_LEVELS = 3
_MOST_NAMED = 3
# A forward that calls more functions with entries is about none of them.
_MOST_CALLED = 4
_PIECES = re.compile(r"[a-z]+|[0-9]+[a-z]?")
_FUNCTIONAL = "nn.functional."


class Entry(NamedTuple):
    """An OpInfo, ModuleInfo or OptimizerInfo.

    Args:
        hit: as it is shown.
        id: in `opinfos`.
        reaches: it is not the subject's own: its function calls that among others.
        is_likely: of such ones, it runs that rather than others do: its function calls nothing else, or the words of
            its name or variant tell this one of those that its function may call.
    """

    hit: TestHit
    id: int
    reaches: bool
    is_likely: bool = False


def entries_of(conn: sqlite3.Connection, subject: Subject) -> list[Entry]:
    """The entries of a subject's operators and names, its own first.

    Args:
        conn: an index.
        subject: what was asked for.
    """
    rows = conn.execute(
        queries("find_similar_tests")["operator_entries"],
        {
            "names": listed(subject.names),
            "bases": listed(subject.bases),
            "full": next(iter(subject.names), ""),
        },
    ).fetchall()
    likely = _likely(rows)
    found = []
    for row in rows:
        full = f"{row['name']}.{row['variant']}" if row["variant"] else row["name"]
        why = [row["class"]]
        if row["aten_name"] and row["aten_name"] != row["name"]:
            why.append(f"aten_name {row['aten_name']}")
        if row["is_ref"]:
            why.append("Python reference")
        if row["inplace"]:
            why.append(f"its in-place variant is {row['inplace']}")
        if row["tier"] == _REACHES:
            called = f"aten::{row['called']}" if subject.above else subject.text
            # Which of several its function runs the arguments tell: `mode` of interpolate.
            calls = "may call" if row["calls"] > 1 else "calls"
            why.append(f"its function {calls} {called}")
        hit = TestHit(_KINDS[row["kind"]], full, Place(row["path"], row["line"]), tuple(why), "")
        found.append(Entry(hit, row["id"], row["tier"] == _REACHES, row["id"] in likely))
    return sorted(found, key=lambda one: one.reaches and not one.is_likely)


def _likely(rows: list[sqlite3.Row]) -> frozenset[int]:
    """The entries whose function calls an operator that run it, as far as their names and variants tell.

    Of interpolate's variants `bicubic` is for `_upsample_bicubic2d_aa`; of two that fit (nearest, nearest-exact) the
    one with more words.
    """
    found = {row["id"] for row in rows if row["tier"] == _REACHES and row["calls"] == 1}
    fitting: dict[str, list[tuple[int, int]]] = {}
    for row in rows:
        if row["tier"] == _REACHES and row["calls"] > 1:
            words = _pieces(row["variant"] or row["name"].rpartition(".")[2])
            if words <= _pieces(row["called"]):
                fitting.setdefault(row["name"], []).append((len(words), row["id"]))
    for of in fitting.values():
        most = max(number for number, _ in of)
        found.update(identity for number, identity in of if number == most)
    return frozenset(found)


def _pieces(name: str) -> frozenset[str]:
    """The words of a name, apart from their numbers: `bicubic`, `2d`."""
    return frozenset(_PIECES.findall(name.lower()))


def callers_entries(conn: sqlite3.Connection, subject: Subject) -> list[Entry]:
    """Entries of the nearest operators that call one without, or whose gradients do: softmax's of `_softmax`.

    Of what has tests itself (pin_memory) those of operators farther off tell nothing, unless it is there for one
    alone that is called like it, as nll_loss_forward is for nll_loss.

    Args:
        conn: an index.
        subject: the operators without entries.

    Returns:
        The entries, each with what its operator runs as its last reason; none where nothing near has one.
    """
    sql = queries("find_similar_tests")
    called, known = subject.bases, set(subject.bases)
    totals = (conn.execute(sql["operator_total"], {"base": base}) for base in called)
    has_tests = any(total.fetchone()[0] for total in totals)
    for level in range(_MOST_LEVELS):
        if level and has_tests and not _is_of_one(subject.bases, called):
            break
        of = {"bases": listed(called)}
        rows = conn.execute(sql["calling_operators"], of).fetchall()
        rows += conn.execute(sql["differentiated_operators"], of).fetchall()
        callers = tuple(dict.fromkeys(row["base"] for row in rows if row["base"] not in known))
        if not callers:
            break
        above = tuple(f"aten::{base}" for base in callers)
        found = entries_of(conn, replace(subject, bases=callers, names=(), above=above))
        why = f"its operator runs {' or '.join(f'aten::{base}' for base in called[:_MOST_NAMED])}"
        if any(not one.reaches for one in found):
            found = [one for one in found if not one.reaches]
        if found:
            return [
                Entry(replace(one.hit, why=(*one.hit.why, why)), one.id, True, one.is_likely)
                for one in found
            ]
        known.update(callers)
        called = callers
    return []


def _is_of_one(bases: tuple[str, ...], callers: tuple[str, ...]) -> bool:
    """Whether the callers of operators are one, whose words are all among theirs."""
    words = frozenset(words_of(" ".join(bases), None))
    return len(callers) == 1 and words.issuperset(words_of(callers[0], None))


def forward_entries(conn: sqlite3.Connection, subject: Subject, known: list[Entry]) -> list[Entry]:
    """Entries of the functions that a module's `forward` calls, itself or by its own methods: conv2d's of nn.Conv2d.

    Args:
        conn: an index.
        subject: what was asked for.
        known: the entries that it has by itself.
    """
    sql = queries("find_similar_tests")
    of: dict[str, None] = {}
    for class_id in subject.classes:
        order = [one.class_id for one in ancestors(conn, class_id) if one.class_id is not None]
        classes = listed(tuple(order))
        forwards = {
            row["class_id"]: int(row["id"])
            for row in conn.execute(sql["forwards"], {"classes": classes})
        }
        functions = tuple(forwards[one] for one in order if one in forwards)[:1]
        values = {"functions": listed(functions), "classes": classes}
        functions += tuple(row["id"] for row in conn.execute(sql["called_methods"], values))
        rows = conn.execute(sql["called_names"], {"functions": listed(functions)})
        of.update((row["name"], None) for row in rows)
    # What stands in torch alone are little steps on the way, where it is not called like the class.
    like = subject.text.rpartition(".")[2].lower()
    names = tuple(
        name for name in of if name.startswith(_FUNCTIONAL) or name.replace("_", "") == like
    )
    if not names or len(names) > _MOST_CALLED:
        return []
    names = tuple(row["name"] for row in conn.execute(sql["aliased"], {"names": listed(names)}))
    ids = {one.id for one in known}
    found = entries_of(conn, replace(subject, names=names, bases=(), above=()))
    why = f"{subject.text}.forward calls it"
    return [
        Entry(replace(one.hit, why=(*one.hit.why, why)), one.id, bool(known), one.is_likely)
        for one in found
        if one.id not in ids
    ]


def generic_tests(conn: sqlite3.Connection, entries: list[Entry]) -> list[sqlite3.Row]:
    """One row for each file whose tests run over entries.

    Args:
        conn: an index.
        entries: of a subject; its own ones count, if it has any, or else the likely ones, or else all.

    Returns:
        Rows of the statement `generic_tests`; none without entries.
    """
    own = tuple(one.id for one in entries if not one.reaches)
    likely = tuple(one.id for one in entries if one.is_likely)
    wanted = own or likely or tuple(one.id for one in entries)
    if not wanted:
        return []
    sql = queries("find_similar_tests")["generic_tests"]
    return conn.execute(sql, {"entries": listed(wanted)}).fetchall()


def runs(row: sqlite3.Row, entries: list[Entry], filters: EntryFilters) -> TestHit:
    """The generic tests of one file.

    Args:
        row: of the file: how many tests it has, and ids of the entries that they run over.
        entries: the entries asked about.
        filters: gives the expression that selects the tests.
    """
    ids = {int(identity) for identity in row["ids"].split(",")}
    names = [hit.name for hit, identity, *_ in entries if identity in ids]
    unsure = row["tests"] - row["sure"]
    return TestHit(
        "generic",
        counted(row["tests"], "generic test")
        + (
            f", {unsure} of them only if the entry supports it" if 0 < unsure < row["tests"] else ""
        ),
        Place(row["path"], row["line"]),
        (
            f"@{row['decorator']}: {len(ids)} of these entries"
            + ("" if row["sure"] else ", if its condition holds"),
        ),
        filter_command(row["path"], filters.expression(row["path"], names)),
    )
