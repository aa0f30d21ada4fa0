"""Which method is meant where nothing tells what it is called on: one of those of its name, if they are few.

`shape_env.deserialize_symexpr(text)` (torch/_inductor/utils.py) is told by its name alone: no other class has such a
method, nothing that C++ binds is called so, and no object holds something else under that name. `node.find_nodes()` may
be of one of two classes.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Set

from indexer.extract.python.untold import untold
from indexer.facts.python import UNKNOWN
from indexer.link.python.resolver import Resolver

_FEW = 3
"""Of so many classes that do not derive from each other a method may be meant by its name alone."""
_SHARE = 10
"""A class counts if no other that has such a method has more than so many times its heirs."""
_METHODS = ("method", "staticmethod", "classmethod")


class FewMethods:
    """The methods of torch whose names few others have.

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

    def named(self, target: str, near: Set[str]) -> tuple[int, ...]:
        """The methods that a call may mean, each of a class from which others derive that have it, too.

        Args:
            target: `?.m`, or `C().a.m` where nobody knows what `a` is, or the `m` of what an object of a module holds.
            near: packages of which the file has something in hand: methods of other packages have namesakes in what
                the tree does not define, as `astype` of torch._numpy's arrays.

        Returns:
            Their ids; none where there are too many, or where what it is called on is no object.
        """
        owner, _, name = target.rpartition(".")
        found = tuple(each for each in self._methods.get(name, ()) if self._is_near(each, near))
        if not 0 < len(found) <= _FEW or not untold(name, is_named=owner == UNKNOWN):
            return ()
        if owner != UNKNOWN and ("(" not in owner or owner.startswith("super(")):
            return found if self._is_held(owner) else ()
        return () if owner != UNKNOWN and self._resolver.resolve(owner) is not None else found

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
    def _methods(self) -> dict[str, tuple[int, ...]]:
        tables = self._resolver.tables
        by_name: dict[str, dict[int, int]] = {}
        taken: set[str] = set()
        for row in tables.functions.values():
            if not tables.modules[row.module_id].name.startswith("torch."):
                continue
            name = row.name.rpartition(".")[2]
            if row.class_id is not None and row.kind in _METHODS:
                by_name.setdefault(name, {}).setdefault(row.class_id, row.id)
            elif row.kind not in ("overload", "function"):
                taken.add(name)
        for (_, scope), names in tables.names.items():
            if scope:
                taken.update(
                    name
                    for name, bindings in names.items()
                    if name in by_name and all(each.kind != "function" for each in bindings)
                )
        heirs = Counter(base for each in tables.classes for base in self._resolver.order(each))
        found: dict[str, tuple[int, ...]] = {}
        for name, classes in by_name.items():
            if name in taken or not untold(name, is_named=True) or name in self._bound:
                continue
            roots = [
                each
                for each in classes
                if not any(base in classes for base in self._resolver.order(each)[1:])
            ]
            most = max(map(heirs.__getitem__, roots))
            found[name] = tuple(classes[each] for each in roots if heirs[each] * _SHARE >= most)
        return found


def _package(name: str) -> str:
    """`torch.fx` of what stands in it."""
    return ".".join(name.split(".")[:2])
