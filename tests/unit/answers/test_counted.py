"""Numbers and lists of things in a sentence."""

from __future__ import annotations

import pytest

from torchtalk.answers.base import Page
from torchtalk.counted import counted, few
from torchtalk.render.pages import page_line


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 tests"), (1, "1 test"), (2, "2 tests"), (12_345, "12,345 tests")]
)
def test_how_many(number: int, said: str) -> None:
    assert counted(number, "test") == said


def test_long_lists_say_how_many_are_left_out() -> None:
    assert few(["a", "b"], 2) == "a, b"
    assert few([str(n) for n in range(1502)], 2, "tests") == "0, 1 and 1,500 more tests"


def test_a_page_of_many() -> None:
    assert [*page_line(Page(12_345, 2_000, 20), "tests")] == [
        "2,001 to 2,020 of 12,345 tests; more with offset=2020"
    ]
