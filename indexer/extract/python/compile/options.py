"""Options of config modules: what `install_config_module` makes of a file.

The rule is that of `torch/utils/_config_module.py`, `install_config_module`: every variable of the
module and of the classes in it, unless it is private to Python, a function, a module or a type. Before there was
such a function a config module was one of plain variables.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from indexer.extract.python.compile.comments import Comments
from indexer.extract.python.compound import TRIES, of_cases
from indexer.extract.python.unit import Unparsable, parse
from indexer.facts.compile import CompileOption

_INSTALLS = b"install_config_module("
_ENVIRONMENT = re.compile(
    r"(?:environ|env)\w*(?:\.\w+)?\s*[(\[]\s*['\"](\w+)['\"]|['\"](\w+)['\"] (?:not )?in os\.environ"
)
_TESTING = re.compile(r"(?:^|/)testing/")


# AOTAutograd's flags before torch.compile: `config.use_functionalize` (PyTorch 1.13's functorch/_src/aot_autograd.py).
_EARLY = re.compile(r"functorch/(?:.*/)?config\.py$")


@dataclass
class _Found:
    defaults: list[str] = field(default_factory=list)
    description: str = ""
    environment: dict[str, None] = field(default_factory=dict)
    line: int = 0


def options(path: str, data: bytes, module: str) -> Iterator[CompileOption]:
    """The options of a config module; nothing for other files.

    Args:
        path: relative to the tree, with `/`.
        data: the file's bytes.
        module: its dotted name.
    """
    is_early = _INSTALLS not in data
    if (is_early and not _EARLY.match(path)) or _TESTING.search(path):
        return
    # A lone carriage return ends a line for `ast` as well.
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = data.decode("utf-8", "replace")
    try:
        tree = parse(text)
    except Unparsable:
        return  # the reader of Python files says so
    if not (_has_flags_alone(tree.body) if is_early else _installs(tree.body)):
        return
    reader = _Reader(Comments(text), text)
    reader.block(tree.body, "")
    for name, found in reader.found.items():
        yield CompileOption(
            "config", f"{module}.{name}", " | ".join(dict.fromkeys(found.defaults)),
            found.description, ", ".join(found.environment), "", found.line,
        )  # fmt: skip


def _installs(body: list[ast.stmt]) -> bool:
    """Whether a module makes itself a config module."""
    return any(
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, (ast.Name, ast.Attribute))
        and ast.unparse(node.value.func).endswith("install_config_module")
        for node in body
    )


def _has_flags_alone(body: list[ast.stmt]) -> bool:
    """Whether a module is nothing but variables, beside its documentation and what it imports for their values."""
    others = [node for node in body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    if others and isinstance(others[0], ast.Expr) and isinstance(others[0].value, ast.Constant):
        others = others[1:]
    return bool(others) and all(isinstance(node, (ast.Assign, ast.AnnAssign)) for node in others)


class _Reader:
    def __init__(self, comments: Comments, text: str) -> None:
        self.comments = comments
        self._lines = text.encode().split(b"\n")  # columns of `ast` are bytes
        self.found: dict[str, _Found] = {}
        self._reads: dict[str, tuple[str, ...]] = {}  # functions and variables that read variables
        self._functions: set[str] = set()

    def block(self, body: list[ast.stmt], prefix: str) -> None:
        for position, node in enumerate(body):
            following = body[position + 1] if position + 1 < len(body) else None
            self._statement(node, following, prefix)

    def _statement(self, node: ast.stmt, following: ast.stmt | None, prefix: str) -> None:
        if isinstance(node, ast.ClassDef):
            if any(ast.unparse(base).endswith("Enum") for base in node.bases):
                return
            self.block(node.body, f"{prefix}{node.name}.")
            self._inherit(node, prefix)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._reads[node.name] = self._environment(node)
            self._functions.add(node.name)
        elif isinstance(node, ast.If):
            if "TYPE_CHECKING" not in ast.unparse(node.test):
                self.block(node.body, prefix)
            self.block(node.orelse, prefix)
        elif isinstance(node, ast.Match):
            self.block(of_cases(node), prefix)
        elif isinstance(node, TRIES):
            for block in (node.body, *(h.body for h in node.handlers), node.orelse, node.finalbody):
                self.block(block, prefix)
        elif isinstance(node, ast.With):
            self.block(node.body, prefix)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self._option(target.id, node, node.value, following, prefix)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            if isinstance(node.target, ast.Name):
                self._option(node.target.id, node, node.value, following, prefix)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.found.pop(prefix + target.id, None)

    def _inherit(self, node: ast.ClassDef, prefix: str) -> None:
        """`@inherit_fields_from(parent)`: what the class does not set itself is the parent's."""
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(
                "inherit_fields_from"
            ):
                parent = f"{prefix}{ast.unparse(decorator.args[0])}."
                for name, found in list(self.found.items()):
                    field_name = name.removeprefix(parent)
                    if (
                        name.startswith(parent)
                        and "." not in field_name
                        and not field_name.startswith("_")
                    ):
                        self.found.setdefault(f"{prefix}{node.name}.{field_name}", found)

    def _option(
        self, name: str, node: ast.stmt, value: ast.expr, following: ast.stmt | None, prefix: str
    ) -> None:
        reads = self._environment(value)
        self._reads[name] = reads
        is_function = isinstance(value, ast.Name) and value.id in self._functions
        if name.startswith("__") or is_function or not _may_be_option(value, node):
            return
        found = self.found.setdefault(prefix + name, _Found(line=node.lineno))
        found.defaults.append(" ".join(self._source(value).split()))
        found.environment.update(dict.fromkeys(reads))
        if not found.description:
            found.description = self.comments.beside(node.lineno, node.end_lineno or node.lineno)
        if not found.description and isinstance(following, ast.Expr):
            text = following.value.value if isinstance(following.value, ast.Constant) else ""
            found.description = " ".join(text.split()) if isinstance(text, str) else ""

    def _source(self, node: ast.expr) -> str:
        """The text of an expression; ast.get_source_segment splits the whole file each time."""
        lines = self._lines[node.lineno - 1 : node.end_lineno]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b" ".join(line.split(b" #")[0] for line in lines).decode("utf-8", "replace")

    def _environment(self, node: ast.AST) -> tuple[str, ...]:
        """Variables of the environment that an expression reads, or that what it uses reads."""
        found: dict[str, None] = {}
        for match in _ENVIRONMENT.finditer(ast.unparse(node)):
            found[match[1] or match[2]] = None
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                found.update(dict.fromkeys(self._reads.get(inner.id, ())))
            elif isinstance(inner, ast.keyword) and (inner.arg or "").startswith("env_name"):
                for text in ast.walk(inner.value):
                    if isinstance(text, ast.Constant) and isinstance(text.value, str):
                        found[text.value] = None
        return tuple(found)


_TYPES = re.compile(
    r"(?:typing\.)?(?:Callable|Literal|Union|Optional|TypeVar|NewType|TypeAlias)\b|logging\.|.*\bTypeVar\("
)


def _may_be_option(value: ast.expr, node: ast.stmt) -> bool:
    """Not an alias of a type, a logger or a function: they are passed over or cannot be there."""
    if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).endswith("TypeAlias"):
        return False
    return not isinstance(value, ast.Lambda) and _TYPES.match(ast.unparse(value)) is None
