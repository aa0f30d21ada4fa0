"""What handlers of exceptions and `with` bind."""

from __future__ import annotations

import pytest

from tests.unit.support.python_sources import read

SOURCE = """
import torch
class Lost(Exception):
    def told(self): ...
class Broken(Exception):
    def told(self): ...
    def mended(self): ...
class Timer:
    def stop(self): ...

def caught(x{typed}):
    try:
        x()
    except Lost as error:
        error.told()
    except ValueError as other:
        other.told()

def several(x{typed}):
    try:
        x()
    except (Lost, KeyError,
            Broken) as error:
        error.told()
        with Timer() as timer:
            timer.stop()
"""


@pytest.mark.parametrize("typed", ["", ", y: torch.Tensor = None"])
def test_an_exception_that_is_caught_is_of_its_class(typed: str) -> None:
    fact = read(SOURCE.format(typed=typed), "torch/example.py")
    found = {
        (fact.functions[call.caller].name, call.target.replace("torch.example.", ""))
        for call in fact.calls
        if ")." in call.target
    }
    assert found == {
        ("caught", "Lost().told"),
        ("several", "union(Lost()|Broken()).told"),
        ("several", "Timer().stop"),
    }


def test_exceptions_that_are_caught_by_one_name_are_all_known() -> None:
    source = SOURCE.format(typed="").replace("ValueError as other", "Broken as error")
    fact = read(source.replace("other.told", "error.mended"), "torch/example.py")
    found = {call.target.replace("torch.example.", "") for call in fact.calls}
    assert "union(Lost()|Broken()).mended" in found
    assert "union(Lost()|Broken()).told" in found
