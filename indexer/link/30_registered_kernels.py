"""Which of a class template's specializations does a registered kernel belong to?

`Wrap<Policy::fp32, …>::call` has a definition in each specialization of `Wrap`. Of those that `dispatch_kernels` has
for a registration, the ones remain whose arguments are those of the registration.
"""

from __future__ import annotations

import bisect
import json
import sqlite3
from itertools import groupby

from indexer.extract.cpp.registrations_text import is_constant
from indexer.link.registrations.kernels import read_kernel
from indexer.workers import WorkerPool


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Narrow `dispatch_kernels` of the database `conn` where an expression tells the specialization."""
    classes: dict[tuple[int, str], list[tuple[int, list[str]]]] = {}
    for file_id, line, name, arguments in conn.execute(
        "SELECT file_id, line, name, arguments FROM class_specializations ORDER BY file_id, name, line"
    ):
        classes.setdefault((file_id, name), []).append((line, json.loads(arguments)))
    rows = conn.execute(
        "SELECT k.dispatch_id, k.function_id, u.name, u.file_id, u.line, r.expression"
        " FROM dispatch_kernels AS k"
        " JOIN dispatch_registrations AS l ON l.dispatch_id = k.dispatch_id"
        " JOIN registrations AS r ON r.id = l.registration_id AND r.expression LIKE '%<%'"
        " JOIN functions AS u ON u.id = k.function_id"
        " ORDER BY k.dispatch_id, k.is_primary DESC, k.function_id"
    ).fetchall()
    kept: list[tuple[int, int, int]] = []
    changed: list[tuple[int]] = []
    for dispatch_id, group in groupby(rows, key=lambda row: int(row[0])):
        candidates = list(group)
        if len(candidates) < 2:
            continue
        given = [
            _plain(a) for a in read_kernel(candidates[0][5]).arguments if is_constant(_plain(a))
        ]
        fitting = [
            function_id
            for _, function_id, name, file_id, line, _ in candidates
            if _fits(
                classes.get((file_id, name.split("::")[-2] if "::" in name else ""), []),
                line,
                given,
            )
        ]
        if fitting and len(fitting) < len(candidates):
            changed.append((dispatch_id,))
            kept.extend(
                (dispatch_id, function_id, int(n == 0)) for n, function_id in enumerate(fitting)
            )
    conn.executemany("DELETE FROM dispatch_kernels WHERE dispatch_id = ?", changed)
    conn.executemany("INSERT INTO dispatch_kernels VALUES (?, ?, ?)", kept)


def _plain(argument: str) -> str:
    return "".join(argument.split()).removeprefix("::")


def _fits(specializations: list[tuple[int, list[str]]], line: int, given: list[str]) -> bool:
    """Whether the specialization that a line stands in is for the values given.

    Args:
        specializations: of the class in that file, by line, each with its arguments.
        line: of the member.
        given: the constants among the template arguments of the registration.
    """
    position = bisect.bisect_right([start for start, _ in specializations], line) - 1
    if position < 0:
        return False
    wanted = [_plain(a) for a in specializations[position][1] if is_constant(_plain(a))]
    # The same enumerator may be spelled with more of its namespaces.
    return all(any(g == w or g.endswith("::" + w) for g in given) for w in wanted)
