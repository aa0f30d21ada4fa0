"""Functions that are handed on by their name are used; tests that use what changed through helpers are counted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from indexer.facts.python import MEMBER, METHOD
from tests.unit.support.asking import ask, text
from tests.unit.support.python_sources import read
from tests.unit.support.small_tree import indexed

NATIVE = "aten/src/ATen/native"
FILES = {
    f"{NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  variants: function, method\n  dispatch:\n    CPU: warp_cpu\n\n"
        "- func: weft(Tensor self) -> Tensor\n  variants: function, method\n"
    ),
    f"{NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{NATIVE}/Warp.cpp": (
        "namespace at::native {\nTensor warp_cpu(const Tensor& self) { return self; }\n"
        "Tensor weft(const Tensor& self) { return at::warp(self); }\n}\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/loom.py": (
        "import torch\n"
        "def spin(x):\n    return torch.warp(x)\n\n"
        "class Loom:\n"
        "    def _hook(self, x):\n        return spin(x)\n\n"
        "    def start(self, module):\n        module.register(self._hook)\n\n"
        "@triton.jit\ndef kernel(x):\n    return spin(x)\n\n"
        "def launch(x):\n    kernel[grid](x)\n\n"
        "class Looms:\n    def rows(self):\n        return 1\n\n"
        "def count(looms: Looms):\n    return looms.rows[0](1)\n"
    ),
    "torch/weaver.py": (
        "from typing import Callable\nfrom torch.loom import Loom, spin\nfrom torch.warps import Warp\n"
        "def weave(loom: Loom, warp: Warp, run):\n"
        "    run(loom.start, loom.grid, loom.size)\n"
        "    return run(warp.loom.start if run else warp.loom, [warp.turned])\n"
    ),
    "torch/warps.py": (
        "from torch.loom import Loom\nclass Warp:\n    def __init__(self):\n        self.loom = Loom()\n"
        "    def __call__(self):\n        pass\n"
        "    @property\n    def turned(self):\n        return 1\n"
    ),
    "test/test_loom.py": (
        "import torch\nfrom torch.loom import Loom, spin\n"
        "from torch.testing._internal.common_utils import TestCase\n"
        "def check(f):\n    f(1)\n\n"
        "def twice():\n    check(\n        spin,\n    )\n\n"
        "class TestLoom(TestCase):\n"
        "    def _run(self):\n        twice()\n\n"
        "    def test_far(self):\n        self.subtests([1], self._run)\n\n"
        "    def test_handed(self):\n        check(torch.weft)\n\n"
        "    def test_hook(self):\n        loom = Loom()\n        loom.start(None)\n\n"
        "    def test_other(self):\n        check(len)\n\n"
        "    def test_of_anything(self, given):\n        given.weft()\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("handed")) as connection:
        yield connection


def _handed(body: str) -> list[tuple[str, int]]:
    source = (
        "import torch\nfrom torch.fft import fft\nfrom torch.nn import functional as F\n"
        "def given(x): pass\nclass Parts:\n    def part(self): pass\n    def whole(self, given_too, *rest):\n"
    )
    fact = read(source + "".join(f"        {line}\n" for line in body.split("\n")))
    return [
        (call.target, call.line - 7)
        for call in fact.calls
        if call.kind == "handed" and MEMBER not in call.target
    ]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("run(given, fft)", [("torch.example.given", 1), ("torch.fft.fft", 1)]),
        ("run(1,\n  part=self.part,\n  f=[F.relu, torch.sin])", [
            ("torch.example.Parts().part", 2),
            ("torch.nn.functional.relu", 3), ("torch.sin", 3),
        ]),
        ("run(given(1), self.part(), fft)", [("torch.fft.fft", 1)]),
        ("isinstance(x, torch.Tensor)", []),
        ("isinstance(x, torch.ndarray)", []),
        ("run(self.other, given_too, rest)", []),
        ("for given in rest:\n    run(given)", []),
        ("given = rest\nrun(given)", []),
        ("run(\n    given, rest\n)", [("torch.example.given", 2)]),
        ("given, other = rest\nrun(given)", []),
        ("def inner(x, given):\n    run(given)", []),
        ("def inner(x):\n    def given(y): pass\n    run(given, fft)", [("torch.fft.fft", 3)]),
        ("run(lambda given: run(given))", []),
        ("run('given', fft)  # (given)", [("torch.fft.fft", 1)]),
        ("run(\n    1, given\n)", [("torch.example.given", 2)]),
        ("run(given  # it\n)", [("torch.example.given", 1)]),
        ("table = {torch.nn.LSTM: given, 'b': fft}", [("torch.example.given", 1), ("torch.fft.fft", 1)]),
        ("table = {given: 1}", []),
        ("x[1:given], {given, fft}", [("torch.example.given", 1)] * 2 + [("torch.fft.fft", 1)]),
        ("partial(given if rest else fft)", [("torch.example.given", 1), ("torch.fft.fft", 1)]),
        ("partial(\n  given\n  if rest\n  else fft\n)", [("torch.example.given", 2), ("torch.fft.fft", 4)]),
        ("return fft", [("torch.fft.fft", 1)]),
        ("return given, ()", [("torch.example.given", 1)]),
        ("return (given, ())", [("torch.example.given", 1)]),
        ("return given(1), given.name", []),
        ("from torch.fft import ifft, rfft\nrun(ifft, [rfft])", [("torch.fft.ifft", 2), ("torch.fft.rfft", 2)]),
        ("from torch.fft import (\n    ifft,\n    rfft,\n)\nirun(fft)", [("torch.fft.fft", 5)]),
        ("from torch import fft\nrun(fft.ifft)", [("torch.fft.ifft", 2)]),
        ("parts = Parts()\nrun(parts.part, parts.size)", [
            ("torch.example.Parts().part", 2), (f"torch.example.Parts().size{METHOD}", 2),
        ]),
        ("isinstance(\n    x, given\n)", []),
        ("hasattr(self.part, 'name')", []),
        ("get_instance().run(\n    given, fft\n)", [("torch.example.given", 2), ("torch.fft.fft", 2)]),
        ("x = given is rest or fft == rest", []),
        ("x: List[given] = []", []),
        ("self.x: Dict[int, Optional[given]] = {1: given}", [("torch.example.given", 1)]),
        ("def inner(x) -> Union[int, given]: return 1", []),
        ("x = {1: rest[given], 'b': [fft, rest[1]]}", [("torch.example.given", 1), ("torch.fft.fft", 1)]),
        # Classes: the first argument, one by name, what something is under a condition, what is returned.
        ("run(\n    Parts, rest\n)\nrun(rest, cls=Parts)", [("torch.example.Parts", 2), ("torch.example.Parts", 4)]),
        ("kind = Parts if rest else Parts", [("torch.example.Parts", 1)] * 2),
        ("return Parts", [("torch.example.Parts", 1)]),
        ("super(Parts, self).run(cast(Parts, rest), isinstance(Parts, rest))", []),
        ("run(rest, Parts)\nrun(Parts)\nx: Parts = rest[Parts]\nreturn type(x) == Parts, x", []),
    ],
)  # fmt: skip
def test_what_a_body_hands_on(body: str, found: list[tuple[str, int]]) -> None:
    assert sorted(_handed(body), key=lambda call: (call[1], call[0])) == sorted(
        found, key=lambda call: (call[1], call[0])
    )


def test_a_function_that_is_given_tensors_hands_on_as_well() -> None:
    """Its values are followed, which tells what is called: also what it returns and what stands in tables is used."""
    fact = read(
        "import torch\nfrom torch.fft import fft\n"
        "def given(x): pass\ndef other(x): pass\n"
        "def choose(x: torch.Tensor, f=given, given_too=None):\n"
        "    if x.dim() == 1:\n        return fft\n"
        "    return {'a': other, 'b': [given_too]}\n"
    )
    handed = {
        (call.target, call.line) for call in fact.calls if call.kind in ("handed", "reference")
    }
    assert handed == {("torch.example.given", 5), ("torch.fft.fft", 7), ("torch.example.other", 8)}


def test_what_is_handed_on_by_default() -> None:
    fact = read(
        "from torch.fft import fft\ndef given(x): pass\n"
        "def run(given, f=fft, g: Callable = given, *, h=lambda: fft): pass\n"
        "def other(fft, given: int, x=1): pass\n"
        "class Parts:\n    def make(cls, rest): return {1: cls.part}\n    def part(self, f=given): pass\n"
    )
    functions = [function.name for function in fact.functions]
    handed = {(functions[call.caller], call.target) for call in fact.calls if call.kind == "handed"}
    assert handed == {
        ("run", "torch.fft.fft"),
        ("run", "torch.example.given"),  # which its own parameter is not
        ("Parts.make", "torch.example.Parts.part"),
        ("Parts.part", "torch.example.given"),
    }


_TEST = """
import torch
from torch import nn
from torch.testing._internal.common_utils import parametrize, subtest
from torch.optim import Adam, SGD

