"""The dispatch table of an overload: its kernels, keys that share one together, and what is behind them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from indexer.facts.library_calls import ON_CPU, ON_GPU, ON_METAL
from torchtalk.answers.base import Place
from torchtalk.answers.dispatch import DispatchLine, Reached
from torchtalk.tools import queries
from torchtalk.tools.kernels import entries as kernels
from torchtalk.tools.kernels.branches import Branches
from torchtalk.tools.kernels.library_calls import LibraryCalls
from torchtalk.tools.kernels.operator_calls import functions_at

# What the keys of kernels have in their names that libraries work for; Autograd and Autocast have no work of their own.
_COMPOSITE = "Composite"
_WITH_LIBRARIES = ("CUDA", "CPU", "XPU", _COMPOSITE)
_ON_METAL = ("MPS", "Metal")


class TableLine(NamedTuple):
    """A line of a table, the ids of the functions in C++ that it ends at, and what a lambda is that it ends at.

    What a lambda calls stands among the functions: it has no name of its own.
    """

    line: DispatchLine
    functions: tuple[int, ...]
    called: tuple[Reached, ...] = ()


class DispatchTables:
    """Reads the tables of one answer.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._branches = Branches(conn)
        self._libraries = LibraryCalls(conn, self._branches)
        self._reached: dict[tuple[object, ...], tuple[Reached, ...]] = {}
        self._constants: dict[int, str] = {}

    def lines(self, operator_id: int) -> tuple[TableLine, ...]:
        """The lines of an overload's table; keys that lead to the same definitions stand in one.

        Args:
            operator_id: of the overload.

        Returns:
            Lines of which it is not told yet what is behind them: `behind` does.
        """
        groups: dict[tuple[Any, ...], list[sqlite3.Row]] = {}
        table = self._conn.execute(queries("trace")["dispatch"], {"id": operator_id}).fetchall()
        entries = json.dumps([row["id"] for row in table])
        definitions = kernels.definitions(self._conn, entries)
        replacements = kernels.replaced(self._conn, entries)
        lambdas = (
            kernels.in_lambdas(self._conn, entries)
            if any(row["kernel"] is None for row in table)
            else {}
        )
        for row in table:
            written = definitions.get(row["id"], [])
            shared = (
                row["kernel"], row["origin"], row["via"], row["path"], row["generated_by"],
                tuple(n for n, _ in written if n is not None), tuple(place for _, place in written),
                replacements.get(row["id"]), row["condition"], tuple(lambdas.get(row["id"], ())),
            )  # fmt: skip
            groups.setdefault(shared, []).append(row)
        lines = []
        for shared, rows in groups.items():
            functions, places, replaced, called = shared[5], shared[6], shared[7], shared[9]
            line = DispatchLine(
                keys=tuple(row["dispatch_key"] for row in rows),
                kernel=rows[0]["kernel"],
                definitions=places,
                registered=tuple(dict.fromkeys(Place(r["path"], r["line"]) for r in rows)),
                origin=rows[0]["origin"],
                via=rows[0]["via"],
                generated_by=rows[0]["generated_by"],
                replaced_by=replaced,
                condition=rows[0]["condition"],
                specialized=self._specialized(functions),
            )
            functions += tuple(n for n, _ in called)
            lines.append(TableLine(line, functions, tuple(one for _, one in called)))
        return tuple(lines)

    def _specialized(self, functions: tuple[int, ...]) -> str:
        """What one kernel's class is specialized for: the policy of an autocast kernel."""
        if len(functions) != 1:
            return ""
        if functions[0] not in self._constants:
            self._constants[functions[0]] = kernels.constants_of(self._conn, functions[0])
        return self._constants[functions[0]]

    def behind(self, operator_id: int, found: TableLine) -> DispatchLine:
        """A line with the stubs' kernels, GPU kernels and functions of libraries behind its kernel.

        Args:
            operator_id: of the overload whose line it is.
            found: the line.
        """
        line, functions, called = found
        if line.generated_by and "ufunc_inner_loop" in line.generated_by:
            loops = kernels.inner_loops(self._conn, operator_id, line.keys)
            return replace(line, reached=loops)
        elsewhere = self._elsewhere(operator_id, line.keys)
        known = functions, line.keys, elsewhere
        if known not in self._reached:
            reached = kernels.reached(self._conn, list(functions), line.keys, self._branches)
            libraries = self._libraries_behind(found, reached, elsewhere)
            self._reached[known] = reached + libraries
        return replace(line, reached=called + self._reached[known])

    def _elsewhere(self, operator_id: int, keys: tuple[str, ...]) -> frozenset[str]:
        """The devices of which an operator has a kernel of its own, beside the composite one that has these keys."""
        if not any(key.startswith(_COMPOSITE) for key in keys):
            return frozenset()
        rows = self._conn.execute(queries("trace")["dispatch"], {"id": operator_id})
        return frozenset({row["dispatch_key"] for row in rows} & {"CPU", "CUDA", "MPS"} - set(keys))

    def _functions(self, reached: Iterable[Reached]) -> list[int]:
        """The functions that are defined where what is reached stands."""
        return [
            n
            for one in reached
            if one.definition.file and one.definition.line
            for n in functions_at(self._conn, one.definition.file, one.definition.line)
        ]

    def _libraries_behind(
        self, found: TableLine, reached: tuple[Reached, ...], elsewhere: frozenset[str]
    ) -> tuple[Reached, ...]:
        """What is called of libraries for tensors on a CPU or a GPU, whatever their layout is: a kernel for MkldnnCPU
        runs on a CPU (c10/core/DispatchKey.h), and so does one for SparseCsrCPU.

        A kernel that launches something, or has a stub, may leave its work to one all the same: `_fft_r2c_cufft` calls
        cuFFT, and launches what fills in the other half (aten/src/ATen/native/cuda/SpectralOps.cpp). Beside a launch
        stand those of a GPU alone, and of a kernel for CPU as well what its stubs have for it: `exponential_` launches
        on CUDA and has MKL's random numbers on a CPU. For tensors on a CPU nothing works on a GPU: which backend a
        process group hands its work to, and whose packed weights there are, follows from their device
        (ProcessGroup::getBackend, torch/csrc/distributed/c10d/ProcessGroup.hpp).

        A composite kernel runs for each device that the operator has no kernel of its own for (c10/core/DispatchKey.h):
        `mkldnn_convolution` is oneDNN's work and has no other; that of `c10d::allreduce_` is in PyTorch 1.13 neither
        NCCL's, since there is one for CUDA, nor UCC's. What Apple's libraries do is told of kernels for MPS and Metal,
        beside what these launch.
        """
        keys = found.line.keys
        working = [key for key in keys if not key.startswith("Auto")]
        on_metal = any(device in key for key in working for device in _ON_METAL)
        on_others = any(device in key for key in working for device in _WITH_LIBRARIES)
        if not on_metal and not on_others:
            return ()
        behind = self._functions(reached)
        if any(key.startswith(_COMPOSITE) for key in keys):
            every = self._libraries.behind([*found.functions, *behind], is_choosing=True)
            return tuple(call for call in every if _device(call) not in elsewhere)
        calls = self._libraries.behind([*found.functions, *behind])
        of_metal = tuple(call for call in calls if call.name in ON_METAL) if on_metal else ()
        of_others = tuple(call for call in calls if call.name not in ON_METAL) if on_others else ()
        return self._of_cpu_and_cuda(keys, reached, of_others) + of_metal

    def _of_cpu_and_cuda(
        self, keys: tuple[str, ...], reached: tuple[Reached, ...], calls: tuple[Reached, ...]
    ) -> tuple[Reached, ...]:
        """What of some calls is done for tensors on a CPU or a GPU of CUDA's, beside what the kernels launch."""
        is_virtual = any(one.kind == "override" for one in reached)
        if not is_virtual and not any("CPU" in key for key in keys):
            # `mm` copies by way of copy_, which has FBGEMM convert what is on a CPU (aten/src/ATen/native/Copy.cpp).
            calls = tuple(call for call in calls if call.name not in ON_CPU)
        if any(one.kind == "launch" for one in reached):
            if not any("CPU" in key for key in keys):
                return tuple(call for call in calls if call.name in ON_GPU)
            hosts = [r for r in reached if r.kind == "stub" and not kernels.is_of_device(r.backend)]
            of_host = set(self._libraries.behind(self._functions(hosts)))
            return tuple(call for call in calls if call.name in ON_GPU or call in of_host)
        if any("CUDA" in key for key in keys):
            return calls
        return tuple(call for call in calls if call.name not in ON_GPU)


def _device(call: Reached) -> str:
    """On which device a library works that is called."""
    if call.name in ON_METAL:
        return "MPS"
    return "CUDA" if call.name in ON_GPU else "CPU"
