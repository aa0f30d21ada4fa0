"""Why a snapshot cannot be kept or used, each with the exit code that the CLI ends with."""

from __future__ import annotations


class SnapshotError(Exception):
    """Base of all; the message tells a person what to do."""

    exit_code = 1


class NoSuchSnapshot(SnapshotError):
    """The store has none of that name, or none that fits."""


class CannotKeep(SnapshotError):
    """A file or folder cannot be written."""

    exit_code = 5


class NoDatabase(SnapshotError):
    """There is no index that a snapshot could be made of."""

    exit_code = 8


class Refused(SnapshotError):
    """A file is no snapshot, is damaged, or does not fit this torchtalk."""

    exit_code = 9
