"""The index that a server answers from, and what to say while there is none."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import threading
from pathlib import Path
from typing import Literal, TypeAlias

from torchtalk.config import NoSource, SettingsError, find_database, find_tree
from torchtalk.db import Index, IndexMissing, IndexUnavailable
from torchtalk.dbfile import SqliteTooOld
from torchtalk.index_command import bringing_command
from torchtalk.server.background import BackgroundBuild, BuildFailed
from torchtalk.server.freshness import Freshness

Update: TypeAlias = Literal["never", "asked", "always"]


class NotYet(Exception):
    """There is no index yet, but there will be; the message is the answer."""


class Unusable(Exception):
    """No question can be answered before a person has done something; the message says what."""


class IndexSource:
    """Finds, opens and, where it is missing, has built the index of one tree.

    Args:
        database: what --db says, or None for the tree's default place.
        source: what --pytorch-source says, or None for the configured tree.
        compare: file of a second index, which `diff` starts from.
        update: `never`; `asked`: bring the index up to date when a question finds the tree
            changed; `always`: also while nobody asks.

    Nothing is looked up before the first question or `prepare`, and a failure of that is
    looked into again by the next question: a tree may be configured while the server runs.
    """

    def __init__(
        self,
        database: Path | None,
        source: Path | None,
        compare: Path | None = None,
        update: Update = "never",
    ) -> None:
        self.compare = compare
        self._update = update
        self._database = database
        self._source = source
        self._lock = threading.Lock()

    @functools.cached_property
    def _index(self) -> Index:
        return Index(find_database(self._database, self._source))

    @functools.cached_property
    def _build(self) -> BackgroundBuild:
        return BackgroundBuild(find_tree(self._source).root, self._index.path)

    @functools.cached_property
    def _freshness(self) -> Freshness:
        return Freshness(self._index, None if self._update == "never" else self._refresh)

    def prepare(self) -> None:
        """Have the index built if there is none; problems are told by the answers."""
        with contextlib.suppress(NotYet, Unusable):
            self.connection()
        with contextlib.suppress(NoSource, SettingsError):
            # It is over when the first question comes.
            if self._update == "always":
                self._freshness.watch()
            else:
                self._freshness.begin()
        self.close()

    def staleness(self) -> str:
        """What to say with an answer where the tree has changed since; takes 30 ms now and then."""
        with self._lock:
            freshness = self._freshness
        return freshness.note()

    def command(self, conn: sqlite3.Connection) -> str:
        """The command that brings the index up to date.

        Args:
            conn: the index.
        """
        return bringing_command(conn, self._database, self._source)

    def _refresh(self) -> str:
        """Have the index brought up to date; returns how that stands."""
        try:
            with self._lock:
                build = self._build
        except (NoSource, SettingsError) as error:
            return f"it cannot be brought up to date: {error}"
        return build.refresh()

    def close(self) -> None:
        """Close the calling thread's connection, if it has one."""
        index: Index | None = self.__dict__.get("_index")
        if index is not None:
            index.close()

    def connection(self) -> sqlite3.Connection:
        """The calling thread's connection to the present index.

        Raises:
            NotYet: it is being built.
            Unusable: it cannot be read, or cannot be built.
        """
        with self._lock:
            try:
                index = self._index
            except (NoSource, SettingsError) as error:
                raise Unusable(str(error)) from error
        try:
            return self._opened(index)
        except (IndexUnavailable, SqliteTooOld) as error:
            raise Unusable(str(error)) from error

    def _opened(self, index: Index) -> sqlite3.Connection:
        try:
            return index.connection()
        except IndexMissing:
            state = self._ensure_building(index)
        try:
            # It may have been finished while we asked.
            return index.connection()
        except IndexMissing as error:
            raise NotYet(state) from error

    def _ensure_building(self, index: Index) -> str:
        with self._lock:
            try:
                build = self._build
            except (NoSource, SettingsError) as error:
                raise Unusable(f"there is no index at {index.path}, and {error}") from error
        try:
            return build.ensure()
        except BuildFailed as error:
            # One that was built by hand meanwhile counts all the same.
            if index.path.is_file():
                return ""
            raise Unusable(str(error)) from error
