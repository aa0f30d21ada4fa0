"""What tests are written with: functions and classes of torch.testing, sorted and counted.

So are those of a part's own module for its tests, as torch/_dynamo/testing.py is.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from indexer.facts.tests import ASSIGNED
from indexer.link.tests.names import Names

_PACKAGE = "torch.testing"
_OWN = ".testing"
_WHERE = (
    "(m.name = 'torch.testing' OR m.name GLOB 'torch.testing.*' OR m.name GLOB 'torch.*.testing')"
)
_NONE = (0, 0)
_DECORATOR = re.compile(r"^([\w.]+)")
# What is called in a decorator's arguments: `dtypes(*all_types_and(torch.half))`; what stands in quotes is nothing.
_WITHIN = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|(?<=[(\[,*{ +])([A-Za-z_][\w.]*)(?=\()")
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
    def is_method(self) -> bool:
        """Whether it is an assertion of a class."""
        return self.kind == "function" and "." in self.local

    @property
    def last(self) -> str:
        return self.local.rpartition(".")[2]


Row = tuple[str, str, str, "str | None", "str | None", int, int, int, int]
"""A row of `test_utilities`, as it is inserted."""


def test_utilities(conn: sqlite3.Connection, names: Names) -> list[Row]:
    """What tests are written with.

    Args:
        conn: the database, or a snapshot; tests must be linked.
        names: what its test machinery's names stand for.
    """
    decorators = _decorators(conn, names)
    uses = _uses(conn)
    others = _others(conn, names)
    derived = _derived(conn)
    rows: list[Row] = []
    for found in _candidates(conn):
        known = (
            uses.get((found.kind, found.id), _NONE),
            others.get(found.name, _NONE),
            # A method of a test case is called on `self`; most that are called so are those of the class that all
            # derive from.
            others.get(f".{found.last}", _NONE) if found.is_method else _NONE,
            derived.get(found.id, _NONE) if found.kind == "class" else _NONE,
        )
        called = sum(number for number, _ in known)
        in_files = max(files for _, files in known)
        decorates, given, in_others = decorators.get(found.name, (0, 0, 0))
        category = category_of(found.module, found.path, found.last, decorates > 0)
        rows.append(
            (
                found.name, found.last, category, found.signature, found.doc,
                called + decorates + given,
                max(in_files, in_others), found.file_id, found.line,
            )
        )  # fmt: skip
    return rows


def write_utilities(conn: sqlite3.Connection, rows: list[Row]) -> None:
    """Insert `rows` into `test_utilities` of the database `conn`."""
    conn.executemany(
        "INSERT INTO test_utilities (name, last, category, signature, doc, uses, used_in, file_id,"
        " line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def _candidates(conn: sqlite3.Connection) -> Iterator[_Candidate]:
    """Public functions and classes of torch.testing and its like, and the assertions of its test classes."""
    rows = conn.execute(
        "SELECT 'function', p.id, m.name || '.' || p.name, p.name, m.name, f.path,"
        "  p.signature, p.doc, m.file_id, p.line"
        " FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id"
        " JOIN source_files AS f ON f.id = m.file_id"
        f" WHERE {_WHERE} AND p.kind NOT IN ('overload', 'module')"
        " AND (p.class_id IS NULL OR p.name GLOB '*.assert*')"
        " AND p.id NOT IN (SELECT function_id FROM tests WHERE function_id IS NOT NULL)"
        " UNION ALL SELECT 'class', c.id, c.name, substr(c.name, length(m.name) + 2), m.name,"
        "  f.path, NULL, c.doc, m.file_id, c.line"
        " FROM python_classes AS c JOIN python_modules AS m ON m.id = c.module_id"
        " JOIN source_files AS f ON f.id = m.file_id"
        f" WHERE {_WHERE}"
        " AND c.id NOT IN (SELECT t.class_id FROM test_classes AS t JOIN tests AS x ON x.class_id = t.id"
        "  WHERE t.class_id IS NOT NULL)"
        " ORDER BY 9, 10, 2"
    )
    for row in rows:
        found = _Candidate(*row)
        nested = found.kind == "class" and "." in found.local
        if not nested and not found.last.startswith("_"):
            yield found


def category_of(module: str, path: str, last: str, is_decorator: bool) -> str:
    """What something belongs to.

    Args:
        module: that defines it.
        path: of the module's file.
        last: its name alone.
        is_decorator: it decorates something.
    """
    if last.startswith("assert") or last == "gradcheck":
        return "assertions"
    if is_decorator:
        return "decorators"
    if not module.startswith(_PACKAGE):
        return module
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


def _decorators(conn: sqlite3.Connection, names: Names) -> dict[str, tuple[int, int, int]]:
    """By full name: how often something decorates, and is called in decorators' arguments, and in how many files."""
    number: dict[str, int] = {}
    in_arguments: dict[str, int] = {}
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
            for given in _WITHIN.findall(line, match.end() if match else 0):
                if given:
                    name = names.full(f"{module}.{given}")
                    if name.startswith(_PACKAGE) or name.rpartition(".")[0].endswith(_OWN):
                        in_arguments[name] = in_arguments.get(name, 0) + 1
                        files.setdefault(name, set()).add(module)
    return {
        name: (number.get(name, 0), in_arguments.get(name, 0), len(files[name])) for name in files
    }


