"""The functions of cuBLAS, cuDNN, MPSGraph and the like that operators end at on a GPU, beside what they launch."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from indexer.facts.library_calls import ON_GPU, ON_METAL
from torchtalk.answers.cuda_kernels import LibraryUse
from torchtalk.answers.dispatch import Reached
from torchtalk.tools import queries
from torchtalk.tools.kernels import entries as kernels
from torchtalk.tools.kernels.branches import Branches
from torchtalk.tools.kernels.library_calls import LibraryCalls
from torchtalk.tools.kernels.operator_calls import functions_at, operator_calls

CUDA, MPS = "CUDA", "MPS"
_LIBRARIES = {CUDA: ON_GPU, MPS: ON_METAL}
_PLATFORMS = {CUDA: "cuda", MPS: "metal"}
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
        self._reached: dict[tuple[str, tuple[int, ...]], tuple[Reached, ...]] = {}

    def uses(
        self, followed: Sequence[tuple[str, tuple[int, ...]]], key: str = CUDA
    ) -> tuple[LibraryUse, ...]:
        """What some things call of libraries on a GPU, once each, with whom it is behind.

        Args:
            followed: names, and ids of where the way begins; of an operator those of its kernels for the GPU.
            key: `CUDA` or `MPS`: for which.

        Returns:
            The functions of one library in one file, under one condition, together.
        """
        groups: dict[tuple[str, str | None, str], dict[Reached, list[str]]] = {}
        for name, functions in followed[:_MOST_LOOKED_AT]:
            for call in self._calls(functions, key):
                group = groups.setdefault((call.name, call.place.file, call.condition), {})
                group.setdefault(call, []).append(name)
        return tuple(
            LibraryUse(
                library=library,
                functions=tuple(dict.fromkeys(call.kernel for call in calls)),
                places=tuple(call.place for call in calls),
                condition=condition,
                behind=tuple(dict.fromkeys(name for names in calls.values() for name in names)),
                platform=_PLATFORMS[key],
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
        launches = (one.kind == "launch" for one in self._behind(functions, CUDA))
        return any(launches) or next(self._calls(functions, CUDA), None) is not None

    def _behind(self, functions: tuple[int, ...], key: str) -> tuple[Reached, ...]:
        known = self._reached.get((key, functions))
        if known is None:
            known = kernels.reached(self._conn, list(functions), (key,), self._branches)
            self._reached[key, functions] = known
        return known

    def _calls(self, functions: tuple[int, ...], key: str) -> Iterator[Reached]:
        behind = [
            n
            for one in self._behind(functions, key)
            if one.kind in ("stub", "override", "table")
            and one.definition.file
            and one.definition.line
            for n in functions_at(self._conn, one.definition.file, one.definition.line)
        ]
        for call in self._libraries.behind([*functions, *behind]):
            if call.name in _LIBRARIES[key]:
                yield call


def on_device(
    conn: sqlite3.Connection, functions: Sequence[int], key: str = CUDA
) -> tuple[int, ...]:
    """Those of an operator's functions that are its kernels for a dispatch key.

    Args:
        conn: an index.
        functions: ids of C++ functions.
        key: `CUDA` or `MPS`.
    """
    wanted = {"functions": json.dumps(list(functions)), "key": key}
    return tuple(row["id"] for row in conn.execute(queries("cuda_kernels")["on_device"], wanted))
