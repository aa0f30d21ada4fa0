"""What is named where a name was typed with a slip."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.names import resolve
from torchtalk.names.closest import closest

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: concat(Tensor self) -> Tensor\n"
    "- func: concatenate.int(Tensor self, int dim) -> Tensor\n- func: ldexp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/Pattern.cpp": "namespace at::native {\nvoid activation(int x) {}\nvoid vacation(int x) {}\n}\n",
    "torch/__init__.py": "class TorchCat:\n    pass\n\ndef warp_decrement_of_all_the_nested_levels(x):\n    return x\n",
    "torch/nn/modules/concat.py": "class Concat:\n    pass\n",
    "torch/nn/__init__.py": "from .modules.concat import Concat\nclass Conv3d:\n    pass\nclass ConvBn3d:\n    pass\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("slips")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("aten::cocnat", "aten::concat"),  # swapped, and no three letters in common
        ("aten::lddexp", "aten::ldexp"),  # too many
        ("aten::ldep", "aten::ldexp"),  # too few
        ("aten::ldexq", "aten::ldexp"),  # another
        ("torch.nn.Covn3d", "torch.nn.Conv3d"),  # more like ConvBn3d, letter by letter
        ("at::native::actviation", "at::native::activation"),
        ("at::native::ACTIVATION", "at::native::activation"),
        (
            "at::warpDecrement",
            "torch.warp_decrement_of_all_the_nested_levels",
        ),  # all words of a name that is much longer
        # The overload is not what is wrong with it.
        ("aten::concatenaet.int", "aten::concatenate"),
        ("torch.ops.aten.concatenaet.int", "aten::concatenate"),
        ("concatenaet.int", "aten::concatenate"),
        ("torch.concatenaet.int", "torch.concatenate"),
    ],
)
def test_the_name_that_was_meant_comes_first(
    conn: sqlite3.Connection, typed: str, meant: str
) -> None:
    found = resolve(conn, typed)
    assert found.target is None
    assert meant in found.closest[:2]


def test_what_differs_in_case_only_comes_before_what_is_like_a_part(
    conn: sqlite3.Connection,
) -> None:
    """`TORCH.SOFTMAX` may be the overload SOFTMAX of an operator TORCH, and TorchSplit is like that."""
    assert resolve(conn, "TORCH.CONCAT").closest[:2] == ("torch.concat", "torch.TorchCat")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ATEN::concat", "aten::concat"),
        ("AT::concat", "aten::concat"),
        ("TORCH.OPS.Aten.concat", "aten::concat"),
        ("Torch.NN.Conv3d", "torch.nn.Conv3d"),
        ("AT::native::activation", "at::native::activation"),
    ],
)
def test_packages_and_namespaces_in_another_case(
    conn: sqlite3.Connection, typed: str, meant: str
) -> None:
    found = resolve(conn, typed)
    assert found.target is not None
    assert found.target.name == meant
    assert any("differs in case only" in note for note in found.notes)
    # What is written right has no such note.
    assert not any("case" in note for note in resolve(conn, meant).notes)


def test_short_words_are_not_every_short_word(conn: sqlite3.Connection) -> None:
    assert closest(conn, "xyz") == ()


def test_a_class_by_its_module_is_no_operator_s_overload(conn: sqlite3.Connection) -> None:
    """`linear.Linear` is torch.nn.Linear, and no overload that aten::linear lacks."""
    target = resolve(conn, "concat.Concat").target
    assert target is not None
    assert (target.kind, target.name) == ("class", "torch.nn.Concat")


@pytest.mark.parametrize("tool", ["trace", "calls", "impact"])
def test_a_namespace_is_searched(conn: sqlite3.Connection, tool: str) -> None:
    finding = ask(conn, tool, name="at::native::").finding
    assert finding == "at::native:: is a namespace: search at::native:: lists what is in it"
