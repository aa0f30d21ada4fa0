"""Diffs: every changed line is found, whoever wrote the diff and whatever stands in it."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchtalk.affected.diff.diffs import Span, parse_diff

_GIT = """\
diff --git a/torch/a.py b/torch/a.py
index 1234567..89abcde 100644
--- a/torch/a.py
+++ b/torch/a.py
@@ -10,3 +10,4 @@ def f():
 one
-two
+TWO
+more
 three
@@ -40 +41,0 @@ def g():
-gone
diff --git a/old.cpp b/new.cpp
similarity index 90%
rename from old.cpp
rename to new.cpp
diff --git a/added.h b/added.h
new file mode 100644
index 0000000..89abcde
--- /dev/null
+++ b/added.h
@@ -0,0 +1,2 @@
+a
+b
"""


def test_what_git_writes() -> None:
    first, renamed, added = parse_diff(_GIT)
    assert (first.path, first.old_blob, first.new_blob) == ("torch/a.py", "1234567", "89abcde")
    assert first.old == (Span(11, 11), Span(40, 40))
    assert first.new == (Span(11, 12), Span(42, 41))
    assert (renamed.old_path, renamed.new_path, renamed.old) == ("old.cpp", "new.cpp", ())
    assert (added.old_path, added.new_path) == (None, "added.h")
    assert added.new == (Span(1, 2),)


def test_an_insertion_stands_between_two_lines() -> None:
    (change,) = parse_diff("--- a/x\n+++ b/x\n@@ -5,0 +6,2 @@\n+a\n+b\n")
    assert change.old == (Span(6, 5),)
    assert change.old[0].lines == 2


def test_lines_that_look_like_headers() -> None:
    text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n-++ b/y\n+-- a/z\n+++ b/z\n"
    (change,) = parse_diff(text)
    assert (change.path, change.old) == ("x", (Span(1, 2),))


def test_quoted_paths() -> None:
    text = 'diff --git "a/f\\303\\274.py" "b/f\\303\\274.py"\n--- "a/f\\303\\274.py"\n+++ "b/f\\303\\274.py"\n'
    assert parse_diff(text)[0].path == "fü.py"


@pytest.mark.parametrize("sides", ["a b", "i w", "c i", "c w", "o w", "w c", "1 2"])
def test_prefixes_as_git_writes_them(sides: str) -> None:
    """diff.mnemonicPrefix, and the other way round with -R."""
    first, second = (f"{letter}/" for letter in sides.split())
    head = f"diff --git {first}torch/c.py {second}torch/c.py\n"
    assert [c.path for c in parse_diff(head + "old mode 100644\nnew mode 100755\n")] == [
        "torch/c.py"
    ]
    body = f"--- {first}torch/c.py\n+++ {second}torch/c.py\n@@ -1 +1 @@\n-a\n+b\n"
    for text in (head + body, body):
        (change,) = parse_diff(text)
        assert (change.old_path, change.new_path) == ("torch/c.py", "torch/c.py")
    (added,) = parse_diff(f"--- /dev/null\n+++ {second}torch/c.py\n@@ -0,0 +1 @@\n+b\n")
    assert (added.old_path, added.new_path) == (None, "torch/c.py")


def test_no_prefixes() -> None:
    text = "diff --git c/x.py c/x.py\n--- c/x.py\n+++ c/x.py\n@@ -1 +1 @@\n-a\n+b\n"
    assert parse_diff(text)[0].old_path == "c/x.py"
    text = "--- torch/x.py\n+++ torch/x.py\n@@ -1 +1 @@\n-a\n+b\n"
    assert parse_diff(text)[0].old_path == "torch/x.py"


def test_colours() -> None:
    lines = [
        "\x1b[1mdiff --git a/x b/x\x1b[m", "\x1b[1mindex 1234567..89abcde 100644\x1b[m", "\x1b[1m--- a/x\x1b[m",
        "\x1b[1m+++ b/x\x1b[m", "\x1b[36m@@ -2 +2,2 @@\x1b[m def f():\x1b[m", "\x1b[31m-a\x1b[m",
        "\x1b[32m+\x1b[m\x1b[32mb\x1b[m", "\x1b[32m+c\x1b[m", "",
    ]  # fmt: skip
    (change,) = parse_diff("\n".join(lines))
    assert (change.path, change.old, change.new) == ("x", (Span(2, 2),), (Span(2, 3),))
    assert (change.old_blob, change.new_blob) == ("1234567", "89abcde")


_MERGE = """\
diff --cc torch/a.py
index 8b543a5,2195e81..0000000
mode 100644,100644..100755
--- a/torch/a.py
+++ b/torch/a.py
@@@ -5,5 -7,4 +5,6 @@@ def f():
  same
