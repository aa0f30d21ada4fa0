"""Files of a diff with a merge that is not finished."""

from __future__ import annotations

from collections.abc import Iterable

from torchtalk.affected.diff.diffs import FileChange
from torchtalk.counted import few

# As git writes the beginning of either side, with seven of the sign (git-merge(1), How conflicts are presented).
_SIDES = ("<<<<<<< ", ">>>>>>> ")
_MOST = 3


def of_conflicts(files: Iterable[FileChange]) -> tuple[str, ...]:
    """What is to be said of files in which a conflict is left: one sentence, or nothing without any.

    Args:
        files: of the diff.
    """
    left = [
        change.path
        for change in files
        if all(
            any(line.startswith(side) for span in change.new for line in span.added)
            for side in _SIDES
        )
    ]
    if not left:
        return ()
    return (
        f"a merge is not finished in {few(left, _MOST)}: what either side has counts as changed",
    )
