"""Prints the figures after the tests."""

from __future__ import annotations

import pytest

from tests.survive.report import ROWS, table


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if ROWS:
        terminalreporter.write_line("")
        terminalreporter.write_line(table())
