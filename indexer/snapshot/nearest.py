"""Which snapshot is nearest to a tree: its content, its commit, an ancestor of its commit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from indexer.scan.git import git_commit, git_output
from indexer.scan.tree import SourceTree
from indexer.snapshot.errors import NoSuchSnapshot
from indexer.snapshot.fingerprint import content_id, tree_files
from indexer.snapshot.manifest import Manifest
from indexer.snapshot.store import Kept
from torchtalk import dbfile


class Nearest(NamedTuple):
    """What was chosen.

    Args:
        kept: the snapshot.
        how: `content`, `commit` or `ancestor`.
        commits: between an ancestor and the tree's commit.
    """

    kept: Kept
    how: str
    commits: int = 0


def nearest(store: Sequence[Kept], tree: SourceTree) -> Nearest:
    """Choose a snapshot for a tree.

    Args:
        store: what is kept.
        tree: as it is now.

    Raises:
        NoSuchSnapshot: none has the tree's content, and none is of its commit or before it.
    """
    usable = [
        (kept, kept.manifest) for kept in store
        if kept.manifest is not None and kept.manifest.schema_version <= dbfile.SCHEMA_VERSION
    ]  # fmt: skip
    # Among equals: the most layers, the fewest changes since the commit, the latest, the name.
    usable.sort(key=_preference, reverse=True)
    content = content_id(tree_files(tree)) if usable else ""
    for kept, manifest in usable:
        if manifest.content == content:
            return Nearest(kept, "content")
    head = git_commit(tree.root)
    for kept, manifest in usable:
        if head is not None and manifest.git_commit == head:
            return Nearest(kept, "commit")
    found: list[Nearest] = []
    distances: dict[str, int | None] = {}
    for kept, manifest in usable:
        commit = manifest.git_commit
        if commit is None or head is None:
            continue
        if commit not in distances:
            distances[commit] = _distance(tree, commit)
        distance = distances[commit]
        if distance is not None:
            found.append(Nearest(kept, "ancestor", distance))
    if found:
        return min(found, key=lambda each: each.commits)
    raise NoSuchSnapshot(_why_none(len(usable), tree, head))


def _preference(entry: tuple[Kept, Manifest]) -> tuple[int, int, str, str]:
    kept, manifest = entry
    return len(manifest.layers), -(manifest.changed_files or 0), manifest.built_at, kept.name


def _distance(tree: SourceTree, commit: str) -> int | None:
    """Commits from an ancestor to what is checked out; None where it is no ancestor."""
    if git_output(tree.root, "merge-base", "--is-ancestor", commit, "HEAD") is None:
        return None
    count = git_output(tree.root, "rev-list", "--count", f"{commit}..HEAD")
    return int(count) if count else None


def _why_none(usable: int, tree: SourceTree, head: str | None) -> str:
    if not usable:
        return (
            "there is no snapshot that this torchtalk can read; make one with: torchtalk index, "
            "then torchtalk snapshot save"
        )
    none = f"none of {usable} snapshots has the content of {tree.root}"
    if head is None:
        return f"{none}, and it is no git checkout, so no earlier one can be told; name one"
    shallow = (git_output(tree.root, "rev-parse", "--is-shallow-repository") or "").strip()
    hint = " (the checkout is shallow: git fetch --unshallow shows more)" * (shallow == "true")
    return f"{none} or is of its commit {head[:12]} or an ancestor of it{hint}; name one to load it all the same"