- mine
 -theirs
++both
  same
 +of the first
+ of the second
  same
"""


def test_merges() -> None:
    """`git diff --cc`, and what `git diff` writes while a merge is not finished."""
    for head in ("--cc", "--combined"):
        (change,) = parse_diff(_MERGE.replace("--cc", head))
        assert (change.old_path, change.new_path, change.old_blob) == (
            "torch/a.py", "torch/a.py", "8b543a5",
        )  # fmt: skip
        assert change.old == (Span(6, 6), Span(8, 8))
        assert change.new == (Span(6, 6), Span(8, 9))
        assert change.old[0].removed == ("mine", "theirs")
        assert change.old[0].added == ("both",)
    both = _MERGE + _GIT
    assert [change.path for change in parse_diff(both)] == [
        "torch/a.py", "torch/a.py", "old.cpp", "added.h",
    ]  # fmt: skip


def test_words() -> None:
    """`git diff --word-diff`: which lines changed is not told, so all may have."""
    text = "--- a/x\n+++ b/x\n@@ -4,3 +4,3 @@\none\nt[-wo-]{+oo+}\nthree\n@@ -9 +9 @@\n{+a+}\n"
    (change,) = parse_diff(text)
    assert (change.old, change.new) == ((Span(4, 6), Span(9, 9)),) * 2


def test_line_ends_of_windows() -> None:
    text = _GIT.replace("\n", "\r\n") + "diff --git a/b.png b/b.png\r\nBinary files differ\r\n"
    paths = [change.path for change in parse_diff(text)]
    assert paths == ["torch/a.py", "old.cpp", "added.h", "b.png"]


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    parse_diff(text)


_LINES = st.lists(
    st.sampled_from(["a", "b", "- c", "+ d", "--- e", "+++ f", "@@ -1 +1 @@", ""]), max_size=30
)


@given(_LINES, _LINES, st.integers(0, 4))
def test_both_sides_are_accounted_for(old: list[str], new: list[str], context: int) -> None:
    text = "\n".join(difflib.unified_diff(old, new, "a/x", "b/x", lineterm="", n=context))
    changes = parse_diff(text + "\n")
    if old == new:
        assert changes == ()
        return
    (change,) = changes
    removed = {line for span in change.old for line in range(span.first, span.last + 1)}
    added = {line for span in change.new for line in range(span.first, span.last + 1)}
    kept_old = [line for at, line in enumerate(old, 1) if at not in removed]
    kept_new = [line for at, line in enumerate(new, 1) if at not in added]
    assert kept_old == kept_new


def test_a_mail_that_has_the_signs_of_a_head_in_its_text() -> None:
    mail = "Subject: [PATCH] x\n\n--- before\n+++ after\n---\n a | 1 +\n\n"
    (change,) = parse_diff(
        f"{mail}diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.34.1\n"
    )
    assert (change.path, change.old) == ("x", (Span(1, 1),))


def test_what_changed_in_a_file_that_windows_saved() -> None:
    before = ["a", "", "b", "c", "", "d"]
    after = ["a", "", "B", "new", "c", "", "d"]
    text = "--- a/x.py\n+++ b/x.py\n@@ -3,6 +3,7 @@\n"
    text += "".join(f"-{line}\n" for line in before) + "".join(f"+{line}\r\n" for line in after)
    (change,) = parse_diff(text)
    assert change.old == (Span(5, 5),)
    assert change.new == (Span(5, 6),)
    assert change.old[0].removed == ("b",)
    assert change.old[0].added == ("B\r", "new\r")
    assert change.old[0].above == ("a", "")
    (only_ends,) = parse_diff("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n-b\n+a\r\n+b\r\n")
    assert only_ends.old == (Span(1, 2),)


@pytest.mark.parametrize(
    "line",
    [
        "Submodule third_party/gloo 1234567..89abcde:",
        "Submodule third_party/gloo 1234567...89abcde (rewind):",
        "Submodule third_party/gloo 0000000...89abcde (new submodule)",
        "Submodule third_party/gloo contains modified content",
    ],
)
def test_submodules_as_their_log_tells_of_them(line: str) -> None:
    first, second = parse_diff(f"{line}\n  > Fix it\n{_GIT}")[:2]
    assert (first.path, first.old) == ("third_party/gloo", ())
    assert second.path == "torch/a.py"


def test_a_copy_is_a_new_file() -> None:
    head = "diff --git a/x.py b/y.py\nsimilarity index 90%\ncopy from x.py\ncopy to y.py\n"
    for text in (head, f"{head}--- a/x.py\n+++ b/y.py\n@@ -1 +1 @@\n-a\n+b\n"):
        (change,) = parse_diff(text)
        assert (change.old_path, change.new_path) == (None, "y.py")
