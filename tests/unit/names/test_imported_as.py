"""Names behind what the tree's own files import a module as: `dist.barrier`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.names_tree import FILES, YAML
from tests.unit.support.small_tree import indexed
from torchtalk.names import resolve

_DIST = """\

- func: dist(Tensor self, Tensor other) -> Tensor
- func: dist.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
"""
_GROUP = "from torch.distributed import Group as Gr\n"
_SOURCES = {
    YAML: FILES[YAML] + _DIST,
    "torch/__init__.py": "",
    "torch/distributed/__init__.py": "def barrier(): ...\ndef out(): ...\nclass Group:\n    def join(self): ...\n"
    "class _Heir(Group): ...\n",
    "torch/rare/__init__.py": "def seldom(): ...\n",
    "torch/_inside.py": "class Gr: ...\n",
    "test/rings/__init__.py": "",
    "test/rings/loops.py": "",
    "torch/one.py": f"import torch.distributed as dist\nimport torch.rare as rr\n{_GROUP}",
    "torch/two.py": f"from torch import distributed as dist\nimport torch.rare as rr\n{_GROUP}",
    "test/test_three.py": f"import torch.distributed as dist\n{_GROUP}",
    "test/test_four.py": "import torch.rare as dist\nimport test.rings as loops\n",
    # Each stands in for the other without end.
    **{
        f"test/rings/{n}.py": "import test.rings.loops as test\nimport test.rings as loops\n"
        for n in "abc"
    },
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed({**FILES, **_SOURCES}, tmp_path_factory.mktemp("as")) as connection:
        yield connection


def test_a_module_goes_by_what_files_import_it_as(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "dist.barrier")
    assert found.target is not None
    assert found.target.name == "torch.distributed.barrier"
    assert found.query == "dist.barrier"
    assert found.notes == ("dist is what files of the tree import torch.distributed as",)
    answer = ask(conn, "trace_module", name="dist.Group")
    assert answer.name == "torch.distributed.Group"
    assert answer.notes[0] == found.notes[0]


def test_so_does_a_class_before_one_of_a_private_module(conn: sqlite3.Connection) -> None:
    for text, name in (
        ("Gr", "torch.distributed.Group"),
        ("Gr.join", "torch.distributed.Group.join"),
    ):
        target = resolve(conn, text).target
        assert target is not None
        assert target.name == name
    answer = ask(conn, "trace_module", name="Gr")
    assert answer.name == "torch.distributed.Group"
    assert "also of this name: torch._inside.Gr" in answer.notes
    told = "Gr is what files of the tree import torch.distributed.Group as"
    assert told in ask(conn, "search", query="Gr").notes
    assert not [n for n in ask(conn, "search", query="dist.barrier").notes if "import" in n]


def test_a_class_has_what_it_inherits_by_its_last_part_alone(conn: sqlite3.Connection) -> None:
    for text in ("_Heir.join", "distributed._Heir.join", "distributed.Group.join"):
        target = resolve(conn, text).target
        assert target is not None
        assert target.name == "torch.distributed.Group.join"
    assert resolve(conn, "_Heir.nothing").target is None


def test_what_has_the_name_itself_and_what_nothing_has_are_as_they_were(
    conn: sqlite3.Connection,
) -> None:
    exact = resolve(conn, "dist.out").target
    assert exact is not None
    assert exact.name == "aten::dist.out"
    assert resolve(conn, "dist.Tensor").candidates == ("aten::dist", "aten::dist.out")
    misspelt = resolve(conn, "dist.barier")
    assert not misspelt.candidates
    assert misspelt.closest[0] == "torch.distributed.barrier"
    assert resolve(conn, "loops.a.b").target is resolve(conn, "test.a.b").target is None
    # Two files are too few to tell.
    assert resolve(conn, "rr.seldom").target is None
