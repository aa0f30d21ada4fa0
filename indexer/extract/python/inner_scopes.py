"""Functions within a function that bind a name which is bound elsewhere in it, too, and so mean something else by it.

A name that a function binds anywhere is its own there (Doc/reference/executionmodel.rst): in
torch/_inductor/kernel/mm.py `get_context` makes an AHContext of its own `context`, while the function around it calls
so what `get_context` gives.
"""

from __future__ import annotations

import ast
import itertools
import re
from bisect import bisect_right
from collections.abc import Callable

from indexer.extract.patterns import never_back
from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.lexical import Span, nested_spans
from indexer.extract.python.local_names import Locals
from indexer.extract.python.unit import PyUnit, Unparsable, parse
from indexer.extract.python.value_texts import ANY, first_known

OUTER = -1
"""The place of the function that the others are in."""

# Each begins with what `re` finds fastest; as one expression they took three times as long.
_BOUND = (
    never_back(r"\n[ \t]++((?:\w+, )*\w+)(?:: [^=\n]{1,200})? = "),
    re.compile(r"for ([\w, ()]{1,80}?) in "),
    re.compile(r"as (\w+)(?=[:,)])"),
    re.compile(r"\((\w+) := "),
)
_ELSEWHERE = re.compile(r"\b(?:nonlocal|global) ([\w, ]+)")
_PARAMETER = re.compile(r"(?:^|,)\s*\*{0,2}([^\W\d]\w*)")
_BRACKETS = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}")  # of annotations and defaults
_NAME = re.compile(r"\w+")
_WORD = re.compile(r"[^\W\d]\w*")
_OBJECTS = frozenset(("self", "cls"))  # of methods; what else is called so is mostly the same one


class InnerScopes:
    """The functions within one function that bind a name of which it, or another within it, has its own.

    Args:
        unit: the file.
        found: the function.
        span: where it stands.
    """

    def __init__(self, unit: PyUnit, found: FunctionNode, span: Span) -> None:
        self.names: frozenset[str] = frozenset()
        self.spans: list[Span] = list(nested_spans(unit.code, span))
        self._unit = unit
        self._found = found
        self._span = span
        self._own: list[set[str]] = [set() for _ in self.spans]
        if not self.spans:
            return
        self._starts = [each.start for each in self.spans]
        self._parents: list[int] = []
        for each in self.spans:
            self._parents.append(self._within(each.start - 1, len(self._parents)))
        self._find()

    def owner(self, at: int, name: str) -> int:
        """The function within which a name that stands at an offset is bound: its position, or `OUTER`.

        Args:
            at: offset into the text.
            name: that stands there.
        """
        if name not in self.names:
            return OUTER
        inner = self._within(at, len(self.spans))
        while inner != OUTER and name not in self._own[inner]:
            inner = self._parents[inner]
        return inner

    def owner_at(self, at: int) -> int:
        """The function within which the name is bound that begins at an offset: its position, or `OUTER`."""
        match = _WORD.match(self._unit.code, at) if self.names else None
        return self.owner(at, match[0]) if match else OUTER

    def each(
        self,
        names: Locals,
        alone: Locals,
        read: Callable[[FunctionNode, Span, Locals, int], object],
    ) -> list[tuple[int, Span, Locals]]:
        """Those that mean something of their own by a name: their positions, where they stand, and all their names.

        Of a name of which a function itself says nothing holds what the others say: it mostly is such a thing, too.

        Args:
            names: of the function that they are in, by all that is said within it; it learns what it says alone.
            alone: what the parameters of that function say.
            read: learns from a function's statement, span, names and position what its names stand for.
        """
        said = {name: names.local(name) or "" for name in self.names}
        # What one of them gives a name, and another something else, is none of all.
        said = {name: "" if told.startswith(ANY) else told for name, told in said.items()}
        names.names.update((name, "") for name, told in said.items() if not told)
        read(self._found, self._span, alone, OUTER)
        names.names.update(
            (name, first_known(told, said[name]))
            for name in self.names
            if (told := alone.local(name))
        )
        known: dict[int, Locals] = {}
        for position, own in enumerate(self._own):
            head = self._head(position) if own else None
            if head is None:
                continue
            outer = self._parents[position]
            while outer != OUTER and outer not in known:
                outer = self._parents[outer]
            inner = Locals(names.scope, head)
            given = inner.names
            # An annotation that names nothing of the tree says that it is something else.
            declared = {name for name in own if isinstance(given.get(name), ast.expr)}
            around = known.get(outer, names)
            inner.names = dict(around.names)
            inner.names.update((name, around.annotation(given.get(name))) for name in own)
            read(head, self.spans[position], inner, position)
            inner.names.update(
                (name, first_known(inner.local(name) or "", said[name])) for name in own - declared
            )
            known[position] = inner
        return [(position, self.spans[position], inner) for position, inner in known.items()]

    def _head(self, position: int) -> FunctionNode | None:
        """The statement of a function without its body."""
        span, text = self.spans[position], self._unit.text
        try:
            node = parse(f"def f{text[span.name_end : span.body]} pass").body[0]
        except Unparsable:
            return None
        # What it gives to `self` belongs to what the function around it does.
        return FunctionNode(self._found.name, self._found.scope, node, False)  # type: ignore[arg-type]

    def _within(self, at: int, last: int) -> int:
        """The innermost function around an offset, of the first `last` ones."""
        inner = bisect_right(self._starts, at, 0, last) - 1
        while inner != OUTER and self.spans[inner].end <= at:
            inner = self._parents[inner]
        return inner

    def _find(self) -> None:
        code, span = self._unit.code, self._span
        arguments = self._found.node.args
        binders: dict[str, set[int]] = {}
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            binders[argument.arg] = {OUTER}
        for position, each in enumerate(self.spans):
            for parameter in _parameters(code[each.name_end : each.body]):
                binders.setdefault(parameter, set()).add(position)
        elsewhere: dict[int, set[str]] = {}
        if (
            code.find("nonlocal ", span.body, span.end) >= 0
            or code.find("global ", span.body, span.end) >= 0
        ):
            for match in _ELSEWHERE.finditer(code, span.body, span.end):
                inner = self._within(match.start(), len(self.spans))
                elsewhere.setdefault(inner, set()).update(_NAME.findall(match[1]))
        for match in itertools.chain.from_iterable(
            bound.finditer(code, span.body, span.end) for bound in _BOUND
        ):
            start = match.start()
            if code[start - 1 : start + 1].isidentifier():
                continue  # of a name that ends so
            inner = self._within(match.start(1), len(self.spans))
            for name in _NAME.findall(match[1]):
                binder = inner
                while binder != OUTER and name in elsewhere.get(binder, ()):
                    binder = self._parents[binder]
                binders.setdefault(name, set()).add(binder)
        for name, where in binders.items():
            if len(where) > 1 and name not in _OBJECTS:
                for position in where - {OUTER}:
                    self._own[position].add(name)
        self.names = frozenset().union(*self._own)


def _parameters(head: str) -> list[str]:
    """The names of a function's parameters, of which `head` is what stands behind the function's name."""
    written = head.partition("->")[0]
    inside = written[written.find("(") + 1 : written.rfind(")")]
    while (bare := _BRACKETS.sub("", inside)) != inside:
        inside = bare
    return _PARAMETER.findall(inside)
