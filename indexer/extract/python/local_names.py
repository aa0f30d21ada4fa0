"""What the names that are bound inside a function stand for."""

from __future__ import annotations

import ast

from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.value_texts import is_class

_CLASS = "__class__"
Names = dict[str, str | ast.expr | None]
"""A target by each name, or an annotation or a sequence of such values that nobody has asked for yet."""


class Locals:
    """What the names inside one function stand for.

    Args:
        scope: the module's names.
        found: the function.
    """

    def __init__(self, scope: Scope, found: FunctionNode) -> None:
        self.scope = scope
        self.names: Names = {}
        self.outside: set[str] = set()
        """Those that the function imports from what is not in the tree."""
        self._arguments = arguments = found.node.args
        for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            self.names[parameter.arg] = parameter.annotation or ""
        for variadic in (arguments.vararg, arguments.kwarg):
            if variadic is not None:
                element = scope.annotation(variadic.annotation)
                self.names[variadic.arg] = f"list({element})" if element else ""
        self._own = found.scope
        self.owner = f"{scope.module}.{found.scope}" if found.scope else ""
        if self.owner:
            if "self" in self.names:
                self.names["self"] = f"{self.owner}()"
            if "cls" in self.names:
                self.names["cls"] = self.owner

    def local(self, name: str) -> str | None:
        """Target of a name that is bound inside the function; None for one that is not."""
        value = self.names.get(name)
        if value is None or isinstance(value, str):
            return value
        target = self.scope.annotation(value, self._own)
        self.names[name] = target
        return target

    def annotation(self, annotation: str | ast.expr | None) -> str:
        """Target of what an annotation inside the function says: of a class that this imports, an object of it.

        Args:
            annotation: one that stands inside, or the target of what it says.
        """
        if not isinstance(annotation, ast.expr):
            return annotation or ""
        written = dotted(annotation)
        if written.partition(".")[0] not in self.names:
            return self.scope.annotation(annotation)
        path = self.target(written)
        return f"{path}()" if path else ""

    def above(self, written: str) -> str:
        """Target of what `super()` is; "" for what is no class. Of `super(C, self)` it is what stands behind C.

        Args:
            written: its first argument; "" where it has none, or one that says no name.
        """
        is_own = not written or written.rpartition(".")[2] in (self._own.rpartition(".")[2], _CLASS)
        if is_own:
            return f"super({self.owner})" if self.owner else ""
        behind = self.target(written)
        if not is_class(behind):
            return ""
        # In the order of the object's class, of which the class around this is what is known.
        return f"super({self.owner}>{behind})" if self.owner else f"super({behind})"

    def is_declared(self, name: str) -> bool:
        """Whether a name is a parameter that is declared as something that is known."""
        parameter = self._parameter(name) if self.local(name) else None
        return parameter is not None and parameter.annotation is not None

    def is_undeclared(self, name: str) -> bool:
        """Whether a name is a parameter that says nothing of what it is, and of which nothing else is known."""
        parameter = self._parameter(name) if self.names.get(name) == "" else None
        return parameter is not None and parameter.annotation is None

    def _parameter(self, name: str) -> ast.arg | None:
        given = self._arguments
        every = (*given.posonlyargs, *given.args, *given.kwonlyargs)
        return next((each for each in every if each.arg == name), None)

    def target(self, name: str) -> str:
        """Target of a dotted name inside the function, or an empty string."""
        head, dot, rest = name.partition(".")
        local = self.local(head)
        if local is None:
            return self.scope.target(name)
        return local + dot + rest if local else ""
