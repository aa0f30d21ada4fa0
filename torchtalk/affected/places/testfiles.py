"""What a diff says of tests themselves: new ones, deleted ones, files that moved or are to be run as a whole.

The graph leads from what changed to tests that are in the index. Those that a diff brings are known by its text.
"""

from __future__ import annotations

import posixpath
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import FileChange, Span
from torchtalk.affected.diff.quiet import says_nothing
from torchtalk.counted import counted

_PYTHON = re.compile(r"(?P<indent>\s*)(?:async\s+)?def\s+(?P<name>test\w*)\s*\(")
_GTEST = re.compile(r"(?:TYPED_)?TEST(?:_F|_P)?\s*\(\s*(?P<owner>\w+)\s*,\s*(?P<name>\w+)\s*\)")
_NAMED_SO = re.compile(r"(?:test_.*|.*_test)\.py$")
# What may stand at the outermost level of text that only adds definitions: their beginnings, and what closes one.
_OF_MODULE = re.compile(r"@|(?:async\s+)?def\s|class\s|[)\]}]|(?:TYPED_)?TEST(?:_F|_P)?\s*\(")
_OF_CLASS = re.compile(r"\s+(?:@|(?:async\s+)?def\s+test|[)\]}])")


class NewTest(NamedTuple):
    """A test that only the diff knows.

    Args:
        path: of its file, after the change.
        kind: test or gtest.
        owner: class or suite, as far as known.
        name: its name.
        line: after the change.
        run_by: the file that runs it, where its own runs none.
    """

    path: str
    kind: str
    owner: str | None
    name: str
    line: int
    run_by: str = ""


class WholeFile(NamedTuple):
    """A test file of which all is to be run.

    Args:
        path: after the change.
        tests: how many it has, as far as known.
        why: a reason.
    """

    path: str
    tests: int
    why: str


@dataclass
class TestChanges:
    """What became of tests.

    Args:
        whole: files to be run as a whole, by path.
        new: tests that the index does not have.
        renamed: new paths by those that the index has.
        skipped: ids of tests that are gone, or that run with their whole file.
        skipped_paths: files with such tests.
    """

    whole: dict[str, WholeFile] = field(default_factory=dict)
    new: list[NewTest] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)
    skipped_paths: set[str] = field(default_factory=set)

    __test__ = False

    def skip_file(self, conn: sqlite3.Connection, file: sqlite3.Row) -> int:
        """Select none of a file's tests one by one.

        Args:
            conn: an index.
            file: row of the file.

        Returns:
            How many tests it has.
        """
        rows = conn.execute(queries("places")["file_tests"], {"file": file["id"]}).fetchall()
        self.skipped.update(row["id"] for row in rows)
        self.skipped_paths.add(file["path"])
        return len(rows)

    def run_whole(
        self, conn: sqlite3.Connection, file: sqlite3.Row | None, change: FileChange, why: str
    ) -> None:
        """Select a file as a whole, or those that run its tests where it runs none itself.

        Args:
            conn: an index.
            file: row of the file; None where the index does not have it.
            change: what the diff says of it.
            why: it is run, for people.
        """
        path = change.new_path or change.path
        number = self.skip_file(conn, file) if file else 0
        number = number or len(list(tests_in(change.new)))
        runners = run_by(conn, file)
        if runners is None:
            self.whole[path] = WholeFile(path, number, why)
        for runner in runners or ():
            # The tests are counted once.
            of_it = 0 if self.whole else number
            self.whole.setdefault(
                runner, WholeFile(runner, of_it, f"has the tests of {path}: {why}")
            )


def run_by(conn: sqlite3.Connection, file: sqlite3.Row | None) -> tuple[str, ...] | None:
    """The files that run the tests of one that runs none itself.

    What stands in torch/ is part of the package: files in test/ import its classes and run them.

    Args:
        conn: an index.
        file: row of the file that has the tests; None where the index does not have it.

    Returns:
        Their paths; None of a file that runs its tests itself.
    """
    if file is None or not file["path"].startswith("torch/") or file["kind"] != "python":
        return None
    rows = conn.execute(queries("places")["running_files"], {"file": file["id"]})
    return tuple(row["path"] for row in rows)


def new_gtests(change: FileChange) -> Iterator[NewTest]:
    """The C++ tests that `change` adds, which is of a new file; none of a Python one."""
    for kind, owner, name, line in tests_in(change.new):
        if kind == "gtest" and not change.path.endswith(".py"):
            yield NewTest(change.path, kind, owner, name, line)


def is_new_test_file(change: FileChange) -> bool:
    """Whether a new file, of which `change` is, has Python tests, by its name or its text."""
    path = change.path
    if not path.endswith(".py"):
        return False
    is_named_so = bool(_NAMED_SO.match(posixpath.basename(path)))
    return is_named_so or any(kind == "test" for kind, *_ in tests_in(change.new))


