"""From names to the nodes of the graph: files, operators, APIs, classes, C++ functions."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from torchtalk import testing
from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import WHOLE_FILE, Span
from torchtalk.affected.diff.outside import what_is
from torchtalk.affected.graph.nodes import BOUND, Node, operator, place_of
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.affected.places.declared import with_text
from torchtalk.affected.places.expectations import take_expectation
from torchtalk.affected.places.fields import declared_at
from torchtalk.affected.places.lines import take_lines
from torchtalk.affected.places.several import TooMany, files_together
from torchtalk.affected.places.standing import test_seed
from torchtalk.affected.places.types import types_called
from torchtalk.affected.places.variables import is_bound_type, variable, variables_called
from torchtalk.affected.sources import Sources
from torchtalk.answers.base import Place
from torchtalk.counted import few
from torchtalk.graph import nodes
from torchtalk.names import resolve
from torchtalk.names.files import Written, files_named, written
from torchtalk.names.forms import parse
from torchtalk.names.macros import macro_places
from torchtalk.names.options import options_called
from torchtalk.names.pasted import pasted
from torchtalk.names.understood import understood
from torchtalk.names.written import plain
from torchtalk.testing.subject import MOST_MEANT, Subject, understand

_PARTING = re.compile(r"[,\s]+|[()\[\]]")
# What no list of names has: `torch/nn/init.py relu` is two, and has the look of a test in a file.
_SIGNS = re.compile(r"[\"'()]|->")
_CALL = re.compile(r"[\w.:]+\(.*\)", re.DOTALL)
_SHOWN = 200
_MOST_TAKEN = 4
_KERNEL = 0.9
_PARTS = re.compile(r"::|\.")
_NAMES = {
    "python": "SELECT m.name || '.' || p.name FROM python_functions AS p"
    " JOIN python_modules AS m ON m.id = p.module_id WHERE p.id = ?",
    "class": "SELECT name FROM python_classes WHERE id = ?",
    "cpp": "SELECT name FROM functions WHERE id = ?",
}


def from_names(conn: sqlite3.Connection, names: str, changes: Changes) -> None:
    """Add what names stand for: files, operators, APIs, classes, C++ functions.

    Args:
        conn: an index.
        names: separated by commas or white space, which may stand within the brackets of one.
        changes: to be added to.
    """
    for name in dict.fromkeys(_parted(names)):
        asked, (name, notes) = name, understood(conn, name)
        if written(name) != (place := written(asked)) and place is not None and place.is_reversed:
            changes.notes += notes
        if _together(conn, name, changes) or _expectation(conn, name, changes):
            continue
        # `torch.mm` has the look of a file, too.
        file = written(name) if "/" in name or not _is_in_python(name) else None
        if file is not None:
            _named_file(conn, file, changes)
            continue
        subject = understand(conn, name)
        seeds = list(_named(conn, name, subject))
        if not seeds and "(" in name and (bare := plain(name)) not in ("", name):
            # The types of its parameters tell one overload from another, which its tests hardly do.
            subject = understand(conn, bare)
            seeds = list(_named(conn, bare, subject))
            changes.notes += [f"taken as {bare}"] if seeds else []
        if not seeds and (meant := _all_meant(conn, name)):
            seeds = [Seed(node, 1.0, Place(None, None), at=place_of(conn, node)) for node in meant]
            called = dict.fromkeys(node.name for node in meant)
            changes.notes.append(f"{name} could be: {', '.join(called)}; these are of all of them")
        if "::" in name and (lines := _values(conn, name, seeds)):
            for path, line in lines:
                take_lines(conn, files_named(conn, path)[0][0], (Span(line, line),), changes)
            continue
        for seed in seeds:
            changes.add(replace(seed, asked=name))
        if not seeds and (
            _macro(conn, name, changes)
            or _bound(conn, name, changes)
            or _option(conn, name, changes)
            or _variable(conn, name, changes)
            or _type(conn, name, changes)
        ):
            continue
        if not seeds:
            near = f"; closest: {', '.join(subject.closest)}" if subject.closest else ""
            of = f" ({'; '.join(subject.notes)})" if subject.notes else ""
            shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
            why = _not_indexed(name) or f"nothing in the index is called so{of}{near}"
            changes.unseen.append(f"{shown}: {why}")
    _give_texts(conn, changes)


def _give_texts(conn: sqlite3.Connection, changes: Changes) -> None:
    """Lines that are known by their numbers have no text, which tells what those define that stand in no function."""
    sources = Sources(conn)
    for at, one in enumerate(changes.loose):
        if not (one.span.removed or one.span.added) and one.span.last < WHOLE_FILE:
            span = with_text(one.span, sources.read(one.file))
            changes.loose[at] = one._replace(span=span)


def _values(conn: sqlite3.Connection, name: str, seeds: list[Seed]) -> list[tuple[str, int]]:
    """Where a data member or variable is declared that nothing is seen to use, or of which no seed is known.

    Who uses it, its line tells.
    """
    asked = {"ids": json.dumps([seed.node.key for seed in seeds if seed.node.kind == "cpp"])}
    rows = conn.execute(queries("declared")["unused_values"], asked).fetchall() if seeds else []
    if len(rows) < len(seeds):
        return []
    return [*declared_at(conn, name)] or [(row["path"], row["line"]) for row in rows]


def _macro(conn: sqlite3.Connection, name: str, changes: Changes) -> bool:
    """Take a macro for the first line of its definition, in each file that has one; whether it is one.

    Who uses it is the same for all that stand in the branches of an `#if`.
    """
    first: dict[str, int] = {}
    for place in macro_places(conn, name):
        path, _, line = place.rpartition(":")
        first.setdefault(path, int(line))
    for path, at in first.items():
        take_lines(conn, files_named(conn, path)[0][0], (Span(at, at),), changes)
    return bool(first)


def _bound(conn: sqlite3.Connection, name: str, changes: Changes) -> bool:
    """Take what C++ binds by a name that no function of its own has; of a type the texts tell the users.

    Returns:
        Whether it is such a name.
    """
    target = resolve(conn, name, near=False).target
    if target is None or target.kind != "binding":
        return False
    if is_bound_type(conn, target.name):
        changes.types[target.name] = name
        return True
    row = conn.execute(queries("places")["native_named"], {"name": target.name}).fetchone()
    node = Node("native", *row) if row is not None else Node(BOUND, target.name, target.name)
    changes.add(Seed(node, 1.0, Place(None, None), asked=name))
    return True


def _option(conn: sqlite3.Connection, name: str, changes: Changes) -> bool:
    """Take an option of torch.compile, or a name that tests use, for the lines that it stands in; whether it is one."""
    rows = options_called(conn, name)
    rows = rows or conn.execute(queries("places")["assigned_named"], {"name": name}).fetchall()
    spans: dict[str, list[Span]] = {}
    for row in rows:
        spans.setdefault(row["path"], []).append(Span(row["line"], row["line"]))
    for path, lines in spans.items():
        take_lines(conn, files_named(conn, path)[0][0], tuple(lines), changes)
    if rows and rows[0]["name"] != name:
        changes.notes.append(
            f"taken as {few(list(dict.fromkeys(row['name'] for row in rows)), _MOST_TAKEN)}"
        )
    return bool(rows)


def _type(conn: sqlite3.Connection, name: str, changes: Changes) -> bool:
    """Take a type of C++ without functions for the lines of its declarations; whether it is one."""
    if "." in name or name == name.lower():
        return False
    found = types_called(conn, name.removeprefix("::"))
    names = list(dict.fromkeys(one.whole for one in found))
    if len(names) > 1:
        changes.unseen.append(f"{name} could be: {', '.join(names)}; ask for one of them")
        return True
    for one in found:
        file = files_named(conn, one.source.path)[0][0]
        take_lines(conn, file, (Span(one.line, one.line),), changes)
    changes.notes += [f"taken as {names[0]}"] if found and names[0] != name else []
    return bool(found)


def _variable(conn: sqlite3.Connection, name: str, changes: Changes) -> bool:
    """Take a variable of a module of Python for the line that gives it its value; whether it is one."""
    sources = Sources(conn)
    names = [name] if "." in name else []
    if name.isidentifier():
        names = variables_called(conn, name, sources)
        if len(names) > 1:
            changes.unseen.append(f"{name} could be: {', '.join(names)}; ask for one of them")
            return True
    known = variable(conn, names[0], sources) if names and "::" not in name else None
    if known is not None:
        take_lines(conn, known.file, (Span(known.line, known.line),), changes)
        changes.notes += [f"taken as {names[0]}"] if names[0] != name else []
    return known is not None


def _not_indexed(path: str) -> str:
    """What a file is that no index has, since tests do not run it; empty for any other text."""
    about = what_is(path)
    if about is None:
        return ""
    return f"{about.what}, which needs no test" if about.needs_no_test else about.what


def _parted(names: str) -> tuple[str, ...]:
    """Several names one by one; what somebody pasted is one, with all the words that stand around its name."""
    parts, depth, begin = [], 0, 0
    for match in _PARTING.finditer(names):
        if match[0] in "([":
            depth += 1
        elif match[0] in ")]":
            depth -= 1
            if depth < 0:
                break
        elif not depth:
            parts.append(names[begin : match.start()])
            begin = match.end()
    parts.append(names[begin:])
    is_list = "->" not in parts and len([part for part in parts if _CALL.fullmatch(part)]) > 1
    if not is_list and _SIGNS.search(names) and pasted(names):
        return (names,)
    if depth:
        parts = re.split(r"[,\s]+", names)
    return tuple(part for part in parts if part)


def _is_in_python(name: str) -> bool:
    form = parse(name, frozenset())
    return form is not None and form.kind != "bare"


def _named(conn: sqlite3.Connection, name: str, subject: Subject) -> Iterator[Seed]:
    """What a name that is no file's stands for."""
    found = False
    for operator_name in subject.operators if not subject.cpp else ():
        found = True
        yield from of_operator(conn, operator_name)
    for kind, ids in (
        ("python", subject.functions),
        ("class", subject.classes),
        ("cpp", subject.cpp),
    ):
        for identity in ids:
            found = True
            label = _full_name(conn, kind, identity) or subject.text
            node = Node(kind, identity, label)
            yield Seed(node, 1.0, Place(None, None), at=place_of(conn, node))
    if not found:
        # What has no public name has its own, torch._refs.softmax; a namespace may be operators' as well.
        for node in full_named(conn, name):
            found = True
            yield Seed(node, 1.0, Place(None, None), at=place_of(conn, node))
    if not found:
        yield from _tests_named(conn, name)


