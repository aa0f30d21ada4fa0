"""Unified diffs as git and others write them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from torchtalk.affected.diff.ends import parts

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
# Of a merge, by `git diff --cc`: one range and one sign for each parent, the first of which the merge was made on.
_COMBINED = re.compile(r"^(@@@+)((?: -\d+(?:,\d+)?)+) \+(\d+)(?:,(\d+))? @@@")
_INDEX = re.compile(r"^index ([0-9a-f]{4,64})(?:,[0-9a-f]+)*\.\.([0-9a-f]{4,64})")
_OF_MERGE = re.compile(r"^diff --(?:cc|combined) ")
# `git diff --submodule=log`, or with diff.submodule set so: no diff of a file, and what it says stands below.
_SUBMODULE = re.compile(
    r"^Submodule (?P<path>\S.*?) (?:[0-9a-f]{4,}\.\.|contains (?:modified|untracked) content)"
)
_NOTHING = "/dev/null"
_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
# a/ and b/; with diff.mnemonicPrefix i(ndex), w(ork tree), c(ommit), o(bject); with --no-index 1/ and 2/.
_SIDES = "abciow12"
WHOLE_FILE = 1_000_000_000
"""The last line of a span that is a file, however many lines it has."""


@dataclass(frozen=True)
class Span:
    """Lines that changed, 1-based and inclusive.

    What is only inserted has `last == first - 1`: it stands between these two lines.

    Args:
        first: line.
        last: line.
        removed: the text of the lines before, where a diff tells it.
        added: that of the lines after.
        above: the lines above, before the change, as far as the hunk has them.
    """

    first: int
    last: int
    removed: tuple[str, ...] = field(default=(), compare=False)
    added: tuple[str, ...] = field(default=(), compare=False)
    above: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def lines(self) -> int:
        """How many lines changed: of an insertion those that are added, as far as told; of a whole file one."""
        if self.last >= WHOLE_FILE:
            return 1
        before = self.last - self.first + 1
        return before if before > 0 else max(1, len(self.added))

    @property
    def number(self) -> int:
        """How many lines it has, on the side that has more of them; 0 where no text tells."""
        return max(len(self.removed), len(self.added))


@dataclass(frozen=True)
class FileChange:
    """What a diff says of one file.

    Args:
        old_path: None where the file is new.
        new_path: None where it is removed.
        old_blob: beginning of git's id of its content before, or empty.
        new_blob: the same after.
        old: what changed, by the lines before.
        new: the same by the lines after.
    """

    old_path: str | None
    new_path: str | None
    old_blob: str
    new_blob: str
    old: tuple[Span, ...]
    new: tuple[Span, ...]

    @property
    def path(self) -> str:
        """The file's path, before rather than after."""
        return self.old_path or self.new_path or ""


def parse_diff(text: str) -> tuple[FileChange, ...]:
    """The changes of a unified diff, file by file.

    Args:
        text: with or without git's extended headers. What is no diff has no changes.
    """
    found: list[FileChange] = []
    current = _File()
    lines = _COLOUR.sub("", text).split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("diff --git "):
            current.finish(found)
            current = _File(*_git_paths(line))
        elif match := _OF_MERGE.match(line):
            current.finish(found)
            path = _unquoted(line[match.end() :])
            current = _File(path, path)
        elif match := _SUBMODULE.match(line):
            current.finish(found)
            current = _File(match["path"], match["path"])
        elif match := _INDEX.match(line):
            current.blobs = (match[1], match[2])
        elif line.startswith("rename from "):
            current.old_path = _unquoted(line[12:])
        elif line.startswith("rename to "):
            current.new_path = _unquoted(line[10:])
        elif line.startswith("copy to "):
            current.new_path, current.is_copy = _unquoted(line[8:]), True
        elif line.startswith("new file mode"):
            current.old_path = None
        elif line.startswith("deleted file mode"):
            current.new_path = None
        elif line.startswith("--- ") and _is_head(lines, at, is_git=current.is_open):
            if current.has_hunks or not current.is_git:
                current.finish(found)
                current = _File()
            current.old_path, current.new_path = _sides(line[4:], lines[at + 1][4:])
            at += 1
        elif match := _HUNK.match(line):
            at = current.hunk(match, lines, at + 1)
            continue
        elif match := _COMBINED.match(line):
            at = current.combined(match, lines, at + 1)
            continue
        at += 1
    current.finish(found)
    return tuple(found)


