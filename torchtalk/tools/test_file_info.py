"""test_file_info: what a test file holds, what it tests, and how to run it."""

from __future__ import annotations

import difflib
import posixpath
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from torchtalk.affected.choice.deadends import imported_by
from torchtalk.answers.base import Page, Place
from torchtalk.answers.tests import ClassLine, ListLine, TestFileAnswer
from torchtalk.counted import counted, few
from torchtalk.layers import is_built
from torchtalk.names.files import files_named, written
from torchtalk.names.tests_called import rows_called, tests_called
from torchtalk.sqlfile import listed
from torchtalk.testing.commands import gtest_program
from torchtalk.testing.environment import Environments
from torchtalk.testing.filters import devices_in, devices_of
from torchtalk.testing.installed import without_tests
from torchtalk.tools import queries

_DECORATOR = re.compile(r"^[\w.]+")
_DEVICES = "for each device"
_ONLY = "only_for="
_RUNS = {"devices": _DEVICES, "parameters": "for each parameter", "copy": "copied"}
_MOST_CANDIDATES = 30
_MOST_SOURCES = 10
# What stands here is imported by those who test with it; pytest collects nothing of it.
_PACKAGED = "torch/"


def test_file_info(
    conn: sqlite3.Connection, path: str, limit: int = 50, offset: int = 0
) -> TestFileAnswer:
    """Describe a test file.

    Args:
        conn: an index.
        path: of the file, or a part of it; `test_nn` and `test_nn.py` are test/test_nn.py.
        limit: most classes to show.
        offset: how many of them to pass over.
    """
    if not is_built(conn, "tests"):
        return TestFileAnswer(path, "this index has no tests")
    wanted = _path_of(path)
    fitting = _fitting(conn, path, wanted)
    if isinstance(fitting, TestFileAnswer):
        return fitting
    files, taken = fitting
    best = [row for row in files if row["tier"] == files[0]["tier"]]
    if len(best) > 1:
        shown = tuple(
            f"{row['path']}  {counted(row['tests'], 'test')}" for row in best[:_MOST_CANDIDATES]
        )
        return TestFileAnswer(
            path, f"{len(best)} files with tests fit {path!r}; ask for one of them",
            taken, candidates=shown,
        )  # fmt: skip
    row = conn.execute(queries("test_file_info")["file"], {"path": best[0]["path"]}).fetchone()
    answer = _described(conn, row, limit, offset)
    notes = (
        *taken,
        *_test_named(conn, row["id"], row["path"], path),
        *_notes(answer.classes, len(files) - 1, wanted),
        *answer.notes,
    )
    return replace(answer, query=path, notes=notes)


def _fitting(
    conn: sqlite3.Connection, path: str, wanted: str
) -> tuple[list[sqlite3.Row], tuple[str, ...]] | TestFileAnswer:
    """The files with tests that a text may mean, the best first, and how it was taken; an answer where there are none.

    Args:
        conn: an index.
        path: as it was asked for.
        wanted: what of it is the path of a file.
    """
    sql = queries("test_file_info")
    files = conn.execute(sql["files"], {"path": wanted}).fetchall() if wanted else []
    taken: tuple[str, ...] = ()
    if not files and (called := rows_called(conn, path)):
        # A class or a test by its name: the files that have one.
        taken = tests_called(conn, path)
        files = [
            row
            for having in dict.fromkeys(one["path"] for one in called)
            for row in conn.execute(sql["files"], {"path": having})
            if row["path"] == having
        ]
    named: list[sqlite3.Row] = []
    if wanted and not files:
        named, taken = files_named(conn, wanted)
        if len(named) == 1:
            files = conn.execute(sql["files"], {"path": named[0]["path"]}).fetchall()
            if not files:
                return _without_tests(conn, path, named[0])
    if files:
        return files, taken
    if named:
        finding = f"none of the {len(named)} files that end in {wanted!r} has tests"
    elif path.strip():
        finding = f"no file with tests has {path!r} in its path"
    else:
        finding = "give the path of a file with tests, or a part of it"
    return TestFileAnswer(path, finding, without_tests(conn), _closest(conn, wanted))


