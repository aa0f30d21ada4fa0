"""A diff with a merge that is not finished."""

from __future__ import annotations

import pytest

from torchtalk.affected.diff.conflicts import of_conflicts
from torchtalk.affected.diff.diffs import parse_diff

_OURS = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,5 @@\n {}"
_OF_MERGE = "diff --cc x.py\nindex 1,2..0\n--- a/x.py\n+++ b/x.py\n@@@ -1,1 -1,1 +1,5 @@@\n{}"
_SAID = ("a merge is not finished in x.py: what either side has counts as changed",)


@pytest.mark.parametrize(
    ("diff", "said"),
    [
        (_OF_MERGE.format("++<<<<<<< HEAD\n +ours\n++=======\n+ theirs\n++>>>>>>> topic\n"), _SAID),
        (_OURS.format("a\n+<<<<<<< HEAD\n+ours\n+=======\n+>>>>>>> topic\n"), _SAID),
        # One that is resolved, and a text that looks alike.
        (_OURS.format("a\n-<<<<<<< HEAD\n+ours\n->>>>>>> topic\n"), ()),
        (_OURS.format("a\n+<<<<<<< shift\n+b\n+c\n+d\n"), ()),
    ],
)
def test_a_file_with_both_sides(diff: str, said: tuple[str, ...]) -> None:
    assert of_conflicts(parse_diff(diff)) == said
