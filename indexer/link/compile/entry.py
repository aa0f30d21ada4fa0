"""A row of `compile_entries`."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """A row of `compile_entries`, without its id and the operator's.

    Args:
        operator: name of one overload, or of what is no operator of the dispatcher.
        role: of the function: decomposition, meta, fake, lowering, fallback, ref or prim.
        table_name: the registry, such as post_autograd or inductor, or None.
        function: qualified name of the function, or None.
        function_file_id: of the file with its `def`, or None.
        function_line: of that `def`, or None.
        how: what registers it.
        kernels: what the function's text makes, comma-separated, or None.
        condition: under which it holds, or why it does not, or None.
        is_conditional: it may never hold.
        file_id: of the file that registers it, or None.
        line: of that statement, or None.
    """

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