def tests_in(spans: tuple[Span, ...]) -> Iterator[tuple[str, str | None, str, int]]:
    """The tests that begin on added lines.

    Args:
        spans: lines after the change, with their text.

    Returns:
        Of each the kind (`test` or `gtest`), the suite of a gtest (else None), the name, and the 1-based line after the
        change.
    """
    for span in spans:
        yield from _begun(span.added, span.first)


def _begun(lines: tuple[str, ...], first: int) -> Iterator[tuple[str, str | None, str, int]]:
    for line, text in enumerate(lines, first):
        if match := _PYTHON.match(text):
            yield "test", None, match["name"], line
        elif match := _GTEST.match(text):
            yield "gtest", match["owner"], match["name"], line


class FileTests:
    """The tests of one file that a diff changes.

    Args:
        conn: an index.
        file: its row.
        change: what the diff says of it.
        is_new: the index has the lines after the change.
    """

    def __init__(
        self, conn: sqlite3.Connection, file: sqlite3.Row, change: FileChange, is_new: bool
    ) -> None:
        self._conn = conn
        self._file = file
        self._change = change
        self._is_new = is_new
        self._known = {
            (row["line"], row["name"]): row["id"]
            for row in conn.execute(queries("places")["file_tests"], {"file": file["id"]})
        }
        self.gone: dict[int, str] = {}
        """Names of the tests that are there no more, by their lines in the index."""
        if not is_new:
            added = {name for _, _, name, _ in tests_in(change.new)}
            self.gone = {
                line: name
                for span in change.old
                for _, _, name, line in _begun(span.removed, span.first)
                if name not in added and (line, name) in self._known
            }

    @property
    def has_tests(self) -> bool:
        """Whether the index has tests of it."""
        return bool(self._known)

    def take(self, tests: TestChanges) -> Iterator[str]:
        """Add what is new to `tests`, and leave out what is gone; yields what a reader should know, a sentence each."""
        tests.skipped.update(self._known[key] for key in self.gone.items())
        path = self._change.new_path or self._change.path
        if self.gone:
            yield f"{path}: {', '.join(sorted(set(self.gone.values())))} deleted"
        if self._is_new or (not self._known and not _may_have_tests(path)):
            return
        names = {name for _, name in self._known}
        removed = {
            name for span in self._change.old for _, _, name, _ in _begun(span.removed, span.first)
        }
        runner = next(iter(run_by(self._conn, self._file) or ()), "")
        known: set[tuple[str | None, str]] = set()
        for kind, owner, name, line in tests_in(self._change.new):
            if name in removed or (owner, name) in known:
                continue
            if name not in names or self._is_surely_old():
                known.add((owner, name))  # what runs one of a name runs all of the file
                tests.new.append(NewTest(path, kind, owner, name, line, runner))

    def _is_surely_old(self) -> bool:
        """Whether the index has the lines before the change for sure: then an added name is another class's."""
        return bool(self._change.old_blob) and str(self._file["sha"]).startswith(
            self._change.old_blob
        )

    def adds_only_tests(self, span: Span) -> bool:
        """Whether the lines of `span` are nothing but new definitions, which change none that were there."""
        if not self.has_tests or self._is_new or not span.added or any(map(_tells, span.removed)):
            return False
        told = [text for text in span.added if _tells(text)]
        least = min((len(text) - len(text.lstrip()) for text in told), default=0)
        if told and len(told[0]) - len(told[0].lstrip()) > least:
            # They begin with the end of what stands above.
            return False
        form = _OF_CLASS if least else _OF_MODULE
        outer = [text for text in told if len(text) - len(text.lstrip()) == least]
        # A decorator alone is that of what was there.
        is_definition = any(not text.lstrip().startswith("@") for text in outer)
        return is_definition and all(form.match(text) for text in outer)

    def is_outside(self, span: Span) -> bool:
        """Whether the lines of `span`, which stand in nothing, change the module: more than comments."""
        if not self.has_tests or self._file["kind"] != "python":
            return False
        return any(_tells(text) for text in (*span.removed, *span.added))


def _may_have_tests(path: str) -> bool:
    """Whether a file that has no tests yet may have some: `def test_distributed` of test/run_test.py is none."""
    return not path.endswith(".py") or posixpath.basename(path).startswith("test_")


def _tells(text: str) -> bool:
    return not says_nothing(text, "python")


def outside(lines: int) -> str:
    """Why a whole file is to be run of which so many `lines` changed outside of its tests."""
    return f"{counted(lines, 'changed line')} outside of its tests"
