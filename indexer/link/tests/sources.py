"""Which files have tests of others: those in torch.testing run only so, and many files import their neighbours'."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from indexer.extract.python.beside import outer


class _Modules:
    """Modules by the names that tests import them by.

    Args:
        conn: an index whose tests are linked.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self.files: dict[str, int] = {}
        self.names: dict[int, str] = {}
        for name, file_id in conn.execute(
            "SELECT name, file_id FROM python_modules WHERE name GLOB '*test*'"
            " ORDER BY is_package DESC, id DESC"
        ):
            self.files[name] = file_id
            self.names[file_id] = name
        # Outer classes count too: `DistributedTest._DistTestBase` comes with the outer one.
        self.classes: dict[str, int] = {}
        for name, file_id in conn.execute(
            "SELECT DISTINCT c.name, t.file_id FROM tests AS x"
            " JOIN test_classes AS t ON t.id = x.class_id JOIN python_classes AS c ON c.id = t.class_id"
        ):
            while name and name not in self.files:
                self.classes.setdefault(name, file_id)
                name = name.rpartition(".")[0]
        self.holding = set(self.classes.values())

    def found(self, module: str, importer: int) -> str:
        """A module in full: tests import what stands beside them, or in test/, without its folder."""
        beside = self.names.get(importer, "").rpartition(".")[0]
        for name in (f"{beside}.{module}", f"test.{module}", module, *outer(module)):
            if name in self.files:
                return name
        return ""


def link_sources(conn: sqlite3.Connection) -> None:
    """Fill `test_sources` of the database `conn`; the tests must be linked."""
    modules = _Modules(conn)
    found: dict[tuple[int, int], set[str] | None] = {}
    # Files of torch.testing that have no tests and hand on those of others, in lists and functions.
    handing: dict[int, set[int]] = {}
    lists = _lists(conn, modules)
    imports = list(_imports(conn, modules))
    for importer, module, name in imports:
        for source, class_name in _sources(modules, module, name):
            if source == importer:
                continue
            if importer not in modules.holding and modules.names[importer].startswith("torch."):
                handing.setdefault(importer, set()).add(source)
            names = found.setdefault((importer, source), set() if class_name else None)
            if names is not None and class_name:
                names.add(class_name)
            elif not class_name:
                found[importer, source] = None
    of_lists = {
        (importer, modules.files[module])
        for importer, module, name in imports
        if (modules.files[module], name) in lists
    }
    for importer, module, name in imports:
        handed = modules.files.get(module, 0)
        for source, class_name in lists.get((handed, name), ()):
            names = found.setdefault((importer, source), set())
            if names is not None:
                names.add(class_name)
        if (importer, handed) not in of_lists:
            for source in handing.get(handed, ()):
                found.setdefault((importer, source), None)
    by_file: dict[int, list[tuple[int, frozenset[str]]]] = {}
    for (importer, source), names in found.items():
        by_file.setdefault(importer, []).append((source, frozenset(names or ())))
    for importer, module, name in imports:
        # With all names of a module come the classes that it imports: test_jit_legacy.py has jit/test_tracer.py's.
        for source, classes in by_file.get(modules.files[module], ()) if name == "*" else ():
            if classes and source != importer:
                names = found.setdefault((importer, source), set())
                if names is not None:
                    names |= classes
    conn.executemany(
        "INSERT INTO test_sources (file_id, source_id, classes) VALUES (?, ?, ?)",
        (
            (importer, source, ", ".join(sorted(names)) if names else None)
            for (importer, source), names in sorted(found.items())
        ),
    )


def _lists(
    conn: sqlite3.Connection, modules: _Modules
) -> dict[tuple[int, str], list[tuple[int, str]]]:
    """By file and name of a list of classes with tests: the files of these, and their names."""
    lists: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for file_id, target in conn.execute(
        "SELECT file_id, target FROM test_imports WHERE target GLOB '*=*' ORDER BY file_id, line, target"
    ):
        name, _, of = target.partition("=")
        module, _, class_name = of.partition(":")
        if f"{module}.{class_name}" in modules.classes:
            source = modules.classes[f"{module}.{class_name}"]
            lists.setdefault((file_id, name), []).append((source, class_name))
    return lists


def _imports(conn: sqlite3.Connection, modules: _Modules) -> Iterator[tuple[int, str, str]]:
    """The file that imports, the module, and the name that is taken from it; `*` for all, nothing for the module."""
    for file_id, kind, target in conn.execute(
        "SELECT m.file_id, b.kind, b.target FROM python_modules AS m"
        " JOIN python_bindings AS b ON b.module_id = m.id"
        " WHERE m.name GLOB '*test*' AND b.scope = '' AND b.kind IN ('from', 'import', 'star')"
        " AND b.target GLOB '*test*'"
        " UNION ALL SELECT file_id, '', target FROM test_imports WHERE target NOT GLOB '*=*' ORDER BY 1, 3"
    ):
        origin, _, name = target.partition(":")
        module = modules.found(origin, file_id)
        if name:
            inner = modules.found(f"{origin}.{name}", file_id)
            module, name = (inner, "") if inner else (module, name)
        if module and file_id in modules.names:
            yield file_id, module, "*" if kind == "star" else name


def _sources(modules: _Modules, module: str, name: str) -> Iterator[tuple[int, str]]:
    """The file whose tests come with an import, and the class; the class is empty where all may be meant."""
    if name in ("", "*"):
        if modules.files[module] in modules.holding:
            yield modules.files[module], ""
    elif f"{module}.{name}" in modules.classes:
        yield modules.classes[f"{module}.{name}"], name
