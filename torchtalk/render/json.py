"""Answers as JSON: the dataclasses' own fields, and whether there is what was asked for."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from torchtalk.answers.base import Answer
from torchtalk.render.less_json import with_less


def to_json(answer: Answer, limit: int | None = None) -> str:
    """An answer as one JSON object, two spaces deep; `found` is what the CLI's exit code says.

    Args:
        answer: of any tool.
        limit: most characters; None for the whole answer. Where there is no room for all, lists are cut, and
            `left_out` says which and by how much.
    """
    told = {"found": answer.found, **_plain(answer)}
    text = _written(told)
    if limit is not None and len(text) > limit:
        return with_less(told, getattr(answer, "rows", None), limit, _written)
    return text


def _written(told: dict[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, indent=2)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