def of_operator(conn: sqlite3.Connection, name: str) -> Iterator[Seed]:
    """An operator and its own kernels, which other code may call past the dispatcher.

    Args:
        conn: an index.
        name: of the operator, without an overload.
    """
    yield Seed(operator(name), 1.0, Place(None, None))
    namespace, _, base = name.partition("::")
    values = {"namespace": namespace, "base": base}
    for row in conn.execute(queries("places")["own_kernels"], values):
        place = Place(row["path"], row["line"])
        yield Seed(Node("cpp", row["id"], row["name"]), _KERNEL, place)


def full_named(conn: sqlite3.Connection, name: str) -> Iterator[Node]:
    """The nodes of the functions and classes of a full name; none where nothing is called so.

    Args:
        conn: an index.
        name: as the tree has it: with `::` of C++, else of Python.
    """
    if "::" in name:
        for row in conn.execute(testing.queries("subject")["cpp_functions"], {"name": name}):
            yield Node("cpp", row["id"], name)
        return
    for (code,) in conn.execute(nodes.sql()["python_named"], {"name": name}).fetchall():
        kind = "class" if code & 15 == nodes.CLASS else "python"
        yield Node(kind, code >> 4, name)


def _all_meant(conn: sqlite3.Connection, name: str) -> list[Node]:
    """What a name of few functions and classes could be: all of it, where each of these is in the graph."""
    candidates = resolve(conn, name, near=False).candidates
    found = [list(full_named(conn, candidate)) for candidate in candidates[:MOST_MEANT]]
    return [*chain.from_iterable(found)] if len(candidates) <= MOST_MEANT and all(found) else []


