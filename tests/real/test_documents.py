"""The documentation's examples, asked of a real tree again."""

from __future__ import annotations

import pytest

from tests.docs.examples import DOCUMENTS, Example, examples, run
from tests.real.conftest import Real

REAL = [example for path in DOCUMENTS for example in examples(path) if not example.fixture]


def test_there_are_examples() -> None:
    assert len(REAL) >= 10


@pytest.mark.parametrize("example", REAL, ids=lambda example: example.command)
def test_the_answer_is_the_one_that_is_shown(example: Example, new: Real) -> None:
    assert run(example.command, new.db) == example.answer
