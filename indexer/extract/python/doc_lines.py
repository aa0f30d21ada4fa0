"""The lines that documentation stands on: docstrings, and texts that become one when the module is loaded.

What changes there changes nothing that runs, so that it needs no test (torchtalk/affected/diff/quiet.py).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from indexer.extract.python import lexical
from indexer.extract.python.compound import TRIES, of_cases
from indexer.extract.python.scope import dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonFunction

Lines = tuple[int, int]


def doc_lines(unit: PyUnit, functions: Iterable[PythonFunction]) -> tuple[Lines, ...]:
    """First and last line of each text, in their order.

    Args:
        unit: the file.
        functions: of it, whose docstrings are read from the text.
    """
    found = set(_of_statements(unit, unit.module.body))
    for function in functions:
        span = unit.spans[function.line] if function.doc else None
        literal = span and lexical.doc_literal(unit.text, unit.code, span.body, span.end)
        if literal:
            found.add((unit.line(literal.start()), unit.line(literal.end() - 1)))
    return tuple(sorted(found))


def _of_statements(unit: PyUnit, body: Iterable[ast.stmt]) -> Iterator[Lines]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _of_statements(unit, node.body)
        elif isinstance(node, (ast.If, *TRIES)):
            yield from _of_statements(unit, (*node.body, *node.orelse))
        elif isinstance(node, ast.Match):
            yield from _of_statements(unit, of_cases(node))
        elif isinstance(node, ast.Expr):
            # Any text that is a statement of its own says something to readers alone.
            yield from (_of_text if _is_text(node.value) else _given)(unit, node.value)
        elif isinstance(node, ast.Assign):
            name = dotted(node.targets[0])
            is_doc = name.rpartition(".")[2] == "__doc__"
            yield from (_of_text if is_doc else _given)(unit, node.value)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _given(unit: PyUnit, node: ast.expr) -> Iterator[Lines]:
    """Of a call that gives something its docstring: `add_docstr(torch.abs, r"…")` (torch/_torch_docs.py), and
    `_add_docstr`, `add_docstr_all`, `add_storage_docstr`.
    """
    if isinstance(node, ast.Call) and "docstr" in dotted(node.func):
        for argument in node.args:
            yield from _of_text(unit, argument)


def _of_text(unit: PyUnit, node: ast.expr) -> Iterator[Lines]:
    """The literals of a text: `"a" + b`, `"a{}".format(b)`, `f"a{b}"`; what is put into them is code."""
    if _is_text(node):
        yield node.lineno, node.end_lineno or node.lineno
    elif isinstance(node, ast.JoinedStr):
        yield from _of_fields(unit, node.lineno, node.end_lineno or node.lineno)
    elif isinstance(node, ast.BinOp):
        yield from _of_text(unit, node.left)
        yield from _of_text(unit, node.right)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield from _of_text(unit, node.func.value)


def _of_fields(unit: PyUnit, first: int, last: int) -> Iterator[Lines]:
    """The lines of a text with fields that have none: where its parts stand, Python tells since 3.12 only."""
    begin = 0
    for line, text in enumerate(unit.text.split("\n")[first - 1 : last], first):
        if "{" in text or "}" in text:
            if begin:
                yield begin, line - 1
            begin = 0
        elif not begin:
            begin = line
    if begin:
        yield begin, last
