"""Which objects a file of Dynamo means by what it writes: dotted names, and lists and tables of such.

`@register(…)` of torch/_dynamo/variables/torch.py (`TorchInGraphFunctionVariable._get_handlers`) is given functions
as `torch.numel`, under a name that an `import` gives, or unpacked from a list, a set, the keys of a dictionary or what
a function returns of these (`*tracing_state_functions()`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

_DEEP = 8
_CACHED = ".__wrapped__"


class NamedObjects:
    """The objects that a file's names stand for, as far as imports and literals tell.

    Args:
        module: the file's dotted name.
        is_package: the file is that of a package, `__init__.py`.
        trees: what is read, a module or functions of it; what a later one gives to a name goes before.
        functions: those of the file by their names, with their bodies.
    """

    def __init__(
        self,
        module: str,
        is_package: bool,
        trees: Iterable[ast.AST],
        functions: dict[str, ast.FunctionDef],
    ) -> None:
        self._package = module if is_package else module.rpartition(".")[0]
        self._module = module
        self._functions = functions
        self._imported: dict[str, str] = {}
        self._values: dict[str, list[ast.expr]] = {}
        for tree in trees:
            for node in ast.walk(tree):
                self._take(node)

    def _take(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.asname:
                    self._imported[name.asname] = name.name
        elif isinstance(node, ast.ImportFrom):
            source = self._source(node)
            for name in node.names:
                self._imported[name.asname or name.name] = f"{source}.{name.name}"
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    self._values.setdefault(target.id, []).append(node.value)

    def _source(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self._package.split(".")
        parts = parts[: len(parts) - node.level + 1]
        return ".".join([*parts, *([node.module] if node.module else [])])

    def name(self, node: ast.expr | None) -> str:
        """The dotted name of an object.

        Args:
            node: as it is written; None stands for nothing.

        Returns:
            The name, that of what a cache wraps where the wrapped function is meant; "" where nothing tells.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        root = self._imported.get(node.id, "")
        if not root:
            if node.id in self._functions and not parts:
                root = f"{self._module}.{node.id}"
            elif not parts or node.id in self._values:
                return ""  # a variable
            else:
                root = node.id
        return ".".join((root, *reversed(parts))).removesuffix(_CACHED)

    def items(self, node: ast.expr, deep: int = 0) -> Iterator[str]:
        """The objects in a list, tuple, set, the keys of a dictionary, or in what a function of the file returns.

        Args:
            node: as it is written.
            deep: how many names and calls led to it.
        """
        if deep > _DEEP:
            return
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            given: list[ast.expr | None] = list(node.elts)
        elif isinstance(node, ast.Dict):
            given = [
                key if key is not None else ast.Starred(value)
                for key, value in zip(node.keys, node.values, strict=True)
            ]
        else:
            yield from self._behind(node, deep + 1)
            return
        for item in given:
            if isinstance(item, ast.Starred):
                yield from self.items(item.value, deep + 1)
            elif name := self.name(item):
                yield name

    def _behind(self, node: ast.expr, deep: int) -> Iterator[str]:
        if isinstance(node, ast.Name):
            for value in self._values.get(node.id, ()):
                # `x = dict.fromkeys(x)`: what x was before is among its values.
                if not any(isinstance(n, ast.Name) and n.id == node.id for n in ast.walk(value)):
                    yield from self.items(value, deep)
        elif isinstance(node, ast.BinOp):
            yield from self.items(node.left, deep)
            yield from self.items(node.right, deep)
        elif isinstance(node, ast.Call):
            made = self._functions.get(node.func.id) if isinstance(node.func, ast.Name) else None
            for inner in ast.walk(made) if made is not None else ():
                if isinstance(inner, ast.Return) and inner.value is not None:
                    yield from self.items(inner.value, deep)
            if made is None and node.args:  # set(…), dict.fromkeys(…), frozenset(…)
                yield from self.items(node.args[0], deep)
