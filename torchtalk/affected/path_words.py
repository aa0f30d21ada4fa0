"""What paths say of what their files are about: the names of folders, the words of a file's name."""

from __future__ import annotations

import functools
import posixpath

from torchtalk.testing.subject import words_of

_TEST = frozenset(("test", "tests"))
PLAIN = frozenset(
    "test tests torch aten src csrc c10 caffe2 native cpp cuda cpu internal api core util utils common testing include"
    " tools lib detail impl ops".split()
)
"""Words of paths that say nothing of what a file is about."""


@functools.lru_cache(maxsize=16_384)
def folders_of(path: str) -> tuple[str, ...]:
    """The names of a file's folders that say what it is about: `dynamo` and `variables` of torch/_dynamo/variables/."""
    parts = [part.strip("_").lower() for part in posixpath.dirname(path).split("/")]
    return tuple(part for part in parts if part and part not in PLAIN)


def is_plain(word: str) -> bool:
    """Whether a word of a path says nothing of what a file is about."""
    return word in PLAIN


@functools.lru_cache(maxsize=16_384)
def stem_of(path: str) -> tuple[str, ...]:
    """The words of a file's name, without those that say that it has tests; of a package those of its folder's."""
    folder, name = posixpath.split(path)
    stem = posixpath.splitext(name)[0]
    if stem == "__init__" and folder:
        stem = posixpath.basename(folder).strip("_").lower()
    return tuple(word for word in words_of(stem, None) if word not in _TEST)
