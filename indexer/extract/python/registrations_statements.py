"""Follows the statements of a Python file, as far as its text tells: both branches where a condition is not known."""

from __future__ import annotations

import ast
from abc import abstractmethod
from dataclasses import replace
from typing import Any

from indexer.extract.python.compound import TRIES
from indexer.extract.python.registrations_builtins import MAX_SEQUENCE
from indexer.extract.python.registrations_expressions import MAX_STEPS, Expressions, binary
from indexer.extract.python.registrations_values import UNKNOWN, Function, Pending, Ref, Scope


class Stop(Exception):
    """The statements that follow are not reached.

    Args:
        kind: return, loop (break, continue) or raise.
        value: that is returned.
    """

    def __init__(self, kind: str, value: Any = None) -> None:
        self.kind = kind
        self.value = value


class Statements(Expressions):
    """Follows statements; `registrations_eval.Interpreter` says what calls come to.

    Args:
        module: the dotted name of the file's module.
    """

    def __init__(self, module: str) -> None:
        self.module = module
        self.package = ""
        self.steps = 0
        self.defined: list[Function] = []
        self.classes: dict[str, tuple[Scope, list[Any]]] = {}
        """The file's classes by their dotted names: what their bodies define, and their bases."""

    @abstractmethod
    def apply(
        self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """Call a value.

        Args:
            callee: what is called.
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the call.

        Returns:
            What it gives; UNKNOWN where nobody knows.
        """

    def block(self, body: list[ast.stmt], scope: Scope, prefix: str) -> None:
        """Follow statements; what comes behind a return or a raise is not reached.

        Args:
            body: the statements.
            scope: the variables that they see.
            prefix: of the names of what they define: `f.<locals>.`, `Outer.`, or "".

        Raises:
            Stop: the last that was followed lets nothing follow.
        """
        for statement in body:
            self.steps += 1
            if self.steps > MAX_STEPS:
                return
            self.statement(statement, scope, prefix)

    def statement(self, node: ast.stmt, scope: Scope, prefix: str) -> None:
        """Follow one statement.

        Args:
            node: the statement.
            scope: the variables that it sees.
            prefix: as in `block`.

        Raises:
            Stop: nothing that stands behind it is reached.
        """
        if isinstance(node, ast.Expr):
            self.value(node.value, scope)
        elif isinstance(node, ast.Assign):
            value = self.value(node.value, scope)
            for target in node.targets:
                self.assign(target, value, scope)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.value(node.value, scope), scope)
        elif isinstance(node, ast.AugAssign):
            self._augment(node, scope)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.define(node, scope, prefix)
        elif isinstance(node, ast.ClassDef):
            inner = Scope(scope)
            self.guarded(node.body, inner, f"{prefix}{node.name}.", scope)
            path = f"{self.module}.{prefix}{node.name}"
            scope.assign(node.name, Ref(path))
            self.classes[path] = inner, [self.value(base, scope) for base in node.bases]
        elif isinstance(node, ast.Return):
            raise Stop("return", self.value(node.value, scope) if node.value else None)
        elif isinstance(node, ast.If):
            self._if(node, scope, prefix)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._for(node, scope, prefix)
        elif isinstance(node, ast.While):
            self.guarded(node.body, scope, prefix)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                value = self.value(item.context_expr, scope)
                if item.optional_vars is not None:
                    self.assign(item.optional_vars, value, scope)
            self.block(node.body, scope, prefix)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                self.guarded(case.body, scope, prefix)
        elif isinstance(node, TRIES):
            for body in (node.body, *(handler.body for handler in node.handlers), node.orelse):
                self.guarded(body, scope, prefix)
            self.block(node.finalbody, scope, prefix)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node, scope)
        elif isinstance(node, (ast.Nonlocal, ast.Global)):
            scope.nonlocal_names.update(node.names)
        elif isinstance(node, ast.Raise):
            raise Stop("raise")
        elif isinstance(node, (ast.Break, ast.Continue)):
            raise Stop("loop")

    def guarded(
        self, body: list[ast.stmt], scope: Scope, prefix: str, _outer: Scope | None = None
    ) -> Any:
        """Follow statements that may or may not run; a return among them ends only these.

        Args:
            body: the statements.
            scope: the variables that they see.
            prefix: as in `block`.

        Returns:
            The `Stop` that ended them, or None.
        """
        try:
            self.block(body, scope, prefix)
        except Stop as stop:
            return stop
        return None

    def _if(self, node: ast.If, scope: Scope, prefix: str) -> None:
        test = self.value(node.test, scope)
        truth = self.truth(test)
        if truth is not None:
            self.block(node.body if truth else node.orelse, scope, prefix)
            return
        first = self.guarded(node.body, scope, prefix)
        second = self.guarded(node.orelse, scope, prefix)
        if first is not None and second is not None and first.kind == second.kind:
            raise first if first.value is not UNKNOWN else second
        # `if …: return wrapper`: what follows is followed as well, and the value kept in case nothing else returns.
        for stop in (first, second):
            if (
                stop is not None
                and stop.kind == "return"
                and isinstance(stop.value, (Function, Pending))
            ):
                scope.names.setdefault("<returned>", stop.value)

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope, prefix: str) -> None:
        items = self.value(node.iter, scope)
        if isinstance(items, dict):
            items = list(items)
        if not isinstance(items, (list, tuple)) or len(items) > MAX_SEQUENCE:
            items = [UNKNOWN]
        for item in items:
            self.assign(node.target, item, scope)
            stop = self.guarded(node.body, scope, prefix)
            if stop is not None and stop.kind == "return":
                raise stop
            if self.steps > MAX_STEPS:
                return
        self.block(node.orelse, scope, prefix)

    def _augment(self, node: ast.AugAssign, scope: Scope) -> None:
        value = self.value(node.value, scope)
        old = self.value(node.target, scope) if isinstance(node.target, ast.Name) else UNKNOWN
        self.assign(node.target, binary(node.op, old, value), scope)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    scope.assign(alias.asname, _import_path(alias.name))
                else:
                    top = alias.name.split(".")[0]
                    scope.assign(top, Ref(top))
            return
        base = node.module or ""
        if node.level:
            parts = self.package.split(".") if self.package else []
            parts = parts[: len(parts) - node.level + 1]
            base = ".".join((*parts, *([base] if base else [])))
        for alias in node.names:
            scope.assign(alias.asname or alias.name, _import_path(f"{base}.{alias.name}"))

    def define(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, prefix: str
    ) -> None:
        """Bind a function and apply its decorators, the lowest first.

        Args:
            node: its statement.
            scope: where its name is bound, and around the variables that it sees.
            prefix: as in `block`.
        """
        function = Function(node, prefix + node.name, scope, line=node.lineno)
        self.defined.append(function)
        value: Any = function
        for decorator in reversed(node.decorator_list):
            callee = self.value(decorator, scope)
            result = self.apply(callee, (value,), {}, decorator.lineno)
            # A decorator nobody knows (out_wrapper, wraps) is taken to return its function, wrapped.
            value = value if result is UNKNOWN or result is None else result
        scope.assign(node.name, value)

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Bind the names of a target; an element of a dictionary and `f.__name__` are set as well.

        Args:
            target: a name, a tuple of targets, a subscript or an attribute.
            value: that it is given; the names of a tuple are UNKNOWN unless it has as many parts.
            scope: where names are bound.
        """
        if isinstance(target, ast.Name):
            scope.assign(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            known = isinstance(value, (list, tuple)) and len(value) == len(target.elts)
            for position, item in enumerate(target.elts):
                self.assign(item, value[position] if known else UNKNOWN, scope)
        elif isinstance(target, ast.Attribute):
            # `f.__name__ = …` renames; other attributes are not kept.
            owner = self.value(target.value, scope)
            renamed = target.attr == "__name__" and isinstance(target.value, ast.Name)
            if renamed and isinstance(owner, Function) and isinstance(value, str):
                self.assign(target.value, replace(owner, shown=value), scope)
        elif isinstance(target, ast.Subscript):
            owner = self.value(target.value, scope)
            key = self.value(target.slice, scope)
            if isinstance(owner, dict) and isinstance(key, (str, int, Ref)):
                owner[key] = value


def _import_path(path: str) -> Ref | str:
    head, _, last = path.rpartition(".")
    return Ref(head).attribute(last) if head else Ref(path)
