"""What the index knows of one operator at each stage of torch.compile."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from indexer.facts.decomposition_tables import CHOSEN_TABLE, INDUCTOR_TABLE, POST_AUTOGRAD_TABLE
from torchtalk.answers.base import Place
from torchtalk.answers.compile_path import OperatorPath, Step
from torchtalk.tools import queries
from torchtalk.tools.kernels.operator_calls import functions_at, operator_calls

_MOST_CALLED = 60
_COMPOSITE = "CompositeImplicitAutograd"
_WRITING = ("inplace", "out", "mutable")

_UNLESS_EAGER = "unless torch._inductor.config.fallback_random is set"

_OF_KEYS = {
    "Autograd": "gradient",
    "Functionalize": "functionalization",
    "ProxyTorchDispatchMode": "tracing",
    "FakeTensorMode": "fake",
    "Meta": "meta",
}
"""What the kernels of a higher-order operator are for, by the keys of its tables, in the order in which they run."""


class OperatorSteps:
    """Reads one operator.

    Args:
        conn: an index.
        row: of the statement `overloads`, or the same by name for a higher-order operator.
    """

    def __init__(self, conn: sqlite3.Connection, row: sqlite3.Row | Mapping[str, Any]) -> None:
        self._conn = conn
        self._row = row
        self._sql = queries("compile_path")
        at = {"operator": row["name"]}
        self._entries: list[sqlite3.Row] = conn.execute(self._sql["entries"], at).fetchall()
        self._tables: dict[str, sqlite3.Row] = {
            table["table_name"]: table for table in conn.execute(self._sql["tables"], at)
        }
        self._random = self._of_random()

    def path(self) -> OperatorPath:
        """The operator's way, as one answer's part."""
        row = self._row
        outcome, calls = self._end()
        return OperatorPath(
            operators=(row["name"],),
            place=Place(row["path"], row["line"]),
            level=self._level(),
            aot=(*self._aot(), *self._own_tables(), *self._gradient()),
            inductor=self._inductor(),
            outcome=outcome,
            becomes=calls,
            lists=self._lists(),
        )

    def _end(self) -> tuple[str, tuple[str, ...]]:
        """What is left of it, and the operators that it is decomposed into.

        Operators are functionalized before they meet the table of decompositions: torch/_functorch/_aot_autograd,
        aot_dispatch_base_graph, traces what runs below FunctionalTensorMode, whose tensors go to that mode before
        torch/fx/experimental/proxy_tensor.py, proxy_call, looks into the table. So what is decomposed or lowered of
        one that writes into its arguments is its functional variant. A composite kernel runs before either
        (torch/_subclasses/functional_tensor.py, FunctionalTensorMode.__torch_dispatch__).
        """
        used = self._used()
        replacing = self._functional() if used is None or not self._is_composite(used) else None
        if replacing is None:
            called = () if used is None else self._becomes(used)
            return self._outcome(used), called
        variant = OperatorSteps(self._conn, replacing)
        outcome, called = variant._end()
        text = f"functionalization replaces it by {replacing['name']}: {outcome}"
        # One that is registered for a packet holds for all its overloads.
        if self._has_lowering() and not outcome.endswith(self._lowered()):
            # The graph's end writes back what changed (copy_); passes put others in place (fx_passes/reinplace.py).
            text += f"; where a graph has it all the same: {self._lowered()}"
        return text, called

    def _functional(self) -> sqlite3.Row | None:
        """The functional variant, as a row of `overloads`, of an operator that writes into its arguments."""
        row = self._row
        if row["kind"] not in _WRITING:
            return None
        found = self._conn.execute(self._sql["functional"], {"operator": row["name"]}).fetchone()
        if found is None:
            return None
        names = json.dumps([found["name"]])
        variant: sqlite3.Row = self._conn.execute(
            self._sql["overloads"], {"names": names}
        ).fetchone()
        return variant

    def _becomes(self, used: sqlite3.Row) -> tuple[str, ...]:
        return becomes(self._conn, used["function"], used["function_path"], used["function_line"])

    def _of(self, *roles: str) -> list[sqlite3.Row]:
        return [entry for entry in self._entries if entry["role"] in roles]

    def _level(self) -> str:
        row = self._row
        if row["namespace"] == "prims":
            return "Prims"
        if row["namespace"] == "higher_order":
            return "higher-order operator"
        if row["is_core"]:
            return "Core ATen"
        if row["is_core"] is None:  # of a version without the tag
            composite = f"composite ({_COMPOSITE})"
            return composite if row["is_composite"] else f"operator of {row['namespace']}"
        if row["is_composite"]:
            return f"composite ({_COMPOSITE}), not Core ATen"
        core = self._tables.get(POST_AUTOGRAD_TABLE)
        if core is not None and not core["removed"]:
            return f"not Core ATen: core_aten_decompositions has a decomposition ({Place(core['path'], core['line'])})"
        return "not Core ATen" if row["namespace"] == "aten" else f"operator of {row['namespace']}"

    def _aot(self) -> tuple[Step, ...]:
        steps: dict[tuple[object, ...], Step] = {}
        for entry in self._of("decomposition", "meta", "fake", "ref", "prim"):
            if entry["table_name"] == "inductor":
                continue  # stands with what Inductor does
            what = entry["role"]
            if what == "decomposition" and entry["table_name"] != _COMPOSITE:
                what = f"decomposition [{_short(entry['table_name'])}]"
            elif what == "decomposition":
                what = "composite kernel"
            step = _step(what, entry)
            shared = (step.what, step.function, str(step.place))
            steps.setdefault(shared, step)
        found = list(steps.values())
        # A reference that is the decomposition itself tells nothing new.
        known = {step.function for step in found if step.what.startswith("decomposition")}
        return tuple(step for step in found if step.what != "ref" or step.function not in known)

    def _own_tables(self) -> tuple[Step, ...]:
        """What a higher-order operator's own tables say for the modes that make a graph."""
        rows = self._conn.execute(self._sql["own_tables"], {"operator": self._row["name"]})
        order = list(_OF_KEYS)
        return tuple(
            Step(
                _OF_KEYS[row["dispatch_key"]], row["kernel"], Place(row["kernel_path"], row["kernel_line"]),
                Place(row["path"], row["line"]), row["dispatch_key"],
            )
            for row in sorted(
                (row for row in rows if row["dispatch_key"] in _OF_KEYS),
                key=lambda row: order.index(row["dispatch_key"]),
            )
        )  # fmt: skip

    def _gradient(self) -> tuple[Step, ...]:
        entry = self._row["derivative"]
        if entry is None:
            return ()
        place = self._conn.execute(self._sql["derivative"], {"entry": entry}).fetchone()
        at = Place(place["path"], place["line"]) if place is not None else Place(None, None)
        return (Step("gradient", f"formulas of {entry}", at, at),)

    def _of_random(self) -> sqlite3.Row | None:
        """The operator's row in a table that Inductor adds to its own where random numbers are to be fast.

        torch/_inductor/decomposition.py, select_decomp_table, gives `{**decompositions, **extra_random_decomps}`
        unless `config.fallback_random` is set.
        """
        tables = {"chosen": CHOSEN_TABLE, "own": INDUCTOR_TABLE}
        added = [row["source"] for row in self._conn.execute(self._sql["added_tables"], tables)]
        found = [self._tables[name] for name in added if name in self._tables]
        return next((table for table in reversed(found) if not table["removed"]), None)

    def _table(self) -> sqlite3.Row | None:
        """The operator's row in the table that torch.compile hands to AOTAutograd, where it was in it once."""
        return self._random or self._tables.get(INDUCTOR_TABLE)

    def _inductor(self) -> tuple[Step, ...]:
        steps: list[Step] = []
        table = self._table()
        if table is not None and table["kind"] != _COMPOSITE:
            at = Place(table["path"], table["line"])
            what = "taken out of the decomposition table" if table["removed"] else "decomposition"
            function = None if table["removed"] else table["function"]
            detail = _UNLESS_EAGER if table is self._random else ""
            steps.append(
                Step(
                    what, function, Place(table["function_path"], table["function_line"]), at, detail
                )
            )  # fmt: skip
        lowered = [entry for entry in self._of("lowering") if entry["how"] != "make_fallback"]
        steps += [_step("lowering", entry, entry["kernels"] or "") for entry in lowered]
        for entry in self._of("fallback"):
            what = "may fall back" if entry["is_conditional"] else "fallback"
            steps.append(_step(what, entry, "ExternKernel: the eager kernel is called"))
        return tuple(dict.fromkeys(steps))

    def _used(self) -> sqlite3.Row | None:
        """The decomposition that torch.compile uses, if any."""
        table = self._table()
        composite = [
            entry for entry in self._of("decomposition") if entry["table_name"] == _COMPOSITE
        ]
        if composite and self._row["kind"] in _WRITING:
            return composite[-1]
        if table is not None:
            return table if not table["removed"] else None
        if composite:
            return composite[-1]
        if not self._has_lowering() and not self._inductor_built():
            listed = self._of("decomposition")
            return listed[0] if listed else None
        return None

    def _has_lowering(self) -> bool:
        return any(not entry["is_conditional"] for entry in self._of("lowering"))

    def _inductor_built(self) -> bool:
        return bool(self._conn.execute(self._sql["has_inductor"]).fetchone()[0])

    @staticmethod
    def _is_composite(used: sqlite3.Row) -> bool:
        kind = used["kind"] if "kind" in used.keys() else used["table_name"]  # noqa: SIM118
        return bool(kind == _COMPOSITE)

    def _outcome(self, used: sqlite3.Row | None) -> str:
        if used is not None:
            if self._is_composite(used):
                return f"composite: {used['function']} runs while the graph is traced"
            text = f"decomposed by {used['function']}"
            declines = self._conn.execute(
                self._sql["declines"], {"name": used["function"]}
            ).fetchone()[0]
            if not declines:
                return text
            # A decomposition that returns NotImplemented leaves the operator in the graph.
            return f"{text}; where that declines: {self._lowered()}"
        return self._lowered()

    def _lowered(self) -> str:
        lowered = [entry for entry in self._of("lowering") if not entry["is_conditional"]]
        if lowered:
            last = lowered[-1]
            if last["how"] == "make_fallback":
                return "falls back: Inductor calls the eager kernel"
            kernels = f" ({last['kernels']})" if last["kernels"] else ""
            return f"Inductor lowers it with {last['function']}{kernels}"
        if self._row["kind"] in _WRITING:
            return "has no functional variant, no decomposition and no lowering"
        if not self._inductor_built():
            return "stays as it is: no decomposition"
        if self._row["namespace"] == "higher_order":
            return "no Inductor lowering: it is traced away or handled by a pass before"
        return (
            "Inductor neither decomposes nor lowers it: an implicit fallback calls the eager kernel"
        )

    def _lists(self) -> tuple[str, ...]:
        name = self._row["name"]
        rows = self._conn.execute(
            self._sql["lists"], {"operator": name, "packet": name.partition(".")[0]}
        ).fetchall()
        named: dict[str, str] = {}
        for row in rows:
            short = ".".join(row["name"].split(".")[-2:])
            named.setdefault(short, f"{short} ({Place(row['path'], row['line'])})")
        return tuple(named.values())[:8]


