"""Tests that have nothing to do with torch are none of an operator's, whatever they call on a value or are called."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from indexer.link.tests.without_torch import files_without_torch, gtest_files_without_operators
from tests.unit.support.small_tree import indexed

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: split(Tensor self) -> Tensor\n  variants: function, method\n"
    ),
    "torch/__init__.py": "from torch._C._VariableFunctions import *\n",
    "tools/names.py": "def parts(text):\n    return text.split(',')\n",
    "tools/test/test_names.py": (
        "import numpy\nfrom tools.names import parts\nfrom torchgen.model import Name\n\n"
        "def test_split():\n    assert parts('a,b') == 'a,b'.split(',')\n"
    ),
    "test/test_helpers.py": "import torch\n\ndef made():\n    return torch.ones(2)\n",
    "test/test_beside.py": "from test_helpers import made\n\ndef test_split():\n    made().split(1)\n",
    "test/test_far.py": "from test.other import more\n\ndef test_split():\n    more().split(1)\n",
    "test/other.py": "from test_helpers import made as more\n",
    "test/test_inside.py": "def test_split():\n    import torch\n    torch.split(torch.ones(2), 1)\n",
    "aten/src/ATen/test/vectors.cpp": "TEST(Vectors, k_split_4) { run(4); }\n",
    "aten/src/ATen/test/splits.cpp": (
        "void run(at::Tensor t) { at::split(t); }\nTEST(Splits, split) { run(at::Tensor()); }\n"
    ),
    "test/test_itself.py": "import torch.nn as nn\n\ndef test_split(x=None):\n    x.split(1)\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module")) as conn:
        yield conn


def test_files_whose_imports_lead_to_no_torch(conn: sqlite3.Connection) -> None:
    paths = dict(conn.execute("SELECT id, path FROM source_files"))
    assert {paths[file_id] for file_id in files_without_torch(conn)} == {"tools/test/test_names.py"}


def test_files_in_cpp_that_call_no_operator(conn: sqlite3.Connection) -> None:
    paths = dict(conn.execute("SELECT id, path FROM source_files"))
    found = {paths[file_id] for file_id in gtest_files_without_operators(conn)}
    assert found == {"aten/src/ATen/test/vectors.cpp"}
    assert conn.execute("SELECT count(*) FROM tests WHERE kind = 'gtest'").fetchone()[0] == 2


def test_their_tests_are_no_operators(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT DISTINCT f.path FROM test_operators AS x JOIN tests AS t ON t.id = x.test_id"
        " JOIN source_files AS f ON f.id = t.file_id WHERE x.base = 'split' ORDER BY f.path"
    )
    assert [path for (path,) in rows] == [
        "aten/src/ATen/test/splits.cpp",
        "test/test_beside.py",
        "test/test_far.py",
        "test/test_inside.py",
        "test/test_itself.py",
    ]
