"""Kernels that reach a launch through a lambda: who is handed the lambda, and who calls it with which kernel.

`auto launch = [&](Kernel k, auto kernel_fn) { kernel_fn<<<…>>>(…); }; dispatch<T>(launch, cc);` launches whatever
`dispatch` and the functions that it hands the lambda on to call it with: `cb(Kernel(), the_kernel)`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from indexer.extract.cpp.characters import OPENING, SEMICOLON
from indexer.extract.cpp.lexical import arguments, closing, word_before
from indexer.extract.cpp.scopes import Scope
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.launches import KernelArgument

_FAR = 4_000  # bytes of one call's arguments
_MOST_BODY = 400_000
_LAMBDA = re.compile(rb"\b([A-Za-z_]\w*)\s*=\s*\[[^\[\]]*\]\s*\(")


def handed_to(text: bytes, scope: Scope, at: int, parameter: str) -> str:
    """The function that is handed the lambda around a launch, where it launches its own parameter; else "".

    Args:
        text: blanked.
        scope: of the launch.
        at: its offset.
        parameter: the name that it launches.
    """
    if scope.function_open < 0:
        return ""
    end = closing(text, scope.function_open, _MOST_BODY)
    wanted = re.compile(rb"\b" + re.escape(parameter.encode()) + rb"\s*$")
    for match in _LAMBDA.finditer(text, scope.function_open, at):
        listed = arguments(text, match.end() - 1)
        opening = text.find(b"{", match.end(), at)
        if opening < 0 or closing(text, opening, _MOST_BODY) < at:
            continue
        if not any(wanted.search(text[item.start : item.end]) for item in listed):
            continue
        passed = re.compile(
            rb"([A-Za-z_][\w:]*)\s*(?:<[^<>;(){}]*>\s*)?\((?:[^();]*,)?\s*" + match.group(1) + rb"\s*[,)]"
        )  # fmt: skip
        given = passed.search(text, at, end if end > 0 else len(text))
        return given.group(1).decode() if given is not None else ""
    return ""


def kernel_arguments(unit: CppUnit, kernels: Collection[str]) -> Iterator[KernelArgument]:
    """Where functions of a file call one of their own parameters with a kernel of the file.

    Args:
        unit: the file.
        kernels: names of those that it declares, without scopes.
    """
    text, scopes = unit.text, unit.scopes
    names = b"|".join(re.escape(name.encode()) for name in sorted(kernels))
    for match in re.finditer(rb"[,(]\s*&?\s*(" + names + rb")\b\s*(?=[,)<])", text):
        opening = _opening(text, match.start() + (text[match.start()] == OPENING))
        if opening < 0:
            continue
        callee = word_before(text, opening)
        scope = scopes.at(match.start())
        if not callee.isidentifier() or scope.function_open < 0:
            continue
        head = text[scope.function_start : scope.function_open]
        if re.search(rb"[\w&*>]\s+&?&?" + callee.encode() + rb"\s*[,)]", head):
            yield KernelArgument(
                match.group(1).decode(), scope.qualified, unit.path, unit.line(match.start(1))
            )


def _opening(text: bytes, at: int) -> int:
    """The offset of the round bracket that is open at an offset, or -1."""
    depth = 0
    for position in range(at - 1, max(-1, at - _FAR), -1):
        byte = text[position]
        if byte in b")]}":
            depth += 1
        elif byte in b"([{":
            if not depth:
                return position if byte == OPENING else -1
            depth -= 1
        elif byte == SEMICOLON and not depth:
            return -1
    return -1
