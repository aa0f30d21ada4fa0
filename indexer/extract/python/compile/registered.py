"""What the files of torch.compile register for operators when they are imported."""

from __future__ import annotations

import ast
import bisect
import itertools
import re
from collections.abc import Iterator

from indexer.extract.python.compile.api import CompileApi, Fact
from indexer.extract.python.compile.bodies import Bodies
from indexer.extract.python.compile.interpreter import CompileInterpreter
from indexer.extract.python.registrations_expressions import MAX_STEPS
from indexer.extract.python.unit import Unparsable, parse
from indexer.facts.compile import NameEntry, NestedFunction
from indexer.facts.operators import Shortfall

LAYER = "compile"

# Which files to follow at all, and which lines of them register. Each begins with one of a few bytes, which lets the
# search skip everything else.
_WORTH_READING = re.compile(
    rb"r(?<!\wr)egister_(?:lowering\(|(?:fast_)?op_impl\(|decomposition,|decomposition\([^()\[\]\n]*,(?! *type)"
    rb"|(?:graph|lowering)_pattern\(|replacement\()"
    rb"|r(?<!\wr)emove_decompositions\(|g(?<!\wg)et_decompositions\(\s*\[|g(?<!\wg)en_register_replacement\("
    rb"|m(?<!\wm)ake_fallback\(|m(?<!\wm)etadata_fns = (?:\[|frozenset)|d(?<!\wd)efault_recomputable_ops\b"
    rb"|P(?<!\wP)RESERVED_ATEN_CIA_OPS = |=\s*_make_inplace\(|@_make_elementwise_\w+_reference\("
)
_REGISTERS = re.compile(
    r"lowering\(|fallback\w*\(|op_impl\(|_decompositions\(|_decomps?\(|_decomposition\b|pattern\w*\("
    r"|replacement\w*\(|_make_\w+\(|_ops\b|_inplace\(|register\w*\(|\.pop\("
)
_WORDS = (
    b"register_lowering(", b"make_fallback(", b"op_impl(", b"et_decompositions(", b"remove_decompositions(",
    b"register_decomposition", b"_pattern(", b"register_replacement(", b"default_recomputable_ops",
    b"_make_inplace(", b"_make_elementwise_", b"metadata_fns", b"PRESERVED_ATEN_CIA_OPS = ",
)  # fmt: skip
_NESTED = (b"register_decomposition", b"register_meta", b"def register_lowering(", b"register_fake")
_DEFINES = re.compile(r"^([ \t]*)(?:async )?(def|class) (\w+)", re.MULTILINE)
_DECLINES = re.compile(r"^[ \t]+return NotImplemented\b", re.MULTILINE)
_RECORDS = re.compile(rb"^\w+_data\b[^=\n]*= *(?:dict\(|\{)", re.MULTILINE)


def registered(
    path: str, data: bytes, module: str
) -> Iterator[Fact | NameEntry | NestedFunction | Shortfall]:
    """Follow a file, if it is one that registers.

    Args:
        path: relative to the tree, with `/`.
        data: the file's bytes.
        module: its dotted name.

    Yields:
        what it registers, in order; a `Shortfall` for what could not be read.
    """
    if any(word in data for word in _NESTED):
        yield from _nested(data.decode("utf-8", "replace"), module)
    follows = any(word in data for word in _WORDS) and _WORTH_READING.search(data) is not None
    if not follows and not (path.startswith("torch/_inductor/") and _RECORDS.search(data)):
        return
    try:
        tree = parse(data)
    except Unparsable as error:
        yield Shortfall(LAYER, "failed", f"no valid Python: {error}")
        return
    yield from _records(tree, module)
    if follows:
        yield from _followed(path, data.decode("utf-8", "replace"), module, tree)


def _followed(path: str, text: str, module: str, tree: ast.Module) -> Iterator[Fact | Shortfall]:
    api = CompileApi(module, Bodies(text))
    lines = [n for n, line in enumerate(text.split("\n"), 1) if _REGISTERS.search(line)]
    interpreter = CompileInterpreter(
        module,
        api,
        lambda first, last: bisect.bisect_left(lines, first) < bisect.bisect_right(lines, last),
    )
    api.within = lambda: interpreter.within
    api.globals = lambda: interpreter.globals.names
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    try:
        interpreter.run(tree, package)
    except RecursionError:
        yield Shortfall(LAYER, "partial", "nested too deeply to be followed")
    if interpreter.steps > MAX_STEPS:
        yield Shortfall(LAYER, "partial", f"given up after {MAX_STEPS} steps")
    yield from api.found
    for line, detail in api.unread:
        yield Shortfall(LAYER, "partial", f"line {line}: {detail}")


def _nested(text: str, module: str) -> Iterator[NestedFunction]:
    """Functions inside of functions, which are what helpers register, and those that may decline."""
    stack: list[tuple[int, str, bool]] = []
    definitions = list(_DEFINES.finditer(text))
    for match, following in itertools.zip_longest(definitions, definitions[1:]):
        end = following.start() if following is not None else len(text)
        declines = _DECLINES.search(text, match.end(), end) is not None
        indent = len(match[1])
        while stack and stack[-1][0] >= indent:
            stack.pop()
        is_class = match[2] == "class"
        if not is_class and (declines or (stack and not stack[-1][2])):
            names = [name + (".<locals>" if not owner else "") for _, name, owner in stack]
            line = text.count("\n", 0, match.start()) + 1
            yield NestedFunction(f"{module}.{'.'.join((*names, match[3]))}", declines, line)
        stack.append((indent, match[3], is_class))


def _records(tree: ast.Module, module: str) -> Iterator[NameEntry]:
    """Texts in dictionaries of records: `x_data = dict(a=Record(name="b"))`."""
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.AnnAssign):
            target = node.target
        if not isinstance(target, ast.Name) or not isinstance(node, (ast.Assign, ast.AnnAssign)):
            continue
        entries: list[tuple[str, ast.expr]] = []
        if isinstance(node.value, ast.Dict):
            entries = [
                (key.value, value)
                for key, value in zip(node.value.keys, node.value.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            ]
        elif isinstance(node.value, ast.Call):
            entries = [(word.arg, word.value) for word in node.value.keywords if word.arg]
        for key, value in entries:
            if isinstance(value, ast.Call):
                table = f"{module}.{target.id}"
                yield NameEntry(table, key, "", key, value.lineno)
                for word in value.keywords:
                    text = word.value
                    if word.arg and not (isinstance(text, ast.Constant) and text.value is None):
                        name = text.value if isinstance(text, ast.Constant) else ""
                        known = isinstance(name, str) and name.isidentifier()
                        yield NameEntry(
                            table, key, word.arg, str(name) if known else "", value.lineno
                        )
