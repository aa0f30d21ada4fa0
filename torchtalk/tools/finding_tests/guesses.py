"""Tests by name: where the graph leads to none, or hardly to any, those of files that are called like what changed."""

from __future__ import annotations

import functools
import math
import posixpath
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from torchtalk.affected.choice.importing import importing
from torchtalk.affected.choice.phrases import having_words, phrase_of
from torchtalk.affected.choice.similar_names import OF_FOLDER, OWN, AlikeFile, AlikeFiles
from torchtalk.affected.diff.outside import is_generator
from torchtalk.affected.path_words import bare, is_plain, stem_of
from torchtalk.affected.places.changes import Changes
from torchtalk.sqlfile import listed
from torchtalk.testing.words import ENDING, words_of
from torchtalk.tools import queries

MOST_FILES = 8
"""For so many files that changed tests are looked for by name."""

_MOST_ALIKE = 16
_MOST_SEEDS = 8
_SHORT = 2
# Less than what the graph finds worth running (`search.LEAST`).
_WEIGHT = 0.045
_OF_FOLDER = 0.6
# A file whose rank is so much lower counts a third.
_RANKS = 4.0
_ANOTHER = 0.25
# A file that imports what changed is rather about it; of very many each is little.
_IMPORTS = 4.0
_MOST_IMPORTERS = 20
_MOST_SOURCES = 3
# A test with words of what changed in its name before those that only stand in a file that is called so.
_NAMED = 4.0
_OF_FILE_NAME = 0.5
# Of so many classes and more one tells what is common to them: what one in so many has.
_MANY = 6
_PARTS = re.compile(r"::|\.")


class Named(NamedTuple):
    """A test that a name tells.

    Args:
        test: its id.
        file: that changed.
        weight: the more, the rather; less than of those that the graph leads to.
        why: what its name or its file's has to do with the change.
        is_own: its file is called like the one that changed.
        is_alike: it is, or like its folder, or stands in one that is.
        is_whole: it has the whole name of what changed in its own.
        is_beside: no name tells it: what stands beside the change leads to it.
        is_told: it has all words by which what changed differs from what is beside it: `set` of SetVariable.
    """

    test: int
    file: str
    weight: float
    why: tuple[str, ...]
    is_own: bool = False
    is_alike: bool = False
    is_whole: bool = False
    is_beside: bool = False
    is_told: bool = False


class _Scored(NamedTuple):
    """A test by its words, which sorts before what has fewer of them or others besides."""

    negative: float
    length: int
    test: int
    named: tuple[str, ...]
    is_told: bool


