"""What trace says of functions that end at operators only through constructors."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

FILES = {
    "aten/src/ATen/native/native_functions.yaml": """\
- func: relu(Tensor self) -> Tensor
  variants: function, method
- func: gelu(Tensor self) -> Tensor
  variants: function, method
""",
    "torch/__init__.py": "",
    "torch/norms.py": """\
import torch
class Base:
    def __init__(self, weight):
        self.weight = torch.relu(weight)
class Norm(Base):
    pass
class Empty:
    def __init__(self): ...
def make(module, name):
    Empty()
    return Norm(getattr(module, name))
def both(x):
    Norm(x)
    return torch.gelu(x)
""",
}
_MADE = "it makes a torch.norms.Norm; torch.norms.Base.__init__ ends at aten::relu"


def test_a_constructor_says_what_it_ends_at_where_nothing_else_does(tmp_path: Path) -> None:
    """As `torch.nn.utils.parametrizations.spectral_norm` makes a `_SpectralNorm`, which begins its power iterations."""
    with indexed(FILES, tmp_path) as conn:
        made = all_tools()["trace"].ask(conn, name="torch.norms.make").notes
        assert [note for note in made if "makes" in note] == [_MADE]
        both = all_tools()["trace"].ask(conn, name="torch.norms.both")
        assert not [note for note in both.notes if "makes" in note]
