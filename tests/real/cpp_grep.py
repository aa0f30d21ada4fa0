"""A way of its own to find words in C++: comments and strings are dropped, line by line, with a small state machine.

It shares nothing with the extractors, so that both can be held against each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

SUFFIXES = frozenset(
    (".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hh", ".inl", ".cu", ".cuh", ".hip", ".mm", ".m")
)
_SKIPPED = ("third_party", "build", "dist", ".venv", "venv", ".git")


def sources(root: Path) -> Iterator[tuple[str, str]]:
    """Every C++ file of a tree and its text."""
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if path.suffix in SUFFIXES and relative.parts[0] not in _SKIPPED and path.is_file():
            yield relative.as_posix(), path.read_text(encoding="utf-8", errors="replace")


def _follow(branches: list[str], line: str) -> None:
    """What is open behind a line: `#if 0` and the `#else` of `#if 1` are dead, whatever is built."""
    words = line.replace("#", " # ").split()
    if words[:1] != ["#"] or len(words) < 2:
        return
    if words[1] in ("ifdef", "ifndef"):
        branches.append("open")
    elif words[1] == "if":
        rest = words[2:]
        always = rest == ["1"] or rest[:2] == ["1", "||"]
        never = rest == ["0"] or (rest[:2] == ["0", "&&"] and "||" not in rest)
        branches.append("taken" if always else "dead" if never else "open")
    elif words[1] in ("else", "elif") and branches:
        branches[-1] = {"taken": "dead", "dead": "open"}.get(branches[-1], branches[-1])
    elif words[1] == "endif" and branches:
        branches.pop()


def code_lines(text: str) -> list[tuple[str, bool]]:
    """Each line without comments and string contents, and whether it belongs to a `#define`."""
    out: list[tuple[str, bool]] = []
    in_comment, raw_end, in_define = False, "", False
    branches: list[str] = []
    for line in text.split("\n"):
        kept, at = "", 0
        while at < len(line):
            if raw_end:
                end = line.find(raw_end, at)
                if end < 0:
                    at = len(line)
                else:
                    at, raw_end = end + len(raw_end), ""
            elif in_comment:
                end = line.find("*/", at)
                if end < 0:
                    at = len(line)
                else:
                    at, in_comment = end + 2, False
            elif line.startswith("//", at):
                break
            elif line.startswith("/*", at):
                at, in_comment = at + 2, True
            elif (raw := re.match(r'R"([^()\s\\"]{0,16})\(', line[at:])) is not None:
                at, raw_end = at + raw.end(), f'){raw.group(1)}"'
            elif line[at] == '"':
                literal = re.match(r'"(?:[^"\\]|\\.)*"?', line[at:])
                assert literal is not None
                kept, at = kept + '""', at + literal.end()
            else:
                kept, at = kept + line[at], at + 1
        _follow(branches, kept)
        define = in_define or bool(re.match(r"\s*#\s*define\b", kept))
        out.append((kept if "dead" not in branches else "", define))
        in_define = define and line.rstrip("\r").endswith("\\")
    return out


def occurrences(root: Path, pattern: str, sign: str) -> Iterator[tuple[str, int, str, bool]]:
    """Where a pattern occurs in code: file, line, the match, and whether it is in a `#define`.

    Args:
        root: of the tree.
        pattern: a regular expression.
        sign: a text that a file must hold at all.
    """
    compiled = re.compile(pattern)
    for path, text in sources(root):
        if sign not in text:
            continue
        for number, (line, in_define) in enumerate(code_lines(text), 1):
            for match in compiled.finditer(line):
                yield path, number, match.group(), in_define
