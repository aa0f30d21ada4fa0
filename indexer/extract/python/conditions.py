"""What a condition says of names: that they are tensors, or that they are none.

`mask = kwargs.get("mask")` says nothing of what torch/masked/_ops.py calls a mask; `if mask.layout == torch.strided`
does: nothing but a tensor has a layout that is one of torch's.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator

from indexer.extract.python.scope import dotted

# `TensorLike = torch.Tensor` stands in torch/_prims_common/__init__.py.
_TENSORS = frozenset(("Tensor", "torch.Tensor", "TensorLike"))
# torch/csrc/utils/tensor_layouts.cpp
_LAYOUTS = frozenset(
    f"torch.{name}"
    for name in "strided sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc _mkldnn jagged".split()
)
_SCALARS = frozenset(("int", "float", "bool", "complex", "str", "Number", "numbers.Number"))


# Tensors are objects of `object`, and of what says no more than that something can be looped over or counted.
_BUILTINS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and value is not object
)
_SEQUENCES = frozenset(("list", "tuple", "Sequence", "MutableSequence", "List", "Tuple"))
_MAPPINGS = frozenset(("dict", "Mapping", "MutableMapping", "Dict", "OrderedDict", "defaultdict"))
_SAYING = _SEQUENCES | _MAPPINGS | {"Set", "MutableSet", "FrozenSet", "Generator", "Callable"}
_ABSTRACT = frozenset(("typing", "typing_extensions", "collections.abc", "abc"))
# torchvision, torch_xla and others derive classes from torch.Tensor.
_RELATED = "torch"


def tensors(test: ast.expr) -> Iterator[str]:
    """The names that are tensors where `test` holds: `isinstance(name, torch.Tensor)`, alone or in an `and`."""
    for part in _parts(test):
        name, kinds = _asked(part)
        if len(kinds) == 1 and kinds <= _TENSORS:
            yield name
        elif isinstance(part, ast.Compare):
            yield from _laid_out(part)


def classes(test: ast.expr) -> Iterator[tuple[str, list[str]]]:
    """The names whose class the condition `test` asks for, alone or in an `and`, and the classes, as they are written.

    The classes are sorted, numbers and texts left out, and so is the name where a tensor is among them. What is asked
    may be something of a name, too: `self.layout`, `x.get_layout()`.
    """
    for part in _parts(test):
        name, kinds = _asked(part, spelled)
        if kinds and not kinds & _TENSORS:
            yield name, sorted(kinds - _SCALARS)


def others(test: ast.expr) -> Iterator[str]:
    """The names that are no tensors where `test` holds: `isinstance(name, float)`, `not isinstance(name, Tensor)`."""
    for part in _parts(test):
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
            name, kinds = _asked(part.operand)
            if kinds and kinds & _TENSORS:
                yield name
        else:
            name, kinds = _asked(part)
            if kinds and kinds <= _SCALARS:
                yield name


def asked(test: ast.expr) -> list[str]:
    """The names whose class the condition `test` asks for, alone or in an `and`."""
    return [name for name, kinds in map(_asked, _parts(test)) if kinds]


def is_no_tensor(path: str) -> bool:
    """Whether a class that no package of the tree has is one of which no tensor is an object: `sympy.Basic`, `list`.

    Args:
        path: its dotted name in full; of what is built in the bare one.
    """
    module, _, name = path.rpartition(".")
    if not module:
        return name in _BUILTINS
    if module in _ABSTRACT:
        return name in _SAYING
    return not module.startswith(_RELATED)


def held_by(kinds: list[str], element: str) -> str:
    """What an object of one of some classes is that are no tensors, where its elements may be: `list(element)`.

    Args:
        kinds: the classes as they are written.
        element: target of an element.

    Returns:
        An empty string where none of them holds others.
    """
    names = {kind.rpartition(".")[2] for kind in kinds}
    if names & _SEQUENCES:
        return f"list({element})"
    return f"dict({element})" if names & _MAPPINGS else ""


def _laid_out(test: ast.Compare) -> Iterator[str]:
    """The name of `name.layout == torch.strided`, or of such a comparison with another layout."""
    asked = dotted(test.left)
    name, _, attribute = asked.partition(".")
    is_equal = isinstance(test.ops[0], ast.Eq) and dotted(test.comparators[0]) in _LAYOUTS
    if is_equal and attribute == "layout":
        yield name


def _parts(test: ast.expr) -> list[ast.expr]:
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def spelled(node: ast.expr | None) -> str:
    """What is asked for its class as it is written: a name, an attribute, what a method without arguments gives.

    Args:
        node: the expression.

    Returns:
        An empty string for anything else.
    """
    if isinstance(node, ast.Call):
        path = spelled(node.func) if isinstance(node.func, ast.Attribute) else ""
        return f"{path}()" if path and not node.args and not node.keywords else ""
    if isinstance(node, ast.Attribute):
        path = spelled(node.value)
        return f"{path}.{node.attr}" if path else ""
    return node.id if isinstance(node, ast.Name) else ""


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _asked(test: ast.expr, spelling: Callable[[ast.expr], str] = _name) -> tuple[str, set[str]]:
    """The name and classes of `isinstance(name, (int, float))`; nothing for other conditions."""
    if isinstance(test, ast.Call) and dotted(test.func) == "isinstance" and len(test.args) == 2:
        asked, kind = test.args
        kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
        if name := spelling(asked):
            return name, set(map(dotted, kinds))
    return "", set()
