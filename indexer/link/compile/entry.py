"""A row of `compile_entries`."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """A row of `compile_entries`, without its id and the operator's."""

    operator: str
    role: str
    table_name: str | None
    function: str | None
    function_file_id: int | None
    function_line: int | None
    how: str
    kernels: str | None
    condition: str | None
    is_conditional: bool
    file_id: int | None
    line: int | None
