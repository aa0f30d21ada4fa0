"""What annotations mean: unions, bounds of type variables, classes as values, `Self`; and what getters give."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.python_sources import index, read

SOURCES = {
    "torch/__init__.py": "",
    "torch/kinds.py": """
from typing import Optional, Self, Sequence, TypeAlias, TypeVar, Union

class Buffer:
    def name(self): ...
    @property
    def size(self): ...

class Line:
    def name(self): ...
    def plan(self) -> Self: ...

class Bound:
    def check(self): ...

BufferLike = Union[Buffer, "Line", int]
Either: TypeAlias = "Buffer" | Line | None
Lines = Sequence[Line]
Mixed = Union[Buffer, Sequence[Line]]
T = TypeVar("T", bound=Bound)
U = TypeVar("U")
CHOSEN = TABLE[Buffer]
""",
    "torch/users.py": """
from typing import Type, Union
from torch.kinds import Bound, Buffer, BufferLike, Either, Line, Lines, Mixed, T, U
from torch import kinds

def named(x: BufferLike, y: Union[Line, Buffer]):
    x.name()
    return x.size, y.name()

def alternative(x: Either):
    x.name()

def planned(x: Line):
    x.plan().plan()

def looped(xs: Lines):
    for x in xs:
        x.plan()

def mixed(x: Mixed):
    x.name()

def bounded(x: T, y: U):
    x.check()
    y.check()

def made(cls: type[Buffer], other: Type[Line]):
    cls().name()
    other(1)

class Program:
    def __init__(self, line: Line, u: Union[Buffer, Line]):
        self._line = line
        self.u = u
    @property
    def line(self):
        \"\"\"The line.

        No more is said.\"\"\"
        return self._line
    def own(self):
        return self.line
    def maker(self):
        return Line()
    async def later(self):
        return self._line
    def runs(self):
        self.line.name()
        self.u.name()

def getters(p: Program):
    p.line.plan()
    p.own().plan()
    p.maker().name()
    p.later().name()
