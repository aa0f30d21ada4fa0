"""test_file_info: what a test file holds, what it tests, and how to run it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from torchtalk.answers.base import Page
from torchtalk.answers.tests import ClassLine, ListLine, TestFileAnswer
from torchtalk.counted import few
from torchtalk.testing.commands import gtest_program
from torchtalk.tools import queries
from torchtalk.tools.spec import OFFSET, Parameter, Tool

_DECORATOR = re.compile(r"^[\w.]+")
_DEVICES = "for each device"
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
    sql = queries("test_file_info")
    wanted = path.strip().removeprefix("./")
    files = conn.execute(sql["files"], {"path": wanted}).fetchall() if wanted else []
    if not files:
        return TestFileAnswer(path, f"no file with tests has {path!r} in its path")
    best = [row for row in files if row["tier"] == files[0]["tier"]]
    if len(best) > 1:
        shown = tuple(f"{row['path']}  {row['tests']} tests" for row in best[:_MOST_CANDIDATES])
        return TestFileAnswer(
            path, f"{len(best)} files with tests fit {path!r}; ask for one of them",
            candidates=shown,
        )  # fmt: skip
    row = conn.execute(sql["file"], {"path": best[0]["path"]}).fetchone()
    of = {"file": row["id"]}
    classes = conn.execute(sql["classes"], {**of, "limit": limit, "offset": offset}).fetchall()
    total = classes[0]["total"] if classes else 0
    others = len(files) - 1
    lines = tuple(_class(conn, line) for line in classes)
    sources = tuple(_sources(conn.execute(sql["sources"], of).fetchall(), row["tests"]))
    run_by = [found["path"] for found in conn.execute(sql["run_by"], of)]
    return TestFileAnswer(
        query=path,
        finding=f"{row['path']}: {row['tests']} tests in {total} classes, {row['size']:,} bytes",
        notes=(
            *_notes(lines, others, wanted),
            *(
                f"not in the index: {found['detail']}"
                for found in conn.execute(sql["gaps"], {"path": row["path"]})
            ),
            *sources,
            *_sharing(row["path"], run_by),
        ),
        path=row["path"],
        size=row["size"],
        tests=row["tests"],
        doc=row["doc"] or "",
        classes=lines,
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
        imports=tuple(
            line["module"] for line in conn.execute(sql["imports"], {"module": row["module_id"]})
        ),
        decorators=_decorators(conn, row["id"]),
        commands=_commands(
            row["path"], row["kind"], bool(conn.execute(sql["has_main"], of).fetchone()), run_by
        ),
        page=Page(total, offset, len(classes)),
    )


def _notes(classes: tuple[ClassLine, ...], others: int, wanted: str) -> Iterator[str]:
    made = next((line for line in classes if any(_DEVICES in run for run in line.runs)), None)
    if made is not None:
        # torch/testing/_internal/common_device_type.py, `instantiate_device_type_tests`.
        yield (
            f"for each device: {made.name} becomes {made.name}CPU, {made.name}CUDA …, and test_x "
            "test_x_cpu; with @dtypes test_x_cpu_float32, with @ops test_x_<entry>_cpu_float32"
        )
    if others:
        yield f"{others} other files have {wanted!r} in their path"


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


def _commands(path: str, kind: str, has_main: bool, run_by: list[str]) -> tuple[str, ...]:
    if kind != "python":
        return (gtest_program(path),)
    if path.startswith(_PACKAGED):
        return tuple(f"pytest {other}" for other in run_by[:_MOST_SOURCES])
    return (f"python {path}", f"pytest {path}") if has_main else (f"pytest {path}",)


TOOL = Tool(
    name="test_file_info",
    title="About a test file",
    description="What a test file holds: classes, how they are made for devices, OpInfo lists, "
    "operators, imports, how to run it. A part of a path that fits several lists them.",
    parameters=(
        Parameter("path", str, "test/test_nn.py, test_nn, inductor …"),
        Parameter("limit", int, "how many classes to show", 50, minimum=1, maximum=200),
        OFFSET,
    ),
    run=test_file_info,
    examples=({"path": "test_nn.py"},),
)
