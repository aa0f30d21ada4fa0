"""What classes inherit: their order, and what an attribute of theirs is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from indexer.extract.python.definitions import ABC_META
from indexer.extract.python.value_texts import FIRST, alternatives
from indexer.facts.python import METACLASS
from indexer.link.python.resolving import Resolving
from indexer.link.python.tables import Binding, Entity, Tables
from indexer.mro import linearized

_AUTOGRAD_FUNCTION = "torch.autograd.function.Function"


class Inheritance(Resolving):
    """The classes, by what they derive from.

    Args:
        tables: the tree's definitions.
        native: id of the row for a name that is bound in C++, or None.
    """

    def __init__(self, tables: Tables, native: Callable[[str], int | None]) -> None:
        super().__init__(tables, native)
        self._orders: dict[int, list[int | str]] = {}

    def order(self, class_id: int) -> list[int | str]:
        """The class with the id `class_id` and what it inherits from, as Python looks through them.

        Returns:
            Ids; a path for what is not in the tree.
        """
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
        """What one base of a class is: a class, or a path where the tree has no such class.

        Args:
            class_id: of the class that derives from it.
            target: of the base, "" where its text names nothing.
        """
        found = self.resolve(target) if target else None
        if found is None or found.kind != "class":
            # A script finds its neighbours by their bare names: `from test_foo import TestFoo`.
            home = self.tables.modules[self.tables.classes[class_id].module_id].name
            beside = f"{home.rpartition('.')[0]}.{target}"
            if beside.rpartition(".")[0] in self.tables.module_ids:
                found = self.resolve(beside) or found
        if found is not None and found.kind == "class" and found.id != class_id:
            return found
        if (
            found is not None
            and found.kind == "native"
            and found.path == f"torch._C.{target.removeprefix('torch.')}"
        ):
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

    def of_metaclass(self, class_id: int, name: str) -> Entity | None:
        """The method that a class has from the class that makes it: `Stateful._create`, which its metaclass defines.

        Args:
            class_id: of the class.
            name: of the attribute; the class and what it derives from have none of it.
        """
        for entry in self.order(class_id):
            if isinstance(entry, int):
                row = self.tables.classes[entry]
                names = self.tables.names.get((row.module_id, self.tables.local_name(row)), {})
                for binding in names.get(METACLASS, ()):
                    made = self.resolve(binding.target)
                    is_class = made is not None and made.kind == "class" and made.id != class_id
                    found = self._of_class(made.id, name, True) if made and is_class else None
                    return found if found is not None and found.kind == "function" else None
        return None

    def _own(self, entry: int | str, name: str, is_instance: bool) -> Entity | None:
        if isinstance(entry, str):
            found = self._of_path(f"{entry}.{name}") if entry else None
            return found if found and found.kind == "native" else None
        row = self.tables.classes[entry]
        local = self.tables.local_name(row)
        bindings = self.tables.names.get((row.module_id, local), {}).get(name, ())
        for binding in bindings:
            if binding.kind == "function":
                function = self.tables.functions[binding.id]
                if function.class_id != entry or function.kind == "setter":
                    continue  # what is read is what the property gives
                if function.kind == "property" and is_instance:
                    found = self.resolve(function.returns) if function.returns else None
                    if found is None:
                        continue
                    return found
                return Entity("function", binding.id)
            if binding.kind == "attribute" and not is_instance:
                continue
            found = self._bound(binding)
            if found is not None:
                return self._one_of(found, bindings) if binding.kind == "attribute" else found
        return None

    def properties_read(self, target: str) -> list[Entity]:
        """The properties that may run where an attribute is read of an object; none where it is none.

        Args:
            target: the attribute, behind the target of what it is read of.
        """
        name = target.rpartition(".")[2]
        return (
            self._of_object(target, self._property_read) if name in self.tables.properties else []
        )

    def properties_set(self, target: str) -> list[Entity]:
        """The setters that may run where an attribute of an object is given something, as `properties_read` has it.

        Args:
            target: the attribute, behind the target of what it is set of.
        """
        name = target.rpartition(".")[2]
        return self._of_object(target, self._property_set) if name in self.tables.setters else []

    def _of_object(self, target: str, find: Callable[[int, str], Entity | None]) -> list[Entity]:
        """What `find` has for the class of the object that an attribute is of, or for each that it may be of."""
        owner_path, _, name = target.rpartition(".")
        owner = self.resolve(owner_path)
        if owner is None or owner.kind != "instance":
            return []
        found = (find(one.id, name) for one in owner.choices or (owner,))
        return list(dict.fromkeys(each for each in found if each is not None))

    def given_by_inner(self, function: int) -> Entity | None:
        """What the function within another gives that the other gives, if its head says that: `-> Callable[..., X]`.

        Args:
            function: id of the other.
        """
        told = self.tables.functions[function].returns
        given = self.resolve(alternatives(told)[-1]) if told.startswith(FIRST) else None
        return given.inner if given is not None and given.kind == "type" else None

    def _property_set(self, class_id: int, name: str) -> Entity | None:
        for entry in self.order(class_id):
            if isinstance(entry, str):
                continue
            row = self.tables.classes[entry]
            names = self.tables.names.get((row.module_id, self.tables.local_name(row)), {})
            bindings = [b for b in names.get(name, ()) if b.kind != "attribute"]
            functions = [b.id for b in bindings if b.kind == "function"]
            for function_id in functions:
                if self.tables.functions[function_id].kind == "setter":
                    return Entity("function", function_id)
            if bindings:
                return None  # a property of its own without a setter, or no property
        return None

    def _property_read(self, class_id: int, name: str) -> Entity | None:
        for entry in self.order(class_id):
            if isinstance(entry, str):
                continue
            row = self.tables.classes[entry]
            names = self.tables.names.get((row.module_id, self.tables.local_name(row)), {})
            # What an object holds itself is read behind its class's properties only.
            bindings = [b for b in names.get(name, ()) if b.kind != "attribute" and not b.guarded]
            if bindings:
                function = self.tables.functions.get(bindings[0].id)
                is_read = bindings[0].kind == "function" and function is not None
                if is_read and function is not None and function.kind == "property":
                    return Entity("function", function.id)
                return None
        return None

    def _one_of(self, found: Entity, bindings: Sequence[Binding]) -> Entity:
        """What an object holds, with what it may hold instead: a layer or a function that arguments choose.

        Where functions are chosen from, one of them alone may be given elsewhere: `__setstate__` of
        torch/nn/modules/transformer.py has `F.relu` for what was pickled without an activation.
        """
        if found.kind == "instance" and found.choices:
            # One of several, or what it is declared as: `self.optim: Optimizer = self._optim_constructor(…)` of
            # torch/distributed/optim/zero_redundancy_optimizer.py may be a functional optimizer.
            each = [*found.choices, *filter(None, map(self._bound, bindings))]
            objects = dict.fromkeys(o._replace(choices=()) for o in each if o.kind == "instance")
            return found._replace(choices=tuple(objects))
        bindings = [binding for binding in bindings if not binding.guarded]
        if len(bindings) < 2 or found.kind not in ("instance", "function", "native"):
            return found
        others = [other for other in map(self._bound, bindings) if other is not None]
        if found.kind != "instance":
            return next((other for other in others if found in other.choices), found)
        if not self._is_module(found.id):
            # Given an object of a class derived from another's that it is given, too, it may hold any of these.
            bases = [o for o in others if o.kind == "instance" and o.id in self.order(found.id)]
            return max(bases, key=lambda base: self.order(found.id).index(base.id), default=found)
        modules = [o for o in others if o.kind == "instance" and self._is_module(o.id)]
        choices = tuple(dict.fromkeys(modules))
        return found._replace(choices=choices) if len(choices) > 1 else found

    def _inherited(self, class_path: str, name: str) -> Entity | None:
        around, _, behind = class_path.rpartition(">")
        owner, asking = self.resolve(behind), self.resolve(around) if around else None
        if owner is None or owner.kind != "class":
            return None
        order = self.order(owner.id)
        if asking is not None and asking.kind == "class" and owner.id in self.order(asking.id):
            order = self.order(asking.id)
        for entry in order[order.index(owner.id) + 1 :]:
            found = self._own(entry, name, True)
            if found is not None:
                return found
        return None

    def _is_module(self, class_id: int) -> bool:
        """Whether a class derives from `torch.nn.Module`."""
        root = self.resolve("torch.nn.modules.module.Module")
        return root is not None and root.id in self.order(class_id)

    def _decorated(self, decorator: str) -> Entity | None:
        """What a decorator makes of a function: a class an object of it, a call what it says that comes of all.

        `@custom_op("lib::name", mutates_args=())` of torch/_library/custom_ops.py makes a `CustomOpDef` of it.
        """
        made = self.resolve(decorator)
        if decorator.endswith("()"):
            maker = self.resolve(decorator[:-2])
            is_told = maker is not None and maker.kind == "function"
            is_one = made is not None and made.kind == "instance" and not made.choices
            return made if is_told and is_one else None
        return made if made is not None and made.kind == "class" else None

    def _is_autograd_function(self, class_id: int) -> bool:
        """Whether a class is one of those whose `apply` runs its `forward`.

        torch/autograd/function.py: `Function.apply` hands it to C++, where THPFunction_apply
        (torch/csrc/autograd/python_function.cpp) calls it.
        """
        root = self.resolve(_AUTOGRAD_FUNCTION)
        return root is not None and root.id != class_id and root.id in self.order(class_id)
