"""How a value is written: the path of what gives it, and what becomes of that text.

`torch.Tensor()` is a tensor, `a.B()` what calling `a.B` gives, `list(x)` a sequence of such
values, `tuple(x,y)` one of these in this order, `dict(x)` a mapping to them, `x[]` what square brackets get out of it,
`x[1]` its second part, `x[*]` what a loop does; `first(x|y)` is x, or y where of x nothing is known; `one(f|g)` is
one of these functions, classes or modules, `any(x|y)` what may be one of these, whatever they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

TENSOR = "torch.Tensor()"

_MARK = re.compile(r"[(),]")
_GETTERS = {
    "pop": ("list(", "dict("), "popleft": ("list(",), "get": ("dict(",), "setdefault": ("dict(",),
}  # fmt: skip
"""Methods that give what a list or a mapping holds."""
FIRST = "first("
"""Before several targets in brackets of which the first counts that the tree has."""
ONE, ANY = "one(", "any("
GIVING = "type("
"""Before what is given where something is called, in brackets: of `type[X] | None`, `Callable[..., X]`."""
_MADE = ("list(", "tuple(", "dict(", "union(", ONE, TENSOR)
_LONGEST = 160
LONGEST_CHOICE = 400
"""Characters of what is one of several; what is called on it is told, too."""
_MOST = 4  # things that a name is given
_STEPS = 5
"""A path is cut to its end when it grows longer than so many."""


def is_class(path: str) -> bool:
    """Whether a path is a class, as its name tells, and nothing that calling one gives."""
    return "(" not in path and path[path.rfind(".") + 1 :][:1].isupper()


def is_generic(path: str) -> bool:
    """Whether a path is a class that may be given types in square brackets: no constant in capitals."""
    return is_class(path) and not path[path.rfind(".") + 1 :].isupper()


# What a tensor is asked for that gives integers or a Python number: torch/_C/_VariableFunctions.pyi.in and
# tools/pyi/gen_pyi.py. And what parameters that are numbers are annotated with: torch/_prims_common/__init__.py,
# torch/types.py.
_NUMBERS = (
    ".size()", ".size()[]", ".shape[]", ".dim()", ".ndim", ".numel()", ".nelement()", ".item()",
    ".NumberType()", ".RealNumberType()", ".Number()",
)  # fmt: skip


def is_number(value: str) -> bool:
    """Whether a value is a number, or some: syntax calls no method of it, but of what stands beside it."""
    return value.endswith(_NUMBERS)


def of_mapping(method: str) -> str:
    """Target of what a mapping's method gives: `dict(x).values` a sequence of its values; of others nobody knows.

    `local_metadata: Dict[str, Tensor]` of torch/ao/quantization/observer.py holds numbers, whatever it says.
    """
    value, _, name = method[5:].rpartition(").")
    return f"list({value})" if name == "values" else ""


def given_by(callee: str) -> str:
    """Target of what calling something gives: of `list(x).pop` and `dict(x).get` it is x.

    Args:
        callee: target of what is called.
    """
    owner, _, name = callee.rpartition(").")
    if name in _GETTERS and owner[:5] in _GETTERS[name] and _is_whole(owner):
        return owner[5:]
    return f"{callee}()" if callee else ""


def _is_whole(owner: str) -> bool:
    """Whether the first bracket of something is closed where it ends."""
    depth = 0
    for character in owner:
        depth += (character == "(") - (character == ")")
        if not depth and character == ")":
            return False
    return depth == 1


def list_of(element: str) -> str:
    """Target of a sequence of such elements; where each of them is one, too, that of one of them.

    Args:
        element: target of an element, or an empty string.
    """
    return f"list({element})" if element and not element.startswith("list(") else element


def tuple_of(values: Sequence[str]) -> str:
    """Target of a tuple of these `values`: where all are alike it is a sequence as any other."""
    if len(set(values)) > 1:
        return f"tuple({','.join(values)})"
    return f"list({values[0]})" if values and values[0] else ""


def tuple_parts(value: str) -> list[str]:
    """Targets of what `value`, a `tuple(x,y)`, has; of those of which nothing is known an empty string."""
    found, depth, start = [], 0, 6
    for match in _MARK.finditer(value, start, len(value) - 1):
        if match[0] == "," and not depth:
            found.append(value[start : match.start()])
            start = match.end()
        elif match[0] != ",":
            depth += 1 if match[0] == "(" else -1
    return [*found, value[start:-1]]


def first_known(value: str, declared: str) -> str:
    """Target of what is given a value and declared as something: what is made says more, and what nobody knows less.

    Args:
        value: target of the value, or an empty string.
        declared: target of an object of what it is declared as.
    """
    is_made = value.endswith("()") and is_class(value[:-2])
    if is_made or value == declared or value.startswith(_MADE) or not declared:
        return value
    both = f"{FIRST}{value}|{declared})"
    return both if value and len(both) < _LONGEST else declared


def alternatives(target: str) -> list[str]:
    """Targets of what `target`, `first(x|y)` or another that has several so, has, in their order."""
    found, depth = [], 0
    start = target.index("(") + 1
    for at in range(start, len(target) - 1):
        depth += (target[at] == "(") - (target[at] == ")")
        if target[at] == "|" and not depth:
            found.append(target[start:at])
            start = at + 1
    return [*found, target[start:-1]]


def any_of(value: str, other: str) -> str:
    """Target of what is given one value after another, of which only the link step knows what they are.

    Args:
        value: its target, or that of several.
        other: that of the other.

    Returns:
        An empty string where nothing is known of one of them, or they are too many; the value where they are the same.
    """
    if not (value and other):
        return ""
    if value == other:
        return value
    parts = alternatives(value) if _is_any(value) else [value]
    if other in parts:
        return value
    parts = [*parts, other]
    found = f"{ANY}{'|'.join(dict.fromkeys(parts))})"
    return found if len(parts) <= _MOST and len(found) < LONGEST_CHOICE else ""


def _is_any(value: str) -> bool:
    """Whether a target is one of several things, and nothing of such a thing: `any(x()|y()).parameters()[*]`."""
    if not value.startswith(ANY) or value[-1] != ")":
        return False
    depth = 0
    for at, mark in enumerate(value):
        depth += (mark == "(") - (mark == ")")
        if mark == ")" and not depth:
            return at == len(value) - 1
    return False


def element_of(value: str, at: int | None = None) -> str:
    """Target of an element of a value.

    Args:
        value: target of the value.
        at: which one it is, where that is told.
    """
    if value.startswith("tuple("):
        each = tuple_parts(value)
        if at is None:
            return next(filter(None, each), "")
        return each[at] if at < len(each) else ""
    if at is not None and value.endswith("()") and value != TENSOR and not is_number(f"{value}[]"):
        return f"{value}[{at}]"
    if value.startswith(("list(", "dict(")):
        return value[5:-1]
    if value == TENSOR or not value:
        return value
    return value if value.endswith("]") and not value.endswith("[*]") else f"{value}[]"


def part_of(value: str, first: int | str | None, end: int | str | None) -> str:
    """Target of a slice of a sequence.

    Args:
        value: target of the sequence.
        first: where the slice begins; no number and not None where the text does not tell.
        end: where it ends, the same.
    """
    if not value.startswith("tuple("):
        return value  # of a tensor, or of what the text does not tell, it is mostly one of its kind
    if isinstance(first, str) or isinstance(end, str):
        element = element_of(value)
        return f"list({element})" if element else ""
    return tuple_of(tuple_parts(value)[first:end])


def each_of(value: str) -> str:
    """Target of what a loop over a value binds: of a mapping a key, of which nobody knows."""
    if value.startswith("dict("):
        return ""
    if value.startswith(("list(", "tuple(")) or value == TENSOR or not value:
        return element_of(value)
    return f"{value}[*]"


def shorten(value: str) -> str:
    """The path `value` without its middle: what follows tells that the middle was no dead end.

    Returns:
        An empty string for one that is too long and does not begin with a tensor.
    """
    if value.count("()") <= _STEPS or not value.startswith(TENSOR):
        is_choice = value.startswith((ONE, ANY, "union("))
        return value if len(value) < (2 * LONGEST_CHOICE if is_choice else _LONGEST) else ""
    steps = value.split("().")
    return f"{TENSOR}.{steps[-1]}" if len(steps) > 2 else value
