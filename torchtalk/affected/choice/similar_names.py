"""Test files that are called like a file that changed, or like the folder it stands in.

What a compiler does with a program, or a process with what another sends, is no call: the graph leads from
torch/_dynamo/symbolic_convert.py to few tests, though whoever changes it runs test/dynamo/. PyTorch's own CI chooses so
too (tools/testing/target_determination/heuristics/filepath.py compares the words of paths).
"""

from __future__ import annotations

import functools
import math
import posixpath
import sqlite3
from collections import Counter
from collections.abc import Collection
from itertools import chain
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.choice.sources_of_tests import C_FAMILY, Sources
from torchtalk.affected.path_words import bare, folders_of, is_plain, stem_of
from torchtalk.kept import once

OWN = 2
"""The test's file is called like the one that changed."""

OF_FOLDER = 1
"""It is called like the folder, or stands in one that is."""

# What has as many words for its name, and no others, is about the file wherever it stands.
_SAME = 2
_BEGINNING = 4
# Of tests of a folder the files with more tests are mostly the more general ones.
_SIZE = 0.5
_OTHER_WORD = 0.3
_OTHER_FOLDER = 0.5
# Few build and run the C++ tests.
_GTEST = 1.0
# What has so little in common stands in a folder that is called so for another reason: examples, tools.
_LEAST = -2.0
# What is called like the file counts as its own beside a folder's tests that are not twice as much about it.
_ABOVE = 2.0
_BOTH = frozenset(("api", "core", "util"))
_SHARED = 3.0
# What is called like the file in another part of PyTorch.
_FARTHER = 1.0
_BACKENDS = ("cuda",)
_NATIVE = "/native/"
# What builds and checks PyTorch has tests of its own beside it (`python -m unittest discover -s tools/test`).
_TOOLS = "tools/"


class AlikeFile(NamedTuple):
    """A file with tests whose path tells that it is about what changed.

    Args:
        path: of the tests.
        level: `OWN` or `OF_FOLDER`.
        rank: the more, the rather.
        of: the folder that it is called like, or the file that changed.
    """

    path: str
    level: int
    rank: float
    of: str


class _Words(NamedTuple):
    stem: frozenset[str]
    bare: frozenset[str]
    folders: tuple[str, ...]
    others: frozenset[str]
    tests: int = 0


