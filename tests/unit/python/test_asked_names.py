"""Attributes that are asked for by a name which is put together when it runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.support.python_sources import read
from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

SOURCES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/visit.py": """
class Visitor:
    def __call__(self, node):
        return getattr(self, "visit_" + type(node).__name__, None)(node)
    def percent(self, node):
        return getattr(self, "visit_%s_node" % node)
    def braces(self, node):
        return getattr(self, "visit_{}".format(node))
    def inherited(self):
        name = f"weave_{self.kind}"
        return getattr(self, name)
    def short(self, kind):
        return getattr(self, f"a{kind}")
    def said(self):
        "getattr(self, 'visit_' + kind)"
    def visit_own(self):
        pass
    def visitor(self):
        pass
class Cloth(Visitor):
    def visit_silk(self):
        pass
    def visit_wool_node(self):
        pass
    def weave_plain(self):
        pass
    def a_short(self):
        pass
class Other:
    def visit_other(self):
        pass
""",
    "torch/bytecode.py": """
class Translator(metaclass=Meta):
    def step(self, inst):
        self.table[inst.opcode](self, inst)
    def older_step(self, inst):
        getattr(self, inst.opname)(inst)
    def told(self, inst):
        return self.table[inst.opcode]
    def LOAD_CONST(self, inst):
        pass
    def Jump(self, inst):
        pass
class Inlining(Translator):
    def LOAD_CONST(self, inst):
        pass
    def YIELD_VALUE(self, inst):
        pass
class NoTranslator:
    def LOAD_FAST(self, inst):
        pass
""",
    "torch/looms.py": """
from torch import switches, visit
from torch.visit import Cloth

def made(kind):
    cloth = Cloth()
    def inside():
        return getattr(cloth, f"weave_{kind}")
    return getattr(cloth, f"weave_{kind}")

def switched(name):
    return getattr(switches, f"enable_{name}_loom")

def of_nobody(x, name):
    return getattr(x, f"visit_{name}")
""",
    "torch/made.py": """
def name_of(kind):
    return "weave_" + kind

class Ops:
    def spin(x): ...
    def _own(x): ...
    made = spin

class Choosing:
    def by_function(self, kind):
        name = name_of(kind)
        return getattr(self, name)(kind)
    def of_class(self, name):
        return getattr(Ops, name)(self)
    def of_object(self, name):
        ops = Ops()
        return getattr(ops, name, None)(self)
    def not_called(self, name):
        return getattr(Ops, name)
    def of_given(self, ops: Ops, name):
        return getattr(ops, name)(self)
    def weave_here(self): ...
""",
    "torch/tables.py": """
def handlers():
    table = {int: "add", float: "sub"}
    for name in ["mul", "div"]:
        table[name] = name
    return table

def run(analysis, kind, told: str = ""):
    own = {str: "shift"}
    name = own[kind] if kind in own else handlers()[kind]
    getattr(told, name)
    return getattr(analysis, name)(kind)

def interpret(analysis, kind):
    return run(analysis, kind)

def other(analysis, kind):
    return analysis(kind)
""",
    "torch/analyses.py": """
from torch.tables import interpret, other, run

class Analysis:
    def add(x): ...
    def sub(x): ...
    def mul(x): ...
    def div(x): ...

class Whole(Analysis):
    def add(x): ...
    def shift(x): ...
    def unasked(x): ...

class Part:
    def add(x): ...
    def sub(x): ...

def whole(kind):
    return interpret(Whole, kind)

def chosen(kind):
    which = Part if kind else Whole
    return run(which, kind)

def part(kind):
    return interpret(Part, kind)

def elsewhere(kind):
    return other(Whole, kind)
""",
    "torch/switches.py": "def enable_big_loom(): ...\ndef enable_loom(): ...\ndef enable_small_loom(): ...\n",
}
INSTRUCTIONS = {
    "torch.bytecode.Translator.LOAD_CONST",
    "torch.bytecode.Inlining.LOAD_CONST",
    "torch.bytecode.Inlining.YIELD_VALUE",
}
OF_TABLE = {
    "torch.analyses.Whole.add",
    "torch.analyses.Analysis.sub",
    "torch.analyses.Analysis.mul",
    "torch.analyses.Analysis.div",
    "torch.analyses.Whole.shift",
}
ALL = {
    "torch.visit.Visitor.visit_own",
    "torch.visit.Cloth.visit_silk",
    "torch.visit.Cloth.visit_wool_node",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(SOURCES, tmp_path_factory.mktemp("asked")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("function", "asked"),
    [
        ("torch.visit.Visitor.__call__", ALL),
        ("torch.visit.Visitor.percent", {"torch.visit.Cloth.visit_wool_node"}),
        ("torch.visit.Visitor.braces", ALL),
        ("torch.visit.Visitor.inherited", {"torch.visit.Cloth.weave_plain"}),
        ("torch.visit.Visitor.short", set()),
        ("torch.visit.Visitor.said", set()),
        ("torch.looms.made", {"torch.visit.Cloth.weave_plain"}),
        (
            "torch.looms.switched",
            {"torch.switches.enable_big_loom", "torch.switches.enable_small_loom"},
        ),
        ("torch.looms.of_nobody", set()),
        ("torch.bytecode.Translator.step", INSTRUCTIONS),
        ("torch.bytecode.Translator.older_step", INSTRUCTIONS),
        ("torch.bytecode.Translator.told", set()),
        ("torch.made.Choosing.by_function", {"torch.made.Choosing.weave_here"}),
        ("torch.made.Choosing.of_class", {"torch.made.Ops.spin"}),
        ("torch.made.Choosing.of_object", {"torch.made.Ops.spin"}),
        ("torch.made.Choosing.not_called", set()),
        ("torch.made.Choosing.of_given", set()),
        ("torch.analyses.whole", OF_TABLE),
        ("torch.analyses.chosen", OF_TABLE),
        ("torch.analyses.part", set()),
        ("torch.analyses.elsewhere", set()),
    ],
)
def test_whose_names_begin_and_end_so(
    conn: sqlite3.Connection, function: str, asked: set[str]
) -> None:
    answer = all_tools()["calls"].ask(conn, name=function)
    found = {line.name for line in answer.neighbours if line.relation == "candidate"}
    assert found == asked


@given(st.text(st.sampled_from("getattr(self, \"'f_{}%s+.\n)x"), max_size=60))
def test_any_text_is_read(text: str) -> None:
    read(f"def f(self):\n    return getattr({text!r}, getattr(self, {text!r} + 'x'))\n")
