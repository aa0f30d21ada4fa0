"""Tests at home where something changed: those whose file or folder is called like its file or folder.

torch/serialization.py has test/test_serialization.py, torch/_dynamo/ has test/dynamo/, aten/src/ATen/native/mps/ has
test/test_mps.py, c10/util/SmallVector.h has c10/test/util/small_vector_test.cpp. Of tests that a change reaches in
ways as good as each other, these are looked at first by who makes it.
"""

from __future__ import annotations

import posixpath
import sqlite3
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.graph.nodes import Node, place_of
from torchtalk.affected.path_words import PLAIN, is_plain, stem_of
from torchtalk.graph.nodes import tuples
from torchtalk.kept import once
from torchtalk.testing.words import ENDING

OF_FILE = 2.0
OF_NEAR = 1.6
OF_FOLDERS = 1.5
OF_FOLDER = 1.3
OF_WAY = 1.7
NONE = 1.0

_RARE = 3
_BACKENDS = frozenset(("cuda",))


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


class _Name(NamedTuple):
    stem: tuple[str, ...]
    folders: frozenset[str]


class Homes:
    """How near tests stand to files that changed.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._names: dict[str, _Name] = {}
        self._ends: dict[str, frozenset[str]] = {}
        self._near: dict[tuple[str, str], float] = {}
        self._paths: dict[Node, str] = {}

    def factor(self, changed: str, test: str) -> float:
        """`OF_FILE`, `OF_NEAR`, `OF_FOLDERS`, `OF_FOLDER` or `NONE`.

        Near is a file whose name has more words. Folders may be called like all of the changed file's, or like one.

        Args:
            changed: path of a file that changed.
            test: path of a test's file.
        """
        key = (changed, test)
        if key not in self._near:
            self._near[key] = self._factor(changed, test)
        return self._near[key]

    def is_elsewhere(self, changed: str, test: str) -> bool:
        """Whether a test stands in a folder of another part of PyTorch, where the changed file's own part has tests.

        test/inductor/ compiles what torch/export/ makes as well, but test/export/ is there for it.

        Args:
            changed: path of a file that changed.
            test: path of a test's file.
        """
        at, of = self.ends(changed), self.ends(test)
        return bool(of) and at.isdisjoint(of) and not at.isdisjoint(once(self._conn, _parts))

    def ends(self, path: str) -> frozenset[str]:
        """The folders of a file without endings: quantized, quantization.

        Args:
            path: of the file.
        """
        if path not in self._ends:
            # Every other part of PyTorch has something for a device.
            folders = self._name(path).folders - _BACKENDS
            self._ends[path] = frozenset(ENDING.sub("", folder) for folder in folders)
        return self._ends[path]

    def on_the_way(self, way: Iterable[Node], test: str) -> str:
        """The file of the last thing on a way to a test that the test's file is called like, or nothing.

        torch/utils/data/_utils/worker.py is run by torch/utils/data/dataloader.py, which test/test_dataloader.py tests.

        Args:
            way: from what changed to the test.
            test: path of the test's file.
        """
        for node in reversed(tuple(way)):
            path = self.path_of(node)
            if path and path != test and self.factor(path, test) == OF_FILE:
                return path
        return ""

    def path_of(self, node: Node) -> str:
        """Where a function or class stands; nothing of what is no code, nor of what tests are made of.

        Args:
            node: of the graph.
        """
        if node not in self._paths:
            path = place_of(self._conn, node)
            # What tests themselves are made of says nothing of what they test.
            self._paths[node] = "" if path.startswith(("test/", "torch/testing/")) else path
        return self._paths[node]

    def _factor(self, changed: str, test: str) -> float:
        if changed.endswith(".yaml"):
            # Entries are each about their own operator: test/test_native_functions.py is there for none of them.
            return NONE
        at, of = self._name(changed), self._name(test)
        shared = not at.folders.isdisjoint(of.folders)
        says = not all(map(is_plain, at.stem)) and self.is_rare(changed)
        # test/test_ops.py is about no file that is called _ops.py.
        if at.stem and at.stem == of.stem and (shared or says):
            return OF_FILE
        stem = frozenset(map(_singular, at.stem))
        tells = (shared or len(stem) > 1) and not all(map(is_plain, at.stem))
        if tells and stem < frozenset(map(_singular, of.stem)):
            return OF_NEAR
        is_of_folder = "_".join(of.stem) in at.folders
        # test/test_autograd.py is there for torch/csrc/autograd/, as a folder would be.
        if (len(at.folders) > 1 and at.folders <= of.folders) or (is_of_folder and not of.folders):
            return OF_FOLDERS
        return OF_FOLDER if shared or is_of_folder else NONE

    def _name(self, path: str) -> _Name:
        if path not in self._names:
            parts = [part.strip("_").lower() for part in posixpath.dirname(path).split("/")]
            folders = frozenset(parts) - PLAIN
            if not folders and "native" not in parts:
                # Of c10/cuda/ and torch/cuda/ nothing else tells; what stands in ATen/native/cuda/ are operators.
                folders = _BACKENDS.intersection(parts)
            self._names[path] = _Name(stem_of(path), folders)
        return self._names[path]

    def is_rare(self, path: str) -> bool:
        """Whether few files are called so: utils.py says nothing of what it is for.

        Args:
            path: of one of them.
        """
        return once(self._conn, _called_so)[posixpath.basename(path)] <= _RARE


def _called_so(conn: sqlite3.Connection) -> Counter[str]:
    """How many files have each name."""
    rows = tuples(conn).execute(queries("places")["besides_tests"])
    return Counter(path.rpartition("/")[2] for (path,) in rows)


def _parts(conn: sqlite3.Connection) -> frozenset[str]:
    """The folders of tests, without endings."""
    homes = Homes(conn)
    rows = tuples(conn).execute(queries("places")["test_counts"])
    # Most files stand in a folder with others.
    folders = {posixpath.dirname(path) for path, _ in rows}
    return frozenset(chain.from_iterable(homes.ends(f"{folder}/") for folder in folders))