class AlikeFiles:
    """Looks for them.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._sources = Sources(conn)
        self._tests, self._files = once(conn, _read)
        self._found: dict[str, tuple[AlikeFile, ...]] = {}

    def of(self, changed: str) -> tuple[AlikeFile, ...]:
        """The files for one that changed, those that are called like it first, the best of each kind first.

        Args:
            changed: its path.
        """
        if changed not in self._found:
            self._found[changed] = self._of(changed)
        return self._found[changed]

    def of_folder(self, changed: str) -> tuple[str, ...]:
        """The files that are called like the innermost folder with such: test/test_masked.py for torch/masked/_ops.py.

        A device alone tells it of the code that is the device's own: c10/xpu/, not the kernels in ATen/native/cuda/.

        Args:
            changed: path of the one that changed.
        """
        folders = folders_of(changed)
        if not folders and _NATIVE not in changed:
            folders = _telling(changed)
        for folder in reversed(folders):
            found = tuple(
                path for path, words in self._tests.items()
                if words.stem == _parts(folder) and set(words.folders) <= set(folders)
                and not (changed.endswith(".py") and C_FAMILY.search(path))
                # test/test_fx_passes.py is about torch/fx/passes/, not torch/_inductor/fx_passes/.
                and (words.stem == {folder} or any(one.path == path for one in self.of(changed)))
            )  # fmt: skip
            if found:
                return found
        return ()

    def _of(self, changed: str) -> tuple[AlikeFile, ...]:
        if changed in self._tests:
            return ()
        words_of_it = stem_of(changed)
        stem = frozenset(word for word in words_of_it if not is_plain(word)) or frozenset(
            words_of_it
        )
        folders = _telling(changed)
        # Whoever changes Python runs no C++ tests for it.
        paths = {
            path: words for path, words in self._tests.items()
            if not (changed.endswith(".py") and C_FAMILY.search(path))
            and not (changed.startswith("torch/") and path.startswith(_TOOLS))
        }  # fmt: skip
        others = _others(changed)
        here = self._of_folders(changed, paths, stem, folders)
        ends = {bare(word) for word in stem}
        # A word that says nothing alone may be one of a name.
        all_ends = ends | {bare(word) for word in (*folders, *words_of_it)}
        whole = tuple(map(bare, words_of_it))
        own: list[AlikeFile] = []
        elsewhere: dict[str, AlikeFile] = {}
        best = max((one.rank for one in here.values()), default=0.0)
        for path, words in paths.items():
            if words.bare.isdisjoint(ends) or not words.bare <= all_ends:
                continue
            one = self._own(changed, path, words, stem, folders)
            if one is None:
                continue
            is_called_so = tuple(map(bare, stem_of(path))) == whole
            is_at_top = words.folders == () and not all(map(is_plain, whole))
            # test/test_proxy_tensor.py imports torch/fx/experimental/proxy_tensor.py, whatever tests fx has besides.
            if is_called_so and (
                len(whole) > _SAME or (is_at_top and self._sources.uses(path, changed))
            ):
                own.append(one)
                continue
            if self._sources.is_of_another_part(path, changed):
                # Of several words the name may still be no chance: those of the folder come first.
                if words.bare == ends and len(ends) >= _SAME:
                    last = min((other.rank for other in here.values()), default=_FARTHER) - _FARTHER
                    called = " ".join(stem_of(path))
                    elsewhere[path] = AlikeFile(path, OF_FOLDER, last, called)
                continue
            if (
                here and changed.startswith("torch/_") and path not in here
                and words.folders and len(words.bare) < _SAME
                and not any(part.startswith(folders) for part in words.folders)
            ):  # fmt: skip
                # torch/_inductor/fx_passes/quantization.py is not what test/quantization/…/test_quantizer.py is about.
                continue
            if (
                here and (folders or all(map(is_plain, stem))) and path not in here
                and not _is_of_its_part(words, stem, others)
                and (words.folders == () or _ABOVE * one.rank < best)
            ):  # fmt: skip
                # Where the folder has tests, what has nothing of it is another's: test_optim.py, fsdp/_optim_utils.py.
                # torch/utils/ says nothing: test_utils.py is about no file there that has tests of its own.
                if not set(words.folders).isdisjoint(stem):
                    here[path] = one._replace(level=OF_FOLDER, of=" ".join(sorted(words.stem)))
                continue
            own.append(one)
        known = {one.path for one in own}
        rest = [one for one in (here | elsewhere).values() if one.path not in known]
        return (*sorted(own, key=_order), *sorted(rest, key=_order))

    def _of_folders(
        self, changed: str, paths: dict[str, _Words], stem: frozenset[str], folders: tuple[str, ...]
    ) -> dict[str, AlikeFile]:
        others = _others(changed)
        for is_of in (_is_of, _is_akin_to, _begins_like):
            found: dict[str, AlikeFile] = {}
            for folder in folders:
                about = stem | (set(folders) - {folder})
                for path, words in paths.items():
                    if is_of(folder, words, folders):
                        rank = self._rank(words, about, folder, path)
                        rank += _SHARED * (not words.others.isdisjoint(others))
                        if rank > max(_LEAST, found[path].rank if path in found else _LEAST):
                            found[path] = AlikeFile(path, OF_FOLDER, rank, folder)
                if found and changed.startswith("torch/_"):
                    # torch/_inductor/codegen/ is about what test/inductor/ is, not tools/test/test_codegen.py.
                    break
            if found:
                return found
        # A folder that says little still has what is called as it is: test/test_testing.py for torch/testing/. The
        # outermost one says nothing.
        above, folder = posixpath.split(posixpath.dirname(changed))
        if folders or not above or not changed.endswith(".py"):
            return {}
        return {
            path: AlikeFile(path, OF_FOLDER, self._rank(words, stem, folder, path), folder)
            for path, words in paths.items()
            if words.stem == _parts(folder) and not words.folders
        }

    def _own(
        self, changed: str, path: str, words: _Words, stem: frozenset[str], folders: tuple[str, ...]
    ) -> AlikeFile | None:
        """A file all of whose name's words are those of the changed file's path, one at least of its name's.

        That they are is known.
        """
        if self._sources.is_of_another_library(path, changed):
            return None
        all_words = stem | set(folders)
        is_same = len(words.bare) >= _SAME and words.bare == frozenset(map(bare, stem))
        is_near = is_same or any(word in all_words for word in words.folders)
        if words.folders and not is_near:
            return None
        if (
            changed.endswith(".py")
            and (len(words.bare) < _SAME or words.bare != frozenset(map(bare, stem_of(changed))))
            and not all_words.issuperset(words.folders)
            and not self._sources.within(path, words.folders) <= {changed}
        ):
            return None
        if all(is_plain(word) and word not in _BACKENDS for word in words.stem) and (
            not set(folders).issuperset(words.folders)
            or not (changed.endswith(".py") or C_FAMILY.search(path))
        ):
            # Others are called api.py or utils.cpp, too: of its part alone, and in its language.
            return None
        told = sum(self._tells(word) for word in words.stem)
        missed = sum(self._tells(word) for word in stem if bare(word) not in words.bare)
        if missed > told and not is_near and words.stem.isdisjoint(folders):
            # test/test_nn.py is about more than each file with nn in its name.
            return None
        rank = told - _OTHER_WORD * missed - (C_FAMILY.search(path) is not None) * _GTEST
        return AlikeFile(path, OWN, rank, changed)

    def _rank(self, words: _Words, about: Collection[str], folder: str, path: str) -> float:
        ends = {bare(word) for word in about}
        for other in about:
            # test_fully_shard_init.py is about fsdp/_fully_shard/, test/distributed/_shard/ is not.
            parts = frozenset(map(bare, other.split("_")))
            if len(parts) > 1 and parts <= words.bare:
                ends |= parts
        rank = (
            _SIZE * (math.log(1 + words.tests) + self._tells_of_folder(folder))
            - (C_FAMILY.search(path) is not None) * _GTEST
        )
        for of, less in ((words.stem, _OTHER_WORD), (words.folders, _OTHER_FOLDER)):
            for word in of:
                if word != folder and word not in _parts(folder):
                    tells = self._tells(word)
                    rank += tells if bare(word) in ends else -less * tells
        return rank

    def _tells_of_folder(self, folder: str) -> float:
        """The same of a folder's name; one of several words that is no folder of tests tells what these do."""
        of_words = (self._tells(part) for part in _parts(folder))
        return self._tells(folder) if self._files[folder] else sum(of_words)

    def _tells(self, word: str) -> float:
        """A word that few paths have tells more than one of many, or than one that none has."""
        tells = math.log((len(self._tests) + 1) / (self._files[word] + 1))
        return tells if self._files[word] else tells / 2


