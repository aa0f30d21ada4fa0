"""Places in a line: a file once, those under a condition apart."""

from __future__ import annotations

import pytest

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
