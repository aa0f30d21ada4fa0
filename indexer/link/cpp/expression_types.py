"""Of which class is what an expression comes to? By what functions say that they return.

A receiver is kept as it is written, with the types of its variables (`indexer.extract.cpp.receivers`): what
`Node->outputs().at()` is follows from the heads of `Node::outputs` and of the list's `at`. Overloads must agree, and
where anything is not known the answer is that it is not.
"""

from __future__ import annotations

from indexer.facts.cpp import ARROW, is_expression_text
from indexer.link.cpp.argument_lookup import ArgumentDependent
from indexer.link.cpp.declarations import TENSOR
from indexer.link.cpp.expression import Step, last_step
from indexer.link.cpp.generated_functions import generated_name
from indexer.link.cpp.known_templates import (
    BY_TYPE,
    CASTS,
    ELEMENTS,
    ITERATORS,
    LISTS,
    MAPS,
    OF_PAIRS,
    PAIR,
    POINTERS,
    STRONG,
    TUPLE,
    VALUES,
)
from indexer.link.cpp.lookup import Lookup
from indexer.link.cpp.methods import Place
from indexer.link.cpp.type_text import split
from indexer.link.cpp.written_types import Type, WrittenTypes


class Types(WrittenTypes):
    """Remembers what it found.

    Args:
        lookup: over the definitions.
    """

    def __init__(self, lookup: Lookup) -> None:
        super().__init__(lookup)
        # Aliases of what points to a class: `SymNode` is c10::intrusive_ptr<SymNodeImpl>.
        self._pointing = {
            name
            for aliases in lookup.whole_aliases.values()
            for name, text in aliases.items()
            if POINTERS.fullmatch(text.partition("<")[0].strip())
        }
        # And classes that lead on to another by `->`: `TensorArg` to its tensor.
        self._pointing |= {d.owner.rpartition("::")[2] for d in lookup.methods.get(ARROW, ())}
        self._pointing |= {name.rpartition("::")[2] for name in lookup.held}
        self._pointing |= {
            name
            for aliases in lookup.aliases.values()
            for name, target in aliases.items()
            if target.rpartition("::")[2] in self._pointing
        }
        self._by_arguments = ArgumentDependent(lookup)
        self._known: dict[tuple[str, tuple[str, int]], Type | None] = {}
        self._parsed: dict[str, Step] = {}

    def tells(self, receiver: str) -> bool:
        """Whether what a member is called on has to be looked at, and is not the name of its class.

        Args:
            receiver: as it was kept.
        """
        return is_expression_text(receiver) or receiver.rpartition("::")[2] in self._pointing

    def receiver(self, expression: str, place: tuple[str, int], method: str = "") -> str:
        """The class of what a member is called on, from the global namespace; "" where it is not known.

        Args:
            expression: as the extractor keeps it.
            place: the namespace or class, or the body, and the file where it stands.
            method: that is called; of overloads that return different things it tells which is meant, where only one of
                these has it.
        """
        is_expression = is_expression_text(expression)
        by_arrow = expression.endswith("->") or not is_expression
        plain = expression.removesuffix("->")
        found = self.of(plain, place)
        if found is None and method and plain.endswith(")"):
            found = self._step(self._parsed[plain], place, method)
        if found is None:
            return ""
        if found.holder and not by_arrow:
            holder = self._lookup.find_class(found.holder, *place)
            return found.holder if holder is None else f"::{holder}"
        return f"::{found.name}" if found.is_class else found.name

    def emplaced(self, receiver: str, method: str, place: tuple[str, int]) -> str:
        """The class of which a container's method makes an object of its arguments ([vector.modifiers]).

        Args:
            receiver: the container, as it was kept.
            method: one of `EMPLACING`.
            place: the namespace, class or body that it is written in, and the file's id.

        Returns:
            The class's name from the global namespace; "" where it is not known.
        """
        of = self.of(receiver.removesuffix("->"), place)
        if of is None:
            return ""
        if method == "emplace":
            held = of if of.holder.rpartition("::")[2] == "optional" else None
        else:
            is_list = not of.holder and of.name.rpartition("::")[2] in LISTS
            held = self.written(of.arguments[0], of.place) if is_list and of.arguments else None
            held = None if held is None or held.holder else held
        return f"::{held.name}" if held is not None and held.is_class else ""

    def pointed(self, expression: str, place: tuple[str, int]) -> str:
        """The class that an object's own `operator->` leads to, such as an iterator's ([over.ref]).

        Args:
            expression: the object as it was kept, with or without `->` behind it.
            place: the namespace, class or body that it is written in, and the file's id.

        Returns:
            `::` and the class's name; "" for none.
        """
        of = self.of(expression.removesuffix("->"), place)
        if of is None or not of.is_class or of.holder:
            return ""
        found = self._agreed(self._lookup.find_method(ARROW, of.name), (), of)
        return f"::{found.name}" if found is not None and found.is_class else ""

    def of(self, expression: str, place: tuple[str, int]) -> Type | None:
        """What an expression is.

        Args:
            expression: as it was kept (`indexer.extract.cpp.receivers`).
            place: the namespace, class or body that it is written in, and the file's id.

        Returns:
            None where that is not known.
        """
        key = (expression, place)
        if key in self._known:
            return self._known[key]
        parsed = self._parsed.get(expression)
        if parsed is None:
            parsed = self._parsed[expression] = last_step(expression)
        found = self._known[key] = self._step(parsed, place)
        return found

    def _step(self, step: Step, place: tuple[str, int], wanted: str = "") -> Type | None:
        before, operator, name, brackets, element = step
        if not before:
            if not name:
                return None
            if operator:
                return None if brackets else self._member_or_global(name, place)
            if not brackets:
                return self._variable(name, place)
            return self._called(name, brackets, place, wanted)
        object_type = self.of(before, place)
        if object_type is None and brackets and before.endswith(")"):
            object_type = self._step(self._parsed[before], place, split(name)[0])
        elif object_type is None and element == "[]" and before.endswith(")"):
            object_type = self._step(self._parsed[before], place, "operator[]")
        if object_type is None:
            is_part = brackets == "" and element[1:-1].isdigit() and before.endswith(")")
            return self._part(self._parsed[before], place) if is_part else None
        if element:
            return self._element(object_type, element)
        if not name:
            return None
        if operator == "->" and object_type.is_class and not object_type.holder:
            object_type = self._led(object_type, name, place)
        if not brackets:
            return self._field(object_type, operator, name, place)
        return self._method(object_type, operator, name, brackets, place, wanted)

    def _derived_by(self, written: str, base: str, place: tuple[str, int]) -> Type | None:
        """The template whose static method is called by the name of a class that derives from it.

        What it is made for is mostly that class: `struct Dim : base<Dim>`, where `base<T>` has `obj<T> create()`.

        Args:
            written: what stands before the method's name.
            base: the class that has the method.
            place: where that is written.
        """
        of_class = self._lookup.find_class(written, *place) if written else None
        if of_class is None or base not in self._lookup.bases(of_class)[1:]:
            return None
        return Type(base, (f"::{of_class}",), True, "", place)

    def _part(self, called: Step, place: tuple[str, int]) -> Type | None:
        """What one of the things is that a generated function or method returns."""
        lookup = self._lookup
        if called.before:
            of = self.of(called.before, place)
            name = split(called.name)[0]
            is_tensor = of is not None and of.name == TENSOR and name in lookup.tensors_functions
        else:
            name = self._given(called.name, place)[0]
            is_tensor = bool(generated_name(name, lookup.tensors_functions))
            is_tensor = is_tensor and not lookup.find(name, *place)
        return Type(TENSOR, (), True, "", place) if is_tensor else None

    def _led(self, of: Type, written: str, place: tuple[str, int]) -> Type:
        """What an object's own `operator->` leads to, where the object has no such member itself."""
        lookup, name = self._lookup, split(written)[0]
        arrows = lookup.find_method(ARROW, of.name)
        if (
            not arrows
            or lookup.find_method(name, of.name)
            or lookup.find_field(name, of.name, place[1])
        ):
            return of
        return self._agreed(arrows, (), of) or of

    def _variable(self, written: str, place: tuple[str, int]) -> Type | None:
        if written == "this":
            owner = self._lookup.owner(place[0])
            is_class = owner in self._lookup.classes
            return Type(owner, (), True, "", place) if is_class else None
        if (found := self.written(written, place)) or "::" not in written:
            return found
        return self._member_or_global(written, place)

    def _member_or_global(self, written: str, place: tuple[str, int]) -> Type | None:
        """What a name is that the function does not declare: of the innermost scope that has it."""
        found = self.declared_around(written, place)
        return None if found is None else self._declared(found[0], place[1])

    def declared_around(
        self, written: str, place: tuple[str, int]
    ) -> tuple[tuple[str, Place], Place] | None:
        """A data member of the caller's class, or a variable of a scope around it, by its name.

        Args:
            written: the name.
            place: the namespace, class or body that it is written in, and the file's id.

        Returns:
            Its type with the place where that is written, and the class or scope with the file; None where none has it.
        """
        space, _, name = written.rpartition("::")
        scope, file_id = self._lookup.owner(place[0]), place[1]
        if space.startswith("::"):
            space, scope = space[2:], ""
        while True:
            within = f"{scope}::{space}" if scope and space else scope or space
            declared = self._lookup.find_field(name, within, file_id)
            if declared is not None:
                return declared, (within, file_id)
            if not scope:
                return None
            scope = scope.rpartition("::")[0]

    def _declared(self, declared: tuple[str, Place], file_id: int) -> Type | None:
        text, where = declared
        # A header may name a class that the source file has to itself.
        return self.written(text, where) or self.written(text, (where[0], file_id))

    def _field(self, of: Type, operator: str, name: str, place: tuple[str, int]) -> Type | None:
        """What a data member of an object is."""
        if of.holder and operator == ".":
            return None
        if of.name == PAIR and len(of.arguments) == 2 and name in OF_PAIRS:
            return self.written(of.arguments[OF_PAIRS[name]], of.place)
        declared = self._lookup.find_field(name, of.name, place[1]) if of.is_class else None
        if declared is None:
            return None
        found = self._declared(declared, place[1])
        if found is not None:
            return found
        if declared[0].isidentifier() and len(of.arguments) == 1:
            return self.written(of.arguments[0], of.place)  # as of a function's
        return None

    def _called(
        self, written: str, brackets: str, place: tuple[str, int], wanted: str = ""
    ) -> Type | None:
        """What a function's call or an object that is made there is."""
        name, arguments = self._given(written, place)
        last = name.rpartition("::")[2]
        if (last in CASTS or name in BY_TYPE) and arguments:
            return self.written(arguments[0], place)
        lookup = self._lookup
        if not name.startswith("std::"):
            found = lookup.find(name, *place)
            if not found and brackets != "()" and "::" not in name:
                found = self._by_arguments.found(name, place[1])
            if found and found[0].kind == "constructor":
                return Type(found[0].owner, arguments, True, "", place)
            if found:
                space = written.rpartition("::")[0]
                # What the template is made for, its static methods work on: `MaybeOwned<Tensor>::borrowed(x)`.
                of = self.written(space, place) if space.endswith(">") else None
                of = of or self._derived_by(space, found[0].owner, place)
                return self._agreed(self._taking(found, brackets), arguments, of, wanted)
            owner = lookup.find_class(name, *place)
            if owner is not None:
                return Type(owner, arguments, True, "", place)
        operator = generated_name(name, lookup.returned)
        return self.written(lookup.returned[operator], place) if operator else None

    def _method(
        self,
        of: Type,
        operator: str,
        written: str,
        brackets: str,
        place: tuple[str, int],
        wanted: str = "",
    ) -> Type | None:
        name, arguments = self._given(written, place)
        lookup = self._lookup
        if of.holder and operator == ".":
            if name == "lock":  # a weak pointer gives a strong one
                return of._replace(holder=STRONG.get(of.holder.rpartition("::")[2], ""))
            return of._replace(holder="") if name in VALUES else None
        if of.name == TENSOR and name in lookup.generated:
            text = lookup.returned.get(name)
            return None if text is None else self.written(text, of.place)
        if not of.is_class:
            if of.arguments and (name in VALUES or name in ELEMENTS):
                return self._element(of, "[]")
            return self._element(of, "[*]") if name in ITERATORS else None
        found = lookup.find_method(name, of.name) or lookup.find_overriding(name, of.name)
        if found:
            agreed = self._agreed(self._taking(found, brackets), arguments, of, wanted)
            # What a list's own type of its elements is called, `reference front()`, says nothing.
            is_element = agreed is None and name in ELEMENTS and of.arguments
            return self._element(of, "[]") if is_element and not of.holder else agreed
        return of._replace(holder="") if name in VALUES else None

    def _element(self, of: Type, form: str) -> Type | None:
        if form == "[&]":
            if of.is_class and not of.holder and self._lookup.find_method("operator*", of.name):
                return self._dereferenced(of)
            return of._replace(holder="")
        if form[1:-1].isdigit():
            number = int(form[1:-1])
            is_told = of.name in (PAIR, TUPLE) and not of.holder and number < len(of.arguments)
            return self.written(of.arguments[number], of.place) if is_told else None
        last = of.name.rpartition("::")[2]
        if last in LISTS and of.arguments:
            return self.written(of.arguments[0], of.place)
        if last in MAPS and len(of.arguments) > 1:
            if form == "[]":
                return self.written(of.arguments[1], of.place)
            return Type(PAIR, of.arguments[:2], False, "", of.place)
        if not of.is_class:
            return None
        if form == "[*]":
            begin = self._agreed(self._lookup.find_method("begin", of.name), (), of)
            if begin is None or not begin.is_class:
                return None
            if begin.holder:  # an iterator of the standard library's
                return begin._replace(holder="")
            of, operator = begin, "operator*"
        elif of.name == TENSOR:
            return of
        else:
            operator = "operator[]"
        return self._agreed(self._lookup.find_method(operator, of.name), (), of)

    def _dereferenced(self, of: Type) -> Type | None:
        """What an object's own `operator*` gives, such as an iterator's: one with parameters multiplies."""
        found = self._lookup.find_method("operator*", of.name)
        found = [d for d in found if not self._lookup.overloads.taken(d).most]
        return self._agreed(found, (), of) if found else of
