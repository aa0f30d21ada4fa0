"""The ways in which people write a name, told apart by their shape alone."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from torchtalk.names.closest import last_component

# What people shorten, and what it stands for.
_SHORT = {
    "F": "torch.nn.functional",
    "nn": "torch.nn",
    "Tensor": "torch.Tensor",
    "optim": "torch.optim",
    "linalg": "torch.linalg",
    "fft": "torch.fft",
    "special": "torch.special",
    "_VF": "torch._VF",
    "_C": "torch._C",
}

_CONVERSION = re.compile(r'(?:\S*::)?operator\s+["\w:]')
"""`c10::Half::operator float`, `operator const T&`: names with a space in them."""

PACKAGES = ("torch", "functorch")
"""Of whose modules public names are kept."""


@dataclass(frozen=True)
class Form:
    """A name taken apart.

    Args:
        kind: `operator` (`aten::add.Tensor`, `torch.ops.aten.add`), `python` (a dotted path below
            torch or functorch), `cpp` (a name with `::`) or `bare` (`softmax`, `add.Tensor`).
        text: the name in its canonical spelling: python paths in full, C++ names without
            a leading `::`.
        namespace: of an operator, where one was given.
        base: the last component, without an overload.
        overload: what stands behind the operator's dot; `""` for `.default`; None for any.
    """

    kind: str
    text: str
    namespace: str | None
    base: str
    overload: str | None = None


def parse(text: str, namespaces: frozenset[str]) -> Form | None:
    """Take a name apart.

    Args:
        text: as a user wrote it; a trailing `()` and white space do no harm.
        namespaces: of the operators there are; they tell `aten.add` from `math.add`.

    Returns:
        Its form, or None where there is no name in it.
    """
    name = text.strip()
    if not name.endswith("operator()"):
        name = name.removesuffix("()")
    name = name.strip("`'\" ").removeprefix("::")
    if any(c.isspace() for c in name) and _CONVERSION.match(name):
        name = " ".join(name.split())
        return Form("cpp", name, None, last_component(name))
    if not name or any(c.isspace() for c in name):
        return None
    if "::" in name:
        return _cpp_or_operator(name, namespaces)
    if "." in name.strip("."):
        return _dotted(name, namespaces)
    return Form("bare", name, None, name)


def in_lower_case(text: str) -> str:
    """A name, `text`, with its packages or namespaces in lower case: `torch.softmax` of `TORCH.softmax`; else empty."""
    scope, mark, last = text.rpartition("::" if "::" in text else ".")
    lower = f"{scope.lower()}{mark}{last}"
    return lower if lower != text else ""


def module_called(name: str) -> str:
    """The module of Python that people mean by `name` alone, `torch` or `F`; empty for what may be anything."""
    return {"torch": "torch", "F": _SHORT["F"]}.get(name, "")


def modules_of(name: str) -> str:
    """The modules that something of a dotted name may stand in, as a list in JSON, for a statement.

    Args:
        name: in full: torch.nn.functional.gelu.
    """
    parts = name.split(".")
    return json.dumps([".".join(parts[:at]) for at in range(1, len(parts))])


def _cpp_or_operator(name: str, namespaces: frozenset[str]) -> Form:
    scope, _, last = name.rpartition("::")
    if scope in namespaces:
        base, dot, overload = last.partition(".")
        return Form("operator", name, scope, base, _overload(overload) if dot else None)
    return Form("cpp", name, None, last)


def _overload(text: str) -> str:
    return "" if text == "default" else text


def _dotted(name: str, namespaces: frozenset[str]) -> Form:
    parts = name.split(".")
    if parts[:2] == ["torch", "ops"]:
        parts = parts[2:]
        if len(parts) < 2:
            return Form("python", name, None, parts[-1] if parts else "ops")
        return _operator_path(name, parts)
    if parts[0] in namespaces and parts[0] not in _SHORT and len(parts) >= 2:
        return _operator_path(name, parts)
    if parts[0] in _SHORT:
        parts = [*_SHORT[parts[0]].split("."), *parts[1:]]
    if parts[0] in PACKAGES:
        return Form("python", ".".join(parts), None, parts[-1])
    base, _, overload = name.partition(".")
    return Form("bare", name, None, base, _overload(overload))


def _operator_path(name: str, parts: list[str]) -> Form:
    overload = _overload(parts[2]) if len(parts) > 2 else None
    return Form("operator", name, parts[0], parts[1], overload)