""",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index(SOURCES)


def _called(conn: sqlite3.Connection, name: str) -> set[str]:
    rows = conn.execute(
        "SELECT coalesce(g.name, k.last) FROM python_calls AS c"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " LEFT JOIN python_functions AS g ON g.id = r.function_id"
        " LEFT JOIN python_classes AS k ON k.id = r.class_id WHERE p.name = ? AND c.kind = 0",
        (name,),
    )
    return {called for (called,) in rows}


@pytest.mark.parametrize(
    ("function", "called"),
    [
        ("named", {"Buffer.name", "Line.name", "Buffer.size"}),
        ("alternative", {"Buffer.name", "Line.name"}),
        ("planned", {"Line.plan"}),
        ("looped", {"Line.plan"}),
        # A buffer or a sequence: nobody knows which, and the name says it of neither.
        ("mixed", set()),
        ("bounded", {"Bound.check"}),
        ("made", {"Buffer", "Buffer.name", "Line"}),
        ("Program.runs", {"Program.line", "Line.name", "Buffer.name"}),
        ("getters", {"Program.line", "Program.own", "Program.maker", "Program.later", "Line.plan", "Line.name"}),
    ],
)  # fmt: skip
def test_annotations_tell_what_is_called(
    conn: sqlite3.Connection, function: str, called: set[str]
) -> None:
    assert _called(conn, function) == called


def test_what_a_getter_gives_is_what_it_returns_and_no_more() -> None:
    fact = read(
        "class A:\n"
        "    def one(self):\n        return self._one\n"
        "    def two(self):\n        return self._two.get(1)\n"
        "    def three(self):\n        return self._three(self.one())\n"
        "    def four(self):\n        x = 1\n        return self._four\n"
        "    def five(self, x):\n        return x\n"
        "    @classmethod\n    def six(cls):\n        return cls\n"
    )
    assert [function.returns for function in fact.functions] == [
        "torch.example.A()._one", "torch.example.A()._two.get()", "", "torch.example.A()._four", "", "",
    ]  # fmt: skip


def test_names_of_types_are_no_other_names_of_classes(conn: sqlite3.Connection) -> None:
    assert (
        conn.execute("SELECT name FROM python_aliases WHERE name LIKE 'torch.kinds.%'").fetchall()
        == []
    )
    bindings = dict(
        conn.execute("SELECT name, target FROM python_bindings WHERE kind = 'alias'").fetchall()
    )
    assert bindings["Lines"] == "type(list(torch.kinds.Line()))"
    assert not {"Mixed", "U", "CHOSEN"} & set(bindings)


def test_a_module_of_options_has_what_its_class_has() -> None:
    """torch/utils/_config_module.py: install_config_module gives a module a class that derives from ConfigModule."""
    conn = index(
        {
            "torch/__init__.py": "",
            "torch/utils/__init__.py": "",
            "torch/utils/_config_module.py": "class ConfigModule:\n    def patch(self): ...\n    def _hash(self): ...\n"
            "    def _patcher(self): ...\n"
            "def install_config_module(module): ...\n",
            "torch/config.py": "import sys\nfrom torch.utils._config_module import install_config_module\n"
            "debug = False\ndef _hash(): ...\ninstall_config_module(sys.modules[__name__])\n"
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    def _patcher(): ...\n",
            "torch/plain.py": "from torch.utils._config_module import ConfigModule\n",
            "torch/user.py": "import torch\nfrom torch import config, plain\nimport torch.config\n"
            "def runs():\n    config.patch()\n    torch.config._hash()\n    plain.patch()\n    config.other()\n"
            "    config._patcher()\n",
        }
    )
    assert _called(conn, "runs") == {"ConfigModule.patch", "_hash", "ConfigModule._patcher"}
    names = {name for (name,) in conn.execute("SELECT api FROM v_python_api")}
    assert "torch.config.patch" not in names


def test_what_with_binds_and_what_an_attribute_is_that_stands_further_down() -> None:
    conn = index(
        {
            "torch/__init__.py": "",
            "torch/reader.py": "class Reader:\n    def __enter__(self):\n        return self\n    def names(self): ...\n"
            "    @property\n    def size(self): ...\ndef opened(): ...\n",
            "torch/user.py": "from torch.reader import Reader, opened\n"
            "def reads(f):\n    with Reader(f(1)) as r, opened() as o:\n        o.names()\n        return r.names()\n"
            "def twice(f):\n    with Reader(f) as r:\n        pass\n    with f() as r:\n        return r.names()\n"
            "def nested(f):\n    def inner(r: Reader):\n        r.names()\n    with f() as r:\n        pass\n"
            "class Held:\n    def before(self):\n        return self.reader.size + self.other.size\n"
            "    def __init__(self, other):\n        self.reader = Reader(1)\n        self.other = other\n",
            "test/test_reader.py": "from torch.reader import Reader\nclass TestReader:\n    def test_names(self):\n"
            "        with self.assertRaises(ValueError) as caught, Reader(1) as r:\n            r.names()\n"
            "        caught.names()\n",
        }
    )
    assert _called(conn, "TestReader.test_names") == {"Reader", "Reader.names"}
    assert _called(conn, "reads") == {"Reader", "opened", "Reader.names"}
    assert _called(conn, "twice") == {"Reader"}
    assert _called(conn, "nested") == {"Reader.names"}
    assert _called(conn, "Held.before") == {"Reader.size"}


def test_a_property_of_an_object_that_a_module_holds_runs_where_it_is_taken() -> None:
    conn = index(
        {
            "torch/__init__.py": "",
            "torch/globals.py": "class Globals:\n    @property\n    def mode(self):\n        return self._mode\n"
            "    def __init__(self):\n        self._mode = Mode()\nclass Mode:\n    def __call__(self): ...\nG = Globals()\n",
            "torch/user.py": "from torch.globals import G\ndef takes():\n    x = G.mode\n",
        }
    )
    called = conn.execute(
        "SELECT g.name FROM python_calls AS c JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS g ON g.id = r.function_id WHERE p.name = 'takes'"
    )
    assert {name for (name,) in called} == {"Globals.mode", "Mode.__call__"}


def test_what_a_table_of_functions_or_classes_gives_is_one_of_them() -> None:
    conn = index(
        {
            "torch/__init__.py": "",
            "torch/rules.py": "class One:\n    def run(self): ...\nclass Two:\n    def run(self): ...\n"
            "def first(x): ...\ndef second(x): ...\nRULES = {1: first, 2: second}\n_MADE: dict = {1: One, 2: Two}\n"
            "MIXED = {1: first, 2: 3}\n"
            "def runs(n):\n    return RULES[n](n)\n"
            "def mixed(n):\n    return MIXED[n](n)\n"
            "class Held:\n    def __init__(self, n):\n        self.made = _MADE[n](1)\n"
            "    def uses(self):\n        self.made.run()\n"
            "class Base:\n    def run(self): ...\nclass Told:\n    def __init__(self, n):\n        self.made: Base = _MADE[n](1)\n"
            "    def told(self):\n        self.made.run()\n",
            "torch/other.py": "from torch.rules import RULES\nfrom torch import Tensor\ndef far(n: Tensor):\n    RULES[type(n)](n)\n",
        }
    )
    assert _called(conn, "runs") == {"first", "second"}
    assert _called(conn, "far") == {"first", "second"}
    assert _called(conn, "mixed") == set()
    assert _called(conn, "Held.__init__") == {"One", "Two"}
    assert _called(conn, "Held.uses") == {"One.run", "Two.run"}
    assert _called(conn, "Told.told") == {"One.run", "Two.run", "Base.run"}


def test_what_a_field_is_declared_as() -> None:
    conn = index({
        "torch/__init__.py": "",
        "torch/fields.py": """
import dataclasses
from typing import Callable

class Pools:
    def allocate(self): ...

def made():
    return 1

@dataclasses.dataclass
class Planner:
    pools: Pools = dataclasses.field(default_factory=Pools)
    other: Pools = made()
    run: Callable = dataclasses.field(default=made)

    def plan(self):
        self.pools.allocate()
        self.run()

    def replan(self):
        self.other.allocate()
""",
    })  # fmt: skip
    found = conn.execute(
        "SELECT source, target FROM v_edges WHERE kind = 'python' AND source GLOB '*.Planner.*'"
    )
    assert {tuple(row) for row in found} == {
        ("torch.fields.Planner.plan", "torch.fields.Pools.allocate"),
        ("torch.fields.Planner.plan", "torch.fields.made"),
        ("torch.fields.Planner.replan", "torch.fields.Pools.allocate"),
    }


def test_arguments_of_what_makes_an_object_are_not_kept() -> None:
    file = read("import torch\nx = torch.Call(torch.a.b, y)\nz = torch.call(torch.a.b)\n")
    assert {each.name: each.target for each in file.bindings if each.kind == "call"} == {
        "x": "torch.Call",
        "z": "torch.call|torch.a.b",
    }
