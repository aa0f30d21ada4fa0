"""What torch.distributions computes with: parameters, samples, and distributions that others are made of.

torch/distributions/distribution.py: `arg_constraints` has those arguments of a distribution that are tensors, and
`log_prob`, `cdf` and `icdf` take a tensor; torch/distributions/transforms.py: `_call`, `_inverse` and
`log_abs_det_jacobian` do. torch/distributions/transformed_distribution.py keeps the distribution that it is given first
as its `base_dist`, for those that derive from it, too. torch/distributions/kl.py registers a function for two classes,
of which it takes an object each.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.extract.python.value_texts import TENSOR
from indexer.facts.python import PythonBinding

_FOLDER = "torch/distributions/"
_PARAMETERS = "arg_constraints"
_OF_SAMPLES = frozenset(("log_prob", "cdf", "icdf", "_call", "_inverse", "log_abs_det_jacobian"))
_REGISTER = "register_kl"
_BASE = "base_dist"
_KEEPS = re.compile(rf"\bself\.{_BASE} = ")
_HANDS = re.compile(r"\bsuper\((?:\w+, self)?\)\.__init__\(\s*(\w+),")  # so until 2.0
_DISTRIBUTION = "torch.distributions.distribution.Distribution()"


def is_of_distributions(path: str) -> bool:
    """Whether all values in the functions of the file at `path` are worth following: they are tensors, or numbers."""
    return path.startswith(_FOLDER)


def parameters(definitions: Definitions) -> Iterator[PythonBinding]:
    """The attributes of distributions that are tensors: the keys of each `arg_constraints` in `definitions`."""
    for found in definitions.assignments:
        if found.scope and found.name == _PARAMETERS and isinstance(found.value, ast.Dict):
            for key in found.value.keys:
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield PythonBinding(found.scope, key.value, "attribute", TENSOR, found.line)


def base_distributions(
    unit: PyUnit, definitions: Definitions, scope: Scope
) -> Iterator[PythonBinding]:
    """What each class of a file holds as its `base_dist`: what it hands on to be kept, or any distribution.

    Args:
        unit: the file.
        definitions: its functions.
        scope: its module-level names.

    Yields:
        an attribute for each `__init__` that tells, on the line of its `def`.
    """
    code = unit.code
    if _BASE not in code:
        return
    for found in definitions.functions:
        span = unit.spans.get(found.node.lineno)
        if found.node.name != "__init__" or not found.scope or span is None:
            continue
        held = _DISTRIBUTION if _KEEPS.search(code, span.body, span.end) else ""
        hands = _HANDS.search(code, span.body, span.end)
        if hands is not None and not held:
            made = re.compile(rf"\n[ \t]*{hands[1]} = ([A-Z]\w*)\(").search(
                code, span.body, span.end
            )
            path = scope.target(made[1]) if made is not None else ""
            held = f"{path}()" if path else ""
        if held:
            yield PythonBinding(found.scope, _BASE, "attribute", held, found.node.lineno)


def known_parameters(
    found: FunctionNode, scope: Scope, constrained: frozenset[str]
) -> dict[str, str]:
    """Targets of those parameters of a function of which its name or decorator tells what they are.

    Args:
        found: the function.
        scope: what the names of its file stand for.
        constrained: the attributes of its class that are tensors.
    """
    node = found.node
    unknown = [each.arg for each in node.args.args if each.annotation is None]
    if found.scope:
        if node.name == "__init__":
            return dict.fromkeys(constrained.intersection(unknown), TENSOR)
        return dict.fromkeys(unknown[1:], TENSOR) if node.name in _OF_SAMPLES else {}
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and dotted(decorator.func) == _REGISTER:
            classes = (scope.target(dotted(argument)) for argument in decorator.args)
            return {name: f"{path}()" for name, path in zip(unknown, classes, strict=False) if path}
    return {}
