"""Tests that have a text which a diff changes, as those of errors do: `assertRaisesRegex(…, "must be a matrix")`.

What tests expect errors to say is in a table. Their files are read for what has a text in other ways:
`assertIn("must be a matrix", str(error))`.
"""

from __future__ import annotations

import functools
import math
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import FileChange, Span
from torchtalk.affected.diff.documented import Lines, without_docs
from torchtalk.affected.diff.quiet import says_nothing
from torchtalk.affected.graph.nodes import Node, spread
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.affected.sources import Source, Sources
from torchtalk.affected.texts.message_operators import MessageOperators
from torchtalk.answers.base import Place

_WEIGHT = 0.9
# Who expects what changes fails for certain, unless the text is that of many things.
_EXPECTED = 0.97
_MANY = 4
# A part of it that has fewer words may be one of another message.
_FEW_WORDS = 4
_PARTLY = 0.5
_OF_ANOTHER = 0.4
# Words of which less can be told are those of many messages.
_RARE = 0.5
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


class Shared(NamedTuple):
    """What a text has in common with one that a test has.

    Args:
        words: how many.
        run: the words themselves.
        is_whole: nothing else that the test has there is wanting.
    """

    words: int
    run: str
    is_whole: bool = True


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
    around: dict[str, str] = {}
    for change in files:
        if _SOURCE.search(change.path) and not _OF_TESTS.match(change.path) and change.old_path:
            docs, is_new = _docs(conn, change)
            for old, new in zip(change.old, change.new, strict=True):
                indexed = new if is_new else old
                if (change.old_path, indexed) in changes.silent:
                    continue
                is_python = change.path.endswith(".py")
                for text in _texts(old, is_python, (indexed.first, docs), is_new=is_new):
                    messages.setdefault(text, (change.path, old.first))
                    around.setdefault(change.old_path, _around(conn, change.old_path, sources))
    known = expecting(conn, messages, tuple(around.values()))
    usual, named = _Usual(conn), MessageOperators(conn)
    for text, nodes in known.items():
        weight = spread(len(nodes) // _MANY)
        for node, shared in list(nodes.items())[:_MOST_TESTS]:
            if node.kind != "test" and _is_short(shared, text) and usual.share(shared.run) < _RARE:
                continue  # a helper is run for much else
            tells = usual.tells(shared, text) if _is_short(shared, text) else _EXPECTED
            tells *= _OF_ANOTHER if named.is_of_another(node, text, shared.run) else 1.0
            changes.add(_seed(node, weight * tells, "expects", shared, text, messages[text]))
    for text, others in having(conn, messages, sources).items():
        weight = _WEIGHT * spread(len(others))
        left = [node for node in others if node not in known.get(text, ())]
        for node in left[:_MOST_TESTS]:
            shared = others[node]
            if node.kind != "test" and _is_short(shared, text) and usual.share(shared.run) < _RARE:
                continue
            tells = usual.tells(shared, text) if _is_short(shared, text) else 1.0
            tells *= _OF_ANOTHER if named.is_of_another(node, text, shared.run) else 1.0
            changes.add(_seed(node, weight * tells, "has", shared, text, messages[text]))


def _seed(
    node: Node, weight: float, how: str, shared: Shared, text: str, place: tuple[str, int]
) -> Seed:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    part = f'"{shared.run}" of ' if _is_short(shared, text) else ""
    return Seed(node, weight, Place(*place), 0, f'{how} {part}the text "{shown}" of {place[0]}')


def _is_short(shared: Shared, text: str) -> bool:
    """Whether what a test has of a text may as well be a part of another one."""
    return not shared.is_whole or (shared.words < _FEW_WORDS and shared.words < _words(text))


def is_most(shared: Shared, text: str) -> bool:
    """Whether what a test has of a text is most of it, or more than another text has by chance.

    Args:
        shared: what it has.
        text: whole.
    """
    return shared.words >= _FEW_WORDS or 2 * shared.words >= _words(text)


class _Usual:
    """How usual words are in messages: many have `not supported`, whoever expects it expects one of these."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._shares: dict[str, float] = {}

    def share(self, run: str) -> float:
        """What a part of a message tells: 1 where no other that a test expects has it.

        Args:
            run: some words.
        """
        if run not in self._shares:
            rows = self._conn.execute(queries("texts")["expected_messages"])
            self._shares[run] = spread(sum(row["messages"].count(run) for row in rows))
        return self._shares[run]

    def tells(self, shared: Shared, text: str) -> float:
        """What a part of a message tells: the less of it, and the more usual, the less.

        Args:
            shared: the part.
            text: of the message.
        """
        return _PARTLY * self.share(shared.run) * math.sqrt(shared.words / _words(text))


def _docs(conn: sqlite3.Connection, change: FileChange) -> tuple[tuple[Lines, ...], bool]:
    """The lines of a file's docstrings, and whether they are those after the change."""
    sql = queries("places")
    row = conn.execute(sql["file"], {"path": change.old_path}).fetchone()
    if row is None or row["kind"] != "python":
        return (), False
    is_new = bool(change.new_blob) and str(row["sha"]).startswith(change.new_blob)
    rows = conn.execute(sql["docstrings_of_file"], {"file": row["id"]})
    return tuple((one["line"], one["end_line"]) for one in rows), is_new


def _around(conn: sqlite3.Connection, path: str, sources: Sources) -> str:
    """The text of a file, with what of it is one message on several lines as one."""
    row = conn.execute(queries("places")["file"], {"path": path}).fetchone()
    source = sources.read(row) if row is not None else None
    return "" if source is None else _bare(_JOINED.sub("", source.text))


def expecting(
    conn: sqlite3.Connection, texts: Collection[str], around: tuple[str, ...] = ()
) -> dict[str, dict[Node, Shared]]:
    """The tests, and the helpers of tests, that expect an error to say one of some texts, or a part of one, by text.

    Args:
        conn: an index.
        texts: without what is put into them.
        around: the files that have them, where the other lines of a message may be.

    Returns:
        By text and test, what they have in common.
    """
    found: dict[str, dict[Node, Shared]] = {}
    pairs = _pairs(texts)
    for row in conn.execute(queries("texts")["expected_messages"]) if pairs else ():
        if not any(pair in row["messages"] for pair in pairs):
            continue
        for each in row["messages"].split("\n"):
            if any(pair in each for pair in pairs):
                line, _, message = each.partition(" ")
                for text, shared in _told(texts, message, around=around):
                    at = {"file": row["file_id"], "line": int(line)}
                    node = conn.execute(queries("texts")["expecting_at"], at).fetchone()
                    if node is not None:
                        name = "" if node["kind"] == "test" else node["name"]
                        of_text = found.setdefault(text, {})
                        key = Node(node["kind"], node["id"], name)
                        of_text[key] = max(shared, of_text.get(key, shared))
    return found


def _told(
    texts: Iterable[str], *literals: str, around: tuple[str, ...] = ()
) -> Iterator[tuple[str, Shared]]:
    """Which of some texts have a part of what literals, mostly regular expressions, stand for, or are a part of it; and
    what of the one is in the other.
    """
    every = [_runs(literal) for literal in literals]
    for text in texts:
        found = [
            Shared(_words(min(run, text, key=len)), min(run, text, key=len), not _lacks((*texts, *around), runs))
            for runs in every for run in runs
            if begins_in(text, run) or begins_in(run, text)
        ]  # fmt: skip
        if found:
            yield text, max(found)


def _lacks(texts: Iterable[str], runs: tuple[str, ...]) -> bool:
    """Whether a pattern has a part that none of some texts has: `^Integer division.+is no longer supported`."""
    return len(runs) > 1 and any(
        not any(begins_in(text, run) or begins_in(run, text) for text in texts) for run in runs
    )


def begins_in(text: str, part: str) -> bool:
    """Whether a text has another that begins where a word does: `Unexpected dtype` has no `expected dtype`.

    Args:
        text: to look in.
        part: the other.
    """
    at = text.find(part)
    while at > 0 and text[at - 1].isalnum() and part[0].isalnum():
        at = text.find(part, at + 1)
    return at >= 0


@functools.lru_cache(maxsize=8_192)
def _runs(literal: str) -> tuple[str, ...]:
    """What a literal stands for without what is no text in it; only what says enough."""
    runs = (_ESCAPED.sub("", run) for run in map(_bare, _PATTERN.split(literal)))
    return tuple(run for run in runs if _says_enough(run))


def having(
    conn: sqlite3.Connection, texts: Collection[str], sources: Sources
) -> dict[str, dict[Node, Shared]]:
    """The tests, and the helpers of tests, that have one of some texts, or a part of one, by text.

    Args:
        conn: an index.
        texts: without what is put into them.
        sources: the tree.
    """
    found: dict[str, dict[Node, Shared]] = {}
    pairs = _pairs(texts)
    if not pairs:
        return found
    rows = conn.execute(queries("places")["files_of_tests"]).fetchall()
    for source in sources.holding(rows, pairs):
        for text, node, shared in _having(conn, source, texts, pairs):
            of_text = found.setdefault(text, {})
            of_text[node] = max(shared, of_text.get(node, shared))
    return found


def pieces(text: str) -> tuple[str, ...]:
    """The parts of a message between what is put into it, those that say enough to be looked for.

    Args:
        text: of the message, as it is written or as it came out.
    """
    return tuple(piece for piece in map(_bare, _HOLE.split(text)) if _says_enough(piece))


def _texts(
    span: Span, is_python: bool, known: tuple[int, tuple[Lines, ...]], *, is_new: bool
) -> Iterator[str]:
    """The messages of a span, before the change or else after it, without what is put into them.

    Docstrings are none. Where those of the file are known, they are of one side of it, whose first line is given.
    """
    for side, is_known in ((span.removed, not is_new), (span.added, is_new)):
        first, docs = known if is_known else (0, ())
        text = without_docs(side, span.above, first, docs) if is_python else "\n".join(side)
        joined = _JOINED.sub("", _COMMENT.sub("", text))
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


def _words(text: str) -> int:
    return len(_WORDS.findall(text))


def _says_enough(text: str) -> bool:
    return len(text) >= _LEAST and _words(text) > 1


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
) -> Iterator[tuple[str, Node, Shared]]:
    text = source.text
    seen: set[int] = set()
    docs = source.docs(conn)
    for pair in pairs:
        at = text.find(pair)
        while at >= 0:
            begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            end = end if end >= 0 else len(text)
            at = text.find(pair, end)
            if begin in seen:
                continue
            seen.add(begin)
            if source.is_within(begin, docs) or says_nothing(text[begin:end], "python"):
                continue
            literals = _LITERAL.finditer(text[begin:end])
            for message, shared in _told(
                messages, *(match[1] or match[2] or "" for match in literals)
            ):
                node = source.around(conn, begin) or source.entry(conn, begin)
                if node is not None:
                    yield message, node, shared
