"""What is said of an installed package, which has C++ headers and no C++ sources."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.render import to_text
from torchtalk.tools import all_tools


@pytest.fixture
def installed(conn: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    copy = sqlite3.connect(":memory:")
    copy.row_factory = sqlite3.Row
    conn.backup(copy)
    copy.execute("UPDATE meta SET value = 'installed' WHERE key = 'source_kind'")
    yield copy
    copy.close()


def test_launches_are_those_of_headers(
    conn: sqlite3.Connection, installed: sqlite3.Connection
) -> None:
    said = "it has no .cu or .cpp file"
    assert said in all_tools()["cuda_kernels"].ask(installed, name="softcap").notes[-1]
    assert not any(
        said in note for note in all_tools()["cuda_kernels"].ask(conn, name="softcap").notes
    )


def test_callers_are_those_of_headers(installed: sqlite3.Connection) -> None:
    notes = all_tools()["called_by"].ask(installed, name="softcap_stub").notes
    assert any("of C++ it has the headers alone" in note for note in notes)


@pytest.mark.parametrize("is_installed", [True, False])
def test_operators_of_cpp_are_called_in_an_installed_package(
    is_installed: bool, tmp_path: Path
) -> None:
    yaml = "torchgen/packaged/ATen/native" if is_installed else "aten/src/ATen/native"
    files = {
        f"{yaml}/native_functions.yaml": "- func: far(Tensor self) -> Tensor\n",
        f"{yaml}/tags.yaml": "- tag: core\n  desc: core\n",
        "torch/__init__.py": "",
        "torch/version.py": "__version__ = '2.9.0'\n",
        "torch/quant.py": "import torch\ndef linear(x):\n    torch.ops.load_library('a.so')\n"
        "    torch.ops.aten.far.nothing(x)\n    return torch.ops.quantized.linear(x)\n",
    }
    with indexed(files, tmp_path) as conn:
        found = all_tools()["calls"].ask(conn, name="torch.quant.linear")
        assert ("torch.ops.quantized.linear" in str(found)) == is_installed
        assert "load_library" not in str(found)
        assert "far.nothing" not in str(found)
        if not is_installed:
            return
        callers = to_text(all_tools()["called_by"].ask(conn, name="torch.ops.quantized.linear"))
        assert "torch.quant.linear (Python)  torch/quant.py:2  at torch/quant.py:5" in callers
        for tool in ("trace", "compile_path"):
            text = to_text(all_tools()[tool].ask(conn, name="torch.ops.quantized.linear"))
            assert "nothing in this index defines" in text


def test_kernels_without_a_place_say_why(
    conn: sqlite3.Connection, installed: sqlite3.Connection
) -> None:
    said = all_tools()["trace"].ask(conn, name="aten::softcap.int_out").notes
    assert "the tree has no definition of at::native::softcap_out" in said
    assert any(
        note.startswith("kernels of C++ stand here without a place")
        for note in all_tools()["trace"].ask(installed, name="aten::softcap.int_out").notes
    )
    assert not any(
        "definition" in note
        for note in all_tools()["trace"].ask(conn, name="aten::softcap.int").notes
    )


def test_what_composite_kernels_call_is_not_said_to_be_nothing(tmp_path: Path) -> None:
    yaml = "torchgen/packaged/ATen/native"
    files = {
        f"{yaml}/native_functions.yaml": "- func: far(Tensor self) -> Tensor\n"
        "- func: near(Tensor self) -> Tensor\n  dispatch:\n    CUDA: near_cuda\n",
        f"{yaml}/tags.yaml": "- tag: core\n  desc: core\n",
        "torch/__init__.py": "",
        "torch/version.py": "__version__ = '2.9.0'\n",
    }
    with indexed(files, tmp_path) as conn:
        notes = all_tools()["search"].ask(conn, query="far", backend="CUDA").notes
    assert notes[0].endswith(
        "(at::native::far), and what that calls an installed package does not have"
    )
