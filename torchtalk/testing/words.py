"""The words of a name or a phrase, as a search for tests takes them."""

from __future__ import annotations

import functools
import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
MOST_WORDS = 8
"""So many words of a query are looked for."""

ENDING = re.compile(r"(?:ations?|ating|ated|ates?|ions?|ings?|ers?|ed|es|e|s)$")
"""What English puts behind a word: accumulate, accumulation; fuse, fused; hook, hooks."""

# Such a word is one: NaN, not `na` and `n`.
_MIXED = re.compile(r"\b[A-Z][a-z][A-Z]s?\b")
# Before a name in a phrase: tests of `torch.compile dynamic shapes` have its last part in their names alone.
_NAMESPACES = re.compile(
    r"(?<![\w./:])(?:torch|nn|F|Tensor|optim|at|aten|c10)(?:\.|::)(?:[A-Za-z_]\w*(?:\.|::))*(?=[A-Za-z_])"
)


def the_words(words: tuple[str, ...]) -> str:
    """The `words` as what a question is about, for people."""
    return f"the word{'' if len(words) == 1 else 's'} {', '.join(words)}"


@functools.lru_cache(maxsize=16_384)
def words_of(text: str, most: int | None = MOST_WORDS) -> tuple[str, ...]:
    """The first words of a text, split at camelCase and snake_case, in lower case without marks on letters, each once.

    The full-text tables of the index, unicode61, have no marks either: Grün is found as grun, and said so.

    Args:
        text: as people write it.
        most: words at most; None takes all.
    """
    if not text.isascii():
        text = "".join(
            c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)
        )
    pieces = [piece.lower() for word in _WORD.findall(text) for piece in _CAMEL.split(word)]
    return tuple(dict.fromkeys(piece for piece in pieces if piece))[:most]


def words_of_phrase(text: str) -> tuple[str, ...]:
    """The words of some text that is no name, without the namespaces of the names in it: `load` of torch.load.

    Args:
        text: of several words.
    """
    return words_of(_NAMESPACES.sub("", _MIXED.sub(lambda match: match[0].lower(), text)), None)
