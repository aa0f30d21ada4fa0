"""Classes that macros make to hold another: `TORCH_MODULE(Linear);` makes one that leads on to `LinearImpl` by `->`.

Such a class derives from a template with an own `operator->` ([over.ref]) and has nothing of its own: what is called on
it is called on what the template is given (torch/csrc/api/include/torch/nn/pimpl.h).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Set
from typing import NamedTuple

from indexer.extract.cpp.preprocess import MacroTable, expand
from indexer.facts.cpp import ARROW, MEMBER, WITH_TEMPLATE_ARGUMENTS, PackedFields
from indexer.link.cpp.type_text import returned
from indexer.sql_lists import INSIDE, chosen
from indexer.write.calls import WRITTEN, read_calls
from indexer.write.cpp import FIELDS, read_macros
from indexer.write.kept import kept_values

_WORD = re.compile(r"[A-Za-z_]\w*")
_HOLDER = re.compile(
    r"\b(?:class|struct) (\w+)(?: final)? ?: ?(?:(?:public|virtual) )*((?:::)?\w+(?:::\w+)*) ?"
    r"< ?((?:::)?\w+(?:::\w+)*) ?> ?\{"
)
_DERIVES = re.compile(r"\b(?:class|struct)\s[^;{}()]*?(?<!:):(?!:)[^;{}()]*<[^;{}()]*>\s*\{")
_ALIAS = re.compile(r"\busing (\w+)\b[^=;{}]*= ?((?:\w+::)*\w+) ?;")


class HolderClass(NamedTuple):
    """One such class.

    Args:
        name: qualified.
        scope: that it is in.
        base: the template that it derives from, as written.
        held: what the template is given, as written.
        aliases: that the class has, and of what.
        file_id: where it is made.
        path: of that file.
    """

    name: str
    scope: str
    base: str
    held: str
    aliases: tuple[tuple[str, str], ...]
    file_id: int
    path: str


def holder_classes(
    conn: sqlite3.Connection, files: Collection[int] | None = None
) -> list[HolderClass]:
    """The classes that macros make to hold others, in the order of the files.

    Args:
        conn: a database that holds functions, macros and their uses.
        files: ids of those where they are made; None for all.
    """
    arrows = conn.execute(
        "SELECT DISTINCT name FROM functions WHERE last = ? COLLATE NOCASE", (ARROW,)
    )
    templates = {name.removesuffix(f"::{ARROW}").rpartition("::")[2] for (name,) in arrows}
    table = _making(conn, templates)
    if not table:
        return []
    inside = "" if files is None else f" AND u.file_id {INSIDE.replace('?', '?2')}"
    uses = conn.execute(
        "SELECT u.text, u.scope, u.file_id, f.path, u.line FROM macro_uses AS u"
        " JOIN source_files AS f ON f.id = u.file_id"
        f" WHERE u.name {INSIDE.replace('?', '?1')}{inside} ORDER BY u.id",
        (chosen(sorted(table.names)), *(() if files is None else (chosen(files),))),
    ).fetchall()
    found = []
    for text, scope, file_id, path, line in uses:
        expanded = expand(text, table, path, line)
        for match in _HOLDER.finditer(expanded):
            name, base, held = match.groups()
            if base.rpartition("::")[2] not in templates:
                continue
            body = expanded[match.end() : expanded.find("}", match.end())]
            whole = f"{scope}::{name}" if scope else name
            aliases = tuple(_ALIAS.findall(body))
            found.append(HolderClass(whole, scope, base, held, aliases, file_id, path))
    return found


def run_on_held(
    conn: sqlite3.Connection, holders: Collection[HolderClass]
) -> dict[int, tuple[str, ...]]:
    """What the templates that some classes derive from call on what these hold: `operator()` calls `forward`.

    Args:
        conn: a database that holds functions and the calls that files write out.
        holders: the classes.

    Returns:
        By the id of a template's method, the names of the methods that it calls.
    """
    bases = {holder.base.removeprefix("::") for holder in holders}
    methods: dict[int, str] = {}
    files: set[int] = set()
    held: set[str] = set()  # how the templates call it
    for base in sorted(bases):
        for identity, name, signature, file_id in conn.execute(
            "SELECT id, name, signature, file_id FROM functions WHERE name GLOB '*' || ? || '::*' ORDER BY id",
            (base,),
        ):
            owner, _, last = name.rpartition("::")
            if owner == base or owner.endswith(f"::{base}"):
                methods[identity] = owner
                files.add(file_id)
                if last == ARROW:
                    held.add(returned(signature, name)[0])
    members = {
        (of_class.class_name, name)
        for _, data in kept_values(conn, FIELDS, files)
        for of_class in PackedFields(data).unpacked()
        for name, of_type in of_class.fields
        if not held.isdisjoint(_WORD.findall(of_type))
    }
    found: dict[int, dict[str, None]] = {}
    for _, first, calls in read_calls(conn, WRITTEN, files):
        for caller, callee, receiver, form in zip(
            calls.callers, calls.callees, calls.receivers, calls.forms, strict=True
        ):
            owner = methods.get(first + caller, "")
            on = calls.texts[receiver]
            # A pointer's own member stands behind a `.`.
            is_held = on.endswith("->") and (owner, on[1:-2]) in members
            if is_held and form & ~WITH_TEMPLATE_ARGUMENTS == MEMBER:
                found.setdefault(first + caller, {})[calls.texts[callee]] = None
    return {identity: tuple(names) for identity, names in found.items()}


def _making(conn: sqlite3.Connection, templates: Set[str]) -> MacroTable:
    """The macros that make a class below one of some templates, and those that use these."""
    found = [
        macro
        for word in ("class ", "struct ")
        for macro in read_macros(conn, word)
        if _DERIVES.search(macro.body) and not templates.isdisjoint(_WORD.findall(macro.body))
    ]
    names: set[str] = set()
    pending = sorted({macro.name for macro in found})
    while pending:
        name = pending.pop()
        if name in names:
            continue
        names.add(name)
        using = [m for m in read_macros(conn, name) if name in _WORD.findall(m.body)]
        found += using
        pending += sorted({macro.name for macro in using})
    return MacroTable(dict.fromkeys(found))
