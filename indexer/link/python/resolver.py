"""What a target stands for: through imports, re-exports, aliases, inheritance and results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from indexer.extract.python.beside import outer
from indexer.extract.python.value_texts import ANY, FIRST, ONE, alternatives, tuple_parts
from indexer.link.python.inheritance import Inheritance
from indexer.link.python.module_names import ModuleNames
from indexer.link.python.tables import Binding, Entity, Tables

_TENSOR = "torch.Tensor"
_RUNNING = ("function", "choice")
_UNIMPLEMENTED = "_forward_unimplemented"  # torch/nn/modules/module.py
_NEW = ".__new__()"
_INNER = "inner"
"""Path of a function that stands for one within it, which it gives: what that gives is another thing."""
_PASSES_ON = ("_add_docstr", "add_docstr")

_CHOSEN = ("function", "class", "native", "module")
"""What a name may be one of several of; of modules, what they have by one name."""

_TOLD = "of("

_MAPPING = "dict"
"""Path of a list that is a mapping to its elements."""
_OF_MAPPING = frozenset(("get", "pop", "setdefault"))
_OF_LIST = frozenset(("pop", "popleft"))
"""Methods that give what a mapping or a list holds."""
_PART = re.compile(r"\[(\d+)\]\Z")
_UNKNOWN = Entity("path", 0)
_DEEPEST = 150
"""What leads on through more is given up, before Python's own limit of calls within calls ends it."""


