"""What TORCH_LOGS can be given: `register_log` and `register_artifact`.

The functions are those of `torch/_logging/_internal.py`; their use at module level counts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from indexer.extract.python.unit import Unparsable, parse
from indexer.facts.compile import ArtifactUse, CompileOption

_REGISTERS = re.compile(rb"^(?:\w+\.)*register_(?:log|artifact)\(", re.MULTILINE)
_USES = re.compile(rb"getArtifactLogger\(\s*__name__,\s*(['\"])(\w+)\1")


def logs(path: str, data: bytes) -> Iterator[CompileOption | ArtifactUse]:
    """Logs and artifacts that a file registers, and the artifacts that it writes to.

    Args:
        path: relative to the tree, with `/`.
        data: the file's bytes.
    """
    for match in _USES.finditer(data) if b"getArtifactLogger(" in data else ():
        yield ArtifactUse(match[2].decode(), data.count(b"\n", 0, match.start()) + 1)
    if b"register_artifact(" not in data or not _REGISTERS.search(data):
        return
    try:
        tree = parse(data)
    except Unparsable:
        return  # the reader of Python files says so
    constants: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            constants[node.targets[0].id] = node.value
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            name = ast.unparse(node.value.func).rpartition(".")[2]
            if name == "register_log":
                yield from _log(node.value, constants)
            elif name == "register_artifact":
                yield from _artifact(node.value)


def _log(call: ast.Call, constants: dict[str, ast.expr]) -> Iterator[CompileOption]:
    values = {k.arg: k.value for k in call.keywords}
    name = _text(call.args[0] if call.args else values.get("setting_name"))
    modules = call.args[1] if len(call.args) > 1 else values.get("log_qnames")
    if name:
        listed = ", ".join(dict.fromkeys(_texts(modules, constants)))
        yield CompileOption(
            "log", name, "", f"messages of {listed}", "TORCH_LOGS", listed, call.lineno
        )


def _artifact(call: ast.Call) -> Iterator[CompileOption]:
    values = {k.arg: k.value for k in call.keywords}
    for position, word in enumerate(("setting_name", "description", "visible", "off_by_default")):
        if position < len(call.args):
            values[word] = call.args[position]
    name = _text(values.get("setting_name"))
    if not name:
        return
    details = []
    if _is_true(values.get("visible")):
        details.append("visible")
    off = _is_true(values.get("off_by_default"))
    if off:
        details.append("off by default")
    # Off by default: a log above it does not switch it on; it has to be named (class LogRegistry).
    yield CompileOption(
        "artifact", name, "off" if off else "on with its log at DEBUG",
        " ".join(_text(values.get("description")).split()), "TORCH_LOGS", ", ".join(details),
        call.lineno,
    )  # fmt: skip


def _text(node: ast.expr | None) -> str:
    try:
        value = ast.literal_eval(node) if node is not None else ""
    except (ValueError, TypeError, RecursionError):
        return ""
    return value if isinstance(value, str) else ""


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _texts(node: ast.expr | None, constants: dict[str, ast.expr]) -> Iterator[str]:
    for inner in ast.walk(node) if node is not None else ():
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value
        elif isinstance(inner, ast.Name) and inner.id in constants:
            yield from _texts(constants[inner.id], {})