def _described(
    conn: sqlite3.Connection, row: sqlite3.Row, limit: int, offset: int
) -> TestFileAnswer:
    """What one file holds, by its row of the statement `file`."""
    sql = queries("test_file_info")
    of = {"file": row["id"]}
    classes, total = _classes(conn, row["id"], limit, offset)
    run_by = [found["path"] for found in conn.execute(sql["run_by"], of)]
    environments = Environments(conn)
    has_main = bool(conn.execute(sql["has_main"], of).fetchone())
    commands = _commands(row["path"], row["kind"], has_main, run_by, environments)
    gaps = conn.execute(sql["gaps"], {"path": row["path"]})
    return TestFileAnswer(
        query=row["path"],
        finding=f"{row['path']}: {counted(row['tests'], 'test')} in {counted(total, 'class', 'classes')}"
        f", {row['size']:,} bytes",
        notes=(
            *(f"not in the index: {found['detail']}" for found in gaps),
            *_sources(conn.execute(sql["sources"], of).fetchall(), row["tests"]),
            *_sharing(row["path"], run_by),
            *environments.notes(),
        ),
        path=row["path"],
        size=row["size"],
        tests=row["tests"],
        doc=row["doc"] or "",
        classes=classes,
        lists=tuple(
            ListLine(
                line["name"],
                line["entries"],
                line["tests"],
                line["decorator"],
                bool(line["is_certain"]),
            )
            for line in conn.execute(sql["lists"], of)
        ),
        operators=tuple(
            (line["base"], line["tests"]) for line in conn.execute(sql["operators"], of)
        ),
        imports=_imports(conn, row["module_id"]),
        decorators=_decorators(conn, row["id"]),
        commands=commands,
        page=Page(total, offset, len(classes)),
    )


def _classes(
    conn: sqlite3.Connection, file: int, limit: int, offset: int
) -> tuple[tuple[ClassLine, ...], int]:
    """The classes of a file on one page, and how many it has."""
    sql = queries("test_file_info")["classes"]
    rows = conn.execute(sql, {"file": file, "limit": limit, "offset": offset}).fetchall()
    # Each row has the total, of which a page behind the last one has none.
    counting = rows or conn.execute(sql, {"file": file, "limit": 1, "offset": 0}).fetchall()
    total = counting[0]["total"] if counting else 0
    return tuple(_class(conn, row) for row in rows), total


def _test_named(conn: sqlite3.Connection, file: int, path: str, text: str) -> tuple[str, ...]:
    """Of a pytest id, `test/test_ops.py::TestCommonCPU::test_out_add_cpu_float32`, where its test stands."""
    parts = text.strip().split("::")[1:]
    if not parts:
        return ()
    test = parts[-1].partition("[")[0]
    asked = {"file": file, "test": test, "class": parts[0] if len(parts) > 1 else ""}
    row = conn.execute(queries("test_file_info")["named"], asked).fetchone()
    if row is None:
        return (f"no test of the file is written as {test}",)
    return (f"the test that is asked for is {row['name']}  {Place(path, row['line'])}",)


def _path_of(text: str) -> str:
    """A path as the tree has it: without the line, the class or the test behind it, and with `/`."""
    path = text.strip().partition("::")[0].replace("\\", "/").removeprefix("./")
    file = written(path)
    return file.path if file is not None else path.rstrip("/")


def _without_tests(conn: sqlite3.Connection, path: str, file: sqlite3.Row) -> TestFileAnswer:
    """Of a file that is there and has no tests: who imports it, and where to ask on."""
    name = file["path"]
    notes = [f"the tests for what stands in it: affected {name}", *imported_by(conn, (name,))]
    if name.startswith("torch/testing/"):
        notes.append("its helpers: list_test_utils")
    return TestFileAnswer(path, f"{name} has no tests", tuple(notes))


def _closest(conn: sqlite3.Connection, wanted: str) -> tuple[str, ...]:
    """Files with tests that are called alike."""
    name = posixpath.splitext(posixpath.basename(wanted))[0].lower()
    paths: dict[str, list[str]] = {}
    for (path,) in conn.execute(queries("test_file_info")["paths"]) if name else ():
        stem = posixpath.splitext(posixpath.basename(path))[0].lower()
        paths.setdefault(stem, []).append(path)
    near = difflib.get_close_matches(name, paths, 3, 0.8)
    return tuple(path for stem in near for path in paths[stem])[:5]


