"""The functions of cuBLAS, cuDNN and the like that operators and kernels end at on a GPU, beside what they launch."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from indexer.facts.library_calls import ON_GPU
from torchtalk.answers.cuda_kernels import LibraryUse
from torchtalk.answers.dispatch import Reached
from torchtalk.tools import queries
from torchtalk.tools.kernels import entries as kernels
from torchtalk.tools.kernels.branches import Branches
from torchtalk.tools.kernels.library_calls import LibraryCalls
from torchtalk.tools.kernels.operator_calls import functions_at, operator_calls

_CUDA = ("CUDA",)
_MOST_LOOKED_AT = 40
"""What a name means is among the first; each further one has its files read."""


class GpuWork:
    """Tells whether functions launch something themselves, and where they end in a library.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._branches = Branches(conn)
        self._libraries = LibraryCalls(conn, self._branches)
        self._reached: dict[tuple[int, ...], tuple[Reached, ...]] = {}

    def uses(self, followed: Sequence[tuple[str, tuple[int, ...]]]) -> tuple[LibraryUse, ...]:
        """What some things call of libraries on a GPU, once each, with whom it is behind.

        Args:
            followed: names, and ids of where the way begins; of an operator those of its kernels for CUDA.

        Returns:
            The functions of one library in one file, under one condition, together.
        """
        groups: dict[tuple[str, str | None, str], dict[Reached, list[str]]] = {}
        for name, functions in followed[:_MOST_LOOKED_AT]:
            for call in self._calls(functions):
                group = groups.setdefault((call.name, call.place.file, call.condition), {})
                group.setdefault(call, []).append(name)
        return tuple(
            LibraryUse(
                library=library,
                functions=tuple(dict.fromkeys(call.kernel for call in calls)),
                places=tuple(call.place for call in calls),
                condition=condition,
                behind=tuple(dict.fromkeys(name for names in calls.values() for name in names)),
            )
            for (library, _, condition), calls in groups.items()
        )

    def further(self, functions: tuple[int, ...]) -> tuple[str, ...]:
        """The operators that do the work of kernels which neither launch nor end in a library.

        `_scaled_dot_product_flash_attention` has a kernel for CUDA, which calls `at::_flash_attention_forward`.

        Args:
            functions: ids of an operator's kernels for CUDA.
        """
        if not functions or self._is_working(functions):
            return ()
        rows = operator_calls(self._conn, functions)
        return tuple(
            dict.fromkeys(
                str(row["base"]) for row in rows
                if row["namespace"] == "aten" and not row["is_helper"] and not row["is_common"]
            )
        )  # fmt: skip

    def _is_working(self, functions: tuple[int, ...]) -> bool:
        launches = (one.kind == "launch" for one in self._behind(functions))
        return any(launches) or next(self._calls(functions), None) is not None

    def _behind(self, functions: tuple[int, ...]) -> tuple[Reached, ...]:
        known = self._reached.get(functions)
        if known is None:
            known = kernels.reached(self._conn, list(functions), _CUDA, self._branches)
            self._reached[functions] = known
        return known

    def _calls(self, functions: tuple[int, ...]) -> Iterator[Reached]:
        behind = [
            n
            for one in self._behind(functions)
            if one.kind in ("stub", "override") and one.definition.file and one.definition.line
            for n in functions_at(self._conn, one.definition.file, one.definition.line)
        ]
        for call in self._libraries.behind([*functions, *behind]):
            if call.name in ON_GPU:
                yield call


def on_cuda(conn: sqlite3.Connection, functions: Sequence[int]) -> tuple[int, ...]:
    """Those of an operator's `functions`, ids of C++ functions of the index `conn`, that are its kernels for CUDA."""
    wanted = {"functions": json.dumps(list(functions))}
    return tuple(row["id"] for row in conn.execute(queries("cuda_kernels")["on_cuda"], wanted))
