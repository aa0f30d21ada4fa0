"""Python's own functions and methods, as far as they matter for what a file registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from indexer.extract.python.registrations_values import (
    UNKNOWN,
    Bound,
    Function,
    Marker,
    Partial,
    Ref,
    is_plain,
)

_STR_METHODS = frozenset(
    [
        "split",
        "rsplit",
        "partition",
        "rpartition",
        "replace",
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "startswith",
        "endswith",
        "index",
        "find",
        "join",
        "removeprefix",
        "removesuffix",
        "format",
        "title",
        "capitalize",
        "count",
    ]
)
MAX_SEQUENCE = 20_000
"""Longer sequences are not known."""
_MAX_TEXT = 100_000

BUILTINS = frozenset(
    [
        "getattr",
        "list",
        "tuple",
        "set",
        "sorted",
        "zip",
        "enumerate",
        "str",
        "isinstance",
        "callable",
        "hasattr",
        "object",
        "map",
        "int",
        "bool",
        "float",
        "len",
        "any",
        "all",
    ]
)
"""Names that mean these functions, where the file gives them no other meaning."""


def call_builtin(path: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The value of a call of one of Python's own functions.

    Args:
        path: dotted name of what is called: `builtins.zip`, `functools.partial`.
        arguments: the values given by their order.
        keywords: those given by name.

    Returns:
        UNKNOWN where it is not known; NotImplemented if the function is none of those known here.
    """
    last = path.rsplit(".", 1)[-1]
    if path == "functools.partial" and arguments:
        return Partial(arguments[0], arguments[1:], keywords)
    if path == "itertools.product" and not keywords:
        return _product(arguments)
    if not path.startswith("builtins."):
        return NotImplemented
    first = arguments[0] if arguments else UNKNOWN
    if last == "object":
        return Marker()
    if last in ("list", "tuple", "set", "sorted") and len(arguments) == 1:
        return list(first) if isinstance(first, (list, tuple, dict)) else UNKNOWN
    if last == "len" and len(arguments) == 1:
        return len(first) if isinstance(first, (str, list, tuple, dict)) else UNKNOWN
    if last == "zip" and all(isinstance(a, (list, tuple)) for a in arguments):
        return list(zip(*arguments, strict=False))
    if last == "enumerate" and isinstance(first, (list, tuple)):
        return list(enumerate(first))
    if last == "str" and len(arguments) == 1:
        return _text(first)
    if last in ("any", "all") and isinstance(first, (list, tuple)):
        if not all(isinstance(item, bool) for item in first):
            return UNKNOWN
        return any(first) if last == "any" else all(first)
    if last == "callable":
        return True if isinstance(first, (Function, Partial)) else UNKNOWN
    if last == "isinstance" and len(arguments) == 2:
        return _is_instance(first, arguments[1])
    return NotImplemented


def _text(value: Any) -> Any:
    if isinstance(value, Ref) and value.path.startswith("torch.ops."):
        return value.path.removeprefix("torch.ops.")  # torch/_ops.py, OpOverload.__str__
    return str(value) if is_plain(value) and not isinstance(value, (list, tuple)) else UNKNOWN


def _product(sequences: tuple[Any, ...]) -> Any:
    if not all(isinstance(items, (list, tuple)) for items in sequences):
        return UNKNOWN
    rows: list[tuple[Any, ...]] = [()]
    for items in sequences:
        if len(rows) * len(items) > MAX_SEQUENCE:
            return UNKNOWN
        rows = [(*row, item) for row in rows for item in items]
    return rows


def _is_instance(value: Any, types: Any) -> Any:
    listed = types if isinstance(types, (list, tuple)) else (types,)
    names = {t.path.rsplit(".", 1)[-1] for t in listed if isinstance(t, Ref)}
    if len(names) != len(listed) or value is UNKNOWN:
        return UNKNOWN
    if is_plain(value):
        return type(value).__name__ in names or (
            isinstance(value, (list, tuple)) and "Sequence" in names
        )
    if isinstance(value, Ref) and names <= {"str", "tuple", "list", "int", "bool", "float"}:
        return False
    return UNKNOWN


def leaves(value: Any) -> Iterator[Any]:
    """The items of `value`, nested lists or tuples, as pytree's functions visit them; of anything else itself alone."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def call_method(bound: Bound, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The value of a method call on a string, a list or a dict; a list or dict is changed as the method says.

    Args:
        bound: the method, with the object that it is of.
        arguments: the values given by their order.
        keywords: those given by name.

    Returns:
        UNKNOWN where it is not known.
    """
    owner = bound.owner
    if isinstance(owner, str):
        return _string_method(owner, bound.name, arguments, keywords)
    if isinstance(owner, dict):
        return _dict_method(owner, bound.name, arguments)
    if bound.name == "append" and len(arguments) == 1 and len(owner) < MAX_SEQUENCE:
        owner.append(arguments[0])
        return None
    if bound.name == "extend" and len(arguments) == 1 and isinstance(arguments[0], (list, tuple)):
        owner.extend(arguments[0][: MAX_SEQUENCE - len(owner)])
        return None
    return UNKNOWN


def _string_method(
    owner: str, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    if name not in _STR_METHODS or not is_plain(arguments) or not is_plain(list(keywords.values())):
        return UNKNOWN
    if name == "format" and (":" in owner or "!" in owner):
        return UNKNOWN  # a width could make it as long as it likes
    if (
        len(owner) * sum(len(a) for a in arguments if isinstance(a, (str, list, tuple)))
        > 10 * _MAX_TEXT
    ):
        return UNKNOWN
    method: Callable[..., Any] = getattr(owner, name)
    try:
        value = method(*arguments, **keywords)
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):
        return UNKNOWN
    return (
        value
        if is_plain(value) and (not isinstance(value, str) or len(value) < _MAX_TEXT)
        else UNKNOWN
    )


def _dict_method(owner: dict[Any, Any], name: str, arguments: tuple[Any, ...]) -> Any:
    if name == "items" and not arguments:
        return list(owner.items())
    if name == "values" and not arguments:
        return list(owner.values())
    if name == "keys" and not arguments:
        return list(owner)
    if name == "get" and arguments and isinstance(arguments[0], (str, int, Ref)):
        return owner.get(arguments[0], arguments[1] if len(arguments) > 1 else None)
    return UNKNOWN
