"""Which classes hold tests, and which tests there are."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping

from indexer.extract.python.testing.places import is_test_path
from indexer.link.tests.assigned import assigned_tests
from indexer.link.tests.names import Names

# What pytest collects without being told (pytest.ini of the tree names no other patterns).
_PYTEST_FILE = re.compile(r"(?:^|/)test_[^/]*\.py$|_test\.py$")
_GTEST = re.compile(r"\s*\w*TEST\w*\s*\(\s*(\w+)\s*,")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
_GTEST_NAME = re.compile(r"(?:^|::)((\w+?)_(\w+))_Test::TestBody$")


def link_classes(conn: sqlite3.Connection, names: Names, bases: Mapping[int, list[int]]) -> None:
    """Fill `test_classes` and say which class each instantiation is of.

    Args:
        conn: an index whose Python layer is linked.
        names: what names stand for.
        bases: see `base_classes`.
    """
    roles = _roles(conn, names, bases)
    rows = conn.execute(
        "SELECT c.id, substr(c.name, length(m.name) + 2), m.file_id, c.line"
        " FROM python_classes AS c JOIN python_modules AS m ON m.id = c.module_id ORDER BY c.id"
    )
    conn.executemany(
        "INSERT INTO test_classes (name, role, class_id, file_id, line) VALUES (?, ?, ?, ?, ?)",
        [
            (name, roles[class_id], class_id, file_id, line)
            for class_id, name, file_id, line in rows
            if class_id in roles
        ],
    )
    found = []
    for identity, target in conn.execute(
        "SELECT id, class_name FROM test_instantiations ORDER BY id"
    ).fetchall():
        row = conn.execute(
            "SELECT t.id FROM test_classes AS t JOIN python_classes AS c ON c.id = t.class_id"
            " WHERE c.name = ? ORDER BY t.id DESC",
            (names.full(target),),
        ).fetchone()
        if row is not None:
            found.append((row[0], identity))
    conn.executemany("UPDATE test_instantiations SET class_id = ? WHERE id = ?", found)
    conn.execute(
        "INSERT INTO coverage (layer, file, status, detail)"
        " SELECT 'tests', f.path, 'partial', 'line ' || i.line || ': no class of the tree is '"
        " || i.class_name FROM test_instantiations AS i"
        " JOIN source_files AS f ON f.id = i.file_id WHERE i.class_id IS NULL ORDER BY i.id"
    )


def base_classes(conn: sqlite3.Connection) -> dict[int, list[int]]:
    """By the id of a Python class of the database `conn`, those that it derives from."""
    bases: dict[int, list[int]] = {}
    for class_id, base_id in conn.execute(
        "SELECT class_id, base_id FROM python_bases WHERE base_id IS NOT NULL"
        " UNION ALL"
        # `import test_c10d_common` finds the file beside the one that imports it.
        " SELECT b.class_id, o.id FROM python_bases AS b"
        " JOIN python_classes AS c ON c.id = b.class_id"
        " JOIN python_modules AS m ON m.id = c.module_id"
        " JOIN python_classes AS o ON o.name ="
        "  substr(m.name, 1, length(rtrim(m.name, replace(m.name, '.', '')))) || b.name"
        " WHERE b.base_id IS NULL AND b.name GLOB '*.*' ORDER BY 1, 2"
    ):
        bases.setdefault(class_id, []).append(base_id)
    return bases


def _roles(
    conn: sqlite3.Connection, names: Names, bases: Mapping[int, list[int]]
) -> dict[int, str]:
    holding: dict[int, bool] = {}
    for class_id, signature, decorators in conn.execute(
        "SELECT class_id, signature, decorators FROM python_functions"
        " WHERE class_id IS NOT NULL AND name GLOB '*.test*' AND signature GLOB '(self*' ORDER BY id"
    ):
        is_run = holding.get(class_id, False) or _is_run(signature, decorators)
        holding[class_id] = is_run
    roles = dict.fromkeys(_derived(conn, bases), "test")
    pending = list(roles)
    seen = set(pending)
    while pending:
        for base in bases.get(pending.pop(), ()):
            if base not in seen:
                seen.add(base)
                pending.append(base)
                if base in holding:
                    roles[base] = "mixin"
    templates = {
        names.full(name)
        for (name,) in conn.execute(
            "SELECT class_name FROM test_instantiations WHERE kind = 'copy' AND function <> 'del' ORDER BY id"
        )
    }
    deleted = {
        names.full(name)
        for (name,) in conn.execute(
            "SELECT class_name FROM test_instantiations WHERE function = 'del' ORDER BY id"
        )
    }
    for class_id, name, own, path in conn.execute(
        "SELECT c.id, c.name, substr(c.name, length(m.name) + 2), f.path FROM python_classes AS c"
        " JOIN python_modules AS m ON m.id = c.module_id"
        " JOIN source_files AS f ON f.id = m.file_id ORDER BY c.id"
    ):
        if name in deleted and class_id in roles and class_id in holding:
            # Only the classes that derive from it are there to be run.
            roles[class_id] = "mixin"
        if class_id in roles or class_id not in holding:
            continue
        if name in templates:
            roles[class_id] = "template"
        elif own.startswith("Test") and "." not in own and _PYTEST_FILE.search(path):
            roles[class_id] = "pytest"
        elif holding[class_id] and _is_made_use_of(own, path):
            roles[class_id] = "template"
    return roles


def _is_run(signature: str, decorators: str | None) -> bool:
    """Whether a method takes nothing but `self`, or may get it from its decorators.

    `test_cuda(self, test_case)` of torch/testing/_internal/common_nn.py's ModuleTest is called by a test that
    test/test_nn.py makes of it, by another name (`add_test`).
    """
    return signature == "(self)" or bool(decorators) or _is_given(signature, _SELF)


def _is_made_use_of(name: str, path: str) -> bool:
    """Whether a class with test methods is one whose tests run in classes made at run time.

    So it is with those of torch/testing/_internal/distributed/rpc (rpc_utils.py,
    `generate_tests`). No statement of a file says it; the name and the place do.
    """
    return "Test" in name and is_test_path(path)


def _derived(conn: sqlite3.Connection, bases: Mapping[int, list[int]]) -> list[int]:
    """Ids of the classes that derive from a TestCase of another project, in order.

    These are `unittest.TestCase` and `expecttest.TestCase`, which torch's own derives from
    (torch/testing/_internal/common_utils.py).
    """
    below: dict[int, list[int]] = {}
    for class_id, of in bases.items():
        for base in of:
            below.setdefault(base, []).append(class_id)
    pending = [
        class_id
        for (class_id,) in conn.execute(
            "SELECT DISTINCT class_id FROM python_bases"
            " WHERE base_id IS NULL AND name GLOB '*TestCase' ORDER BY class_id"
        )
    ]
    found = set(pending)
    while pending:
        for class_id in below.get(pending.pop(), ()):
            if class_id not in found:
                found.add(class_id)
                pending.append(class_id)
    conn.executemany(
        "UPDATE python_classes SET category = 'test' WHERE id = ? AND category = 'other'",
        [(class_id,) for class_id in sorted(found)],
    )
    return sorted(found)


def link_tests(conn: sqlite3.Connection, bases: Mapping[int, list[int]]) -> None:
    """Fill `tests` from the functions of both languages and what classes assign, in the order of the files.

    Args:
        conn: the database, in a transaction; `test_classes` must be filled.
        bases: as of `base_classes`.
    """
    rows = sorted(
        [*_python_tests(conn, bases), *_gtests(conn)], key=lambda row: (row[5], row[6], row[0])
    )
    conn.executemany(
        "INSERT INTO tests (name, kind, class_id, function_id, cpp_function_id, file_id, line,"
        " end_line, decorators, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


# https://docs.pytest.org/en/stable/reference/fixtures.html#built-in-fixtures
_FIXTURES = frozenset(
    "cache capfd capfdbinary caplog capsys capsysbinary capteesys doctest_namespace monkeypatch pytestconfig pytester"
    " record_property record_testsuite_property recwarn request subtests testdir tmp_path tmp_path_factory tmpdir"
    " tmpdir_factory".split()
)
_SELF = frozenset(("self",))
_DEFAULTS = re.compile(r"\s*=.*|\s*:.*")


def _is_given(signature: str, fixtures: frozenset[str]) -> bool:
    """Whether pytest has all that a function without decorators takes.

    What takes more is no test, though it is named like one, as test/run_test.py's `test_distributed` is.
    """
    inner = signature[1 : signature.rfind(")")]
    if "[" in inner or "(" in inner:
        # A comma may stand in an annotation or a default.
        return True
    taken = [part.strip() for part in inner.split(",")]
    return all(
        not name or name[0] in "*/" or "=" in name or _DEFAULTS.sub("", name) in fixtures
        for name in taken
    )


_Row = tuple[str, str, "int | None", "int | None", "int | None", int, int, int, "str | None", str]


def _python_tests(conn: sqlite3.Connection, bases: Mapping[int, list[int]]) -> Iterator[_Row]:
    classes: dict[int, tuple[int, str, str]] = {}
    files: dict[int, int] = {}
    for identity, class_id, name, role, of_file in conn.execute(
        "SELECT id, class_id, name, role, file_id FROM test_classes WHERE class_id IS NOT NULL ORDER BY id"
    ):
        classes[class_id] = (identity, _words(name), role)
        files[class_id] = of_file
    for found in assigned_tests(conn, classes, bases):
        of, of_class, _ = classes[found.class_id]
        yield (
            found.name, "python", of, found.function_id, None, files[found.class_id], found.line,
            found.end_line, None, f"{_words(found.name)} {of_class}",
        )  # fmt: skip
    fixtures: frozenset[str] | None = None
    for (
        function_id,
        class_id,
        name,
        path,
        file_id,
        line,
        end_line,
        decorators,
        signature,
    ) in conn.execute(
        "SELECT p.id, p.class_id, p.name, f.path, m.file_id, p.line, p.end_line, p.decorators, p.signature"
        " FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id"
        " JOIN source_files AS f ON f.id = m.file_id"
        " WHERE p.kind NOT IN ('overload', 'property', 'setter')"
        " AND (p.name GLOB '*.test*' OR p.name GLOB 'test*')"
    ):
        last = name.rpartition(".")[2]
        if not last.startswith("test"):
            continue
        words = _words(last)
        if class_id is None:
            if not last.startswith("test_") or not _PYTEST_FILE.search(path):
                continue
            if not decorators and signature != "()":
                fixtures = fixtures or _FIXTURES | {*_fixtures(conn)}
                if not _is_given(signature, fixtures):
                    continue
            test_class = None
        elif class_id in classes:
            test_class, of_class, role = classes[class_id]
            if role == "template" and not _is_run(signature, decorators):
                continue
            words = f"{words} {of_class}"
        else:
            continue
        written = decorators.replace("\n", ", ") if decorators else None
        yield (
            last, "python", test_class, function_id, None, file_id, line, end_line, written, words
        )  # fmt: skip


def _fixtures(conn: sqlite3.Connection) -> Iterator[str]:
    for (name,) in conn.execute(
        "SELECT name FROM python_functions WHERE decorators LIKE '%fixture%'"
    ):
        yield name.rpartition(".")[2]


def _words(name: str) -> str:
    """The words of a name; most of tests have nothing but lower case and underscores."""
    if name == name.lower():
        return name.replace("_", " ")
    return " ".join(_CAMEL.split(name)).lower()


def _gtests(conn: sqlite3.Connection) -> Iterator[_Row]:
    suites: dict[tuple[int, str], int] = {}
    for identity, name, signature, file_id, line, end_line, macro in conn.execute(
        "SELECT id, name, signature, file_id, line, end_line, macro FROM functions"
        " WHERE name GLOB '*_Test::TestBody' ORDER BY id"
    ).fetchall():
        pasted = _GTEST_NAME.search(name)
        if pasted is None:
            continue
        whole, suite, test = pasted.groups()
        written = _GTEST.match(signature)
        if written is not None and whole.startswith(f"{written[1]}_"):
            suite, test = written[1], whole[len(written[1]) + 1 :]
        class_id = suites.get((file_id, suite))
        if class_id is None:
            class_id = conn.execute(
                "INSERT INTO test_classes (name, role, file_id, line) VALUES (?, 'suite', ?, ?)",
                (suite, file_id, line),
            ).lastrowid
            suites[file_id, suite] = class_id or 0
        words = f"{_words(test)} {_words(suite)}"
        yield test, "gtest", class_id, None, identity, file_id, line, end_line, macro, words
