"""What is wrong with the arguments of a question."""

from __future__ import annotations


class BadArgument(ValueError):
    """An argument cannot be used; the message says what can."""