class _File:
    def __init__(self, old_path: str | None = None, new_path: str | None = None) -> None:
        self.old_path = old_path
        self.new_path = new_path
        self.blobs = ("", "")
        self.old: list[Span] = []
        self.new: list[Span] = []
        self.is_git = old_path is not None
        self.is_copy = False

    @property
    def is_open(self) -> bool:
        """Whether git named the file, and no hunk of it came yet."""
        return self.is_git and not self.has_hunks

    @property
    def has_hunks(self) -> bool:
        return bool(self.old or self.new)

    def finish(self, found: list[FileChange]) -> None:
        if self.is_copy:
            self.old_path = None  # what it is a copy of stays as it was
        if self.old_path is None and self.new_path is None:
            return
        old_blob, new_blob = self.blobs
        found.append(
            FileChange(
                self.old_path, self.new_path, old_blob, new_blob, tuple(self.old), tuple(self.new)
            )
        )

    def hunk(self, match: re.Match[str], lines: list[str], at: int) -> int:
        """Take in a hunk's lines; returns the position behind them."""
        old, new = int(match[1]), int(match[3])
        # An empty side is written as starting at the line before it.
        old_left = 1 if match[2] is None else int(match[2])
        new_left = 1 if match[4] is None else int(match[4])
        old += old_left == 0
        new += new_left == 0
        whole = Span(old, old + old_left - 1), Span(new, new + new_left - 1)
        known = len(self.old)
        above: list[str] = []
        while at < len(lines) and (old_left > 0 or new_left > 0):
            first_old, first_new = old, new
            texts: dict[str, list[str]] = {"-": [], "+": [], "\\": []}
            while at < len(lines) and lines[at][:1] in ("-", "+", "\\"):
                sign = lines[at][0]
                texts[sign].append(lines[at][1:])
                if sign == "-":
                    old, old_left = old + 1, old_left - 1
                elif sign == "+":
                    new, new_left = new + 1, new_left - 1
                at += 1
                if old_left <= 0 and new_left <= 0:
                    break
            if old > first_old or new > first_new:
                self._take((first_old, first_new), (texts["-"], texts["+"]), above)
                above += texts["-"]
                continue
            above.append(lines[at][1:])
            old, new, old_left, new_left = old + 1, new + 1, old_left - 1, new_left - 1
            at += 1
        if len(self.old) == known:
            # `git diff --word-diff` marks words, and no line: any of them may have changed.
            self.old.append(whole[0])
            self.new.append(whole[1])
        return at

    def _take(
        self, first: tuple[int, int], texts: tuple[list[str], list[str]], above: list[str]
    ) -> None:
        """Take in lines that were removed and those that were added for them, each from a line on."""
        removed, added = texts
        for begin, end, new_begin, new_end in parts(removed, added):
            over = (*above, *removed[:begin])
            told = tuple(removed[begin:end]), tuple(added[new_begin:new_end]), over
            self.old.append(Span(first[0] + begin, first[0] + end - 1, *told))
            self.new.append(Span(first[1] + new_begin, first[1] + new_end - 1, *told))

    def combined(self, match: re.Match[str], lines: list[str], at: int) -> int:
        """Take in a hunk of a merge: the lines that differ from one parent or another, by those of the first."""
        ranges = [part.partition(",") for part in match[2].replace("-", "").split()]
        left = [int(number or 1) for _, _, number in ranges]
        new_left = 1 if match[4] is None else int(match[4])
        old, new = int(ranges[0][0]) + (left[0] == 0), int(match[3]) + (new_left == 0)
        first = old, new
        texts: dict[str, list[str]] = {"-": [], "+": []}
        while at < len(lines) and (new_left > 0 or max(left) > 0):
            signs, text = lines[at][: len(left)], lines[at][len(left) :]
            at += 1
            if signs.startswith("\\"):
                continue
            sign = "-" if "-" in signs else "+" if "+" in signs else ""
            if not sign:
                self._between(first, (old, new), texts)
            # A parent has what was removed from it, and what is there and was not added to it.
            has = [one == "-" or (one != "+" and sign != "-") for one in signs.ljust(len(left))]
            left = [number - had for number, had in zip(left, has, strict=True)]
            old, new, new_left = old + has[0], new + (sign != "-"), new_left - (sign != "-")
            if sign:
                texts[sign].append(text)
            else:
                first = old, new
        self._between(first, (old, new), texts)
        return at

    def _between(
        self, first: tuple[int, int], end: tuple[int, int], texts: dict[str, list[str]]
    ) -> None:
        """Take in what changed from a line on, before and after, up to another."""
        removed, added = tuple(texts["-"]), tuple(texts["+"])
        if removed or added:
            self.old.append(Span(first[0], end[0] - 1, removed, added))
            self.new.append(Span(first[1], end[1] - 1, removed, added))
        texts["-"], texts["+"] = [], []


def _is_head(lines: list[str], at: int, *, is_git: bool) -> bool:
    """Whether two lines name a file before and after; elsewhere than behind git's own line a hunk follows."""
    if at + 1 >= len(lines) or not lines[at + 1].startswith("+++ "):
        return False
    return is_git or (at + 2 < len(lines) and lines[at + 2].startswith("@@"))


def _git_paths(line: str) -> tuple[str | None, str | None]:
    """`diff --git a/x b/x`: the two are equal unless a later line says otherwise."""
    rest = line[len("diff --git ") :].rstrip("\r")
    if rest.startswith('"'):
        first, _, second = rest[1:].partition('" "')
        return _sides(f'"{first}"', f'"{second}')
    middle = len(rest) // 2
    return _sides(rest[:middle], rest[middle + 1 :])


def _sides(old: str, new: str) -> tuple[str | None, str | None]:
    """The two paths without what git puts before them to tell them apart: two letters that differ."""
    paths = [_unquoted(side.partition("\t")[0].rstrip("\r")) for side in (old, new)]
    there = [path for path in paths if path != _NOTHING]
    letters = {path[0] for path in there if path[1:2] == "/" and path[0] in _SIDES}
    if len(letters) == len(there):
        paths = [path if path == _NOTHING else path[2:] for path in paths]
    first, second = (None if path == _NOTHING else path for path in paths)
    return first, second


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        raw = text[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
        return raw.encode("latin-1", "replace").decode("utf-8", "replace")
    return text
