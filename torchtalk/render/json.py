"""Answers as JSON: the dataclasses' own fields, and whether there is what was asked for."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from torchtalk.answers.base import Answer


def to_json(answer: Answer) -> str:
    """The whole answer as one JSON object, two spaces deep; `found` is what the CLI's exit code says."""
    told = {"found": answer.found, **_plain(answer)}
    return json.dumps(told, ensure_ascii=False, indent=2)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
