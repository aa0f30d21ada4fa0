"""What the C++ files of the tree declare, by the names that a call may have: functions, classes, using-declarations."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from indexer.facts.cpp import FIELD_OPEN, FIELD_SIGNS, SOURCE_SUFFIXES, UNSURE, PackedFields
from indexer.link.cpp.file_scope import folder_of
from indexer.link.cpp.generated_functions import returned_types
from indexer.link.cpp.holder_classes import HolderClass, holder_classes, run_on_held
from indexer.link.cpp.macro_names import MacroNames
from indexer.link.cpp.slots import Slots
from indexer.sql_lists import INSIDE, chosen
from indexer.write.calls import unpacking
from indexer.write.cpp import FIELDS
from indexer.write.kept import kept_values
from indexer.write.makers import makers_of

TENSOR = "at::Tensor"

_DEVICES = frozenset(("cuda", "cudnn", "hip", "miopen"))
"""Folders of what is built with CUDA or ROCm; no other source file includes a `.cuh`."""

_PROGRAMS = frozenset(("test", "tests", "bench", "benchmarks"))
"""Folders of programs that use the library; it uses nothing of theirs, and what they define has its names at times."""

_OWN_FILE_S = re.compile(r"(?:^|\s)(?:static|inline|__forceinline__|__inline__)\s")
"""What says of a source file's function that no other can call it: of an inline one each has its own, [dcl.inline]."""

# The class around such a test's body derives from the fixture: `GTEST_TEST_` and `TYPED_TEST` (gtest-internal.h,
# gtest-typed-test.h). With `TEST` the first name is no class's.
_FIXTURE = re.compile(r"(?:TEST_[FP]|TYPED_TEST(?:_P)?)\s*\(\s*(\w+)\s*,")
_ASKED = (
    f" WHERE u.id IN (SELECT id FROM functions WHERE file_id {INSIDE}"
    f" UNION SELECT id FROM functions WHERE last COLLATE NOCASE {INSIDE})"
)


class Definition(NamedTuple):
    """A function that may be called.

    Args:
        id: in the table functions.
        name: qualified.
        owner: the namespace or class it is in.
        file_id: where it stands.
        is_hidden: only its own file can call it (static, inline, or in an anonymous namespace of a source file).
        is_local: a template of a source file: others see it only where it is instantiated for them.
        kind: as in the table.
        signature: as written.
        is_of_source: it stands in a file that no other includes.
        is_of_test: a test or a benchmark defines it.
        is_of_device: it stands in a header that CUDA's or HIP's compiler alone reads.
        folder: whose files alone can call it by its name; "" for all.
    """

    id: int
    name: str
    owner: str
    file_id: int
    is_hidden: bool
    is_local: bool
    kind: str
    signature: str
    is_of_source: bool
    is_of_test: bool
    is_of_device: bool
    folder: str


class Asked(NamedTuple):
    """What a lookup is for, where it is not for everything.

    Args:
        files: ids of the files whose calls are to be resolved.
        names: the last parts of all names in these calls.
    """

    files: Collection[int]
    names: Collection[str]


# The upper library is made with the lower ones, which know nothing of it (CONTRIBUTING.md, «Codebase structure»). What
# they register with, torch/library.h and torch/custom_class.h, is not in torch/csrc/.
_LOWER = ("c10/", "aten/")
_UPPER = "torch/csrc/"


def is_of_test(path: str) -> bool:
    """Whether the file at `path`, relative to the tree, is a test's or a benchmark's."""
    *folders, name = path.split("/")
    return not _PROGRAMS.isdisjoint(folders) or name.partition(".")[0].endswith("_test")


def is_of_host(path: str) -> bool:
    """Whether `path` is a source file's that is built without CUDA, by its folders (aten/src/ATen/CMakeLists.txt)."""
    *folders, name = path.split("/")
    if not name.endswith(SOURCE_SUFFIXES) or name.endswith(".cu"):
        return False
    return _DEVICES.isdisjoint(folders)