class ByName:
    """Looks for tests by name.

    Args:
        conn: an index.
        changes: with what changed.
    """

    def __init__(self, conn: sqlite3.Connection, changes: Changes) -> None:
        self._conn = conn
        self._changes = changes
        self._files = AlikeFiles(conn)
        self._found: dict[str, tuple[AlikeFile, ...]] = {}

    def own_files(self, file: str) -> tuple[str, ...]:
        """The files of tests that are called like one that changed, else like its folder or like what imports it.

        Args:
            file: path of the one that changed.
        """
        own = tuple(one.path for one in self._like(file) if one.level == OWN)
        own = own or self._files.of_folder(file)
        if own or file.startswith("torch/testing/"):
            # What tests are made of is run by those that use it, which the graph tells.
            return own
        return tuple(one.path for one in self._of_importing(file))

    def alike(self, file: str) -> frozenset[str]:
        """The files of tests called like a changed `file` or its folder, or that stand in a folder called so."""
        return frozenset(one.path for one in self._like(file))

    def _like(self, file: str) -> tuple[AlikeFile, ...]:
        """Those whose path tells that they are about a file, first those that import it and have all words of its name.

        test/dynamo/test_aot_autograd_cache.py imports torch/_functorch/_aot_autograd/autograd_cache.py.
        """
        if file not in self._found:
            alike = self._files.of(file)
            stem = frozenset(bare(word) for word in stem_of(file) if not is_plain(word))
            known = {one.path for one in alike if one.level == OWN}
            named = [
                path for path in sorted(self._importers(file) if len(stem) > 1 else ())
                if path not in known and stem <= frozenset(map(bare, stem_of(path)))
            ]  # fmt: skip
            best = max((one.rank for one in alike if one.level == OWN), default=0.0)
            dedicated = tuple(AlikeFile(path, OWN, best, file) for path in named)
            rest = (one for one in alike if one.path not in named)
            self._found[file] = (*dedicated, *rest)
        return self._found[file]

    def tests(self, file: str, among: Collection[str] = ()) -> list[Named]:
        """The tests for a file that changed, the best first.

        Args:
            file: that changed.
            among: only those of these files; empty means all.
        """
        looking = self._changes.blank.get(file)
        if looking:
            return self._looking(file, looking)
        if is_generator(file):
            # What makes code is called like what this is about, and so are the tests of that.
            return []
        files = self._like(file)
        if among:
            files = tuple(one for one in files if one.path in among)
        has_own = any(one.level == OWN for one in files)
        importers = frozenset() if among or has_own else self._importers(file)
        files = (
            *files,
            *(
                AlikeFile(path, OF_FOLDER, 0.0, "")
                for path in importers - {one.path for one in files}
            ),
        )
        files = files or tuple(
            one for one in self._of_importing(file) if not among or one.path in among
        )
        ranked = sorted(
            (one._replace(rank=one.rank + _IMPORTS * (one.path in importers)) for one in files),
            key=lambda one: (-one.level, -one.rank, one.path),
        )
        others = self._of(file, tuple(ranked[:_MOST_ALIKE]), importers)
        whole = self._whole(file, ranked, [one.test for one in others])
        known = {one.test for one in whole}
        return [*whole, *(one for one in others if one.test not in known)]

    def _whole(self, file: str, files: list[AlikeFile], ranked: list[int]) -> list[Named]:
        """Those with the whole name of what changed, of whichever file.

        What all tests of DistMathOpsTest have of _math_ops.py tells none from the others: of these come first those
        that have words of what changed.
        """
        common = _common(self._conn, file) if file.endswith(".py") else _NOTHING
        # What its module is called is its file's name, which of one word is that of many things: `reference`.
        module = "_".join(stem_of(file))
        phrases = [
            phrase_of(name, common.words)
            for pair in self._names(file) for name in pair
            if name not in common.methods and (name.strip("_") != module or "_" in module)
        ]  # fmt: skip
        found = having_words(self._conn, phrases, tuple(one.path for one in files))
        of_module = " ".join(phrase_of(module, common.words))
        place = {test: at for at, test in enumerate(ranked)}
        phrased = list(dict.fromkeys(found.values()))
        order = sorted(
            found,
            key=lambda test: (
                phrased.index(found[test]),
                place.get(test, len(place)) if found[test] == of_module else 0,
            ),
        )
        of = {"files": listed(tuple(one.path for one in files if one.level == OWN)), "all": 0}
        rows = self._conn.execute(queries("find_similar_tests")["tests_of"], of) if found else ()
        own = {row["id"] for row in rows}
        return [
            Named(
                test,
                file,
                _WEIGHT / (1 + _ANOTHER * at),
                (f"named {found[test]}",),
                test in own,
                test in own,
                is_whole=True,
                is_told=common is not _NOTHING,
            )
            for at, test in enumerate(order)
        ]

    def _importers(self, file: str) -> frozenset[str]:
        """The files with tests that import a file, where these are not very many."""
        if not file.endswith(".py"):
            return frozenset()
        paths = importing(self._conn, file, with_tests=True)
        return frozenset(paths) if len(paths) <= _MOST_IMPORTERS else frozenset()

    def _of_importing(self, file: str) -> tuple[AlikeFile, ...]:
        """The files of tests that are called like one of the few sources that import a file, or of those beside it.

        torch/_weights_only_unpickler.py is imported by torch/serialization.py, which test/test_serialization.py is for.
        """
        if not file.endswith(".py"):
            return ()
        paths = sorted(importing(self._conn, file, with_tests=False))
        if len(paths) > _MOST_SOURCES:
            folder = posixpath.dirname(file)
            paths = [path for path in paths if posixpath.dirname(path) == folder]
        if len(paths) > _MOST_SOURCES:
            return ()
        return tuple(
            one._replace(level=OF_FOLDER, of=f"{path}, which imports it")
            for path in paths
            for one in self._files.of(path)
            if one.level == OWN
        )

    def _looking(self, file: str, files: tuple[str, ...]) -> list[Named]:
        """The tests of files that look at what changed."""
        rows = self._conn.execute(
            queries("find_similar_tests")["tests_of"], {"files": listed(files), "all": 0}
        )
        return [
            Named(row["id"], file, _WEIGHT / (1 + _ANOTHER * at), ("looks at such files",))
            for at, row in enumerate(rows)
        ]

    def _of(
        self, file: str, files: tuple[AlikeFile, ...], importers: Collection[str]
    ) -> list[Named]:
        if not files:
            return []
        sql = queries("find_similar_tests")["tests_of"]
        of = {"files": listed(tuple(one.path for one in files)), "all": 0}
        rows = self._conn.execute(sql, of).fetchall()
        words, changed, differing = self._words(file)
        # What its file is called so tells nothing of one of its tests.
        telling = [
            words.keys() - _bare(words_of(posixpath.basename(one.path), None)) for one in files
        ]
        tests = [(row["id"], row["at"], _among(telling[row["at"]], row["words"])) for row in rows]
        having = Counter(word for _, _, named in tests for word in named)
        worth = {
            word: (1.0 if word in changed else _OF_FILE_NAME) / (1 + math.log(1 + number))
            for word, number in having.items()
        }
        best = {
            level: max((one.rank for one in files if one.level == level), default=0.0)
            for level in (1, 2)
        }
        alike = self.alike(file) - set(importers)
        found = []
        of_file: dict[int, list[_Scored]] = {}
        for (test, at, named), row in zip(tests, rows, strict=True):
            score = sum(worth[word] for word in named)
            is_told = any(few <= frozenset(named) for few in differing)
            said = tuple(sorted(words[word] for word in named))
            # Of a name of fewer words each says more of what the test is about.
            length = len(row["words"].split()) if named else 0
            of_file.setdefault(at, []).append(
                _Scored(-round(score, 6), length, test, said, is_told)
            )
        # Of a file with just its name the best count as much where none has a word of what changed; but test_ops.py
        # is about more than torch/_ops.py.
        stem = _bare(stem_of(file))
        same = frozenset() if all(map(is_plain, stem)) else frozenset(
            at for at, one in enumerate(files)
            if one.level == OWN and _bare(stem_of(one.path)) == stem
        )  # fmt: skip
        highest = max((-one.negative for at in same for one in of_file.get(at, ())), default=1.0)
        for at, scored in of_file.items():
            one = files[at]
            scored.sort()
            base = _WEIGHT * math.exp((one.rank - best[one.level]) / _RANKS)
            base = max(base, _WEIGHT * _OF_FOLDER) if one.level == OWN else base * _OF_FOLDER
            why = "its file is called like it" if one.level == OWN else f"in tests of {one.of}"
            if one.level != OWN and one.path in importers:
                why = "its file imports it"
            for place, (negative, _, test, named_like, is_told) in enumerate(scored):
                most = min(1.0, highest) if at in same else 1.0
                told = (1 - _NAMED * negative) / (1 + _NAMED * most)
                weight = base / (1 + _ANOTHER * place) * told
                reasons = (why, f"named like {' '.join(named_like)}") if named_like else (why,)
                is_own, is_alike = one.level == OWN, one.path in alike
                found.append(Named(test, file, weight, reasons, is_own, is_alike, is_told=is_told))
        found.sort(key=lambda named: (-round(named.weight, 9), named.test))
        return found

    def _names(self, file: str) -> list[list[str]]:
        """What changed in a file: the names with what is before them, a class or a module, but no namespace of C++."""
        seeds = [
            one for one in self._changes.seeds.values()
            if file in (one.place.file, one.at) and one.node.kind != "test"
        ]  # fmt: skip
        pairs = [_PARTS.split(seed.node.name)[-2:] for seed in seeds[:_MOST_SEEDS]]
        return [
            pair if file.endswith(".py") or not pair[0].islower() else pair[1:] or pair
            for pair in pairs
        ]

    def _words(self, file: str) -> tuple[dict[str, str], frozenset[str], list[frozenset[str]]]:
        """Words of the file's name and of what changed in it, with its class, by themselves without endings; and
        which of them are of what changed, and of each name that differs from those beside it.

        Left out is what most classes beside it have as well.
        """
        names = self._names(file)
        common = _common(self._conn, file) if file.endswith(".py") else _NOTHING
        told = _telling(
            [" ".join(name for name in pair if name not in common.methods) for pair in names],
            common,
        )
        stem = _telling(stem_of(file), common)
        differing = [] if common is _NOTHING else [
            frozenset(_telling((name,), common))
            for pair in names for name in pair if name not in common.methods
        ]  # fmt: skip
        changed = frozenset(told.keys() - stem.keys() or told)
        return {**stem, **told}, changed, [few for few in differing if few]


