"""What a question in plain words is about: `where is torch.cumprod implemented` about torch.cumprod."""

from __future__ import annotations

import re
import sqlite3

from torchtalk.names.closest import quoted
from torchtalk.sqlfile import beside

_queries = beside(__file__)
_IDENTIFIER = re.compile(r"\w(?:_|\.|::)\w|[a-z][A-Z]")
# So begins a question, whatever its words mean elsewhere.
_QUESTION = re.compile(
    r"(?:what|which|where|who|whose|how|why|does|do|is|are|show|tell)\b", re.IGNORECASE
)
_TOKEN = re.compile(r"[\w.:]*\w")
# Words that make a question of names, and words for the kinds of things that are asked for.
_ASKING = frozenset(
    """
    a about all an and any are as be by can change changed changing code compute computed computes could
    cover covers define defined defines did do does each else every exist exists file files find for
    from get gets give has have how i if implement implementation implementations implemented implements
    in inside into is it its list live lives located made me my need of on or place please run runs
    see should show source tell tested that the there these this to us use used uses using was we what when where
    which while who whose why will with work works would you
    """.split()
)
_KINDS = frozenset(
    "api apis autograd class classes formula function functions gradient kernel kernels method methods module "
    "modules op operation operator operators ops optimizer pass registration rule rules scheduler test tests".split()
)
_JOINING = frozenset(
    "after before check checks if only over some test tested testing tests through via without".split()
)
# What people say of any bug, whatever it is about.
_DEFECTS = frozenset(
    """
    avoid broken bug bugs correct correctly ensure fail failed failing fails failure failures fix
    fixed fixes fixing give gives handle handles incorrect incorrectly issue issues make makes not problem problems
    properly unexpected unexpectedly verify verifies wrong wrongly
    """.split()
)
_THINGS = frozenset("class function layer module op operator optimizer scheduler the".split())
# A plain word that is an operator's name too (`max`, `set`) says little of a question; a long one does.
_TELLING = 6
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ion|ed|es|s)$")
_FOR_TESTS = re.compile(
    r"(?:(?:which|what|where|find|show|list|all|any|the|are|is|there|do|does|we|have|me|exist|exists|that|cover|covers"
    r"|covering|exercise|run|of|for|in|on|need|i|to|should|must)\s+)*(?<!\S)tests?\s+"
    r"(?:(?:which|what|exist|exists|existing|are|is|there|that|cover|covers|covering|exercise|exercises|run|runs|use"
    r"|uses|using|of|for|in|on|the|a|an|do|does|we|have|change|when|if|i|should|must|need|to)\s+)*(?=\S)",
    re.IGNORECASE,
)
_HOW_TESTED = re.compile(
    r"how\s+(?:is|are|do\s+(?:we|i|they)\s+test|does\s+\S+\s+test)\s+(?P<what>.+?)(?:\s+(?:being\s+)?tested)?[?!. ]*",
    re.IGNORECASE,
)
_LEAST = 2  # words that a name has in common with a question, to be thought of
_MOST = 12  # words that are looked for
_COUNT = 5  # names that are given
_FEWEST = 3
_LONGEST = 300


def reduced(conn: sqlite3.Connection, text: str) -> str | None:
    """A question with less in it that is not what it asks about.

    Args:
        conn: an index.
        text: of a question, or what was left of it by an earlier call.

    Returns:
        The question without its small words; of one that has none, without what is said of any bug; then
        without the words for kinds of things; of one without these the name that all of its words make
        (`flex attention`), or the one name in it, as the index knows names. None where nothing is to be left out.
    """
    words = text.rstrip("?!. ").split()
    if len(words) < 2:
        return None
    for left_out in (_ASKING, _DEFECTS, _KINDS):
        kept = [word for word in words if word.lower().strip(",;?'\"") not in left_out]
        if kept and len(kept) < len(words):
            return " ".join(kept)
    joined = "_".join(words)
    if joined.isidentifier() and _is_asked_for(conn, joined, is_any=True):
        return joined
    tokens = [token for word in words for token in _TOKEN.findall(word)]
    written = [token for token in tokens if _IDENTIFIER.search(token)]
    for token in (*written, *(token for token in tokens if len(token) >= _TELLING)):
        last = token.replace("::", ".").rpartition(".")[2]
        if _is_asked_for(conn, last, is_any=token in written) or written == [token]:
            return str(token)
    return None


def _is_asked_for(conn: sqlite3.Connection, name: str, *, is_any: bool) -> bool:
    of = {"name": name, "any": is_any}
    return conn.execute(_queries("likely")["asked_for"], of).fetchone() is not None


def is_asking(word: str) -> bool:
    """Whether a word, in lower case, only makes a question or a report of others: `how`, `fix`, `tests`."""
    return word in _ASKING or word in _DEFECTS or word in _JOINING


def is_about_several(text: str) -> bool:
    """Whether a question has more than one word that tells what it is about, so that no single name is.

    Args:
        text: as it was asked.
    """
    words = [word.lower().strip(",;?!.'\"") for word in text.split()]
    return sum(not is_asking(word) and word not in _KINDS for word in words) > 1


def the_name(text: str) -> str:
    """The one name in a question: of `what breaks if I change at::native::pad_sequence?`; empty where there is none.

    Args:
        text: as it was asked.
    """
    if len(text) > _LONGEST or len(text.split()) < _FEWEST or not _QUESTION.match(text.strip()):
        return ""
    written = {token for token in _TOKEN.findall(text) if _IDENTIFIER.search(token)}
    return written.pop() if len(written) == 1 else ""


def without_asking(text: str) -> str:
    """A question without the words that make it one; empty where it has none, or has none else.

    Args:
        text: as it was asked.
    """
    if not _QUESTION.match(text.strip()):
        return ""
    words = text.rstrip("?!. ").split()
    kept = [word for word in words if word.lower().strip(",;?'\"") not in _ASKING]
    return " ".join(kept) if len(kept) < len(words) else ""


def of_tests(text: str, *, whole: bool = False) -> str:
    """What tests are asked for: of `which tests cover nn.Bilinear` the module.

    Args:
        text: a question, or what it is about alone.
        whole: with the word for what kind of thing it is: `scheduler` of `lr scheduler`.
    """
    asked = _FOR_TESTS.match(text)
    left = text[asked.end() :].rstrip("?!. ") if asked is not None else text
    how = _HOW_TESTED.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if how is not None:
        left = how["what"]
    if whole:
        return left or text
    words = [word for word in left.split() if word.lower() not in _THINGS]
    return words[0] if len(words) == 1 else left or text


def with_most_words(conn: sqlite3.Connection, text: str) -> tuple[str, ...]:
    """Names that have most of a question's words.

    Args:
        conn: an index.
        text: the question.

    Returns:
        Those with the most words first; none where a name is asked for.
    """
    if _IDENTIFIER.search(text):
        return ()
    said = [word.lower() for word in re.findall(r"[A-Za-z0-9]+", text)]
    words = [_ENDING.sub("", word) for word in said if word not in _ASKING]
    words = [word for word in dict.fromkeys(words) if len(word) > 1][:_MOST]
    if len(words) < _LEAST:
        return ()
    match = " OR ".join(f"{quoted(word)}*" for word in words)
    rows = conn.execute(_queries("likely")["with_words"], {"match": match})
    found = []
    for row in rows:
        name = row["name"].lower()
        number = sum(word in name for word in words)
        if number >= max(_LEAST, len(words) / 2):
            found.append((-number, row["place"], len(name), row["name"]))
    return tuple(name for *_, name in sorted(found)[:_COUNT])
