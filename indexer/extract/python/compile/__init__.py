"""torch.compile: what Python files register for it, and its options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.python.compile.dynamo import dynamo
from indexer.extract.python.compile.environment import environment
from indexer.extract.python.compile.graph_breaks import graph_breaks
from indexer.extract.python.compile.logs import logs
from indexer.extract.python.compile.options import options
from indexer.extract.python.compile.registered import registered
from indexer.extract.python.higher_order import higher_order
from indexer.extract.python.scope import module_name
from indexer.facts.operators import Shortfall

_ROOTS = ("torch/", "functorch/")
_NOT_SHIPPED = ("torch/testing/",)


def extract(path: str, data: bytes) -> Iterator[NamedTuple | Shortfall]:
    """Everything of this layer that one Python file has.

    Args:
        path: relative to the tree, with `/`.
        data: the file's bytes.
    """
    if not path.startswith(_ROOTS) or not path.endswith(".py") or path.startswith(_NOT_SHIPPED):
        return
    module = module_name(path)
    yield from registered(path, data, module)
    yield from higher_order(data, module)
    yield from options(path, data, module)
    yield from logs(path, data)
    yield from environment(path, data)
    yield from dynamo(path, data, module)
    yield from graph_breaks(path, data)
