"""What is known of the names of a function that works on tensors, and where its calls go.

What a condition says of names holds for what stands below it: `if isinstance(x, Node):`.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator

from indexer.extract.python import conditions
from indexer.extract.python.argument_values import GivenCall
from indexer.extract.python.calls import ASIDE, CALL, HANDED, OPERATOR, REFERENCE
from indexer.extract.python.definitions import Definitions
from indexer.extract.python.local_names import Locals
from indexer.extract.python.property_reads import PropertyReads
from indexer.extract.python.scope import dotted, either
from indexer.extract.python.untold import untold
from indexer.extract.python.value_texts import ONE, TENSOR, is_class
from indexer.facts.python import UNKNOWN, PythonCalls

SEQUENCES = ("list(", "tuple(")
_LONGEST = 120  # of what is taken for both; what is longer is what was asked for alone, unless that is twice as long
_PLAIN = (*SEQUENCES, "dict(")  # what Python itself makes


class Known:
    """What one function's names stand for, and the calls that were found in it.

    Args:
        caller: position of the function among those of its file.
        names: its parameters and the module's names.
        definitions: for reading imports inside the function.
        offset: what is added to the lines of the syntax tree.
        calls: where the calls are added.
        reads: which attributes may be properties.
    """

    def __init__(
        self,
        caller: int,
        names: Locals,
        definitions: Definitions,
        offset: int,
        calls: PythonCalls,
        reads: PropertyReads,
    ) -> None:
        self.caller = caller
        self.names = names
        self.definitions = definitions
        self.offset = offset
        self.calls = calls
        self.reads = reads
        self.is_silent = False
        self.is_aside = False
        self.has_asked = False
        """Whether the class of something of a name was asked for: `isinstance(x.layout, C)`."""
        self.derived_from: str | None = None
        """What the innermost class derives from that is read, where it stands within the function."""
        self.given: list[GivenCall] = []
        self.imported: dict[str, str] = {}
        """What the function imports from elsewhere than the tree, by its name there."""

    def _add(self, target: str, kind: int, node: ast.expr | ast.stmt) -> None:
        if kind == OPERATOR and is_class(target.rpartition(".")[0]):
            return  # what syntax calls on a class is its metaclass's: `type(x) != torch.Tensor`
        if target and not self.is_silent and not target.startswith(_PLAIN):
            kind = ASIDE if self.is_aside else kind
            self.calls.add(self.caller, target, kind, node.lineno + self.offset)

    def _add_untold(self, method: ast.Attribute, call: ast.Call) -> None:
        """Add a method of something that the function holds, and that is of no other package's module."""
        node: ast.expr = method
        while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
            node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Name) and self.names.local(node.id) == "":
            self._add(UNKNOWN, CALL, call)
            owner = dotted(method.value).rpartition(".")[2]
            self._add(untold(method.attr, owner=owner), CALL, call)

    def _hand(self, value: str, node: ast.expr) -> None:
        """Add what is handed on by its name: a function, or a method of the class that the function is one of."""
        if not value or not isinstance(node, (ast.Name, ast.Attribute)):
            return
        if "(" not in value or value.startswith(ONE):
            self._add(value, REFERENCE, node)
        elif isinstance(node, ast.Attribute) and self.reads.is_method(self.names.owner, value):
            self._add(value, HANDED, node)

    @contextlib.contextmanager
    def _narrowed(self, test: ast.expr) -> Iterator[None]:
        """Take names for what a condition says they are, where nothing is known of them, or for no tensors."""
        with self._taken(self._said(test)):
            yield

    @contextlib.contextmanager
    def _taken(self, said: dict[str, str]) -> Iterator[None]:
        """Take names for what is said of them, but for those that are given something else meanwhile."""
        names = self.names.names
        before = {name: names.get(name) for name in said}
        names.update(said)
        yield
        for name, now in said.items():
            if names.get(name) == now:
                names[name] = before[name]

    def _said(self, test: ast.expr) -> dict[str, str]:
        """What a condition says of names of which nothing is known; of tensors that they are none, or of a class."""
        local = self.names.local
        said = [
            *((name, TENSOR) for name in conditions.tensors(test)),
            *((name, "") for name in conditions.others(test)),
        ]
        said = [(name, now) for name, now in said if local(name) == ("" if now else TENSOR)]
        for name, kinds in conditions.classes(test):
            known = self._known(name)
            now = self._object(kinds) if known is not None else ""
            if known is not None and now:
                told = _as_asked(known, now)
                said += [(name, told)] if told else []
                self.has_asked = self.has_asked or "." in name
            elif known == TENSOR and all(map(self._is_no_tensor, kinds)):
                said.append((name, conditions.held_by(kinds, TENSOR)))
        return dict(said)

    def _known(self, spelled: str) -> str | None:
        """What is known of a local name or of something of it: `x`, `x.layout`; None of what is none."""
        if "." not in spelled:
            return self.names.local(spelled)
        head = spelled.partition(".")[0]
        return None if self.names.local(head) is None else self.names.local(spelled) or ""

    def _as_asked(self, node: ast.expr, value: str) -> str:
        """Target of a value, or of what its class was asked for where it is something of a name."""
        if not self.has_asked or not isinstance(node, (ast.Attribute, ast.Call)):
            return value
        path = conditions.spelled(node)
        return (self.names.local(path) if path else "") or value

    def _forget(self, target: ast.expr) -> None:
        """What is given anew is not what was asked for its class, nor is anything of it."""
        given = conditions.spelled(target) if self.has_asked else ""
        if given:
            names = self.names.names
            for path in [path for path in names if path == given or path.startswith(f"{given}.")]:
                del names[path]

    def _object(self, kinds: list[str]) -> str:
        """Target of an object of one of these classes of the tree."""
        targets = (self.names.target(kind) for kind in kinds if kind)
        return either(f"{target}()" for target in targets if target and "(" not in target)

    def _is_no_tensor(self, kind: str) -> bool:
        """Whether tensors are no objects of a class that the tree does not have, as it is written here."""
        head, dot, rest = kind.partition(".")
        if self.names.local(head) is None:
            return bool(kind) and conditions.is_no_tensor(self.names.scope.full(kind))
        path = self.imported.get(head, "")
        return bool(path) and conditions.is_no_tensor(path + dot + rest)


def _as_asked(known: str, now: str) -> str:
    """Target of what is known as something and of which was asked whether it is something else.

    Args:
        known: target of what it is known as; what Python itself makes stays that.
        now: target of an object of the class that was asked for, or of one of several.

    Returns:
        An empty string where it stays what it is known as.
    """
    if known.startswith(_PLAIN):
        return ""
    is_one = known.endswith("()") and is_class(known[:-2]) and known != TENSOR
    if is_one or known.startswith("union("):
        # What is of one of several classes is of that which is asked for; what is of one class is of both.
        both = now if set(_each(now)) <= set(_each(known)) else either((now, known))
        now = both if len(both) < _LONGEST else now
    return now if not known or len(now) < 2 * _LONGEST else ""


def _each(known: str) -> list[str]:
    """Targets of which something is one."""
    return known[6:-1].split("|") if known.startswith("union(") else [known]
