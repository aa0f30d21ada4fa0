"""Read the Python side of an installed torch into a compressed file of facts.

    python read_python_truth.py OUTPUT.json.xz

Run it with the interpreter that has the torch to be read. What it writes is compared with the
index of the same version's sources by tests/real/test_python_truth.py.

Classes: every subclass of Module, Optimizer and LRScheduler that is bound to a name in some
importable module under `torch`, with what `inspect` says of it.

Operators: each entry of op_db is run on its samples. An operator is called *directly* by an API
if the dispatcher is entered for it while no other operator is running: the autograd profiler
records a call when the dispatcher is entered, whatever the operator is made of, and says when
it began and ended; so a CompositeImplicit operator counts and what it decomposes into does not.
Only the thread that runs the sample counts. What runs while arguments are prepared is excluded
by a record_function around the call itself, and what the variant's wrapper does (a lambda that
clones its input) by running the functions that torch's own namespaces hold.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import lzma
import pkgutil
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

_SKIPPED = ("torch.utils.benchmark.examples", "torch.distributed.elastic.rendezvous._etcd_stub")

# Whatever a module may do when it is imported without what it needs, newer syntax included.
_IMPORT_ERRORS = (
    ImportError, AttributeError, KeyError, OSError, RuntimeError, TypeError, ValueError,
    AssertionError, SystemExit, SyntaxError,
)  # fmt: skip


def import_everything() -> dict[str, str]:
    """Import all modules of torch; why those that cannot be imported cannot."""
    failed = {}
    pending = [("torch", list(torch.__path__))]
    while pending:
        package, path = pending.pop(0)
        for found in sorted(pkgutil.iter_modules(path), key=lambda entry: entry.name):
            name = f"{package}.{found.name}"
            if found.name == "__main__" or name.startswith(_SKIPPED):
                continue
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    module = importlib.import_module(name)
            except _IMPORT_ERRORS as error:
                failed[name] = f"{type(error).__name__}: {error}"[:200]
                continue
            if found.ispkg and hasattr(module, "__path__"):
                pending.append((name, list(module.__path__)))
    return failed


def _qualified(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _place(cls: type) -> tuple[str | None, int]:
    """File below the folder that torch is installed in, and line of the `class`."""
    root = Path(torch.__file__).parent.parent
    try:
        lines, line = inspect.getsourcelines(cls)
        file = inspect.getsourcefile(cls) or ""
    except (OSError, TypeError):
        return None, 0
    for at, text in enumerate(lines):
        if text.lstrip().startswith("class "):
            line += at
            break
    try:
        return Path(file).relative_to(root).as_posix(), line
    except ValueError:
        return None, 0


def _subclasses(owner: Any, roots: dict[str, type], found: dict[int, tuple[str, type]]) -> None:
    for value in list(vars(owner).values()):
        if not isinstance(value, type) or id(value) in found:
            continue
        for category, root in roots.items():
            if issubclass(value, root):
                found[id(value)] = (category, value)
        nested = isinstance(owner, type) and value.__qualname__.startswith(f"{owner.__qualname__}.")
        if nested or value.__module__ == owner.__name__:
            _subclasses(value, roots, found)


def read_classes() -> Iterator[dict[str, Any]]:
    """The classes, in the order of their names."""
    from torch.optim.lr_scheduler import _LRScheduler

    newer = getattr(torch.optim.lr_scheduler, "LRScheduler", _LRScheduler)
    roots = {"nn": torch.nn.Module, "optim": torch.optim.Optimizer, "lr_scheduler": newer}
    found: dict[int, tuple[str, type]] = {}
    for name, module in sorted(sys.modules.items()):
        if name.split(".")[0] == "torch" and type(module) is types.ModuleType:
            _subclasses(module, roots, found)
    for category, cls in sorted(found.values(), key=lambda entry: _qualified(entry[1])):
        file, line = _place(cls)
        yield {
            "name": _qualified(cls),
            "category": category,
            "file": file,
            "line": line,
            "bases": [_qualified(base) for base in cls.__bases__],
        }


def main() -> None:
    """Write the facts."""
    warnings.simplefilter("ignore")
    failed = import_everything()
    facts = {
        "torch": torch.__version__.partition("+")[0],
        "not_imported": failed,
        "modules": sorted(name for name in sys.modules if name.split(".")[0] == "torch"),
        "classes": list(read_classes()),
    }
    if "--classes-only" not in sys.argv:
        from read_python_operators import read_operators  # the same folder

        facts["operators"] = read_operators()
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    Path(sys.argv[1]).write_bytes(lzma.compress(text.encode(), preset=9))


if __name__ == "__main__":
    main()
