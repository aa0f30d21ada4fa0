"""Places in a line: a file once, those under a condition apart."""

from __future__ import annotations

import pytest

from torchtalk.answers.base import Place
from torchtalk.answers.dispatch import DispatchLine
from torchtalk.render import text_trace
from torchtalk.render.text import places_built


@pytest.mark.parametrize(
    ("places", "conditions", "text"),
    [
        (["a.cu:3", "a.cu:9", "b.cu:4"], ["", "", ""], "a.cu:3, 9, b.cu:4"),
        (["a.cu:3", "b.cu:4", "a.cu:9"], ["", "", ""], "a.cu:3, b.cu:4, a.cu:9"),
        (["a.cu:3", "a.cu:9", "a.cu:11"], ["", "X", "X"], "a.cu:3; a.cu:9, 11 if X"),
        (["1", "2"], ["", ""], "1, 2"),
        ([], [], ""),
    ],
)
def test_a_file_is_said_once(places: list[str], conditions: list[str], text: str) -> None:
    assert places_built(places, conditions) == text


def test_where_several_keys_are_registered_names_a_file_once() -> None:
    places = tuple(Place(file, line) for file, line in (("a.cpp", 1), ("a.cpp", 9), ("b.cpp", 2)))
    line = DispatchLine(("CPU", "CUDA"), "at::f", (Place("f.h", 3),), places, "macro")
    assert text_trace._dispatch(line) == (
        "CPU, CUDA -> at::f  f.h:3  [macro]  (registered a.cpp:1, 9, b.cpp:2)"
    )
