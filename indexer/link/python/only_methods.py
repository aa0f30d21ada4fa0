"""Which method is meant where nothing tells what it is called on: the only one of its name, if it is the only one.

`shape_env.deserialize_symexpr(text)` (torch/_inductor/utils.py) is told by its name alone: no other class has such a
method, no function and nothing that C++ binds is called so, and no object holds something else under that name.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Set

from indexer.extract.python.untold import untold
from indexer.facts.python import UNKNOWN
from indexer.link.python.resolver import Resolver

_METHODS = ("method", "staticmethod", "classmethod")


class OnlyMethods:
    """The methods of torch that have a name for themselves.

    Args:
        resolver: what targets stand for; bases are linked.
        bound: in full, the names that C++ binds.
    """

    def __init__(self, resolver: Resolver, bound: Iterable[str]) -> None:
        self._resolver = resolver
        self._bound = frozenset(name.rpartition(".")[2] for name in bound)

    def near(self, module: int, targets: Iterable[str]) -> frozenset[str]:
        """The packages of torch of which a file has something in hand, by its imports or by what it names.

        Args:
            module: id of the file's module.
            targets: of its calls.
        """
        tables = self._resolver.tables
        own = tables.names.get((module, ""), {}).values()
        named = (each.target.replace(":", ".") for bindings in own for each in bindings)
        return frozenset(map(_package, (tables.modules[module].name, *named, *targets)))

    def named(self, target: str, near: Set[str]) -> tuple[str, int] | None:
        """The only method that a call may mean; that of the class from which all others derive that have it.

        Args:
            target: `?.m`, or `C().a.m` where nobody knows what `a` is, or the `m` of what an object of a module holds.
            near: packages of which the file has something in hand: methods of other packages have namesakes in what
                the tree does not define, as `astype` of torch._numpy's arrays.

        Returns:
            `?.m` and the function's id; None where it may be another, or where what it is called on is no object.
        """
        owner, _, name = target.rpartition(".")
        found = self._methods.get(name)
        if found is None or not self._is_near(found, near):
            return None
        if owner != UNKNOWN and ("(" not in owner or owner.startswith("super(")):
            return (f"{UNKNOWN}.{name}", found) if self._is_held(owner) else None
        if owner != UNKNOWN and self._resolver.resolve(owner) is not None:
            return None
        return f"{UNKNOWN}.{name}", found

    def _is_held(self, owner: str) -> bool:
        """Whether a path is of an object that a module has: `V.kernel` of torch/_inductor/virtualized.py.

        What such an object holds may be declared as what stands in for it, `NullKernelHandler`.
        """
        path = owner.rpartition(".")[0]
        while path.count(".") > 1:
            found = self._resolver.resolve(path)
            if found is not None:
                return found.kind == "instance" and not found.path
            path = path.rpartition(".")[0]
        return False

    def _is_near(self, function: int, near: Set[str]) -> bool:
        tables = self._resolver.tables
        row = tables.functions[function]
        if _package(tables.modules[row.module_id].name) in near:
            return True
        tensor = self._resolver.resolve("torch.Tensor")
        return tensor is not None and tensor.kind == "class" and tensor.id == row.class_id

    @functools.cached_property
    def _methods(self) -> dict[str, int]:
        tables = self._resolver.tables
        by_name: dict[str, dict[int, int]] = {}
        taken: set[str] = set()
        for row in tables.functions.values():
            if not tables.modules[row.module_id].name.startswith("torch."):
                continue
            name = row.name.rpartition(".")[2]
            if row.class_id is not None and row.kind in _METHODS:
                by_name.setdefault(name, {}).setdefault(row.class_id, row.id)
            elif row.kind != "overload":
                taken.add(name)
        for (_, scope), names in tables.names.items():
            if scope:
                taken.update(
                    name
                    for name, bindings in names.items()
                    if name in by_name and all(each.kind != "function" for each in bindings)
                )
        found: dict[str, int] = {}
        for name, classes in by_name.items():
            if name in taken or not untold(name) or name in self._bound:
                continue
            roots = [
                each
                for each in classes
                if not any(base in classes for base in self._resolver.order(each)[1:])
            ]
            if len(roots) == 1:
                found[name] = classes[roots[0]]
        return found


def _package(name: str) -> str:
    """`torch.fx` of what stands in it."""
    return ".".join(name.split(".")[:2])