def _read(conn: sqlite3.Connection) -> tuple[dict[str, _Words], Counter[str]]:
    """The words of the paths of test files, and how many of these have each."""
    words = {
        row["path"]: _words(row["path"])._replace(tests=row["tests"])
        for row in conn.execute(queries("places")["test_counts"])
    }
    return words, Counter(
        chain.from_iterable(chain(one.stem, one.folders) for one in words.values())
    )


def _order(one: AlikeFile) -> tuple[float, str]:
    return -one.rank, one.path


def _telling(path: str) -> tuple[str, ...]:
    """The folders of a file that say what it is about, those that say most first."""
    folders = folders_of(path)
    if folders:
        # torch/_inductor/codegen/ is tested in test/inductor/, torch/csrc/distributed/c10d/ by what is called c10d.
        return folders if path.startswith("torch/_") else tuple(reversed(folders))
    # Of what has no other folder the backend tells more than nothing: c10/cuda/, torch/cuda/. What stands in
    # ATen/native/cuda/ are operators' kernels, which test_cuda.py is not about.
    if _NATIVE in path:
        return ()
    return tuple(part for part in posixpath.dirname(path).split("/") if part in _BACKENDS)[-1:]


def _is_of(folder: str, words: _Words, folders: tuple[str, ...]) -> bool:
    """Whether tests stand in a folder of this name, or their file has it in its own in a folder that fits."""
    if folder in words.folders:
        return True
    return _parts(folder) <= words.stem and all(other in folders for other in words.folders)


@functools.lru_cache(maxsize=1_024)
def _parts(folder: str) -> frozenset[str]:
    """The words of a folder's name: test/test_expanded_weights.py is there for torch/nn/utils/_expanded_weights/."""
    return frozenset(part for part in folder.split("_") if part)


def _is_akin_to(folder: str, words: _Words, _: tuple[str, ...]) -> bool:
    """The same with another ending: test/quantization/ for aten/src/ATen/native/quantized/."""
    of_folder = bare(folder)
    return any(bare(other) == of_folder for other in words.folders) or words.stem == {of_folder}


def _begins_like(folder: str, words: _Words, _: tuple[str, ...]) -> bool:
    """Whether their file's name begins so: test/test_dataloader.py for torch/utils/data/."""
    if words.folders or len(folder) < _BEGINNING:
        return False
    return any(word.startswith(folder) for word in words.stem)


def _is_of_its_part(words: _Words, stem: frozenset[str], others: frozenset[str]) -> bool:
    """Whether tests are called just like a file in a folder that says nothing alone, which they are in, too.

    test/cpp/api/rnn.cpp is about torch/csrc/api/src/nn/modules/rnn.cpp, whatever tests the folders have.
    """
    return not words.others.isdisjoint(others) and words.bare == frozenset(map(bare, stem))


def _others(path: str) -> frozenset[str]:
    """Folders that say nothing alone, and something where both have them: torch/csrc/api/, test/cpp/api/."""
    return _BOTH.intersection(posixpath.dirname(path).split("/"))


@functools.lru_cache(maxsize=8_192)
def _words(path: str) -> _Words:
    stem = frozenset(stem_of(path))
    return _Words(stem, frozenset(map(bare, stem)), folders_of(path), _others(path))
