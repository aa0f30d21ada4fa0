"""Documents that the program itself shows: in a checkout under `docs`, in a wheel beside this."""

from __future__ import annotations

import re
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_PLACES = (_HERE / "_docs", _HERE.parents[1] / "docs")
_VIEW = re.compile(r"^## `(?P<view>v_\w+)`$(?P<body>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"^(?P<what>[^\n]+):\n\n```sql\n(?P<sql>.*?)\n?```", re.MULTILINE | re.DOTALL)


def document(name: str) -> Path:
    """Where a document stands.

    Args:
        name: of a file in `docs`.

    Raises:
        FileNotFoundError: this installation lacks it.
    """
    for place in _PLACES:
        if (place / name).exists():
            return place / name
    raise FileNotFoundError(f"{name} is missing from this installation of torchtalk; reinstall it")


def examples() -> dict[str, tuple[str, str]]:
    """For each view of docs/schema.md what its query answers, and the query."""
    text = document("schema.md").read_text(encoding="utf-8")
    found = {}
    for section in _VIEW.finditer(text):
        example = _EXAMPLE.search(section["body"])
        if example is not None:
            found[section["view"]] = (example["what"], example["sql"])
    return found
