"""The C++ function that an argument names, under the casts and wrappers that bindings need."""

from __future__ import annotations

import re

from indexer.extract.cpp.lexical import arguments, closing, next_code, squeezed, template_end

_NAME = re.compile(
    rb"(?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*~?[A-Za-z_]\w*)*(?:(?<=\boperator)\s*(?:\(\)|\[\]|[-+*/%^&|=<>!~]{1,3}))?"
)
# `R (Class::*)(`: what a function's pointer is.
_POINTER = re.compile(rb"\(\s*(?:[\w:]+\s*::\s*)?\*\s*\)\s*\(")
_OVERLOAD = re.compile(rb"\s*(?:(?P<static>static_cast)|(?:\w+::)*overload_cast)\s*(?=<)")
_C_CAST = re.compile(
    rb"\(\s*(?:const\s+)?[\w:]+(?:\s*\*+)?\s*(?:\(\s*\*\s*\)\s*\([^()]*\)\s*)?\)\s*(?=[&\w(:])"
)


def callable_name(text: bytes, start: int, end: int, lambda_name: str) -> str:
    """The name of a function passed as an argument.

    Args:
        text: blanked.
        start: where the argument starts.
        end: where it ends.
        lambda_name: what a lambda is called.

    Returns:
        a name as written (`THPModule_initNames`, `Node::kind`), `lambda_name` for a lambda, `py::init<…>` for a
        constructor, "" for `nullptr` and for what is no function.
    """
    for _ in range(12):
        start = next_code(text, start)
        if start >= end:
            return ""
        char = text[start : start + 1]
        if char == b"&":
            start += 1
            continue
        if char == b"[":
            return lambda_name
        if (cast := _C_CAST.match(text, start, end)) is not None:
            start = cast.end()
            continue
        if char == b"(":
            start = _behind_cast(text, start, end) or start + 1
            continue
        match = _NAME.match(text, start, end)
        if match is None:
            return ""
        name = b"".join(match.group().split()).decode("utf-8", "replace")
        if name in ("nullptr", "NULL", "true", "false"):
            return ""
        after = next_code(text, match.end())
        template_arguments = ""
        if text[after : after + 1] == b"<":
            angle = template_end(text, after, end)
            if angle < 0:
                return name
            template_arguments = squeezed(text[after : angle + 1], 120)
            after = next_code(text, angle + 1)
        if text[after : after + 1] == b"(" and after < end:
            inner = arguments(text, after)
            if name.rsplit("::", 1)[-1] == "init":
                if inner and text[inner[0].start : inner[0].start + 1] == b"[":
                    return lambda_name
                return name + template_arguments
            if not inner:
                return name + template_arguments
            start, end = inner[
                0
            ]  # a wrapper's or cast's one argument: castPyCFunctionWithKeywords(f)
            continue
        if text[after : after + 2] == b"::":
            rest = _NAME.match(text, after + 2, end)
            if rest is not None:
                return f"{name}{template_arguments}::{squeezed(rest.group()).replace(' ', '')}"
        if name.startswith(("py::", "pybind11::")) and not template_arguments:
            return name if "init" in name else ""
        return name
    return ""


def overload_types(text: bytes, start: int, end: int) -> str:
    """What a cast says that the function takes that is passed as an argument, in brackets; "" where nothing is said.

    Args:
        text: blanked.
        start: where the argument starts.
        end: where it ends.
    """
    overload = _OVERLOAD.match(text, start, end)
    opening = next_code(text, start)
    if overload is not None:
        close = template_end(text, overload.end(), end)
        if close >= 0 and not overload.group("static"):
            return f"({squeezed(text[overload.end() + 1 : close])})"
        opening = overload.end()
    else:
        close = _behind_cast(text, opening, end)
    pointer = _POINTER.search(text, opening + 1, close) if close > 0 else None
    last = closing(text, pointer.end() - 1) if pointer is not None else -1
    return f"({squeezed(text[pointer.end() : last])})" if pointer is not None and last > 0 else ""


def _behind_cast(text: bytes, start: int, end: int) -> int:
    """Where what is cast begins behind a bracket that opens the type of a function's pointer; else 0."""
    if text[start : start + 1] != b"(":
        return 0
    close = closing(text, start)
    if not 0 < close < end or _POINTER.search(text, start + 1, close) is None:
        return 0
    after = next_code(text, close + 1)
    is_cast = after < end and (
        text[after : after + 1] in (b"&", b"(", b":") or text[after : after + 1].isalpha()
    )
    return after if is_cast else 0
