"""Building an index in a process of its own while the server answers."""

from __future__ import annotations

import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path

import torchtalk
from indexer.errors import BusyError
from indexer.target import is_being_built

_TAIL = 4_096  # bytes of the log that are read for its last line
_LOG_LIMIT = 1_000_000  # bytes after which an old log is begun anew


class BuildFailed(Exception):
    """The index cannot be built; the message says why and what to do."""


class BackgroundBuild:
    """One `torchtalk index` at a time for a database, shared by all servers that want it.

    Args:
        root: of the tree.
        target: the database file.

    The process has a session of its own, so that it outlives a server that is stopped, and
    writes to a log beside the database: a server's stdout belongs to the protocol.
    """

    def __init__(self, root: Path, target: Path) -> None:
        self._root = root
        self._target = target
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._log_start = 0

    @property
    def log(self) -> Path:
        """Where the process writes what it does."""
        return self._target.with_name(self._target.name + ".log")

    @property
    def _arguments(self) -> list[str]:
        return ["index", "--pytorch-source", str(self._root), "--db", str(self._target)]

    def ensure(self) -> str:
        """Start a build unless one is running; returns what to tell whoever asks.

        Raises:
            BuildFailed: the last one failed. It is not tried again: whatever is in its way
                has to be removed first, and a build by hand is noticed at once.
        """
        with self._lock:
            if self._process is None:
                self._start()
            elif (code := self._process.poll()) is not None:
                self._ended(code)
            return self._state()

    def refresh(self) -> str:
        """Bring an index that is there up to date, unless that is under way; returns how it stands.

        One that failed is tried again when the next look finds the tree changed still: what was in
        its way may have been a file that somebody was just writing.
        """
        with self._lock:
            process = self._process
            if process is not None and process.poll() is None:
                return "it is being brought up to date"
            if is_being_built(self._target):
                return "it is being brought up to date by another process"
            failed = process is not None and process.returncode not in (0, BusyError.exit_code)
            said = self._last_line() if failed else ""
            try:
                self._launch()
            except BuildFailed as error:
                return f"it cannot be brought up to date: {error}"
            return "it is being brought up to date" + (f" again; at first: {said}" if said else "")

    def _start(self) -> None:
        # In this order: a build gives the file its name before it frees the lock, so whoever
        # finds the lock free and no file knows that nobody has finished since he looked.
        if not (is_being_built(self._target) or self._target.is_file()):
            self._launch()

    def _launch(self) -> None:
        # The folder that torchtalk was loaded from: not the user's, whose modules could be
        # taken for ours.
        folder = Path(torchtalk.__file__).parents[1]
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            with self.log.open("ab") as log:
                if log.tell() > _LOG_LIMIT:
                    log.truncate(0)
                self._log_start = log.tell()
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "torchtalk", *self._arguments],
                    cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True,
                )  # fmt: skip
        except OSError as error:
            raise BuildFailed(
                f"the index at {self._target} is missing or old, and making it cannot be started "
                f"({error.strerror or error}: {error.filename}). {self._advice()}"
            ) from error
        self._started = time.monotonic()
        # When the file is there nobody asks how the process ended; somebody has to take note.
        threading.Thread(target=self._process.wait, daemon=True).start()

    def _ended(self, code: int) -> None:
        if code == 0 or code == BusyError.exit_code:
            # Finished and removed since, or another one was a moment faster.
            self._process = None
            self._start()
            return
        how = f"exit code {code}" if code > 0 else f"killed by signal {-code}"
        said = self._last_line() or "no message"
        raise BuildFailed(
            f"there is no index at {self._target}, and building it failed ({how}): {said}\n"
            f"{self._advice()} Log: {self.log}"
        )

    def _state(self) -> str:
        if self._process is None:
            return (
                "The index is being built by another process; this takes from seconds to some "
                "minutes. Ask again then."
            )
        seconds = int(time.monotonic() - self._started)
        last = self._last_line().removeprefix("torchtalk: ")
        doing = f", now at {last!r}" if last else ""
        return (
            f"The index of {self._root} is being built ({seconds} s so far{doing}). Ask again in "
            "a moment: answers come as soon as it is there."
        )

    def _advice(self) -> str:
        command = shlex.join(["torchtalk", *self._arguments])
        return f"When the cause is removed, run: {command} ; then ask again."

    def _last_line(self) -> str:
        try:
            with self.log.open("rb") as log:
                size = log.seek(0, 2)
                log.seek(max(self._log_start, size - _TAIL))
                lines = log.read().decode("utf-8", errors="replace").split("\n")
        except OSError:
            return ""
        return next((line.strip()[:500] for line in reversed(lines) if line.strip()), "")
