"""Names as compilers, debuggers and editors write them, without what an index of names does not have."""

from __future__ import annotations

import re

_ANONYMOUS = re.compile(
    r"(?:\(anonymous(?: namespace| class)?\)|\{anonymous\}|<unnamed>|\{lambda[^{}]*\})::"
)
_OPERATOR = re.compile(r"\boperator\s*(?:<=>|<<=|>>=|->\*|<<|>>|->|<=|>=|<|>|\(\))")
_AFTER = re.compile(
    r"(?:(?<!\w)(?:const|volatile|noexcept|override|final)|&|\s|\[[^\]]*\]|\+\s*0x[0-9a-fA-F]+|\+\s*\d+)*$"
)
_STRUCTURED = re.compile(
    r"TORCH_(?:(IMPL)|(?:PRECOMPUTE_)?META)_FUNC2?\(\s*(\w+)\s*(?:,\s*(\w+)\s*)?\)"
)
# The inline namespace of kernels that are built several times (aten/src/ATen/native/DispatchStub.h; its names are those
# in cmake/Codegen.cmake): it is in stack traces, and no part of a name in the index.
_CAPABILITY = re.compile(
    r"(?<=::)(?:CPU_CAPABILITY|DEFAULT|AVX2|AVX512|AVX512_256|VSX|ZVECTOR|SVE256)::"
)
_KEYWORD = re.compile(r"^(?:class|struct|union|enum(?: class)?|typename)\s+(?=\S+$)")
_SIGNS = re.compile(r"[<({\[+]")
_LONGEST = 4000
_PAIRS = {">": "<", ")": "("}


def plain(text: str) -> str:
    """A C++ name without template arguments, anonymous namespaces and CPU capabilities, parameters and return type.

    Args:
        text: `void at::native::(anonymous namespace)::fill<float>(at::Tensor&, int) const`.

    Returns:
        `at::native::fill`; an empty text where nothing of the kind stands there.
    """
    name = _CAPABILITY.sub("", _KEYWORD.sub("", text.strip()))
    if len(name) > _LONGEST:
        return ""
    if not _SIGNS.search(name):
        return name if name != text.strip() else ""
    structured = _STRUCTURED.match(name)
    if structured is not None:
        # The heads of structured kernels (aten/src/ATen/TensorMeta.h).
        of = "_".join(part for part in structured.groups()[1:] if part)
        return f"structured_{of}::{'impl' if structured[1] else 'meta'}"
    name = _ANONYMOUS.sub("", name)
    operators: list[str] = []

    def kept(match: re.Match[str]) -> str:
        # Their signs are no brackets.
        operators.append(match[0].replace(" ", ""))
        return f"operator\x00{len(operators) - 1}\x00"

    # A qualifier may stand close behind the parameters; `is_const` is a name.
    name = re.sub(r"\)(?=\w)", ") ", _OPERATOR.sub(kept, name))
    name = _without_brackets(name)
    words = _AFTER.sub("", name).split()
    # What stands before a function is the type that it returns; several words alone are no name.
    if not words or (len(words) > 1 and "(" not in text):
        return ""
    name = words[-1]
    if len(words) > 1 and words[-2].rpartition("::")[2] == "operator":
        name = " ".join(words[-2:])  # a conversion
    name = re.sub(r"operator\x00(\d+)\x00", lambda match: operators[int(match[1])], name)
    return name.lstrip("*&").removeprefix("::")


def _without_brackets(text: str) -> str:
    """A text without what stands in round and angle brackets; nothing where they do not pair.

    A call may lack its end, as a line of a longer one does: `torch.add(x,`.
    """
    kept: list[str] = []
    waiting: list[str] = []
    for sign in text:
        if sign in "<(":
            waiting.append(sign)
        elif sign in _PAIRS:
            if not waiting or waiting.pop() != _PAIRS[sign]:
                return ""
        elif not waiting:
            kept.append(sign)
    return "" if "<" in waiting else "".join(kept)
