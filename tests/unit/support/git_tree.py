"""A git checkout of the embedded tree, for tests that need commits."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def git(tree: Path, *arguments: str) -> str:
    """Run git without the user's settings."""
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        [*command, "-C", str(tree), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(tree: Path) -> str:
    """Commit all there is; returns the id."""
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "--allow-empty", "-m", "x")
    return git(tree, "rev-parse", "HEAD")


def checkout(source: Path, target: Path) -> Path:
    """A copy of a tree as a repository with one commit."""
    shutil.copytree(source, target)
    git(target, "init", "-q", "-b", "main")
    commit(target)
    return target
