"""From names and changed lines to the nodes of the graph, and what it could not see."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from torchtalk.affected.added import added_operators, new_entries
from torchtalk.affected.diffs import FileChange, Span
from torchtalk.affected.graph import Node, entry, gradient, new_entry, operator
from torchtalk.affected.heads import cpp_below, python_below
from torchtalk.affected.quiet import is_quiet
from torchtalk.affected.testfiles import FileTests, TestChanges, is_new_test_file, outside
from torchtalk.answers.base import Place
from torchtalk.counted import counted
from torchtalk.graph import nodes
from torchtalk.names.files import Written, files_named, written
from torchtalk.names.forms import parse
from torchtalk.tools import queries
from torchtalk.tools.testsubject import Subject, listed, understand

_CLASS = 0.7
_REGISTRATION = 0.9
_KERNEL = 0.9
_WHOLE_FILE = 1_000_000_000
# A line of a macro's body has so many characters or more, mostly.
_MACRO_LINE = 30


@dataclass(frozen=True)
class Seed:
    """Something that changed.

    Args:
        node: in the graph.
        weight: 1 for what changed itself, less for what stands around it.
        place: where it stands, as far as known.
        lines: how many of its lines changed; 0 where it was only named.
    """

    node: Node
    weight: float
    place: Place
    lines: int = 0


@dataclass
class Changes:
    """What a question is about.

    Args:
        seeds: in their order, each once.
        unseen: what the graph does not have, one sentence each.
        notes: what became of files and tests, besides.
        files: how many files changed.
        tests: what became of tests themselves.
    """

    seeds: dict[Node, Seed] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: int = 0
    tests: TestChanges = field(default_factory=TestChanges)

    def add(self, seed: Seed) -> None:
        """Take in a seed, or count its lines with those of the same node."""
        known = self.seeds.get(seed.node)
        if known is not None:
            seed = Seed(
                seed.node, max(seed.weight, known.weight), known.place, seed.lines + known.lines
            )
        self.seeds[seed.node] = seed


def spread_over_files(seeds: list[Seed], most: int) -> list[Seed]:
    """As many of the seeds, from each file its most changed ones.

    Args:
        seeds: all.
        most: how many.
    """
    if len(seeds) <= most:
        return seeds
    files: dict[str | None, list[Seed]] = {}
    for seed in seeds:
        files.setdefault(seed.place.file, []).append(seed)
    for own in files.values():
        own.sort(key=lambda seed: (-seed.weight, -seed.lines))
    turns = zip_longest(*files.values())
    return [seed for turn in turns for seed in turn if seed is not None][:most]


def from_names(conn: sqlite3.Connection, names: str, changes: Changes) -> None:
    """Add what names stand for: files, operators, APIs, classes, C++ functions.

    Args:
        conn: an index.
        names: separated by commas or white space.
        changes: to be added to.
    """
    for name in dict.fromkeys(part for part in re.split(r"[,\s]+", names) if part):
        # `torch.mm` has the look of a file, too.
        file = written(name) if "/" in name or not _is_in_python(name) else None
        if file is not None:
            _named_file(conn, file, changes)
            continue
        subject = understand(conn, name)
        seeds = list(_named(conn, name, subject))
        for seed in seeds:
            changes.add(seed)
        if not seeds:
            near = f"; closest: {', '.join(subject.closest)}" if subject.closest else ""
            of = f" ({'; '.join(subject.notes)})" if subject.notes else ""
            changes.unseen.append(f"{name}: nothing in the index is called so{of}{near}")


def _is_in_python(name: str) -> bool:
    form = parse(name, frozenset())
    return form is not None and form.kind != "bare"


def _named(conn: sqlite3.Connection, name: str, subject: Subject) -> Iterator[Seed]:
    """What a name that is no file's stands for."""
    found = False
    for operator_name in subject.operators if not subject.cpp else ():
        found = True
        yield from _named_operator(conn, operator_name)
    for kind, ids in (
        ("python", subject.functions),
        ("class", subject.classes),
        ("cpp", subject.cpp),
    ):
        for identity in ids:
            found = True
            label = _full_name(conn, kind, identity) or subject.text
            yield Seed(Node(kind, identity, label), 1.0, Place(None, None))
    if not found:
        # What has no public name has its own, torch._refs.softmax; a namespace may be operators' as well.
        for node in full_named(conn, name):
            yield Seed(node, 1.0, Place(None, None))


