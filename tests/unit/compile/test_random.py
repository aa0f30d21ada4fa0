"""What compile_path says of random operators, whose decompositions Inductor adds to its own table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": """\
- func: toss(Tensor self) -> Tensor
  dispatch:
    CPU: toss
- func: toss_like(Tensor self) -> Tensor
  dispatch:
    CPU: toss_like
- func: toss_like_(Tensor(a!) self) -> Tensor(a!)
  dispatch:
    CPU: toss_like_
- func: shuffle(Tensor self) -> Tensor
  dispatch:
    CPU: shuffle
- func: roll_dice(Tensor self) -> Tensor
  dispatch:
    CPU: roll_dice
""",
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/_decomp/__init__.py": """\
def register_decomposition(op, registry=None): ...
def get_decompositions(ops): ...
def remove_decompositions(table, ops): ...
""",
    "torch/_decomp/decompositions_for_rng.py": """\
import functools
import torch
import torch._decomp as decomp
from torch._decomp import get_decompositions
aten = torch.ops.aten
extra_random_decomps = get_decompositions([aten.toss])
register_extra_random_decomp = functools.partial(
    decomp.register_decomposition, registry=extra_random_decomps
)
@register_extra_random_decomp([aten.shuffle])
def shuffle(self):
    if self.device == torch.device("cpu"):
        return NotImplemented
    return torch.ops.aten.toss(self)
unused_decomps = get_decompositions([aten.roll_dice])
""",
    "torch/_refs.py": """\
import torch
from torch._decomp import register_decomposition
aten = torch.ops.aten
@register_decomposition(aten.toss)
def toss(a): ...
@register_decomposition(aten.roll_dice)
def roll_dice(a): ...
""",
    "torch/_inductor/decomposition.py": """\
import torch
import torch._decomp as decomp
from torch._decomp import get_decompositions, remove_decompositions
from torch._decomp.decompositions_for_rng import extra_random_decomps
from torch._inductor import config
aten = torch.ops.aten
decompositions = {**get_decompositions([aten.toss])}
remove_decompositions(decompositions, [aten.toss])
@decomp.register_decomposition([aten.toss_like], extra_random_decomps)
def toss_like(self):
    return torch.ops.aten.toss(self)
def fast_random_decomps():
    return {**decompositions, **extra_random_decomps}
def select_decomp_table():
    if config.fallback_random:
        return decompositions
    return fast_random_decomps()
""",
    "torch/_inductor/lowering.py": """\
import torch
aten = torch.ops.aten
lowerings = {}
def register_lowering(aten_fn):
    return lambda fn: fn
def make_fallback(op): ...
make_fallback(aten.toss)
make_fallback(aten.toss_like)
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module")) as found:
        yield found


def _finding(conn: sqlite3.Connection, name: str) -> str:
    return all_tools()["compile_path"].ask(conn, name=name).finding


def test_what_is_decomposed_unless_random_numbers_are_to_be_those_of_eager(
    conn: sqlite3.Connection,
) -> None:
    """As `aten::rand_like` and `native_dropout`, which have a lowering for `fallback_random` alone."""
    made = "torch._inductor.decomposition.toss_like"
    assert _finding(conn, "aten::toss_like") == f"aten::toss_like: decomposed by {made}"
    answer = all_tools()["compile_path"].ask(conn, name="aten::toss_like")
    step = next(step for step in answer.paths[0].inductor if step.what == "decomposition")
    assert step.function == made
    assert step.detail == "unless torch._inductor.config.fallback_random is set"
    assert answer.paths[0].becomes == ("aten::toss",)


def test_it_is_put_back_where_it_was_taken_out(conn: sqlite3.Connection) -> None:
    assert _finding(conn, "aten::toss") == "aten::toss: decomposed by torch._refs.toss"


def test_one_that_declines(conn: sqlite3.Connection) -> None:
    assert _finding(conn, "aten::shuffle").startswith(
        "aten::shuffle: decomposed by torch._decomp.decompositions_for_rng.shuffle; where that declines: "
    )


def test_what_writes_goes_the_same_way(conn: sqlite3.Connection) -> None:
    assert _finding(conn, "aten::toss_like_").startswith(
        "aten::toss_like_: functionalization replaces it by aten::toss_like: decomposed by "
    )


def test_a_table_that_inductor_does_not_choose_decomposes_nothing(
    conn: sqlite3.Connection,
) -> None:
    assert "neither decomposes nor lowers" in _finding(conn, "aten::roll_dice")
