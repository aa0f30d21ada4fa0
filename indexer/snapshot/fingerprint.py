"""What tells one tree's content from another's: on any machine, in any folder."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from indexer.scan.files import SourceFile, blob_id, is_listed, list_files
from indexer.scan.git import git_output
from indexer.scan.tree import SourceTree

_LINK = "120000"


class GitState(NamedTuple):
    """How indexed files compare with a commit.

    Args:
        tree: git's id of the commit's tree.
        changed: how many files were added, edited or removed since.
    """

    tree: str
    changed: int


def database_files(conn: sqlite3.Connection) -> dict[str, str]:
    """The files that were read into the index `conn`, by path, with git's id of their content."""
    return dict(conn.execute("SELECT path, sha FROM source_files"))


def tree_files(tree: SourceTree) -> dict[str, str]:
    """The files of `tree` that would be indexed now, by path, with git's id of their content."""
    found: dict[str, str] = {}
    for file in list_files(tree):
        if isinstance(file, SourceFile):
            try:
                found[file.path] = blob_id((tree.root / file.path).read_bytes())
            except OSError:
                continue  # an index does not have it either
    return found


def content_id(files: Mapping[str, str]) -> str:
    """SHA-256, in hexadecimal digits, over the paths and contents of `files`, as the functions above give them."""
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path}\0{files[path]}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def git_state(tree: SourceTree, commit: str, files: Mapping[str, str]) -> GitState | None:
    """Compare files with a commit of the tree's repository.

    Args:
        tree: whose repository is asked.
        commit: its id.
        files: as indexed.

    Returns:
        None where git or the commit is missing.
    """
    tree_id = git_output(tree.root, "rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}")
    listing = git_output(tree.root, "ls-tree", "-r", "-z", "--full-tree", commit)
    if tree_id is None or listing is None:
        return None
    committed: dict[str, str] = {}
    for entry in filter(None, listing.split("\0")):
        about, _, path = entry.partition("\t")
        mode, _, sha = about.split(" ")
        if mode != _LINK and is_listed(path):
            committed[path] = sha
    changed = sum(committed.get(path) != sha for path, sha in files.items())
    changed += sum(path not in files for path in committed)
    return GitState(tree_id.strip(), changed)


def fingerprint(content: str, git: GitState | None) -> str:
    """What a content is called: by git's tree where that is known."""
    if git is None:
        return f"content:{content}"
    return f"git:{git.tree}" + (f"+{content[:16]}" if git.changed else "")
