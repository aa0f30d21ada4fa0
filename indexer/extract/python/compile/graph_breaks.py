"""Where Dynamo breaks a graph, and what it says then: calls of `unimplemented` and its kin.

The functions are those of `torch/_dynamo/exc.py`. Newer versions give each a code in
`graph_break_registry.json` (torch/_dynamo/exc.py, `get_gbid_documentation_link`).
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from indexer.extract.python.compile.places import Functions
from indexer.extract.python.unit import PyUnit, Unparsable
from indexer.facts.compile import GraphBreak, GraphBreakCode
from indexer.facts.operators import Shortfall

_CALL = re.compile(
    r"(?:e(?<![\w.]e)xc\.unimplemented|u(?<![\w.]u)nimplemented)(?:_v2)?(?:_with_warning)?\("
)
_RAISE = re.compile(
    r"raise (?<![\w.]raise )(?:exc\.)?(?:Unsupported|UserError|SkipFrame|InternalTorchDynamoError)\("
)
_WORDS = (b"unimplemented", b"Unsupported(", b"UserError(", b"SkipFrame(", b"TorchDynamoError(")
_BRACKET = re.compile(r"[()\[\]{}]")
_MOST = 600
_HINTS = re.compile(r"\*?(?:\w+\.)*graph_break_hints\.([A-Z_]+)")


_LONGEST_CALL = 20_000
"""Characters: what is longer is no message, and every one is looked through."""


def graph_breaks(path: str, data: bytes) -> Iterator[GraphBreak]:
    """The graph breaks of a file of Dynamo, in order.

    Args:
        path: relative to the tree, with `/`.
        data: the file's bytes.
    """
    if not path.startswith("torch/_dynamo/") or not any(word in data for word in _WORDS):
        return
    unit = PyUnit(path, data)
    try:
        code = unit.code
    except Unparsable:
        return  # the reader of Python files says so
    functions = Functions(code)
    for pattern in (_CALL, _RAISE):
        for match in pattern.finditer(code):
            end = _end(code, match.end())
            call = _parsed(unit.text[match.start() : end].removeprefix("raise "))
            if call is None or code.startswith("def ", match.start() - 4):
                continue
            found = _message(call, pattern is _RAISE)
            if found is not None:
                within = functions.around(match.start())
                yield GraphBreak("", *found, within, unit.line(match.start()))


def _end(code: str, start: int) -> int:
    """Where a call's bracket closes; where it does not, no further than any call goes."""
    last = min(len(code), start + _LONGEST_CALL)
    depth = 1
    for match in _BRACKET.finditer(code, start, last):
        depth += 1 if match[0] in "([{" else -1
        if depth == 0:
            return match.end()
    return last


def _parsed(text: str) -> ast.Call | None:
    try:
        node = ast.parse(textwrap.dedent(text).strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return node if isinstance(node, ast.Call) else None


def _message(call: ast.Call, raised: bool) -> tuple[str, str, str, str] | None:
    values: dict[str | None, ast.expr] = {k.arg: k.value for k in call.keywords}
    if "gb_type" in values:
        hints = "\n".join(_hints(values.get("hints")))
        return (
            _text(values["gb_type"]),
            _text(values.get("context")),
            _text(values.get("explanation")),
            hints,
        )
    arguments = list(call.args)
    if raised and len(arguments) > 1:
        arguments = arguments[1:]  # UserError(kind, message)
    message = _text(arguments[0] if arguments else values.get("msg"))
    return (message, "", "", "") if message and message != "{msg}" else None


def _text(node: ast.expr | None) -> str:
    """A message with `{}` around what only a run tells, on one line."""
    if node is None:
        return ""
    text = " ".join(_pieces(node).split())
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def _pieces(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_pieces(value) for value in node.values)
    if isinstance(node, ast.FormattedValue):
        return "{" + ast.unparse(node.value) + "}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _pieces(node.left) + _pieces(node.right)
    return "{" + ast.unparse(node) + "}"


def _hints(node: ast.expr | None) -> Iterator[str]:
    for item in node.elts if isinstance(node, (ast.List, ast.Tuple)) else ():
        group = _HINTS.fullmatch(ast.unparse(item))
        # Groups of hints are named in torch/_dynamo/graph_break_hints.py.
        yield f"[{group[1]}]" if group is not None else _text(item)


def registry(path: str, data: bytes) -> Iterator[GraphBreakCode | Shortfall]:
    """The codes of `graph_break_registry.json`.

    Args:
        path: relative to the tree, with `/`.
        data: the file's bytes.
    """
    try:
        entries: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        yield Shortfall("compile", "failed", f"no valid JSON: {error}")
        return
    for code, versions in sorted(entries.items()) if isinstance(entries, dict) else ():
        for entry in versions if isinstance(versions, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("Gb_type"), str):
                yield GraphBreakCode(code, " ".join(entry["Gb_type"].split()))
