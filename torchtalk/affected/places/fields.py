"""Data members of C++ classes: which lines declare some, and which functions use them, by the text.

No table has who reads a field. Its class's methods do, above all, and functions of the files that the class is
written for; a method that does not name the field has nothing to do with it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator

from torchtalk.affected import queries
from torchtalk.affected.sources import Sources

_MOST_CLASSES = 8

_ASIDE = re.compile(
    r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*', re.DOTALL | re.MULTILINE
)
_LABEL = re.compile(r"^\s*(?:public|private|protected)\s*:(?!:)")
_ARGUMENTS = re.compile(r"<[^<>]*>")
# The value of a field, a bit field's width, the sizes of an array.
_VALUE = re.compile(r"\s*(?:[={\[]|(?<!:):(?!:)).*", re.DOTALL)
_DECLARATOR = re.compile(r"[\s&*]*(?:[\w:]+[\s&*]+)*(?P<name>[A-Za-z_]\w*)\s*$")
_TYPED = re.compile(r"[\w:>]+[\s&*]+[A-Za-z_]\w*\s*$")
_NO_FIELDS = re.compile(
    r"\s*(?:using|typedef|friend|template|class|struct|union|enum|namespace|return|case|throw|goto|delete)\b"
)


def fields_in(text: str) -> tuple[str, ...]:
    """The data members that lines of a class, outside of its functions, declare.

    Args:
        text: of the lines; what has no end on them is none that they declare.
    """
    statements = _ASIDE.sub(" ", text).split(";")[:-1]
    return tuple(dict.fromkeys(name for one in statements for name in _declared(one)))


def _declared(statement: str) -> Iterator[str]:
    statement = _LABEL.sub("", statement)
    while "<" in statement and (shorter := _ARGUMENTS.sub("", statement)) != statement:
        statement = shorter
    if _NO_FIELDS.match(statement):
        return
    first, *more = (_VALUE.sub("", one) for one in statement.split(","))
    if "(" in first or not _TYPED.search(first):
        return
    for declarator in (first, *more):
        match = _DECLARATOR.match(declarator)
        if match is not None:
            yield match["name"]


def declared_at(conn: sqlite3.Connection, name: str) -> dict[tuple[str, int], str]:
    """Where data members of a name are declared, as the texts of their classes tell.

    The index has no fields of the language's own types.

    Args:
        conn: an index.
        name: of the field, behind its class's name in full or in part.

    Returns:
        Their names in full, by file and line.
    """
    owner, _, last = name.removeprefix("::").rpartition("::")
    if not owner or not last.isidentifier():
        return {}
    sources = Sources(conn)
    found: dict[tuple[str, int], str] = {}
    rows = conn.execute(queries("declared")["classes_ending"], {"name": owner}).fetchall()
    for row in rows[:_MOST_CLASSES]:
        source = sources.read(row)
        if source is None or not source.is_indexed:
            continue
        lines = source.text.split("\n")[: row["end_line"]]
        for line, written_there in enumerate(lines[row["line"] - 1 :], row["line"]):
            # A small class may stand on one line.
            text = written_there.partition("{")[2] if line == row["line"] else written_there
            if last in text and last in fields_begun(text):
                found[row["path"], line] = f"{row['name']}::{last}"
                break
    return found


def fields_begun(text: str) -> tuple[str, ...]:
    """The same with what is declared by a statement whose value goes on behind the lines: `P p = P::parse(`.

    Args:
        text: of the lines.
    """
    goes_on = text.rstrip().endswith(("=", "(", "{", ","))
    return fields_in(text) or (fields_in(f"{text.rstrip()};") if goes_on else ())


def naming(
    sources: Sources, names: Iterable[str], functions: list[sqlite3.Row]
) -> list[sqlite3.Row]:
    """Those of some functions whose text names a field, and those whose text is not that of the index.

    Args:
        sources: of the tree.
        names: of the fields.
        functions: with their file's id, path and sha, and their first and last lines.
    """
    named = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    read: dict[str, list[str]] = {}
    found = []
    for row in functions:
        path = row["path"]
        if path not in read:
            source = sources.read(row)
            is_known = source is not None and source.is_indexed
            read[path] = source.text.split("\n") if source is not None and is_known else []
        body = "\n".join(read[path][row["line"] - 1 : row["end_line"]])
        if not read[path] or named.search(body):
            found.append(row)
    return found
