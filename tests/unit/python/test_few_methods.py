"""Methods that are called on something of which nothing tells the type: one of the few of its name may be meant."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from indexer.extract.python.untold import untold
from tests.unit.support.python_torch import BASE, index_torch
from tests.unit.support.small_tree import indexed

SHAPES = """\
class Base:
    def fill_in(self): ...
    def overridden_by(self): ...
    @classmethod
    def of_class(cls): ...
    @property
    def read_only(self): ...
    def append(self, x): ...
    def has_two(self): ...
    def redistribute(self): ...
    def is_held(self): ...
    def is_function(self): ...
    def relu(self): ...
    def from_afar(self): ...
    def run(self):
        self.fill_in()
        self.inner.fill_in()
        super().from_afar()
class Heir(Base):
    def overridden_by(self): ...
class Other:
    def has_two(self): ...
    def __init__(self, found):
        self.is_held = Heir
def is_function(): ...
"""
SOURCES = {
    "torch/shapes/__init__.py": "",
    "torch/shapes/made.py": SHAPES,
    "torch/shapes/use.py": """\
import json
def untold(x, known):
    x.fill_in()
    x.fill_in()
    x.y.overridden_by()
    known().of_class().fill_in()
    x.read_only()
    x.append(1), x.redistribute()
    x.has_two(), x.is_held(), x.is_function(), x.relu()
    return [each.from_afar() for each in known]
def foreign(x):
    json.fill_in()
    json.loads(x).fill_in()
def of_tensors(x: Tensor, y):
    return y.z.fill_in()
""",
    "torch/far/__init__.py": "",
    "torch/far/use.py": "def far(x): x.from_afar()\n",
    "torch/far/near.py": "from torch.shapes.made import Heir\ndef near(x): x.from_afar()\n",
    "test/test_shapes.py": "def test_it(x): x.from_afar()\n",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index_torch(SOURCES)


def _candidates(conn: sqlite3.Connection) -> list[tuple[str, int, str]]:
    """Who may call what, with the lines."""
    rows = conn.execute(
        "SELECT m.name || '.' || caller.name, c.line, called.name FROM python_calls AS c"
        " JOIN python_functions AS caller ON caller.id = c.caller_id"
        " JOIN python_modules AS m ON m.id = caller.module_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS called ON called.id = r.function_id WHERE c.kind = 7 ORDER BY 1, 2, 3"
    )
    return [tuple(row) for row in rows]


def test_the_only_one_is_a_candidate(conn: sqlite3.Connection) -> None:
    # Once for each caller. Not a property, a list's method, what an attribute or C++ has, what another package gives,
    # what stands behind `super()`, what is called for sure, too, and what a file has nothing to do with.
    assert _candidates(conn) == [
        ("torch.far.near.near", 2, "Base.from_afar"),
        ("torch.shapes.use.of_tensors", 15, "Base.fill_in"),
        ("torch.shapes.use.untold", 3, "Base.fill_in"),
        ("torch.shapes.use.untold", 5, "Base.overridden_by"),
        ("torch.shapes.use.untold", 6, "Base.of_class"),
        ("torch.shapes.use.untold", 8, "Base.redistribute"),
        ("torch.shapes.use.untold", 9, "Base.has_two"),
        ("torch.shapes.use.untold", 9, "Base.is_function"),
        ("torch.shapes.use.untold", 9, "Other.has_two"),
        ("torch.shapes.use.untold", 10, "Base.from_afar"),
    ]


FEW = {
    "torch/__init__.py": "",
    "torch/few/__init__.py": "",
    "torch/few/made.py": """\
class One:
    def shared_by(self): ...
    def too_common(self): ...
    def mostly_other(self): ...
    def passes_on(self, x):
        x.passes_on()
    def delegates(self):
        self.held.delegates()
    def sleeps(self): ...
class Two:
    def shared_by(self): ...
    def too_common(self): ...
    def passes_on(self, x): ...
