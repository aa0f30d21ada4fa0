"""Runs a Python file as far as its text tells, to see what it registers.

Registrations in Python are calls, often in loops over lists, in helpers that are called once for each operator
(`torch/_prims/__init__.py`, `_make_prim`) or in decorators that the file defines itself (`torch/_refs`,
`torch/_meta_registrations.py`). So the file's statements are followed: constants, strings, lists, the file's own
functions with their closures. Everything else is UNKNOWN; where a condition is, both branches are followed.
Nothing of the file is executed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from indexer.extract.python.registrations_builtins import (
    MAX_SEQUENCE,
    call_builtin,
    call_method,
    leaves,
)
from indexer.extract.python.registrations_expressions import MAX_STEPS, Expressions, binary
from indexer.extract.python.registrations_values import (
    UNKNOWN,
    Bound,
    Function,
    Owned,
    Partial,
    Pending,
    Ref,
    Scope,
)

_MAX_DEPTH = 16


class Calls(Protocol):
    """What the interpreter asks about calls of things that are not the file's own."""

    def call(
        self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """The value of a call; UNKNOWN if it is none that matters."""

    def schema(self, operator: Ref) -> Any:
        """The schema of an operator that was defined in this file; UNKNOWN for others."""


class _Stop(Exception):
    """The statements that follow are not reached: return, break, continue, raise."""

    def __init__(self, kind: str, value: Any = None) -> None:
        self.kind = kind
        self.value = value


class Interpreter(Expressions):
    """Follows one file.

    Args:
        module: the dotted name of the file's module.
        calls: told of every call that is not of the file's own functions.
        registers: whether lines (first, last) hold anything that could register.
    """

    def __init__(self, module: str, calls: Calls, registers: Callable[[int, int], bool]) -> None:
        self.module = module
        self.calls = calls
        self.registers = registers
        self.globals = Scope()
        self.steps = 0
        self.stack: list[int] = []
        self.site = 0
        """Line of the outermost call being followed; 0 outside of any."""
        self.within = ""
        """The function whose body is followed though nothing in the file calls it."""
        self.defined: list[Function] = []
        self.called: set[int] = set()
        self.alone: set[int] = set()
        """Functions without parameters that were followed though nothing had called them yet."""
        self.classes: dict[str, tuple[Scope, list[Any]]] = {}
        """The file's classes by their dotted names: what their bodies define, and their bases."""
        self.repeats = False
        """Whether what is followed has been followed already, for itself: another function calls it as well."""

    def run(self, tree: ast.Module, package: str) -> None:
        """Follow the module, then the functions that nothing in it calls.

        Args:
            tree: the file.
            package: what relative imports start from.
        """
        self.package = package
        self.globals.names["__name__"] = self.module
        for statement in tree.body:
            self.guarded([statement], self.globals, "")
        for function in list(self.defined):
            node = function.node
            if id(node) not in self.called and self.registers(
                node.lineno, node.end_lineno or node.lineno
            ):
                self.within = function.name
                self.invoke(function, (), {}, 0)
                self.within = ""
                if not isinstance(node, ast.Lambda) and not _has_parameters(node.args):
                    self.alone.add(id(node))

    # Statements

    def block(self, body: list[ast.stmt], scope: Scope, prefix: str) -> None:
        """Follow statements; what comes behind a return or a raise is not reached."""
        for statement in body:
            self.steps += 1
            if self.steps > MAX_STEPS:
                return
            self.statement(statement, scope, prefix)

    def statement(self, node: ast.stmt, scope: Scope, prefix: str) -> None:
        """Follow one statement."""
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
            raise _Stop("return", self.value(node.value, scope) if node.value else None)
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
        elif isinstance(node, ast.Try):
            for body in (node.body, *(handler.body for handler in node.handlers), node.orelse):
                self.guarded(body, scope, prefix)
            self.block(node.finalbody, scope, prefix)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node, scope)
        elif isinstance(node, (ast.Nonlocal, ast.Global)):
            scope.nonlocal_names.update(node.names)
        elif isinstance(node, ast.Raise):
            raise _Stop("raise")
        elif isinstance(node, (ast.Break, ast.Continue)):
            raise _Stop("loop")

    def guarded(
        self, body: list[ast.stmt], scope: Scope, prefix: str, _outer: Scope | None = None
    ) -> Any:
        """Follow statements that may or may not run; a return among them ends only these."""
        try:
            self.block(body, scope, prefix)
        except _Stop as stop:
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
        """Bind a function and apply its decorators, the lowest first."""
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
        """Bind a name or the names of a tuple."""
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

    # Calls

    def schema(self, operator: Ref) -> Any:
        """See `Expressions.schema`."""
        return self.calls.schema(operator)

    def apply(
        self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """Call a value."""
        if isinstance(callee, Partial):
            return self.apply(
                callee.callee, callee.arguments + arguments, {**callee.keywords, **keywords}, line
            )
        if isinstance(callee, Function):
            return self.invoke(callee, arguments, keywords, line)
        if isinstance(callee, Pending) and callee.call == "wraps":
            return _wrapped(callee.arguments[0], arguments[0] if arguments else UNKNOWN)
        if isinstance(callee, Bound) and isinstance(callee.owner, (str, list, dict)):
            return call_method(callee, arguments, keywords)
        if isinstance(callee, Ref):
            known = self._known(callee.path, arguments, keywords, line)
            if known is not NotImplemented:
                return known
        if (
            callee is UNKNOWN
            and len(arguments) == 1
            and not keywords
            and isinstance(arguments[0], (Function, Ref))
        ):
            return arguments[0]  # a decorator nobody knows, as in `out_wrapper()(f)`
        made = self.calls.call(callee, arguments, keywords, self.site or line)
        if isinstance(callee, Ref) and isinstance(made, Ref) and callee.path in self.classes:
            self.construct(callee.path, made, {}, line)
        return made

    def construct(
        self, path: str, made: Ref, overridden: Mapping[str, Function], line: int
    ) -> None:
        """Follow what a class's `__init__`, or that of its bases, does with an operator that is an object of it.

        Args:
            path: the class, one of the file's.
            made: the operator.
            overridden: methods that a subclass of another file has.
            line: where it is made.
        """
        scope, bases = self.classes[path]
        methods = {n: f for n, f in scope.names.items() if isinstance(f, Function)} | {**overridden}
        for base in bases:
            if isinstance(base, Ref) and base.path in self.classes and base.path != path:
                self.construct(base.path, made, methods, line)
            elif isinstance(base, Ref):
                self.calls.call(base, (Owned(made.path),), methods, line)
        init = scope.names.get("__init__")
        if isinstance(init, Function):
            self.invoke(init, (Owned(made.path, methods),), {}, line)

    def _known(
        self, path: str, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        last = path.rsplit(".", 1)[-1]
        if path == "builtins.getattr" and len(arguments) > 1 and isinstance(arguments[1], str):
            return self.attribute(arguments[0], arguments[1])
        if path == "functools.wraps" and arguments:
            return Pending("wraps", (arguments[0],), {}, line)
        if last in ("tree_map_", "tree_map", "map") and len(arguments) == 2:
            for leaf in leaves(arguments[1]):
                self.apply(arguments[0], (leaf,), {}, line)
            return UNKNOWN
        return call_builtin(path, arguments, keywords)

    def invoke(
        self, function: Function, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """Follow a function's body with its arguments bound."""
        identity = id(function.node)
        self.called.add(identity)
        # A recursion ends by a condition that is seldom known.
        if len(self.stack) >= _MAX_DEPTH or identity in self.stack or self.steps > MAX_STEPS:
            return UNKNOWN
        scope = Scope(function.scope)
        self._bind(function, arguments, keywords, scope)
        outermost = self.site == 0 and line > 0
        if outermost:
            self.site = line
        self.stack.append(identity)
        repeats, self.repeats = self.repeats, self.repeats or identity in self.alone
        try:
            if isinstance(function.node, ast.Lambda):
                return self.value(function.node.body, scope)
            self.block(function.node.body, scope, f"{function.name}.<locals>.")
        except _Stop as stop:
            if stop.kind == "return" and stop.value is not UNKNOWN:
                return stop.value
        finally:
            self.stack.pop()
            self.repeats = repeats
            if outermost:
                self.site = 0
        return scope.names.get("<returned>", UNKNOWN)

    def _bind(
        self, function: Function, arguments: tuple[Any, ...], keywords: dict[str, Any], scope: Scope
    ) -> None:
        spec = function.node.args
        positional = [*spec.posonlyargs, *spec.args]
        unknown_call = self.within == function.name and not arguments and not keywords
        for position, parameter in enumerate(positional):
            if position < len(arguments):
                scope.names[parameter.arg] = arguments[position]
            elif parameter.arg in keywords:
                scope.names[parameter.arg] = keywords[parameter.arg]
            else:
                default = position - (len(positional) - len(spec.defaults))
                known = default >= 0 and not unknown_call
                scope.names[parameter.arg] = (
                    self.value(spec.defaults[default], function.scope) if known else UNKNOWN
                )
        for parameter, default_value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
            if parameter.arg in keywords:
                scope.names[parameter.arg] = keywords[parameter.arg]
            else:
                known = default_value is not None and not unknown_call
                scope.names[parameter.arg] = (
                    self.value(default_value, function.scope)
                    if known and default_value
                    else UNKNOWN
                )
        names = {p.arg for p in (*positional, *spec.kwonlyargs)}
        if spec.vararg is not None:
            scope.names[spec.vararg.arg] = (
                UNKNOWN if unknown_call else tuple(arguments[len(positional) :])
            )
        if spec.kwarg is not None:
            rest = {k: v for k, v in keywords.items() if k not in names}
            scope.names[spec.kwarg.arg] = UNKNOWN if unknown_call else rest


def _has_parameters(spec: ast.arguments) -> bool:
    return bool(spec.posonlyargs or spec.args or spec.kwonlyargs or spec.vararg or spec.kwarg)


def _wrapped(original: Any, function: Any) -> Any:
    """What `functools.wraps(original)(function)` returns: the function under the original's name."""
    if isinstance(original, Function) and isinstance(function, Function):
        name = original.shown or original.name.rsplit(".", 1)[-1]
        return replace(
            function, shown=name, module=original.module, line=original.line, path=original.path
        )
    if isinstance(original, Ref) and isinstance(function, Function):
        return replace(function, shown=original.path.rsplit(".", 1)[-1])
    return function


def _import_path(path: str) -> Ref | str:
    head, _, last = path.rpartition(".")
    return Ref(head).attribute(last) if head else Ref(path)
