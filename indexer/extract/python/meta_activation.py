"""How the decompositions of a tree become Meta kernels: by `activate_meta`, or, before it, as they are registered."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from indexer.extract.python.registrations_builtins import leaves
from indexer.extract.python.registrations_record import operator_of
from indexer.extract.python.registrations_values import LibraryValue, Scope
from indexer.facts.registrations import MetaExclusion, MetaGuard, MetaLibrary

_ACTIVATE = "activate_meta"
_REGISTER = "register_decomposition"
_HAS_KERNEL = "_dispatch_has_computed_kernel_for_dispatch_key"


def excluded_by_call(operators: Iterable[Any]) -> Iterator[MetaExclusion]:
    """The operators whose decomposition is registered with `disable_meta=True` (torch/_decomp/__init__.py of 1.13).

    Args:
        operators: the values that such calls name: an operator, a packet, or lists of them.
    """
    for value in operators:
        for item in leaves(value):
            named = operator_of(item)
            if named is not None:
                yield MetaExclusion(*named)


def meta_activation(
    tree: ast.Module, path: str, libraries: Iterable[LibraryValue], known: Scope
) -> Iterator[MetaExclusion | MetaGuard | MetaLibrary]:
    """What the file in which decompositions become Meta kernels says of which do; nothing of another file.

    Since 2.0 that is `activate_meta` (torch/_meta_registrations.py), which replaces what C++ has but for the operators
    that it names. Before it, `register_decomposition` (torch/_decomp/__init__.py) registers those alone for which the
    dispatcher has no kernel for Meta yet.

    Args:
        tree: the file's.
        path: relative to the tree.
        libraries: that the file makes.
        known: its global names.
    """
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    activate, register = functions.get(_ACTIVATE), functions.get(_REGISTER)
    is_guarded = activate is None and register is not None and _asks_first(register)
    if activate is None and not is_guarded:
        return
    for library in libraries:
        if library.kind == "IMPL" and library.key == "Meta":
            yield MetaLibrary(library.namespace, path, library.line)
    if is_guarded:
        yield MetaGuard()
    elif activate is not None:
        yield from _left_out(activate, known)


def _asks_first(function: ast.FunctionDef) -> bool:
    """Whether it asks the dispatcher for a kernel of Meta, be it one of an alias, before it registers one."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == _HAS_KERNEL
        and any(isinstance(given, ast.Constant) and given.value == "Meta" for given in node.args)
        for node in ast.walk(function)
    )


def _left_out(activate: ast.FunctionDef, known: Scope) -> Iterator[MetaExclusion]:
    """The operators that `activate_meta` leaves out.

    It has a set of names in place, and from 2.15 a set of operators (`cpp_meta_supports_symint_ops`) beside it.
    """
    for inner in ast.walk(activate):
        if isinstance(inner, ast.Set):
            for item in inner.elts:
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield MetaExclusion(item.value)
        elif isinstance(inner, ast.Compare) and isinstance(inner.ops[0], ast.In):
            listed = inner.comparators[0]
            if isinstance(listed, ast.Name):
                for leaf in leaves(known.lookup(listed.id)):
                    named = operator_of(leaf)
                    if named is not None:
                        yield MetaExclusion(named[0])
