"""The methods that a name may mean are those whose name it is, each once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.names.methods_called import methods_called

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: reed(Tensor self) -> Tensor\n",
    "torch/loom.py": """\
class Loom:
    def weave(self): pass
    def unweave(self): pass
    class Beam:
        def weave(self): pass
def weave(): pass
""",
    "torch/frame.py": "class Loom:\n    def weave(self): pass\n    def weave_twice(self): pass\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("methods")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("weave", ("Loom.Beam.weave", "Loom.weave")),
        ("unweave", ("Loom.unweave",)),
        ("weav", ()),
        ("", ()),
    ],
)
def test_methods_are_found_by_their_whole_name(
    conn: sqlite3.Connection, name: str, methods: tuple[str, ...]
) -> None:
    assert methods_called(conn, name) == methods
