"""Whether a file runs its tests when it is run: what stands in its `if __name__ == "__main__"`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from indexer.extract.python.scope import dotted
from indexer.facts.tests import RunsTests

WORTH_READING = b"__main__"
# `run_tests` of torch/testing/_internal/common_utils.py and what files have around it; `unittest.main`.
_RUNNERS = ("run_tests", "unittest.main")


def read_mains(body: Iterable[ast.stmt]) -> Iterator[RunsTests]:
    """The block that runs a module's tests, if `body`, its statements, has one that does.

    Many have one that raises: "This test file is not meant to be run directly".
    """
    for node in body:
        if isinstance(node, ast.If) and _asks_for_main(node.test):
            for statement in node.body:
                if isinstance(statement, ast.Raise):
                    return
                if any(_runs(inner) for inner in ast.walk(statement)):
                    yield RunsTests(node.lineno)
                    return


def _asks_for_main(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test))


def _runs(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func).endswith(_RUNNERS)
