"""An index of a few Python sources in memory, for the tests of layer 4."""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from indexer import link
from indexer.extract import native_functions, python
from indexer.extract.python import documentation, native_bindings
from indexer.extract.python.local_classes import WITHIN
from indexer.facts.operators import Shortfall
from indexer.workers import WorkerPool
from indexer.write import files, operators
from indexer.write.python import write_python
from tests.unit.support.empty import empty_database

YAML = "aten/src/ATen/native/native_functions.yaml"


def index(sources: Mapping[str, str | bytes]) -> sqlite3.Connection:
    """Read, write and link some files.

    Args:
        sources: content by path; of YAML only native_functions.yaml.
    """
    conn = empty_database()
    conn.row_factory = sqlite3.Row
    for path, content in sorted(sources.items()):
        data = content.encode() if isinstance(content, str) else content
        file_id = files.write_file(conn, path, "python", len(data), "")
        if path == YAML:
            facts = list(native_functions.extract(path, data))
            operators.write_operators(conn, file_id, _only(facts))
            continue
        facts = _extract(path, data)
        files.write_coverage(conn, path, (f for f in facts if isinstance(f, Shortfall)))
        write_python(conn, file_id, _only(facts))
    with WorkerPool(0) as pool:
        for _, step in link.steps((50, 52)):
            step(conn, pool)
    assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
    return conn


def _only(facts: Iterable[Any]) -> list[Any]:
    return [fact for fact in facts if not isinstance(fact, Shortfall)]


def _extract(path: str, data: bytes) -> list[Any]:
    if path.endswith((".py", ".pyi")):
        return list(python.extract(path, data))
    module: Any = native_bindings if native_bindings.wants(path) else documentation
    return list(module.extract(path, data))


def tree(root: Path, *folders: str) -> dict[str, str | bytes]:
    """The Python files below some folders of a tree, and its native_functions.yaml."""
    found: dict[str, str | bytes] = {YAML: (root / YAML).read_bytes()}
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            found[path.relative_to(root).as_posix()] = path.read_bytes()
    return found


def read(text: str, path: str = "torch/example.py") -> Any:
    """The facts of one file, but for what is said of classes within functions."""
    facts = importlib.import_module("indexer.extract.python").extract(path, text.encode())
    (fact,) = (
        fact for fact in facts if not (isinstance(fact, Shortfall) and fact.detail.endswith(WITHIN))
    )
    return fact


def documented() -> sqlite3.Connection:
    """The fixture tree's Python, with a page of its documentation and a class that is called like another."""
    found = tree(Path(__file__).parents[3] / "fixtures/pytorch", "torch")
    found["docs/source/nn.rst"] = (
        "Caps\n----\n\n.. currentmodule:: torch\n\n.. autosummary::\n\n    nn.Cap\n    nn.CapPair\n"
    )
    found["torch/ao/cap.py"] = "from torch import nn\nclass Cap(nn.Cap):\n    pass\n"
    return index(found)
