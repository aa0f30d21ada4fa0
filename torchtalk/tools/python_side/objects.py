"""Of which class an object is that the text calls a method on, where that method stands in a base of the class.

`self._gamma.sample()` of torch/distributions/negative_binomial.py runs Distribution.sample, and what that calls on
itself is Gamma's.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from torchtalk.tools import queries
from torchtalk.tools.python_side.receiver import Receiver


class Objects:
    """The objects of an index's classes, by the targets that say what they are.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._receivers: dict[int, Receiver] = {}
        self._named: dict[str, int] = {}

    def receiver(self, class_id: int) -> Receiver:
        """An object of the class with the id `class_id`, the same each time."""
        known = self._receivers.get(class_id)
        if known is None:
            known = self._receivers[class_id] = Receiver(self._conn, class_id)
        return known

    def learn(self, targets: Iterable[str]) -> None:
        """Look up the classes that targets begin with, all at once."""
        new = {target.partition("().")[0] for target in targets if "()." in target}
        names = sorted(name for name in new if name not in self._named and "(" not in name)
        self._named.update(dict.fromkeys(names, 0))
        sql = queries("trace_module")["classes_named"]
        for row in self._conn.execute(sql, {"names": json.dumps(names)}) if names else ():
            self._named[row["name"]] = self._named[row["name"]] or row["id"]

    def called_on(self, target: str, function: int, written_in: int) -> Receiver | None:
        """The object that a call runs a method on which its class inherits; None where the text does not tell.

        Args:
            target: as in `python_targets`: `torch.distributions.gamma.Gamma().sample`, or what an object gives:
                `torch.distributions.negative_binomial.NegativeBinomial()._gamma.sample`.
            function: that the target stands for.
            written_in: the class that this is a method of.
        """
        owner, _, name = target.rpartition(".")
        class_id = self._class_of(owner) if name.isidentifier() else 0
        if class_id in (0, written_in):
            return None  # what it calls on itself is known by the text
        receiver = self.receiver(class_id)
        return receiver if receiver.inherits(function, name) else None

    def _class_of(self, owner: str) -> int:
        """The class of the object that a target without its last part is; 0 where it is none that is known."""
        if owner.endswith("()") and "(" not in owner[:-2]:
            return self._class(owner[:-2])
        holder, dot, attribute = owner.partition("().")
        if not dot or not attribute.isidentifier() or "(" in holder:
            return 0
        class_id = self._class(holder)
        gives = self.receiver(class_id).gives(attribute) if class_id else ""
        return self._class(gives[:-2]) if gives.endswith("()") and "(" not in gives[:-2] else 0

    def _class(self, name: str) -> int:
        if name not in self._named:
            self.learn((f"{name}().",))
        return self._named.get(name, 0)
