"""Public docstrings say what every argument is, and what is raised."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
_PLACES = [
    path
    for package in ("indexer", "torchtalk", "benchmarks")
    for path in sorted((ROOT / package).rglob("*.py"))
]
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _public(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, _Function]]:
    """The functions and methods that others may call, each with its name."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public(node.body, f"{node.name}.")
        elif isinstance(node, _Function) and not node.name.startswith("_"):
            yield f"{owner}{node.name}", node


def _arguments(node: _Function) -> list[str]:
    arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
    names = [argument.arg for argument in arguments]
    # `_` is taken for the sake of who calls.
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def _raised(node: _Function) -> set[str]:
    """The exceptions that the function's own body makes."""
    made: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Raise) and isinstance(inner.exc, ast.Call):
            made.add(ast.unparse(inner.exc.func).rpartition(".")[2])
    # Functions that make one have names of their own.
    return {name for name in made if name[0].isupper()}


def _missing(source: str) -> list[str]:
    found: list[str] = []
    for name, node in _public(ast.parse(source).body):
        said = ast.get_docstring(node) or ""
        # A section may name what several have in common.
        raised = [] if "Raises:" in said else sorted(_raised(node))
        wanted = [*_arguments(node), *raised]
        lacks = [each for each in wanted if not re.search(rf"\b{re.escape(each)}\b", said)]
        found += [f"{name}: {each}" for each in lacks]
    return found


def test_what_is_not_said_is_found() -> None:
    source = (
        'def f(a, b):\n    """Of `a`."""\n    raise ValueError(1)\n'
        'class C:\n    def g(self, _, text):\n        """Of texts."""\n'
        "    def _h(self, x): ...\n"
    )
    assert _missing(source) == ["f: b", "f: ValueError", "C.g: text"]


@pytest.mark.slow
@pytest.mark.parametrize("package", ["indexer", "torchtalk", "benchmarks"])
def test_every_argument_and_error_is_said(package: str) -> None:
    lacks = {
        str(path.relative_to(ROOT)): missing
        for path in _PLACES
        if path.is_relative_to(ROOT / package)
        and (missing := _missing(path.read_text(encoding="utf-8")))
    }
    assert lacks == {}
