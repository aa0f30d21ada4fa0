"""What an index holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from torchtalk.answers.base import Answer


@dataclass(frozen=True)
class LayerStatus:
    """One layer.

    Args:
        name: as in `coverage`.
        title: for people.
        status: ok, or skipped where the tree has nothing for it.
        counts: what it holds, by name.
        shortfalls: rows of `coverage` that say what is missing, by status.
        areas: how many of them have another name there than the layer's, by that name.
    """

    name: str
    title: str
    status: str
    counts: dict[str, int]
    shortfalls: dict[str, int]
    areas: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class StatusAnswer(Answer):
    """The state of an index and of its tree.

    Args:
        tree: unchanged, changed or absent, as it was when the two were compared.
        compared_seconds_ago: 0 where that was for this answer.
        unread: files that no layer has, by why: skipped, failed.
    """

    database: str = ""
    size: int = 0
    source_root: str = ""
    torch_version: str | None = None
    git_commit: str | None = None
    built_at: str = ""
    built_by: str = ""
    schema_version: int = 0
    tree: str = "unknown"
    changed_files: int = 0
    compared_seconds_ago: int = 0
    layers: tuple[LayerStatus, ...] = ()
    unread: dict[str, int] = field(default_factory=dict)