def _notes(classes: tuple[ClassLine, ...], others: int, wanted: str) -> Iterator[str]:
    made = next((line for line in classes if any(_DEVICES in run for run in line.runs)), None)
    if made is not None:
        yield _for_devices(made.name, next(run for run in made.runs if _DEVICES in run))
    if others:
        yield f"{others} other files have {wanted!r} in their path"


def _for_devices(name: str, run: str) -> str:
    """What a class becomes (`instantiate_device_type_tests` of torch/testing/_internal/common_device_type.py)."""
    given = devices_in(run)
    devices = given or devices_of(run)
    if (_ONLY in run and not given) or not devices:
        # Which these are only running the file tells.
        return f"{name}, {run}, becomes a class for each, such as {name}CPU for cpu if that is one"
    become = ", ".join(f"{name}{device.upper()}" for device in devices)
    more = "" if given else " …"
    return (
        f"for each device: {name} becomes {become}{more}, and test_x test_x_{devices[0]}; with @dtypes "
        f"test_x_{devices[0]}_float32, with @ops test_x_<entry>_{devices[0]}_float32"
    )


def _class(conn: sqlite3.Connection, row: sqlite3.Row) -> ClassLine:
    runs = []
    for made in conn.execute(queries("test_file_info")["runs"], {"class": row["id"]}):
        given = f" ({made['arguments']})" if made["arguments"] else ""
        how = "by what derives from it" if made["function"] == "del" else _RUNS[made["kind"]]
        runs.append(how + given)
    bases = tuple(row["bases"].split("\n")) if row["bases"] else ()
    return ClassLine(
        row["name"], row["role"], row["line"], bases, row["tests"], tuple(dict.fromkeys(runs))
    )


def _imports(conn: sqlite3.Connection, module_id: int) -> tuple[str, ...]:
    """The modules of the tree that a file imports; those that its own folder lacks are of one above, or installed."""
    from indexer.extract.python.beside import PACKAGES, outer

    sql = queries("test_file_info")
    rows = conn.execute(sql["imports"], {"module": module_id}).fetchall()
    names = [(row["module"], *outer(row["module"])) for row in rows]
    wanted = {"names": listed(tuple({name for each in names for name in each}))}
    known = {row["name"] for row in conn.execute(sql["modules"], wanted)}
    known |= {name for name, *_ in names if name.partition(".")[0] in PACKAGES}
    found = (next((name for name in each if name in known), "") for each in names)
    return tuple(sorted({*found} - {""}))


def _decorators(conn: sqlite3.Connection, file_id: int) -> tuple[tuple[str, int], ...]:
    number: dict[str, int] = {}
    for (text,) in conn.execute(queries("test_file_info")["decorators"], {"file": file_id}):
        for line in text.split("\n"):
            match = _DECORATOR.match(line)
            if match:
                number[match[0]] = number.get(match[0], 0) + 1
    return tuple(sorted(number.items(), key=lambda item: (-item[1], item[0]))[:12])


def _sources(rows: list[sqlite3.Row], tests: int) -> Iterator[str]:
    """Whose tests a file has: those of classes that it names, or of modules."""
    if not rows and not tests:
        yield "no test stands in it: its code makes them when it runs, or it is no file of tests"
    whole = [row["path"] for row in rows if row["classes"] is None]
    if whole:
        yield f"it has tests of {few(whole, _MOST_SOURCES)}, which it imports"
    for row in [row for row in rows if row["classes"]][:_MOST_SOURCES]:
        yield f"it has tests of {row['path']}: {row['classes']}"


def _sharing(path: str, run_by: list[str]) -> Iterator[str]:
    if run_by:
        only = "its tests are run by" if path.startswith(_PACKAGED) else "its tests are run too by"
        yield f"{only} {few(run_by, _MOST_SOURCES)}"


def _commands(
    path: str, kind: str, has_main: bool, run_by: list[str], environments: Environments
) -> tuple[str, ...]:
    if kind != "python":
        return (gtest_program(path),)
    if path.startswith(_PACKAGED):
        return tuple(
            environments.command(other) or f"pytest {other}" for other in run_by[:_MOST_SOURCES]
        )
    if runner := environments.command(path):
        return (runner,)
    return (f"python {path}", f"pytest {path}") if has_main else (f"pytest {path}",)
