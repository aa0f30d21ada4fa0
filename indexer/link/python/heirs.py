"""What a class calls of its own objects that only classes derived from it have.

`LRScheduler.step` (torch/optim/lr_scheduler.py) calls `self._get_closed_form_lr()` where there is one, and a mixin
what stands in the class that it is mixed into: an object of the class itself has no such method, so it is an heir's.
"""

from __future__ import annotations

import functools

from indexer.facts.python import INSTRUCTION, MADE_NAME
from indexer.link.python.resolver import Resolver
from indexer.link.python.tables import Entity


class Heirs:
    """The methods that classes get from those derived from them.

    Args:
        resolver: what targets stand for; bases are linked.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    def methods(self, target: str) -> tuple[int, ...]:
        """Ids of the functions that `C().name` may run where neither C nor what it inherits from has that name.

        Nor has it what `super(C).name` names: of an heir that is what stands behind C in the heir's order, as
        `super().reset_parameters()` of a mixin in torch/nn/modules/conv.py runs that of the class it is mixed into.

        Args:
            target: of a call, which stands for nothing in the tree.
        """
        owner, dot, name = target.rpartition("().")
        if is_super := not dot and target.startswith("super("):
            owner, _, name = target[6:].rpartition(").")
        if not owner.startswith("torch.") or "(" in owner or name not in self._names:
            return ()
        if name.startswith("__"):
            return ()  # what syntax and built-in functions look for
        found = self._resolver.resolve(owner)
        if found is None or found.kind != "class" or self._has(found.id, name, is_super):
            return ()
        if is_super:
            behind = (
                self._behind(found.id, heir, name) for heir in self._derived.get(found.id, ())
            )
            return tuple(dict.fromkeys(each for each in behind if each is not None))
        run = (
            self._resolver.attribute(Entity("instance", heir), name)
            for heir in self._derived.get(found.id, ())
        )
        return tuple(dict.fromkeys(each.id for each in run if each and each.kind == "function"))

    def named_like(self, target: str) -> tuple[int, ...]:
        """Ids of the functions that a name may mean which is put together when it runs.

        Args:
            target: `C().visit_~`, for those methods of C, of what it inherits from and of what derives from it whose
                names begin so, or with `INSTRUCTION` as its name for those in capitals; or a module in the place of
                the object. Of `C().~` those of C and its bases that have no underscore in front, unless these are so
                many that it says nothing.
        """
        owner, _, name = target.rpartition(".")
        found = self._resolver.resolve(owner)
        is_any = name == MADE_NAME
        if found is None or found.kind not in ("module", "class", "instance")[is_any:]:
            return ()
        tables = self._resolver.tables
        if found.kind == "module":
            scopes = [(found.id, "")]
        else:
            classes = [each for each in self._resolver.order(found.id) if isinstance(each, int)]
            heirs = () if is_any else self._derived.get(found.id, ())
            rows = (tables.classes[each] for each in (*classes, *heirs))
            scopes = [(row.module_id, tables.local_name(row)) for row in rows]
        run = tuple(dict.fromkeys(
            bindings[0].id
            for scope in scopes
            for each, bindings in tables.names.get(scope, {}).items()
            if bindings[0].kind == "function" and _may_be(each, name)
        ))  # fmt: skip
        return () if is_any and len(run) > _MOST else run

    def _behind(self, class_id: int, heir: int, name: str) -> int | None:
        """The function of that name that an heir of a class has from what stands behind the class in its order."""
        tables = self._resolver.tables
        order = self._resolver.order(heir)
        for entry in order[order.index(class_id) + 1 :] if class_id in order else ():
            if isinstance(entry, int):
                row = tables.classes[entry]
                bindings = tables.names.get((row.module_id, tables.local_name(row)), {}).get(name)
                if bindings:
                    return bindings[0].id if bindings[0].kind == "function" else None
        return None

    def _has(self, class_id: int, name: str, is_inherited: bool = False) -> bool:
        """Whether a class gives or inherits a name, whatever it is; of what is not in the tree nobody knows."""
        tables = self._resolver.tables
        for entry in self._resolver.order(class_id)[is_inherited:]:
            if isinstance(entry, str):
                if entry.rpartition(".")[2] not in _WITHOUT_METHODS:
                    return True
                continue
            row = tables.classes[entry]
            if name in tables.names.get((row.module_id, tables.local_name(row)), {}):
                return True
        return False

    @functools.cached_property
    def _names(self) -> frozenset[str]:
        """What methods of the tree are called."""
        functions = self._resolver.tables.functions.values()
        return frozenset(f.name.rpartition(".")[2] for f in functions if f.class_id is not None)

    @functools.cached_property
    def _derived(self) -> dict[int, list[int]]:
        """The classes that derive from each, in the order of their ids."""
        derived: dict[int, list[int]] = {}
        tables = self._resolver.tables
        for class_id, row in tables.classes.items():
            if not tables.modules[row.module_id].name.startswith("torch."):
                continue  # tests have heirs of their own
            for base in self._resolver.order(class_id)[1:]:
                if isinstance(base, int):
                    derived.setdefault(base, []).append(class_id)
        return derived


def _may_be(name: str, asked: str) -> bool:
    """Whether a name may be what is put together: it begins and ends as what is around `MADE_NAME`."""
    if asked == INSTRUCTION:
        return name.isupper()
    if asked == MADE_NAME:
        return not name.startswith("_")
    begin, _, end = asked.partition(MADE_NAME)
    is_longer = len(name) > len(begin) + len(end)
    return is_longer and name.startswith(begin) and name.endswith(end)


_MOST = 100  # methods of a class that may be any which is asked for
# Bases of other packages that give a class no methods of their own.
_WITHOUT_METHODS = frozenset(("object", "ABC", "Generic", "Protocol", "Enum"))
