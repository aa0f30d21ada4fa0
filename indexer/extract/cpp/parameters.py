"""Do a C++ function's parameters fit an operator's schema?

Rules: torchgen/api/native.py (arguments: as in the schema, outs last, the four of TensorOptions each on its own) and
torchgen/api/cpp.py (valuetype_type, argumenttype_type), torchgen/api/structured.py for structured kernels.
"""

from __future__ import annotations

import re
from typing import Final

from indexer.extract.cpp.items import closing_round, items_of

_DROPPED = re.compile(r"\b(?:const|volatile|struct|class|typename|__restrict__)\b|[&*\s]")
OWN_NAME = re.compile(r"([\s&*>])\w+\s*$")  # what is left of `const Tensor& self` is the type
_SEPARATOR = re.compile(r"->|[(<\[{)>\]},]")
_QUALIFIED = re.compile(
    r"::\s*~?\w+\s*(?:<[^()]*>)?\s*$"
)  # the name of a function with its class before it
_LITERAL = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)'")
_LIST = re.compile(r"(ArrayRef|List|vector|initializer_list|ITensorListRef)")


def parameters_of(signature: str, name: str) -> list[str] | None:
    """The parameters of a function as written, without default values; None if there are none to be seen.

    Args:
        signature: the function's head.
        name: its qualified name; a macro's use as the head is read by its last brackets.
    """
    found = written_parameters(signature, name)
    return None if found is None else _without_defaults(found)


def written_parameters(signature: str, name: str) -> list[str] | None:
    """The parameters of a function as written, with their default values; None if there are none to be seen.

    Args:
        signature: the function's head.
        name: its qualified name; a macro's use as the head is read by its last brackets.
    """
    opening = _opening(signature, name.rpartition("::")[2])
    if opening < 0:
        groups = [item for item in items_of(signature) if item.kind == "("]
        if not groups:
            return None
        opening = groups[-1].start
    return _split(signature[opening + 1 : closing_round(signature, opening)])


def is_declared_there(signature: str, name: str) -> bool:
    """Whether a function's head has its bare name: in its class it is the one declaration, with all default values.

    Args:
        signature: the function's head.
        name: its qualified name.

    Returns:
        False where a macro makes the head, too.
    """
    opening = _opening(signature, name.rpartition("::")[2])
    if opening < 0:
        return False  # a macro makes it
    return not _QUALIFIED.search(signature[:opening])


def _opening(signature: str, base: str) -> int:
    """Offset of the bracket behind a function's name; -1 where a macro makes the name (`TORCH_IMPL_FUNC(f)(…`)."""
    found = name_and_bracket(signature, base)
    return -1 if found is None else found[1]


def name_and_bracket(signature: str, base: str) -> tuple[int, int] | None:
    """Where a function's name begins in its head, and where the bracket behind it.

    Args:
        signature: the function's head.
        base: the last part of its name.

    Returns:
        Two offsets; None where a macro makes the name, or it is not there.
    """
    at = signature.find(base)
    while at >= 0:
        end = at + len(base)
        whole = not (at and (signature[at - 1].isalnum() or signature[at - 1] == "_"))
        while end < len(signature) and signature[end] == " ":
            end += 1
        if whole and end < len(signature) and signature[end] == "<":
            end = signature.find(">", end) + 1 or len(signature)
        if whole and signature[end : end + 1] == "(":
            return None if signature[:at].rstrip().endswith("(") else (at, end)
        at = signature.find(base, at + 1)
    return None


def split_parameters(text: str) -> list[str]:
    """Split `text`, what stands between a function's brackets, at the outer commas, and leave default values out."""
    return _without_defaults(_split(text))


def _without_defaults(parts: list[str]) -> list[str]:
    plain = [part.partition("=")[0].strip() for part in parts]
    return [part for part in plain if part]


