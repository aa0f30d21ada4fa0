"""Prints the figures after the tests, whichever process they ran in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.survive.report import ROWS, table


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes two minutes whatever the machine: the rest goes on beside it."""
    items.sort(key=lambda item: item.path.stem != "test_load")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A process of `-n` hands its figures to the one that prints."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["figures"] = ROWS


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the figures of a process of `-n`."""
    output = getattr(node, "workeroutput", {})  # one that crashed has none
    ROWS.extend((what, how) for what, how in output.get("figures", ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was measured."""
    if ROWS:
        terminalreporter.write_line("")
        terminalreporter.write_line(table())