def _others(conn: sqlite3.Connection, names: Names) -> dict[str, tuple[int, int]]:
    """By full name, or `.name` of what is called on something: uses that are no calls of functions; files."""
    number: dict[str, int] = {}
    files: dict[str, int] = {}
    for (uses,) in conn.execute("SELECT uses FROM test_utility_uses"):
        words = uses.split(" ")
        for name, count in zip(words[::2], words[1::2], strict=True):
            if name.startswith(ASSIGNED):
                continue
            full = name if name[0] == "." else names.full(name)
            number[full] = number.get(full, 0) + int(count)
            files[full] = files.get(full, 0) + 1
    return {name: (count, files[name]) for name, count in number.items()}


def _derived(conn: sqlite3.Connection) -> dict[int, tuple[int, int]]:
    """By class of torch.testing: how many classes derive from it, and in how many files."""
    return {
        identity: (number, files)
        for identity, number, files in conn.execute(
            "SELECT b.base_id, count(*), count(DISTINCT c.module_id) FROM python_bases AS b"
            " JOIN python_classes AS c ON c.id = b.class_id JOIN python_classes AS o ON o.id = b.base_id"
            f" JOIN python_modules AS m ON m.id = o.module_id WHERE {_WHERE}"
            " GROUP BY b.base_id"
        )
    }


def _uses(conn: sqlite3.Connection) -> dict[tuple[str, int], tuple[int, int]]:
    """By function or class: how many calls and references, and in how many files."""
    found: dict[tuple[str, int], tuple[int, int]] = {}
    for kind in ("function", "class"):
        for identity, number, files in conn.execute(
            f"WITH wanted (id, target) AS (SELECT x.id, t.target_id FROM python_{_TABLES[kind]} AS x"
            " JOIN python_modules AS m ON m.id = x.module_id"
            f" JOIN python_resolutions AS t ON t.{kind}_id = x.id"
            f" WHERE {_WHERE})"
            " SELECT w.id, count(*), count(DISTINCT p.module_id) FROM wanted AS w"
            " JOIN python_calls AS c ON c.target_id = w.target"
            # A module's own code and what stands over a function are counted by their texts.
            " JOIN python_functions AS p ON p.id = c.caller_id AND p.kind <> 'module' AND c.kind <> 6 GROUP BY w.id"
        ):
            found[kind, identity] = (number, files)
    return found


_TABLES = {"function": "functions", "class": "classes"}
