"""Print the names of functions, classes, methods and properties below `torch._C` of the installed torch.

Run with a Python that has the torch to be read; what is generated for autograd's nodes and for return types, and
what pybind11 and Python add to every class, is left out.
"""

from __future__ import annotations

import types

import torch  # type: ignore[import-not-found, unused-ignore]

KINDS = (
    "builtin_function_or_method", "instancemethod", "method_descriptor", "getset_descriptor", "property",
    "staticmethod", "member_descriptor",
)  # fmt: skip
GENERATED = ("torch._C._functions.", "torch._C._return_types.")
ADDED = frozenset(("__members__", "name", "value", "_pybind11_conduit_v1_"))


def walk(module: types.ModuleType, path: str, seen: set[int], found: set[str]) -> None:
    """Collect the names of a module and of those in it."""
    if id(module) in seen:
        return
    seen.add(id(module))
    for name in dir(module):
        value = getattr(module, name, None)
        full = f"{path}.{name}"
        if isinstance(value, types.ModuleType):
            if value.__name__.startswith("torch._C"):
                walk(value, full, seen, found)
        elif isinstance(value, type):
            found.add(full)
            for member, what in vars(value).items():
                special = member.startswith("__") and member.endswith("__")
                if type(what).__name__ in KINDS and not special and member not in ADDED:
                    found.add(f"{full}.{member}")
        elif type(value).__name__ in KINDS and not name.startswith("__"):
            found.add(full)


names: set[str] = set()
walk(torch._C, "torch._C", set(), names)
print("\n".join(sorted(name for name in names if not name.startswith(GENERATED))))
