"""Environment variables that C++ and CUDA files read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.facts.compile import CompileOption

_READS = (b"getenv", b"get_env(", b"check_env(", b"has_env(", b"getCvar", b"getEnv", b"get_cvar")
_READ = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r"|\b(?P<call>(?:std::)?getenv|secure_getenv|(?:\w+::)*(?:get_env|check_env|has_env)|getCvar\w+|getEnv\w*|get_cvar\w*)"
    r"\s*\(\s*(?:\"(?P<name>\w+)\"|(?P<constant>[A-Za-z_]\w*(?:\.c_str\(\))?))\s*(?P<end>[,)])",
    re.DOTALL,
)
_CONSTANT = re.compile(
    r"(?:char\s*\*\s*(?:const\s+)?|char\s+|std::string\s+|string_view\s+|std::vector<std::string>\s+|#define\s+)"
    r"(?P<name>\w+)(?:\[\])?\s*(?:=\s*)?[({]?\s*(?P<values>\"\w+\"(?:\s*,\s*\"\w+\")*)"
)
_QUOTED = re.compile(r"\"(\w+)\"")
_FOLDERS = ("torch/", "aten/", "c10/", "caffe2/", "functorch/")


def environment(path: str, data: bytes) -> Iterator[CompileOption]:
    """Variables that a file reads, once for each place.

    Args:
        path: relative to the tree, with `/`.
        data: the file's bytes.
    """
    if not path.startswith(_FOLDERS) or not any(word in data for word in _READS):
        return
    text = data.decode("utf-8", "replace")
    constants: dict[str, list[str]] = {}
    for match in _CONSTANT.finditer(text):
        constants.setdefault(match["name"], _QUOTED.findall(match["values"]))
    lines = text.split("\n")
    seen: set[tuple[str, int]] = set()
    for match in _READ.finditer(text):
        if match["call"] is None:
            continue
        constant = (match["constant"] or "").removesuffix(".c_str()")
        names = [match["name"]] if match["name"] else constants.get(constant, [])
        line = text.count("\n", 0, match.start()) + 1
        default = _second(text, match.end()) if match["end"] == "," else ""
        for name in names:
            if (name, line) not in seen:
                seen.add((name, line))
                yield CompileOption(
                    "env", name, default, _comment(lines, line), name, match["call"], line
                )


def _second(text: str, start: int) -> str:
    depth = 0
    for offset in range(start, min(len(text), start + 200)):
        character = text[offset]
        depth += (character in "([{") - (character in ")]}")
        if depth < 0 or (character == "," and depth == 0):
            return " ".join(text[start:offset].split())
    return ""


def _comment(lines: list[str], line: int) -> str:
    found: list[str] = []
    number = line - 2
    while number >= 0 and lines[number].lstrip().startswith("//"):
        found.append(lines[number].strip().lstrip("/").strip())
        number -= 1
    text = " ".join(reversed(found))
    return text if len(text) <= 400 else text[:399] + "…"
