"""Which headers a file includes, read off its text: for the choice of what to precompile and the keys of the cache.

Conditions are not looked at, so that what is reached holds at least what the parser will read of the tree.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from indexer.clang.texts import Texts

_FEW = 20
"""A unit in so many that has to be parsed again costs less than a header that is not precompiled."""


class Node(NamedTuple):
    """One file as the graph sees it.

    Args:
        path: absolute.
        digest: of its content.
        found: absolute paths that it includes.
        foreign: names that it includes and that are in none of the folders.
        bare: has code and nothing that keeps it from being read twice.
        once: has `#pragma once` and nothing that makes it unfit for a precompiled header: no `using namespace` at
            the top level, no `#undef` of what others define.
        launches: has `<<<` in it.
        stubs: names of the DispatchStubs that it declares; two headers may declare the same.
    """

    path: str
    digest: str
    found: tuple[str, ...]
    foreign: tuple[str, ...]
    bare: bool
    once: bool
    launches: bool
    stubs: tuple[str, ...]


class Includes:
    """The graph of includes below some files.

    Args:
        folders: absolute folders that headers are looked up in, in order: the tree's and the generated ones.
        texts: of all files.
        quoted: folders that come before, for names in quotes.
    """

    def __init__(
        self, folders: Sequence[str], texts: Texts | None = None, quoted: Sequence[str] = ()
    ) -> None:
        self._folders = folders
        self._quoted = quoted
        self._texts = texts or Texts()
        self._nodes: dict[str, Node] = {}
        self._resolved: dict[str, str | None] = {}
        self._listed: dict[str, frozenset[str]] = {}
        self._digests: dict[str, bytes] = {}

    def node(self, path: str) -> Node:
        """What the file `path` (absolute) is and includes; an empty node where it cannot be read."""
        known = self._nodes.get(path)
        if known is None:
            known = self._nodes[path] = self._read(path)
        return known

    def _read(self, path: str) -> Node:
        text = self._texts.text(path)
        found: list[str] = []
        foreign: list[str] = []
        for include in text.includes:
            name = include[1:]
            target = None
            if include[0] == '"':
                target = self._beside(path, name) or self._first(name, self._quoted)
            target = target or self._in_folders(name)
            if target is None:
                foreign.append(name)
            elif target != path:
                found.append(target)
        return Node(
            path, text.digest, tuple(found), tuple(foreign), text.bare, text.once, text.launches, text.stubs,
        )  # fmt: skip

    def _beside(self, includer: str, name: str) -> str | None:
        path = os.path.normpath(f"{os.path.dirname(includer)}/{name}")
        return path if self._exists(path) else None

    def _in_folders(self, name: str) -> str | None:
        if name not in self._resolved:
            self._resolved[name] = self._first(name, self._folders)
        return self._resolved[name]

    def _first(self, name: str, folders: Sequence[str]) -> str | None:
        # An absolute name is looked up nowhere.
        candidates = (os.path.normpath(os.path.join(folder, name)) for folder in folders)
        return next(filter(self._exists, candidates), None)

    def _exists(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        names = self._listed.get(folder)
        if names is None:
            try:
                names = frozenset(os.listdir(folder))
            except OSError:
                names = frozenset()
            self._listed[folder] = names
        return name in names

    def components(self, roots: Iterable[str]) -> list[list[str]]:
        """The files that are reached from some, in groups that include each other (Tarjan's components).

        Args:
            roots: absolute paths; they are reached, too.

        Returns:
            Groups that are included first.
        """
        index: dict[str, int] = {}
        low: dict[str, int] = {}
        stack: list[str] = []
        on_stack: set[str] = set()
        found: list[list[str]] = []
        for root in roots:
            if root in index:
                continue
            index[root] = low[root] = len(index)
            stack.append(root)
            on_stack.add(root)
            work = [(root, iter(self.node(root).found))]
            while work:
                path, targets = work[-1]
                for target in targets:
                    if target not in index:
                        index[target] = low[target] = len(index)
                        stack.append(target)
                        on_stack.add(target)
                        work.append((target, iter(self.node(target).found)))
                        break
                    if target in on_stack:
                        low[path] = min(low[path], index[target])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[path])
                    if low[path] == index[path]:
                        component: list[str] = []
                        while not component or component[-1] != path:
                            component.append(stack.pop())
                            on_stack.discard(component[-1])
                        found.append(sorted(component))
        return found

    def users(self, units: Sequence[str]) -> tuple[dict[str, int], dict[str, int]]:
        """How many of some units include each header, and each foreign name, however far.

        Args:
            units: absolute paths.
        """
        masks: dict[str, int] = {}
        for position, unit in enumerate(units):
            masks[unit] = masks.get(unit, 0) | 1 << position
        headers: dict[str, int] = {}
        foreign: dict[str, int] = {}
        for component in reversed(self.components(units)):
            mask = 0
            for path in component:
                mask |= masks.get(path, 0)
            for path in component:
                node = self.node(path)
                headers[path] = mask.bit_count()
                for target in node.found:
                    masks[target] = masks.get(target, 0) | mask
                for name in node.foreign:
                    foreign[name] = foreign.get(name, 0) | mask
        return headers, {name: mask.bit_count() for name, mask in foreign.items()}

    def reaching(self, units: Sequence[str], wanted: Callable[[Node], bool]) -> set[str]:
        """The files that are wanted or include such a file, however far.

        Args:
            units: absolute paths of files; they and all that they include are looked at.
            wanted: whether a file is, by its node.

        Returns:
            Absolute paths.
        """
        found: set[str] = set()
        for component in self.components(units):
            nodes = [self.node(path) for path in component]
            if any(wanted(node) or not found.isdisjoint(node.found) for node in nodes):
                found.update(component)
        return found

    def read_twice(self, units: Sequence[str], users: Mapping[str, int]) -> set[str]:
        """Files without a guard that many of their users may include a second time.

        Args:
            units: absolute paths.
            users: how many units include a header, however far.
        """
        includers: dict[str, int] = {}
        for component in self.components(units):
            for path in component:
                node = self.node(path)
                # What has a guard, and is precompiled as well, does no harm.
                if not node.once:
                    for target in set(node.found):
                        includers[target] = includers.get(target, 0) + 1
        return {
            path
            for path, count in includers.items()
            if count * _FEW > users.get(path, 0) and self.node(path).bare
        }

    def resolve(self, name: str) -> str | None:
        """The absolute path of the file in the folders that `name`, as in `#include <name>`, leads to, or None."""
        return self._in_folders(name)

    def resolve_quoted(self, name: str) -> str | None:
        """The absolute path of the file that `name`, as in `#include "name"`, leads to, or None.

        The folder of the file that includes it is not looked at. An absolute path leads to itself, if a file is there.
        """
        if os.path.isabs(name):
            return name if self._exists(name) else None
        return self._first(name, self._quoted) or self._in_folders(name)

    def included(self) -> set[str]:
        """Every file that some other includes."""
        return {target for node in self._nodes.values() for target in node.found}

    def tail(self, path: str) -> bytes:
        """What stands behind the own part of the file `path` (absolute) in what its digest is made of.

        Raises:
            KeyError: `digests` was not asked for it, or for a file that includes it.
        """
        return b"".join(self._digests[target] for target in self.node(path).found)

    def digests(self, paths: Sequence[str]) -> list[bytes]:
        """Digests of files with all that they include, however far.

        Args:
            paths: absolute.

        Returns:
            One for each of them, in their order.
        """
        for component in self.components(paths):
            state = hashlib.blake2b(digest_size=16)
            inside = set(component)
            for member in component:
                node = self.node(member)
                state.update(member.encode("utf-8", "surrogateescape") + bytes.fromhex(node.digest))
                for target in node.found:
                    if target not in inside:
                        state.update(self._digests[target])
            for member in component:
                self._digests[member] = state.digest()
        return [self._digests[path] for path in paths]
