"""The object that a method runs on: what it calls on itself is its own class's, not that of a base it is written in."""

from __future__ import annotations

import json
import sqlite3

from torchtalk.names.inheritance import ancestors
from torchtalk.tools import queries


class Receiver:
    """An object of a class, as far as it decides what `self.m()` and `super().m()` run.

    Args:
        conn: an index.
        class_id: of `python_classes`.
    """

    def __init__(self, conn: sqlite3.Connection, class_id: int) -> None:
        order = ancestors(conn, class_id)
        self._positions = {entry.name: at for at, entry in enumerate(order)}
        self._classes: dict[int, str] = {}
        # What the class statements bind, in the order of their classes; 0 for what is no plain method.
        self._found: dict[str, list[tuple[int, int]]] = {}
        ids = [entry.class_id for entry in order if entry.class_id is not None]
        for row in conn.execute(queries("trace_module")["bound"], {"ids": json.dumps(ids)}):
            at = self._positions[row["class"]]
            known = self._found.setdefault(row["name"], [])
            if not known or known[-1][0] != at:  # the last statement of a class comes first
                known.append((at, row["function_id"]))
                if row["function_id"]:
                    self._classes.setdefault(row["function_id"], row["class"])

    def has(self, function: int) -> bool:
        """Whether a function is a method that it has from its class or from a base of that."""
        return function in self._classes

    def called(self, caller: int, target: str) -> int:
        """The method that one of its methods calls by a target, or 0 where that says nothing of the object.

        Args:
            caller: id of the calling method.
            target: as in `python_targets`: `torch.nn.modules.conv._ConvNd()._conv_forward`.
        """
        written_in = self._classes.get(caller)
        if written_in is None:
            return 0
        first = 0
        if target.startswith(f"{written_in}()."):
            name = target[len(written_in) + 3 :]
        elif target.startswith(f"super({written_in})."):
            name = target[len(written_in) + 8 :]
            first = self._positions[written_in] + 1
        else:
            return 0
        return next((function for at, function in self._found.get(name, ()) if at >= first), 0)
