"""What the names that a body binds stand for, in bodies that are read as text, and the attributes that it sets.

The text is read from top to bottom, and what stands for something that is only bound further down, or in the head of
a nested function, once more behind it.
"""

from __future__ import annotations

import ast
import functools
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Set

from indexer.extract.python.asserted_names import Asserted
from indexer.extract.python.asserted_types import insisted
from indexer.extract.python.attribute_values import FIRST_ARGUMENT, Held, default
from indexer.extract.python.brackets import ends_line
from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.entered import Entered
from indexer.extract.python.given_values import GivenValue, GivenValues
from indexer.extract.python.inner_scopes import OUTER, InnerScopes
from indexer.extract.python.lexical import Span
from indexer.extract.python.list_elements import Listed
from indexer.extract.python.local_names import Locals
from indexer.extract.python.loops import Loops
from indexer.extract.python.nested import Nested
from indexer.extract.python.scope import Scope, either, one_of
from indexer.extract.python.told_names import NONE, Told, give
from indexer.extract.python.unit import PyUnit, Unparsable, parse
from indexer.extract.python.value_texts import ANY, GIVING, any_of, element_of, first_known
from indexer.extract.python.values_by_name import Chosen
from indexer.facts.python import PythonBinding

# Names that are bound inside a function by a statement of their own.
_IMPORTED = re.compile(r"import[ (]")
_DEFINED = (re.compile(r"def (\w+)"), re.compile(r"class (\w+)"))
_GLOBAL = re.compile(r"\bglobal ([\w, ]+)")
_NOTHING = range(0)
_ROUNDS = 3  # so many names one behind the other are known by another
_IsOwn = Callable[..., bool]  # of an offset, and a name that is bound there


