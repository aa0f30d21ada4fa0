"""What an edit left as it was, and what it did not: of the files themselves, and of what link steps made of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping

from indexer.facts.cpp import SOURCE_SUFFIXES
from indexer.link.cpp.holder_classes import holder_classes
from indexer.sql_lists import INSIDE, chosen
from indexer.update import calls, inputs
from indexer.update.changes import Changes
from indexer.write.cpp import FIELDS, SLOTS
from indexer.write.kept import base_of

_CPP = frozenset(("cpp", "cuda", "objc", "metal", "glsl"))

# Said of one file and seen from others.
_CLASSES = (
    "SELECT c.file_id, c.name, b.base FROM cpp_classes AS c LEFT JOIN cpp_bases AS b"
    f" ON b.class_id = c.id WHERE c.file_id {INSIDE} ORDER BY c.id, b.position"
)
_NAMED_BY_MACROS = "SELECT EXISTS (SELECT 1 FROM binding_owners WHERE parent GLOB 'py:*{*')"
_MACROS = (
    f"SELECT file_id, name, params, body FROM macro_definitions WHERE file_id {INSIDE} ORDER BY id"
)
_USINGS = (
    "SELECT f.path, u.keyword, u.text, u.scope FROM cpp_usings AS u"
    f" JOIN source_files AS f ON f.id = u.file_id WHERE u.file_id {INSIDE}"
    " ORDER BY u.file_id, u.rowid"
)
_KEPT = (
    "SELECT f.path, k.data FROM source_files AS f JOIN kept AS k ON k.id = {} + f.id"
    f" WHERE f.id {INSIDE} ORDER BY k.id"
)
_FIELDS, _SLOTS = (_KEPT.format(base_of(kind)) for kind in (FIELDS, SLOTS))
_WAITING = " UNION ALL ".join(
    f"SELECT k.id, k.data FROM source_files AS f JOIN kept AS k ON k.id = {base_of(kind)} + f.id"
    f" WHERE f.id {INSIDE.replace('?', '?1')}"
    for kind in ("pending_blocks", "pending_python", "pending_helpers", "pending_names")
)
_MODULES = f"SELECT id, name FROM python_modules WHERE file_id {INSIDE} ORDER BY id"
_ORDER = f"SELECT file_id, id FROM functions WHERE file_id {INSIDE} ORDER BY file_id, line, id"
# Of several definitions of a kernel the longest counts.
_LENGTHS = (
    "SELECT u.id, u.end_line - u.line FROM functions AS u"
    f" WHERE u.file_id {INSIDE} AND u.name IN (SELECT kernel FROM dispatch WHERE generated_by IS NULL)"
    " AND EXISTS (SELECT 1 FROM functions AS o WHERE o.name = u.name AND o.id <> u.id) ORDER BY u.id"
)
# Whose lines `compile_entries` has.
_DECOMPOSED = (
    f"SELECT u.id, u.line FROM functions AS u WHERE u.file_id {INSIDE} AND EXISTS"
    " (SELECT 1 FROM dispatch_kernels AS k JOIN dispatch AS d ON d.id = k.dispatch_id WHERE k.function_id = u.id"
    " AND d.dispatch_key IN ('Meta', 'CompositeImplicitAutograd')) ORDER BY u.id"
)


class Differences:
    """What is known before and after the files are read again.

    Args:
        conn: the copy of the index, as it was.
        of_layer_1: whether the YAML files are read again.
        old: ids of the files that change or go.
        changes: what changed.

    Attributes:
        of_layer_1: as given.
        cpp, python: whether files in these languages changed; Python is all that is not C++.
        paths: of the files that changed.
        read: ids of the files that were read.
        changed: of each kind of rows that other files see, whether they are others.
        before: functions of the files, as they were.
        now: the same as they are.
        names: last parts of the names whose definitions are others.
        moved: ids before and now of the functions of all other names.
        ran: numbers of the link steps that ran again: what they make may be another.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        of_layer_1: bool,
        old: Collection[int],
        changes: Changes,
    ) -> None:
        self._conn = conn
        self.of_layer_1 = of_layer_1
        self._old = set(old)
        kinds: dict[str, str] = dict(conn.execute("SELECT path, kind FROM source_files"))
        self.paths = {*changes.removed, *(file.path for file in changes.read)}
        touched = {kinds[path] for path in self.paths if path in kinds}
        touched |= {file.kind for file in changes.read}
        self.cpp = not touched.isdisjoint(_CPP)
        self.python = not touched <= _CPP
        self._seen_before = self._seen_after = self._seen(old)
        self.before = self.now = calls.functions_of(conn, old)
        self._positions = self._ask(_ORDER, old)
        self._lengths = self._ask(_LENGTHS, old)
        self._decomposed = self._ask(_DECOMPOSED, old)
        self._has_bindings = self._has("bindings", old)
        # Each is made before the first that can change what it is of, and not at all where nothing does.
        self._digests = {"names": inputs.names(conn), "bound": inputs.bound(conn)}
        if of_layer_1:
            self.remember_operators()
        if _has_gtests(self.before):
            self.remember_gtests()
        self.changed: dict[str, bool] = {}
        self.read: set[int] = set()
        self.names: set[str] = set()
        self.moved: dict[int, int] = {}
        self.ran: set[int] = set()
        self._operators_differ: bool | None = None

    @property
    def files(self) -> set[int]:
        """Ids of the files that change, go or come."""
        return self._old | self.read

    def _seen(self, files: Collection[int]) -> dict[str, list[tuple[object, ...]]]:
        queries = {
            "classes": _CLASSES, "macros": _MACROS, "usings": _USINGS, "waiting": _WAITING,
            "modules": _MODULES, "fields": _FIELDS, "slots": _SLOTS,
        }  # fmt: skip
        seen = {name: self._ask(query, files) for name, query in queries.items()}
        seen["holders"] = list(holder_classes(self._conn, files))
        return seen

    def _ask(self, query: str, files: Collection[int]) -> list[tuple[object, ...]]:
        return self._conn.execute(query, (chosen(files),)).fetchall()

    def _has(self, table: str, files: Collection[int]) -> bool:
        return bool(self._ask(f"SELECT 1 FROM {table} WHERE file_id {INSIDE} LIMIT 1", files))

    def compare(self, read: Collection[int], touched: Collection[str]) -> None:
        """Take note of what the files say now.

        Args:
            read: ids of the files that were read.
            touched: tables that had rows of the files before.
        """
        self.read = set(read)
        after = self._seen_after = self._seen(read)
        self.changed = {name: rows != after[name] for name, rows in self._seen_before.items()}
        # A source file's using-declarations and data members are seen from itself alone.
        for name in ("usings", "fields"):
            self.changed[f"headers' {name}"] = _of_headers(self._seen_before[name]) != _of_headers(
                after[name]
            )
        for table in (
            "python_native_bindings", "python_binding_rules", "binding_owners", "class_specializations",
            "operator_handles",
        ):  # fmt: skip
            self.changed[table] = table in touched or self._has(table, read)
        self._has_bindings |= self.changed["binding_owners"] or self._has("bindings", read)

    def compare_functions(self) -> None:
        """Take note of the files' functions, when those that macros make are there."""
        self.now = calls.functions_of(self._conn, self.files)
        self.names, self.moved = calls.compare(self.before, self.now)

    def remember_operators(self) -> None:
        """Keep what operators are, before a step changes them."""
        if "operators" not in self._digests:
            self._digests["operators"] = inputs.operators(self._conn)
            self._digests["bases"] = inputs.operator_bases(self._conn)

    def remember_gtests(self) -> None:
        """Keep what C++ tests are and call, before a step changes it."""
        if "gtests" not in self._digests:
            self._digests["gtests"] = inputs.gtests(self._conn)

    def operators_changed(self) -> bool:
        """Whether operators are others, but for how they dispatch."""
        if not (self.of_layer_1 or 16 in self.ran):
            return False
        if self._operators_differ is None:
            self._operators_differ = self._digests["operators"] != inputs.operators(self._conn)
        return self._operators_differ

    def bound_changed(self) -> bool:
        """Whether C++ gives Python other names, or functions that run other operators."""
        if not (self.cpp or 44 in self.ran or self.changed["operator_handles"]):
            return False
        return self._digests["bound"] != inputs.bound(self._conn)

    def bases_changed(self) -> bool:
        """Whether operators have other names."""
        if not (self.of_layer_1 or 16 in self.ran):
            return False
        return self._digests["bases"] != inputs.operator_bases(self._conn)

    def gtests_changed(self) -> bool:
        """Whether C++ tests are others, or call others."""
        if not self.cpp and 25 not in self.ran:
            return False
        if "gtests" not in self._digests:
            # Neither other files' calls nor macros were looked at again.
            return _has_gtests(self.now)
        return self._digests["gtests"] != inputs.gtests(self._conn)

    def means_the_same_operators(self) -> bool:
        """Whether a call of the text that is named like an operator means what it did."""
        if self.operators_changed():
            return False
        if not self.cpp:
            return True
        before, after = (
            {f.name for of_file in functions.values() for f in of_file if f.kind == "method"}
            for functions in (self.before, self.now)
        )
        return not (self.changed["classes"] or self.changed["usings"]) and before == after

    def _has_same_functions(self) -> bool:
        """Whether the files that changed have the functions that they had, with their ids and in their order."""
        if 15 in self.ran or self.before != self.now:
            return False
        return self._positions == self._ask(_ORDER, self.files)

    def means_the_same_kernels(self) -> bool:
        """Whether names of kernels mean what they did: a body is another, and not how long one of several is."""
        if self.changed["class_specializations"] or not self._has_same_functions():
            return False
        return self._lengths == self._ask(_LENGTHS, self.files)

    def binds_the_same(self) -> bool:
        """Whether bindings are where they were: of other files, and to functions that are what they were."""
        if self.changed["classes"] or self.changed["headers' usings"]:
            return False
        if self.changed["macros"] and self._conn.execute(_NAMED_BY_MACROS).fetchone()[0]:
            return False
        return not self._has_bindings and self._has_same_functions()

    def decomposes_the_same(self) -> bool:
        """Whether what C++ has of each stage of torch.compile is where it was."""
        if self.of_layer_1 or not self.ran.isdisjoint((16, 20, 50)):
            return False
        return self._decomposed == self._ask(_DECOMPOSED, self.files)

    def kernels_named(self) -> bool:
        """Whether other C++ functions are kernels now, which questions can name."""
        before, after = (
            {f.name for of_file in functions.values() for f in of_file if f.kind == "kernel"}
            for functions in (self.before, self.now)
        )
        return 15 in self.ran or before != after

    def names_changed(self) -> bool:
        """Whether questions can name other things, beside C++ functions."""
        return self._digests["names"] != inputs.names(self._conn)

    def kernels_changed(self) -> bool:
        """Whether what registrations name may be another function (`KernelNames`)."""
        if not self.cpp:
            return False
        if any(self.changed[name] for name in ("classes", "macros", "usings")):
            return True
        kernels = self._conn.execute("SELECT DISTINCT kernel FROM registrations")
        return any((kernel or "").rpartition("::")[2] in self.names for (kernel,) in kernels)

    def python_kernels_changed(self) -> bool:
        """Whether a kernel in Python may be defined elsewhere: it is of a module that changed."""
        modules = {
            str(row[1]) for seen in (self._seen_before, self._seen_after) for row in seen["modules"]
        }
        kernels = self._conn.execute(
            "SELECT DISTINCT kernel FROM registrations WHERE origin = 'python' AND kernel IS NOT NULL"
        )
        return any(
            not modules.isdisjoint(kernel[:at] for at, c in enumerate(kernel) if c == ".")
            for (kernel,) in kernels
        )

    def gone_classes(self) -> set[str]:
        """C++ classes that the files had and that no file has now."""
        classes = {str(row[1]) for row in self._seen_before["classes"]}
        return classes - {name for (name,) in self._conn.execute("SELECT name FROM cpp_classes")}


def _of_headers(rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Those of rows that begin with a path which others include."""
    return [row for row in rows if not str(row[0]).endswith(SOURCE_SUFFIXES)]


def _has_gtests(functions: Mapping[int, list[calls.Function]]) -> bool:
    return any(inputs.is_gtest(f.name) for of_file in functions.values() for f in of_file)