class Three:
    def shared_by(self): ...
    def too_common(self): ...
class Four:
    def too_common(self): ...
class Many:
    def mostly_other(self): ...
"""
    + "".join(f"class Heir{number}(Many): ...\n" for number in range(12)),
    "torch/few/use.py": """\
def use(x):
    x.shared_by()
    x.too_common()
    x.mostly_other()
def imports(x):
    import clock
    clock.sleeps()
    x.sleeps()
    x().sleeps()
def sure(x: One, y):
    x.shared_by()
    y.shared_by()
from torch.few.made import One
""",
}


def test_one_of_a_few_may_be_meant() -> None:
    # Not one of too many, one of a class that has a twelfth of another's heirs, what calls it, a word that a package
    # from elsewhere or the result of another call is asked for, and what is called for sure already.
    assert _candidates(index_torch(FEW)) == [
        ("torch.few.made.One.passes_on", 6, "Two.passes_on"),
        ("torch.few.use.imports", 8, "One.sleeps"),
        ("torch.few.use.use", 2, "One.shared_by"),
        ("torch.few.use.use", 2, "Three.shared_by"),
        ("torch.few.use.use", 2, "Two.shared_by"),
        ("torch.few.use.use", 4, "Many.mostly_other"),
    ]


CALLED = {
    "torch/__init__.py": "",
    "torch/few/__init__.py": "",
    "torch/few/made.py": """\
class ShapeEnv:
    def size_hint(self): ...
    def taken_over(self): ...
class Kernel:
    def size_hint(self): ...
    def taken_over(self): ...
class ShapeEnvHeir(ShapeEnv): ...
"""
    + "".join(f"class Heir{number}(Kernel): ...\n" for number in range(22)),
    "torch/far/__init__.py": "",
    "torch/far/made.py": "class Source:\n    def taken_over(self): ...\n    def of_nobody(self): ...\n",
    "torch/few/use.py": """\
from torch.few.made import ShapeEnv
def use(x, shape_env):
    x.node.shape_env.size_hint()
    shape_env.taken_over()
def other(x):
    return x.node.size_hint()
def of_tensors(x: Tensor, y):
    return y.shape_env.size_hint()
def afar(source):
    source.taken_over()
    source.of_nobody()
""",
}


def test_what_is_called_like_a_class_is_of_it() -> None:
    # The class that is not called so has ten times as many heirs, of which it would be one else.
    assert _candidates(index_torch(CALLED)) == [
        ("torch.few.use.afar", 10, "Source.taken_over"),
        ("torch.few.use.of_tensors", 8, "ShapeEnv.size_hint"),
        ("torch.few.use.other", 6, "Kernel.size_hint"),
        ("torch.few.use.use", 3, "ShapeEnv.size_hint"),
        ("torch.few.use.use", 4, "ShapeEnv.taken_over"),
    ]


BOUND = {
    "torch/csrc/module.cpp": """\
#include <pybind11/pybind11.h>
void init(PyObject* module) {
  auto torch_C_module = THPObjectPtr(PyImport_ImportModule("torch._C"));
  auto m = py::handle(torch_C_module).cast<py::module>();
  py::class_<Other>(m, "Other").def("named_parts", &Other::named_parts).def("few_parts", &Other::few_parts);
  py::class_<Other>(m, "Base").def("own_parts", &Other::own_parts).def("beside_parts", &Other::beside_parts);
}
""",
    "torch/__init__.py": "",
    "torch/few/__init__.py": "",
    "torch/few/made.py": """\
import torch
class Few:
    def few_parts(self): ...
class Beside:
    def beside_parts(self): ...
class Many:
    def named_parts(self): ...
    def own_parts(self): ...
    def beside_parts(self): ...
    def relu(self): ...
class Native(torch._C.Base): ...
"""
    + "".join(f"class Heir{number}(Many): ...\n" for number in range(12)),
    "torch/few/use.py": """\
