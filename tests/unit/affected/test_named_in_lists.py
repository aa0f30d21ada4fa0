"""What only stands in a list of very many things is not run by who makes the list."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.asking import affected_by_line
from tests.unit.support.small_tree import indexed

_FILE = "torch/rolls.py"
_CASE = "from unittest import TestCase\nfrom torch import rolls\n"


@pytest.mark.parametrize(("number", "is_last"), [(120, True), (20, False)])
def test_a_list_of_very_many(number: int, is_last: bool, tmp_path: Path) -> None:
    """torch/overrides.py, `get_ignored_functions`: 194 functions, `torch.export.load` among them."""
    names = ", ".join(f"roll_{at}" for at in range(number))
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
        "torch/__init__.py": "",
        _FILE: "def wrap():\n    return wound()\n\ndef wound():\n    return roll_0()\n\n"
        + "".join(f"def roll_{at}():\n    return {at}\n\n" for at in range(number))
        + f"def listed():\n    return {{{names}}}\n",
        "test/test_all.py": f"{_CASE}class TestAll(TestCase):\n"
        "    def test_lists(self):\n        rolls.listed()\n"
        "    def test_winds(self):\n        rolls.wrap()\n",
    }
    with indexed(files, tmp_path) as conn:
        answer = affected_by_line(conn, files, _FILE, "return 0")
    weights = {test.name: test.weight for test in answer.tests}
    ways = {test.name: test.path for test in answer.tests}
    lists, winds = "TestAll.test_lists", "TestAll.test_winds"
    assert (weights.get(lists, 0.0) < weights[winds] / 5) == is_last
    said = "torch.rolls.listed calls it"
    assert (said in ways.get(lists, ())) != is_last
