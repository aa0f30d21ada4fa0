"""What trace says of functions that end at operators only through a method that overrides the called one."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

FILES = {
    "aten/src/ATen/native/native_functions.yaml": """\
- func: relu(Tensor self) -> Tensor
  variants: function, method
""",
    "torch/__init__.py": "",
    "torch/pairs.py": """\
import torch
class Pair:
    def compare(self): ...
    def shown(self): ...
class NonePair(Pair):
    def compare(self): ...
class TensorPair(Pair):
    def compare(self):
        return torch.relu(self.x)
    def shown(self): ...
def each(pair: Pair):
    pair.compare()
def close(x):
    return each(x)
def show(pair: Pair):
    pair.shown()
def both(x: Pair):
    x.compare()
    return torch.relu(x)
""",
}
_SAID = (
    "on its way it calls torch.pairs.Pair.compare, which 2 methods override: torch.pairs.TensorPair.compare ends at"
    " aten::relu"
)


def test_a_method_that_overrides_the_called_one_is_named_where_nothing_else_ends_at_operators(
    tmp_path: Path,
) -> None:
    """As `torch.testing.assert_close`, of which it was said that no operator is found in what it calls."""
    with indexed(FILES, tmp_path) as conn:
        for name, said in (("each", True), ("close", True), ("show", False), ("both", False)):
            answer = all_tools()["trace"].ask(conn, name=f"torch.pairs.{name}")
            assert (_SAID in answer.notes) is said
