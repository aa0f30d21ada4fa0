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
    call_builtin,
    call_method,
    leaves,
)
from indexer.extract.python.registrations_expressions import MAX_STEPS
from indexer.extract.python.registrations_statements import Statements, Stop
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
        """The value of a call.

        Args:
            callee: what is called, as a value of the file.
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the outermost call that is followed.

        Returns:
            UNKNOWN if it is none that matters.
        """

    def schema(self, operator: Ref) -> Any:
        """The schema of `operator`, if it was defined in this file; UNKNOWN for others."""


class Interpreter(Statements):
    """Follows one file.

    Args:
        module: the dotted name of the file's module.
        calls: told of every call that is not of the file's own functions.
        registers: whether lines (first, last) hold anything that could register.
    """

    def __init__(self, module: str, calls: Calls, registers: Callable[[int, int], bool]) -> None:
        super().__init__(module)
        self.calls = calls
        self.registers = registers
        self.globals = Scope()
        self.stack: list[int] = []
        self.site = 0
        """Line of the outermost call being followed; 0 outside of any."""
        self.within = ""
        """The function whose body is followed though nothing in the file calls it."""
        self.called: set[int] = set()
        self.alone: set[int] = set()
        """Functions without parameters that were followed though nothing had called them yet."""
        self.constructing: set[str] = set()
        """The classes of which an object is being made."""
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

    def schema(self, operator: Ref) -> Any:
        """The schema of `operator`, if it was defined in this file; UNKNOWN for others."""
        return self.calls.schema(operator)

    def apply(
        self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """Call a value: follow a function of the file, ask `calls` about others.

        Args:
            callee: what is called.
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the call.

        Returns:
            What it gives; UNKNOWN where nobody knows.
        """
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
        if path in self.constructing:
            return  # a class that is defined anew may be its own base by name
        self.constructing.add(path)
        scope, bases = self.classes[path]
        methods = {n: f for n, f in scope.names.items() if isinstance(f, Function)} | {**overridden}
        for base in bases:
            if isinstance(base, Ref) and base.path in self.classes:
                self.construct(base.path, made, methods, line)
            elif isinstance(base, Ref):
                self.calls.call(base, (Owned(made.path),), methods, line)
        init = scope.names.get("__init__")
        if isinstance(init, Function):
            self.invoke(init, (Owned(made.path, methods),), {}, line)
        self.constructing.discard(path)

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
        """Follow a function's body with its arguments bound.

        Args:
            function: one of the file's, or a helper of another.
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the call; 0 where nothing calls it.

        Returns:
            What it returns; UNKNOWN where nobody knows, it calls itself, or too much was followed already.
        """
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
        except Stop as stop:
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
