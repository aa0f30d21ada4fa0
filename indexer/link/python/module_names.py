"""What modules call a name: by statements, stars, `__all__` and what they do when they are imported."""

from __future__ import annotations

from collections.abc import Callable

from indexer.link.python.resolving import Resolving
from indexer.link.python.tables import Binding, Entity, Tables

# A module in Python that hands every attribute on to one in C++: torch/_VF.py.
_FORWARDED = {"torch._VF": "torch._C._VariableFunctions"}
# The function that makes a module an object of the class, which stands beside it: torch/utils/_config_module.py.
_INSTALLS, _INSTALLED = "install_config_module", "ConfigModule"


class ModuleNames(Resolving):
    """The names of modules.

    Args:
        tables: the tree's definitions.
        native: id of the row for a name that is bound in C++, or None.
    """

    def __init__(self, tables: Tables, native: Callable[[str], int | None]) -> None:
        super().__init__(tables, native)
        self._listed: dict[int, frozenset[str]] = {}
        self._all: dict[int, frozenset[str]] = {}

    def member(self, module_id: int, name: str) -> Entity | None:
        """What the module with the id `module_id` calls `name`, at runtime as far as it can be told.

        Returns:
            None where it has no such name.
        """
        module = self.tables.modules[module_id]
        if name == "ops" and module.name == "torch._ops":
            return Entity("path", 0, "torch.ops")  # every attribute below it is made on demand
        key = ("member", module_id, name)
        if key in self._stack:
            return None
        self._stack.add(key)
        try:
            for binding in self._candidates(module_id, name):
                # What is declared for type checkers alone is another's: `_make_closure_patcher` of Dynamo's options.
                if binding.guarded and (held := self._of_config(module_id, name)):
                    return held
                if binding.kind == "star":
                    found = self._starred(binding.target, name)
                else:
                    found = self.operator_made(module_id, binding) or self._bound(binding)
                if found is not None:
                    return self._object(f"{module.name}.{name}", found)
        finally:
            self._stack.discard(key)
        child = self.tables.module_ids.get(f"{module.name}.{name}")
        if child is not None:
            return Entity("module", child)
        return self._dynamic(module.name, name) or self._of_config(module_id, name)

    def _of_config(self, module_id: int, name: str) -> Entity | None:
        """What a module of options has by its class: `config.patch`, `config.save_config`."""
        for binding in self.tables.names.get((module_id, ""), {}).get(_INSTALLS, ()):
            if binding.kind == "from":
                return self.resolve(f"{binding.target.partition(':')[0]}.{_INSTALLED}().{name}")
        return None

    def _object(self, path: str, found: Entity) -> Entity:
        """An object that is a higher-order operator knows so by its path: `cond_op = CondOp()`."""
        operator = self.tables.higher_order.get(path)
        return found._replace(path=operator) if operator and found.kind == "instance" else found

    def operator_made(self, module_id: int, binding: Binding) -> Entity | None:
        """The operator that a module gives a name in the line that defines it; None for any other name.

        torch/_prims/__init__.py, `_make_prim`, gives back the overload that it has defined, and
        torch/library.py, `custom_op`, an object that calls it.

        Args:
            module_id: the module.
            binding: of the name.
        """
        if binding.kind != "call":
            return None
        path = self.tables.made_operators.get((module_id, binding.line))
        found = self._of_path(path) if path is not None else None
        return found if found is not None and found.kind == "native" else None

    def _candidates(self, module_id: int, name: str) -> list[Binding]:
        own = self.tables.names.get((module_id, ""), {}).get(name, [])
        stars = self.tables.stars.get(module_id)
        if not stars:
            return own
        both = [*own, *stars]
        both.sort(key=lambda b: (not b.guarded, b.line), reverse=True)
        return both

    def _starred(self, path: str, name: str) -> Entity | None:
        source = self.source_of(path)
        if source is None:
            return None
        if source.kind == "path":
            if name.startswith("_"):
                return None  # torch._C has no __all__
            found = self._of_path(f"{source.path}.{name}")
            return found if found.kind == "native" else None
        if source.kind != "module" or not self._exports(source.id, name):
            return None
        return self.member(source.id, name)

    def source_of(self, path: str) -> Entity | None:
        """What a star imports from: a module, whatever else has its name.

        `from .quantize import *` gives torch.ao.quantization a function `quantize`.

        Args:
            path: that stands before the star, in full.
        """
        module_id = self.tables.module_ids.get(path)
        return Entity("module", module_id) if module_id is not None else self.resolve(path)

    def _exports(self, module_id: int, name: str) -> bool:
        """Whether `from module import *` binds a name."""
        if not self.tables.modules[module_id].has_all:
            return not name.startswith("_")
        return name in self.all_names(module_id)

    def listed(self, module_id: int) -> frozenset[str]:
        """What a module's `__all__` has, and those of the modules of which it imports all.

        Args:
            module_id: of the module.
        """
        found = self._listed.get(module_id)
        if found is None:
            stars = (star for star in self.tables.stars.get(module_id, ()) if not star.guarded)
            sources = map(self.source_of, (star.target for star in stars))
            ids = [module_id, *(found.id for found in sources if found and found.kind == "module")]
            names = (self.all_names(n) for n in ids if self.tables.modules[n].has_all)
            found = self._listed[module_id] = frozenset().union(*names)
        return found

    def all_names(self, module_id: int) -> frozenset[str]:
        """The names in the `__all__` of the module with the id `module_id`, those of other modules' included."""
        cached = self._all.get(module_id)
        if cached is not None:
            return cached
        key = ("__all__", module_id)
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
        stars `torch._C`; torch/_VF.py hands on to the former. What C++ adds to a module is found last.
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
        # What C++ puts into a module of Python itself: torch/csrc/autograd/python_torch_functions_manual.cpp imports
        # torch, torch/csrc/cuda/Module.cpp torch.cuda.
        bound = f"{module}.{name}"
        native = self.native(bound)
        return Entity("native", native, bound) if native else None

    def _imported(self, path: str, name: str) -> Entity | None:
        """`from path import name`: the path is a module's, whatever else has that name."""
        module_id = self.tables.module_ids.get(path)
        if module_id is not None:
            return self.member(module_id, name)
        return self.resolve(f"{path}.{name}")
