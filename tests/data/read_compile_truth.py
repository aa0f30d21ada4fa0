"""Read off an installed torch what torch.compile registers for each operator, and its options.

Usage: python tests/data/read_compile_truth.py > tests/data/compile-VERSION.tsv

Run it with an interpreter that has that torch; the test compares an index of the same version's
sources with it. Paths are relative to the folder that holds `torch`. Lines are those of `def`.
"""

# The environment has to be cleaned before torch is imported.
# ruff: noqa: E402

from __future__ import annotations

import functools
import importlib
import inspect
import os
import pkgutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

# What the environment of whoever runs this sets would change the defaults.
for _name in list(os.environ):
    if _name.startswith(("TORCH", "PYTORCH")):
        del os.environ[_name]

import torch
import torch._decomp
import torch._decomp.decompositions_for_jvp
import torch._decomp.decompositions_for_rng
import torch._dynamo
import torch._functorch.aot_autograd
import torch._inductor.compile_fx
import torch._inductor.decomposition
import torch._inductor.lowering
import torch._logging._internal
import torch._meta_registrations
import torch._refs
import torch._subclasses.fake_impls
import torch.distributed._functional_collectives
import torch.export

for _info in pkgutil.iter_modules(importlib.import_module("torch._higher_order_ops").__path__):
    importlib.import_module(f"torch._higher_order_ops.{_info.name}")

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(torch.__file__)))

Row = tuple[str, ...]


def operator_name(op: Any) -> str | None:
    """The name of an overload or of a higher-order operator; None for anything else.

    Overloads that only TorchScript has (`aten::add.float_int`) are none of the dispatcher's: a
    packet lists them, but no call ever reaches them.
    """
    if isinstance(op, torch._ops.OpOverload):
        return str(op.name()) if torch._C._dispatch_has_kernel(op.name()) else None
    if isinstance(op, torch._ops.HigherOrderOperator):
        return f"higher_order::{op.name() if callable(op.name) else op.name}"
    return None


def function_place(function: Any) -> Row:
    """Qualified name, file and line of `def` of what a function wraps in the end."""
    seen: set[int] = set()
    while id(function) not in seen:
        seen.add(id(function))
        if isinstance(function, functools.partial):
            function = function.func
        function = getattr(function, "__wrapped__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        module = getattr(function, "__module__", "?")
        return f"{module}.{getattr(function, '__qualname__', '?')}", "", ""
    path = os.path.relpath(code.co_filename, _ROOT)
    line = code.co_firstlineno
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError):
        lines, first = [], line
    for offset, text in enumerate(lines):
        if text.lstrip().startswith(("def ", "async def ")):
            line = first + offset
            break
    return f"{function.__module__}.{function.__qualname__}", path, str(line)


def table_rows(kind: str, table: dict[Any, Any]) -> Iterator[Row]:
    """Rows of a dictionary from operators to functions."""
    for op, function in list(table.items()):
        name = operator_name(op)
        if name is not None:
            yield (kind, name, *function_place(function))


def compile_rows() -> Iterator[Row]:
    """Decompositions, fake implementations, lowerings."""
    for table, functions in torch._decomp.global_decomposition_table.items():
        yield from table_rows(f"decomposition:{table}", functions)
    yield from table_rows("core_aten", dict(torch._decomp.core_aten_decompositions().items()))
    post = torch._decomp._core_aten_decompositions_post_autograd()
    yield from table_rows("core_aten_post_autograd", post)
    inductor = torch._inductor.decomposition
    yield from table_rows("inductor", dict(inductor.decompositions.items()))
    yield from table_rows("random", torch._decomp.decompositions_for_rng.extra_random_decomps)
    yield from table_rows(
        "jvp", vars(torch._decomp.decompositions_for_jvp).get("decomposition_table_for_jvp", {})
    )
    fake = torch._subclasses.fake_impls
    yield from table_rows("fake", fake.op_implementations_dict)
    lowering = torch._inductor.lowering
    yield from table_rows("lowering", lowering.lowerings)
    for op in lowering.fallbacks:
        name = operator_name(op)
        if name is not None:
            yield "fallback", name
    for name in torch._ops._higher_order_ops:
        yield "hop", f"higher_order::{name}"


def log_rows() -> Iterator[Row]:
    """What TORCH_LOGS knows (torch/_logging/_internal.py, LogRegistry)."""
    registry = torch._logging._internal.log_registry
    for name in registry.log_alias_to_log_qnames:
        yield "log", name
    for name in registry.artifact_names:
        description = registry.artifact_descriptions.get(name, "")
        visible = "visible" if name in registry.visible_artifacts else ""
        off = "off" if name in registry.off_by_default_artifact_names else ""
        yield "artifact", name, visible, off, " ".join(description.split())


def config_rows() -> Iterator[Row]:
    """Every option of every installed config module (torch/utils/_config_module.py)."""
    # 2.15 has an `ImplicationConfigModuleInstance` besides.
    kind: Callable[..., bool] = lambda m: type(m).__name__.endswith("ConfigModuleInstance")  # noqa: E731
    for info in pkgutil.walk_packages(torch.__path__, "torch.", onerror=lambda name: None):
        last = info.name.rpartition(".")[2]
        if "config" in last and ".testing." not in info.name:
            try:
                importlib.import_module(info.name)
            except (ImportError, AttributeError, RuntimeError):
                continue
    for module_name, module in sorted(sys.modules.items()):
        if module_name.startswith("torch.") and kind(module):
            for name, entry in module._config.items():
                yield "config", f"{module_name}.{name}", " ".join(repr(entry.default).split())[:200]


def main() -> None:
    """Print the rows, sorted."""
    rows = {
        tuple(str(c) for c in row)
        for make in (compile_rows, log_rows, config_rows)
        for row in make()
    }
    print(f"# torch {torch.__version__.partition('+')[0]}")
    for row in sorted(rows):
        print("\t".join(row).replace(_ROOT, "ROOT").replace(tempfile.gettempdir(), "TMP"))


if __name__ == "__main__":
    main()
