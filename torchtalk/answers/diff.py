"""What is different between two indexes."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import NO_PAGE, Answer, Page, Place


@dataclass(frozen=True)
class Change:
    """One thing that changed, or several that changed alike.

    Args:
        kind: added, removed, changed; breaking where callers of the old one may fail; moved …
        name: of the thing in full; of a packet where its overloads changed alike.
        members: what of it, where not all: overloads, operators, tests.
        details: what about it, one fact each.
        old: where it stands in the first index.
        new: where it stands in the second.
    """

    kind: str
    name: str
    members: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    old: Place | None = None
    new: Place | None = None


@dataclass(frozen=True)
class Section:
    """Changes of one kind of thing.

    Args:
        name: by which it is asked for.
        title: for people.
        total: how many things changed.
        counts: how many of them in which way.
        facts: what is true of the section as a whole.
        missing: why it cannot be told; empty where it can.
        changes: the most important first, as far as this page goes.
        page: of the list of changes.
    """

    name: str
    title: str
    total: int
    counts: dict[str, int]
    facts: tuple[str, ...] = ()
    missing: str = ""
    changes: tuple[Change, ...] = ()
    page: Page = NO_PAGE


@dataclass(frozen=True)
class IndexName:
    """Which index is meant.

    Args:
        database: its file.
        torch_version: of the tree.
        git_commit: of the tree.
        source_root: of the tree.
    """

    database: str
    torch_version: str | None
    git_commit: str | None
    source_root: str | None

    def __str__(self) -> str:
        commit = f" ({self.git_commit[:12]})" if self.git_commit else ""
        return f"PyTorch {self.torch_version or 'of unknown version'}{commit}"


@dataclass(frozen=True)
class DiffAnswer(Answer):
    """What changed from one index to another, section by section."""

    old: IndexName | None = None
    new: IndexName | None = None
    sections: tuple[Section, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether anything changed in the sections that were asked for."""
        return any(section.total for section in self.sections)
