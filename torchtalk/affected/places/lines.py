"""From changed lines to the nodes of the graph, and what it could not see."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import replace

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import WHOLE_FILE, FileChange, Span
from torchtalk.affected.diff.outside import Outside, what_is
from torchtalk.affected.diff.quiet import is_quiet
from torchtalk.affected.graph.nodes import Node, entry, gradient, new_entry, operator, spread
from torchtalk.affected.places.added import added_operators, new_entries, only_adds_entries
from torchtalk.affected.places.bound import Bound
from torchtalk.affected.places.changes import Changes, Loose, Seed
from torchtalk.affected.places.declared import Declarations
from torchtalk.affected.places.entry_fields import fields_in
from torchtalk.affected.places.expectations import take_expectation
from torchtalk.affected.places.heads import cpp_below, python_above, python_below
from torchtalk.affected.places.library import block_of, registered_on
from torchtalk.affected.places.macros import Texts, macro_at, take_macro, take_macros
from torchtalk.affected.places.statements import beginning
from torchtalk.affected.places.testfiles import FileTests, is_new_test_file, new_gtests, outside
from torchtalk.answers.base import Place
from torchtalk.counted import counted
from torchtalk.sqlfile import listed

_CLASS = 0.7
_REGISTRATION = 0.9
_HELPER = 0.8
_NAMED_TEST = re.compile(r"""["'](test_\w+)["']""")
# Who uses what is renamed was mostly changed with it: less than a change of what it does.
_RENAMED = 0.5


def from_diff(conn: sqlite3.Connection, files: tuple[FileChange, ...], changes: Changes) -> None:
    """Add what stands on the lines that a diff changes.

    The index has the lines of one side: of that whose content it read, which git's blob ids tell;
    of the old one where neither is known.
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
            changes.unseen.append(
                f"{change.path}: the index read another version of it, so lines may be off"
            )
        spans = change.new if is_new and not is_old else change.old
        tests = FileTests(conn, row, change, is_new and not is_old)
        _moved(conn, row, change, changes, tests.has_tests)
        if spans and (change.new_path or not tests.has_tests):
            changes.notes += tests.take(changes.tests)
            told = set(_added(conn, row, spans, changes)) if spans is change.old else set()
            lost = take_lines(
                conn, row, spans, changes, tests, told, texts, is_new=spans is not change.old
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
    *,
    is_new: bool = False,
) -> int:
    """Add what stands on lines of a file; returns how many of a test file's lines are all its tests'.

    Of spans whose additions are told already only what was there before is looked for. They are lines before the
    change, or after it where the index is new.

    Args:
        conn: an index.
        file: its row of `source_files`.
        spans: the lines.
        changes: found so far; grows.
        tests: of the file, where it has any.
        told: spans whose additions are told already.
        texts: of the tree's files, where more than one file is looked at.
        is_new: whether the lines are those after the change.
    """
    outer = quiet = 0
    blank = False
    number = sum(span.number for span in spans)
    docs = _docstrings(conn, file)
    has_tests = tests is not None and tests.has_tests
    declared = Declarations(conn, file, spans, file["kind"])
    bound = Bound(conn, file)
    texts = texts or Texts(conn)
    may_declare = file["kind"] not in ("python", "yaml", "metal")
    if file["kind"] not in ("python", "yaml") and spans[0].last >= WHOLE_FILE:
        take_macros(conn, file, changes, texts)
    for span in spans:
        if is_quiet(span, file["kind"], docs, is_new=is_new, is_test=has_tests):
            quiet += span.number
            changes.silent.add((file["path"], span))
            continue
        if tests is not None and tests.adds_only_tests(span):
            continue
        seeds = list(seeds_at(conn, file, span, bound))
        if not seeds and may_declare:
            seeds = _of_statement(conn, file, span, bound)
        for seed in seeds:
            if tests is None or seed.place.line not in tests.gone:
                changes.add(seed)
            if seed.node.kind == "opinfo":
                changes.add_asked(seed.node, _tests_in(span), fields_in(span))
        if not seeds:
            macro = None
            if file["kind"] != "python" and span.last < WHOLE_FILE:
                macro = macro_at(texts, file, span)
            if macro is not None:
                unseen = take_macro(conn, file, macro, span, changes, texts)
                blank = blank or bool(unseen)
                names = (macro["name"],)
                changes.loose += [Loose(file, span, names, text) for text in unseen]
            elif tests is not None and tests.is_outside(span):
                outer += span.lines
            elif may_declare and span.last < WHOLE_FILE and (fields := declared.fields(span)):
                changes.loose.append(Loose(file, span, fields))
                blank = True
            elif may_declare and span.last < WHOLE_FILE and (known := list(declared.of(span))):
                for seed in known:
                    changes.add(seed)
            elif span not in told:
                if span.last < WHOLE_FILE:
                    changes.loose.append(Loose(file, span))
                blank = True
    if quiet:
        changes.quiet += quiet == number
        changes.notes.append(_quietly(file["path"], quiet, is_all=quiet == number))
    if blank and not changes.has_of(file["path"]):
        changes.blank[file["path"]] = ()
    return outer


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


def _quietly(path: str, quiet: int, *, is_all: bool) -> str:
    are = "is a comment, documentation" if quiet == 1 else "are comments, documentation"
    needs = "; it needs no test" if is_all else ""
    return f"{path}: {counted(quiet, 'changed line')} {are}, empty or only laid out anew{needs}"


def seeds_at(
    conn: sqlite3.Connection, file: sqlite3.Row, span: Span, bound: Bound | None = None
) -> Iterator[Seed]:
    """What stands on lines of a file.

    Args:
        conn: an index.
        file: its row, as the statement `file` has it.
        span: the lines.
        bound: what the file binds, where more of its lines are asked for.
    """
    sql = queries("places")
    at = {"file": file["id"], "first": span.first, "last": span.last}
    path = file["path"]
    if file["kind"] == "yaml":
        yield from _yaml(conn, path, at, span)
        return
    if file["kind"] == "python":
        yield from _python(conn, path, at, span)
        return
    stubs = conn.execute(sql["stubs_at"], at).fetchall()
    lines = {row["line"] for row in stubs}
    # What REGISTER_DISPATCH makes is DispatchStub::DEFAULT for all of them (aten/src/ATen/native/DispatchStub.h).
    rows = [
        row
        for row in conn.execute(sql["cpp_at"], at).fetchall()
        if row["kind"] != "variable" or row["line"] not in lines
    ]
    binds = list((bound or Bound(conn, file)).on(rows, span))
    registered = [
        Seed(operator(row["name"]), _REGISTRATION, Place(path, row["line"]), span.lines)
        for row in conn.execute(sql["registrations_at"], at).fetchall()
    ]
    if binds:
        # A TORCH_LIBRARY block binds classes as well (`m.class_`, torch/custom_class.h).
        yield from (*binds, *registered)
        return
    if not (rows or stubs) and (below := cpp_below(conn, file["id"], span)):
        rows = [below]
    blocks = {row["id"]: block for row in rows if (block := block_of(row["name"])) is not None}
    named = list(registered_on(conn, blocks.values(), path, span)) if blocks else []
    yield from named
    for row in rows:
        is_part = row["line"] < span.first or row["end_line"] > span.last
        # What a part of a block registers is not what the block's other statements do.
        if row["id"] not in blocks or not (named or (registered and is_part)):
            yield _seed("cpp", row, path, span)
    if named:
        return
    yield from registered
    for row in stubs:
        node = Node("stub", row["name"], row["name"])
        yield Seed(node, _REGISTRATION, Place(path, row["line"]), span.lines)
    if file["kind"] == "metal":
        kernels = conn.execute(sql["metal_at"], at).fetchall()
        weight = 1.0
        if not kernels:
            # What stands above all kernels is for them.
            kernels = conn.execute(sql["metal_of_file"], at).fetchall()
            weight = _HELPER * spread(len(kernels))
        for row in kernels:
            node = Node("kernel", row["id"], row["name"])
            yield Seed(node, weight, Place(path, row["line"]), span.lines)


def _seed(kind: str, row: sqlite3.Row, path: str, span: Span, weight: float = 1.0) -> Seed:
    first, last = max(span.first, row["line"]), min(span.last, row["end_line"])
    # Above it stand its decorators, its template's parameters.
    lines = last - first + 1 if span.last >= row["line"] else span.lines
    node = Node(kind, row["id"], row["name"])
    return Seed(node, weight, Place(path, row["line"]), max(1, lines))


def test_seed(row: sqlite3.Row) -> Seed:
    """A test that is itself what changed."""
    place = Place(row["path"], row["line"])
    return Seed(Node("test", row["id"], ""), 1.0, place, how=row["name"])


def _yaml(conn: sqlite3.Connection, path: str, at: dict[str, int], span: Span) -> Iterator[Seed]:
    if only_adds_entries(span):
        return
    sql = queries("places")
    for row in conn.execute(sql["operators_at"], at).fetchall():
        yield Seed(operator(row["name"]), 1.0, Place(path, row["line"]), span.lines)
    for row in conn.execute(sql["formulas_at"], at).fetchall():
        found = conn.execute(sql["operators_named"], {"names": listed((row["operator"],))})
        for named in found.fetchall():
            yield Seed(gradient(named["name"]), 1.0, Place(path, row["line"]), span.lines)


def _python(conn: sqlite3.Connection, path: str, at: dict[str, int], span: Span) -> Iterator[Seed]:
    sql = queries("places")
    found = False
    for row in conn.execute(sql["opinfos_at"], at).fetchall():
        found = True
        yield Seed(entry(row), 1.0, Place(path, row["line"]), span.lines)
    is_within = False
    for row in conn.execute(sql["python_at"], at).fetchall():
        found = True
        is_within = is_within or row["end_line"] > span.last
        yield _seed("python", row, path, span)
    for row in conn.execute(sql["assigned_at"], at).fetchall() if not found else ():
        found = True
        yield replace(test_seed(row), lines=span.lines)
    if not found and (above := python_above(conn, at["file"], span)) is not None:
        yield _seed("python", above, path, span)
        return
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
