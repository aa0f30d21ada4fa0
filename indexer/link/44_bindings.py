"""Where in Python is each binding? Follows modules, types and tables from the file that names them to a dotted path.

Also: which methods stand for the `${py_method_defs}` of tools/autograd's templates, and which types for its
`${py_return_types_registrations}`, by the rules of tools/autograd/gen_python_functions.py.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator

from indexer.link.generated_bindings import (
    RETURN_TYPES,
    generated_methods,
    generated_return_types,
)
from indexer.workers import WorkerPool

_MOST_PATHS = 6
_MACRO = re.compile(r"\{(\w+)\}")
_TEXT = re.compile(r'"([\w.]*)"')


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Set `bindings.python_name` in the database `conn`; a binding seen under several paths becomes several rows."""
    owners = _Owners(conn)
    rows = conn.execute(
        "SELECT id, name, owner, cpp_name, scope, form, file_id, line FROM bindings ORDER BY id"
    ).fetchall()
    named: list[tuple[str, int]] = []
    more: list[tuple[object, ...]] = []
    gone: list[tuple[int]] = []
    for identity, name, owner, cpp_name, scope, form, file_id, line in rows:
        paths = owners.paths(owners.binding_node(owner, file_id)) if owner else []
        if form == "generated":
            gone.append((identity,))
            for path in paths:
                for method, function in generated_methods(conn, file_id):
                    more.append(
                        (method, owner, f"{path}.{method}", function, scope, form, file_id, line)
                    )
            continue
        for number, path in enumerate(paths):
            full = f"{path}.{name}"
            if number:
                more.append((name, owner, full, cpp_name, scope, form, file_id, line))
            else:
                named.append((full, identity))
            if full == RETURN_TYPES:
                more += (
                    (kind, owner, f"{full}.{kind}", None, scope, form, file_id, line)
                    for kind in generated_return_types(conn)
                )
    conn.executemany("UPDATE bindings SET python_name = ? WHERE id = ?", named)
    conn.executemany("DELETE FROM bindings WHERE id = ?", gone)
    conn.executemany(
        "INSERT INTO bindings (name, owner, python_name, cpp_name, scope, form, file_id, line)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        more,
    )


