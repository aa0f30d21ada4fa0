"""The object that a method runs on: what it calls on itself is its own class's, not that of a base it is written in."""

from __future__ import annotations

import json
import sqlite3

from torchtalk.names.inheritance import ancestors
from torchtalk.tools import queries

_MODULE = "torch.nn.modules.module.Module"
_NOTHING = (0, 0, False)


class Receiver:
    """An object of a class, as far as it decides what `self.m()` and `super().m()` run.

    Args:
        conn: an index.
        class_id: of `python_classes`.
    """

    def __init__(self, conn: sqlite3.Connection, class_id: int) -> None:
        self._conn = conn
        self.class_id = class_id
        order = [entry for entry in ancestors(conn, class_id) if entry.class_id is not None]
        self._ids = json.dumps([entry.class_id for entry in order])
        self._names = [entry.name for entry in order]
        # By attribute: the position of the class that says so, and an object of the class that it holds.
        self._held: dict[str, tuple[int, Receiver] | None] = {}
        # By function: the position of the class that has it.
        self._positions: dict[int, int] = {}
        # By a method's name: the classes that have it, the function, and whether it is a property.
        self._found: dict[str, list[tuple[int, int, bool]]] = {}

    def has(self, function: int, name: str) -> bool:
        """Whether a function is a method that it has from its class or from a base of that.

        Args:
            function: id of the row in `python_functions`.
            name: the method's, without its class.
        """
        return any(found == function for _, found, _ in self._methods(name))

    def inherits(self, function: int, name: str) -> bool:
        """Whether a function is a method that it has, and from a base of its class.

        Args:
            function: id of the row in `python_functions`.
            name: the method's, without its class.
        """
        position, found, _ = next(iter(self._methods(name)), _NOTHING)
        return found == function and position > 0

    def gives(self, attribute: str) -> str:
        """Target of what it gives under the name of an attribute; empty where that is not known, or one of several.

        Args:
            attribute: that a property or an assignment makes.
        """
        position, function, is_property = next(iter(self._methods(attribute)), _NOTHING)
        if function and not is_property:
            return ""
        wanted = {"ids": self._ids, "name": attribute, "function": function, "position": position}
        rows = self._conn.execute(queries("trace_module")["gives"], wanted).fetchall()
        return str(rows[0]["target"]) if len(rows) == 1 else ""

    def called(self, caller: int, target: str) -> int:
        """The method that one of its methods calls by a target, or 0 where that says nothing of the object.

        Args:
            caller: id of the calling method, which `has` or this has told of.
            target: as in `python_targets`: `torch.nn.modules.conv._ConvNd()._conv_forward`; of a property that it gets,
                `torch.distributions.distribution.Distribution.variance`.
        """
        position = self._positions.get(caller)
        if position is None:
            return 0
        written_in = self._names[position]
        first = 0
        is_got = False
        if target.startswith(f"{written_in}()."):
            name = target[len(written_in) + 3 :]
        elif target.startswith(f"super({written_in})."):
            name = target[len(written_in) + 8 :]
            first = position + 1
        elif target.startswith(f"{written_in}."):
            name = target[len(written_in) + 1 :]
            is_got = True
        else:
            return 0
        if not name.isidentifier():
            return 0
        found = (entry for entry in self._methods(name) if entry[0] >= first)
        _, function, is_property = next(found, (0, 0, is_got))
        return function if is_property == is_got else 0

    def named(self, caller: int, target: str, function: int) -> bool:
        """Whether one of its methods calls another of its methods by a class: `ConvBn2d._forward(self, input)`.

        torch/nn/intrinsic/qat/modules/conv_fused.py calls a base's so: that runs as it stands there, and what it calls
        on itself is its own class's all the same.

        Args:
            caller: as for `called`.
            target: `torch.nn.intrinsic.qat.modules.conv_fused.ConvBn2d._forward`.
            function: that it stands for; id of the row in `python_functions`.
        """
        if caller not in self._positions or "(" in target:
            return False
        methods = self._methods(target.rpartition(".")[2])
        return any(found == function and not is_property for _, found, is_property in methods)

    def held(self, caller: int, target: str) -> tuple[int, Receiver] | None:
        """The method that one of its methods calls on what it holds, or by calling that, and the object that this is.

        What the class that a method is written in says of it is what the text says everywhere; here it is what a class
        derived from that says.

        Args:
            caller: as for `called`.
            target: `torch.distributions.transformed_distribution.TransformedDistribution().base_dist.rsample`, or what
                is called is the object: `torch.ao.quantization.fake_quantize.FakeQuantize().activation_post_process`.
        """
        position = self._positions.get(caller)
        start = f"{self._names[position]}()." if position is not None else ""
        attribute, dot, name = target[len(start) :].partition(".")
        if position is None or not target.startswith(start) or name.isidentifier() != bool(dot):
            return None
        if attribute not in self._held:
            self._held[attribute] = self._holds(attribute)
        holds = self._held[attribute]
        if holds is None or holds[0] >= position:
            return None
        held = holds[1]
        _, function, is_property = next(iter(held._methods(name) if dot else held._run()), _NOTHING)
        return (function, held) if function and not is_property else None

    def _holds(self, attribute: str) -> tuple[int, Receiver] | None:
        """What its class, or the nearest base that says so, has as an attribute, and the position of who says it."""
        wanted = {"ids": self._ids, "name": attribute}
        for position, class_id in self._conn.execute(queries("trace_module")["held"], wanted):
            return position, Receiver(self._conn, class_id)
        return None

    def _run(self) -> list[tuple[int, int, bool]]:
        """What runs where it is called: `Module.__call__` runs `forward` (torch/nn/modules/module.py, `_call_impl`)."""
        return self._methods("forward" if _MODULE in self._names else "__call__")

    def _methods(self, name: str) -> list[tuple[int, int, bool]]:
        known = self._found.get(name)
        if known is None:
            known = self._found[name] = []
            wanted = {"ids": self._ids, "name": name}
            rows = self._conn.execute(queries("trace_module")["bound"], wanted)
            for at, function, is_property, _ in rows:
                if not known or known[-1][0] != at:  # a class's last statement comes first
                    known.append((at, function, bool(is_property)))
                    self._positions.setdefault(function, at)
        return known