class Declarations:
    """The declarations of the tree.

    Args:
        conn: a database that holds functions, classes and using-declarations.
        asked: what for, where that is little.
    """

    def __init__(self, conn: sqlite3.Connection, asked: Asked | None = None) -> None:
        self.by_name: dict[str, list[Definition]] = {}
        # By the name behind the last `::`, then by what stands before it.
        self.by_last: dict[str, dict[str, list[Definition]]] = {}
        self.methods: dict[str, list[Definition]] = defaultdict(list)
        self.owners: dict[int, tuple[str, int]] = {}
        self.templates: set[int] = set()  # functions that are templates themselves
        self.everywhere: list[str] = []  # namespaces that headers use outside of any
        self.classes: dict[str, list[str]] = {}
        self.class_files: dict[str, set[int]] = {}
        self.directives: dict[tuple[str, int], list[str]] = defaultdict(list)
        self.aliases: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
        # Those of templates, with their arguments.
        self.whole_aliases: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
        # The data members of a class and their types, each with the file that says so and the sign behind the type; as
        # `aliases` for the place.
        self.fields: dict[tuple[str, int], dict[str, tuple[str, int, str]]] = defaultdict(dict)
        # What a class holds that a macro made for it, and the scope and file where that is named.
        self.held: dict[str, tuple[str, tuple[str, int]]] = {}
        self.test_files: set[int] = set()
        paths = conn.execute("SELECT id, path FROM source_files ORDER BY id").fetchall()
        self.paths: dict[int, str] = dict(paths)
        self.host_files = {file_id for file_id, path in paths if is_of_host(path)}
        self.lower_files = {file_id for file_id, path in paths if path.startswith(_LOWER)}
        self.upper_files = {file_id for file_id, path in paths if path.startswith(_UPPER)}
        self.depths: dict[int, int] = {}  # of a file's folder, where a function is defined in it
        self.hidden: set[str] = set()  # last parts of names that only their own file can call
        self.slots = Slots(conn)
        self.makers = makers_of(conn)
        holders = holder_classes(conn)
        self.run_on_held = run_on_held(conn, holders)
        self.run_names = {name for names in self.run_on_held.values() for name in names}
        if asked is not None:
            unnamed = self.slots.functions.union(self.run_names)
            asked = Asked(asked.files, unnamed.union(asked.names))
        self._read_classes(conn)
        self.generated_classes = self._read_structured(conn)
        self._read_functors(conn)
        self._read_holders(holders)
        self._read_usings(conn, paths)
        self._read_functions(conn, asked)
        self._read_fields(conn)
        self.macros = MacroNames(conn, {name for name in self.by_last if name.isupper()})
        self.class_names = {name.rpartition("::")[2] for name in self.classes}
        self.alias_names = {name for names in self.aliases.values() for name in names}
        # Last parts of the names by which anything of the tree can be called.
        self.namable = set(self.by_last).union(self.class_names, self.alias_names)
        self.namable -= self.macros.everywhere
        # The same of classes.
        self.class_namable = self.class_names | self.alias_names
        self.generated = self._read_generated(conn)
        self.returned, self.tensors_functions = returned_types(conn)
        self.bound = self._read_bound(conn)
        # To leave out namespaces that hold nothing saves looking there; of a few names it would not.
        self.spaces = self._read_spaces() if asked is None else None

    def _read_classes(self, conn: sqlite3.Connection) -> None:
        for name, base, file_id, path in conn.execute(
            "SELECT c.name, b.base, c.file_id, f.path FROM cpp_classes AS c"
            " JOIN source_files AS f ON f.id = c.file_id"
            " LEFT JOIN cpp_bases AS b ON b.class_id = c.id ORDER BY c.id, b.position"
        ):
            bases = self.classes.setdefault(name, [])
            # What a header defines is seen from everywhere, noted as file 0.
            seen_from = file_id if path.endswith(SOURCE_SUFFIXES) else 0
            self.class_files.setdefault(name, set()).add(seen_from)
            if base is not None and base not in bases:
                bases.append(base)

    def _read_functors(self, conn: sqlite3.Connection) -> None:
        """What is called like a function, or constructed, is a class, also where a macro makes it."""
        for (name,) in conn.execute(
            "SELECT name FROM functions WHERE macro IS NOT NULL AND last = 'operator()' COLLATE NOCASE"
            " UNION SELECT name FROM functions WHERE macro IS NOT NULL AND kind = 'constructor' ORDER BY name"
        ):
            self.classes.setdefault(name.rpartition("::")[0], [])

    def _read_holders(self, holders: list[HolderClass]) -> None:
        for holder in holders:
            self.classes.setdefault(holder.name, [holder.base])
            seen_from = holder.file_id if holder.path.endswith(SOURCE_SUFFIXES) else 0
            self.class_files.setdefault(holder.name, set()).add(seen_from)
            self.held.setdefault(holder.name, (holder.held, (holder.scope, holder.file_id)))
            for name, target in holder.aliases:
                self.aliases[holder.name, seen_from].setdefault(name, target)

    def _read_usings(self, conn: sqlite3.Connection, paths: list[tuple[int, str]]) -> None:
        for keyword, text, scope, file_id, path in conn.execute(
            "SELECT u.keyword, u.text, u.scope, u.file_id, f.path FROM cpp_usings AS u"
            " JOIN source_files AS f ON f.id = u.file_id ORDER BY u.rowid"
        ):
            # What a header says holds for all who include it: nearly everyone in its namespace. Of no namespace that is
            # everyone; there `using namespace caffe2;` holds for its neighbours (caffe2/ideep/operators).
            if path.endswith(SOURCE_SUFFIXES):
                self._using(keyword, text, (scope, file_id))
            elif scope or keyword != "using" or not text.startswith("namespace "):
                self._using(keyword, text, (scope, 0))
            else:
                self.everywhere.append(text.removeprefix("namespace ").strip().lstrip(":"))
                folder = path.rpartition("/")[0] + "/"
                for other, neighbour in paths:
                    if neighbour.startswith(folder):
                        self._using(keyword, text, (scope, other))

    def _read_functions(self, conn: sqlite3.Connection, asked: Asked | None) -> None:
        tests: dict[str, bool] = {}
        for identity, name, file_id, anonymous, kind, signature, path in conn.execute(
            "SELECT u.id, u.name, u.file_id, u.is_anonymous, u.kind, u.signature, f.path FROM functions AS u"
            " JOIN source_files AS f ON f.id = u.file_id"
            + ("" if asked is None else _ASKED)
            + " ORDER BY u.id",
            () if asked is None else self._wanted(asked),
        ):
            owner, _, base = name.rpartition("::")
            is_source = path.endswith(SOURCE_SUFFIXES)
            if base == "TestBody" and (fixture := _FIXTURE.match(signature)) is not None:
                self.classes.setdefault(owner, [fixture[1]])
                self.class_files.setdefault(owner, set()).add(file_id)
            if owner and "::" not in owner and owner not in self.classes:
                owner = self._of_directive(owner, file_id)
                name = f"{owner}::{base}"
            if kind == "variable":  # it calls what makes its value, and is no function itself
                self.owners[identity] = owner, file_id
                continue
            is_template = signature.startswith("template")
            if is_template:
                self.templates.add(identity)
            if path not in tests:
                tests[path] = self._read_place(file_id, path)
            is_hidden = (
                is_source
                and owner not in self.classes
                and (bool(anonymous) or _OWN_FILE_S.search(signature.partition("(")[0]) is not None)
            )
            is_of_device = path.endswith(".cuh") or (not is_source and "/hip/" in path)
            self._add(
                Definition(
                    identity, name, owner, file_id, is_hidden, is_template and is_source, kind, signature, is_source,
                    tests[path], is_of_device, folder_of(path, owner, base, is_source, tests[path]),
                ),
                base,
            )  # fmt: skip

    def _read_place(self, file_id: int, path: str) -> bool:
        """Note where a file stands that defines functions; whether that is a test's."""
        self.depths[file_id] = path.count("/")
        is_test = is_of_test(path)
        if is_test:
            self.test_files.add(file_id)
        return is_test

    def _add(self, definition: Definition, base: str) -> None:
        """Take in a function by its names, `base` being the last part."""
        owner, file_id = definition.owner, definition.file_id
        same = self.by_name.get(definition.name)
        if same is None:
            same = self.by_name[definition.name] = self.by_last.setdefault(base, {})[owner] = []
        same.append(definition)
        of_class = f"{owner}::structured_{base}" if definition.kind == "structured" else owner
        self.owners[definition.id] = (
            of_class if of_class in self.generated_classes else owner,
            file_id,
        )
        if owner in self.classes:
            self.methods[base].append(definition)
        elif definition.is_hidden or definition.is_of_device or definition.folder:
            self.hidden.add(base)

    def _of_directive(self, owner: str, file_id: int) -> str:
        """The class whose method a file defines outside of its namespace, which it uses ([class.mfct], 3).

        `using namespace torch::jit::tensorexpr;` comes before `void TensorExprKernel::run(…)` in kernel.cpp.
        """
        for space in self.directives.get(("", file_id), ()):
            if f"{space}::{owner}" in self.classes:
                return f"{space}::{owner}"
        return owner

    def _read_fields(self, conn: sqlite3.Connection) -> None:
        for file_id, data in kept_values(conn, FIELDS):
            seen_from = file_id if self.paths[file_id].endswith(SOURCE_SUFFIXES) else 0
            with unpacking():
                classes = PackedFields(data).unpacked()
            for class_name, fields in classes:
                known = self.fields[class_name, seen_from]
                for name, signed in fields:
                    of_type = signed.rstrip(FIELD_SIGNS) or UNSURE
                    sign = signed[len(of_type) :]
                    one = known.setdefault(name, (of_type, file_id, sign))
                    if one[0] != of_type:
                        known[name] = UNSURE, file_id, FIELD_OPEN
                    elif one[2] != sign:
                        known[name] = of_type, one[1], FIELD_OPEN

    def _read_structured(self, conn: sqlite3.Connection) -> set[str]:
        """The classes that the generator writes for structured kernels, which `impl` and `meta` are methods of.

        That of the meta function derives from what the YAML says (torchgen/gen.py, ComputeMetaFunctionDeclaration: by
        the functional variant's name, torchgen/api/meta.py), a kernel's from it (torchgen/dest/native_functions.py,
        gen_structured): `TORCH_META_FUNC` and `TORCH_IMPL_FUNC` call `set_output_raw_strided` and `build_…` of these.
        """
        found: set[str] = set()
        for base, overload, inherits, kernel in conn.execute(
            "SELECT f.base, f.overload, o.structured_inherits, d.kernel FROM operators AS o"
            " JOIN operators AS f ON f.signature = o.signature AND f.kind = 'functional'"
            " LEFT JOIN dispatch AS d ON d.operator_id = o.id AND d.structured AND d.origin = 'yaml'"
            " WHERE o.structured ORDER BY o.id, d.id"
        ):
            meta = f"at::meta::structured_{base}" + (f"_{overload}" if overload else "")
            self.classes.setdefault(meta, [inherits or "at::impl::MetaBase"])
            found.add(meta)
            if kernel is not None:
                space, _, name = kernel.rpartition("::")
                self.classes.setdefault(f"{space}::structured_{name}", [meta])
                found.add(f"{space}::structured_{name}")
        return found

    def _read_generated(self, conn: sqlite3.Connection) -> set[str]:
        """The methods of a tensor that the generator writes into its class (torchgen/gen.py, ComputeTensorMethod).

        They hide what TensorBase has of the same name, but where the class says that it uses that as well.
        """
        found = conn.execute(
            "SELECT DISTINCT base FROM operators WHERE namespace = 'aten' AND origin = 'yaml'"
            " AND NOT manual_cpp_binding AND instr(variants, 'method') AND kind <> 'out'"
        )
        return {base for (base,) in found}.difference(self.aliases.get((TENSOR, 0), ()))

    def _read_bound(self, conn: sqlite3.Connection) -> set[tuple[int, int]]:
        """Files and lines of what pybind11 is told to bind; a class_ of torch's own has names below torch.classes."""
        return set(
            conn.execute(
                "SELECT file_id, line FROM bindings WHERE form <> 'generated'"
                " AND owner IS NOT NULL AND owner NOT GLOB 'py:torch.classes.*'"
            )
        )

    def _wanted(self, asked: Asked) -> tuple[str, str]:
        """The files and the last parts of names, with those that aliases lead to."""
        leads: dict[str, set[str]] = defaultdict(set)
        for aliases in self.aliases.values():
            for alias, target in aliases.items():
                leads[alias.rpartition("::")[2]].add(target.rpartition("::")[2])
        names = set(asked.names)
        pending = list(names)
        while pending:
            for target in leads.get(pending.pop(), ()):
                if target not in names:
                    names.add(target)
                    pending.append(target)
        # As the table has it, which splits at single colons too.
        lasts = {name.rpartition(":")[2] for name in names}
        return chosen(asked.files), chosen(lasts)

    def _read_spaces(self) -> set[str]:
        """Every namespace and class that holds anything."""
        spaces: set[str] = set()
        for name in {owner for owner, _ in self.owners.values()}.union(self.classes):
            while name and name not in spaces:
                spaces.add(name)
                name = name.rpartition("::")[0]
        return spaces

    def _using(self, keyword: str, text: str, holder: tuple[str, int]) -> None:
        name, equals, whole = text.partition("=")
        target = whole.strip().removeprefix("typename ").partition("<")[0].strip().lstrip(":")
        if equals:
            if target:
                name = name.split("<")[0].strip()
                self.aliases[holder].setdefault(name, target)
                if "<" in whole:
                    self.whole_aliases[holder].setdefault(name, whole.strip())
        elif keyword == "using" and text.startswith("namespace "):
            self.directives[holder].append(text.removeprefix("namespace ").strip().lstrip(":"))
        elif keyword == "using" and "::" in text:
            target = text.removeprefix("typename ").strip().lstrip(":")
            self.aliases[holder].setdefault(target.rpartition("::")[2], target)
