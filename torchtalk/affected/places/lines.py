"""From changed lines to the nodes of the graph, and what it could not see."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import replace

from torchtalk.affected import queries
from torchtalk.affected.at_hand import AtHand
from torchtalk.affected.diff.diffs import WHOLE_FILE, FileChange, Span
from torchtalk.affected.diff.outside import Outside, what_is
from torchtalk.affected.diff.quiet import is_quiet
from torchtalk.affected.graph.makers import Statements
from torchtalk.affected.graph.nodes import gradient, new_entry, operator
from torchtalk.affected.places.added import added_operators, new_entries
from torchtalk.affected.places.bound import Bound
from torchtalk.affected.places.changes import Changes, Loose, Seed
from torchtalk.affected.places.declared import Declarations
from torchtalk.affected.places.embedded import embedded_at
from torchtalk.affected.places.entry_fields import fields_in
from torchtalk.affected.places.expectations import take_expectation
from torchtalk.affected.places.macros import Texts, macro_at, take_macro, take_macros
from torchtalk.affected.places.relocated import relocated
from torchtalk.affected.places.standing import seeds_at
from torchtalk.affected.places.statements import beginning, outermost
from torchtalk.affected.places.testfiles import FileTests, is_new_test_file, new_gtests, outside
from torchtalk.affected.places.whole_headers import take_declared
from torchtalk.answers.base import Place
from torchtalk.counted import counted

_NAMED_TEST = re.compile(r"""["'](test_\w+)["']""")
# Who uses what is renamed was mostly changed with it: less than a change of what it does.
_RENAMED = 0.5


def from_diff(conn: sqlite3.Connection, files: tuple[FileChange, ...], changes: Changes) -> None:
    """Add what stands on the lines that a diff changes.

    The index has the lines of one side: of that whose content it read, which git's blob ids tell;
    of the old one where neither is known.

    Args:
        conn: an index.
        files: what the diff says of each, with paths as the tree has them.
        changes: found so far; grows.
    """
    sql = queries("places")
    texts = Texts(conn)
    for change in files:
        changes.files += 1
        known = what_is(change.path)
        if known is not None and known.needs_no_test:
            changes.quiet += 1
            changes.notes.append(f"{change.path}: {known.what}, which needs no test")
            continue
        row = None
        for path in (change.old_path, change.new_path):
            row = row or (conn.execute(sql["file"], {"path": path}).fetchone() if path else None)
        if change.old_path is None and is_new_test_file(change):
            changes.tests.run_whole(conn, row, change, "a new file")
        if row is None and take_expectation(conn, change.path, changes):
            continue
        if row is None:
            new = list(new_gtests(change)) if change.old_path is None else []
            changes.tests.new += new
            if change.path not in changes.tests.whole and not new:
                why = "a new file" if change.old_path is None else "not in the index"
                changes.unseen.append(f"{change.path}: {known.what if known else why}")
                if known is None or known.tests:
                    changes.blank[change.path] = known.tests if known else ()
            continue
        is_new = bool(change.new_blob) and str(row["sha"]).startswith(change.new_blob)
        is_old = bool(change.old_blob) and str(row["sha"]).startswith(change.old_blob)
        if change.old_blob and not is_new and not is_old and change.old:
            moved, lost = relocated(change, AtHand(conn, row).lines)
            other = f"{change.path}: the index read another version of it"
            if not moved.old and not FileTests(conn, row, change, is_new=False).has_tests:
                changes.unseen.append(f"{other}, which has none of the changed lines")
                changes.blank[change.path] = ()
                continue
            change = moved if moved.old else change
            if lost:
                changes.unseen.append(f"{other}, so lines may be off")
            else:
                changes.notes.append(f"{other}, where the lines were found by their text")
        spans = change.new if is_new and not is_old else change.old
        tests = FileTests(conn, row, change, is_new and not is_old)
        _moved(conn, row, change, changes, tests.has_tests)
        if spans and (change.new_path or not tests.has_tests):
            changes.notes += tests.take(changes.tests)
            told = set(_added(conn, row, spans, changes)) if spans is change.old else set()
            lost = take_lines(
                conn,
                row,
                spans,
                changes,
                tests,
                told,
                texts,
                change,
                is_new=spans is not change.old,
            )
            if lost:
                changes.tests.run_whole(conn, row, change, outside(lost))
            elif known is not None and change.path in changes.blank:
                _say_instead(changes, change.path, known)


def _say_instead(changes: Changes, path: str, known: Outside) -> None:
    """Say of a file what it is, instead of where in it nothing is seen."""
    del changes.blank[path]
    unseen = [text for text in changes.unseen if not text.startswith(f"{path}: ")]
    changes.loose[:] = [one for one in changes.loose if one.file["path"] != path]
    changes.unseen[:] = [*unseen, f"{path}: {known.what}"]
    if known.tests:
        changes.blank[path] = known.tests


def _added(
    conn: sqlite3.Connection, file: sqlite3.Row, spans: tuple[Span, ...], changes: Changes
) -> Iterator[Span]:
    """Take in the entries, operators and formulas that only the diff has; yields the spans that add some."""
    path = file["path"]
    for new in new_entries(conn, file["id"], spans) if file["kind"] == "python" else ():
        node = new_entry(new.name, new.kind, file["id"], new.span.first)
        changes.add(Seed(node, 1.0, Place(path, new.span.first)))
        yield new.span
    for added in added_operators(spans) if file["kind"] == "yaml" else ():
        yield added.span
        namespace, _, base = added.name.partition("::")
        values = {"namespace": namespace, "base": base}
        if conn.execute(queries("places")["has_operator"], values).fetchone():
            node = gradient(added.name) if added.is_formula else operator(added.name)
            changes.add(Seed(node, 1.0, Place(path, added.span.first)))
        elif added.is_formula:
            changes.unseen.append(f"{path}: a formula of {added.name}, which is not in the index")
        else:
            changes.unseen.append(f"{path}: {added.name} is a new operator")


def _renamed(conn: sqlite3.Connection, file: sqlite3.Row, changes: Changes) -> None:
    """Take in all that stands in a file that is renamed: by its old path nobody can import or include it any more."""
    if file["kind"] == "yaml":
        return
    for seed in seeds_at(conn, file, Span(1, WHOLE_FILE)):
        changes.add(replace(seed, weight=seed.weight * _RENAMED, lines=0))


def _moved(
    conn: sqlite3.Connection,
    file: sqlite3.Row,
    change: FileChange,
    changes: Changes,
    has_tests: bool,
) -> None:
    """Take in that a file has another path, or none any more."""
    if change.new_path is None:
        changes.tests.skip_file(conn, file)
        changes.notes.append(f"{change.path}: deleted")
    elif change.old_path not in (None, change.new_path):
        if file["path"] == change.old_path:
            changes.tests.renamed[change.old_path] = change.new_path
            if has_tests:
                changes.tests.run_whole(conn, file, change, f"renamed from {change.old_path}")
            else:
                _renamed(conn, file, changes)
        if not change.old:
            changes.notes.append(
                f"{change.old_path}: renamed to {change.new_path}, no line changed"
            )
    elif not change.old:
        changes.notes.append(f"{change.path}: no line changed (its mode, or what is no text)")


def take_lines(
    conn: sqlite3.Connection,
    file: sqlite3.Row,
    spans: tuple[Span, ...],
    changes: Changes,
    tests: FileTests | None = None,
    told: Collection[Span] = (),
    texts: Texts | None = None,
    change: FileChange | None = None,
    *,
    is_new: bool = False,
) -> int:
    """Add what stands on lines of a file.

    Of spans whose additions are told already only what was there before is looked for. They are lines before the
    change, or after it where the index is new.

    Args:
        conn: an index.
        file: its row of `source_files`.
        spans: the lines, one span at least.
        changes: found so far; grows.
        tests: of the file, where it has any.
        told: spans whose additions are told already.
        texts: of the tree's files, where more than one file is looked at.
        change: what the diff says of the file, where there is one.
        is_new: whether the lines are those after the change.

    Returns:
        How many lines of a test file stand in none of its tests, so that all of them may run differently.
    """
    own = _Lines(conn, file, spans, changes, tests, texts or Texts(conn), change)
    if file["kind"] not in ("python", "yaml") and spans[0].last >= WHOLE_FILE:
        take_macros(conn, file, changes, own.texts)
        take_declared(conn, file, changes)
    docs = _docstrings(conn, file)
    if docs and change is not None and not _are_there(conn, file, change, is_new=is_new):
        docs = ()
    has_tests = tests is not None and tests.has_tests
    quiet = 0
    for span in spans:
        if is_quiet(span, file["kind"], docs, is_new=is_new, is_test=has_tests):
            quiet += span.number
            changes.silent.add((file["path"], span))
        elif tests is None or not tests.adds_only_tests(span):
            own.take(span, is_told=span in told)
    if quiet:
        is_all = quiet == sum(span.number for span in spans)
        changes.quiet += is_all
        changes.notes.append(_quietly(file["path"], quiet, is_all=is_all))
    if own.is_blank and not changes.has_of(file["path"]):
        changes.blank[file["path"]] = ()
    return own.outer


class _Lines:
    """The changed lines of one file, and what they mean.

    The arguments are those of `take_lines`.

    Attributes:
        outer: how many lines stand in none of a test file's tests, and so are all theirs.
        is_blank: whether there are lines that nothing is known of.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        file: sqlite3.Row,
        spans: tuple[Span, ...],
        changes: Changes,
        tests: FileTests | None,
        texts: Texts,
        change: FileChange | None,
    ) -> None:
        self.texts = texts
        self.outer = 0
        self.is_blank = False
        self._conn = conn
        self._file = file
        self._changes = changes
        self._tests = tests
        self._at_hand = AtHand(conn, file, change)
        self._declared = Declarations(conn, file, spans, self._at_hand)
        self._bound = Bound(conn, file, self._at_hand)
        self._statements = Statements(conn)
        self._may_declare = file["kind"] not in ("python", "yaml", "metal", "glsl")

    def take(self, span: Span, *, is_told: bool) -> None:
        """Take in what stands on lines, or what they mean outside of all that has a place.

        Args:
            span: the lines.
            is_told: what they add is known already.
        """
        seeds = list(seeds_at(self._conn, self._file, span, self._bound))
        if not seeds and self._may_declare:
            seeds = _of_statement(self._conn, self._file, span, self._bound)
            seeds = seeds or embedded_at(self._conn, self._file, span, self._at_hand)
        for seed in seeds:
            if self._tests is None or seed.place.line not in self._tests.gone:
                self._changes.add(seed)
            if seed.node.kind == "opinfo":
                self._changes.add_asked(seed.node, _tests_in(span), fields_in(span))
        if seeds or self._is_macro(span):
            return
        if self._tests is not None and self._tests.is_outside(span):
            self.outer += span.lines
            return
        is_whole = span.last >= WHOLE_FILE
        if self._makes(span):
            if not is_whole:
                # What uses the name that is assigned to is looked for, as of any other.
                self._changes.loose.append(Loose(self._file, span, is_known=True))
            return
        if self._may_declare and not is_whole and self._is_declaration(span):
            return
        if not is_told:
            self.is_blank = True
            if not is_whole:
                self._changes.loose.append(Loose(self._file, span))

    def _makes(self, span: Span) -> bool:
        """Whether statements of a module make or register something on lines; takes it in."""
        if self._file["kind"] != "python":
            return False
        above = self._at_hand.above(span)
        begin = span.first - len(above) - 1 + outermost(above, len(above) + 1)
        made = list(self._statements.on(self._file["id"], begin, span.last))
        path = self._file["path"]
        for one in made:
            place = Place(path, one.line)
            self._changes.add(Seed(one.node, one.weight, place, span.lines, one.how))
        return bool(made)

    def _is_macro(self, span: Span) -> bool:
        """Whether lines stand in the definition of a macro; takes in what uses it."""
        if self._file["kind"] == "python" or span.last >= WHOLE_FILE:
            return False
        macro = macro_at(self.texts, self._file, span)
        if macro is None:
            return False
        unseen = take_macro(self._conn, self._file, macro, span, self._changes, self.texts)
        self.is_blank = self.is_blank or bool(unseen)
        names = (macro["name"],)
        self._changes.loose += [Loose(self._file, span, names, text) for text in unseen]
        return True

    def _is_declaration(self, span: Span) -> bool:
        """Whether lines declare fields or functions; takes in those that are known, and the fields to be looked for."""
        fields = self._declared.fields(span)
        if fields:
            self._changes.loose.append(Loose(self._file, span, fields))
            self.is_blank = True
            return True
        known = list(self._declared.of(span))
        for seed in known:
            self._changes.add(seed)
        return bool(known)


def _of_statement(
    conn: sqlite3.Connection, file: sqlite3.Row, span: Span, bound: Bound
) -> list[Seed]:
    """What the statement registers or binds that begins above a span, as far as a diff has the lines above it.

    `REGISTER_DISPATCH(` and its arguments may stand on lines of their own (aten/src/ATen/native/cpu/SoftMaxKernel.cpp).
    """
    begin = beginning(span.above, len(span.above) + 1)
    if begin is None:
        return []
    line = span.first - len(span.above) + begin - 1
    found = seeds_at(conn, file, Span(line, line, (span.above[begin - 1],)), bound)
    return [
        replace(seed, place=replace(seed.place, line=line))
        for seed in found
        if seed.node.kind != "cpp"
    ]


def _tests_in(span: Span) -> frozenset[str]:
    """The tests that lines of an OpInfo name: `DecorateInfo(unittest.skip("…"), "TestCommon", "test_out")`."""
    texts = (*span.removed, *span.added)
    return frozenset(name for text in texts for name in _NAMED_TEST.findall(text))


def _docstrings(conn: sqlite3.Connection, file: sqlite3.Row) -> tuple[tuple[int, int], ...]:
    if file["kind"] != "python":
        return ()
    rows = conn.execute(queries("places")["docstrings_of_file"], {"file": file["id"]})
    return tuple((row["line"], row["end_line"]) for row in rows)


def _are_there(
    conn: sqlite3.Connection, file: sqlite3.Row, change: FileChange, *, is_new: bool
) -> bool:
    """Whether the lines of a diff are those that the index read, as far as its blobs or else the tree tell.

    Of another version's file they are no documentation for standing where that has some.
    """
    blobs = [blob for blob in (change.old_blob, change.new_blob) if blob]
    if blobs:
        return any(str(file["sha"]).startswith(blob) for blob in blobs)
    lines = AtHand(conn, file, change).lines
    return not lines or all(
        [text.rstrip("\r") for text in (span.added if is_new else span.removed)]
        == [text.rstrip("\r") for text in lines[span.first - 1 : span.last]]
        for span in (change.new if is_new else change.old)
    )


def _quietly(path: str, quiet: int, *, is_all: bool) -> str:
    are = "is a comment, documentation" if quiet == 1 else "are comments, documentation"
    needs = "; it needs no test" if is_all else ""
    return f"{path}: {counted(quiet, 'changed line')} {are}, empty or only laid out anew{needs}"
