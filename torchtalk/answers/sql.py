"""What a query of somebody's own gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torchtalk.answers.base import Answer


@dataclass(frozen=True)
class SqlAnswer(Answer):
    """Rows of a query.

    Args:
        columns: their names.
        rows: in the query's order; texts, numbers and None.
        total: how many rows the query has.
        is_total_exact: whether there may be more.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    total: int = 0
    is_total_exact: bool = True

    @property
    def found(self) -> bool:
        """Whether there is any row."""
        return self.total > 0
