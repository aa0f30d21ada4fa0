"""C++ name lookup over the definitions of the tree: what a name can mean where it is written.

What the standard calls unqualified and qualified lookup ([basic.lookup]), as far as it can be done without types:
scopes from the inside out, bases of classes, using-directives and -declarations, namespace and type aliases.
What the arguments' types add is `indexer.link.cpp.argument_lookup`'s.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Container

from indexer.extract.cpp.parameters import is_declared_there
from indexer.link.cpp.class_lookup import DEEPEST, ClassLookup
from indexer.link.cpp.declarations import Asked, Definition
from indexer.link.cpp.overloads import Overloads

_DEVICE = re.compile(r"\b(?:C10_HOST_DEVICE|C10_DEVICE|__device__)\b")
_INLINE = "CPU_CAPABILITY::"
"""The inline namespace of the kernels below ATen/native/cpu, which names leave out."""

_NOTHING: dict[str, list[Definition]] = {}


class Lookup(ClassLookup):
    """Resolves names.

    Args:
        conn: a database that holds functions, classes and using-declarations.
        asked: what for, where that is little; its answers are the same then.
    """

    def __init__(self, conn: sqlite3.Connection, asked: Asked | None = None) -> None:
        super().__init__(conn, asked)
        self.overloads = Overloads()
        # A source file's own class hides others' constructors from that file alone.
        of_sources = (name for name, files in self.class_files.items() if 0 not in files)
        self.hidden.update(
            {name.rpartition("::")[2] for name in of_sources}.intersection(self.by_last)
        )
        self._using_files = {file_id for _, file_id in (*self.directives, *self.aliases)}
        self._plain: dict[tuple[str, str, int], list[Definition]] = {}
        self._space_names: set[str] = set()
        # Classes by their last names, where these are theirs alone.
        self._alone: dict[str, str | None] = {}

    def is_seen(self, definition: Definition, file_id: int) -> bool:
        """Whether the file with the id `file_id` can call the function `definition` by its name."""
        if definition.is_hidden:
            return definition.file_id == file_id
        if definition.folder:
            return self.paths.get(file_id, "").startswith(definition.folder)
        # Classes are named in full, and a header that is for CUDA may have one for all (ATen/cuda/NumericLimits.cuh).
        return (
            not definition.is_of_device
            or file_id not in self.host_files
            or definition.owner in self.classes
        )

    def may_mean(self, definition: Definition, file_id: int) -> bool:
        """Whether the file `file_id` can call the method `definition` of an object whose type it does not write.

        It cannot where another source file has the class to itself, unless that is called through a base.
        """
        if definition.is_of_test and file_id not in self.test_files:
            return False
        if definition.is_of_device and file_id in self.host_files:
            return False
        owner, signature = definition.owner, definition.signature
        if self.is_visible(owner, file_id) or signature.startswith("virtual "):
            return True
        if " override" in signature.rpartition(")")[2]:
            return True
        if is_declared_there(signature, definition.name):
            return False  # it says that it overrides nothing
        return any(self.is_visible(base, file_id) for base in self.bases(owner)[1:])

    def find(self, written: str, owner: str, file_id: int) -> list[Definition]:
        """The functions that a name in a call may mean: those of the innermost scope that has any.

        A class's name means its constructors.

        Args:
            written: qualified as far as it is written.
            owner: the scope that the call stands in.
            file_id: of the file.
        """
        if file_id not in self._using_files and written.rpartition("::")[2] not in self.hidden:
            file_id = 0  # the name means the same in all files that say nothing about it
        key = (written, owner, file_id)
        known = self._plain.get(key)
        if known is None:
            known = self._plain[key] = self._find(written, owner, file_id, 0)
        return known

    def _find(self, written: str, owner: str, file_id: int, depth: int) -> list[Definition]:
        if "::" not in written:
            return self._find_plain(written, owner, file_id, depth)
        if _INLINE in written:
            written = written.replace(_INLINE, "")
        if written.startswith("::"):
            return self._visible(written[2:], file_id)
        found = self._find_qualified(written, owner, file_id, depth)
        space, _, base = written.rpartition("::")
        if found or base not in self.methods:
            return found
        if "::" not in space:
            return self._of_alone(space, base, file_id)
        # Of a class that a namespace has by a using-directive: at::GradMode::is_enabled.
        of_class = self.find_class(space, owner, file_id)
        if of_class is None:
            outer, _, last = space.rpartition("::")
            of_class = (
                f"c10::{last}" if outer.rpartition("::")[2] in self._namespace_names() else ""
            )
        return self._visible(f"{of_class}::{base}", file_id) if of_class in self.classes else []

    def _namespace_names(self) -> set[str]:
        """The last parts of all namespaces that hold classes."""
        if not self._space_names:
            spaces = {name.rpartition("::")[0] for name in self.classes}
            self._space_names = {
                name.rpartition("::")[2] for name in spaces.difference(self.classes)
            }
        return self._space_names

    def _of_alone(self, space: str, base: str, file_id: int) -> list[Definition]:
        """Methods of the only class of a name, where macros may say who uses it (`C10_FORALL_TYPES(C10_USING)`).

        Of several it is c10's, whose types all others use.
        """
        if not self._alone:
            for name in self.classes:
                last = name.rpartition("::")[2]
                self._alone[last] = None if last in self._alone else name
        alone = self._alone.get(space, "") or f"c10::{space}"
        return self._visible(f"{alone}::{base}", file_id) if alone in self.classes else []

    def _find_qualified(
        self, written: str, owner: str, file_id: int, depth: int
    ) -> list[Definition]:
        first, _, rest = written.partition("::")
        scope = owner
        while True:
            found: list[Definition] = []
            hiding = self._hiding.get(scope, scope)
            for candidate in self.level(scope, file_id):
                whole = f"{candidate}::{written}" if candidate else written
                there = self._visible(whole, file_id)
                if there:
                    found += self._with_own_used(there, whole, file_id, depth)
                else:
                    found += self._used(whole, file_id, depth)
                if found and candidate == hiding:
                    break
            if found:
                return found
            if scope in self.classes:
                # The name of a base is a member of the class ([class.pre], 2): `Store::append(…)`.
                for base in self.bases(scope)[1:]:
                    if base.rpartition("::")[2] == first:
                        there = self._visible(f"{base}::{rest}", file_id)
                        return self._with_own_used(there, f"{base}::{rest}", file_id, depth)
            target = self._alias(first, scope, file_id)
            if target is not None and target != written and depth < DEEPEST:
                found = self._find(
                    f"{target}::{rest}" if rest else target, scope, file_id, depth + 1
                )
                if found or scope in self._owners:  # a body's own hides all around it
                    return found
            if not scope:
                return []
            scope = scope.rpartition("::")[0]

    def _with_own_used(
        self, found: list[Definition], name: str, file_id: int, depth: int
    ) -> list[Definition]:
        """What a namespace or class has of a qualified name, with what its using-declaration names."""
        space, _, last = name.rpartition("::")
        return self._with_used(found, self._alias(last, space, file_id), space, file_id, depth)

    def _with_used(
        self, found: list[Definition], target: str | None, scope: str, file_id: int, depth: int
    ) -> list[Definition]:
        """What a scope has itself, with what a using-declaration there names ([namespace.udecl]).

        `using c10::maybe_wrap_dim;` in `at` stands beside overloads of at's own (ATen/WrapDimUtils.h).
        """
        if target is None or "::" not in target or depth >= DEEPEST:
            return found
        others = self._find(target, scope, file_id, depth + 1)
        return found + [d for d in others if d.kind != "constructor" and d not in found]

    def _used(self, name: str, file_id: int, depth: int) -> list[Definition]:
        """What a namespace has by its using-directives and -declarations where it has no such name itself.

        Qualified lookup, [namespace.qual]; `at::cuda::getCurrentCUDAStream` is c10::cuda's (c10/macros/Macros.h).
        """
        owner, _, base = name.rpartition("::")
        if owner in self.classes or base not in self.namable:
            return []
        found: list[Definition] = []
        hidden: set[str] = set()  # used by a namespace that has the name itself
        for space in self.used(owner, file_id):
            of_space = [] if space in hidden else self._visible(f"{space}::{base}", file_id)
            if of_space:
                found += of_space
                hidden.update(self.used(space, file_id))
        if found or depth >= DEEPEST:
            return found
        target = self._alias(base, owner, file_id)
        return [] if target is None else self._find(target, owner, file_id, depth + 1)

    def _find_plain(self, written: str, owner: str, file_id: int, depth: int) -> list[Definition]:
        """The same for a name without `::`, which most are."""
        if written not in self.namable:
            return []
        named = self.by_last.get(written, _NOTHING)
        is_class = written in self.class_names
        classes = self.classes
        scope = owner
        nearer: list[Definition] = []
        while True:
            found: list[Definition] = []
            hiding = self._hiding.get(scope, scope)
            for candidate in self.level(scope, file_id):
                there = named.get(candidate)
                if there is None:
                    if is_class:
                        there = self._constructors(candidate, written)
                        if (
                            scope
                            and there == []
                            and candidate == scope
                            and self.is_visible(f"{scope}::{written}", file_id)
                        ):
                            return nearer  # a class without a written constructor hides what is farther
                    if there is None and candidate in classes and len(named) > 0:
                        for parent in self.bases(candidate)[1:]:  # a method of a base
                            there = named.get(parent)
                            if there is not None:
                                break
                if there is not None:
                    found += [d for d in there if self.is_seen(d, file_id)]
                    if found and candidate == hiding:
                        found += self._beside_own(named, found, scope, file_id)
                        break
            target = self._alias(written, scope, file_id)
            if found and not nearer and _may_be_unseen(found, file_id, classes):
                # `ceil_div` is at::native's where ScanUtils.cuh is included, else at's.
                nearer = found
            elif found:
                found = self._with_used(found, target, scope, file_id, depth)
                return nearer + _for_device(found) if nearer else found
            elif target is not None and target != written and depth < DEEPEST:
                found = self._find(target, scope, file_id, depth + 1)
                if found or scope in self._owners:
                    return nearer + _for_device(found) if nearer else found
            if not scope:
                break
            scope = scope.rpartition("::")[0]
        if not nearer:
            for space in self.further(self.owner(owner), file_id):
                nearer += [d for d in named.get(space, ()) if self.is_seen(d, file_id)]
        if not nearer and is_class:
            constructed = self.farther_class(written, self.owner(owner), file_id)
            nearer = self._visible(constructed, file_id) if constructed is not None else []
        return nearer

    def _beside_own(
        self,
        named: dict[str, list[Definition]],
        found: list[Definition],
        scope: str,
        file_id: int,
    ) -> list[Definition]:
        """What stands beside a namespace's own functions by the file's directives for namespaces within it.

        These names are seen as if they stood in the outer one ([namespace.udir], 2): `floor` is torch::jit's and that
        of torch::jit::tensorexpr where torch::jit says that it uses that.
        """
        directives = self.directives.get((scope, file_id), ()) if file_id else ()
        spaces = [
            space
            for directive in directives
            for space in self._namespaces(directive, scope, file_id)
            if space.startswith(f"{scope}::")
        ]
        return [
            d
            for space in dict.fromkeys(spaces)
            for d in named.get(space, ())
            if d not in found and self.is_seen(d, file_id)
        ]

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
        return [d for d in found or () if self.is_seen(d, file_id)]


def _may_be_unseen(found: list[Definition], file_id: int, classes: Container[str]) -> bool:
    """Whether all of some functions stand in headers of CUDA's that few include: another scope's may be meant."""
    return all(d.is_of_device and d.file_id != file_id and d.owner not in classes for d in found)


def _for_device(found: list[Definition]) -> list[Definition]:
    """Those of some functions that CUDA's code can call as well as a host's."""
    return [d for d in found if _DEVICE.search(d.signature)]
