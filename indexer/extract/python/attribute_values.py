"""What an object holds that no plain `self.x = f(…)` says: what it declares, registers, copies and is given by default.

`self.num_batches_tracked: Optional[Tensor]` and `self.register_buffer("running_mean", …)` stand in
torch/nn/modules/batchnorm.py; what is registered is a Tensor or None (torch/nn/modules/module.py).
`self.layers = _get_clones(encoder_layer, num_layers)` stands in torch/nn/modules/transformer.py, and
`self._params = self.param_groups[0]["params"]` in torch/optim/lbfgs.py.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator

from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import dotted
from indexer.extract.python.unit import PyUnit, Unparsable, parse
from indexer.extract.python.value_texts import TENSOR

_DECLARED = re.compile(r"\n[ \t]+self\.(\w+): ([^=\n]+)(?=\n| = )")
_REGISTERED = re.compile(r"\n[ \t]+self\.register_(?:buffer|parameter)\(\s*[\"'](\w+)[\"']\s*,")
_PARAMS = re.compile(r"\n[ \t]+self\.(\w+) = self\.param_groups\[\w+\]\[[\"']params[\"']\](?=\n)")
_CLONES = re.compile(r"return (?:[\w.]+\()?\[(?:copy\.)?deepcopy\((\w+)\) for ")
_RETURNED = re.compile(r"\n[ \t]+return\b[ \t]*([^\n]*)")
_NAME = re.compile(r"[a-zA-Z][\w.]*\Z")
FIRST_ARGUMENT = re.compile(r"\(\s*([\w.]+)\s*[,)]")


class Held:
    """The attributes that the functions of one file declare or register, and what makes copies.

    Args:
        unit: the file.
        definitions: its functions.
    """

    def __init__(self, unit: PyUnit, definitions: Definitions) -> None:
        self._unit = unit
        found = [
            (m.end(1), m[1], unit.text[m.start(2) : m.end(2)], "")
            for m in _DECLARED.finditer(unit.code)
        ]
        if "self.register_" in unit.code:
            found += [(m.end(1), m[1], "", TENSOR) for m in _REGISTERED.finditer(unit.text)]
        if "self.param_groups[" in unit.code:
            tensors = f"list({TENSOR})"
            found += [(m.end(1), m[1], "", tensors) for m in _PARAMS.finditer(unit.text)]
        self._found = sorted(found)
        self._at = [at for at, *_ in self._found]
        self._functions = {
            found.name: found.node.lineno for found in definitions.functions if not found.scope
        }
        self._chosen: dict[str, list[str]] = {}
        self._cloning = frozenset(_cloning(unit, definitions)) if "deepcopy(" in unit.code else ()

    def within(self, span: Span, names: Locals) -> Iterator[tuple[str, str, int, bool]]:
        """Each attribute that a function declares or registers, in the order of the text.

        Args:
            span: of the function.
            names: what the names inside it stand for.

        Yields:
            name, target, 1-based line, and whether it is declared where it is given a value: what that is says more.
            An attribute of which no target is known is left out.
        """
        first = bisect_left(self._at, span.body)
        for at, name, declared, known in self._found[
            first : bisect_left(self._at, span.end, first)
        ]:
            end = at + len(declared) + 2
            is_given = bool(declared) and self._unit.code.startswith(" = ", end)
            if is_given and declared.islower():
                continue  # no class: `self.count: int = 0`
            target = declared_type(declared, names) if declared else known
            if target:
                yield name, target, self._unit.line(at), is_given

    def chosen(self, function: str) -> list[str]:
        """What a function of the file returns, where that is nothing but what others are called."""
        if function not in self._functions:
            return []
        known = self._chosen.get(function)
        if known is None:
            span = self._unit.spans.get(self._functions[function])
            returned = _RETURNED.findall(self._unit.code, span.body, span.end) if span else []
            is_choice = len(returned) > 1 and all(map(_NAME.match, returned))
            known = self._chosen[function] = returned if is_choice else []
        return known

    def cloned(self, function: str, bracket: int, names: Locals) -> str:
        """Target of the list of copies that a call gives, or an empty string.

        Args:
            function: what is called, as it is written.
            bracket: where its arguments begin.
            names: of the function that calls.
        """
        if function not in self._cloning:
            return ""
        match = FIRST_ARGUMENT.match(self._unit.code, bracket)
        target = names.target(match[1]) if match else ""
        return f"list({target})" if target else ""


def _cloning(unit: PyUnit, definitions: Definitions) -> Iterator[str]:
    """Functions of a file that return copies of their first parameter."""
    for found in definitions.functions:
        span = unit.spans.get(found.node.lineno)
        arguments = found.node.args.args
        if found.scope or span is None or not arguments:
            continue
        match = _CLONES.search(unit.code, span.body, span.end)
        if match and match[1] == arguments[0].arg:
            yield found.name


def declared_type(text: str, names: Locals) -> str:
    """Target of an object of what an annotation says, by its text.

    Args:
        text: of the annotation.
        names: what the names where it stands stand for.
    """
    try:
        body = parse(text.strip()).body
    except Unparsable:
        return ""
    statement = body[0] if body else None
    return names.scope.annotation(statement.value) if isinstance(statement, ast.Expr) else ""


def default(found: FunctionNode, name: str, names: Locals) -> str:
    """Target of a parameter's default where that is named: `activation=F.relu`.

    Args:
        found: the function.
        name: of the parameter.
        names: what the names of the file stand for.
    """
    arguments = found.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    values = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    values |= {
        parameter: value
        for parameter, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if value is not None
    }
    for parameter, value in values.items():
        if parameter.arg == name:
            path = dotted(value)
            return names.scope.target(path) if path else ""
    return ""
