"""The figures of the survival tests, as rows of one table."""

from __future__ import annotations

ROWS: list[tuple[str, str]] = []


def figure(what: str, how: str) -> None:
    """Note a result; all are printed when the tests have ended."""
    ROWS.append((what, how))


def table() -> str:
    """The rows as a table in Markdown."""
    return "\n".join(["| what | result |", "| --- | --- |", *(f"| {a} | {b} |" for a, b in ROWS)])
