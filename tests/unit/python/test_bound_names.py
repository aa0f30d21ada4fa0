"""Whose methods are called on what a body binds: declared, cast, taken out, unpacked, in a nested function."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.python_sources import index

MADE = """
from contextlib import contextmanager
from typing import Deque, Dict, Iterator, List, Optional, Tuple

class Worker:
    def run(self): ...
    def again(self): return self
    def __enter__(self): return self
    @classmethod
    def new(cls): return cls()

class Fast(Worker):
    def fly(self): ...

class Other:
    def run(self): ...

class Owner:
    def __init__(self, worker: Worker):
        self.worker = worker
    @property
    def held(self) -> Worker: ...
    def get(self) -> Worker: ...

def make(n):
    if n is None:
        return
    return Worker(
        n,
    )

def one_of(n):
    def inner():
        return Other()
    if n:
        return None
    return Worker()

def either(n):
    return Worker() if n else Other()

def both(n):
    if n:
        return Worker()
    return Other()

def part(n):
    return Worker(n).name

def each(n):
    yield 1
    return Worker()

def hidden(Worker):
    return Worker()

def many() -> Tuple[Worker, ...]: ...
def pairs() -> List[Tuple[int, Worker]]: ...
def foreign(): ...

@contextmanager
def managed() -> Iterator[Worker]: ...
"""
USERS = """
import copy
from typing import Callable, Deque, Dict, List, Optional, Tuple, cast
from torch.made import *
from torch.made import Fast, Other, Owner, Worker, both, each, either, foreign, hidden, make, managed, many, one_of, pairs, part
"""
BODIES = {
    "makes": "    make(1).run()\n",
    "makes_one_of": "    w = one_of(1)\n    w.run()\n",
    "makes_by_class": "    Worker.new().run()\n",
    "gives_itself": "    Worker().again().run()\n",
    "enters": "    with managed() as w:\n        w.run()\n",
    "declares": "    w: Worker\n    w = foreign()\n    w.run()\n",
    "declares_with_value": "    w: Optional['Worker'] = foreign()\n    w.run()\n",
    "casts": "    x = cast(Worker, x)\n    x.run()\n",
    "casts_and_calls": "    cast('Worker', x).run()\n",
    "takes": "    w = xs[0]\n    w.run()\n",
    "takes_of_mapping": "    w = d['a']\n    w.run()\n",
    "gets": "    d.get('a').run()\n",
    "pops": "    w = q.popleft()\n    w.run()\n",
    "zips": "    for a, b, w in zip(\n        x, foreign(), xs\n    ):\n        w.run()\n",
    "counts": "    for i, (a, w) in enumerate(zip(x, xs)):\n        w.run()\n",
    "unpacks_each": "    for n, w in pairs():\n        w.run()\n",
    "unpacks": "    a, w = t\n    w.run()\n",
    "walrus": "    if (w := o.get()) is not None:\n        w.run()\n",
    "chooses": "    w = o.worker if x else None\n    w.run()\n",
    "tries": "    try:\n        w = o.worker\n    except KeyError:\n        w = None\n    w.run()\n",
    "copies": "    w = copy.copy(o.worker)\n    w.run()\n",
    "asks": "    return x.run() if isinstance(x, Worker) else x\n",
    "asks_below": "    return (\n        x.run()\n        if isinstance(x, Worker)\n        else x\n    )\n",
    "asks_each": "    return [y.run() for y in x if isinstance(y, Worker)]\n",
    "nested": "    def inner(o2: Owner):\n        w = o2.held\n        w.run()\n    inner(x)\n",
    "nested_deep": "    def inner(o2: Owner):\n        p = o2\n        w = p.get()\n        w.run()\n    inner(x)\n",
    "follows": "    w = make(1).again()\n    w.run()\n",
    "either_made": "    both(1).run()\n",
}
OTHERS = {
    "other_part": "    w = make(1).name\n    w.run()\n",
    "other_made": "    either(1).run()\n    part(1).run()\n    each(1).run()\n    hidden(1).run()\n",
    "other_entry": "    w = {\n        x: Worker\n    }\n    x.run()\n",
    "other_asked": "    return f(x.run(), x if isinstance(x, Worker) else None)\n",
    "other_choice": "    return x.run() if isinstance(x, Worker) or foreign() else x\n",
    "other_chain": "    w = make(1).name.other\n    w.run()\n",
    "other_slice": "    w = xs[1:]\n    w.run()\n",
    "other_pop": "    w = d.items()\n    w.run()\n",
}
PARAMETERS = (
    "x, o: Owner, xs: List[Worker], d: Dict[str, Worker], q: Deque[Worker], t: Tuple[int, Worker]"
)


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    bodies = "".join(
        f"def {name}({PARAMETERS}):\n{body}" for name, body in {**BODIES, **OTHERS}.items()
    )
    more = (
        "class Held:\n    def __init__(self):\n        self.low, self.high = many()\n"
        "    def use(self):\n        self.high.run()\n"
        "def narrows(w: Worker):\n    w.run()\n    w = cast(Fast, w)\n    w.fly()\n"
        "def stays(w: Worker, xs):\n    w = xs[0]\n    w.run()\n"
    )
    return index(
        {"torch/__init__.py": "", "torch/made.py": MADE, "torch/users.py": USERS + bodies + more}
    )


def _called(conn: sqlite3.Connection, function: str) -> set[str]:
    rows = conn.execute(
        "SELECT g.name FROM python_calls AS c"
        " JOIN python_functions AS p ON p.id = c.caller_id"
        " JOIN python_modules AS m ON m.id = p.module_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS g ON g.id = r.function_id"
        " WHERE m.name = 'torch.users' AND p.name = ?",
        (function,),
    )
    return {row[0] for row in rows}


@pytest.mark.parametrize("function", [*BODIES, "Held.use", "narrows", "stays"])
def test_whose_method_is_called(conn: sqlite3.Connection, function: str) -> None:
    assert "Worker.run" in _called(conn, function)


@pytest.mark.parametrize("function", OTHERS)
def test_whose_method_is_not_called(conn: sqlite3.Connection, function: str) -> None:
    assert not {"Worker.run", "Other.run"} & _called(conn, function)


def test_what_is_cast_further_down_is_that_too(conn: sqlite3.Connection) -> None:
    assert _called(conn, "narrows") == {"Worker.run", "Fast.fly"}


def test_a_function_that_stands_in_for_an_imported_one() -> None:
    """As in `TestLinalg._test_lobpcg_method`, where `lobpcg` is imported, and then a function that calls it."""
    conn = index(
        {
            "torch/work.py": "def run(n): ...\ndef walk(n): ...\n",
            "torch/users.py": (
                "from torch.work import walk\n"
                "def wrapped(n):\n    from torch.work import run\n    first = run\n"
                "    def run(n):\n        return first(n + 1)\n    return run(n)\n"
                "def instead(n):\n    try:\n        from torch.work import run\n"
                "    except ImportError:\n        def run(n): ...\n    return run(n)\n"
                "def another(n):\n    def walk(n): ...\n    return walk(n)\n"
            ),
        }
    )
    assert _called(conn, "wrapped") == {"run"}
    assert _called(conn, "instead") == {"run"}
    assert not _called(conn, "another")
