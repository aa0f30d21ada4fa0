"""Modules of the C++ API, which are used by the holder of another name: `Linear model(5, 2); model(x)`.

`TORCH_MODULE(Linear)` makes a class that holds a LinearImpl (torch/csrc/api/include/torch/nn/pimpl.h). What is called
on it is called on what it holds, which no call tells. The tests' files are read for the name.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator

from torchtalk.affected import queries
from torchtalk.affected.graph.nodes import Node, spread
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.affected.sources import Sources
from torchtalk.sqlfile import listed

_HELD = re.compile(r"(?:^|::)(\w+)Impl(?:<.*>)?(?:::~?\w+)?$")
_MACRO = "TORCH_MODULE"
_NAMED = 0.8
_USES = 0.6
_MOST_NAMES = 8
_MOST_HEIRS = 16
# The head of a test may be called so without a use, and so may a text.
_NO_USE = re.compile(r"\s*(?:\w*TEST\w*\s*\(|//)")


def take_holders(conn: sqlite3.Connection, changes: Changes, sources: Sources) -> None:
    """Add the C++ tests that use the holders of modules whose implementation changed, or what several derive from.

    Args:
        conn: an index.
        changes: to be added to.
        sources: the tree.
    """
    held: dict[str, Seed] = {}
    for seed in changes.seeds.values():
        match = _HELD.search(seed.node.name) if seed.node.kind == "cpp" else None
        if match and len(held) < _MOST_NAMES:
            held.setdefault(match[1], seed)
    if not held or sources.root is None:
        return
    sql = queries("texts")
    names = _with_holders(conn, held)
    for name in [name for name in held if name not in names]:
        for heir in _heirs(conn, name):
            held.setdefault(heir, held[name])
            names |= _with_holders(conn, (heir,))
    if not names:
        return
    forms = {name: re.compile(rf"(?<![\w.>\"]){name}(?![\w\"])") for name in sorted(names)}
    found: dict[str, dict[int, str]] = {}
    rows = conn.execute(sql["files_of_gtests"]).fetchall()
    for source in sources.holding(rows, forms) if names else ():
        if not source.is_indexed:
            continue
        texts = source.text.split("\n")
        for name, form in forms.items():
            lines = [
                at for at, text in enumerate(texts, 1)
                if name in text and form.search(text) and not _NO_USE.match(text)
            ]  # fmt: skip
            at_lines = {"file": source.id, "lines": listed(tuple(lines))}
            for row in conn.execute(sql["gtests_with_lines"], at_lines):
                found.setdefault(name, {})[row["id"]] = row["name"]
    for name, tests in found.items():
        seed = held[name]
        is_named = re.compile(rf"{name}(?![a-z])")
        for identity, test in tests.items():
            weight = _NAMED if is_named.match(test) else _USES * spread(len(tests))
            node, how = Node("test", identity, ""), f"uses {name}"
            changes.add(Seed(node, seed.weight * weight, seed.place, 0, how, seed.at))


def _with_holders(conn: sqlite3.Connection, names: Iterable[str]) -> set[str]:
    """Those of some modules that have a holder."""
    made = {f"{_MACRO}({name})": name for name in names}
    of = {"macro": _MACRO, "texts": listed(tuple(made))}
    return {made[row["text"]] for row in conn.execute(queries("texts")["macro_uses_of"], of)}


def _heirs(conn: sqlite3.Connection, name: str) -> Iterator[str]:
    """The modules whose implementations derive from one that has no holder: Conv2d for ConvNdImpl."""
    left, seen = [f"{name}Impl"], {name}
    while left and len(seen) <= _MOST_HEIRS:
        of = {"base": left.pop(0)}
        for (derived,) in conn.execute(queries("texts")["cpp_derived"], of).fetchall():
            match = _HELD.search(derived)
            if match and match[1] not in seen:
                seen.add(match[1])
                left.append(f"{match[1]}Impl")
                yield match[1]
