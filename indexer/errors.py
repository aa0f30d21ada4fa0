"""Why an index could not be built, each with the exit code that the CLI ends with."""

from __future__ import annotations


class BuildError(Exception):
    """Base of all; the message tells a person what to do."""

    exit_code = 1


class SourceError(BuildError):
    """A file that a whole layer stands on cannot be read."""

    exit_code = 4


class TargetError(BuildError):
    """The database cannot be written where it should be."""

    exit_code = 5


class UnsoundError(TargetError):
    """What was written does not hold together; it has not been put in its place."""


class BusyError(BuildError):
    """Another process is building the same database."""

    exit_code = 6


class WorkerError(BuildError):
    """A worker process died."""

    exit_code = 7
