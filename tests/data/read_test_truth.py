"""Read the databases of an installed torch's tests into a compressed file of facts.

    python read_test_truth.py OUTPUT.json.xz

Run it with the interpreter that has the torch to be read. What it writes is compared with the
index of the same version's sources by tests/real/test_tests.py.

Every OpInfo, ModuleInfo and OptimizerInfo that is made while the modules below
torch.testing._internal are imported is written with the place of the call that made it: the
innermost frame that is not a constructor of the object itself. The lists that modules hold are
written as positions among them.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import json
import lzma
import pkgutil
import sys
import types
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

PACKAGE = "torch.testing._internal"
ROOT = Path(torch.__file__).parent.parent
# By module: the classes whose instances are wanted, and what ends their construction.
CLASSES = {
    f"{PACKAGE}.opinfo.core": ("OpInfo", "__post_init__"),
    f"{PACKAGE}.common_modules": ("ModuleInfo", "__init__"),
    f"{PACKAGE}.common_optimizers": ("OptimizerInfo", "__init__"),
}
MADE: list[tuple[Any, str, int]] = []


def _place(made: Any) -> tuple[str, int]:
    frame = sys._getframe(2)
    while frame.f_back is not None:
        constructor = frame.f_code.co_name in ("__init__", "__post_init__", "wrapped")
        if not constructor or (
            frame.f_locals.get("self") is not made and "made" not in frame.f_locals
        ):
            break
        frame = frame.f_back
    return Path(frame.f_code.co_filename).relative_to(ROOT).as_posix(), frame.f_lineno


def _wrap(cls: type, method: str) -> None:
    original: Callable[..., None] = getattr(cls, method)

    def wrapped(made: Any, /, *arguments: Any, **keywords: Any) -> None:
        MADE.append((made, *_place(made)))
        original(made, *arguments, **keywords)

    setattr(cls, method, wrapped)


class _Finder(importlib.abc.MetaPathFinder):
    """Wraps the constructors as soon as their modules have run."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in CLASSES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        assert spec is not None and spec.loader is not None
        run = spec.loader.exec_module

        def exec_module(module: types.ModuleType) -> None:
            if name.endswith("core"):
                run(module)
                _wrap(getattr(module, CLASSES[name][0]), CLASSES[name][1])
                return
            _run_wrapped(module, name, run)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _run_wrapped(
    module: types.ModuleType, name: str, run: Callable[[types.ModuleType], None]
) -> None:
    """The lists stand in the module of the class itself: wrap while the class is being made."""
    wanted, method = CLASSES[name]
    build = __builtins__.__build_class__  # type: ignore[attr-defined]

    def building(function: Any, class_name: str, *bases: Any, **keywords: Any) -> Any:
        cls = build(function, class_name, *bases, **keywords)
        if class_name == wanted and cls.__module__ == name:
            _wrap(cls, method)
        return cls

    __builtins__.__build_class__ = building  # type: ignore[attr-defined]
    try:
        run(module)
    finally:
        __builtins__.__build_class__ = build  # type: ignore[attr-defined]


def _import_all() -> dict[str, str]:
    failed = {}
    package = importlib.import_module(PACKAGE)
    for found in sorted(pkgutil.walk_packages(package.__path__, f"{PACKAGE}."), key=str):
        if ".distributed" in found.name or found.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(found.name)
        except Exception as error:  # noqa: BLE001 - whatever a module does at import
            failed[found.name] = f"{type(error).__name__}: {error}"[:200]
    return failed


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _fact(made: Any, file: str, line: int) -> dict[str, Any]:
    name = made.name
    return {
        "name": name,
        "variant": _text(getattr(made, "variant_test_name", "")),
        "aten_name": getattr(made, "aten_name", None),
        "aliases": [alias.name for alias in getattr(made, "aliases", ())],
        "class": type(made).__name__,
        "file": file,
        "line": line,
    }


def main() -> None:
    """Write the facts."""
    warnings.simplefilter("ignore")
    sys.meta_path.insert(0, _Finder())
    failed = _import_all()
    positions = {id(made): at for at, (made, _, _) in enumerate(MADE)}
    lists = {}
    for name, module in sorted(sys.modules.items()):
        if not name.startswith(f"{PACKAGE}."):
            continue
        for key, value in sorted(vars(module).items()):
            if not isinstance(value, (list, tuple)) or not value:
                continue
            found = [positions.get(id(entry)) for entry in value]
            if None not in found:
                lists[f"{name}.{key}"] = found
    facts = {
        "torch": torch.__version__.partition("+")[0],
        "not_imported": failed,
        "infos": [_fact(*made) for made in MADE],
        "lists": lists,
    }
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    Path(sys.argv[1]).write_bytes(lzma.compress(text.encode(), preset=9))
    print(len(MADE), {name: len(found) for name, found in lists.items()}, failed, file=sys.stderr)


if __name__ == "__main__":
    main()