def _tests_named(conn: sqlite3.Connection, name: str) -> Iterator[Seed]:
    """The tests, or classes of tests, that a report of failures calls so: `TestNN.test_hooks`, `test_hooks`."""
    *_, owner, last = ["", *_PARTS.split(name)]
    sql = queries("places")
    for row in conn.execute(sql["tests_of_name"], {"name": last, "owner": owner}).fetchall():
        yield replace(test_seed(row), place=Place(None, None), at=row["path"])
    for row in conn.execute(sql["test_classes_of_name"], {"name": last}) if not owner else ():
        yield Seed(Node("class", row["id"], row["name"]), 1.0, Place(None, None), at=row["path"])


def _full_name(conn: sqlite3.Connection, kind: str, identity: int) -> str | None:
    row = conn.execute(_NAMES[kind], (identity,)).fetchone()
    return str(row[0]) if row else None


def _expectation(conn: sqlite3.Connection, name: str, changes: Changes) -> bool:
    """Take a file that tells what is expected of one test for this test; whether it is one."""
    is_one = take_expectation(conn, name.removeprefix("./"), changes)
    changes.files += is_one
    return is_one


def _together(conn: sqlite3.Connection, name: str, changes: Changes) -> bool:
    """Take all files of a folder or of a pattern; whether a name is one."""
    try:
        files, note = files_together(conn, name)
    except TooMany as error:
        changes.unseen.append(f"{name}: {error}")
        return True
    for file in files:
        changes.files += 1
        take_lines(conn, file, (Span(1, WHOLE_FILE),), changes)
    if note:
        (changes.notes if files else changes.unseen).append(note)
    return bool(note)


def _named_file(conn: sqlite3.Connection, file: Written, changes: Changes) -> None:
    name = file.path
    rows, _ = files_named(conn, name)
    if len(rows) != 1:
        several = ", ".join(row["path"] for row in rows[:8])
        changes.unseen.append(
            f"{name}: fits {several}; name one of them"
            if rows
            else f"{name}: {_not_indexed(name) or 'no such file in the index'}"
        )
        return
    changes.files += 1
    first, last = file.first or 1, file.last or WHOLE_FILE
    take_lines(conn, rows[0], (Span(first, max(first, last)),), changes)
