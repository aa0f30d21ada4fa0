"""What the C++ calls that Python writes: names in its texts, `f"aoti_torch_clone({x}, &{y});"`.

Nothing else in the tree calls most of what torch/csrc/inductor and torch/_inductor/codegen/cpp_prefix.h define, which
Inductor does; what the generators write (torchgen/, tools/autograd/) is compiled when PyTorch is built.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from indexer.extract.python.definitions import Definitions
from indexer.extract.python.lexical import LITERAL
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonFile, WrittenCall

_INDUCTOR = "torch/_inductor/"
_GENERATORS = ("torchgen/", "tools/autograd/")
_HOLE = "\0"  # what is only known when the text is made
_FIELD = re.compile(r"\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)  # Jinja's
_NAME = rf"(?:::)?[A-Za-z_][\w{_HOLE}]*(?:::[A-Za-z_][\w{_HOLE}]*)*"
_CALLED = re.compile(rf"(?<![\w.>:{_HOLE}])({_NAME})(?=\s*(?:<[^;()\"']{{0,200}}>\s*)?\()")
# A name that other code puts a bracket behind: `"aoti_torch_index_put_out"`.
_LAST = re.compile(rf"(?:^|(?<![\w.>:{_HOLE}]))({_NAME})$")
_OPENED = re.compile(r"\busing namespace ([\w:]+);")
_LONGEST = 120  # of a name
_PREFIX = re.compile(r"[A-Za-z]{0,2}\Z")
# One word, as `size(` and `add(` are, names what many things are called by.
_TELLING = re.compile(r"[a-z0-9]_+[a-zA-Z0-9]|[a-z][A-Z]|::")


def wants(path: str) -> bool:
    """Whether a file, by its path relative to the tree, may write C++."""
    return path.startswith((_INDUCTOR, *_GENERATORS))


def written_calls(
    unit: PyUnit, file: PythonFile, definitions: Definitions
) -> Iterator[WrittenCall]:
    """What the texts of a file call in C++.

    Args:
        unit: the file.
        file: what it holds.
        definitions: of it.

    Returns:
        One for each name and function that has the text. A text that a module or class gives a name is written by
        the functions of the file that use that name.
    """
    ends = {function.line: function.end_line for function in file.functions}
    begins = sorted(ends)
    named = [
        (one.value.lineno, one.value.end_lineno or one.value.lineno, one.name)
        for one in definitions.assignments
        if one.value is not None
    ]
    documented = {first for first, _ in file.doc_lines}
    users: dict[str, list[int]] = {}
    is_generator = not unit.path.startswith(_INDUCTOR)
    seen = set()
    for literal in LITERAL.finditer(unit.text):
        if (
            literal[0][0] == "#"
            or _TELLING.search(literal[0]) is None
            or unit.line(literal.start()) in documented
        ):
            continue
        for name, at, is_called in _names(unit.text, literal.start(), literal[0]):
            # Generators have the names of operators in theirs.
            if is_generator and (not is_called or "*" in name or name.endswith("::")):
                continue
            line = unit.line(at)
            for writer in _writers(unit, line, begins, ends, named, users):
                if (name, writer, is_called) not in seen:
                    seen.add((name, writer, is_called))
                    yield WrittenCall(name, is_called, line, writer)


def _names(text: str, start: int, literal: str) -> Iterator[tuple[str, int, bool]]:
    """Each name in a literal of the file, its offset there, and whether a bracket follows."""
    quotes = 3 if literal[:3] in ('"""', "'" * 3) else 1
    inside = literal[quotes:-quotes]
    prefix = _PREFIX.search(text, max(0, start - 2), start)
    if prefix is not None and "f" in prefix[0].lower():
        inside = _FIELD.sub(_blank, inside)
    else:
        inside = _TEMPLATE.sub(_blank, inside)
    for match in _OPENED.finditer(inside) if "using" in inside else ():
        yield f"{match[1]}::", start + quotes + match.start(), True
    called = _CALLED.finditer(inside) if "(" in inside else ()
    last = _LAST.search(inside, max(0, len(inside) - _LONGEST))
    for match in (*called, *([last] if last else ())):
        name = match[1].removeprefix("::")
        # `#pragma omp parallel num_threads(8)`
        before = inside[inside.rfind("\n", 0, match.start()) + 1 : match.start()]
        if _TELLING.search(name) and not (
            name.startswith("std::") or name.isupper() or "#pragma" in before
        ):
            at = start + quotes + match.start(1)
            yield re.sub(f"{_HOLE}+", "*", name), at, match is not last


def _blank(match: re.Match[str]) -> str:
    """As many characters, so that offsets stay: a hole, or the bracket that two stand for."""
    found = match[0]
    if found in ("{{", "}}"):
        return found[0] + " "
    return "".join(char if char == "\n" else _HOLE for char in found)


def _writers(
    unit: PyUnit,
    line: int,
    begins: list[int],
    ends: dict[int, int],
    named: list[tuple[int, int, str]],
    users: dict[str, list[int]],
) -> list[int]:
    """The lines of the functions that have what stands in a line, or what is named there."""
    for at in range(bisect_right(begins, line) - 1, -1, -1):
        if line <= ends[begins[at]]:
            return [begins[at]]
    names = [name for first, last, name in named if first <= line <= last]
    found: list[int] = []
    for name in names:
        if name not in users:
            word = re.compile(rf"\b{re.escape(name)}\b")
            users[name] = [
                begin for begin in begins
                if (span := unit.spans.get(begin))
                and name in unit.text[span.body : span.end]
                and word.search(unit.code, span.body, span.end)
            ]  # fmt: skip
        found += users[name]
    return found
