"""What the body of a function calls, read from the text."""

from __future__ import annotations

import functools
import re
from bisect import bisect_right

from indexer.extract.python.attribute_values import FIRST_ARGUMENT
from indexer.extract.python.autograd_functions import given_parameters
from indexer.extract.python.bound_names import BoundNames
from indexer.extract.python.brackets import callee_before
from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.hook_arguments import first_parameters
from indexer.extract.python.inner_scopes import OUTER, InnerScopes
from indexer.extract.python.isinstance_calls import Narrowed
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.member_reads import MemberReads
from indexer.extract.python.nested import Nested
from indexer.extract.python.property_reads import PropertyReads
from indexer.extract.python.references import HandedNames
from indexer.extract.python.scope import Scope
from indexer.extract.python.special_methods import SpecialMethods
from indexer.extract.python.subscripts import Subscripts
from indexer.extract.python.undeclared import Undeclared
from indexer.extract.python.unit import PyUnit
from indexer.extract.python.untold import untold
from indexer.extract.python.value_texts import TENSOR, given_by
from indexer.facts.assertions import INHERITED
from indexer.facts.python import METHOD, UNKNOWN, PythonCalls

# On reversed text: the bracket is what `re` looks for, the name stands behind it.
_CALLED = re.compile(r"\(([\w.]+)")
_DEFINING = ("def ", "class ")
# What stands before a class that a pattern asks for, and does not call; its guard calls what it names.
_PATTERN = re.compile(
    r"""[ \t]+case (?=[\w"'(\[{]|\*\w|-\d)(?!(?:in|is|and|or|if|else|for|not)\b)"""
)
_STEPS = 4  # calls in a chain of such
CALL, REFERENCE, OPERATOR, ASIDE, HANDED = range(5)


