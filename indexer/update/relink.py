"""Which link steps an edit makes necessary, and running them: in part where that is known to be enough."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from importlib import import_module

from indexer import beside, link
from indexer.link.cpp_declarations import SOURCE_SUFFIXES
from indexer.update import calls, coverage, inputs
from indexer.update.changes import Changes
from indexer.update.steps import UNDO
from indexer.workers import WorkerPool

_macro_functions = import_module("indexer.link.15_macro_functions")
_calls_step = import_module("indexer.link.25_calls")

_BESIDE = 62
"""The step that a worker does while the others run."""

_MANY_TESTS = 5_000
"""What so many call takes longer to find out than a worker takes to start."""

_CPP = frozenset(("cpp", "cuda", "objc", "metal"))
_INSIDE = "IN (SELECT value FROM json_each(?))"

# Said of one file and seen from others.
_CLASSES = (
    "SELECT c.file_id, c.name, b.base FROM cpp_classes AS c LEFT JOIN cpp_bases AS b"
    f" ON b.class_id = c.id WHERE c.file_id {_INSIDE} ORDER BY c.id, b.position"
)
_MACROS = (
    f"SELECT file_id, name, params, body FROM macro_definitions WHERE file_id {_INSIDE} ORDER BY id"
)
_USINGS = (
    "SELECT f.path, u.keyword, u.text, u.scope FROM cpp_usings AS u"
    f" JOIN source_files AS f ON f.id = u.file_id WHERE u.file_id {_INSIDE}"
    " ORDER BY u.file_id, u.rowid"
)
_WAITING = (
    f"SELECT what, file_id, data FROM kept WHERE file_id {_INSIDE} AND what IN"
    " ('pending_blocks', 'pending_python', 'pending_helpers', 'pending_names')"
    " ORDER BY what, file_id"
)
_MODULES = f"SELECT id, name FROM python_modules WHERE file_id {_INSIDE} ORDER BY id"


_ORDER = f"SELECT file_id, id FROM functions WHERE file_id {_INSIDE} ORDER BY file_id, line, id"
# Of several definitions of a kernel the longest counts.
_LENGTHS = (
    "SELECT u.id, u.end_line - u.line FROM functions AS u"
    f" WHERE u.file_id {_INSIDE} AND u.name IN (SELECT kernel FROM dispatch WHERE generated_by IS NULL)"
    " AND EXISTS (SELECT 1 FROM functions AS o WHERE o.name = u.name AND o.id <> u.id) ORDER BY u.id"
)
# Whose lines `compile_entries` has.
_DECOMPOSED = (
    f"SELECT u.id, u.line FROM functions AS u WHERE u.file_id {_INSIDE} AND EXISTS"
    " (SELECT 1 FROM dispatch_kernels AS k JOIN dispatch AS d ON d.id = k.dispatch_id WHERE k.function_id = u.id"
    " AND d.dispatch_key IN ('Meta', 'CompositeImplicitAutograd')) ORDER BY u.id"
)

_READS_CALLS = 43
"""The step that follows calls of the text from what is handed a lambda."""

_DEEP = 4
"""So many calls it follows."""

_HANDED = "SELECT DISTINCT launcher_id FROM launches WHERE handed_to IS NOT NULL AND launcher_id IS NOT NULL"


class Relink:
    """What is known of an update before and after the files were read again, and what it needs.

    Args:
        conn: the copy of the index, as it was.
        layers: of the index.
        of_layer_1: whether the YAML files are read again.
        old: ids of the files that change or go.
        changes: what changed.
        load: has calls at hand, where not all are.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        layers: Collection[str],
        of_layer_1: bool,
        old: Collection[int],
        changes: Changes,
        load: calls.Load | None = None,
    ) -> None:
        self._load = load
        self._conn = conn
        self._layers = layers
        self._of_layer_1 = of_layer_1
        self._old = set(old)
        kinds: dict[str, str] = dict(conn.execute("SELECT path, kind FROM source_files"))
        self._paths = {*changes.removed, *(file.path for file in changes.read)}
        touched = {kinds[path] for path in self._paths if path in kinds}
        touched |= {file.kind for file in changes.read}
        self._cpp = not touched.isdisjoint(_CPP)
        self._python = not touched <= _CPP
        self._before = self._seen(old)
        self._functions = calls.functions_of(conn, old)
        self._positions = self._ask(_ORDER, old)
        self._lengths = self._ask(_LENGTHS, old)
        self._decomposed = self._ask(_DECOMPOSED, old)
        self._has_bindings = self._has("bindings", old)
        # Each is made before the first that can change what it is of, and not at all where nothing does.
        self._digests = {"names": inputs.names(conn), "bound": inputs.bound(conn)}
        if of_layer_1:
            self._remember_operators()
        if _has_gtests(self._functions):
            self._remember_gtests()
        self._after = self._before
        self._changed: dict[str, bool] = {}
        self._read: set[int] = set()
        self._functions_now = self._functions
        self._names: set[str] = set()
        self._moved: dict[int, int] = {}
        self._ran: set[int] = set()
        self._operators_differ: bool | None = None
        self._begun: beside.Begun | None = None
        self.done: list[str] = []

    def _seen(self, files: Collection[int]) -> dict[str, list[tuple[object, ...]]]:
        chosen = (json.dumps(sorted(files)),)
        queries = {
            "classes": _CLASSES, "macros": _MACROS, "usings": _USINGS, "waiting": _WAITING,
            "modules": _MODULES,
        }  # fmt: skip
        return {
            name: self._conn.execute(query, chosen).fetchall() for name, query in queries.items()
        }

    def _ask(self, query: str, files: Collection[int]) -> list[tuple[object, ...]]:
        return self._conn.execute(query, (json.dumps(sorted(files)),)).fetchall()

    def _has(self, table: str, files: Collection[int]) -> bool:
        return bool(self._ask(f"SELECT 1 FROM {table} WHERE file_id {_INSIDE} LIMIT 1", files))

    def compare(self, read: Collection[int], touched: Collection[str]) -> None:
        """Take note of what the files say now.

        Args:
            read: ids of the files that were read.
            touched: tables that had rows of the files before.
        """
        self._read = set(read)
        after = self._after = self._seen(read)
        self._changed = {name: rows != after[name] for name, rows in self._before.items()}
        # A source file's using-declarations are seen from itself alone.
        self._changed["headers' usings"] = [
            row for row in self._before["usings"] if not str(row[0]).endswith(SOURCE_SUFFIXES)
        ] != [row for row in after["usings"] if not str(row[0]).endswith(SOURCE_SUFFIXES)]
        for table in (
            "python_native_bindings", "python_binding_rules", "binding_owners", "class_specializations",
        ):  # fmt: skip
            self._changed[table] = table in touched or self._has(table, read)
        self._has_bindings |= self._changed["binding_owners"] or self._has("bindings", read)

    def run(self, name: str, step: link.Step, pool: WorkerPool) -> None:
        """Run a step if its result can be another than before."""
        number = link.number_of(name)
        if not self._needs(number):
            return
        conn = self._conn
        if number in (50, _BESIDE) and self._has_many_tests():
            pool.prepare()  # its processes start while classes and names are resolved
            if number == _BESIDE and self._sees_the_same():
                self._begin(name, pool)
                return
        in_part = {15: self._macro_functions, 25: self._calls}
        # Where all were resolved anew, they are at hand; loading would bring back those of before.
        if number == _READS_CALLS and self._load is not None and 25 not in self._ran:
            self._load_handed(self._load)
        last = coverage.last(conn)
        if number == 15 and self._changed["macros"]:
            self._remember_gtests()
        if number == 16:
            self._remember_operators()
        if number not in in_part or not in_part[number]():
            if number == 25:
                self._remember_gtests()
            coverage.forget(conn, number)
            UNDO[number].run(conn)
            step(conn, pool)
            self._ran.add(number)
            self.done.append(name.partition("_")[2])
        coverage.belongs_to(conn, last, number)
        if number == 15:
            self._functions_now = calls.functions_of(conn, self._old | self._read)
            self._names, self._moved = calls.compare(self._functions, self._functions_now)

    def _load_handed(self, load: calls.Load) -> None:
        """Have the calls at hand that lead away from launches whose kernel a lambda is given."""
        known: set[int] = set()
        last = {n for (n,) in self._conn.execute(_HANDED)}
        for _ in range(_DEEP):
            load(last, set())
            known |= last
            found = self._conn.execute(
                f"SELECT DISTINCT callee_id FROM calls WHERE caller_id {_INSIDE}",
                (json.dumps(sorted(last)),),
            )
            last = {n for (n,) in found} - known

    def finish(self, pool: WorkerPool) -> None:
        """Write what a worker did meanwhile."""
        if self._begun is not None:
            last = coverage.last(self._conn)
            self._begun.run(self._conn, pool)
            coverage.belongs_to(self._conn, last, _BESIDE)

    def _begin(self, name: str, pool: WorkerPool) -> None:
        """Leave a step to a worker; none of those that follow needs it."""
        coverage.forget(self._conn, _BESIDE)
        for statement in UNDO[_BESIDE].statements:  # the worker itself puts back what was kept
            self._conn.execute(statement)
        beside.take_snapshot(self._conn)
        self._begun = beside.begin(self._conn, pool, name)
        self._ran.add(_BESIDE)
        self.done.append(name.partition("_")[2])

    def _has_many_tests(self) -> bool:
        found = self._conn.execute(
            "SELECT 1 FROM tests LIMIT 1 OFFSET ?", (_MANY_TESTS,)
        ).fetchone()
        return "tests" in self._layers and found is not None

    def _sees_the_same(self) -> bool:
        """Whether the tests' calls in the file, which a worker reads, are those that this process sees.

        They are not where a layer that is hidden from this process alone has replaced them, or where they changed
        behind it.
        """
        if self._load is None:
            return True
        seen, written = (
            self._conn.execute(
                "SELECT t.id, c.callee, c.is_member FROM tests AS t"
                f" JOIN {schema}.operator_calls AS c ON c.caller_id = t.cpp_function_id ORDER BY 1, 2, 3"
            ).fetchall()
            for schema in ("temp", "main")
        )
        return seen == written

    def _needs(self, number: int) -> bool:
        if number in (10, 12, 14):
            return self._of_layer_1
        if number == 15:
            return self._cpp
        if number == 43:
            return self._cpp or 25 in self._ran
        if number == 16:
            kernels = self._kernels_changed() or self._python_kernels_changed()
            return self._of_layer_1 or self._changed["waiting"] or kernels
        if number in (20, 30):
            return 16 in self._ran or (self._cpp and not self._means_the_same_kernels())
        if number == 25:
            return self._cpp or self._bases_changed()
        if number in (44, 46):
            rules = self._of_layer_1 or self._changed["python_binding_rules"]
            return rules or (self._cpp and not self._binds_the_same())
        if number in (40, 42):
            return self._cpp or self._of_layer_1 or self._changed["python_binding_rules"]
        if number == 65:
            return self._python or not self._decomposes_the_same()
        if number == 51:
            return 16 in self._ran
        if number in (50, 52):
            bindings = self._changed["python_native_bindings"] or self._bound_changed()
            return self._python or bindings or self._operators_changed()
        if number in (60, 62):
            return 50 in self._ran or self._gtests_changed()
        if number == 81:
            return not self._ran.isdisjoint((50, 52, 60))
        if number == 90:
            return self._kernels_named() or self._digests["names"] != inputs.names(self._conn)
        return True

    def _remember_operators(self) -> None:
        if "operators" not in self._digests:
            self._digests["operators"] = inputs.operators(self._conn)
            self._digests["bases"] = inputs.operator_bases(self._conn)

    def _remember_gtests(self) -> None:
        if "gtests" not in self._digests:
            self._digests["gtests"] = inputs.gtests(self._conn)

    def _operators_changed(self) -> bool:
        if not (self._of_layer_1 or 16 in self._ran):
            return False
        if self._operators_differ is None:
            self._operators_differ = self._digests["operators"] != inputs.operators(self._conn)
        return self._operators_differ

    def _bound_changed(self) -> bool:
        return 44 in self._ran and self._digests["bound"] != inputs.bound(self._conn)

    def _bases_changed(self) -> bool:
        if not (self._of_layer_1 or 16 in self._ran):
            return False
        return self._digests["bases"] != inputs.operator_bases(self._conn)

    def _gtests_changed(self) -> bool:
        if not self._cpp and 25 not in self._ran:
            return False
        if "gtests" not in self._digests:
            # Neither other files' calls nor macros were looked at again.
            return _has_gtests(self._functions_now)
        return self._digests["gtests"] != inputs.gtests(self._conn)

    def _has_same_functions(self) -> bool:
        """Whether the files that changed have the functions that they had, with their ids and in their order."""
        if 15 in self._ran or self._functions != self._functions_now:
            return False
        return self._positions == self._ask(_ORDER, self._old | self._read)

    def _means_the_same_kernels(self) -> bool:
        """Whether names of kernels mean what they did: a body is another, and not how long one of several is."""
        if self._changed["class_specializations"] or not self._has_same_functions():
            return False
        return self._lengths == self._ask(_LENGTHS, self._old | self._read)

    def _binds_the_same(self) -> bool:
        """Whether bindings are where they were: of other files, and to functions that are what they were."""
        return not self._has_bindings and self._has_same_functions()

    def _decomposes_the_same(self) -> bool:
        """Whether what C++ has of each stage of torch.compile is where it was."""
        if self._of_layer_1 or not self._ran.isdisjoint((16, 20, 50)):
            return False
        return self._decomposed == self._ask(_DECOMPOSED, self._old | self._read)

    def _kernels_named(self) -> bool:
        """Whether other C++ functions are kernels now, which questions can name."""
        before, after = (
            {f.name for of_file in functions.values() for f in of_file if f.kind == "kernel"}
            for functions in (self._functions, self._functions_now)
        )
        return 15 in self._ran or before != after

    def _kernels_changed(self) -> bool:
        """Whether what registrations name may be another function (`KernelNames`)."""
        if not self._cpp:
            return False
        if any(self._changed[name] for name in ("classes", "macros", "usings")):
            return True
        kernels = self._conn.execute("SELECT DISTINCT kernel FROM registrations")
        return any((kernel or "").rpartition("::")[2] in self._names for (kernel,) in kernels)

    def _python_kernels_changed(self) -> bool:
        """Whether a kernel in Python may be defined elsewhere: it is of a module that changed."""
        modules = {str(row[1]) for seen in (self._before, self._after) for row in seen["modules"]}
        kernels = self._conn.execute(
            "SELECT DISTINCT kernel FROM registrations WHERE origin = 'python' AND kernel IS NOT NULL"
        )
        return any(
            not modules.isdisjoint(kernel[:at] for at, c in enumerate(kernel) if c == ".")
            for (kernel,) in kernels
        )

    # Steps that need not do everything again: true where they did what is needed ----------------

    def _macro_functions(self) -> bool:
        """Expand the macro uses of the files that were read, unless macros changed."""
        self._unmake_methods()
        if self._changed["macros"]:
            return False
        coverage.forget(self._conn, 15, self._paths)
        _macro_functions.link_files(self._conn, WorkerPool(0), self._read)
        return True

    def _unmake_methods(self) -> None:
        """What was a method because of a class that is gone is a function again."""
        classes = {str(row[1]) for row in self._before["classes"]}
        gone = classes - {name for (name,) in self._conn.execute("SELECT name FROM cpp_classes")}
        self._conn.execute(
            "UPDATE functions SET kind = 'function' WHERE kind = 'method' AND name LIKE '%::%'"
            " AND rtrim(rtrim(name, replace(name, ':', '')), ':')"
            " IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(gone)),),
        )

    def _calls(self) -> bool:
        """Resolve the calls that name what changed, unless that could be any."""
        wide = ("classes", "macros", "headers' usings")
        if 15 in self._ran or any(self._changed[name] for name in wide):
            return False
        if self._bases_changed() or calls.made_classes(self._functions) != calls.made_classes(
            self._functions_now
        ):
            return False
        if self._names:
            self._remember_gtests()  # tests in other files may call what changed
        try:
            calls.relink(
                self._conn, self._old | self._read, self._functions, self._names, self._moved,
                self._load,
            )  # fmt: skip
        except calls.TooFar:
            return False
        coverage.forget(self._conn, 25)
        _calls_step.report(self._conn)
        self.done.append("calls of what changed")
        return True


def _has_gtests(functions: Mapping[int, list[calls.Function]]) -> bool:
    return any(inputs.is_gtest(f.name) for of_file in functions.values() for f in of_file)
