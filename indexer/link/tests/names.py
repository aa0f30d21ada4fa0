"""What names of the test machinery stand for: classes and module-level lists, through imports."""

from __future__ import annotations

import sqlite3

from indexer.extract.python.beside import outer

_DEPTH = 20


class Names:
    """Follows a dotted path through the imports of modules.

    The Python layer's resolver knows functions and classes; a list such as `op_db` is neither.

    Args:
        conn: an index whose Python layer is written.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._modules: dict[str, int] = {}
        for identity, name, is_package in conn.execute(
            "SELECT id, name, is_package FROM python_modules ORDER BY id"
        ):
            if is_package or name not in self._modules:
                self._modules[name] = identity
        self._known: dict[str, str] = {}
        # By module and name: what is bound last comes first.
        self._bindings: dict[tuple[int, str], list[tuple[str, str]]] = {}
        for module_id, name, kind, target in conn.execute(
            "SELECT b.module_id, b.name, b.kind, b.target FROM python_bindings AS b"
            " JOIN python_modules AS m ON m.id = b.module_id"
            " WHERE m.name GLOB '*test*' AND b.scope = ''"
            " AND b.kind IN ('from', 'import', 'star', 'alias')"
            " ORDER BY b.guarded, b.line DESC, b.id DESC"
        ):
            self._bindings.setdefault((module_id, name), []).append((kind, target))
        self._defined = {
            name
            for (name,) in conn.execute(
                "SELECT name FROM python_classes UNION SELECT list FROM opinfo_list_parts"
                " UNION SELECT m.name || '.' || o.list_name FROM opinfos AS o"
                " JOIN python_modules AS m ON m.file_id = o.file_id"
            )
        }

    def full(self, path: str) -> str:
        """Where a path leads: `module.name` of the module that defines the name, as far as known."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self._follow(path, _DEPTH)
        return known

    def _follow(self, path: str, depth: int) -> str:
        module, name, rest = self._split(path)
        if not name or not depth:
            return path
        target = self._binding(module, name)
        if target is None:
            return path
        return self._follow(f"{target}.{rest}" if rest else target, depth - 1)

    def _split(self, path: str) -> tuple[str, str, str]:
        """The longest module that the path begins with, the name in it, and what follows."""
        parts = path.split(".")
        for end in range(len(parts) - 1, 0, -1):
            module = self._module(".".join(parts[:end]))
            if module:
                return module, parts[end], ".".join(parts[end + 1 :])
        return "", "", ""

    def _module(self, name: str) -> str:
        """A module by its name, or what tests import by it; nothing where there is none."""
        if name in self._modules:
            return name
        others = (f"test.{name}", *outer(name))
        return next((other for other in others if other in self._modules), "")

    def _binding(self, module: str, name: str) -> str | None:
        if f"{module}.{name}" in self._defined:
            return None
        module_id = self._modules[module]
        for kind, target in self._bindings.get((module_id, name), ()):
            if kind == "from":
                return target.replace(":", ".")
            if target != f"{module}.{name}":
                return target
        for _, target in self._bindings.get((module_id, "*"), ()):
            source = self._module(target)
            if source and (
                f"{source}.{name}" in self._defined
                or (self._modules[source], name) in self._bindings
            ):
                return f"{source}.{name}"
        return None