import torch.few.made
def use(x):
    x.named_parts()
    x.few_parts()
    x.own_parts()
    x.beside_parts()
    x.relu()
""",
}


def test_what_has_many_heirs_is_meant_sooner_than_what_cpp_binds(tmp_path: Path) -> None:
    """`model.named_children()`: none of a class with few heirs, with another beside it, or whose heirs have C++'s."""
    with indexed({**BASE, **BOUND}, tmp_path) as conn:
        assert _candidates(conn) == [("torch.few.use.use", 3, "Many.named_parts")]


CUSTOM = {
    "torch/__init__.py": "",
    "torch/few/__init__.py": "",
    "torch/few/made.py": """\
from typing import Optional
class Base:
    def fill(self): ...
class Maker(Base):
    def name(self): ...
    def held(self) -> "Maker": ...
class Other:
    def name(self): ...
def one(maker: Maker, kind: Maker, x: Maker, two: Maker): ...
def two(maker: "Base", kind: Other, x: Optional["Maker"]): ...
def three(maker: Optional[Maker], kind: Maker, x, two: Maker): ...
def four(kind: str): ...
""",
    "torch/few/use.py": """\
import torch.few.made
def use(maker, kind, two, x):
    maker.name()
    maker.fill()
    kind.name()
    two.name()
    x.name()
def gives(maker):
    maker = other()
    maker.name()
def loops(x):
    for maker in x:
        maker.name()
""",
    "torch/far/__init__.py": "",
    "torch/far/use.py": "import torch.few.made\ndef far(maker): maker.name()\n",
}


def test_a_parameter_may_be_what_all_others_of_its_package_declare_it_as() -> None:
    """At least three, which say the same or what derives from it; no value that the body gives it, no other package."""
    assert _candidates(index_torch(CUSTOM)) == [
        ("torch.few.use.use", 3, "Maker.name"),
        ("torch.few.use.use", 4, "Base.fill"),
    ]


def test_what_overrides_the_only_one_may_be_meant(tmp_path: Path) -> None:
    with indexed({**BASE, **SOURCES}, tmp_path) as conn:
        rows = conn.execute("SELECT source, target, line FROM v_edges WHERE kind = 'virtual'")
        found = [tuple(row) for row in rows]
    assert found == [
        ("torch.shapes.made.Base.overridden_by", "torch.shapes.made.Heir.overridden_by", 20)
    ]


def test_a_name_means_the_same_on_every_python() -> None:
    """`Thread._after_fork` came with 3.13; what Python keeps to itself is nothing that a text calls."""
    names = ("add_done_callback", "_after_fork", "_glob_selector", "fill_in", "fill")
    assert [untold(name) for name in names] == [
        "", "?._after_fork", "?._glob_selector", "?.fill_in", ""
    ]  # fmt: skip
    assert [untold(name, is_named=True) for name in ("fill", "append")] == ["?.fill", ""]


def test_of_what_an_object_of_a_module_holds() -> None:
    """`V.kernel.create_cse_var()` of torch/_inductor: declared is what stands there where there is no kernel."""
    sources = {
        "torch/__init__.py": "",
        "torch/shapes/__init__.py": "",
        "torch/shapes/held.py": """\
class Null: ...
class Kernel:
    def make_variable(self): ...
class Holder:
    @property
    def kernel(self) -> Null: ...
V = Holder()
TABLE = {}
""",
        "torch/shapes/use.py": """\
from torch.shapes import held
from torch.shapes.held import TABLE, V
def of_object():
    V.kernel.make_variable()
def of_module():
    held.V.kernel.make_variable()
def of_class():
    held.Kernel.other.make_variable()
def of_table():
    TABLE.a.make_variable()
""",
    }
    assert _candidates(index_torch(sources)) == [
        ("torch.shapes.use.of_module", 6, "Kernel.make_variable"),
        ("torch.shapes.use.of_object", 4, "Kernel.make_variable"),
    ]
