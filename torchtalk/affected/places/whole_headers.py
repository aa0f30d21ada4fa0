"""The functions that a file as a whole declares and others define: most headers of PyTorch have nothing else.

The index has definitions alone. What a file declares its text tells, by names in full: namespaces and classes around a
declaration say which of its namesakes is meant, and of overloads its parameters.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Set
from typing import NamedTuple

from indexer.extract.cpp.parameters import OWN_NAME, parameters_of
from torchtalk.affected import queries
from torchtalk.affected.graph.nodes import Node, spread
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.affected.places.declared import DECLARED, has_type_before, stem
from torchtalk.affected.places.macros import file_of_all_uses
from torchtalk.affected.sources import Sources
from torchtalk.answers.base import Place
from torchtalk.counted import counted
from torchtalk.sqlfile import listed

_LEFT_OUT = re.compile(
    r"//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/"
    r"|(?m:^[ \t]*#(?:[^\n\\]|\\[\s\S])*)"  # a directive with the lines that it goes on in
    r'|(?<!\\)"(?:\\.|[^"\\\n])*"'
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_PIECE = re.compile(r"[{};]|[^{};]+")
_ACCESS = re.compile(r"\s*(?:public|private|protected|signals)\s*:(?!:)")
_BEFORE = re.compile(
    r"\s*(?:template\s*<[^;{}]*?>(?=\s*(?:class|struct|union|template)\b)\s*)*(?:typedef\s+)?"
)
_NAMESPACE = re.compile(r"(inline\s+)?namespace\b([\w:\s]*)\Z")
_CLASS = re.compile(r"(?:class|struct|union)\b([^()=]*(?:\([^()]*\))?[^()=]*)\Z")
_LINKAGE = re.compile(r'extern\s*(?:"[^"]*")?\s*\Z')
_OF_BASES = re.compile(r"(?<!:):(?!:)")
_ARGUMENTS = re.compile(r"<[^<>]*(?:<[^<>]*>[^<>]*)*>|\([^()]*\)|\bfinal\b")
_LAST_NAME = re.compile(r"([\w:]+)\s*\Z")
_FRIEND = re.compile(r"\bfriend\b")
_NAMED = re.compile(
    r"(?<![\w.>])(operator\s*(?:\(\s*\)|\[\s*\]|[-+*/%^&|~!=<>,]+)|~?[A-Za-z_]\w*)\s*\("
)
_TYPE_WORD = re.compile(r"\b(?!(?:const|struct|class|typename)\b)[A-Za-z_]\w*\b(?!\s*::)")


class Declaration(NamedTuple):
    """A function that is declared and not defined.

    Args:
        name: in full, without template arguments.
        text: the statement, as written.
    """

    name: str
    text: str


def declared_in(conn: sqlite3.Connection, file: sqlite3.Row) -> list[sqlite3.Row]:
    """The functions that a file declares and that are defined in others.

    Args:
        conn: an index.
        file: its row, with id, path, kind and sha.

    Returns:
        Rows with id and name, in the order of their ids; none where the file is not here as it was indexed.
    """
    source = Sources(conn).read(file)
    if source is None or not source.is_indexed:
        return []
    declared: dict[str, list[str]] = {}
    for declaration in declarations(source.text):
        declared.setdefault(declaration.name, []).append(declaration.text)
    if not declared:
        return []
    asked = {"names": listed(tuple(sorted(declared))), "file": file["id"]}
    classes = _class_files(conn, {name.rpartition("::")[0] for name in declared})
    defined: dict[str, list[sqlite3.Row]] = {}
    for row in conn.execute(queries("declared")["defined_elsewhere"], asked):
        files = classes.get(row["name"].rpartition("::")[0], frozenset())
        # One of another file, such as the specialization for another processor, has its own methods.
        if row["file_id"] not in files and (
            len(files) < 2 or stem(row["path"]) == stem(file["path"])
        ):
            defined.setdefault(row["name"], []).append(row)
    found = [
        row
        for name, rows in defined.items()
        for row in _meant(rows, declared[name], stem(file["path"]))
    ]
    return sorted(found, key=lambda row: int(row["id"]))


def _class_files(conn: sqlite3.Connection, names: Set[str]) -> dict[str, Set[int]]:
    """By the names of C++ classes the files that define one."""
    found: dict[str, set[int]] = {}
    asked = {"names": listed(tuple(sorted(names)))}
    for row in conn.execute(queries("declared")["classes_in"], asked):
        found.setdefault(row["name"], set()).add(row["file_id"])
    return dict(found)


def take_declared(conn: sqlite3.Connection, file: sqlite3.Row, changes: Changes) -> None:
    """Add the functions that a header which is named as a whole declares and others define, and a note that says so.

    Args:
        conn: an index.
        file: row of the file.
        changes: to be added to.
    """
    found = declared_in(conn, file) if file_of_all_uses(file) is None else []
    weight = DECLARED * spread(len(found))
    for row in found:
        node, place = Node("cpp", row["id"], row["name"]), Place(file["path"], None)
        changes.add(Seed(node, weight, place, 0, "is declared there"))
    if found:
        functions = counted(len(found), "function")
        changes.notes.append(f"{file['path']}: {functions} that it declares and other files define")


def included_alone(text: str) -> tuple[str, ...]:
    """What a file includes whose text does nothing else; empty where it says more.

    Args:
        text: of the file.
    """
    if _LEFT_OUT.sub(" ", text).strip():
        return ()
    return tuple(dict.fromkeys(_INCLUDE.findall(text)))


def declarations(text: str) -> Iterator[Declaration]:
    """The functions that a C++ text declares at the level of its namespaces and classes, one after the other.

    Args:
        text: of a file.
    """
    text = _LEFT_OUT.sub(lambda match: '""' if match[0][0] == '"' else " ", text)
    scopes: list[tuple[str, bool]] = []
    statement, inside = "", 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        if inside:
            inside += (piece == "{") - (piece == "}")
        elif piece == "{" and statement.count("(") > statement.count(")"):
            inside = 1  # a default value
        elif piece == "{":
            opened = _scope(statement)
            if opened is None:
                inside = 1
            else:
                scopes.append(opened)
            statement = ""
        elif piece == "}":
            if scopes:
                scopes.pop()
            statement = ""
        elif piece == ";":
            declared = _declared(_head(statement), scopes)
            if declared is not None:
                yield declared
            statement = ""
        else:
            statement += piece


def _head(statement: str) -> str:
    while (access := _ACCESS.match(statement)) is not None:
        statement = statement[access.end() :]
    return statement.strip()


def _scope(statement: str) -> tuple[str, bool] | None:
    """The namespace or class that a bracket behind a statement opens, and whether it is a class; None for a body."""
    head = _head(statement)
    if _LINKAGE.match(head):
        return "", False
    space = _NAMESPACE.match(head)
    if space is not None:
        return ("" if space[1] else "".join(space[2].split())), False
    of_class = _CLASS.match(head, _BEFORE.match(head).end())  # type: ignore[union-attr]  # it matches nothing too
    if of_class is None:
        return None
    name = _LAST_NAME.search(_ARGUMENTS.sub(" ", _OF_BASES.split(of_class[1])[0]))
    return (name[1] if name is not None else ""), True


def _declared(statement: str, scopes: list[tuple[str, bool]]) -> Declaration | None:
    is_friend = _FRIEND.search(statement) is not None
    names = [name for name, is_class in scopes if name and not (is_friend and is_class)]
    of_class = scopes[-1][0].rpartition("::")[2] if scopes and scopes[-1][1] else ""
    for match in _NAMED.finditer(statement):
        name = "".join(match[1].split())
        if has_type_before(statement, match.start()) or (of_class and name.lstrip("~") == of_class):
            return Declaration("::".join((*names, name)), statement)
    return None


def _meant(rows: list[sqlite3.Row], texts: list[str], own: str) -> list[sqlite3.Row]:
    """Those of the functions of a name that one of some declarations can be of.

    All where one file has them; the same name may else be declared by other headers, too, as operators are. An alias
    may be all that differs (`ParamMap&`): then the name of the file tells, `own` being the header's.
    """
    if len(rows) == 1 or (len({row["file_id"] for row in rows}) == 1 and len(texts) >= len(rows)):
        return rows
    name = rows[0]["name"]
    wanted = [_types(text, name) for text in texts]
    written = [(row, _types(row["signature"], name)) for row in rows]
    return [row for row, types in written if any(_agree(types, other) for other in wanted)] or [
        row for row, types in written
        if stem(row["path"]) == own and any(len(types) == len(other) for other in wanted)
    ]  # fmt: skip


def _types(signature: str, name: str) -> list[frozenset[str]]:
    parameters = parameters_of(signature, name) or ()
    return [frozenset(_TYPE_WORD.findall(OWN_NAME.sub(r"\1", one))) for one in parameters]


def _agree(one: list[frozenset[str]], other: list[frozenset[str]]) -> bool:
    """Whether parameters can be the same: names and what libclang writes of a type may differ, no whole type does."""
    return len(one) == len(other) and all(
        not a or not b or a & b for a, b in zip(one, other, strict=True)
    )
