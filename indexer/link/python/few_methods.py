"""Which method is meant where nothing tells what it is called on: one of those of its name, if they are few.

`shape_env.deserialize_symexpr(text)` (torch/_inductor/utils.py) is told by its name alone: no other class has such a
method, nothing that C++ binds is called so, and no object holds something else under that name. `node.find_nodes()` may
be of one of two classes. `model.named_children()` is one of `torch.nn.Module`, from which hundreds of classes derive,
although `torch._C.cpp.nn.Module` has such a method as well.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Set

from indexer.extract.python.untold import untold
from indexer.facts.python import UNKNOWN
from indexer.link.python.resolver import Resolver

_FEW = 3
"""Of so many classes that do not derive from each other a method may be meant by its name alone."""
_SHARE = 10
"""A class counts if no other that has such a method has more than so many times its heirs."""
_METHODS = ("method", "staticmethod", "classmethod")
_LONG = 3
"""Shorter names are those of anything."""


class FewMethods:
    """The methods of torch whose names few others have.

    Args:
        resolver: what targets stand for; bases are linked.
        bound: in full, the names that C++ binds.
    """

    def __init__(self, resolver: Resolver, bound: Iterable[str]) -> None:
        self._resolver = resolver
        self._bound: dict[str, set[str]] = {}
        self._defining: dict[str, dict[int, int]] = {}
        for path in bound:
            owner, _, name = path.rpartition(".")
            self._bound.setdefault(name, set()).add(owner)

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

        What is called like one of the classes is an object of that one: `gm.graph.call_function` is Graph's.

        Args:
            target: `?.m`, `?x.m` of what is called `x`, or `C().a.m` where nobody knows what `a` is, or the `m` of what
                an object of a module holds.
            near: packages of which the file has something in hand: methods of other packages have namesakes in what
                the tree does not define, as `astype` of torch._numpy's arrays.

        Returns:
            Their ids; none where there are too many, or where what it is called on is no object.
        """
        owner, _, name = target.rpartition(".")
        is_untold = owner.startswith(UNKNOWN)
        called = owner.lstrip(UNKNOWN).rpartition(".")[2]
        found = tuple(each for each in self._methods.get(name, ()) if self._is_near(each, near))
        if name in self._methods and len(called) >= _LONG:
            alike = self._called_like(called, name)
            # One of another package is no other's, where some class has such a method: `source` of torch/_guards.py.
            of_near = tuple(each for each in alike if self._is_near(each, near))
            found = of_near or (alike if found and alike else found)
        if not 0 < len(found) <= _FEW or not untold(name, is_named=is_untold):
            return ()
        if not is_untold and ("(" not in owner or owner.startswith("super(")):
            return found if self._is_held(owner) else ()
        return () if not is_untold and self._resolver.resolve(owner) is not None else found

    def _called_like(self, called: str, name: str) -> tuple[int, ...]:
        """The methods of classes that something is called like: `shape_env` is a ShapeEnv."""
        classes = self._resolver.tables.classes
        wanted = _bare(called)
        return tuple(
            function
            for class_id, function in self._defining.get(name, {}).items()
            if _bare(classes[class_id].name.rpartition(".")[2]) == wanted
        )

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
        self._defining = by_name
        heirs = Counter(base for order in self._orders.values() for base in order)
        found: dict[str, tuple[int, ...]] = {}
        for name, classes in by_name.items():
            if name in taken or not untold(name, is_named=True):
                continue
            roots = [
                each
                for each in classes
                if not any(base in classes for base in self._resolver.order(each)[1:])
            ]
            most = max(map(heirs.__getitem__, roots))
            kept = [each for each in roots if heirs[each] * _SHARE >= most]
            owners = self._bound.get(name)
            if owners is None or (most > _SHARE and self._is_rarer(owners, kept, roots, classes)):
                found[name] = tuple(map(classes.__getitem__, kept))
        return found

    def _is_rarer(
        self, owners: Set[str], kept: list[int], roots: list[int], classes: Mapping[int, int]
    ) -> bool:
        """Whether one class of the tree is meant sooner than what C++ binds under the name of its method.

        That is no tensor's then, and none of the tree's classes gets the method from there.

        Args:
            owners: the classes that C++ binds it in.
            kept: those of the tree that count.
            roots: the same with those that have too few heirs; one in the same file counts for all that.
            classes: all of the tree that have such a method themselves.
        """
        rows = self._resolver.tables.classes
        if [each for each in roots if rows[each].module_id == rows[kept[0]].module_id] != kept:
            return False
        tensor = self._resolver.resolve("torch.Tensor")
        if tensor is not None and not classes.keys().isdisjoint(self._orders[tensor.id]):
            return False
        return not any("Tensor" in owner for owner in owners) and not any(
            classes.keys().isdisjoint(order[: order.index(owner)])
            for owner in owners
            for order in self._of_native.get(owner, ())
        )

    @functools.cached_property
    def _orders(self) -> dict[int, list[int | str]]:
        return {each: self._resolver.order(each) for each in self._resolver.tables.classes}

    @functools.cached_property
    def _of_native(self) -> dict[str, list[list[int | str]]]:
        """By what the tree does not define, as what C++ binds, the orders of the classes that derive from it."""
        found: dict[str, list[list[int | str]]] = {}
        for order in self._orders.values():
            for each in order:
                if isinstance(each, str):
                    found.setdefault(each, []).append(order)
        return found


def _package(name: str) -> str:
    """`torch.fx` of what stands in it."""
    return ".".join(name.split(".")[:2])


def _bare(name: str) -> str:
    return name.replace("_", "").lower()