def _telling(texts: Iterable[str], common: _Common) -> dict[str, str]:
    words = dict.fromkeys(word for text in texts for word in words_of(text, None))
    return {
        ENDING.sub("", word): word
        for word in words
        if len(word) > _SHORT and word not in common.words
    }


def _among(wanted: Collection[str], words: str) -> Collection[str]:
    """Which of some words without endings are among others."""
    if not any(word in words for word in wanted):
        return ()
    return _bare(words.split()).intersection(wanted)


def _bare(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(_without_ending, words))


@functools.lru_cache(maxsize=16_384)
def _without_ending(word: str) -> str:
    return ENDING.sub("", word)


class _Common(NamedTuple):
    """What says little of one class of a folder: `Variable` and `call_method` in torch/_dynamo/variables/.

    Args:
        words: of the names of very many classes.
        methods: that very many define.
    """

    words: frozenset[str]
    methods: frozenset[str]


_NOTHING = _Common(frozenset(), frozenset())


def _common(conn: sqlite3.Connection, file: str) -> _Common:
    classes: dict[str, set[str]] = {}
    of = {"folder": f"{posixpath.dirname(file)}/"}
    for row in conn.execute(queries("find_similar_tests")["methods_of_folder"], of):
        classes.setdefault(row["class"], set()).add(row["method"])
    if len(classes) < _MANY:
        return _NOTHING
    words = Counter(word for name in classes for word in words_of(name, None))
    methods = Counter(method for own in classes.values() for method in own)
    return _Common(*(
        frozenset(one for one, number in counts.items() if number * _MANY > len(classes))
        for counts in (words, methods)
    ))  # fmt: skip
