"""Tests that have a text which a diff changes, as those of errors do: `assertRaisesRegex(…, "must be a matrix")`.

Messages are in no table. Where changed lines have one, the tests' files are read.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator

from torchtalk.affected import queries
from torchtalk.affected.changes import Changes, Seed
from torchtalk.affected.diffs import FileChange, Span
from torchtalk.affected.nodes import Node, spread
from torchtalk.affected.sources import Source, Sources
from torchtalk.answers.base import Place

_WEIGHT = 0.9
# A shorter text, or a single word, is that of many things.
_LEAST = 10
_MOST_TEXTS = 12
_MOST_TESTS = 60
_EACH = 4
_SHOWN = 60
_SOURCE = re.compile(r"\.(?:py|cpp|cc|c|h|hpp|cuh|cu|mm|inl)$")
_OF_TESTS = re.compile(r"(?:.*/)?(?:test|tests)/|torch/testing/")
# None begins with an escaped quote: of many of these each would be followed to the line's end.
_LITERAL = re.compile(r'(?<!\\)"((?:\\.|[^"\\\n])*)"' + r"|(?<!\\)'((?:\\.|[^'\\\n])*)'")
_JOINED = re.compile(r'"\s*(?:u8|[rRfFbBuL])?"|\'\s*[rRfFbBu]{0,2}\'')
_COMMENT = re.compile(r"^[ \t]*(?:#(?!\s*(?:define|include)).*|//.*|\*.*)$", re.MULTILINE)
# What another text is put in for when the program runs.
_HOLE = re.compile(r"\{[^{}]*\}|%[-+#0-9.]*[a-zA-Z]|\\[nt\"']")
# What a regular expression has that is no text.
_PATTERN = re.compile(
    r"\\[dwsDWSbB][+*?]?|\.[*+]\??|(?<!\\)(?:\[[^\]]{0,200}\][+*?]?|\{\d{0,6},?\d{0,6}\}|[()|^$*+?])|\\n"
)
_ESCAPED = re.compile(r"\\+(?=[^\w\s])")
_WORDS = re.compile(r"[A-Za-z_][\w-]*")
_PAIR = re.compile(r"(?=(?<![\w-])([A-Za-z_][\w-]*[ ,:'`]+[A-Za-z_][\w-]*))")


def take_messages(
    conn: sqlite3.Connection, files: Iterable[FileChange], changes: Changes, sources: Sources
) -> None:
    """Add the tests, and the helpers of tests, that have a text which changed lines have or had.

    Args:
        conn: an index.
        files: what a diff changes.
        changes: to be added to.
        sources: the tree.
    """
    messages: dict[str, tuple[str, int]] = {}
    for change in files:
        if _SOURCE.search(change.path) and not _OF_TESTS.match(change.path) and change.old_path:
            for span in change.old:
                for text in _texts(span):
                    messages.setdefault(text, (change.path, span.first))
    found = having(conn, messages, sources)
    for text, nodes in found.items():
        path, line = messages[text]
        some = list(nodes)[:_MOST_TESTS]
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        for node in some:
            weight = _WEIGHT * spread(len(nodes))
            changes.add(
                Seed(node, weight, Place(path, line), 0, f'has the text "{shown}" of {path}')
            )


def having(
    conn: sqlite3.Connection, texts: Collection[str], sources: Sources
) -> dict[str, dict[Node, None]]:
    """The tests, and the helpers of tests, that have one of some texts, or a part of one, by text.

    Args:
        conn: an index.
        texts: without what is put into them.
        sources: the tree.
    """
    found: dict[str, dict[Node, None]] = {}
    pairs = _pairs(texts)
    if not pairs:
        return found
    rows = conn.execute(queries("places")["files_of_tests"]).fetchall()
    for source in sources.holding(rows, pairs):
        for text, node in _having(conn, source, texts, pairs):
            found.setdefault(text, {})[node] = None
    return found


def pieces(text: str) -> tuple[str, ...]:
    """The parts of a message between what is put into it, those that say enough to be looked for.

    Args:
        text: of the message, as it is written or as it came out.
    """
    return tuple(piece for piece in map(_bare, _HOLE.split(text)) if _says_enough(piece))


def _texts(span: Span) -> Iterator[str]:
    """The messages of a span, before the change or else after it, without what is put into them."""
    for side in (span.removed, span.added):
        joined = _JOINED.sub("", _COMMENT.sub("", "\n".join(side)))
        texts = [
            piece
            for match in _LITERAL.finditer(joined)
            for piece in _HOLE.split(match[1] or match[2] or "")
        ]
        told = [text for text in map(_bare, texts) if _says_enough(text)]
        if told:
            yield from told
            return


def _bare(text: str) -> str:
    return " ".join(text.split())


def _says_enough(text: str) -> bool:
    return len(text) >= _LEAST and len(_WORDS.findall(text)) > 1


def _pairs(messages: Iterable[str]) -> tuple[str, ...]:
    """Neighbours among the messages' words, which tell quickly which files may have a part of one."""
    found: dict[str, None] = {}
    for text in messages:
        longest = sorted(
            (match[1] for match in _PAIR.finditer(text)), key=lambda pair: (-len(pair), pair)
        )
        found.update(dict.fromkeys(longest[:_EACH]))
    return tuple(found)[:_MOST_TEXTS]


def _having(
    conn: sqlite3.Connection, source: Source, messages: Iterable[str], pairs: tuple[str, ...]
) -> Iterator[tuple[str, Node]]:
    text = source.text
    seen: set[int] = set()
    for pair in pairs:
        at = text.find(pair)
        while at >= 0:
            begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            end = end if end >= 0 else len(text)
            at = text.find(pair, end)
            if begin in seen:
                continue
            seen.add(begin)
            runs = [
                run for match in _LITERAL.finditer(text[begin:end])
                for run in map(_bare, _PATTERN.split(match[1] or match[2] or ""))
            ]  # fmt: skip
            runs = [_ESCAPED.sub("", run) for run in runs]
            for message in messages:
                if any(_says_enough(run) and (run in message or message in run) for run in runs):
                    node = source.around(conn, begin)
                    if node is not None:
                        yield message, node
