"""GPU kernels and launches into their tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from indexer.facts.launches import Kernel, KernelArgument, LaunchFact


def write_launches(conn: sqlite3.Connection, file_id: int, facts: Iterable[LaunchFact]) -> None:
    """Insert one file's kernels and launches; which launch reaches which kernel is found by linking.

    Args:
        conn: the database being built.
        file_id: of the file.
        facts: that its extractor found, in their order.
    """
    kernels, launches, given = [], [], []
    for fact in facts:
        if isinstance(fact, Kernel):
            kernels.append(
                (fact.name, fact.function, fact.platform, fact.is_definition, fact.is_template,
                 fact.bounds or None, fact.macro or None, fact.embedded, file_id, fact.line,
                 fact.definition_line or None)
            )  # fmt: skip
        elif isinstance(fact, KernelArgument):
            given.append((fact.kernel, fact.function, file_id, fact.line))
        else:
            launches.append(
                (fact.kernel, fact.template_arguments or None, fact.scope, fact.launcher, fact.kind,
                 fact.grid or None, fact.block or None, fact.shared or None, fact.stream or None,
                 fact.variable or None, fact.handed_to or None, fact.macro or None, fact.in_definition, fact.platform,
                 file_id, fact.line)
            )  # fmt: skip
    conn.executemany(
        "INSERT INTO kernels (name, function, platform, is_definition, is_template, bounds, macro,"
        " embedded, file_id, line, definition_line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        kernels,
    )
    conn.executemany(
        "INSERT INTO launches (kernel, template_arguments, scope, launcher, kind, grid, block,"
        " shared, stream, variable, handed_to, macro, in_definition, platform, file_id, line)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        launches,
    )
    if given:
        conn.executemany(
            "INSERT INTO kernel_arguments (kernel, function, file_id, line) VALUES (?, ?, ?, ?)",
            given,
        )