class BodyReader:
    """Reads the bodies of one file's functions.

    Args:
        unit: the file.
        definitions: for reading imports.
        scope: the file's module-level names.
    """

    def __init__(self, unit: PyUnit, definitions: Definitions, scope: Scope) -> None:
        self.unit = unit
        self.definitions = definitions
        self.scope = scope
        self.calls = PythonCalls()
        self.handed = HandedNames(unit, definitions, scope)
        self.hooked = first_parameters(unit, definitions)
        self.narrowed = Narrowed(unit)
        self.nested = Nested(unit)
        self.bound = BoundNames(unit, definitions, scope, self.nested)
        self.attributes = self.bound.attributes
        self.special_methods = SpecialMethods(unit)
        self.member_reads = MemberReads(unit)
        self.undeclared = Undeclared(unit, definitions.module)
        self.property_reads = PropertyReads(unit, definitions, scope, self.attributes)
        self.subscripts = Subscripts(unit, self.property_reads)
        # By a name as it stands in reversed text: its first part, the text of a call, and what it
        # is where the first part is not bound inside the function.
        self._known: dict[str, tuple[str, str, str]] = {}
        self._has_cases = re.search(r"\n[ \t]+case ", unit.code) is not None

    def read(self, caller: int, found: FunctionNode, span: Span) -> None:
        """Add the calls of one function to `calls`, and the attributes that it gives to `self` to `attributes`.

        Args:
            caller: its position among the functions of the file.
            found: the function's statement.
            span: where it stands in the text.
        """
        names = self.parameters(found)
        self.read_locals(caller, found, span, names)
        self.read_handed(caller, found, span, names)
        line_starts, add = self.unit.line_starts, self.calls.add
        for at, name in self.nested.decorators(span):
            target = names.target(name)
            if target:
                add(caller, target, CALL, bisect_right(line_starts, at))
        for at, name in self.nested.bases(span):
            target = names.target(name)
            if target:
                add(caller, target, REFERENCE, bisect_right(line_starts, at))
        # What an optimizer does: unlike forward's, its values are not followed where it names no tensor.
        is_step = found.node.name == "step" and self.unit.is_packaged
        inner = self.bound.inner(found, span)
        within = []
        if inner is not None:
            known = len(self.attributes)
            bind = functools.partial(self.bound.read, inner=inner)
            within = inner.each(names, self.parameters(found), bind)
            del self.attributes[known:]  # they are read with the whole already
        self._read_by_names(caller, span, names, is_step, inner, OUTER)
        for position, each, own in within:
            self._read_by_names(caller, each, own, False, inner, position)
        self.read_members(caller, found, span, names)

    def _read_by_names(
        self,
        caller: int,
        span: Span,
        names: Locals,
        is_step: bool,
        inner: InnerScopes | None,
        position: int,
    ) -> None:
        """Add what a body calls and reads by its names, of those within a function by what it binds itself."""
        code, line_starts, add = self.unit.code, self.unit.line_starts, self.calls.add
        for reads in (self.property_reads, self.subscripts, self.narrowed):
            for at, target in reads.within(span, names):
                if inner is None or inner.owner_at(at) == position:
                    add(caller, target, CALL, bisect_right(line_starts, at))
        self._read_calls_of_results(caller, span, names, inner, position)
        for at, target in self.special_methods.within(span, names):
            if inner is None or inner.owner_at(at) == position:
                add(caller, target, OPERATOR, bisect_right(line_starts, at))
        total = len(code)
        called = _CALLED.findall(self.unit.reversed_code, total - span.end, total - span.body)
        bound = names.names
        known, is_packaged = self._known, self.unit.is_packaged
        for name in dict.fromkeys(called):
            head, written, target = known.get(name) or self._learn(name)
            if position != OUTER and inner is not None and head not in inner.names:
                continue
            if head in bound:
                target = names.target(written[:-1])
            elif not head:
                self._read_of_results(caller, written, span, names)
            if not target:
                unknown = head in bound or not self.scope.has(head)
                if not unknown or "." not in written:
                    continue
                if is_step and head:
                    for _ in range(code.count(written, span.body, span.end)):
                        add(caller, UNKNOWN, CALL, self.unit.line(span.body))
                if private := _private(written[:-1], names.owner):
                    target = private
                elif is_packaged and head and head not in names.outside:
                    owner, _, method = written[:-1].rpartition(".")
                    target = self.undeclared.target(written[:-1], names, span) or untold(
                        method, is_named=True, owner=owner.rpartition(".")[2]
                    )
                if not target:
                    continue
            at = code.find(written, span.body, span.end)
            while at >= 0:
                before = code[at - 1]
                whole = not (before.isalnum() or before in "_.")
                if (
                    whole
                    and not code.endswith(_DEFINING, at - 6, at)
                    and not (self._has_cases and _is_pattern(code, at))
                    and (inner is None or inner.owner(at, head) == position)
                ):
                    add(caller, target, CALL, bisect_right(line_starts, at))
                    if target[0] == UNKNOWN:
                        break  # one line is enough of what may be meant
                at = code.find(written, at + len(written), span.end)

    def parameters(self, found: FunctionNode) -> Locals:
        """What the names inside a function stand for where it begins, `found` being its statement."""
        names = Locals(self.scope, found)
        names.names.update(
            [self.hooked[found.node.lineno]] if found.node.lineno in self.hooked else ()
        )
        names.names.update(given_parameters(found))
        return names

    def names_of(self, found: FunctionNode, span: Span) -> Locals:
        """What the names inside a function stand for, `found` being its statement and `span` where it stands."""
        names = self.parameters(found)
        self.bound.read(found, span, names)
        return names

    def read_handed(self, caller: int, found: FunctionNode, span: Span, names: Locals) -> None:
        """Add what one function passes on as an argument or element.

        Args:
            caller: its position among the functions of the file.
            found: the function's statement, whose decorators may say what a test is run for.
            span: where it stands in the text.
            names: what the names inside it stand for.
        """
        for at, name in self.handed.within(span, names):
            # A function that is imported there, or a method of an object: what a call gives is no such thing.
            target = (names.scope if at < span.body else names).target(name)
            if not target or ("(" in target and "." not in name):
                continue
            if name in self.handed.of_objects:
                if "()." not in target or target.startswith(TENSOR):
                    continue
                target += METHOD
            self.calls.add(caller, target, HANDED, self.unit.line(at))
        for line, name in self.handed.of_parameters(found):
            self.calls.add(caller, self.scope.target(name), HANDED, line)

    def read_members(self, caller: int, found: FunctionNode, span: Span, names: Locals) -> None:
        """Add the classes of which one function reads members, or whose methods it hands on.

        Args:
            caller: its position among the functions of the file.
            found: the function's statement.
            span: where it stands in the text.
            names: what the names inside it stand for.
        """
        for at, target, is_compared in self.member_reads.within(found, span, names):
            kind = ASIDE if is_compared else HANDED
            self.calls.add(caller, target, kind, self.unit.line(at))

    def _learn(self, name: str) -> tuple[str, str, str]:
        written = name[::-1]
        if written[0] == ".":
            entry = "", f"{written}(", ""
        elif written.startswith("self.assert") and written[5:] in INHERITED:
            entry = "assert", "", ""
        else:
            entry = written.partition(".")[0], f"{written}(", self.scope.target(written)
        self._known[name] = entry
        return entry

    def _read_of_results(self, caller: int, written: str, span: Span, names: Locals) -> None:
        """Add the calls of a method of what another call gives: `super()`, `Normal(0, 1)`, `torch.ones(3).neg()`."""
        code = self.unit.code
        at = code.find(written, span.body, span.end)
        while at >= 0:
            if code[at - 1] in ") \n":
                owner = self._result(at, span, names)
                if owner:
                    self.calls.add(caller, owner + written[:-1], CALL, self.unit.line(at))
                elif (
                    self.unit.is_packaged
                    and (target := untold(written[1:-1]))
                    and self._is_of_a_value(at, span, names)
                ):
                    self.calls.add(caller, target, CALL, self.unit.line(at))
            at = code.find(written, at + 1, span.end)

    def _read_calls_of_results(
        self, caller: int, span: Span, names: Locals, inner: InnerScopes | None, position: int
    ) -> None:
        """Add the calls of what another call gives: `WhyNoFuse(a, b)("no shared data")`."""
        code = self.unit.code
        at = code.find(")(", span.body, span.end)
        while at >= 0:
            start, name = callee_before(code, span.body, at + 1)
            if name and (inner is None or inner.owner(start, name.partition(".")[0]) == position):
                made = self._result(at + 1, span, names)
                if made:
                    self.calls.add(caller, made, CALL, self.unit.line(at))
            at = code.find(")(", at + 1, span.end)

    def _is_of_a_value(self, end: int, span: Span, names: Locals) -> bool:
        """Whether the chain of calls that ends here begins with something that the function holds."""
        name = "."
        while name[:1] == ".":
            end, name = callee_before(self.unit.code, span.body, end)
        return names.local(name.partition(".")[0]) is not None

    def _result(self, end: int, span: Span, names: Locals, steps: int = _STEPS) -> str:
        """Target of what the call gives whose brackets end here, or an empty string."""
        start, name = callee_before(self.unit.code, span.body, end)
        if name == "super":
            return self._super(start, span, names)
        if name[:1] == ".":
            owner = self._result(start, span, names, steps - 1) if steps else ""
            return given_by(f"{owner}{name}") if owner else ""
        if name.endswith("cast") and (said := self.bound.given.cast_by(name, start, names)):
            return said
        return given_by(names.target(name)) if name else ""

    def _super(self, at: int, span: Span, names: Locals) -> str:
        """Target of what `super()` is at an offset: of a class within the function, what that derives from."""
        bases = self.nested.derived_from(at, span)
        if bases is not None:
            return next(filter(None, map(names.target, bases)), "")
        named = FIRST_ARGUMENT.match(self.unit.code, at + len("super"))
        return names.above(named[1] if named else "")

    def read_locals(self, caller: int, found: FunctionNode, span: Span, names: Locals) -> None:
        """Learn the names that a function binds, into `names`; add the references to functions among them.

        Args:
            caller: its position among the functions of the file.
            found: the function's statement.
            span: where it stands in the text.
            names: what the names inside it stand for so far.
        """
        for target, at in self.bound.read(found, span, names):
            self.calls.add(caller, target, REFERENCE, self.unit.line(at))


def _private(written: str, owner: str) -> str:
    """Target of a method that only the class can have in which the call stands: `node.__update(args)`.

    The compiler puts the class's name before such names (the language reference, section 6.2.1).
    """
    name = written.rpartition(".")[2]
    is_private = name.startswith("__") and not name.endswith("__")
    return f"{owner}().{name}" if owner and is_private else ""


def _is_pattern(code: str, at: int) -> bool:
    """Whether a name that has brackets behind it is the class that a pattern of a `case` asks for."""
    start = code.rfind("\n", 0, at) + 1
    return _PATTERN.match(code, start) is not None and " if " not in code[start:at]
