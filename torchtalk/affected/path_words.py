"""What paths say of what their files are about: the names of folders, the words of a file's name."""

from __future__ import annotations

import functools
import posixpath
import re

from torchtalk.testing.words import ENDING, words_of

_TEST = frozenset(("test", "tests"))
_SHORT = 4  # such words keep their endings
PLAIN = frozenset(
    "test tests torch aten src csrc c10 caffe2 native cpp cuda cpu internal api core util utils common testing include"
    " tools lib detail impl ops".split()
)
"""Words of paths that say nothing of what a file is about."""


@functools.lru_cache(maxsize=16_384)
def folders_of(path: str) -> tuple[str, ...]:
    """The names of the folders of a file that say what it is about: `dynamo`, `variables` of torch/_dynamo/variables/.

    Args:
        path: of the file in the tree.
    """
    parts = [part.strip("_").lower() for part in posixpath.dirname(path).split("/")]
    return tuple(part for part in parts if part and part not in PLAIN)


def is_plain(word: str) -> bool:
    """Whether a word of a path says nothing of what a file is about."""
    return word in PLAIN


@functools.lru_cache(maxsize=16_384)
def stem_of(path: str) -> tuple[str, ...]:
    """The words of a file's name, in lower case and without those that say that it has tests.

    Args:
        path: of the file, with `/`; of a package's `__init__.py` the words are those of its folder.
    """
    folder, name = posixpath.split(path)
    stem = posixpath.splitext(name)[0]
    if stem == "__init__" and folder:
        stem = posixpath.basename(folder).strip("_").lower()
    return tuple(word for word in words_of(stem, None) if word not in _TEST)


_SHORT_ENDING = re.compile(r"e$|[^aeious]s$")


@functools.lru_cache(maxsize=8_192)
def bare(word: str) -> str:
    """A word without what English puts behind it: `index` of indexing."""
    if len(word) > _SHORT:
        return ENDING.sub("", word)
    # fuse is fused's, dim that of dims; loss, axis and bias are no plurals.
    return word[:-1] if len(word) == _SHORT and _SHORT_ENDING.search(word) else word


def is_called_like(path: str, name: str) -> bool:
    """Whether a test's file is called like a name: test/test_indexing.py like `index`.

    Args:
        path: of the file; in a folder of a part of PyTorch (test/export/test_unflatten.py) it is about that part's own.
        name: an operator's, for one.
    """
    return not folders_of(path) and (
        set(map(bare, stem_of(path))) == set(map(bare, words_of(name, None)))
    )