def _step(what: str, entry: sqlite3.Row, detail: str = "") -> Step:
    details = [detail] if detail else []
    if entry["how"] not in (
        "register_lowering",
        "register_decomposition",
        "make_fallback",
        "CompositeImplicitAutograd",
    ):
        details.append(entry["how"])
    if entry["condition"]:
        details.append(entry["condition"])
    return Step(
        what, entry["function"], Place(entry["function_path"], entry["function_line"]),
        Place(entry["path"], entry["line"]), "; ".join(details),
    )  # fmt: skip


def _short(table: str | None) -> str:
    return (table or "").rpartition(".")[2] or "?"


def becomes(
    conn: sqlite3.Connection, function: str | None, path: str | None, line: int | None
) -> tuple[str, ...]:
    """Packets that a function calls, directly or through helpers of its file, in the order of the calls.

    Args:
        conn: an index.
        function: its qualified name.
        path: of the function's file.
        line: of its definition.
    """
    if function is None or path is None or line is None:
        return ()
    if path.endswith(".py"):
        at = {"path": path, "line": line, "name": function.rpartition(".")[2], "named": False}
        rows = conn.execute(queries("compile_path")["python_calls"], at).fetchall()
    else:
        rows = operator_calls(conn, functions_at(conn, path, line))
    return tuple(dict.fromkeys(row["packet"] for row in rows))[:_MOST_CALLED]
