"""Statements that hold others, in every version of Python that reads them.

Doc/reference/compound_stmts.rst: `match` is there since Python 3.10, `except*` since 3.11.
"""

from __future__ import annotations

import ast
from itertools import chain

TRY_STAR: type[ast.Try] = getattr(ast, "TryStar", ast.Try)
"""What `ast` calls a `try` with `except*`; it has the fields of another."""
TRIES = (ast.Try, TRY_STAR)


def of_cases(node: ast.Match) -> list[ast.stmt]:
    """The statements of all cases of the `match` statement `node`, in their order."""
    return list(chain.from_iterable(case.body for case in node.cases))
