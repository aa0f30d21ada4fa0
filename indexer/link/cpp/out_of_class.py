"""Members that are defined outside of their class have its name: `ivalue::Enum::name()` in c10::ivalue is Enum's.

A declarator's qualifier is looked up from the scope that the definition stands in outwards ([basic.lookup.unqual]),
through using-directives ([namespace.udir]), and a class's name is known in the class itself ([class.pre]): `A::A::f` is
`A::f`. What a file's text alone takes it for is wrong where the qualifier repeats a part of the scope
(aten/src/ATen/core/ivalue.cpp) or the class is one of a namespace that the file uses (c10/util/SmallVector.cpp). Which
classes there are, only all files together tell.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Set
from itertools import groupby
from typing import NamedTuple

from indexer.write.kept import kept_values, put_kept, removal
from indexer.write.packed import pack, unpack

AS_READ = "names as read"
"""In the table `kept`: id and name of the functions whose names are others than their files tell."""

_MEMBERS = (
    "SELECT id, name, signature, file_id FROM functions WHERE instr(name, '::') AND origin <> 'macro'"
    " AND kind IN ('function', 'constructor', 'destructor', 'operator', 'conversion')"
)
_DIRECTIVE = "namespace "
_ARGUMENTS = r"<[^()<>]*(?:<[^()<>]*>[^()<>]*)*>\s*"
_QUALIFIED = re.compile(
    rf"(?<![\w:])((?:\w+\s*(?:{_ARGUMENTS})?::\s*)+)(~?\w+|operator\b[^(]+|operator\s*\(\s*\))\s*(?:{_ARGUMENTS})?\("
)
_WORD = re.compile(r"\w+")
_OF_TEMPLATE = re.compile(_ARGUMENTS)


class _Member(NamedTuple):
    id: int
    name: str  # as its file tells it
    signature: str
    file_id: int


def place(conn: sqlite3.Connection) -> None:
    """Give functions that are members of a class the class's name.

    It may run again: what was renamed is judged by the name that was read.

    Args:
        conn: a database that holds functions, classes and using-declarations.
    """
    as_read = {
        identity: _Member(identity, name, signature, file_id)
        for file_id, data in list(kept_values(conn, AS_READ))
        for identity, name, signature in unpack(data)
    }
    classes = {row[0] for row in conn.execute("SELECT name FROM cpp_classes")}
    found = dict(as_read)
    for identity, name, signature, file_id in conn.execute(_MEMBERS):
        owner = name.rpartition("::")[0]
        if (
            owner not in classes
            and owner.rpartition("::")[2] in signature
            and identity not in as_read
        ):
            found[identity] = _Member(identity, name, signature, file_id)
    used = _directives(conn) if found else {}
    renamed: dict[int, str] = {}
    for member in found.values():
        name = _member_of(member, classes, used.get(member.file_id, ()))
        if name is not None and name != member.name:
            renamed[member.id] = name
    conn.executemany(
        "UPDATE functions SET name = :name WHERE id = :id AND name <> :name",
        [{"id": n, "name": renamed.get(n, found[n].name)} for n in sorted(found)],
    )
    conn.execute(removal(AS_READ))
    rows = [found[n] for n in sorted(renamed, key=lambda n: (found[n].file_id, n))]
    for file_id, members in groupby(rows, key=lambda member: member.file_id):
        data = pack([(member.id, member.name, member.signature) for member in members])
        put_kept(conn, AS_READ, [(file_id, data)])


def _directives(conn: sqlite3.Connection) -> dict[int, list[tuple[str, str]]]:
    """By file the scopes that use a namespace, with that namespace."""
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for file_id, scope, text in conn.execute(
        "SELECT file_id, scope, text FROM cpp_usings WHERE keyword = 'using' AND text GLOB 'namespace *'"
        " ORDER BY file_id, line"
    ):
        found[file_id].append((scope, text.removeprefix(_DIRECTIVE).strip().removeprefix("::")))
    return found


def _member_of(
    member: _Member, classes: Set[str], used: list[tuple[str, str]] | tuple[()]
) -> str | None:
    """The full name of a member by the class that its qualifier means; None where it means none."""
    scope, qualifier, last = _taken_apart(member)
    for around in _scopes(scope, used) if qualifier else ():
        owner = "::".join(around)
        for part in qualifier:
            inner = f"{owner}::{part}" if owner else part
            is_itself = owner in classes and owner.rpartition("::")[2] == part
            owner = owner if is_itself and inner not in classes else inner
        if owner in classes:
            return f"{owner}::{last}"
    return None


def _scopes(scope: list[str], used: list[tuple[str, str]] | tuple[()]) -> Iterator[list[str]]:
    """The scopes that a name is looked up in, from the innermost on, each with what it uses."""
    for end in range(len(scope), -1, -1):
        yield scope[:end]
        around = "::".join(scope[:end])
        for where, namespace in used:
            if where == around:
                yield namespace.split("::")
                if around:
                    yield [*scope[:end], *namespace.split("::")]


def _taken_apart(member: _Member) -> tuple[list[str], list[str], str]:
    """The scope that a definition stands in, the qualifier that it is written with, and its own name."""
    parts = member.name.split("::")
    for match in _QUALIFIED.finditer(member.signature):
        qualifier = _WORD.findall(_OF_TEMPLATE.sub("", match[1]))
        if match[2].split() == parts[-1].split() and parts[:-1][-len(qualifier) :] == qualifier:
            return parts[: -1 - len(qualifier)], qualifier, parts[-1]
    return parts[:-1], [], parts[-1]
