"""diff: what changed from one index to another?"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from torchtalk.answers.base import Page
from torchtalk.answers.diff import DiffAnswer, Section
from torchtalk.arguments import BadArgument
from torchtalk.db import IndexUnavailable
from torchtalk.tools.differences import compiled, operators, python
from torchtalk.tools.differences.databases import both, index_name, missing_layers, untold
from torchtalk.tools.differences.sections import Found
from torchtalk.tools.spec import OFFSET, Parameter, Tool

_OVERVIEW = 6  # changes of each section, where all sections are shown
_PAGE = 40  # where one is

ALL = 1_000_000
"""A limit that no section reaches."""


@dataclass(frozen=True)
class _Kind:
    title: str
    layer: str
    find: Callable[[sqlite3.Connection], Found]


SECTIONS = {
    "removed": _Kind("removed operators", "operators", operators.removed),
    "schemas": _Kind("operators with another schema", "operators", operators.schemas),
    "added": _Kind("added operators", "operators", operators.added),
    "api": _Kind("public Python names", "python", python.api),
    "modules": _Kind("modules, optimizers and schedulers", "python", python.modules),
    "dispatch": _Kind("dispatch keys gained or lost", "native", operators.dispatch),
    "derivatives": _Kind("derivatives", "operators", operators.derivatives),
    "decompositions": _Kind("decompositions", "compile", compiled.decompositions),
    "lowerings": _Kind("Inductor's lowerings", "compile", compiled.lowerings),
    "kernels": _Kind("kernels of unchanged entries", "native", operators.kernels),
    "tests": _Kind("tests", "tests", python.tests),
}
"""Sections in the order in which a reader wants to know of them."""


def diff(old: Path, new: Path, section: str = "", limit: int = 0, offset: int = 0) -> DiffAnswer:
    """Compare two indexes.

    Args:
        old: file of the first.
        new: file of the second.
        section: one of `SECTIONS`; empty for all.
        limit: most changes of a section to show; 0 takes 6 of each section, or 40 of the one.
        offset: how many to pass over.

    Raises:
        IndexUnavailable: one of the files is none that can be asked.
    """
    names = [section] if section else list(SECTIONS)
    limit = limit or (_PAGE if section else _OVERVIEW)
    with both(old, new) as conn:
        missing = missing_layers(conn)
        first, second = index_name(conn, "old", old), index_name(conn, "new", new)
        notes = untold(conn)
        sections = tuple(_section(conn, name, missing, limit, offset) for name in names)
    changed = [part for part in sections if part.total]
    where = f"from {first} to {second}"
    if str(first) == str(second):
        where = f"from {old} to {new}, both {first}"
    told = [part for part in sections if not part.missing]
    if not told:
        finding = f"nothing can be compared {where}"
    elif changed:
        finding = f"{where}: {len(changed)} of {len(told)} sections changed"
    else:
        finding = f"{where}: no difference"
    return DiffAnswer(
        query=section, finding=finding, old=first, new=second, sections=sections,
        notes=(*notes, *(f"{part.title}: {part.missing}" for part in sections if part.missing)),
    )  # fmt: skip


def _section(
    conn: sqlite3.Connection, name: str, missing: dict[str, str], limit: int, offset: int
) -> Section:
    kind = SECTIONS[name]
    reason = missing.get(kind.layer) or missing.get(name)
    if reason:
        return Section(name, kind.title, 0, {}, missing=reason)
    found = kind.find(conn)
    shown = tuple(found.changes[offset : offset + limit])
    page = Page(len(found.changes), offset, len(shown))
    return Section(name, kind.title, len(found.changes), found.counts, found.facts, "", shown, page)


PARAMETERS = (
    Parameter(
        "section", str, f"one of {', '.join(SECTIONS)}; empty for an overview of all", "",
        choices=("", *SECTIONS),
    ),
    Parameter(
        "limit", int, "how many changes of a section to show; 0 for 6 of each, or 40 of one", 0,
        maximum=200,
    ),
    OFFSET,
)  # fmt: skip


def diff_tool(base: Path) -> Tool:
    """The tool of a server that has a second index: what changed from that one to its own.

    Args:
        base: file of the first index.

    Returns:
        The tool; asking it raises `BadArgument` where the first index cannot be used.
    """

    def run(conn: sqlite3.Connection, section: str, limit: int, offset: int) -> DiffAnswer:
        database = Path(conn.execute("PRAGMA database_list").fetchone()[2])
        try:
            return diff(base, database, section, limit, offset)
        except IndexUnavailable as error:
            raise BadArgument(f"the index to compare with cannot be used: {error}") from error

    return Tool(
        name="diff",
        title="What changed",
        description="What changed from a base PyTorch (another index) to this one: operators, schemas, "
        "dispatch, kernels, derivatives, compile, Python API, modules, tests.",
        parameters=PARAMETERS,
        run=run,
        examples=({}, {"section": "schemas"}),
    )
