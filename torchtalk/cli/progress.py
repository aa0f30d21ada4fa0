"""How `torchtalk index` shows what it is doing, always on stderr."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from indexer.progress import Progress, Silent

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

_EVERY = 2.0  # seconds between two lines of the same stage


class Lines:
    """A line for each stage and every few seconds: for logs and CI."""

    def __init__(self) -> None:
        self._name = ""
        self._total = self._done = 0
        self._said = 0.0

    def stage(self, name: str, total: int) -> None:
        """Say that a stage called `name` begins, of `total` steps, 0 where that is not known."""
        self._name, self._total, self._done = name, total, 0
        self._say(f"{name}: {total}" if total else name)

    def advance(self, steps: int) -> None:
        """Take in that so many `steps` more are done; say how far it is, now and then."""
        self._done += steps
        if time.monotonic() - self._said >= _EVERY:
            self._say(f"{self._name}: {self._done} of {self._total}")

    def _say(self, text: str) -> None:
        self._said = time.monotonic()
        click.echo(f"torchtalk: {text}", err=True)


class Bar:
    """A bar on a terminal."""

    def __init__(self, bar: RichProgress) -> None:
        self._bar = bar
        self._task = bar.add_task("start", total=None)

    def stage(self, name: str, total: int) -> None:
        """Start the bar again under another `name`, with `total` steps, 0 where that is not known."""
        self._bar.reset(self._task, total=total or None, description=name)

    def advance(self, steps: int) -> None:
        """Move it on by so many `steps`."""
        self._bar.advance(self._task, steps)


@contextlib.contextmanager
def shown_progress(quiet: bool) -> Iterator[Progress]:
    """A bar on a terminal, lines elsewhere, nothing where quiet."""
    if quiet:
        yield Silent()
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and "CI" not in os.environ:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        with RichProgress(
            TextColumn("{task.description:8}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        ) as bar:
            yield Bar(bar)
    else:
        yield Lines()