def _named_operator(conn: sqlite3.Connection, name: str) -> Iterator[Seed]:
    """An operator and its own kernels, which other code may call past the dispatcher."""
    yield Seed(operator(name), 1.0, Place(None, None))
    namespace, _, base = name.partition("::")
    values = {"namespace": namespace, "base": base}
    for row in conn.execute(queries("affected")["own_kernels"], values):
        place = Place(row["path"], row["line"])
        yield Seed(Node("cpp", row["id"], row["name"]), _KERNEL, place)


def full_named(conn: sqlite3.Connection, name: str) -> Iterator[Node]:
    """The functions and classes of a full name."""
    if "::" in name:
        for row in conn.execute(queries("find_similar_tests")["cpp_functions"], {"name": name}):
            yield Node("cpp", row["id"], name)
        return
    for (code,) in conn.execute(nodes.sql()["python_named"], {"name": name}).fetchall():
        kind = "class" if code & 15 == nodes.CLASS else "python"
        yield Node(kind, code >> 4, name)


_NAMES = {
    "python": "SELECT m.name || '.' || p.name FROM python_functions AS p"
    " JOIN python_modules AS m ON m.id = p.module_id WHERE p.id = ?",
    "class": "SELECT name FROM python_classes WHERE id = ?",
    "cpp": "SELECT name FROM functions WHERE id = ?",
}


def _full_name(conn: sqlite3.Connection, kind: str, identity: int) -> str | None:
    row = conn.execute(_NAMES[kind], (identity,)).fetchone()
    return str(row[0]) if row else None


def _named_file(conn: sqlite3.Connection, file: Written, changes: Changes) -> None:
    name = file.path
    rows, _ = files_named(conn, name)
    if len(rows) != 1:
        several = ", ".join(row["path"] for row in rows[:8])
        changes.unseen.append(
            f"{name}: fits {several}; name one of them"
            if rows
            else f"{name}: no such file in the index"
        )
        return
    changes.files += 1
    first, last = file.first or 1, file.last or _WHOLE_FILE
    _lines(conn, rows[0], (Span(first, max(first, last)),), changes)


def from_diff(conn: sqlite3.Connection, files: tuple[FileChange, ...], changes: Changes) -> None:
    """Add what stands on the lines that a diff changes.

    The index has the lines of one side: of that whose content it read, which git's blob ids tell;
    of the old one where neither is known.
    """
    sql = queries("affected")
    for change in files:
        changes.files += 1
        row = None
        for path in (change.old_path, change.new_path):
            row = row or (conn.execute(sql["file"], {"path": path}).fetchone() if path else None)
        if change.old_path is None and is_new_test_file(change):
            changes.tests.run_whole(conn, row, change, "a new file")
        if row is None:
            if change.path not in changes.tests.whole:
                why = "a new file" if change.old_path is None else "not in the index"
                changes.unseen.append(f"{change.path}: {why}")
            continue
        is_new = bool(change.new_blob) and str(row["sha"]).startswith(change.new_blob)
        is_old = bool(change.old_blob) and str(row["sha"]).startswith(change.old_blob)
        if change.old_blob and not is_new and not is_old and change.old:
            changes.unseen.append(
                f"{change.path}: the index read another version of it, so lines may be off"
            )
        _moved(conn, row, change, changes)
        spans = change.new if is_new and not is_old else change.old
        tests = FileTests(conn, row, change, is_new and not is_old)
        if spans and (change.new_path or not tests.has_tests):
            changes.notes += tests.take(changes.tests)
            told = set(_added(conn, row, spans, changes)) if spans is change.old else set()
            lost = _lines(conn, row, spans, changes, tests, told)
            if lost:
                changes.tests.run_whole(conn, row, change, outside(lost))


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
        if conn.execute(queries("affected")["has_operator"], values).fetchone():
            node = gradient(added.name) if added.is_formula else operator(added.name)
            changes.add(Seed(node, 1.0, Place(path, added.span.first)))
        elif added.is_formula:
            changes.unseen.append(f"{path}: a formula of {added.name}, which is not in the index")
        else:
            changes.unseen.append(f"{path}: {added.name} is a new operator")


