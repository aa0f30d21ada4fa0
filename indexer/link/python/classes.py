"""Bases, categories and public names of classes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from indexer.extract.python.beside import PACKAGES
from indexer.link.python.resolver import Resolver
from indexer.link.python.tables import Entity, Tables

# Where each category begins, in this and in older versions of PyTorch; later ones win.
_ROOTS = {
    "nn": ("torch.nn.modules.module.Module",),
    "optim": ("torch.optim.optimizer.Optimizer",),
    "lr_scheduler": (
        "torch.optim.lr_scheduler.LRScheduler",
        "torch.optim.lr_scheduler._LRScheduler",
        "torch.optim.lr_scheduler.ReduceLROnPlateau",
    ),
}
# unittest's, or that of a package that derives from it: expecttest.TestCase.
_TEST_ROOT = "TestCase"


def link_classes(conn: sqlite3.Connection, resolver: Resolver) -> None:
    """Resolve the bases of every class and sort the classes into categories.

    Args:
        conn: the database, in a transaction.
        resolver: for what bases stand for.
    """
    rows: list[tuple[str, int | None, int, int]] = []
    for class_id, position, target, written in conn.execute(
        "SELECT class_id, position, target, written FROM python_bases ORDER BY class_id, position"
    ):
        base = resolver.base(class_id, target)
        if base.kind == "class":
            rows.append((resolver.tables.classes[base.id].name, base.id, class_id, position))
        else:
            rows.append((base.path or written, None, class_id, position))
    conn.executemany(
        "UPDATE python_bases SET name = ?, base_id = ? WHERE class_id = ? AND position = ?", rows
    )
    _report_unknown_bases(conn)
    _link_conforming(conn, resolver)
    categories: dict[int, str] = {}
    for class_id in resolver.tables.classes:
        foreign = (base for base in resolver.order(class_id) if isinstance(base, str))
        if any(base.rpartition(".")[2] == _TEST_ROOT for base in foreign):
            categories[class_id] = "test"
    for category, roots in _ROOTS.items():
        for class_id in _subclasses(resolver, roots):
            categories[class_id] = category
    conn.executemany(
        "UPDATE python_classes SET category = ? WHERE id = ?",
        ((category, class_id) for class_id, category in sorted(categories.items())),
    )


def _link_conforming(conn: sqlite3.Connection, resolver: Resolver) -> None:
    """Say which classes stand for others that they do not derive from."""
    pairs = set()
    for (targets,) in conn.execute(
        "SELECT target FROM python_bindings WHERE kind = 'conforms' ORDER BY id"
    ):
        own, base = map(resolver.resolve, targets.split("|"))
        if own and base and own.kind == base.kind == "class" and own.id != base.id:
            pairs.add((own.id, base.id))
    conn.executemany("INSERT INTO python_conforming VALUES (?, ?)", sorted(pairs))


def _report_unknown_bases(conn: sqlite3.Connection) -> None:
    """Say which bases are neither a class statement of the tree nor imported from elsewhere."""
    packages = ", ".join(f"'{package}'" for package in sorted(PACKAGES))
    conn.execute(
        "INSERT INTO coverage (layer, file, status, detail)"
        " SELECT 'python', f.path, 'partial',"
        "   'line ' || c.line || ': ' || b.written || ', a base of ' || c.name"
        "   || ', is made by no class statement of the tree'"
        " FROM python_bases AS b"
        " JOIN python_classes AS c ON c.id = b.class_id"
        " JOIN python_modules AS m ON m.id = c.module_id"
        " JOIN source_files AS f ON f.id = m.file_id"
        " WHERE b.base_id IS NULL AND (b.target = ''"
        f"   OR substr(b.name, 1, instr(b.name || '.', '.') - 1) IN ({packages})"
        # What a script imports may come from elsewhere, unless there is such a module.
        "   OR rtrim(rtrim(b.name, replace(b.name, '.', '')), '.') IN (SELECT name FROM python_modules))"
        " ORDER BY f.path, c.line, b.position"
    )


def public_names(resolver: Resolver) -> dict[str, Entity]:
    """Every public dotted name under `torch` and `functorch`, and what it stands for, as `resolver` finds it.

    A name is public if no part of it begins with an underscore, as torch/_utils and the test of
    the public bindings (test/test_public_bindings.py) understand it. Packages are entered by
    their own path; a module that is bound under another name is not.
    """
    found: dict[str, Entity] = {}
    tables = resolver.tables
    for name in sorted(tables.module_ids):
        parts = name.split(".")
        if parts[0] not in ("torch", "functorch") or any(p.startswith("_") for p in parts):
            continue
        module_id = tables.module_ids[name]
        for member in sorted(_members(resolver, module_id)):
            if member.startswith("_"):
                continue
            entity = resolver.member(module_id, member)
            if entity is not None and entity.kind in ("class", "function", "native", "choice"):
                found[f"{name}.{member}"] = entity
    return found


def _members(resolver: Resolver, module_id: int) -> set[str]:
    tables = resolver.tables
    names = _at_runtime(tables, module_id)
    pending = list(tables.stars.get(module_id, ()))
    seen = set()
    while pending:
        star = pending.pop()
        source = resolver.source_of(star.target)
        if source is None or source.kind != "module" or source.id in seen:
            continue
        seen.add(source.id)
        if tables.modules[source.id].has_all:
            names |= resolver.all_names(source.id)
        else:
            names |= _at_runtime(tables, source.id)
            pending += tables.stars.get(source.id, ())
    return names


def _at_runtime(tables: Tables, module_id: int) -> set[str]:
    """The names that a module binds for more than type checkers."""
    return {
        name
        for name, bindings in tables.names.get((module_id, ""), {}).items()
        if not all(binding.guarded for binding in bindings)
    }


def link_public_names(
    conn: sqlite3.Connection, resolver: Resolver, names: dict[str, Entity]
) -> None:
    """Give each class the public name that users import it by: the shortest, then the first.

    Names in the module that the class is defined in, or above it, come before others; and a class's
    own name before another, unless a package gives it in its `__all__`. Elsewhere only counts what is shown on
    purpose: a class that a module imports for its own use is no name of that module's, as
    test/test_public_bindings.py (check_one_element) has it.

    Args:
        conn: the database, in a transaction.
        resolver: for what modules show.
        names: as of `public_names`.
    """
    best: dict[int, tuple[tuple[bool, int, int, str], str]] = {}
    for name, entity in names.items():
        if entity.kind != "class":
            continue
        row = resolver.tables.classes[entity.id]
        local = resolver.tables.local_name(row)
        if "." in local:
            continue
        home = resolver.tables.modules[row.module_id].name
        owner, _, last = name.rpartition(".")
        near = home == owner or home.startswith(f"{owner}.")
        if not near and not _is_shown(resolver, owner, last):
            continue
        odd = last != local and not _is_listed_by_package(resolver, owner, last)
        rank = (odd or not near, name.count("."), len(name), name)
        if entity.id not in best or rank < best[entity.id][0]:
            best[entity.id] = (rank, name)
    conn.executemany(
        "UPDATE python_classes SET public_name = ? WHERE id = ?",
        ((name, class_id) for class_id, (_, name) in sorted(best.items())),
    )


def _is_shown(resolver: Resolver, owner: str, name: str) -> bool:
    """Whether a module shows what it imports: by its `__all__`, or as a package that has none."""
    module_id = resolver.tables.module_ids[owner]
    module = resolver.tables.modules[module_id]
    return name in resolver.all_names(module_id) if module.has_all else module.is_package


def _is_listed_by_package(resolver: Resolver, owner: str, name: str) -> bool:
    module_id = resolver.tables.module_ids[owner]
    module = resolver.tables.modules[module_id]
    return module.is_package and module.has_all and name in resolver.all_names(module_id)


def _subclasses(resolver: Resolver, roots: tuple[str, ...]) -> Iterator[int]:
    """Ids of the classes that derive from one of the named ones, themselves included."""
    wanted = set()
    for root in roots:
        found = resolver.resolve(root)
        if found is not None and found.kind == "class":
            wanted.add(found.id)
    for class_id in resolver.tables.classes:
        if not wanted.isdisjoint(resolver.order(class_id)):
            yield class_id
