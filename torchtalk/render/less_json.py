"""Fitting JSON into a bound: it cannot be cut off anywhere, so its longest lists become shorter, and it says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

_LEFT_OUT = "left_out"
_WHOLE = "path"
"""Key of lists of which half says something else than the whole: a way from one thing to another."""
_MOST_TEXT = 500
"""Characters of a text that are kept where nothing but texts is left to be cut."""


def with_less(
    told: dict[str, Any], rows: str | None, limit: int, written: Callable[[dict[str, Any]], str]
) -> str:
    """An object with fewer entries in its lists, whose text has room.

    What is cut first is the list whose own entries take most room, be it in another list's entry: an overload with
    half of its kernels says more than half of the overloads. Whatever was told stays told with one entry at least, the
    first. A path is cut only where no other list is left: half of one leads to something else.

    Args:
        told: the object; it is changed.
        rows: key of the list that is a page of rows; `page` then says how many are left.
        limit: most characters.
        written: makes a text of it.

    Returns:
        The text; `left_out` has of each list that was cut how many of its entries are missing.
    """
    left_out: dict[str, int] = {}
    told[_LEFT_OUT] = left_out
    while len(text := written(told)) > limit:
        lists: list[tuple[bool, int, str, list[Any]]] = []
        _measure(told, "", lists)
        if not lists:
            return written(_texts_cut(told))
        _, _, path, longest = max(lists, key=lambda entry: entry[:2])
        kept = (len(longest) + 1) // 2
        left_out[path] = left_out.get(path, 0) + len(longest) - kept
        for at in range(kept, len(longest)):
            for gone in [each for each in left_out if each.startswith(f"{path}[{at}]")]:
                del left_out[gone]
        del longest[kept:]
        if path == rows:
            told["page"]["shown"] = min(told["page"]["shown"], kept)
    return text


def _measure(value: Any, path: str, lists: list[tuple[bool, int, str, list[Any]]]) -> int:
    """Characters of a value without those of the lists in it that can be cut, which are noted with their own.

    A path counts as part of what it stands in, and is noted as the last to be cut.
    """
    if isinstance(value, dict):
        return sum(
            len(key) + 4 + _measure(item, f"{path}.{key}" if path else key, lists)
            for key, item in value.items()
            if path or key != _LEFT_OUT
        )
    if isinstance(value, list):
        size = sum(_measure(item, f"{path}[{at}]", lists) for at, item in enumerate(value))
        if len(value) > 1:
            is_whole = path.endswith(f".{_WHOLE}")
            lists.append((not is_whole, size, path, value))
            return size if is_whole else 0
        return size
    return len(json.dumps(value, ensure_ascii=False))


def _texts_cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _texts_cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_texts_cut(item) for item in value]
    return value[:_MOST_TEXT] if isinstance(value, str) else value
