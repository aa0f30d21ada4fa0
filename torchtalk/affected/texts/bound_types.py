"""Who names a type that C++ binds, an enumeration mostly: `ReduceOp.SUM`, `activities=[ProfilerActivity.CPU]`.

To read a value of one is no call, and the graph has none of it. The text of Python's files has its name, which is that
of nothing else where no function, class or other type is called so.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Iterator
from itertools import chain, zip_longest

from torchtalk.affected import queries
from torchtalk.affected.diff.quiet import says_nothing
from torchtalk.affected.graph.nodes import Node, spread
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.affected.sources import Source, Sources
from torchtalk.answers.base import Place
from torchtalk.counted import counted
from torchtalk.sqlfile import listed

_WEIGHT = 0.6
_MOST_FUNCTIONS = 60
_IMPORT = re.compile(
    r"^[ \t]*from[ \t]+(?P<module>\w[\w.]*)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n]*)",
    re.MULTILINE,
)
# A shorter name is a word of many texts.
_SHORTEST = 6


def take_bound_types(conn: sqlite3.Connection, changes: Changes, sources: Sources) -> None:
    """Add the functions that name the types which C++ binds and that were asked for.

    Args:
        conn: an index.
        changes: with the types; to be added to.
        sources: the tree.
    """
    for bound, asked in changes.types.items():
        users = naming(conn, bound, sources)
        if not users:
            why = (
                "which no function is seen to name"
                if users is not None
                else "and so is something else called: the texts do not tell who names it"
            )
            changes.unseen.append(f"{asked}: {bound} is a type that C++ binds, {why}")
            continue
        last = bound.rpartition(".")[2]
        for node in users[:_MOST_FUNCTIONS]:
            weight = _WEIGHT * spread(len(users))
            how = f"names {last}"
            changes.add(Seed(node, weight, Place(None, None), 0, how, asked=asked))
        some = f" ({_MOST_FUNCTIONS} of them followed)" if len(users) > _MOST_FUNCTIONS else ""
        verb = "names" if len(users) == 1 else "name"
        changes.notes.append(
            f"{bound} is a type that C++ binds, which {counted(len(users), 'function')} of Python {verb}{some}"
        )


def naming(conn: sqlite3.Connection, bound: str, sources: Sources) -> list[Node] | None:
    """The functions of Python whose text names a type, of each file one in turn, those of tests first.

    Args:
        conn: an index.
        bound: the type's name in full, as C++ binds it.
        sources: the tree.

    Returns:
        None where its name is that of something else as well.
    """
    module, _, last = bound.rpartition(".")
    asked = {"target": f"{module}:{last}"}
    called = [row["name"] for row in conn.execute(queries("texts")["imported_as"], asked)]
    names = [
        name for name in dict.fromkeys((last, *called))
        if len(name) >= _SHORTEST and _is_alone(conn, name, bound)
    ]  # fmt: skip
    if not names:
        return None
    rows = conn.execute(queries("texts")["python_files"]).fetchall()
    form = re.compile("|".join(map(_form, names)))
    by_file = [list(_functions(conn, one, form)) for one in sources.holding(rows, names)]
    return list(dict.fromkeys(filter(None, chain.from_iterable(zip_longest(*by_file)))))


def _of_others(text: str) -> Iterator[str]:
    """What a file imports of Python's own modules, and of packages beside the tree: `Generator` of typing."""
    for match in _IMPORT.finditer(text):
        root = match["module"].partition(".")[0]
        if root in sys.stdlib_module_names or root == "typing_extensions":
            yield match["names"]


def _form(name: str) -> str:
    """An expression for a type's name in a text: `memory_format` alone is a parameter, `torch.memory_format` is not."""
    quoted = re.escape(name)
    if name != name.lower():
        return rf"(?<![\w\"']){quoted}(?!\w|\s*=(?!=))"
    return rf"(?<![\w\"']){quoted}(?=\.\w)|(?<=\w\.){quoted}(?!\w|\s*=(?!=))"


def _is_alone(conn: sqlite3.Connection, name: str, bound: str) -> bool:
    """Whether nothing else that the index knows is called like a type."""
    asked = {"last": name, "bound": bound}
    return conn.execute(queries("texts")["others_called"], asked).fetchone() is None


def _functions(conn: sqlite3.Connection, source: Source, form: re.Pattern[str]) -> Iterator[Node]:
    if not source.is_indexed or any(map(form.search, _of_others(source.text))):
        return
    docs = {line for first, last in source.docs(conn) for line in range(first, last + 1)}
    lines = [
        line
        for line, text in enumerate(source.text.split("\n"), 1)
        if line not in docs
        and form.search(text.partition(" #")[0])
        and not says_nothing(text, "python")
    ]
    of = {"file": source.id, "lines": listed(tuple(lines))}
    for row in conn.execute(queries("texts")["functions_with_lines"], of):
        yield Node("python", row["id"], row["name"])
