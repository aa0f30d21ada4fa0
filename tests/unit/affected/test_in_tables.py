"""A function that stands in a table of a module leads to the functions that look the table up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.python_torch import BASE
from tests.unit.support.small_tree import indexed

FILES = {
    "torch/handled.py": """def _forward(x):
    return x
def _handler(x):
    return _forward(x)
def _made(x):
    return x
def _added(x):
    return x
def _alone(x):
    return x
def _of_part(x):
    return x
HANDLERS = {
    "one": _handler,
    "text": '''
begins a line
''',
    "made": [_made],
}
HANDLERS["added"] = _added
PART = (_of_part,)
WHOLE = [
    *PART,
]
TEXT = "_alone"
def enable(name):
    return HANDLERS[name]
""",
    "torch/other.py": "from torch.handled import WHOLE\ndef run_whole(x):\n    return [f(x) for f in WHOLE]\n",
    "test/test_elsewhere.py": """from unittest import TestCase
from torch.handled import enable
from torch.other import run_whole
class TestElsewhere(TestCase):
    def test_enabled(self):
        enable("one")
    def test_whole(self):
        run_whole(1)
""",
}


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("_forward", ["test_enabled"]), ("_handler", ["test_enabled"]), ("_made", ["test_enabled"]),
        ("_added", ["test_enabled"]), ("_of_part", ["test_whole"]), ("_alone", []),
    ],
)  # fmt: skip
def test_users_of_a_table_use_what_stands_in_it(
    name: str, tests: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTORCH_SOURCE", str(tmp_path / "tree"))
    with indexed({**BASE, **FILES}, tmp_path) as conn:
        answer = ask(conn, "affected", names=f"torch.handled.{name}")
        found = [test for test in answer.tests if f", which has {name}" in test.path[0]]
        if name != "_forward":  # its handler stands in the table
            assert [test.name.rpartition(".")[2] for test in found] == tests
        assert answer.tests[0].name.rpartition(".")[2] == (tests or ["test_enabled"])[0]
        assert any("stands in" in note for note in answer.notes) == bool(tests)