class BoundNames:
    """Reads what the functions of one file bind.

    Args:
        unit: the file.
        definitions: for reading imports.
        scope: the file's module-level names.
        nested: the functions within functions of the file.
    """

    def __init__(
        self, unit: PyUnit, definitions: Definitions, scope: Scope, nested: Nested
    ) -> None:
        self.unit = unit
        self.definitions = definitions
        self.scope = scope
        self.attributes: list[PythonBinding] = []
        self.imported_at = [match.start() for match in _IMPORTED.finditer(unit.code)]
        defined = [
            (match.start(), match[1])
            for pattern in _DEFINED
            for match in pattern.finditer(unit.code)
        ]
        defined.sort()
        self.defined_at = [at for at, _ in defined]
        self.defined = [name for _, name in defined]
        self.given = GivenValues(unit, scope)
        self.entered = Entered(unit)
        self.asserted = Asserted(unit)
        self.held = Held(unit, definitions)
        self.listed = Listed(unit)
        self.loops = Loops(unit)
        self.nested = nested
        self._inner: tuple[int, InnerScopes | None] | None = None

    def inner(self, found: FunctionNode, span: Span) -> InnerScopes | None:
        """The functions within a function that mean something of their own by a name; None where there are none.

        Args:
            found: the function.
            span: where it stands.
        """
        if not self.unit.is_packaged or not _within(self.defined_at, span):
            return None
        if self._inner is None or self._inner[0] != span.start:
            scopes = InnerScopes(self.unit, found, span)
            self._inner = span.start, scopes if scopes.names else None
        return self._inner[1]

    def read(
        self,
        found: FunctionNode,
        span: Span,
        names: Locals,
        position: int = OUTER,
        inner: InnerScopes | None = None,
    ) -> list[tuple[str, int]]:
        """Learn the local names of a function, and the attributes that it gives to `self`.

        Args:
            found: the function.
            span: where its body is.
            names: what is known of its names, to which is added.
            position: of the function among these.
            inner: where names are told apart by the functions within functions that bind them, all of these.

        Returns:
            The target and offset of each value that something is given as it stands, without a call.
        """
        self._defined_inside(span, names)
        parameters = self.nested.parameters(span, names)
        names.names.update(dict.fromkeys(parameters, ""))  # names of the module are others
        given = self.given.within(span)
        is_own = _all_own if inner is None else functools.partial(_is_own, inner, position)
        if inner is not None:
            parameters = {
                name: told for name, told in parameters.items() if name not in inner.names
            }
            for name in inner.names:
                names.names.setdefault(name, "")
            given = [value for value in given if is_own(value.at, *value.names[:1])]
        kept = self._of_module(span)
        for value in given:
            # A name that is bound anywhere in a function is none of the module (Doc/reference/executionmodel.rst).
            if len(value.names) == 1 and value.names[0] not in kept and "." not in value.names[0]:
                names.names.setdefault(value.names[0], "")
        told = self._assigned(found, span, given, names, is_own)
        assigned = told.alone
        given_more = {*assigned, *told.cast, *told.elements}
        assigned.update(self.entered.read(span, names, assigned, is_own))
        for at, local, target in self.given.declared(span, names):
            if target.startswith(GIVING) and assigned.get(local):
                continue  # what it is given says more
            if target and is_own(at, local):
                assigned[local] = first_known(assigned.get(local, ""), target)
                given_more.discard(local)
        names.names.update(parameters)
        for local, targets in told.cast.items():
            declared = "" if local in assigned else names.local(local) or ""
            assigned[local] = either([assigned.get(local, ""), declared, *targets])
        for local, target in (told.lists | assigned).items():
            # What is given something else that nobody knows stays what the parameter was declared as, and so does what
            # is given something where it was None.
            declared = (names.local(local) or "") if names.is_declared(local) else ""
            if target and declared.startswith(GIVING):
                declared = ""
            if target.startswith(ANY):
                names.names[local] = any_of(target, declared) or target
            elif target and local in told.defaults:
                names.names[local] = one_of(target, declared)
            else:
                names.names[local] = first_known(target, declared)
        for local, target in told.elements.items():
            if not names.local(local):
                names.names[local] = target
        asserted = self.asserted.read(span, names, is_own)
        names.names.update(asserted)
        given_more.difference_update(asserted)
        waiting = self._waiting(given, names)
        self._learn(waiting, names)
        looped = self._looped(span, names, {}, given_more, is_own)
        if waiting and self._learn(waiting, names):
            self._looped(span, names, looped, given_more, is_own)
        for local, target in told.unpacked.items():
            if local not in names.names:
                names.names[local] = target  # what else says what a name is says more
        return told.named

    def _defined_inside(self, span: Span, names: Locals) -> None:
        unit = self.unit
        imported: dict[str, str] = {}
        for position in _within(self.imported_at, span):
            start = unit.code.rfind("\n", 0, self.imported_at[position]) + 1
            for binding in self._imports(start, span.end):
                path = binding.target.replace(":", ".")
                if not self.scope.is_inside(path):
                    names.outside.add(binding.name)
                    path = ""
                # Of what several branches import by one name it is any.
                imported[binding.name] = one_of(imported.get(binding.name, ""), path)
        names.names.update(imported)
        for position in _within(self.defined_at, span):
            name = self.defined[position]  # what is imported, too, is wrapped, or stood in for
            names.names[name] = imported.get(name, "")

    def _of_module(self, span: Span) -> set[str]:
        """The names that a body says to be the module's, though it binds them: `global synchronize`."""
        code = self.unit.code
        if code.find("global ", span.body, span.end) < 0:
            return set()
        said = _GLOBAL.findall(code, span.body, span.end)
        return {name.strip() for names in said for name in names.split(",")}

    def _assigned(
        self,
        found: FunctionNode,
        span: Span,
        given: list[GivenValue],
        names: Locals,
        is_own: _IsOwn,
    ) -> Told:
        """What statements give to names, and what they name."""
        unit = self.unit
        told = Told({}, {}, {}, {}, {}, [], set())
        own: list[PythonBinding] = []
        chosen = Chosen(found, self.held, names)
        for at, listed, target in self.listed.within(span, names):
            if not is_own(at, listed):
                continue
            if listed[:5] != "self.":
                told.lists[listed] = target if told.lists.get(listed, target) == target else ""
            elif found.scope:
                line = unit.line(at)
                own.append(PythonBinding(found.scope, listed[5:], "attribute", target, line))
        for value in given:
            target = self.given.target(value, names)
            if target and not value.form:
                told.named.append((target, value.at))
            if len(value.names) > 1:
                is_all = value.form != "(" or ends_line(unit.code, value.opening, span.end)
                for part, local in enumerate(value.names if target and is_all else ()):
                    made = element_of(target, part)
                    if local[:5] != "self.":
                        is_same = told.unpacked.get(local, made) == made
                        told.unpacked[local] = made if is_same else ""
                    elif found.scope and made:
                        line = unit.line(value.at)
                        own.append(PythonBinding(found.scope, local[5:], "attribute", made, line))
            if len(value.names) != 1:
                continue
            name = value.names[0]
            told.defaults.add(name if value.is_default else f"{name}=")
            chosen.give(name, value.path, value.form[-1:] == "(")
            if name[:5] != "self.":
                give(told, name, target, value)
                continue
            if not (target or value.form):
                target = told.unpacked.get(value.path, "")  # `a, b = f()`, and then `self.b = b`
            is_untold = not target or target.startswith(GIVING)
            if is_untold and value.path in names.names and value.form[:1] != "[":
                made = default(found, value.path, names)
                target = (f"{made}()" if made and value.form else made) or target
            if value.form[-1:] == "(":
                target = self.held.cloned(value.path, value.opening, names) or target
                if value.path.endswith("ModuleList"):
                    first = FIRST_ARGUMENT.match(unit.code, value.opening)
                    target = (told.lists.get(first[1]) if first else "") or target
            if found.scope and target:
                line = unit.line(value.at)
                own.append(PythonBinding(found.scope, name[5:], "attribute", target, line))
        told.defaults.difference_update([name[:-1] for name in told.defaults if name[-1] == "="])
        self.attributes += chosen.among(own)
        self._held(found, span, names)
        for name, target in told.alone.items():
            told.alone[name] = "" if target == NONE else target
        return told

    def _held(self, found: FunctionNode, span: Span, names: Locals) -> None:
        """Add the attributes that a function declares, registers or insists on."""
        if not found.scope:
            return
        for attribute, target, line, is_last in self.held.within(span, names):
            self.attributes.append(
                PythonBinding(found.scope, attribute, "attribute", target, line, is_last)
            )
        if found.node.name == "__init__":
            for attribute, target, at in insisted(self.unit.code, span, names):
                # What it is given where the object is made says more.
                line = self.unit.line(at)
                self.attributes.append(
                    PythonBinding(found.scope, attribute, "attribute", target, line, True)
                )

    def _waiting(self, given: list[GivenValue], names: Locals) -> dict[str, list[GivenValue]]:
        """The names of which nothing is known that are given what is told by another name, with all that they are."""
        known = names.names
        waiting: dict[str, list[GivenValue]] = {}
        for value in given:
            name = value.names[0] if len(value.names) == 1 else ""
            head = value.path.partition(".")[0]
            if name in known and known[name] == "" and head != name and value.path != NONE:
                waiting.setdefault(name, []).append(value)
        return {
            name: values
            for name, values in waiting.items()
            if all(value.path.partition(".")[0] in known for value in values)
        }

    def _learn(self, waiting: dict[str, list[GivenValue]], names: Locals) -> bool:
        """Say of names what they stand for by what is known by now; whether that was any."""
        has_learned = False
        for _ in range(_ROUNDS):
            told = {}
            for name, values in waiting.items():
                targets = {self.given.target(value, names) for value in values}
                if names.names[name] == "" and len(targets) == 1 and targets != {""}:
                    told[name] = targets.pop()
            if not told:
                break
            names.names.update(told)
            has_learned = True
        return has_learned

    def _looped(
        self,
        span: Span,
        names: Locals,
        before: dict[str, str],
        given: Set[str],
        is_own: _IsOwn,
    ) -> dict[str, str]:
        """Say of the names that loops bind what they stand for.

        Args:
            span: where the body is.
            names: of the function.
            before: what the loops said of them, by what was known then.
            given: those that statements give something, too, which they may be as well as a loop's.
            is_own: whether a name that stands at an offset is one of these.
        """
        looped: dict[str, str] = {}
        uncertain: dict[str, str] = {}
        for at, local, target, is_certain in self.loops.within(span, names):
            if not is_own(at, local):
                continue
            # What else says what a name is says it of the loop's too. One loop may run over what another binds: each
            # name is known from where it is bound.
            if not is_certain:
                uncertain.setdefault(local, target)
                if target and not names.local(local):
                    names.names[local] = target
            elif local in looped or local in {**before, **uncertain} or not names.local(local):
                known = looped.setdefault(local, target)
                looped[local] = names.names[local] = any_of(known, target)
            elif local in given and target:
                known = names.local(local) or ""
                names.names[local] = any_of(known, target) or known
        for local, target in uncertain.items():
            if not names.local(local):
                names.names[local] = target
        return looped

    def _imports(self, start: int, end: int) -> Iterator[PythonBinding]:
        code = self.unit.code
        stop = code.find("\n", start)
        stop = end if stop < 0 else stop
        if "(" in code[start:stop]:
            stop = code.find(")", start, end) + 1
        while code.endswith("\\", start, stop):
            stop = code.find("\n", stop + 1)
        try:
            body = parse(code[start:stop].strip().partition(";")[0]).body
        except Unparsable:
            return
        for node in body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                yield from self.definitions.read_import(node, "")


def _all_own(*_: int | str) -> bool:
    """Whether a name is bound by the function that is read, where no other within it binds such a name."""
    return True


def _is_own(inner: InnerScopes, position: int, at: int, name: str = "") -> bool:
    """Whether a name that stands at an offset is bound by one of the functions, and by none within it."""
    return inner.owner(at, name) == position


def _within(offsets: list[int], span: Span) -> range:
    """Positions of the offsets that lie in a function's body."""
    first = bisect_left(offsets, span.body)
    if first == len(offsets) or offsets[first] >= span.end:
        return _NOTHING
    return range(first, bisect_left(offsets, span.end, first))
