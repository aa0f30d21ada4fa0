"""What functions give that say nothing of it and give one thing alone: `def graph(self): return self._graph`.

Getters are written so: the properties of ExportedProgram (torch/export/exported_program.py), of Inductor's nodes
(torch/_inductor/ir.py) and of distributions; until PyTorch 2.0 `_get_default_group` of
torch/distributed/distributed_c10d.py, which first asks whether there is one. Others make an object, of one class
wherever they end, or give the one that they are called on: `getStream` of torch/distributed/elastic/metrics/api.py
ends in `return MetricStream(group, handler)`, and `create_fetcher` of torch/utils/data/dataloader.py makes one of two.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from indexer.extract.python.brackets import ends_line
from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.lexical import INSIDE, Span, inner_spans
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonFunction

# The whole of a body, of whose docstring nothing but quotes is left.
_RETURN = re.compile(
    rf"""["'\s{INSIDE}]*\breturn ([^\W\d]\w*(?:\.\w+)*)(\([^()]*\))?\Z"""
)  # fmt: skip
# Behind others, what no statement before it can have changed the meaning of: something that a class or module holds.
_LAST = re.compile(r"return ([^\W\d]\w*(?:\.\w+)*)\Z")
_GLOBAL = re.compile(r"\n[ \t]+global [^\n]*")
_RETURNS = re.compile(r"\b(?:return|yield)\b")
_ENDS = re.compile(r"\b(return|yield)\b[ \t]*([^\n]*)")
# It begins with its words, and so is looked for fast.
_MADE = re.compile(r"return (?:(?:\w+\.)*(?:_*[A-Z]\w*|cls)\(|self\n|self\Z)")
_NAMED = re.compile(r"return \w+\n|return \w+\Z")
_DEFINED = re.compile(r"\s*(?:async )?def (\w+)")
_FEW = 4  # classes
_CALLEE = re.compile(r"([^\W\d][\w.]*)\(")


def returned(unit: PyUnit, functions: Sequence[FunctionNode], scope: Scope) -> dict[int, str]:
    """What the functions of a file give that have one `return`, of what an object, class or module holds.

    Those of methods that consist of it may as well be a call without brackets in it. Of functions with several all
    have to make an object of one class, or to give nothing.

    Args:
        unit: the file.
        functions: its functions.
        scope: what its names stand for.

    Returns:
        the target by the line of the `def`; those with an annotation say it themselves.
    """
    found = {}
    for function in functions:
        node = function.node
        span = unit.spans.get(node.lineno)
        if span is None or isinstance(node, ast.AsyncFunctionDef):
            continue
        if node.returns is not None:
            if _is_callable(node.returns) and (own := _inner(unit, function, span, scope)):
                found[node.lineno] = own
            continue
        match = _RETURN.match(unit.code, span.body, span.end) if function.scope else None
        if match is None or not (match[2] or "." in match[1]):
            target = (
                _held(unit, function, span, scope)
                or _made(unit, function, span, scope)
                or _inner(unit, function, span, scope)
            )
            if target:
                found[node.lineno] = target
            continue
        target = Locals(scope, function).target(match[1])
        if target:
            found[node.lineno] = f"{target}()" if match[2] else target
    return found


def with_overloads(functions: Sequence[PythonFunction]) -> list[PythonFunction]:
    """The functions of a file, those that say what they give by their overloads alone with what these say.

    `Module.to` (torch/nn/modules/module.py) is declared three times to give `Self`, and then written without.

    Args:
        functions: in their order.
    """
    said: dict[str, set[str]] = {}
    found = []
    for function in functions:
        if function.kind == "overload":
            said.setdefault(function.name, set()).add(function.returns)
        elif not function.returns and len(said.get(function.name, ())) == 1:
            function = function._replace(returns=next(iter(said[function.name])))
        found.append(function)
    return found


def _held(unit: PyUnit, function: FunctionNode, span: Span, scope: Scope) -> str:
    """Target of what an object, a class or a module holds, which is all that a function gives; or an empty string."""
    start = unit.code.rfind("return ", span.body, span.end)
    match = _LAST.match(unit.code, start, span.end) if start >= 0 else None
    if match is None or len(_RETURNS.findall(unit.code, span.body, span.end)) != 1:
        return ""
    head, dot, _ = match[1].partition(".")
    if head == "self" and dot and function.scope:
        return Locals(scope, function).target(match[1])
    if head not in scope.names:
        return ""
    said = _GLOBAL.sub("", unit.code[span.name_end : start])
    return "" if re.search(rf"\b{head}\b(?!\.)", said) else scope.target(match[1])


def _made(unit: PyUnit, function: FunctionNode, span: Span, scope: Scope) -> str:
    """Target of an object of the class, or of one of the few, that a function makes wherever it gives something."""
    code = unit.code
    if _MADE.search(code, span.body, span.end) is None:
        return ""
    inner = list(inner_spans(code, span))
    given = set()
    for match in _ENDS.finditer(code, span.body, span.end):
        if any(start <= match.start() < end for start, end in inner):
            continue
        written = match[2].rstrip()
        if match[1] == "yield":
            return ""  # a generator
        if written in ("", "None"):
            continue
        callee = _CALLEE.match(code, match.start(2), span.end)
        if callee is not None and ends_line(code, callee.end() - 1, span.end):
            given.add(callee[1])
        else:
            given.add(written if written == "self" else "")
    if not 0 < len(given) <= _FEW or ("self" in given and len(given) > 1):
        return ""  # `as_fixed` of torch/_inductor/ir.py asks whether it is one already: no other is given
    names = Locals(scope, function)
    made = [_object(code, each, span, function, names) for each in sorted(given)]
    return "" if "" in made else made[0] if len(made) == 1 else f"union({'|'.join(made)})"


def _is_callable(annotation: ast.expr) -> bool:
    """Whether an annotation says no more than that it is something to call: `Callable[[], Tensor]`."""
    named = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return dotted(named).rpartition(".")[2] == "Callable"


def _inner(unit: PyUnit, function: FunctionNode, span: Span, scope: Scope) -> str:
    """Target of a function itself that gives one of the functions within it alone, of which its own body tells.

    `_pair = _ntuple(2, "_pair")` (torch/nn/modules/utils.py) is the `parse` of `_ntuple`, of which no row stands apart.
    """
    code = unit.code
    match = _NAMED.search(code, span.body, span.end)
    if match is None:
        return ""
    inner = list(inner_spans(code, span))
    named = {
        defined[1] for start, _ in inner if (defined := _DEFINED.match(code, start)) is not None
    }
    for match in _ENDS.finditer(code, span.body, span.end):
        if any(start <= match.start() < end for start, end in inner):
            continue
        if match[1] == "yield" or match[2].rstrip() not in named:
            return ""
    return f"{scope.module}.{function.name}" if named else ""


def _object(code: str, name: str, span: Span, function: FunctionNode, names: Locals) -> str:
    """Target of an object of the class that a name stands for in a function, or of the function's own object."""
    if name == "self":
        return names.target(name) if function.scope else ""
    last = name.rpartition(".")[2].lstrip("_")
    if not (last[:1].isupper() or (name == "cls" and function.scope)):
        return ""
    head = name.partition(".")[0]
    bound = rf"\b(?:class|import|as|for) {head}\b|\n[ \t]+{head} = "
    target = "" if re.search(bound, code[span.body : span.end]) else names.target(name)
    return f"{target}()" if target and "(" not in target else ""
