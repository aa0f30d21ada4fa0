"""The diff of a checkout, by git."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from indexer.scan.git import run_git

# What tests are known to look at by name (`expectations`) has no such ending.
_SOURCE = re.compile(
    r"\.(?:py|pyi|cpp|cc|cxx|c|h|hpp|cuh|cu|mm|m|metal|glsl|yaml|inl)$|(?:^|/)test/.*\.test\w*(?:-[\w.-]+)?(?:\.expect)?$"
)
MOST_UNTRACKED = 2_000
"""So many files that git does not know are looked at."""

MAX_UNTRACKED = 1_000_000
"""The longest of them, in bytes."""


class NoDiff(ValueError):
    """A diff could not be had; the message says why."""


def git_diff(root: Path, since: str = "") -> str:
    """What changed in a checkout: since a revision, or what is not committed, with sources that git does not know yet.

    Args:
        root: of the tree.
        since: any revision; the changes since it branched off count, as in a pull request.
            Empty: the working copy against HEAD.

    Raises:
        NoDiff: there is no git, no repository, no such revision, or a clone too shallow to know what both share.
    """
    if since.startswith("-"):
        raise NoDiff(f"{since} is no revision")
    base = since or "HEAD"
    command = (
        "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--unified=0", "--src-prefix=a/", "--dst-prefix=b/",
        "--find-renames", "--relative",
    )  # fmt: skip
    try:
        if since:
            merged = (
                run_git(root, "merge-base", since, "HEAD", timeout=30)
                .stdout.decode("ascii", "replace")
                .strip()
            )
            base = merged or since
            if not merged and _is_shallow(root):
                # Between two tips there would be what the other branch did, as well.
                raise NoDiff(
                    f"this clone is shallow and has not the commit that {since} and HEAD share: git fetch --unshallow"
                )
        done = run_git(root, *command, base, "--", timeout=60)
        listed = run_git(root, "ls-files", "--others", "--exclude-standard", "-z", timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        raise NoDiff(f"git cannot be run in {root}: {error}") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
        if reason and "not a git repository" in reason[0].lower():
            raise NoDiff(f"{root} is no git checkout, so that what changed is not known")
        raise NoDiff(reason[0] if reason else f"git diff failed in {root}")
    return done.stdout.decode("utf-8", "replace") + "".join(_untracked(root, listed.stdout))


def _is_shallow(root: Path) -> bool:
    """Whether history was left out, as `git clone --depth` and continuous integration do."""
    return (
        run_git(root, "rev-parse", "--is-shallow-repository", timeout=30).stdout.strip() == b"true"
    )


def _untracked(root: Path, listed: bytes) -> Iterator[str]:
    """Diffs that add the sources that are neither committed nor ignored, of which git has listed the paths."""
    paths = [path for path in listed.decode("utf-8", "replace").split("\0") if path]
    for path in sorted(path for path in paths if _SOURCE.search(path))[:MOST_UNTRACKED]:
        file = root / path
        try:
            if file.is_symlink() or not file.is_file() or file.stat().st_size > MAX_UNTRACKED:
                continue
            lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            continue  # it is gone meanwhile, or nobody may read it
        added = "\n".join(f"+{line}" for line in lines)
        yield (
            f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
            f"@@ -0,0 +1,{len(lines)} @@\n{added}\n"
        )
