"""Stub files of `torch._C` and of `torch.return_types`: the names that an installed package has bound in C++.

An installed torch has no C++ sources, but the stubs that were generated with its bindings
(tools/pyi/gen_pyi.py).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from indexer.extract.python.scope import module_name
from indexer.extract.python.unit import Unparsable, parse
from indexer.facts.operators import Shortfall
from indexer.facts.python import NativeBinding

_TENSORS = (".TensorBase", "._TensorBase")
_RETURN_TYPES = "torch/return_types.pyi"


def wants(path: str) -> bool:
    """Whether `path`, relative to the tree, is that of a stub of what C++ binds."""
    return path == _RETURN_TYPES or (path.startswith("torch/_C/") and path.endswith(".pyi"))


def extract(path: str, data: bytes) -> Iterable[NativeBinding | Shortfall]:
    """The functions, classes and values of a stub, the methods and attributes of its classes, the tensor's properties.

    A function that gives no tensor names no operator. One that does may still call one, as `equal` does.

    Args:
        path: relative to the source tree.
        data: the file's bytes.
    """
    try:
        module = parse(data.decode("utf-8", "replace"))
    except Unparsable as error:
        yield Shortfall("python", "failed", str(error))
        return
    owner = module_name(path.removesuffix("i"))
    scopes: list[tuple[str, list[ast.stmt]]] = [(owner, module.body)]
    seen = set()
    for scope, body in scopes:
        for node in body:
            if isinstance(node, ast.ClassDef):
                scopes.append((f"{scope}.{node.name}", node.body))
                yield NativeBinding(scope, node.name, (), "class", node.lineno)
            elif isinstance(node, ast.FunctionDef) and (scope, node.name) not in seen:
                seen.add((scope, node.name))
                operators = (node.name,) if _gives_tensors(node) else ()
                yield NativeBinding(scope, node.name, operators, "stub", node.lineno)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                how = "property" if scope.endswith(_TENSORS) else "value"
                yield NativeBinding(scope, node.target.id, (), how, node.lineno)


def _gives_tensors(node: ast.FunctionDef) -> bool:
    """Whether a function may give tensors: it says so, or nothing."""
    return node.returns is None or "Tensor" in ast.unparse(node.returns)
