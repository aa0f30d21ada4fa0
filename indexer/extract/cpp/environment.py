"""Environment variables that C++ and CUDA files read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.facts.compile import CompileOption

_READS = (
    b"getenv",
    b"get_env(",
    b"check_env(",
    b"has_env(",
    b"getCvar",
    b"getEnv",
    b"get_cvar",
    b"parseEnvVar",
)
_COMMENT = r"//[^\n]*|/\*.*?\*/"
_ARGUMENT = (
    r"\s*\(\s*(?:\"(?P<name>\w+)\"|(?P<constant>[A-Za-z_]\w*(?:\.c_str\(\))?)"
    r"|(?:std::vector<std::string>\s*)?\{(?P<list>\s*\"\w+\"(?:\s*,\s*\"\w+\")*\s*)\})"
    r"\s*(?P<end>[,)])"
)
_READ = re.compile(
    rf"{_COMMENT}|\b(?P<call>(?:std::)?getenv|secure_getenv|(?:\w+::)*(?:get_env|check_env|has_env)"
    rf"|getCvar\w+|getEnv\w*|get_cvar\w*|parseEnvVar\w*){_ARGUMENT}",
    re.DOTALL,
)
_CONSTANT = re.compile(
    r"(?:char\s*\*\s*(?:const\s+)?|char\s+|std::string\s+|string_view\s+"
    r"|(?P<list>std::vector<std::string>\s+)|constexpr\s+(?:const\s+)?auto\s+|#define\s+)"
    r"(?P<name>\w+)(?:\[\])?\s*(?:[=:]\s*)?[({]?\s*(?P<values>\"\w+\"(?:\s*,\s*\"\w+\")*)"
)
# c10d's readers take a list of names, the first of which names the header's constant too:
# `static std::vector<std::string> TORCH_NCCL_X = {"TORCH_NCCL_X", "NCCL_X"}` (ProcessGroupNCCL.hpp).
_CONVENTION = ("getCvar", "parseEnvVar")
_NAMED_ALIKE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_QUOTED = re.compile(r"\"(\w+)\"")
_FAR = 400
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
    lines = text.split("\n")
    seen: set[tuple[str, int]] = set()

    def option(names: list[str], default: str, how: str, start: int) -> Iterator[CompileOption]:
        line = text.count("\n", 0, start) + 1
        for name in names:
            if (name, line) not in seen:
                seen.add((name, line))
                yield CompileOption("env", name, default, _comment(lines, line), name, how, line)

    for match in _CONSTANT.finditer(text):
        names = _QUOTED.findall(match["values"])
        constants.setdefault(match["name"], names)
        if match["list"] and match["name"] == names[0] and path.endswith((".h", ".hpp")):
            yield from option(names, "", "constant", match.start())
    for match in _calls(text, constants):
        names = _names(match, constants)
        default = _second(text, match.end()) if match["end"] == "," else ""
        yield from option(names, default, match["call"], match.start())


def _calls(text: str, constants: dict[str, list[str]]) -> Iterator[re.Match[str]]:
    """Calls that read a variable, those of the file's own functions that hand their argument on too."""
    calls = [match for match in _READ.finditer(text) if match["call"] is not None]
    handing: set[str] = set()
    for match in calls:
        name = (match["constant"] or "").removesuffix(".c_str()")
        if name and name not in constants:
            heads = re.compile(
                rf"(\w+)\s*\(\s*const\s+(?:char\s*\*|std::string\s*&)\s*{name}\b[^;{{}}]*{{"
            )
            for head in heads.finditer(text, max(0, match.start() - _FAR), match.start()):
                handing.add(head[1])
    if handing:
        names = "|".join(sorted(handing))
        own = re.compile(rf"{_COMMENT}|\b(?P<call>{names}){_ARGUMENT}", re.DOTALL)
        calls += [match for match in own.finditer(text) if match["call"] is not None]
    yield from sorted(calls, key=lambda match: match.start())


def _names(match: re.Match[str], constants: dict[str, list[str]]) -> list[str]:
    if match["name"]:
        return [match["name"]]
    if match["list"]:
        return _QUOTED.findall(match["list"])
    constant = (match["constant"] or "").removesuffix(".c_str()")
    if (
        constant not in constants
        and match["call"].startswith(_CONVENTION)
        and _NAMED_ALIKE.fullmatch(constant)
    ):
        return [constant]
    return constants.get(constant, [])


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
