"""What only a diff knows: OpInfos and their like, operators and formulas that it adds."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.diff.quiet import says_nothing

# The name comes first: a text of an OpInfo, a class of a ModuleInfo or OptimizerInfo.
_ENTRY = re.compile(
    r"(?<![\w.])(?P<class>\w+Info)\(\s*(?:(?:name|module_cls|optim_cls)\s*=\s*)?"
    r"(?:(?P<quote>['\"])(?P<text>[\w.]+)(?P=quote)|(?:torch\.)?(?P<type>[A-Za-z_][\w.]*))\s*[,)]"
)
_VARIANT = re.compile(r"\bvariant_test_name\s*=\s*(['\"])(\w+)\1")
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_FUNC = re.compile(r"- func:\s*(?P<name>(?:\w+::)?\w+)(?:\.\w+)?\(")
_FORMULA = re.compile(r"- name:\s*(?P<name>(?:\w+::)?\w+)(?:\.\w+)?\(")


class NewEntry(NamedTuple):
    """An OpInfo or its like that the index does not have.

    Args:
        name: with its variant: `scatter_reduce.sum`.
        kind: of its constructor: `UnaryUfuncInfo`.
        span: that begins it.
    """

    name: str
    kind: str
    span: Span


class NewOperator(NamedTuple):
    """An entry of native_functions.yaml or derivatives.yaml that lines begin.

    Args:
        name: with its namespace, without its overload.
        is_formula: it is one of derivatives.yaml.
        span: that begins it.
    """

    name: str
    is_formula: bool
    span: Span


def new_entries(conn: sqlite3.Connection, file: int, spans: tuple[Span, ...]) -> Iterator[NewEntry]:
    """The entries that lines of a file begin, and that it did not have.

    Args:
        conn: an index.
        file: id.
        spans: what changed, by the lines before, with its text.
    """
    rows = conn.execute(queries("places")["entries_of_file"], {"file": file}).fetchall()
    kinds = {row["class"] for row in rows}
    known = {(row["name"], row["variant"]) for row in rows}
    for span in spans if rows else ():
        text = _COMMENT.sub("", "\n".join(span.added))
        found = [match for match in _ENTRY.finditer(text) if match["class"] in kinds]
        ends = [match.start() for match in found[1:]]
        for match, end in zip(found, [*ends, len(text)], strict=False):
            variant = _VARIANT.search(text, match.end(), end)
            name, of = match["text"] or match["type"], variant[2] if variant else ""
            if (name, of) not in known:
                full = f"{name}.{of}" if of else name
                yield NewEntry(full, match["class"], span)


def added_operators(spans: tuple[Span, ...]) -> Iterator[NewOperator]:
    """What lines of native_functions.yaml or derivatives.yaml begin, and do not only change.

    Args:
        spans: changed lines, with their text.

    Returns:
        Each entry or formula whose operator is named on an added line, and on no removed one of the same span.
    """
    for span in spans:
        removed = {match["name"] for text in span.removed for match in _begun(text)}
        for match in (match for text in span.added for match in _begun(text)):
            if match["name"] not in removed:
                name = match["name"] if "::" in match["name"] else f"aten::{match['name']}"
                yield NewOperator(name, match.re is _FORMULA, span)


def only_adds_entries(span: Span) -> bool:
    """Whether lines of a YAML file are inserted and begin an entry: the one above ends before them.

    Args:
        span: by the lines before, with its text.
    """
    told = [text for text in span.added if not says_nothing(text, "yaml")]
    return span.last < span.first and bool(told) and told[0].startswith("- ")


def _begun(text: str) -> Iterator[re.Match[str]]:
    match = _FUNC.match(text) or _FORMULA.match(text)
    if match:
        yield match