def _moved(
    conn: sqlite3.Connection, file: sqlite3.Row, change: FileChange, changes: Changes
) -> None:
    """Take in that a file has another path, or none any more."""
    if change.new_path is None:
        changes.tests.skip_file(conn, file)
        changes.notes.append(f"{change.path}: deleted")
    elif change.old_path not in (None, change.new_path):
        if file["path"] == change.old_path:
            changes.tests.renamed[change.old_path] = change.new_path
        if not change.old:
            changes.notes.append(
                f"{change.old_path}: renamed to {change.new_path}, no line changed"
            )
    elif not change.old:
        changes.notes.append(f"{change.path}: no line changed (its mode, or what is no text)")


def _lines(
    conn: sqlite3.Connection,
    file: sqlite3.Row,
    spans: tuple[Span, ...],
    changes: Changes,
    tests: FileTests | None = None,
    told: Collection[Span] = (),
) -> int:
    """Add what stands on lines of a file; returns how many of a test file's lines are all its tests'.

    Of spans whose additions are told already only what was there before is looked for.
    """
    lost = outer = quiet = 0
    for span in spans:
        if is_quiet(span, file["kind"]):
            quiet += max(len(span.removed), len(span.added))
            continue
        if tests is not None and tests.adds_only_tests(span):
            continue
        seeds = list(seeds_at(conn, file, span))
        for seed in seeds:
            if tests is None or seed.place.line not in tests.gone:
                changes.add(seed)
        if not seeds:
            macro = None
            if file["kind"] != "python" and span.last < _WHOLE_FILE:
                macro = _macro(conn, file, span)
            if macro:
                changes.unseen.append(
                    f"{counted(span.lines, 'changed line')} in or near the macro {macro}"
                )
            elif tests is not None and tests.is_outside(span):
                outer += span.lines
            elif span not in told:
                lost += span.lines
    if quiet:
        are = "is a comment" if quiet == 1 else "are comments"
        changes.notes.append(
            f"{file['path']}: {counted(quiet, 'changed line')} {are}, empty or only laid out anew"
        )
    if lost and spans[0].last < _WHOLE_FILE:
        what = (
            "statements of the module, or new definitions"
            if file["kind"] == "python"
            else "declarations, tables or new definitions"
        )
        changes.unseen.append(
            f"{file['path']}: {counted(lost, 'changed line')} in no function ({what})"
        )
    return outer


def seeds_at(conn: sqlite3.Connection, file: sqlite3.Row, span: Span) -> Iterator[Seed]:
    """What stands on lines of a file.

    Args:
        conn: an index.
        file: its row, as the statement `file` has it.
        span: the lines.
    """
    sql = queries("affected")
    at = {"file": file["id"], "first": span.first, "last": span.last}
    path = file["path"]
    if file["kind"] == "yaml":
        yield from _yaml(conn, path, at, span)
        return
    if file["kind"] == "python":
        yield from _python(conn, path, at, span)
        return
    rows = conn.execute(sql["cpp_at"], at).fetchall()
    if not rows and (below := cpp_below(conn, file["id"], span)):
        rows = [below]
    for row in rows:
        yield _seed("cpp", row, path, span)
    for row in conn.execute(sql["registrations_at"], at).fetchall():
        yield Seed(operator(row["name"]), _REGISTRATION, Place(path, row["line"]), span.lines)
    for row in conn.execute(sql["stubs_at"], at).fetchall():
        node = Node("stub", row["name"], row["name"])
        yield Seed(node, _REGISTRATION, Place(path, row["line"]), span.lines)
    if file["kind"] == "metal":
        for row in conn.execute(sql["metal_at"], at).fetchall():
            yield Seed(
                Node("kernel", row["id"], row["name"]), 1.0, Place(path, row["line"]), span.lines
            )


