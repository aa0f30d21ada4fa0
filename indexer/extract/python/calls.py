"""What the body of a function calls, read from the text."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from indexer.extract.python.chosen import Chosen
from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.handed import HandedNames
from indexer.extract.python.held import FIRST_ARGUMENT, Held, default
from indexer.extract.python.hooked import first_parameters
from indexer.extract.python.insisted import insisted
from indexer.extract.python.lexical import Span
from indexer.extract.python.listed import Listed
from indexer.extract.python.local_names import Locals
from indexer.extract.python.loops import Loops
from indexer.extract.python.narrowed import Narrowed
from indexer.extract.python.nested import Nested
from indexer.extract.python.property_reads import PropertyReads
from indexer.extract.python.scope import Scope
from indexer.extract.python.subscripts import Subscripts
from indexer.extract.python.unit import PyUnit, Unparsable, parse
from indexer.extract.python.value_texts import element_of, is_class, is_generic
from indexer.facts.python import UNKNOWN, PythonBinding, PythonCalls

# On reversed text: the bracket is what `re` looks for, the name stands behind it.
_CALLED = re.compile(r"\(([\w.]+)")
_DEFINING = ("def ", "class ")
_BRACKET = re.compile(r"[()]")
_NAME_BACKWARDS = re.compile(r"[\w.]+")
_NAME_PART = re.compile(r"[\w.]")
_LONGEST_NAME = 100
_LONGEST = 1_000  # characters between the brackets of a call whose result is followed
_STEPS = 4  # calls in a chain of such
# What says which thing a local name or an attribute of `self` is: `name = path(` or `name = path`
# alone; `group = group or path(` gives it where nobody else has. A keyword argument on a line of its own has no
# spaces around its `=`.
_GIVEN = re.compile(r" = (?:\w+ or )?([^\W\d][\w.]*)((?:\[[^\n()]*\])?\(|[ \t]*(?=\n|\Z))")
_NAMED = re.compile(r"\n[ \t]+((?:self\.)?\w+)(?:[ \t]*:[^=\n(]*)?\Z")
_UNPACKED = re.compile(r"\n[ \t]+\(?(\w+(?:, \w+)+),?\)?\Z")
# What `with` binds: the object that the call in front of it makes.
_ENTERED = re.compile(r"\) as (\w+)(?=[:,)])")
# Names that are bound inside a function by a statement of their own.
_IMPORTED = re.compile(r"import[ (]")
_DEFINED = (re.compile(r"def (\w+)"), re.compile(r"class (\w+)"))


_PARTIAL = "functools.partial"
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
        self.given = list(_GIVEN.finditer(unit.code))
        self.given_at = [match.start() for match in self.given]
        self.entered = list(_ENTERED.finditer(unit.code)) if unit.is_packaged else []
        self.entered_at = [match.start() for match in self.entered]
        self.handed = HandedNames(unit, definitions, scope)
        self.held = Held(unit, definitions)
        self.hooked = first_parameters(unit, definitions)
        self.listed = Listed(unit)
        self.loops = Loops(unit)
        self.narrowed = Narrowed(unit)
        self.nested = Nested(unit)
        self.subscripts = Subscripts(unit)
        self.property_reads = PropertyReads(unit, definitions, scope, self.attributes)
        # By a name as it stands in reversed text: its first part, the text of a call, and what it
        # is where the first part is not bound inside the function.
        self._known: dict[str, tuple[str, str, str]] = {}

    def read(self, caller: int, found: FunctionNode, span: Span) -> None:
        """Add the calls of one function, and the attributes that it gives to `self`."""
        names = self.parameters(found)
        self.read_locals(caller, found, span, names)
        self.read_handed(caller, found, span, names)
        code, line_starts, add = self.unit.code, self.unit.line_starts, self.calls.add
        for at, name in self.nested.decorators(span):
            target = names.target(name)
            if target:
                add(caller, target, CALL, bisect_right(line_starts, at))
        for at, name in self.nested.bases(span):
            target = names.target(name)
            if target:
                add(caller, target, REFERENCE, bisect_right(line_starts, at))
        for reads in (self.property_reads, self.subscripts, self.narrowed):
            for at, target in reads.within(span, names):
                add(caller, target, CALL, bisect_right(line_starts, at))
        total = len(code)
        called = _CALLED.findall(self.unit.reversed_code, total - span.end, total - span.body)
        bound = names.names
        known = self._known
        # What an optimizer does: unlike forward's, its values are not followed where it names no tensor.
        is_step = found.node.name == "step" and self.unit.is_packaged
        for name in dict.fromkeys(called):
            head, written, target = known.get(name) or self._learn(name)
            if head in bound:
                target = names.target(written[:-1])
            elif not head:
                self._read_of_results(caller, written, span, names)
            if not target:
                unknown = head in bound or not self.scope.has(head)
                if is_step and head and "." in written and unknown:
                    for _ in range(code.count(written, span.body, span.end)):
                        add(caller, UNKNOWN, CALL, self.unit.line(span.body))
                continue
            at = code.find(written, span.body, span.end)
            while at >= 0:
                before = code[at - 1]
                whole = not (before.isalnum() or before in "_.")
                if whole and not code.endswith(_DEFINING, at - 6, at):
                    add(caller, target, CALL, bisect_right(line_starts, at))
                at = code.find(written, at + len(written), span.end)

    def parameters(self, found: FunctionNode) -> Locals:
        """What the names inside a function stand for where it begins."""
        names = Locals(self.scope, found)
        names.names.update(
            [self.hooked[found.node.lineno]] if found.node.lineno in self.hooked else ()
        )
        return names

    def read_handed(self, caller: int, found: FunctionNode, span: Span, names: Locals) -> None:
        """Add what one function passes on as an argument or element."""
        for at, name in self.handed.within(span):
            target = names.target(name)
            if target:
                self.calls.add(caller, target, HANDED, self.unit.line(at))
        for line, name in self.handed.of_parameters(found):
            self.calls.add(caller, self.scope.target(name), HANDED, line)

    def _learn(self, name: str) -> tuple[str, str, str]:
        written = name[::-1]
        if written[0] == ".":
            entry = "", f"{written}(", ""
        elif written.startswith("self.assert"):
            # unittest's own assertions say nothing about PyTorch, and are a third of all calls.
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
            at = code.find(written, at + 1, span.end)

    def _result(self, end: int, span: Span, names: Locals, steps: int = _STEPS) -> str:
        """Target of what the call gives whose brackets end here, or an empty string."""
        start, name = _callee(self.unit.code, span.body, end)
        if name == "super":
            return f"super({names.owner})" if names.owner else ""
        if name[:1] == ".":
            owner = self._result(start, span, names, steps - 1) if steps else ""
            return f"{owner}{name}()" if owner else ""
        target = names.target(name) if name else ""
        return f"{target}()" if target else ""

    def read_locals(self, caller: int, found: FunctionNode, span: Span, names: Locals) -> None:
        """Learn the local names; add the references to functions among them."""
        unit = self.unit
        for position in _within(self.imported_at, span):
            start = unit.code.rfind("\n", 0, self.imported_at[position]) + 1
            for binding in self._imports(start, span.end):
                path = binding.target.replace(":", ".")
                names.names[binding.name] = path if self.scope.is_inside(path) else ""
        for position in _within(self.defined_at, span):
            names.names[self.defined[position]] = ""
        assigned: dict[str, str] = {}
        own: list[PythonBinding] = []
        chosen = Chosen(found, self.held, names)
        lists: dict[str, str] = {}
        unpacked: dict[str, str] = {}
        for at, listed, target in self.listed.within(span, names):
            if listed[:5] != "self.":
                lists[listed] = target if lists.get(listed, target) == target else ""
            elif found.scope:
                line = unit.line(at)
                own.append(PythonBinding(found.scope, listed[5:], "attribute", target, line))
        for position in _within(self.given_at, span):
            match = self.given[position]
            at = self.given_at[position]
            value, bracket = match.groups()
            target = names.target(value)
            if bracket[:1] == "[":  # `seen = OrderedSet[Node]()`
                bracket = "("
                if not is_generic(target):
                    target = element_of(target) if target and "(" not in target else ""
            if target and bracket != "(":
                self.calls.add(caller, target, REFERENCE, unit.line(at))
            start = unit.code.rfind("\n", 0, at) + 1
            name = _NAMED.match(unit.code, start - 1, at) if start else None
            if name is None:
                if start and bracket == "(" and target and unit.is_packaged:
                    several = _UNPACKED.match(unit.code, start - 1, at)
                    if several and _ends_line(unit.code, match.end() - 1, span.end):
                        for part, local in enumerate(several[1].split(", ")):
                            made = element_of(f"{target}()", part)
                            unpacked[local] = made if unpacked.get(local, made) == made else ""
                continue
            is_own = name[1][:5] == "self."
            chosen.give(name[1], value, bracket == "(")
            if is_own and not target and value in names.names:
                target = default(found, value, names)
            if bracket == "(" and value.endswith("partial") and self.scope.full(value) == _PARTIAL:
                # What it makes of a class is called as that; a function that it is given is referred to already.
                given = FIRST_ARGUMENT.match(unit.code, match.end() - 1)
                made = names.target(given[1]) if given else ""
                if is_class(made) and not is_own:
                    target, bracket = made, ""
            if bracket == "(":
                target = f"{target}()" if target else ""
                if is_own:
                    target = self.held.cloned(value, match.end() - 1, names) or target
                    if value.endswith("ModuleList"):
                        given = FIRST_ARGUMENT.match(unit.code, match.end() - 1)
                        target = (lists.get(given[1]) if given else "") or target
            if not is_own:
                # A name that is given different things is known for none of them.
                known = assigned.setdefault(name[1], target)
                assigned[name[1]] = target if known == target else ""
            elif found.scope and target:
                own.append(
                    PythonBinding(found.scope, name[1][5:], "attribute", target, unit.line(at))
                )
        entered: dict[str, set[str]] = {}
        for position in _within(self.entered_at, span):
            match = self.entered[position]
            made = self._entered(match.start() + 1, span, names)
            entered.setdefault(match[1], set()).add(made)
        for local, each in entered.items():
            # What nobody knows says nothing of a name that is told elsewhere, as a nested function's parameter.
            if any(each):
                each.add(assigned.get(local, next(iter(each))))
                assigned[local] = each.pop() if len(each) == 1 else ""
        self.nested.bind(span, names)
        self.attributes += chosen.among(own)
        if found.scope:
            for attribute, target, line, is_last in self.held.within(span, names):
                self.attributes.append(
                    PythonBinding(found.scope, attribute, "attribute", target, line, is_last)
                )
        if found.scope and found.node.name == "__init__":
            for attribute, target, at in insisted(unit.code, span, names):
                # What it is given where the object is made says more.
                line = unit.line(at)
                self.attributes.append(
                    PythonBinding(found.scope, attribute, "attribute", target, line, True)
                )
        for local, target in (lists | assigned).items():
            # What is given something else that nobody knows stays what the parameter was declared as.
            if target or not names.is_declared(local):
                names.names[local] = target
        looped: dict[str, str] = {}
        for local, target in self.loops.within(span, names):
            # What else says what a name is says it of the loop's too. One loop may run over what another binds: each
            # name is known from where it is bound.
            if local in looped or not names.local(local):
                known = looped.setdefault(local, target)
                looped[local] = names.names[local] = target if known == target else ""
        for local, target in unpacked.items():
            if local not in names.names:
                names.names[local] = target  # what else says what a name is says more

    def _entered(self, end: int, span: Span, names: Locals) -> str:
        """Target of the object whose making ends here, where its class is told; what other functions yield is not."""
        callee = _callee(self.unit.code, span.body, end)[1]
        target = names.target(callee) if callee else ""
        return f"{target}()" if is_class(target) else ""

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


def _callee(code: str, first: int, end: int) -> tuple[int, str]:
    """Where the name begins in front of the brackets that end here, and the name; nothing where they are no call's."""
    while code[end - 1].isspace() and end > first:
        end -= 1  # a chain of calls may stand on a line each
    if code[end - 1] != ")":
        return end, ""
    start = max(first, end - _LONGEST)
    opening = code.rfind("(", start, end)
    if code.find(")", opening, end) != end - 1:
        open_at: list[int] = []
        for bracket in _BRACKET.finditer(code, start, end):
            if bracket[0] == "(":
                open_at.append(bracket.start())
            else:
                opening = open_at.pop() if open_at else -1
    if opening < 0:
        return end, ""
    begin = max(first, opening - _LONGEST_NAME)
    name = _NAME_BACKWARDS.match(code[begin:opening][::-1])
    if name is None:
        return end, ""
    start = opening - name.end()
    if start == begin and _NAME_PART.match(code, start - 1):
        return end, ""  # a longer one
    return start, name[0][::-1]


def _ends_line(code: str, opening: int, end: int) -> bool:
    """Whether nothing stands behind a call on its line: what it gives is what is assigned."""
    depth = 0
    for bracket in _BRACKET.finditer(code, opening, end):
        depth += 1 if bracket[0] == "(" else -1
        if not depth:
            rest = code.find("\n", bracket.end())
            return not code[bracket.end() : end if rest < 0 else rest].strip()
    return False


def _within(offsets: list[int], span: Span) -> range:
    """Positions of the offsets that lie in a function's body."""
    first = bisect_left(offsets, span.body)
    if first == len(offsets) or offsets[first] >= span.end:
        return _NOTHING
    return range(first, bisect_left(offsets, span.end, first))


_NOTHING = range(0)