def _split(text: str) -> list[str]:
    if '"' in text or "'" in text:
        text = _LITERAL.sub('""', text)  # `sep = ", "`
    if not any(character in text for character in "(<[{"):
        parts = text.split(",")
    else:
        depth, start = 0, 0
        parts = []
        for match in _SEPARATOR.finditer(text):
            character = match.group()
            if character in "(<[{":
                depth += 1
            elif character in ")>]}":
                depth -= 1
            elif depth == 0 and character == ",":
                parts.append(text[start : match.start()])
                start = match.end()
        parts.append(text[start:])
    stripped = [part.strip() for part in parts]
    return [part for part in stripped if part and part != "void"]


def parameter_class(parameter: str) -> str:
    """What kind of value a C++ parameter takes: `Tensor`, `Tensor?`, `Tensor[]`, `int`, `int[]` …; `?` if unknown.

    Optional values end in `?`, lists in `[]`.

    Args:
        parameter: as it is written, without a default value.
    """
    text = _DROPPED.sub(" ", OWN_NAME.sub(r"\1", parameter)).strip()
    optional = (
        "optional<" in text.replace(" ", "")
        or "OptionalTensorRef" in text
        or "OptionalArrayRef" in text
    )
    optional = optional or bool(re.search(r"Optional(Sym)?IntArrayRef|OptionalRef", text))
    listed = _LIST.search(text) is not None or bool(re.search(r"std ?:: ?array", text))
    base = "?"
    for pattern, kind in (
        (r"Tensor|OptionalTensorRef", "Tensor"), (r"Dimname", "Dimname"), (r"ScalarType", "ScalarType"),
        (r"MemoryFormat", "MemoryFormat"), (r"\bScalar\b|Scalar[>A]", "Scalar"),
        (r"SymInt|Int|int64_t|\bint\b|int32_t|DeviceIndex", "int"),
        (r"\b(?:double|float)\b", "float"), (r"\b(?:bool|SymBool)\b", "bool"),
        (r"string", "str"), (r"Generator", "Generator"), (r"Layout", "Layout"), (r"Device", "Device"),
        (r"Storage", "Storage"), (r"Stream", "Stream"), (r"TensorOptions", "TensorOptions"),
    ):  # fmt: skip
        if re.search(pattern, text):
            base = kind
            break
    return base + ("[]" if listed else "") + ("?" if optional else "")


def schema_class(argument: str) -> str:
    """What kind of value an operator's argument takes, as `parameter_class` says it.

    Args:
        argument: its type as the schema writes it (`Tensor?`, `SymInt[2]`, `Scalar[]`).
    """
    optional = argument.endswith("?")
    base = argument.removesuffix("?")
    listed = "[" in base
    inner = base.partition("[")[0]
    optional = optional or inner.endswith("?")
    inner = inner.removesuffix("?")
    inner = {"SymInt": "int", "SymBool": "bool"}.get(inner, inner)
    return inner + ("[]" if listed else "") + ("?" if optional else "")


ANOTHER_NUMBER: Final = 100
"""What `mismatches` says of parameters that are more or fewer than the arguments."""


def mismatches(parameters: list[str], arguments: list[str]) -> int:
    """How badly a function's parameters fit a schema's arguments.

    Args:
        parameters: of the function, as `parameters_of` gives them.
        arguments: their types as the schema writes them.

    Returns:
        0 where they fit, more the less they do; `ANOTHER_NUMBER` where there are more or fewer.
    """
    if len(parameters) != len(arguments):
        return ANOTHER_NUMBER
    count = 0
    for parameter, argument in zip(parameters, arguments, strict=True):
        have, want = parameter_class(parameter), schema_class(argument)
        if have == want:
            continue
        if have.startswith("?"):  # a template's parameter, or a type of the kernel's own
            count += 2
            continue
        # A plain parameter may take an optional one's value and the other way round: half a difference.
        count += 1 if have.rstrip("?") == want.rstrip("?") else 3
    return count
