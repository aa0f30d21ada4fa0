"""Where a body that is read as text reads or sets a property: `self.layout` calls a method, and no bracket says so.

Which attributes of other files' classes are properties the link step tells; here is told what is read on which object,
as far as the text says what that is: a parameter by its annotation, a name by the call that made it, what `self` holds.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from indexer.extract.python.definitions import Definitions
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.properties import Properties
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import READ, SET, PythonBinding

_OWNER = re.compile(r"(?<![\w.])[^\W\d]\w*\Z")
_LONGEST = 40  # characters of such a name
# What is assigned to, or called, is another function, or what the property gives.
_CHAIN = re.compile(r"((?:\.\w+)+)(?![\w(]| = )")
_GIVEN = r" (?:[-+*/%&|^@]|//|\*\*|<<|>>)?= "
_SETTING = re.compile(rf"((?:\.\w+)*)\.(\w+){_GIVEN}")
_OF_SELF = re.compile(r"self((?:\.\w+)+)(?![\w(]| = )")
_SETTING_OF_SELF = re.compile(rf"self((?:\.\w+)+)\.(\w+){_GIVEN}")
# What C++ makes and is: tensors, what `torch.cat()` gives and `torch.device("cpu")`; and a list has no such attributes.
_OF_TORCH = re.compile(r"torch\.(?:[a-z]\w*|(?:_tensor\.)?Tensor)\(\)|list\(|dict\(|tuple\(")
_SET = re.compile(r"self\.(\w+)(?:: [^\n=]{1,200})? = (?:([^\W\d][\w.]*)\()?")


class PropertyReads:
    """The places of one file where something that may be a property stands behind a dot.

    Args:
        unit: the file.
        definitions: its functions and classes.
        scope: what its names stand for.
        attributes: what its functions give to `self`, as far as they were read.
    """

    def __init__(
        self,
        unit: PyUnit,
        definitions: Definitions,
        scope: Scope,
        attributes: Sequence[PythonBinding],
    ) -> None:
        self._attributes = attributes
        self._set: set[str] = set()  # what functions give to `self`
        self._told: set[str] = set()  # those that a call of the tree makes
        self._given: set[str] = set()  # what classes have
        self._heirs: dict[str, bool] = {}
        self._code = code = unit.code
        self._definitions = definitions
        self._methods = {found.node.name for found in definitions.functions if found.scope}
        self.properties = Properties(definitions)
        self._found: list[tuple[int, str, bool]] = []  # and whether it is set there
        self._of_self: list[tuple[int, str]] = []
        self._set_of_self: list[tuple[int, str, str]] = []  # `self.a.b = …`: what of, and its name
        self._is_packaged = unit.is_packaged
        if not unit.is_packaged:
            return
        if "property" in code:
            names = sorted({name.rpartition(".")[2] for name in definitions.properties})
            if names:
                read = re.compile(rf"\.({'|'.join(names)})\b(?!\(| = )")
                found = [(match.start(), match[1], False) for match in read.finditer(code)]
                if self.properties.setters:
                    given = re.compile(rf"\.({'|'.join(names)})(?={_GIVEN})")
                    found += ((match.start(), match[1], True) for match in given.finditer(code))
                self._found = sorted(found)
        if definitions.classes and "self." in code:
            for name, callee in _SET.findall(code):
                self._set.add(name)
                if callee and scope.target(callee):
                    self._told.add(name)
            self._given.update(found.node.name for found in definitions.functions if found.scope)
            self._given.update(found.name for found in definitions.assignments if found.scope)
            self._set_of_self = [
                (match.start(), match[1], match[2]) for match in _SETTING_OF_SELF.finditer(code)
            ]
            known = self._set | self._given
            for match in _OF_SELF.finditer(code):
                attribute, dot, _ = match[1][1:].partition(".")
                if dot or attribute not in known:
                    self._of_self.append((match.start(), match[1]))

    def within(self, span: Span, names: Locals) -> Iterator[tuple[int, str]]:
        """Where a function reads or sets a property of what it knows the class of.

        Args:
            span: of the function.
            names: what the names inside it stand for.

        Yields:
            offset into the text, and target of the property, with `!` where only the link step knows whether it is one,
            and `<` where it is set.
        """
        yield from self._own(span, names)
        if not self._is_packaged:
            return
        code = self._code
        if names.owner and "self" in names.names:
            first = bisect_left(self._of_self, (span.body,))
            for at, attributes in self._of_self[
                first : bisect_left(self._of_self, (span.end,), first)
            ]:
                yield from self.chain(at, f"{names.owner}()", attributes)
            first = bisect_left(self._set_of_self, (span.body,))
            for at, path, name in self._set_of_self[
                first : bisect_left(self._set_of_self, (span.end,), first)
            ]:
                if self.may_be(owner := f"{names.owner}(){path}", name):
                    yield at, f"{owner}.{name}{SET}"
        for name in names.names:
            at = code.find(f"{name}.", span.body, span.end) if name not in _OWN else -1
            held = names.local(name) if at >= 0 else ""
            if not held:
                continue
            while at >= 0:
                end = at + len(name)
                before = code[at - 1]
                if not (before.isalnum() or before in "_."):
                    chain = _CHAIN.match(code, end, span.end)
                    if chain is not None:
                        yield from self.chain(at, held, chain[1])
                    given = _SETTING.match(code, end, span.end)
                    if given is not None and self.may_be(f"{held}{given[1]}", given[2]):
                        yield at, f"{held}{given[1]}.{given[2]}{SET}"
                at = code.find(f"{name}.", end, span.end)

    def is_method(self, owner: str, target: str) -> bool:
        """Whether something is a method of an object, and no property.

        Args:
            owner: target of the object's class, of this file.
            target: of an attribute of such an object.
        """
        kind, _, name = target.rpartition("().")
        inside = f"{owner[len(self._definitions.module) + 1 :]}.{name}"
        return (
            bool(owner)
            and kind == owner
            and name in self._methods
            and (inside not in self._definitions.properties)
        )

    def may_be(self, owner: str, attribute: str) -> bool:
        """Whether an attribute could be a property that only the link step knows.

        Args:
            owner: target of what it is read of; of objects alone anything is told.
            attribute: its name.
        """
        if "()" not in owner or attribute.startswith("__") or _OF_TORCH.match(owner):
            return False
        module = f"{self._definitions.module}."
        if not owner.startswith(module):
            return True
        name, _, held = owner[len(module) :].partition("()")
        if not held:
            known = attribute in self._given or attribute in self._set
            return not known and self._is_heir(name)
        first = held[1:].partition(".")[0]
        return first not in self._set or first in self._given or self._holds(first)

    def _holds(self, attribute: str) -> bool:
        """Whether it is told, or was by now, what an attribute is."""
        return attribute in self._told or any(
            attribute == binding.name for binding in self._attributes
        )

    def _is_heir(self, name: str) -> bool:
        """Whether a class derives from one of another file; so may what is not known to be a class."""
        known = self._heirs.get(name)
        if known is None:
            self._heirs[name] = False
            found = [found for found in self._definitions.classes if found.name == name]
            known = self._heirs[name] = not found or any(
                self._is_heir(dotted(base))
                for base in found[0].node.bases
                if dotted(base) != "object"
            )
        return known

    def chain(self, at: int, owner: str, attributes: str) -> Iterator[tuple[int, str]]:
        """Each attribute of `owner.a.b` that may be a property.

        Args:
            at: offset into the text.
            owner: target of what they are read of.
            attributes: each behind a dot.

        Yields:
            what `within` does.
        """
        for attribute in attributes[1:].split("."):
            path = f"{owner}.{attribute}"
            if self.may_be(owner, attribute):
                yield at, f"{path}{READ}"
            owner = path

    def _own(self, span: Span, names: Locals) -> Iterator[tuple[int, str]]:
        if not self._found:
            return
        first = bisect_left(self._found, (span.body,))
        for at, name, is_set in self._found[first : bisect_left(self._found, (span.end,), first)]:
            owner = _OWNER.search(self._code, max(at - _LONGEST, span.body), at)
            held = names.local(owner[0]) if owner else ""
            if owner and held is None:
                held = self.properties.made.get(owner[0])
            if held:
                properties = self.properties
                path = properties.set(held, name) if is_set else properties.read(held, name)
                if path and owner:
                    yield owner.start(), path


_OWN = ("self", "cls")
