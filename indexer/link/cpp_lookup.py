"""C++ name lookup over the definitions of the tree: what a name can mean where it is written.

What the standard calls unqualified and qualified lookup ([basic.lookup]), as far as it can be done without types:
scopes from the inside out, bases of classes, using-directives and -declarations, namespace and type aliases.
Argument-dependent lookup is left out, since it needs the arguments' types.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from indexer.link.cpp_parameters import OWN_NAME, parameters_of

SOURCE_SUFFIXES = (".cpp", ".cc", ".c", ".cu", ".mm", ".m")
"""Files that no other includes."""


_DEEPEST = 5
"""So many aliases are followed, one to the next."""

_ASKED = (
    " WHERE u.id IN (SELECT id FROM functions WHERE file_id IN (SELECT value FROM json_each(?))"
    " UNION SELECT id FROM functions WHERE last COLLATE NOCASE IN (SELECT value FROM json_each(?)))"
)

_NOTHING: dict[str, list[Definition]] = {}


class Definition(NamedTuple):
    """A function that may be called.

    Args:
        id: in the table functions.
        name: qualified.
        owner: the namespace or class it is in.
        file_id: where it stands.
        is_hidden: only its own file can call it (static, or in an anonymous namespace of a source file).
        is_local: a template of a source file: others see it only where it is instantiated for them.
        kind: as in the table.
        signature: as written.
    """

    id: int
    name: str
    owner: str
    file_id: int
    is_hidden: bool
    is_local: bool
    kind: str
    signature: str


class Asked(NamedTuple):
    """What a lookup is for, where it is not for everything.

    Args:
        files: ids of the files whose calls are to be resolved.
        names: the last parts of all names in these calls.
    """

    files: Collection[int]
    names: Collection[str]


class Lookup:
    """Resolves names.

    Args:
        conn: a database that holds functions, classes and using-declarations.
        asked: what for, where that is little; its answers are the same then.
    """

    def __init__(self, conn: sqlite3.Connection, asked: Asked | None = None) -> None:
        self.by_name: dict[str, list[Definition]] = {}
        # By the name behind the last `::`, then by what stands before it.
        self.by_last: dict[str, dict[str, list[Definition]]] = {}
        self.methods: dict[str, list[Definition]] = defaultdict(list)
        self.owners: dict[int, tuple[str, int]] = {}
        self.classes: dict[str, list[str]] = {}
        self._class_files: dict[str, set[int]] = {}
        self.directives: dict[tuple[str, int], list[str]] = defaultdict(list)
        self.aliases: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
        self._hidden: set[str] = set()  # last parts of names that only their own file can call
        self._read(conn, asked)
        self._class_names = {name.rpartition("::")[2] for name in self.classes}
        # Last parts of the names by which anything of the tree can be called.
        self.namable = frozenset(self.by_last).union(
            self._class_names, *(names for names in self.aliases.values())
        )
        # The same of classes.
        self.class_namable = self._class_names.union(*(names for names in self.aliases.values()))
        self._using_files = {file_id for _, file_id in (*self.directives, *self.aliases)}
        # To leave out namespaces that hold nothing saves looking there; of a few names it would not.
        self._spaces = self._read_spaces() if asked is None else None
        self._bases: dict[str, list[str]] = {}
        self._derived: dict[str, list[str]] | None = None
        self._levels: dict[tuple[str, int], tuple[str, ...]] = {}
        self._method_owners: dict[str, int] = {}
        self._counts: dict[int, tuple[int, bool]] = {}
        self._written_types: dict[int, tuple[str, ...]] = {}
        self._plain: dict[tuple[str, str, int], list[Definition]] = {}
        self._types: dict[tuple[str, str, int], str | None] = {}

    def _read(self, conn: sqlite3.Connection, asked: Asked | None) -> None:
        for name, base, file_id, path in conn.execute(
            "SELECT c.name, b.base, c.file_id, f.path FROM cpp_classes AS c"
            " JOIN source_files AS f ON f.id = c.file_id"
            " LEFT JOIN cpp_bases AS b ON b.class_id = c.id ORDER BY c.id, b.position"
        ):
            bases = self.classes.setdefault(name, [])
            # What a header defines is seen from everywhere, noted as file 0.
            seen_from = file_id if path.endswith(SOURCE_SUFFIXES) else 0
            self._class_files.setdefault(name, set()).add(seen_from)
            if base is not None and base not in bases:
                bases.append(base)
        # What is called like a function is a class, also where a macro makes it.
        for (name,) in conn.execute(
            "SELECT DISTINCT name FROM functions"
            " WHERE macro IS NOT NULL AND last = 'operator()' COLLATE NOCASE ORDER BY name"
        ):
            self.classes.setdefault(name.rpartition("::")[0], [])
        for keyword, text, scope, file_id, path in conn.execute(
            "SELECT u.keyword, u.text, u.scope, u.file_id, f.path FROM cpp_usings AS u"
            " JOIN source_files AS f ON f.id = u.file_id ORDER BY u.rowid"
        ):
            # What a header says holds for all who include it: nearly everyone in its namespace.
            holder = (scope, file_id if path.endswith(SOURCE_SUFFIXES) else 0)
            self._using(keyword, text, holder)
        for row in conn.execute(
            "SELECT u.id, u.name, u.file_id, u.is_anonymous, u.kind, u.signature, f.path FROM functions AS u"
            " JOIN source_files AS f ON f.id = u.file_id"
            + ("" if asked is None else _ASKED)
            + " ORDER BY u.id",
            () if asked is None else self._wanted(asked),
        ):
            identity, name, file_id, anonymous, kind, signature, path = row
            owner, _, base = name.rpartition("::")
            is_source = path.endswith(SOURCE_SUFFIXES)
            hidden = (
                is_source
                and owner not in self.classes
                and (
                    bool(anonymous)
                    or signature.startswith("static ")
                    or " static " in signature.partition("(")[0]
                )
            )
            local = is_source and signature.startswith("template")
            definition = Definition(identity, name, owner, file_id, hidden, local, kind, signature)
            same = self.by_name.get(name)
            if same is None:
                same = self.by_name[name] = self.by_last.setdefault(base, {})[owner] = []
            same.append(definition)
            self.owners[identity] = (owner, file_id)
            if owner in self.classes:
                self.methods[base].append(definition)
            elif hidden:
                self._hidden.add(base)

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
        lasts = sorted({name.rpartition(":")[2] for name in names})
        return json.dumps(sorted(asked.files)), json.dumps(lasts)

    def _read_spaces(self) -> set[str]:
        """Every namespace and class that holds anything."""
        spaces: set[str] = set()
        for name in {owner for owner, _ in self.owners.values()}.union(self.classes):
            while name and name not in spaces:
                spaces.add(name)
                name = name.rpartition("::")[0]
        return spaces

    def _using(self, keyword: str, text: str, holder: tuple[str, int]) -> None:
        name, equals, target = text.partition("=")
        target = target.strip().removeprefix("typename ").partition("<")[0].strip().lstrip(":")
        if equals:
            if target:
                self.aliases[holder].setdefault(name.split("<")[0].strip(), target)
        elif keyword == "using" and text.startswith("namespace "):
            self.directives[holder].append(text.removeprefix("namespace ").strip().lstrip(":"))
        elif keyword == "using" and "::" in text:
            target = text.removeprefix("typename ").strip().lstrip(":")
            self.aliases[holder].setdefault(target.rpartition("::")[2], target)

    def bases(self, name: str) -> list[str]:
        """A class and its bases, the nearest first."""
        known = self._bases.get(name)
        if known is None:
            known = self._bases[name] = [name]  # set first: a class may name itself
            for written in self.classes.get(name, ()):
                base = self.find_class(written, name.rpartition("::")[0], 0)
                if base is not None and base != name:
                    known.extend(b for b in self.bases(base) if b not in known)
        return known

    def level(self, scope: str, file_id: int) -> tuple[str, ...]:
        """Where a name is looked up at one scope: itself, a class's bases, and the namespaces that it uses."""
        key = (scope, file_id)
        known = self._levels.get(key)
        if known is None:
            found = list(self.bases(scope)) if scope in self.classes else [scope]
            for holder in ((scope, file_id), (scope, 0)):
                for directive in self.directives.get(holder, ()):
                    found.extend(self._namespaces(directive, scope))
            known = self._levels[key] = tuple(dict.fromkeys(found))
        return known

    def _namespaces(self, written: str, scope: str) -> list[str]:
        """What of the tree the namespace in a using-directive may be, seen from a scope."""
        found = []
        while scope:
            found.append(f"{scope}::{written}")
            scope = scope.rpartition("::")[0]
        spaces = self._spaces
        return [name for name in (written, *found) if spaces is None or name in spaces]

    def _alias(self, name: str, scope: str, file_id: int) -> str | None:
        for holder in ((scope, file_id), (scope, 0)):
            target = self.aliases.get(holder, {}).get(name)
            if target is not None:
                return target
        return None

    def is_visible(self, class_name: str, file_id: int) -> bool:
        """Whether a file can mean a class: not one that another source file defines for itself."""
        files = self._class_files.get(class_name)
        return files is None or 0 in files or file_id in files

    def find_class(self, written: str, owner: str, file_id: int) -> str | None:
        """The class that a type's name means, or None where the tree does not define it."""
        key = (written, owner, file_id)
        if key in self._types:
            return self._types[key]
        self._types[key] = None  # an alias may lead back here
        found = self._find_class(written, owner, file_id)
        self._types[key] = found
        return found

    def _find_class(self, written: str, owner: str, file_id: int) -> str | None:
        if written.startswith("::"):
            return written[2:] if written[2:] in self.classes else None
        first, _, rest = written.partition("::")
        scope = owner
        while True:
            for candidate in self.level(scope, file_id):
                name = f"{candidate}::{written}" if candidate else written
                if name in self.classes:
                    return name
            target = self._alias(first, scope, file_id)
            if target is not None and target != written:
                whole = f"{target}::{rest}" if rest else target
                found = self.find_class(whole, scope, file_id)
                if found is not None:
                    return found
            if not scope:
                return None
            scope = scope.rpartition("::")[0]

    def find(self, written: str, owner: str, file_id: int) -> list[Definition]:
        """The functions that a name in a call may mean: those of the innermost scope that has any.

        A class's name means its constructors.
        """
        if file_id not in self._using_files and written.rpartition("::")[2] not in self._hidden:
            file_id = 0  # the name means the same in all files that say nothing about it
        key = (written, owner, file_id)
        known = self._plain.get(key)
        if known is None:
            known = self._plain[key] = self._find(written, owner, file_id, 0)
        return known

    def _find(self, written: str, owner: str, file_id: int, depth: int) -> list[Definition]:
        if "::" not in written:
            return self._find_plain(written, owner, file_id, depth)
        if written.startswith("::"):
            return self._visible(written[2:], file_id)
        first, _, rest = written.partition("::")
        scope = owner
        while True:
            found: list[Definition] = []
            for candidate in self.level(scope, file_id):
                whole = f"{candidate}::{written}" if candidate else written
                found.extend(self._visible(whole, file_id) or self._used(whole, file_id, depth))
                if found and candidate == scope:
                    break
            if found:
                return found
            target = self._alias(first, scope, file_id)
            if target is not None and target != written and depth < _DEEPEST:
                found = self._find(
                    f"{target}::{rest}" if rest else target, scope, file_id, depth + 1
                )
                if found:
                    return found
            if not scope:
                return []
            scope = scope.rpartition("::")[0]

    def _used(self, name: str, file_id: int, depth: int) -> list[Definition]:
        """What a namespace has by its using-directives and -declarations where it has no such name itself.

        Qualified lookup, [namespace.qual]; `at::cuda::getCurrentCUDAStream` is c10::cuda's (c10/macros/Macros.h).
        """
        owner, _, base = name.rpartition("::")
        if owner in self.classes or base not in self.namable:
            return []
        found: list[Definition] = []
        for space in self.level(owner, file_id)[1:]:
            found.extend(self._visible(f"{space}::{base}", file_id))
        if found or depth >= _DEEPEST:
            return found
        target = self._alias(base, owner, file_id)
        return [] if target is None else self._find(target, owner, file_id, depth + 1)

    def _find_plain(self, written: str, owner: str, file_id: int, depth: int) -> list[Definition]:
        """The same for a name without `::`, which most are."""
        if written not in self.namable:
            return []
        named = self.by_last.get(written, _NOTHING)
        is_class = written in self._class_names
        classes = self.classes
        scope = owner
        while True:
            found: list[Definition] = []
            for candidate in self.level(scope, file_id):
                there = named.get(candidate)
                if there is None:
                    if is_class:
                        there = self._constructors(candidate, written)
                    if there is None and candidate in classes and len(named) > 0:
                        for parent in self.bases(candidate)[1:]:  # a method of a base
                            there = named.get(parent)
                            if there is not None:
                                break
                if there is not None:
                    found += [d for d in there if not d.is_hidden or d.file_id == file_id]
                    if found and candidate == scope:
                        break
            if found:
                return found
            target = self._alias(written, scope, file_id)
            if target is not None and target != written and depth < _DEEPEST:
                found = self._find(target, scope, file_id, depth + 1)
                if found:
                    return found
            if not scope:
                return []
            scope = scope.rpartition("::")[0]

    def _constructors(self, scope: str, name: str) -> list[Definition] | None:
        """Those of a class that stands directly in a scope; None where there is no such class."""
        whole = f"{scope}::{name}" if scope else name
        if whole not in self.classes:
            return None
        return self.by_last.get(name, _NOTHING).get(whole, [])

    def _visible(self, name: str, file_id: int) -> list[Definition]:
        found = self.by_name.get(name)
        if not found:
            if name in self.classes:
                base = name.rpartition("::")[2]
                found = self.by_name.get(f"{name}::{base}", [])
            else:
                owner, _, base = name.rpartition("::")
                if owner not in self.classes:
                    return []
                for parent in self.bases(owner)[1:]:  # a method of a base
                    found = self.by_name.get(f"{parent}::{base}")
                    if found:
                        break
                else:
                    return []
        return [d for d in found or () if not d.is_hidden or d.file_id == file_id]

    def owners_of(self, method: str) -> int:
        """How many classes have a method of a name."""
        known = self._method_owners.get(method)
        if known is None:
            owners = {definition.owner for definition in self.methods.get(method, ())}
            known = self._method_owners[method] = len(owners)
        return known

    def find_method(self, name: str, class_name: str) -> list[Definition]:
        """A class's methods of one name, or those of the nearest base that has any."""
        for owner in self.bases(class_name):
            found = self.by_name.get(f"{owner}::{name}")
            if found:
                return found
        return []

    def is_inherited(self, name: str, class_name: str) -> bool:
        """Whether a class has a method of one name from a base alone."""
        bases = self.bases(class_name)
        return f"{class_name}::{name}" not in self.by_name and any(
            f"{base}::{name}" in self.by_name for base in bases[1:]
        )

    def find_overriding(self, name: str, class_name: str) -> list[Definition]:
        """The methods of one name that classes have which derive from one, but not those of their own bases."""
        if self._derived is None:
            self._derived = {}
            for derived in self.classes:
                for base in self.bases(derived)[1:]:
                    self._derived.setdefault(base, []).append(derived)
        found: list[Definition] = []
        for derived in self._derived.get(class_name, ()):
            found.extend(self.by_name.get(f"{derived}::{name}", ()))
        return found

    def count(self, definition: Definition) -> tuple[int, bool]:
        """How many parameters a function has, and whether it takes any number more."""
        known = self._counts.get(definition.id)
        if known is None:
            parameters = parameters_of(definition.signature, definition.name)
            several = parameters is None or any("..." in p for p in parameters)
            known = self._counts[definition.id] = (len(parameters or ()), several)
        return known

    def types(self, definition: Definition) -> tuple[str, ...]:
        """The parameters' types as written, without white space: what tells overloads apart."""
        known = self._written_types.get(definition.id)
        if known is None:
            parameters = parameters_of(definition.signature, definition.name) or []
            known = tuple("".join(OWN_NAME.sub(r"\1", p).split()) for p in parameters)
            self._written_types[definition.id] = known
        return known

    def fitting(self, found: list[Definition], arguments: int | None) -> list[Definition]:
        """Those that can take so many arguments: of exactly as many parameters, else of more.

        Default values stand in declarations, which are not kept: more parameters than arguments may be right.
        """
        if arguments is None:
            return found
        if len(found) == 1:
            number, more = self.count(found[0])
            return found if number >= arguments or more else []
        counts = [(self.count(definition), definition) for definition in found]
        exact = [d for (number, more), d in counts if number == arguments and not more]
        if exact:
            return exact
        # Any of those that take any number may be meant; where the parameters could not be read, nothing is known.
        packs = [d for (number, more), d in counts if more and 0 < number <= arguments + 1]
        if packs:
            return packs
        return [d for (number, more), d in counts if number > arguments or more]