class _Owners:
    """The owners' graph, its names looked up from the scopes they stand in."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        links = conn.execute(
            "SELECT node, parent, name, scope, file_id FROM binding_owners ORDER BY rowid"
        ).fetchall()
        owners = conn.execute(
            "SELECT DISTINCT owner, file_id FROM bindings WHERE owner IS NOT NULL ORDER BY owner, file_id"
        ).fetchall()
        self.tables: dict[str, list[int]] = defaultdict(list)
        self.functions: dict[str, set[str]] = {"arg": set(), "call": set()}
        for owner, file_id in owners:
            kind, _, rest = owner.partition(":")
            if kind == "table":
                self.tables[rest].append(file_id)
        # Functions are named as written by those who call them, and qualified by those who are them.
        for text in [row[0] for row in owners] + [row[1] for row in links]:
            self._know(text, "arg")
        for node, parent, name, *_ in links:
            # Where there is a name it is said of a call, as written, and not by the function itself.
            if parent.startswith("def:") and not name:
                self._know(node, "call")
            elif node.startswith("table:"):
                self._know(parent, "call")
        self.last: dict[str, dict[str, list[str]]] = {
            kind: _by_last(names) for kind, names in sorted(self.functions.items())
        }
        self.table_last = _by_last(set(self.tables))
        self.members = _not_one(links)
        self.parents: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for node, parent, name, scope, file_id in links:
            key = self._canonical(node, scope, file_id)
            self.parents[key].append((self._canonical(parent, scope, file_id), name))
        # A module that a function makes is added to another one where the function is called: that is where it is
        # found, whatever its PyModuleDef calls it.
        added: dict[str, list[tuple[str, str]]] = {}
        for key in sorted(k for k in self.parents if k.startswith("call:")):
            made = [
                parent
                for parent, name in self.parents[key]
                if parent.startswith("def:") and not name
            ]
            for parent, name in [pair for pair in self.parents[key] if pair[1]]:
                for definition in made:
                    added.setdefault(definition, []).append((parent, name))
        self.parents.update(added)
        self._found: dict[str, list[str]] = {}
        self._texts = _texts(conn, {word for link in links for word in _MACRO.findall(link[1])})

    def _told(self, path: str) -> list[str]:
        """A path that a file writes, with what the macros among its texts are; nothing where one is not known."""
        whole = _MACRO.sub(lambda match: self._texts.get(match[1], match[0]), path)
        return [] if _MACRO.search(whole) else [whole]

    def _know(self, text: str, kind: str) -> None:
        if text.startswith(f"{kind}:"):
            name = text.split(":", 1)[1].split("|")[0].split("#")[0]
            self.functions[kind].add(name)

    def binding_node(self, owner: str, file_id: int) -> str:
        """The node of a binding's owner: tables are those of the binding's file."""
        return f"{owner}@{file_id}" if owner.startswith("table:") else owner

    def _canonical(self, node: str, scope: str, file_id: int) -> str:
        kind, _, rest = node.partition(":")
        if kind == "type":
            last = rest.rsplit("::", 1)[-1]
            return f"type:{rest if last in self.members else last}"
        if kind == "table":
            for name in _candidates(rest, scope):
                files = self.tables.get(name, [])
                if file_id in files:
                    return f"table:{name}@{file_id}"
                if len(files) == 1:
                    return f"table:{name}@{files[0]}"
            alike = self.table_last.get(rest.rsplit("::", 1)[-1], [])
            if len(alike) == 1 and len(self.tables[alike[0]]) == 1:
                return f"table:{alike[0]}@{self.tables[alike[0]][0]}"
            return node
        if kind in ("arg", "call"):
            head, bar, member = rest.partition("|")
            name, sharp, index = head.partition("#")
            known = self.functions[kind]
            found = next((c for c in _candidates(name, scope) if c in known), "")
            if not found:
                alike = self.last[kind].get(name.rsplit("::", 1)[-1], [])
                fitting = [c for c in alike if f"::{c}".endswith(f"::{name}")]
                found = fitting[0] if len(fitting) == 1 else name
            return f"{kind}:{found}{sharp}{index}{bar}{member}"
        return node

    def paths(self, node: str, depth: int = 0) -> list[str]:
        """Every dotted path of a node, the first told first; empty where none is known."""
        base, _, member = node.partition("|")
        if base.startswith("py:"):
            found = self._told(base[3:])
        elif base in self._found:
            found = self._found[base]
        elif depth > 20:
            return []
        else:
            self._found[base] = []  # a loop ends here
            seen: dict[str, None] = {}
            for parent, name in self.parents.get(base, ()):
                for path in self.paths(parent, depth + 1):
                    seen[f"{path}.{name}" if name else path] = None
            if not seen and base.startswith("vec:") and not base.startswith("vec:*:"):
                # A vector that another function fills through a parameter of the same name.
                for path in self.paths(f"vec:*:{base.rsplit(':', 1)[1]}", depth + 1):
                    seen[path] = None
            found = self._found[base] = list(seen)[:_MOST_PATHS]
        return [f"{path}.{member}" for path in found] if member else found


def _texts(conn: sqlite3.Connection, names: set[str]) -> dict[str, str]:
    """What macros are that are a text, each the same wherever it is defined."""
    found: dict[str, str] = {}
    for name in sorted(names):
        bodies = conn.execute(
            "SELECT DISTINCT body FROM macro_definitions WHERE name = ? AND params IS NULL", (name,)
        ).fetchall()
        text = _TEXT.fullmatch(bodies[0][0].strip()) if len(bodies) == 1 else None
        if text is not None:
            found[name] = text[1]
    return found


def _candidates(name: str, scope: str) -> Iterator[str]:
    """A name as seen from a scope, from the innermost namespace outwards."""
    parts = scope.split("::") if scope else []
    for length in range(len(parts), -1, -1):
        yield "::".join((*parts[:length], name))


def _not_one(links: list[sqlite3.Row]) -> set[str]:
    """Last parts of types that several classes have as their member: `Dim::Type`, `Tensor::Type`."""
    types = {end.partition(":")[2] for link in links for end in link[:2] if end.startswith("type:")}
    found = set()
    for last, names in _by_last(types).items():
        longest = max(names, key=len)
        # One type may be written with less of its namespaces elsewhere.
        if not all(f"::{longest}".endswith(f"::{name}") for name in names):
            found.add(last)
    return found


def _by_last(names: set[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        found[name.rsplit("::", 1)[-1]].append(name)
    return found
