"""What a target stands for: through imports, re-exports, aliases, inheritance and results."""

from __future__ import annotations

from collections.abc import Callable

from indexer.extract.python.definitions import ABC_META
from indexer.inheritance import linearized
from indexer.link.python.tables import Binding, Entity, Tables

TENSOR = "torch.Tensor"
_FUNCTION = "torch.autograd.function.Function"
_PASSES_ON = ("_add_docstr", "add_docstr")
# A module in Python that hands every attribute on to one in C++: torch/_VF.py.
_FORWARDED = {"torch._VF": "torch._C._VariableFunctions"}


class Resolver:
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
        self.tables = tables
        self.native = native
        self.native_returns = native_returns
        self._known: dict[str, Entity | None] = {}
        self._orders: dict[int, list[int | str]] = {}
        self._stack: set[object] = set()
        self._listed: dict[int, frozenset[str]] = {}

    def resolve(self, target: str) -> Entity | None:
        """What a target stands for; None where it cannot be told."""
        if target in self._known:
            return self._known[target]
        if target in self._stack or len(self._stack) > 150:
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
            return self.element(self.resolve(target[:-2]))
        if target.endswith("()"):
            owner = self.resolve(target[:-2])
            return self.result(owner) if owner else None
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
        if target in self.tables.module_ids and (found is None or found.kind == "path"):
            # A folder without an __init__.py, as `test` is, leads to modules all the same.
            found = Entity("module", self.tables.module_ids[target])
        return found

    def _root(self, name: str) -> Entity | None:
        module_id = self.tables.module_ids.get(name)
        return Entity("module", module_id) if module_id is not None else Entity("path", 0, name)

    def _bracketed(self, target: str) -> Entity | None:
        if target.startswith("list("):
            inner = self.resolve(target[5:-1])
            return Entity("list", 0, "", inner) if inner else None
        return None

    # Attributes

    def attribute(self, owner: Entity, name: str) -> Entity | None:
        """What `owner.name` is."""
        if owner.kind == "module":
            return self.member(owner.id, name)
        if owner.kind == "class" and name == "apply" and self._is_autograd_function(owner.id):
            name = "forward"
        if owner.kind in ("class", "instance"):
            return self._of_class(owner.id, name, owner.kind == "instance")
        if owner.kind == "path":
            return self._of_path(f"{owner.path}.{name}")
        if owner.kind == "native":
            # torch.ops.aten.add.Tensor, and what C++ objects have.
            return self._of_path(f"{owner.path}.{name}")
        return None

    def _of_path(self, path: str) -> Entity | None:
        native = self.native(path)
        return Entity("native", native, path) if native else Entity("path", 0, path)

    def member(self, module_id: int, name: str) -> Entity | None:
        """What a module calls `name`, at runtime as far as it can be told."""
        module = self.tables.modules[module_id]
        if name == "ops" and module.name == "torch._ops":
            return Entity("path", 0, "torch.ops")  # every attribute below it is made on demand
        key = ("member", module_id, name)
        if key in self._stack:
            return None
        self._stack.add(key)
        try:
            for binding in self._candidates(module_id, name):
                is_star = binding.kind == "star"
                found = self._starred(binding.target, name) if is_star else self._bound(binding)
                if found is not None:
                    return found
        finally:
            self._stack.discard(key)
        child = self.tables.module_ids.get(f"{module.name}.{name}")
        if child is not None:
            return Entity("module", child)
        return self._dynamic(module.name, name)

    def _candidates(self, module_id: int, name: str) -> list[Binding]:
        own = self.tables.names.get((module_id, ""), {}).get(name, [])
        stars = self.tables.stars.get(module_id)
        if not stars:
            return own
        both = [*own, *stars]
        both.sort(key=lambda b: (not b.guarded, b.line), reverse=True)
        return both

    def _starred(self, path: str, name: str) -> Entity | None:
        source = self.resolve(path)
        if source is None:
            return None
        if source.kind == "path":
            if name.startswith("_"):
                return None  # torch._C has no __all__
            found = self._of_path(f"{source.path}.{name}")
            return found if found and found.kind == "native" else None
        if source.kind != "module" or not self.exported(source.id, name):
            return None
        return self.member(source.id, name)

    def exported(self, module_id: int, name: str) -> bool:
        """Whether `from module import *` binds a name."""
        if not self.tables.modules[module_id].has_all:
            return not name.startswith("_")
        return name in self.all_names(module_id)

    def listed(self, module_id: int) -> frozenset[str]:
        """What a module's `__all__` has, and those of the modules of which it imports all."""
        found = self._listed.get(module_id)
        if found is None:
            stars = (star for star in self.tables.stars.get(module_id, ()) if not star.guarded)
            sources = map(self.resolve, (star.target for star in stars))
            ids = [module_id, *(found.id for found in sources if found and found.kind == "module")]
            names = (self.all_names(n) for n in ids if self.tables.modules[n].has_all)
            found = self._listed[module_id] = frozenset().union(*names)
        return found

    def all_names(self, module_id: int) -> frozenset[str]:
        """The names of a module's `__all__`, those of other modules' included."""
        key = f"*{module_id}"
        cached = self._all.get(module_id) if hasattr(self, "_all") else None
        if cached is not None:
            return cached
        if not hasattr(self, "_all"):
            self._all: dict[int, frozenset[str]] = {}
        if key in self._stack:
            return frozenset()
        self._stack.add(key)
        names: set[str] = set()
        module = self.tables.modules[module_id]
        for name in self.tables.exports.get(module_id, ()):
            if name.endswith(".*"):
                other = self.member(module_id, name[:-2].partition(".")[0])
                if other is None or "." in name[:-2]:
                    other = self.resolve(name[:-2])
                if other is not None and other.kind == "module" and other.id != module.id:
                    names |= self.all_names(other.id)
            else:
                names.add(name)
        self._stack.discard(key)
        self._all[module_id] = frozenset(names)
        return self._all[module_id]

    def _dynamic(self, module: str, name: str) -> Entity | None:
        """Names that a module gets at import time.

        torch/__init__.py copies everything in `torch._C._VariableFunctions` into `torch`, and
        stars `torch._C`; torch/_VF.py hands on to the former.
        """
        if module in _FORWARDED:
            return self._of_path(f"{_FORWARDED[module]}.{name}")
        if module == "torch":
            hidden = name.startswith("_")
            for owner in ("torch._C._VariableFunctions", "torch._C")[: 1 if hidden else 2]:
                native = self.native(f"{owner}.{name}")
                if native:
                    return Entity("native", native, f"{owner}.{name}")
            if name in ("_C", "ops"):
                return Entity("path", 0, f"torch.{name}")
        return None

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

    def _imported(self, path: str, name: str) -> Entity | None:
        """`from path import name`: the path is a module's, whatever else has that name."""
        module_id = self.tables.module_ids.get(path)
        if module_id is not None:
            return self.member(module_id, name)
        return self.resolve(f"{path}.{name}")

    def _made(self, target: str) -> Entity | None:
        """`name = callee(argument, …)`."""
        callee, *arguments = target.split("|")
        if callee.rpartition(".")[2] in _PASSES_ON and arguments:
            return self.resolve(arguments[0])
        owner = self.resolve(callee) if callee else None
        made = self.result(owner) if owner else None
        if made is not None and owner is not None and owner.kind in ("class", "native"):
            return made
        # `f = wrapped(g)`: whatever the wrapper adds, g is what it stands for. Where several are
        # handed over, as to torch/_jit_internal.py's boolean_dispatch, it is one of them.
        handed = [
            choice
            for found in map(self.resolve, arguments)
            if found is not None
            for choice in found.choices or (found,)
            if choice.kind in ("function", "native")
        ]
        if len(handed) > 1:
            return Entity("choice", 0, choices=tuple(dict.fromkeys(handed)))
        if handed:
            return handed[0]
        return made

    # Classes

    def order(self, class_id: int) -> list[int | str]:
        """A class and what it inherits from, as Python looks through them; a path for what is not in the tree."""
        known = self._orders.get(class_id)
        if known is not None:
            return known
        self._orders[class_id] = [class_id]  # what a class that derives from itself gets
        targets = self.tables.bases.get(class_id, ())
        bases = [self.base(class_id, target) for target in targets]
        keys: list[int | str] = [base.id if base.kind == "class" else base.path for base in bases]
        found: list[int | str] = [class_id]
        if len(keys) == 1:
            found += self._order_of(keys[0])
        elif keys:
            found = linearized(class_id, keys, self._order_of)
        self._orders[class_id] = found
        return found

    def _order_of(self, base: int | str) -> list[int | str]:
        return self.order(base) if isinstance(base, int) else [base]

    def base(self, class_id: int, target: str) -> Entity:
        """What one base of a class is: a class, or a path where the tree has no such class."""
        found = self.resolve(target) if target else None
        if found is None or found.kind != "class":
            # A script finds its neighbours by their bare names: `from test_foo import TestFoo`.
            home = self.tables.modules[self.tables.classes[class_id].module_id].name
            beside = f"{home.rpartition('.')[0]}.{target}"
            if beside.rpartition(".")[0] in self.tables.module_ids:
                found = self.resolve(beside) or found
        if found is not None and found.kind == "class" and found.id != class_id:
            return found
        if found is not None and found.kind == "native" and found.path == f"torch._C.{target[6:]}":
            # `class C(torch.Stream)`: what torch._C shows of itself as torch's says so of itself, too.
            return Entity("path", 0, target)
        if found is not None and found.kind in ("path", "native"):
            return Entity("path", 0, self._of_metaclass(found.path))
        return Entity("path", 0, self._of_metaclass(target))

    def _of_metaclass(self, path: str) -> str:
        """What a class that a metaclass makes calls itself: `ABC = ABCMeta("ABC", (object,), {})`.

        A class is of the module whose code calls `type.__new__`; of ABCMeta that is Lib/abc.py.
        """
        module, _, name = path.rpartition(".")
        names = self.tables.names.get((self.tables.module_ids.get(module, 0), ""), {})
        for binding in names.get(name, ()):
            if binding.kind == "call" and binding.target.partition("|")[0] == ABC_META:
                return f"abc.{name}"
        return path

    def _of_class(self, class_id: int, name: str, is_instance: bool) -> Entity | None:
        order = self.order(class_id)
        for entry in order:
            found = self._own(entry, name, is_instance)
            if found is not None:
                return found
        return None

    def _own(self, entry: int | str, name: str, is_instance: bool) -> Entity | None:
        if isinstance(entry, str):
            found = self._of_path(f"{entry}.{name}") if entry else None
            return found if found and found.kind == "native" else None
        row = self.tables.classes[entry]
        local = self.tables.local_name(row)
        for binding in self.tables.names.get((row.module_id, local), {}).get(name, ()):
            if binding.kind == "function":
                function = self.tables.functions[binding.id]
                if function.class_id != entry:
                    continue
                if function.kind == "property" and is_instance:
                    return self.resolve(function.returns) if function.returns else None
                return Entity("function", binding.id)
            if binding.kind == "attribute" and not is_instance:
                continue
            found = self._bound(binding)
            if found is not None:
                return found
        return None

    def _inherited(self, class_path: str, name: str) -> Entity | None:
        owner = self.resolve(class_path)
        if owner is None or owner.kind != "class":
            return None
        for entry in self.order(owner.id)[1:]:
            found = self._own(entry, name, True)
            if found is not None:
                return found
        return None

    # Results

    def result(self, owner: Entity) -> Entity | None:
        """What calling something gives."""
        if owner.kind == "class":
            return Entity("instance", owner.id)
        if owner.kind == "function":
            returns = self.tables.functions[owner.id].returns
            return self.resolve(returns) if returns else None
        if owner.kind == "native":
            returns = self.native_returns(owner.id)
            return self.resolve(returns) if returns else None
        if owner.kind == "choice":
            return self.result(owner.choices[0])
        if owner.kind == "instance":
            called = self.called(owner)
            return self.result(called) if called and called.kind == "function" else None
        return None

    def called(self, owner: Entity) -> Entity | None:
        """What runs when something is called: an instance's `forward` or `__call__`.

        `torch.nn.Module.__call__` runs `forward` (torch/nn/modules/module.py, `_call_impl`).
        """
        if owner.kind != "instance":
            return owner
        for name in ("forward", "__call__"):
            if name == "forward" and not self.is_module(owner.id):
                continue
            found = self._of_class(owner.id, name, True)
            if found is not None and found.kind in ("function", "native"):
                return found
        return None

    def is_module(self, class_id: int) -> bool:
        """Whether a class derives from `torch.nn.Module`."""
        root = self.resolve("torch.nn.modules.module.Module")
        return root is not None and root.id in self.order(class_id)

    def _is_autograd_function(self, class_id: int) -> bool:
        """Whether a class is one of those whose `apply` runs its `forward`.

        torch/autograd/function.py: `Function.apply` hands it to C++, where THPFunction_apply
        (torch/csrc/autograd/python_function.cpp) calls it.
        """
        root = self.resolve(_FUNCTION)
        return root is not None and root.id != class_id and root.id in self.order(class_id)

    def element(self, owner: Entity | None) -> Entity | None:
        """What an element of something is."""
        if owner is None:
            return None
        if owner.kind == "list":
            return owner.inner
        tensor = self.resolve(TENSOR)
        if owner.kind == "instance" and tensor and tensor.id in self.order(owner.id):
            return owner
        return None
