"""What tests expect errors to say, as their files tell it."""

from __future__ import annotations

import pytest

from indexer.extract.python.testing import extract
from indexer.facts.tests import ExpectedMessages


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            'with self.assertRaisesRegex(RuntimeError, r"must be a\\(n\\) odd.*matrix"):\n        f()',
            r"2 must be a\(n\) odd.*matrix",
        ),
        (
            'with self.assertWarnsRegex(\n        UserWarning,\n        "is not safe"\n        " at all",\n    ):\n        f("no part of it")',
            "4 is not safe at all",
        ),
        ("self.assertRaisesRegex(E, 'short', lambda: f('what is longer'))", None),
        (
            'with pytest.raises(ValueError, match="cannot be done"):\n        f()',
            "2 cannot be done",
        ),
        ('yield ErrorInput(x, error_regex="has no {what} left")', "2 has no {what} left"),
        ('# assertRaisesRegex(E, "cannot be done")\n    f("cannot be done")', None),
        ('self.assertRaisesRegex(E, "impossible")', None),
        ('self.assertEqual(x, "cannot be done")', None),
    ],
)
def test_messages(text: str, messages: str | None) -> None:
    source = f"def test_it(self):\n    {text}\n".encode()
    found = [
        fact for fact in extract("test/test_it.py", source) if isinstance(fact, ExpectedMessages)
    ]
    assert [fact.messages for fact in found] == ([messages] if messages else [])


def test_each_has_its_line() -> None:
    one = '    self.assertRaisesRegex(E, "cannot be {}", f)\n'
    source = f"def test_it(self):\n{one.format('had')}    f()\n{one.format('done')}".encode()
    (found,) = (f for f in extract("test/test_it.py", source) if isinstance(f, ExpectedMessages))
    assert found.messages == "2 cannot be had\n4 cannot be done"
