"""Environment variables that Python files read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.python.compile.comments import Comments
from indexer.extract.python.compile.places import Functions
from indexer.extract.python.unit import PyUnit, Unparsable
from indexer.facts.compile import CompileOption

_NAME = r"(?:(?P<quote>['\"])(?P<name>[A-Za-z_]\w*)(?P=quote)|(?P<constant>[A-Za-z_]\w*))"
_READ = re.compile(
    # environ["X"], environ.get("X"), getenv("X"), and helpers such as get_tristate_env("X"). It
    # begins with a literal, which `re` finds fastest; what stands before it is looked at afterwards.
    r"env(?P<tail>iron(?:\.get|\.pop|\.setdefault)?|\w*)\s*(?P<open>[(\[])\s*"
    + _NAME
    + r"\s*(?P<end>[,)\]=])"
)
_HEAD = re.compile(r"\w*$")
_MEMBER = re.compile(r"(['\"])(?P<name>[A-Za-z_]\w*)\1\s+(?:not\s+)?in\s+(?:os\.)?environ\b")
_KEYWORD = re.compile(
    r"env_name_(?<!\wenv_name_)(?:force|default)\s*=\s*(?P<value>\[[^\]]*\]|['\"]\w+['\"])"
)
_QUOTED = re.compile(r"['\"](\w+)['\"]")
_CONSTANT = re.compile(
    r"^([A-Za-z_]\w*)(?:\s*:\s*[^=\n]+)?\s*=\s*(['\"])([A-Za-z_]\w*)\2\s*(?:#.*)?$", re.MULTILINE
)
_WRITTEN = re.compile(r"\s*(?:=(?!=)|\+=)")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*$")
_MOST = 120


def environment(path: str, data: bytes) -> Iterator[CompileOption]:
    """Variables that a file of the tree's packages reads, once for each place.

    Args:
        path: relative to the tree, with `/`.
        data: the file's bytes.
    """
    if not path.startswith(("torch/", "functorch/")) or path.startswith("torch/testing/"):
        return
    if (
        b"environ" not in data
        and b"getenv" not in data
        and b"_env(" not in data
        and b"env_name_" not in data
    ):
        return
    unit = PyUnit(path, data)
    try:
        text = unit.text
    except Unparsable:
        return  # the reader of Python files says so
    patterns = (_READ, _KEYWORD, *((_MEMBER,) if " in os.environ" in text else ()))
    if not any(pattern.search(text) for pattern in patterns):
        return
    code = unit.code
    constants = {match[1]: match[3] for match in _CONSTANT.finditer(text)}
    comments = Comments(text)
    functions = Functions(code)
    found: dict[tuple[str, int], CompileOption] = {}

    def add(name: str, default: str, offset: int) -> None:
        line = unit.line(offset)
        within = functions.around(offset)
        found.setdefault(
            (name, line),
            CompileOption("env", name, default, comments.beside(line), name, within, line),
        )

    for match in _READ.finditer(text):
        form = _form(text, match)
        if not form or code[match.start()] != text[match.start()]:
            continue  # another name; a comment or a string
        name = match["name"] or constants.get(match["constant"] or "", "")
        if not name or match["end"] == "=" or (form == "helper" and not _VARIABLE.match(name)):
            continue
        if match["open"] == "[" and (form != "environ" or _WRITTEN.match(code, match.end())):
            continue
        default = _argument(text, code, match.end()) if match["end"] == "," else ""
        add(name, default, match.start())
    for match in _MEMBER.finditer(text) if _MEMBER in patterns else ():
        if code[match.end() - 1] == text[match.end() - 1]:
            add(match["name"], "", match.start())
    for match in _KEYWORD.finditer(text):
        if code[match.start()] == text[match.start()]:
            for quoted in _QUOTED.finditer(match["value"]):
                add(quoted[1], "", match.start())
    yield from sorted(found.values(), key=lambda option: (option.line, option.name))


def _form(text: str, match: re.Match[str]) -> str:
    """environ, environ.get, getenv or helper; empty where the name means something else."""
    start = match.start()
    found = _HEAD.search(text, max(0, start - 60), start)
    head, tail = found[0] if found else "", match["tail"]
    if tail.startswith("iron"):
        return f"env{tail}" if not head else ""
    if head == "get" and not tail:
        return "getenv"
    is_helper = head.endswith("_") or (head in ("", "_") and tail.startswith("_"))
    return "helper" if is_helper and (not tail or tail.startswith("_")) else ""


def _argument(text: str, code: str, start: int) -> str:
    """The argument that begins behind an offset, on one line."""
    depth = 0
    for offset in range(start, min(len(code), start + 500)):
        character = code[offset]
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        if depth < 0 or (character == "," and depth == 0):
            return " ".join(text[start:offset].split())[:_MOST]
    return ""
