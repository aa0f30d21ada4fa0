"""Asking git about a tree: about that one, whatever git command torchtalk was started by."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

# `git rev-parse --local-env-vars`: git gives these to hooks, to `rebase --exec` and to aliases. They name the
# repository that the hook is of, and come before the folder that is asked about.
_OF_ONE_REPOSITORY = frozenset(
    "GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_OBJECT_DIRECTORY GIT_DIR"
    " GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE GIT_INDEX_FILE GIT_NO_REPLACE_OBJECTS GIT_REPLACE_REF_BASE"
    " GIT_PREFIX GIT_INTERNAL_SUPER_PREFIX GIT_SHALLOW_FILE GIT_COMMON_DIR".split()
)


def run_git(root: Path, *arguments: str, timeout: float) -> subprocess.CompletedProcess[bytes]:
    """Run a git command in a folder.

    Args:
        root: the folder; the repository is the one that it belongs to.
        arguments: of git.
        timeout: seconds.

    Returns:
        What came of it, whatever its exit code.

    Raises:
        OSError: there is no git.
        subprocess.TimeoutExpired: it took longer.
    """
    environment = {
        name: value for name, value in os.environ.items() if name not in _OF_ONE_REPOSITORY
    }
    return subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, timeout=timeout, check=False, env=environment
    )  # fmt: skip


def git_output(root: Path, *arguments: str) -> str | None:
    """What a git command prints, or None where it fails, or git or a repository is missing or slow.

    A repository further up, of which the tree is only an ignored or foreign part, is not the
    tree's own and does not count.

    Args:
        root: of the tree.
        arguments: of git.
    """
    if not any(os.path.lexists(folder / ".git") for folder in (root, *root.parents)):
        return None  # nothing that git could find, which takes it longer to say
    try:
        top = run_git(root, "rev-parse", "--show-toplevel", timeout=10)
        if top.returncode or Path(os.fsdecode(top.stdout.rstrip(b"\n"))).resolve() != root:
            return None
        done = run_git(root, *arguments, timeout=60)
        return None if done.returncode else done.stdout.decode("utf-8")
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None


def git_commit(root: Path) -> str | None:
    """The commit that is checked out at `root`, in hexadecimal digits, or None outside a repository."""
    commit = git_output(root, "rev-parse", "HEAD")
    return commit.strip() if commit else None
