"""Read the higher-order operators of an installed torch: the truth that those of the index are compared with.

    python read_higher_order.py OUT.tsv.gz

Run it with the interpreter of the torch in question. One line a fact, tab-separated, sorted: the operator's name, a
key, file relative to the source tree, line. The key is `class` for the operator's class, else that of one of its
tables (torch/_ops.py, `OperatorBase`): a dispatch key, the name of a mode or of a class of tensors, or
`TransformType.X`; its file and line are those of the kernel's `def`. A kernel that `py_functionalize_impl` or
`py_autograd_impl` wraps is the one that is wrapped.
"""

from __future__ import annotations

import functools
import gzip
import importlib
import inspect
import itertools
import linecache
import pkgutil
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch._higher_order_ops

_ELSEWHERE = (
    "torch._dynamo._trace_wrapped_higher_order_op", "torch._export.wrappers", "torch._functorch.autograd_function",
    "torch._prims.rng_prims", "torch.nested._internal.ops", "torch.nn.attention.flex_attention",
)  # fmt: skip
_WRAPPERS = ("py_functionalize_impl", "py_autograd_impl")
_PACKAGE = torch.__file__[: -len("torch/__init__.py")]


def _code(function: Callable[..., Any]) -> tuple[str, int]:
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    if any(name in function.__qualname__ for name in _WRAPPERS):
        for cell in function.__closure__ or ():
            if inspect.isroutine(cell.cell_contents):
                return _code(cell.cell_contents)
    code = function.__code__
    lines = itertools.count(code.co_firstlineno)  # of its first decorator
    line = next(
        n for n in lines if linecache.getline(code.co_filename, n).lstrip().startswith("def ")
    )
    return code.co_filename.removeprefix(_PACKAGE), line


def rows() -> Iterator[tuple[str, str, str, int]]:
    """Every operator's class and kernels."""
    for module in pkgutil.iter_modules(torch._higher_order_ops.__path__):
        importlib.import_module(f"torch._higher_order_ops.{module.name}")
    for name in _ELSEWHERE:
        importlib.import_module(name)
    for name, operator in torch._ops._higher_order_ops.items():
        kind = type(operator)
        file = inspect.getsourcefile(kind) or ""
        yield name, "class", file.removeprefix(_PACKAGE), inspect.getsourcelines(kind)[1]
        for key, kernel in operator.py_kernels.items():
            yield name, key.name, *_code(kernel)
        for mode, kernel in operator.python_key_table.items():
            yield name, mode.__name__, *_code(kernel)
        for transform, kernel in operator.functorch_table.items():
            yield name, str(transform), *_code(kernel)


def main() -> None:
    """Write the table named on the command line."""
    text = f"# torch {torch.__version__}\n" + "".join(
        "\t".join(map(str, row)) + "\n" for row in sorted(rows())
    )
    with open(sys.argv[1], "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
        out.write(text.encode())


if __name__ == "__main__":
    main()
