"""What tests are written with: functions and classes of torch.testing, sorted and counted."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from indexer.link.tests.names import Names

_PACKAGE = "torch.testing"
_DECORATOR = re.compile(r"^([\w.]+)")
_DEVICES = re.compile(r"(?:^|_)(?:device|dtype|cuda|mps|xpu|hpu|mkldnn|xla)(?:_|$)")
_INFOS = re.compile(r"(?:^|_)(?:db|opinfo|modules|optimizers|methods_invocations)(?:_|$)")


class _Candidate(NamedTuple):
    kind: str
    id: int
    name: str
    local: str
    module: str
    path: str
    signature: str | None
    doc: str | None
    file_id: int
    line: int

    @property
    def last(self) -> str:
        return self.local.rpartition(".")[2]


Row = tuple[str, str, str, "str | None", "str | None", int, int, int, int]
"""A row of `test_utilities`, as it is inserted."""


def test_utilities(conn: sqlite3.Connection, names: Names) -> list[Row]:
    """What tests are written with."""
    decorators = _decorators(conn, names)
    uses = _uses(conn)
    rows: list[Row] = []
    for found in _candidates(conn):
        called, in_files = uses.get((found.kind, found.id), (0, 0))
        decorates, in_others = decorators.get(found.name, (0, 0))
        category = _category(found.module, found.path, found.last, decorates > 0)
        rows.append(
            (
                found.name, found.last, category, found.signature, found.doc, called + decorates,
                max(in_files, in_others), found.file_id, found.line,
            )
        )  # fmt: skip
    return rows


def write_utilities(conn: sqlite3.Connection, rows: list[Row]) -> None:
    """Fill `test_utilities`."""
    conn.executemany(
        "INSERT INTO test_utilities (name, last, category, signature, doc, uses, used_in, file_id,"
        " line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def _candidates(conn: sqlite3.Connection) -> Iterator[_Candidate]:
    """Public functions and classes of torch.testing, and the assertions of its test classes."""
    rows = conn.execute(
        "SELECT 'function', p.id, m.name || '.' || p.name, p.name, m.name, f.path,"
        "  p.signature, p.doc, m.file_id, p.line"
        " FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id"
        " JOIN source_files AS f ON f.id = m.file_id"
        " WHERE (m.name = :package OR m.name GLOB :below) AND p.kind <> 'overload'"
        " AND (p.class_id IS NULL OR p.name GLOB '*.assert*')"
        " UNION ALL SELECT 'class', c.id, c.name, substr(c.name, length(m.name) + 2), m.name,"
        "  f.path, NULL, c.doc, m.file_id, c.line"
        " FROM python_classes AS c JOIN python_modules AS m ON m.id = c.module_id"
        " JOIN source_files AS f ON f.id = m.file_id"
        " WHERE (m.name = :package OR m.name GLOB :below)"
        " ORDER BY 9, 10, 2",
        {"package": _PACKAGE, "below": f"{_PACKAGE}.*"},
    )
    for row in rows:
        found = _Candidate(*row)
        nested = found.kind == "class" and "." in found.local
        if not nested and not found.last.startswith(("_", "test", "Test")):
            yield found


def _category(module: str, path: str, last: str, is_decorator: bool) -> str:
    if last.startswith("assert") or last == "gradcheck":
        return "assertions"
    if is_decorator:
        return "decorators"
    name = module.rpartition(".")[2]
    if (
        "/opinfo/" in path
        or last.endswith(("Info", "SampleInput", "ErrorInput"))
        or _INFOS.search(name)
    ):
        return "opinfo"
    if _DEVICES.search(name):
        return "devices and dtypes"
    return name


def _decorators(conn: sqlite3.Connection, names: Names) -> dict[str, tuple[int, int]]:
    """By full name: how often something decorates, and in how many files."""
    number: dict[str, int] = {}
    files: dict[str, set[str]] = {}
    for module, text in conn.execute(
        "SELECT m.name, x.decorators FROM ("
        " SELECT module_id, decorators FROM python_functions WHERE decorators IS NOT NULL"
        " UNION ALL SELECT module_id, decorators FROM python_classes"
        " WHERE decorators IS NOT NULL) AS x"
        " JOIN python_modules AS m ON m.id = x.module_id WHERE m.name GLOB '*test*'"
    ):
        for line in text.split("\n"):
            match = _DECORATOR.match(line)
            if match:
                name = names.full(f"{module}.{match[1]}")
                number[name] = number.get(name, 0) + 1
                files.setdefault(name, set()).add(module)
    return {name: (count, len(files[name])) for name, count in number.items()}


def _uses(conn: sqlite3.Connection) -> dict[tuple[str, int], tuple[int, int]]:
    """By function or class: how many calls and references, and in how many files."""
    found: dict[tuple[str, int], tuple[int, int]] = {}
    for kind in ("function", "class"):
        for identity, number, files in conn.execute(
            f"WITH wanted (id, target) AS (SELECT x.id, t.target_id FROM python_{_TABLES[kind]} AS x"
            " JOIN python_modules AS m ON m.id = x.module_id"
            f" JOIN python_resolutions AS t ON t.{kind}_id = x.id"
            " WHERE m.name GLOB 'torch.testing*')"
            " SELECT w.id, count(*), count(DISTINCT p.module_id) FROM wanted AS w"
            " JOIN python_calls AS c ON c.target_id = w.target"
            " JOIN python_functions AS p ON p.id = c.caller_id GROUP BY w.id"
        ):
            found[kind, identity] = (number, files)
    return found


_TABLES = {"function": "functions", "class": "classes"}
