"""Which operators each public name reaches directly."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.python.calls import ASIDE, HANDED
from indexer.facts.python import CANDIDATE, REGISTERED, WRAPPED
from indexer.link.python.native_rows import TENSOR_BASE
from indexer.link.python.natives import BOUND, FUNCTIONS, PROPERTY, Natives
from indexer.link.python.resolver import Resolver
from indexer.link.python.tables import Entity
from indexer.link.python.targets import Calls

# How many Python functions are looked through for operators, and how many more where none was
# found by then. Further down stands what a function could do for some argument of some kind,
# rather than what it is there for: of op_db's APIs, less than one in a hundred has more.
_NEAR = 3
_FAR = 8

# Names as users know them come first, those that hide behind others last.
_RANKS = (
    ("torch.ops.", 7),
    ("torch._VF.", 6),
    ("torch._C.", 5),
    ("torch._", 4),
    ("torch.nn.functional.", 1),
    ("torch.Tensor.", 2),
)
_NONE = "C++ without an operator"
# An installed package has the stubs alone.
_OPEN = "C++, not known: the index has no C++ sources"
_OUT = re.compile(r"[(,]\s*\*{0,2}(?:out|kwargs)\b")


class Reached(NamedTuple):
    """An operator that a function reaches, and the call that leads there.

    Args:
        operator: id.
        function_id: the function whose body has the call that ends in C++.
        line: of that call.
        way: the functions on the way there, that one last; empty if it is the first one itself.
    """

    operator: int
    function_id: int
    line: int
    way: tuple[int, ...]


class Apis:
    """Collects the rows of `python_apis`.

    Args:
        conn: the database.
        resolver: for the entities of names.
        natives: operators of names bound in C++.
        calls: of all functions.
    """

    def __init__(
        self, conn: sqlite3.Connection, resolver: Resolver, natives: Natives, calls: Calls
    ) -> None:
        self.conn = conn
        self.resolver = resolver
        self.natives = natives
        self.calls = calls
        self.module_files = dict(conn.execute("SELECT id, file_id FROM python_modules"))
        self.operator_places = {
            operator: (file_id, line)
            for operator, file_id, line in conn.execute("SELECT id, file_id, line FROM operators")
        }
        self.takes_out = {
            function
            for function, signature in conn.execute(
                "SELECT id, signature FROM python_functions WHERE signature LIKE '%out%'"
                " OR signature LIKE '%kwargs%'"
            )
            if _OUT.search(signature)
        }
        self._reached: dict[int, list[Reached]] = {}

    def link(self, public: dict[str, Entity]) -> None:
        """Insert the rows of every public name.

        Args:
            public: what each public name of a module stands for.
        """
        rows: dict[tuple[str, int | None], tuple[object, ...]] = {}
        for api, entity in self._names(public):
            for choice in entity.choices or (entity,):
                if choice.kind == "function" or self._is_of_operators(choice):
                    for operator, *rest in self._rows(api, choice):
                        rows.setdefault((api, operator), (api, operator, *rest))
        self.conn.executemany(
            "INSERT INTO python_apis (api, operator_id, via, function_id, file_id, line)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (rows[key] for key in sorted(rows, key=lambda key: (*_rank(key[0]), key[1] or 0))),
        )

    def _is_of_operators(self, entity: Entity) -> bool:
        """Whether something is bound in C++ in a place where operators are: what others call is not known here."""
        return entity.kind == "native" and self.natives.how(entity.id) != BOUND

    def _names(self, public: dict[str, Entity]) -> Iterator[tuple[str, Entity]]:
        for name, entity in public.items():
            if entity.kind != "class" and self._is_api(name, entity):
                yield name, entity
        yield from self._renamed()
        tensor = self.resolver.resolve("torch.Tensor")
        for name in self._tensor_names(tensor):
            found = self.resolver.resolve(f"torch.Tensor.{name}")
            if found is not None:
                yield f"torch.Tensor.{name}", found
        for path, native in sorted(self.natives.ids.items()):
            entity = Entity("native", native, path)
            owner, _, name = path.rpartition(".")
            if owner == FUNCTIONS:
                hidden = name in self.natives.private or path in self.natives.unlisted
                if not hidden and not name.startswith("__"):
                    # What is defined in Python under the same name has replaced it.
                    found = self.resolver.resolve(f"torch.{name}")
                    yield f"torch.{name}", found or entity
                # Of an installed package's _VariableFunctions.pyi what is no operator's may be torch's alone: there
                # stand get_default_dtype and _sync, too, which torch/__init__.py has from elsewhere.
                if self.natives.how(native) != "stub" or self.natives.operators.get(native):
                    yield f"torch._VF.{name}", entity
            elif owner != TENSOR_BASE and not path.startswith("torch.ops."):
                yield path, entity
        for namespace, base in sorted(self.natives.by_base):
            path = f"torch.ops.{namespace}.{base}"
            native_id = self.natives.find(path)
            if native_id is not None:
                yield path, Entity("native", native_id, path)

    def _is_api(self, name: str, entity: Entity) -> bool:
        """Whether a public name is one that users are meant to import.

        As test/test_public_bindings.py has it: a module's `__all__` says so, and what is star-imported
        from a module that has one, as torch/__init__.py does with torch.functional; and a name is
        public where it is defined. What a package shows of a private module counts too, if the
        package has no `__all__`, or if that module is below the package and lists it in its own, as
        torch/masked/_ops.py does.
        setup.py packages only folders that have an `__init__.py`, all the way up; examples,
        benchmarks and the sources of extensions have none.
        """
        tables = self.resolver.tables
        owner, _, member = name.rpartition(".")
        parts = owner.split(".")
        for at in range(1, len(parts)):
            above = tables.module_ids.get(".".join(parts[:at]))
            if above is None or not tables.modules[above].is_package:
                return False
        module_id = tables.module_ids[owner]
        module = tables.modules[module_id]
        if entity.kind != "function":
            return True  # bound in C++, or chosen from: no __all__ is sure to have it
        function = tables.functions[entity.id]
        home = tables.modules[function.module_id].name
        if home == owner or member in self.resolver.listed(module_id):
            return True
        is_below = home.startswith(f"{owner}.")
        if module.has_all:
            is_private = home.startswith(f"{owner}._")
            return is_private and function.name in self.resolver.all_names(function.module_id)
        return is_below or (
            module.is_package and any(part.startswith("_") for part in home.split("."))
        )

    def _renamed(self) -> Iterator[tuple[str, Entity]]:
        """Bound functions that torch/__init__.py gives a private name: `_segment_reduce`."""
        tables = self.resolver.tables
        module_id = tables.module_ids.get("torch", 0)
        for name in sorted(tables.names.get((module_id, ""), ())):
            if name.startswith("_"):
                found = self.resolver.member(module_id, name)
                if found is not None and found.kind == "native":
                    yield f"torch.{name}", found

    def _tensor_names(self, tensor: Entity | None) -> list[str]:
        names = {
            path.rpartition(".")[2]
            for path in self.natives.ids
            if path.startswith(f"{TENSOR_BASE}.")
        }
        if tensor is not None and tensor.kind == "class":
            tables = self.resolver.tables
            row = tables.classes[tensor.id]
            names |= set(tables.names.get((row.module_id, tables.local_name(row)), ()))
        return sorted(names)

    def _rows(
        self, api: str, entity: Entity
    ) -> Iterator[tuple[int | None, str, int | None, int | None, int | None]]:
        if entity.kind == "native":
            name = api.rpartition(".")[2]
            same = entity.path.endswith(f".{name}")
            how = self.natives.how(entity.id)
            via = how if same or how != "generated" else f"alias of {entity.path}"
            second = "binding" if name.startswith("__") else "alias"
            via = {"generated": "binding", "alias": second, PROPERTY: "stub"}.get(via, via)
            operators = self.natives.operators.get(entity.id, [])
            for operator in operators:
                file_id, line = self.operator_places[operator]
                yield operator, via, None, file_id, line
            if not operators:
                # Where C++ writes the name down: the entry of its method table.
                file_id, line = self.natives.place(entity.id)
                yield None, _OPEN if how in ("stub", "ops") else _NONE, None, file_id, line
            return
        functions = self.resolver.tables.functions
        reached = self.reached(entity.id)
        for found in reached:
            via = " → ".join(map(self._name, found.way))
            file_id = self.module_files[functions[found.function_id].module_id]
            via = f"python: {via}" if via else "python"
            yield found.operator, via, entity.id, file_id, found.line
        if not reached:
            function = functions[entity.id]
            home = self.module_files[function.module_id]
            yield None, "python only", entity.id, home, function.line

    def _name(self, function_id: int) -> str:
        tables = self.resolver.tables
        function = tables.functions[function_id]
        return f"{tables.modules[function.module_id].name}.{function.name}"

    def _calls_of(self, function_id: int) -> Iterator[tuple[int, int | None, int | None]]:
        """Line of each call on a function's way, and the function or bound name called."""
        sites = self.calls.sites.get(function_id, ())
        for line, target, kind in sorted({(line, target, kind) for target, line, kind in sites}):
            # What is handed on may run, for whoever it is handed to; it is not what the function is there for.
            if kind not in (ASIDE, HANDED, REGISTERED, WRAPPED, CANDIDATE):
                for _, function, class_id, native in self.calls.meanings[target]:
                    if class_id is None:
                        yield line, function, native

    def reached(self, function_id: int) -> list[Reached]:
        """Operators that the function with the id `function_id` reaches through Python alone, nearest first."""
        if function_id in self._reached:
            return self._reached[function_id]
        found: dict[int, Reached] = {}
        seen = {function_id}
        level: list[tuple[int, tuple[int, ...]]] = [(function_id, ())]
        for depth in range(_FAR):
            if found and depth >= _NEAR:
                break
            following = []
            for current, way in level:
                takes_out = current in self.takes_out
                for line, function, native in self._calls_of(current):
                    if native is not None:
                        for operator in self.natives.called(native, takes_out):
                            if operator not in found:
                                found[operator] = Reached(operator, current, line, way)
                    elif function is not None and function not in seen:
                        seen.add(function)
                        following.append((function, (*way, function)))
            level = following
        self._reached[function_id] = list(found.values())
        return self._reached[function_id]


def _rank(api: str) -> tuple[int, int, str]:
    """Where an API stands among others: names that are likelier and shorter come first."""
    if api.count(".") == 1 and not api.startswith("torch._"):
        return 0, len(api), api
    return next((rank for start, rank in _RANKS if api.startswith(start)), 3), len(api), api
