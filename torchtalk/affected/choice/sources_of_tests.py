"""The source that a file of tests was written for, where its place tells: it is not about namesakes elsewhere."""

from __future__ import annotations

import posixpath
import re
import sqlite3

from torchtalk.affected import queries
from torchtalk.affected.path_words import folders_of, stem_of

C_FAMILY = re.compile(r"\.(?:c|cc|cpp|cu|mm)$")
"""Tests in C++, by their paths."""

# What all parts' tests are made of.
_FOR_ALL = "torch/testing/"
# Folders of what users import as torch.
_OF_TORCH = frozenset(("torch", "aten", "c10"))
_TORCH = re.compile(r"torch\b")
_OF_TESTS = re.compile(r"^test_|_test$")


class Sources:
    """Looks for them.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._within: dict[str, frozenset[str]] = {}
        self._beside: dict[str, bool] = {}
        self._imported: dict[str, tuple[str, ...]] = {}

    def within(self, path: str, folders: tuple[str, ...]) -> frozenset[str]:
        """The Python sources below torch/ that have a test file's name and its very folders.

        test/distributed/elastic/utils/distributed_test.py is about torch/distributed/elastic/utils/distributed.py, and
        neither about torch/distributed/distributed_c10d.py nor about torch/utils/data/distributed.py.

        Args:
            path: of the tests.
            folders: of these (`folders_of`).
        """
        known = self._within.get(path)
        if known is None:
            rows = self._called(f"torch/*/{_tested(path)}.py")
            known = self._within[path] = frozenset(
                row["path"] for row in rows if folders_of(row["path"]) == folders
            )
        return known

    def is_of_another_part(self, path: str, changed: str) -> bool:
        """Whether tests in Python have nothing of a changed file's part of PyTorch: neither its folders nor uses of it.

        test/quantization/bc/test_backward_compatibility.py is not about torch/utils/data/backward_compatibility.py;
        test/inductor/test_auto_functionalize.py imports torch/_higher_order_ops/auto_functionalize.py.

        Args:
            path: of the tests.
            changed: path of the file that changed.
        """
        folders = folders_of(path)
        if not folders or not path.endswith(".py") or not changed.endswith(".py"):
            return False
        if changed.startswith(_FOR_ALL):
            return False
        own = folders_of(changed)
        if not set(own).isdisjoint((*folders, *stem_of(path))):
            return False
        parts = _module(changed).split(".")
        # All tests import torch.
        package = ".".join(parts[: max(2, len(parts) - 1)])
        return not (self._uses(path, package) or self._uses(path, ".".join(parts)))

    def uses(self, path: str, changed: str) -> bool:
        """Whether tests import a changed file of Python, or names from it, or call what it defines in full.

        Args:
            path: of the tests.
            changed: path of the file that changed.
        """
        return changed.endswith(".py") and self._uses(path, _module(changed))

    def _uses(self, path: str, module: str) -> bool:
        above, _, name = module.rpartition(".")
        return any(
            target in (module, f"{above}:{name}") or target.startswith((f"{module}.", f"{module}:"))
            for target in self._imports(path)
        )

    def _imports(self, path: str) -> tuple[str, ...]:
        if path not in self._imported:
            rows = self._conn.execute(queries("places")["imported"], {"path": path})
            self._imported[path] = tuple(row["target"] for row in rows)
        return self._imported[path]

    def is_of_another_library(self, path: str, changed: str) -> bool:
        """Whether tests in C++ stand beside a source of their name, in another library than what changed, or tests in
        Python import nothing of torch, which has what changed.

        caffe2/utils/math_test.cc is about caffe2/utils/math.h, and not about aten/src/ATen/native/Math.h. But
        aten/src/ATen/Scalar.h is only another way to c10/core/Scalar.h. No test of caffe2/python/operator_test/ is
        about torch/csrc/lazy/core/shape_inference.cpp.

        Args:
            path: of the tests.
            changed: path of the file that changed.
        """
        library = changed.split("/", 1)[0]
        if path.split("/", 1)[0] == library:
            return False
        if not C_FAMILY.search(path):
            is_apart = library in _OF_TORCH and not path.startswith("test/")
            return is_apart and not any(map(_TORCH.match, self._imports(path)))
        name = _tested(path)
        if name == posixpath.splitext(posixpath.basename(changed))[0]:
            return False
        known = self._beside.get(path)
        if known is None:
            folder = "/".join(part for part in posixpath.dirname(path).split("/") if part != "test")
            known = self._beside[path] = bool(self._called(f"{folder}/{name}.*"))
        return known

    def _called(self, form: str) -> list[sqlite3.Row]:
        return self._conn.execute(queries("places")["sources_called"], {"form": form}).fetchall()


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _tested(path: str) -> str:
    """What the source of a test file would be called: `Scalar` for c10/test/core/Scalar_test.cpp."""
    return _OF_TESTS.sub("", posixpath.splitext(posixpath.basename(path))[0])