class TestParts:
    @parametrize("make", [subtest(nn.Linear, name="a"), partial(SGD, lr=1), nn.ReLU(True)])
    @unittest.skipIf(nn.Conv2d, "")
    def test_parts(self, make):
        {}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("check(nn.Conv2d, Adam)", ["torch.nn.Conv2d", "torch.optim.Adam"]),
        ("check([nn.Conv2d, 1], 2)", ["torch.nn.Conv2d"]),
        ("self.assertIsInstance(make, nn.Conv2d)", []),
        ("assert isinstance(make, (nn.Conv2d, Adam))", []),
        ("class Inner(nn.Module): pass", []),
        ("def inner(x: Optional[torch.Tensor]): pass", []),
        ("make: List[nn.Conv2d] = []", []),
    ],
)
def test_tests_hand_on_classes_and_are_run_for_them(body: str, found: list[str]) -> None:
    fact = read(_TEST.format(body), "test/test_parts.py")
    parameters = ["torch.nn.Linear", "torch.nn.ReLU", "torch.optim.SGD"]
    handed = [call for call in fact.calls if call.kind == "handed" and MEMBER not in call.target]
    assert sorted(call.target for call in handed) == sorted(parameters + found)
    assert {call.line for call in handed if call.target in parameters} == {8}


