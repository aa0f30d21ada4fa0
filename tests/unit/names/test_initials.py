"""Names that people write by their initials: sdpa."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.names.closest import closest
from torchtalk.names.initials import classes_with_initials, with_initials
from torchtalk.tools import all_tools

YAML = "aten/src/ATen/native/native_functions.yaml"


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    operators = (
        "- func: woven_thread_count(Tensor self) -> Tensor\n"
        "- func: woven_thread_count.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n"
        "- func: _woven_thread_count_fast(Tensor self) -> Tensor\n"
        "  dispatch:\n    CUDA: fast_cuda\n"
        "- func: wtf(Tensor self) -> Tensor\n- func: wrap_to_floor(Tensor self) -> Tensor\n"
    )
    root = tmp_path_factory.mktemp("initials")
    kernel = (
        "namespace at::native {\nTensor woven_thread_count(const Tensor& self) {\n"
        "  return at::_woven_thread_count_fast(self);\n}\n}\n"
    )
    with indexed({YAML: operators, "aten/src/ATen/native/Woven.cpp": kernel}, root) as found:
        yield found


def test_operators_with_a_word_for_each_letter(conn: sqlite3.Connection) -> None:
    assert with_initials(conn, "WTC") == ("aten::woven_thread_count",)
    assert with_initials(conn, "wt") == with_initials(conn, "w%c") == ()
    assert closest(conn, "wtc")[0] == "aten::woven_thread_count"


def test_classes_by_the_capitals_of_their_names(tmp_path: Path) -> None:
    files = {
        YAML: "- func: f(Tensor self) -> Tensor\n",
        "torch/__init__.py": "",
        "torch/shard/__init__.py": "from torch.shard._one import FinelyWovenDataThread, FinelyWoven\n"
        '__all__ = ["FinelyWovenDataThread", "FinelyWoven"]\n',
        "torch/shard/_one.py": "class FinelyWovenDataThread:\n    pass\nclass FinelyWoven:\n    pass\n",
    }
    with indexed(files, tmp_path) as found:
        assert classes_with_initials(found, "fwdt") == ("torch.shard.FinelyWovenDataThread",)
        assert classes_with_initials(found, "FW") == classes_with_initials(found, "fwd") == ()
        answer = all_tools()["trace_module"].ask(found, name="FWDT")
    assert not answer.found
    assert answer.closest[0] == "torch.shard.FinelyWovenDataThread"


def test_a_search_shows_them_where_no_word_fits(conn: sqlite3.Connection) -> None:
    search = all_tools()["search"]
    hits = search.ask(conn, query="wtc").hits
    assert [(hit.name, hit.why) for hit in hits] == [
        ("aten::woven_thread_count", "initials of its name")
    ]
    assert [hit.name for hit in search.ask(conn, query="wtf").hits] == ["aten::wtf"]


def test_with_a_backend_what_they_call_serves_it(conn: sqlite3.Connection) -> None:
    answer = all_tools()["search"].ask(conn, query="wtc", backend="cuda")
    assert [hit.name for hit in answer.hits] == ["aten::_woven_thread_count_fast"]
    assert answer.notes[0] == (
        "taken as aten::woven_thread_count, of whose name it has the initials"
    )


def test_nothing_for_a_backend_says_what_there_is_without(conn: sqlite3.Connection) -> None:
    answer = all_tools()["search"].ask(conn, query="floor", backend="cuda")
    assert not answer.found
    assert "without a backend there are 1 operator, 2 api, 1 kernel" in answer.notes
