"""Which function a registration's kernel argument names.

The forms are those `torch::CppFunction` can be made from (torch/library.h): a pointer, TORCH_FN, a lambda, the
`make…` functions, `torch::dispatch(key, kernel)`; the same in casts and template instantiations.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from indexer.extract.cpp.registrations_text import split_arguments, template_end
from indexer.extract.cpp.tokens import closing
from indexer.facts.registrations import KernelForm

# What only passes its argument on: casts, TORCH_FN (c10/core/CompileTimeFunctionPointer.h),
# CppFunction's own constructors.
_TRANSPARENT = frozenset(
    (
        "static_cast", "reinterpret_cast", "move", "forward", "TORCH_FN", "TORCH_FN_TYPE", "TORCH_BOX", "CppFunction",
        "makeFromBoxedFunction", "makeFromBoxedFunctor", "makeFromBoxedKernel", "makeFromUnboxedFunction",
        "makeFromUnboxedRuntimeFunction", "makeFromUnboxedFunctor", "makeFromUnboxedLambda", "kernel",
        "catchAllKernel", "function",
    )
)  # fmt: skip
_FALLTHROUGH = "c10::fallthrough_kernel"
"""The function behind CppFunction::makeFallthrough (aten/src/ATen/core/boxing/KernelFunction.cpp)."""

# What the generator writes for callers of an operator: its struct, its function in `at`, and a tensor's method.
_OPERATOR_CALL = re.compile(
    r"(?:::)?\s*(?:at::_ops::|(?:(?:at|torch)::)?Tensor::\s*\w+\s*$|at::\w+\s*$)"
)
_COMPONENT = re.compile(r"\s*(?:template\s+)?(~?[A-Za-z_]\w*)\s*")
_LAMBDA = re.compile(r"\+?\s*\[[^\[]*?\]\s*(?:<[^{}]*>\s*)?[({]")


class Kernel(NamedTuple):
    """What a kernel argument names.

    Args:
        name: the function, without template arguments; "" if it has no name or none could be read.
        form: what it is.
        key: the dispatch key given with it (`torch::dispatch`), as written; "" if none is.
        arguments: all template arguments of that name, outer names' first.
    """

    name: str
    form: KernelForm
    key: str = ""
    arguments: tuple[str, ...] = ()


class _Name(NamedTuple):
    text: str
    arguments: tuple[str, ...]  # all template arguments, outer names' first
    own: tuple[str, ...]  # those of the last component
    call: tuple[str, ...] | None  # the call's arguments, if it is called
    rest: str


def _name(text: str) -> _Name | None:
    """Read a qualified name with its template arguments and, if it is called, its arguments."""
    position = 2 if text.startswith("::") else 0
    parts: list[str] = []
    arguments: list[str] = []
    own: list[str] = []
    while True:
        found = _COMPONENT.match(text, position)
        if found is None:
            break
        parts.append(found[1])
        own = []
        position = found.end()
        if text.startswith("<", position):
            end = template_end(text, position)
            if end < 0:
                break
            own = split_arguments(text[position + 1 : end])
            arguments.extend(own)
            position = end + 1
            while position < len(text) and text[position].isspace():
                position += 1
        if not text.startswith("::", position):
            break
        position += 2
    if not parts:
        return None
    call: tuple[str, ...] | None = None
    if text.startswith("(", position):
        end = closing(text, position)
        call = tuple(split_arguments(text[position + 1 : end]))
        position = end + 1
    return _Name("::".join(parts), tuple(arguments), tuple(own), call, text[position:].strip())


def read_kernel(expression: str) -> Kernel:
    """Find the function that a kernel argument stands for.

    A function template (not a class's member) that is instantiated with a pointer to another function (vmap's
    `…_generated_plumbing<…, &batch_rule>`) stands for that one, unless it is the operator's own entry point
    (`at::_ops::add::call`, `&at::eq`, `&Tensor::mul_`), which a wrapper calls on what it takes out of its arguments:
    then the wrapper is the kernel.

    Args:
        expression: the argument, its macros expanded (but TORCH_FN).
    """
    key = ""
    text = expression.strip()
    for _ in range(32):  # each turn takes something off; the bound is for text that is no C++
        while text.startswith(("&", "*")):
            text = text[1:].strip()
        if _LAMBDA.match(text):
            return Kernel("", "lambda", key)
        if text.startswith("("):
            end = closing(text, 0)
            rest = text[end + 1 :].strip()
            # `(f)` is f; `(T)f` is a cast.
            text = rest if rest and not rest.startswith((".", ",")) else text[1:end].strip()
            continue
        name = _name(text)
        if name is None:
            return Kernel("", "unknown", key)
        last = name.text.rsplit("::", 1)[-1]
        if last == "makeFallthrough":
            return Kernel(_FALLTHROUGH, "fallthrough", key)
        if last == "dispatch" and name.call is not None and len(name.call) == 2:
            key = name.call[0].rsplit("::", 1)[-1].strip()
            text = name.call[1]
            continue
        if last in _TRANSPARENT and name.call is not None:
            cast = last.endswith("_cast")
            if name.arguments and not cast and (not name.call or last.startswith("makeFromBoxed")):
                text = _pointer(name.arguments) or name.arguments[0]
                continue
            if name.call:
                text = name.call[0]
                continue
        pointer = _pointer(name.own)
        if pointer and not _OPERATOR_CALL.match(pointer.lstrip("& ")):
            text = pointer
            continue
        return Kernel(name.text, "function", key, name.arguments)
    return Kernel("", "unknown", key)


def _pointer(arguments: tuple[str, ...]) -> str:
    """The last argument that is a function's address; "" if none is."""
    for argument in reversed(arguments):
        if argument.startswith("&"):
            return argument
    return ""