def test_who_hands_a_function_on_uses_it(conn: sqlite3.Connection) -> None:
    lines = text(conn, "impact", name="torch.loom.spin")
    assert any("torch.loom.Loom._hook" in line for line in lines)
    assert any("torch.loom.Loom.start" in line and ":10 -reference->" in line for line in lines)


def test_a_method_of_an_object_of_another_files_class_is_handed_on(
    conn: sqlite3.Connection,
) -> None:
    """What else it has is no function, and no call of what that holds."""
    rows = conn.execute(
        "SELECT target, kind, line FROM v_edges WHERE source = 'torch.weaver.weave' ORDER BY line, target"
    )
    assert [tuple(row) for row in rows] == [
        ("torch.loom.Loom.start", "reference", 5),
        ("torch.loom.Loom.start", "reference", 6),
        ("torch.warps.Warp.turned", "python", 6),
    ]


def test_who_launches_a_kernel_of_triton_calls_it(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT DISTINCT source, target, kind FROM v_edges"
        " WHERE target IN ('torch.loom.kernel', 'torch.loom.Looms.rows')"
    )
    assert [tuple(row) for row in rows] == [("torch.loom.launch", "torch.loom.kernel", "python")]


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("torch.loom.Loom._hook", 1),  # test_hook, through start
        ("torch.loom.spin", 2),  # and test_far, through _run and twice, which are none themselves
        ("torch.loom.Loom.start", 1),
    ],
)
def test_tests_are_counted_through_their_helpers(
    conn: sqlite3.Connection, name: str, tests: int
) -> None:
    assert ask(conn, "impact", name=name).tests == tests


def test_an_operator_that_is_handed_on_is_tested(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT t.name, x.how FROM test_operators AS x JOIN tests AS t ON t.id = x.test_id WHERE x.base = 'weft'"
        " ORDER BY t.id"
    )
    assert [tuple(row) for row in rows] == [("test_handed", "c"), ("test_of_anything", "m")]


def test_a_default_is_what_its_name_is_outside() -> None:
    fact = read("def given(x): pass\ndef run(x, given=given):\n    given(x)\n    other(given)\n")
    assert [(call.target, call.line) for call in fact.calls] == [("torch.example.given", 2)]
