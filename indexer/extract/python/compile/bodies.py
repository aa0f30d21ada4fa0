"""What the texts of a file's functions hold: the kernels that a lowering makes, the operators named."""

from __future__ import annotations

import ast
import functools
import re

_IDENTIFIER = re.compile(r"[A-Za-z_]\w+")

# Classes of torch/_inductor/ir.py and mkldnn_ir.py and helpers of torch/_inductor/lowering.py and
# select_algorithm.py, by what code they lead to; the first that fits counts.
_KINDS = (
    ("template", re.compile(r"autotune_select_algorithm|\w+_template|\w*KernelTemplate|TritonTemplate")),
    ("may fall back", re.compile(r"fallback_handler|FallbackKernel|fallback_\w+|(?!triton_)\w+_fallback")),
    ("extern", re.compile(
        r"\w*ExternKernel\w*|aten_\w+|_CollectiveKernel|Convolution\w*|Q(?:Conv|Linear)\w*"
        r"|Linear(?:Unary|Binary)\w*|(?:Mkldnn|MKL)[A-Z][a-z]\w*"
    )),
    ("pointwise", re.compile(r"Pointwise|make_pointwise|make_foreach_pointwise|pointwise_cat")),
    ("reduction", re.compile(r"\w*Reduction|make_reduction|reduce_\w+|var_mean_\w+")),
    ("scan", re.compile(r"Scan|_make_scan_inner")),
    ("sort", re.compile(r"Sort")),
    ("scatter", re.compile(r"Scatter|scatter_fallback")),
    ("view", re.compile(r"\w+View")),
    ("concat", re.compile(r"ConcatKernel")),
    ("subgraph", re.compile(r"Conditional|WhileLoop|InvokeSubgraph|\w*subgraph\w*")),
)  # fmt: skip
_MAX_PREDICATE = 300
_FREE = frozenset(("torch", "aten", "prims", "F", "quantized", "quantized_decomposed"))


@functools.cache
def _kind(identifier: str) -> str:
    for kind, pattern in _KINDS:
        if pattern.fullmatch(identifier):
            return kind
    return ""


class Bodies:
    """Looks at the text of functions.

    Args:
        text: the file.
    """

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._known: dict[int, str] = {}

    def kernels(self, node: ast.AST | None) -> str:
        """What a function makes, as far as the identifiers in its text name it.

        Args:
            node: its `def` or `lambda`, by whose 1-based lines it is found in the text; anything else makes nothing.

        Returns:
            Names of the stages above in their order, joined by `, `; an empty string where there are none.
        """
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return ""
        if node.lineno not in self._known:
            text = "\n".join(self._lines[node.lineno - 1 : node.end_lineno])
            found = {_kind(word) for word in set(_IDENTIFIER.findall(text))}
            self._known[node.lineno] = ", ".join(kind for kind, _ in _KINDS if kind in found)
        return self._known[node.lineno]


def on_one_line(node: ast.AST) -> str:
    """The source of `node`, an expression or function, on one line; behind 299 characters `…` stands for the rest."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _MAX_PREDICATE else text[: _MAX_PREDICATE - 1] + "…"


def mentioned(node: ast.AST) -> tuple[str, ...]:
    """Dotted names of torch's functions and methods that `node`, a function, calls, each once in the order of the walk.

    A method is `Tensor.name`, whatever it is called on; functions nested in it are part of it.
    """
    found: dict[str, None] = {}
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Call) or not isinstance(inner.func, (ast.Attribute, ast.Name)):
            continue
        parts: list[str] = []
        callee: ast.expr = inner.func
        while isinstance(callee, ast.Attribute):
            parts.append(callee.attr)
            callee = callee.value
        if isinstance(callee, ast.Name) and callee.id in _FREE:
            found.setdefault(".".join((callee.id, *reversed(parts))))
        elif parts:
            found.setdefault(f"Tensor.{parts[0]}")
    return tuple(found)