def _seed(kind: str, row: sqlite3.Row, path: str, span: Span, weight: float = 1.0) -> Seed:
    first, last = max(span.first, row["line"]), min(span.last, row["end_line"])
    # Above it stand its decorators, its template's parameters.
    lines = last - first + 1 if span.last >= row["line"] else span.lines
    node = Node(kind, row["id"], row["name"])
    return Seed(node, weight, Place(path, row["line"]), max(1, lines))


def _yaml(conn: sqlite3.Connection, path: str, at: dict[str, int], span: Span) -> Iterator[Seed]:
    sql = queries("affected")
    for row in conn.execute(sql["operators_at"], at).fetchall():
        yield Seed(operator(row["name"]), 1.0, Place(path, row["line"]), span.lines)
    for row in conn.execute(sql["formulas_at"], at).fetchall():
        found = conn.execute(sql["operators_named"], {"names": listed((row["operator"],))})
        for named in found.fetchall():
            yield Seed(gradient(named["name"]), 1.0, Place(path, row["line"]), span.lines)


def _python(conn: sqlite3.Connection, path: str, at: dict[str, int], span: Span) -> Iterator[Seed]:
    sql = queries("affected")
    found = False
    for row in conn.execute(sql["opinfos_at"], at).fetchall():
        found = True
        yield Seed(entry(row), 1.0, Place(path, row["line"]), span.lines)
    is_within = False
    for row in conn.execute(sql["python_at"], at).fetchall():
        found = True
        is_within = is_within or row["end_line"] > span.last
        yield _seed("python", row, path, span)
    # What is next below the middle of a function is its own.
    below = None if is_within else python_below(conn, at["file"], span)
    if below is not None:
        yield _seed(below["kind"], below, path, span)
    elif not found:
        # The innermost class is what its own statements belong to.
        rows = conn.execute(sql["options_at"], at).fetchall()
        for row in rows:
            node = Node("option", row["id"], row["name"])
            yield Seed(node, 1.0, Place(path, row["line"]), 1)
        for row in conn.execute(sql["classes_at"], at).fetchall()[: not rows]:
            yield _seed("class", row, path, span, _CLASS)


def _macro(conn: sqlite3.Connection, file: sqlite3.Row, span: Span) -> str | None:
    row = conn.execute(
        queries("affected")["macros_at"],
        {"file": file["id"], "last": max(span.first, span.last)},
    ).fetchone()
    if row is None or not _is_in_macro(row, span):
        return None
    return f"{row['name']} ({file['path']}:{row['line']})"


def _is_in_macro(row: sqlite3.Row, span: Span) -> bool:
    """Whether lines are those of the macro that is defined above them or by them; its last line is not in the index."""
    line: int = row["line"]
    if line >= span.first:
        return True
    changed = (*span.removed, *span.added)
    if not changed:
        return span.first - line <= len(row["body"]) // _MACRO_LINE
    # All lines of a macro but the last end so; the last is what its body ends with.
    if any(text.rstrip().endswith("\\") for text in changed):
        return True
    body = _bare(row["body"])
    return any(_bare(text) and body.endswith(_bare(text)) for text in changed)


def _bare(text: str) -> str:
    return "".join(text.split())