class Resolver(ModuleNames, Inheritance):
    """Finds what targets stand for.

    Args:
        tables: the tree's definitions.
        native: id of the row for a name that is bound in C++, or None.
        native_returns: what such a name gives when it is called.
    """

    def __init__(
        self,
        tables: Tables,
        native: Callable[[str], int | None],
        native_returns: Callable[[int], str],
    ) -> None:
        super().__init__(tables, native)
        self.native_returns = native_returns
        self._known: dict[str, Entity | None] = {}

    def resolve(self, target: str) -> Entity | None:
        """What a target stands for; None where it cannot be told."""
        if target in self._known:
            return self._known[target]
        if target in self._stack or len(self._stack) > _DEEPEST:
            return None
        self._stack.add(target)
        found = self._resolve(target)
        self._stack.discard(target)
        if not self._stack or found is not None:
            # A failure inside a cycle is not final.
            self._known[target] = found
        return found

    def _resolve(self, target: str) -> Entity | None:
        if target.endswith("[]"):
            return self._item(self.resolve(target[:-2]))
        if target.endswith("]") and (part := _PART.search(target)):
            return self._item(self.resolve(target[: part.start()]), int(part[1]))
        if target.endswith("[*]"):
            return self._each(self.resolve(target[:-3]))
        if target.endswith("()"):
            owner = self.resolve(target[:-2])
            made = self.result(owner) if owner else None
            if made is None and target.endswith(_NEW):
                made = self._made_new(target[: -len(_NEW)])
            return self._same(target[:-2], owner, made) if owner and made else made
        if target.endswith(")"):
            return self._bracketed(target)
        owner_path, _, attribute = target.rpartition(".")
        if not owner_path:
            return self._root(target)
        if owner_path.startswith("super(") and owner_path.endswith(")"):
            return self._inherited(owner_path[6:-1], attribute)
        owner = self.resolve(owner_path)
        found = self.attribute(owner, attribute) if owner else None
        if found is None and owner and owner.kind != "module":
            # A module may be hidden by something of its own name: torch.nn.parallel.data_parallel.
            module_id = self.tables.module_ids.get(owner_path)
            if module_id is not None:
                found = self.attribute(Entity("module", module_id), attribute)
        if found is None or found.kind == "path":
            # A folder without an __init__.py, as `test` is, leads to modules all the same.
            others = outer(target) if target.startswith(self.tables.scripts) else ()
            for name in (target, *others):
                if name in self.tables.module_ids:
                    return Entity("module", self.tables.module_ids[name])
        return found

    def _made_new(self, path: str) -> Entity | None:
        """What `__new__` of a class makes, or that of an object's class: without `__init__`, to copy what it holds."""
        owner = self.resolve(path)
        is_told = owner is not None and owner.kind in ("class", "instance") and not owner.choices
        return Entity("instance", owner.id) if owner is not None and is_told else None

    def _root(self, name: str) -> Entity | None:
        module_id = self.tables.module_ids.get(name)
        return Entity("module", module_id) if module_id is not None else Entity("path", 0, name)

    def _bracketed(self, target: str) -> Entity | None:
        if target.startswith(("list(", "dict(")):
            inner = self.resolve(target[5:-1])
            return Entity("list", 0, _MAPPING if target[0] == "d" else "", inner) if inner else None
        if target.startswith("tuple("):
            held = [
                self.resolve(part) or _UNKNOWN if part else _UNKNOWN for part in tuple_parts(target)
            ]
            return Entity("tuple", 0, parts=tuple(held))
        if target.startswith(("type(", _TOLD)):
            kind = target[: target.index("(")]
            meant = self.resolve(target[len(kind) + 1 : -1])
            return Entity(kind, 0, inner=meant) if meant else None
        if target.startswith("table("):
            held = [found for found in map(self.resolve, target[6:-1].split("|")) if found]
            run = tuple(found for found in held if found.kind in ("function", "class", "native"))
            if not run or len(run) < len(held):
                return None
            inner = Entity("choice", 0, choices=run) if len(run) > 1 else run[0]
            return Entity("list", 0, _MAPPING, inner)
        if target.startswith(FIRST):
            known = map(self.resolve, alternatives(target))
            return next((one for one in known if one is not None and one.kind != "path"), None)
        if target.startswith((ONE, ANY, "union(")):
            return self._any_of(filter(None, map(self.resolve, alternatives(target))))
        return None

    def _any_of(self, found: Iterable[Entity]) -> Entity | None:
        """What is one of several things: of those that the tree has, objects before what is none of its classes."""
        parts = dict.fromkeys(part for one in found for part in one.choices or (one,))
        objects = [part for part in parts if part.kind == "instance"]
        if objects:
            return self._either(objects)
        held = [part for part in parts if part.kind in _CHOSEN]
        return Entity("choice", 0, choices=tuple(held)) if len(held) > 1 else next(iter(held), None)

    @staticmethod
    def _either(objects: Sequence[Entity]) -> Entity | None:
        """An object that is one of these."""
        if len(objects) < 2:
            return objects[0] if objects else None
        return objects[0]._replace(choices=tuple(objects))

    # Attributes

    def attribute(self, owner: Entity, name: str) -> Entity | None:
        """What `owner.name` is; None where it cannot be told."""
        if owner.kind == "module":
            return self.member(owner.id, name)
        if owner.kind == "choice":
            return self._any_of(filter(None, (self.attribute(one, name) for one in owner.choices)))
        if owner.kind == "class" and name == "apply" and self._is_autograd_function(owner.id):
            name = "forward"
        if owner.kind in ("class", "instance"):
            found = self._of_class(owner.id, name, owner.kind == "instance")
            if found is None and owner.kind == "instance":
                found = self._forwarded(owner, name)
            elif found is None:
                found = self.of_metaclass(owner.id, name)
            elif found is not None and found.kind == "function" and owner.kind == "instance":
                found = found._replace(inner=owner.inner)
            if not owner.choices or (found is not None and found.kind not in _RUNNING):
                return found
            each = (self._of_class(other.id, name, True) for other in owner.choices)
            others = [other for other in each if other is not None]
            run = tuple(dict.fromkeys(other for other in others if other.kind == "function"))
            if len(run) > 1:
                return Entity("choice", 0, choices=run)
            return found or next(iter(others), None)
        if owner.kind == "function" and owner.id in self.tables.objects:
            made = self._decorated(self.tables.objects[owner.id])
            return self._of_class(made.id, name, True) if made is not None else None
        if owner.kind == "list" and name in (_OF_MAPPING if owner.path == _MAPPING else _OF_LIST):
            return Entity("type", 0, inner=owner.inner)  # that is what calling it gives
        if owner.kind in ("path", "native"):
            # Of a native: torch.ops.aten.add.Tensor, and what C++ objects have.
            return self._of_path(f"{owner.path}.{name}")
        return None

    def _forwarded(self, owner: Entity, name: str) -> Entity | None:
        """What an object's class hands an attribute on to that it lacks, by its `__getattr__`."""
        asked = (owner.id, name)
        if asked in self._stack:
            return None
        self._stack.add(asked)
        try:
            for target in self._asked(owner.id):
                other = self._of_owner(target, owner)
                found = self.attribute(other, name) if other is not None else None
                if found is not None:
                    return found
        finally:
            self._stack.discard(asked)
        return None

    def _asked(self, class_id: int) -> list[str]:
        """What the `__getattr__` of a class asks, or that of the nearest that it derives from."""
        for entry in self.order(class_id):
            if isinstance(entry, int):
                row = self.tables.classes[entry]
                scope = row.module_id, self.tables.local_name(row)
                if scope in self.tables.forwarded:
                    return self.tables.forwarded[scope]
                if "__getattr__" in self.tables.names.get(scope, {}):
                    break
        return []

    def _of_owner(self, target: str, owner: Entity) -> Entity | None:
        """What a target of a class's own means for one of its objects: `C().get()` may give what that is for."""
        path, _, attribute = target.removesuffix("()").rpartition(".")
        found = self.resolve(path) if path else None
        if found is None or found.kind != "instance" or found.inner or owner.inner is None:
            return self.resolve(target)
        held = self.attribute(found._replace(inner=owner.inner), attribute)
        return self.result(held) if held is not None and target.endswith("()") else held

    def _bound(self, binding: Binding) -> Entity | None:
        kind = binding.kind
        if kind in ("function", "class"):
            return Entity(kind, binding.id)
        if kind == "import":
            module = self.tables.module_ids.get(binding.target)
            return Entity("module", module) if module is not None else self.resolve(binding.target)
        if kind == "from":
            return self._imported(*binding.target.split(":", 1))
        if kind in ("annotation", "attribute", "alias"):
            return self.resolve(binding.target)
        if kind == "call":
            return self._made(binding.target)
        return None

    def _made(self, target: str) -> Entity | None:
        """`name = callee(argument, …)`."""
        callee, *arguments = target.split("|")
        if callee.rpartition(".")[2] in _PASSES_ON and arguments:
            return self.resolve(arguments[0])
        owner = self.resolve(callee) if callee else None
        made = self.result(owner) if owner else None
        if made is not None and owner is not None and owner.kind in ("class", "native"):
            told = arguments[-1] if arguments and arguments[-1].startswith(_TOLD) else ""
            of = self.resolve(told) if told else None
            return made._replace(inner=of.inner) if of is not None else made
        if made is None and arguments and arguments[-1].endswith(")"):
            return self.resolve(arguments[-1])  # what it is declared as: `pools: Pools = field(…)`
        # `f = wrapped(g)`: whatever the wrapper adds, g is what it stands for. Where several are
        # handed over, as to torch/_jit_internal.py's boolean_dispatch, it is one of them.
        handed = self._handed(arguments)
        if len(handed) > 1:
            return Entity("choice", 0, choices=tuple(dict.fromkeys(handed)))
        if handed:
            return handed[0]
        return made

    def handed_to(self, target: str) -> list[Entity]:
        """The functions that a call is given; the target is that of a binding of the kind `call`."""
        return list(dict.fromkeys(self._handed(target.split("|")[1:])))

    def _handed(self, arguments: Sequence[str]) -> list[Entity]:
        return [
            choice
            for found in map(self.resolve, arguments)
            if found is not None
            for choice in found.choices or (found,)
            if choice.kind in ("function", "native")
        ]

    # Results

    def result(self, owner: Entity) -> Entity | None:
        """What calling `owner` gives; None where it cannot be told."""
        if owner.kind == "class":
            return Entity("instance", owner.id)
        if owner.kind == "type":
            return owner.inner
        if owner.kind == "function" and owner.path == _INNER:
            return self.given_by_inner(owner.id)
        if owner.kind == "function":
            function = self.tables.functions[owner.id]
            returns = function.returns
            if owner.inner is not None and function.class_id is not None:
                name = returns.removesuffix("()").rpartition(".")[2]
                if name in self.tables.type_parameters.get(function.class_id, ()):
                    return owner.inner
            given = self.resolve(returns) if returns else None
            return owner._replace(path=_INNER) if given == owner else given
        if owner.kind == "native":
            returns = self.native_returns(owner.id)
            return self.resolve(returns) if returns else None
        if owner.kind == "choice":
            made = [found for found in map(self.result, owner.choices) if found is not None]
            if all(found.kind == "instance" and not found.choices for found in made):
                return self._either(list(dict.fromkeys(made)))
            return made[0]
        if owner.kind == "instance":
            called = self.called(owner)
            return self.result(called) if called and called.kind in _RUNNING else None
        return None

    def _same(self, target: str, owner: Entity, made: Entity) -> Entity:
        """What a method gives that was called on an object: of one that gives its own class, that object again.

        `def eval(self: T) -> T` of Module, and `return self`, say no more than the class that the method stands in.
        """
        path, _, name = target.rpartition(".")
        if owner.kind != "function" or made.kind != "instance" or made.choices or ")" in name:
            return made
        if self.tables.functions[owner.id].class_id != made.id:
            return made
        held = self.resolve(path) if path else None
        is_heir = held is not None and held.kind == "instance" and made.id in self.order(held.id)
        return held if is_heir and held is not None else made

    def called(self, owner: Entity) -> Entity | None:
        """What runs when `owner` is called: an instance's `forward` or `__call__`, itself if it is no instance.

        `torch.nn.Module.__call__` runs `forward` (torch/nn/modules/module.py, `_call_impl`).

        Returns:
            None for an instance that has neither.
        """
        if owner.kind != "instance":
            return owner
        if owner.choices:
            each = map(self.called, owner.choices)
            run = [entity for entity in each if entity and entity.kind in ("function", "native")]
            choices = tuple(dict.fromkeys(run))
            return Entity("choice", 0, choices=choices) if len(choices) > 1 else (*choices, None)[0]
        for name in ("forward", "__call__"):
            if name == "forward" and not self._is_module(owner.id):
                continue
            found = self._of_class(owner.id, name, True)
            if found is not None and found.kind in ("function", "native"):
                return found if not self._is_missing(found) else None
        return None

    def _is_missing(self, found: Entity) -> bool:
        """Whether it is what a module without a `forward` has in its place, which only complains."""
        return found.kind == "function" and self.tables.functions[found.id].name == _UNIMPLEMENTED

    def _each(self, owner: Entity | None) -> Entity | None:
        """What a loop over something binds: an element, or what its class's `__iter__` says that it gives."""
        if owner is None or owner.path == _MAPPING:
            return None
        found = self.element(owner)
        if found is None and owner.kind == "instance":
            given = self.attribute(owner, "__iter__")
            gives = self.result(given) if given and given.kind == "function" else None
            found = gives.inner if gives and gives.kind == "list" else None
        return found

    def element(self, owner: Entity | None, at: int | None = None) -> Entity | None:
        """What an element of something is.

        Args:
            owner: the list, tuple or tensor; None for what is not known.
            at: the element's 0-based position; None where that is not told.

        Returns:
            None where it cannot be told.
        """
        if owner is None:
            return None
        if owner.kind == "tuple":
            asked = owner.parts if at is None else owner.parts[at : at + 1]
            return next((part for part in asked if part is not _UNKNOWN), None)
        if owner.kind == "list":
            return owner.inner
        if owner.kind == "function" and self.tables.functions[owner.id].class_id is None:
            return owner  # a kernel of Triton's with its grid: `kernel[grid](x)`
        tensor = self.resolve(_TENSOR)
        if owner.kind == "instance" and tensor and tensor.id in self.order(owner.id):
            return owner
        return None

    def _item(self, owner: Entity | None, at: int | None = None) -> Entity | None:
        """What square brackets give: an element, or what `__getitem__` says, unless it may be a part of the object."""
        found = self.element(owner, at)
        if found is not None or owner is None or owner.kind != "instance" or owner.choices:
            return found
        asked = self.attribute(owner, "__getitem__")
        given = self.result(asked) if asked and asked.kind == "function" else None
        is_part = (
            given is not None and given.kind == "instance" and given.id in self.order(owner.id)
        )
        return None if is_part else given
