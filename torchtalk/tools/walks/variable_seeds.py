"""From a variable of a module of Python, `torch._inductor.kernel.mm.mm_template`, to the functions that use it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from torchtalk.affected.places.variables import variable
from torchtalk.affected.sources import Sources
from torchtalk.affected.texts.defined import Users
from torchtalk.graph import nodes
from torchtalk.names.options import options_called
from torchtalk.tools.walks.defined_seeds import MOST
from torchtalk.tools.walks.question import Seeds


def variable_seeds(conn: sqlite3.Connection, names: Sequence[str]) -> Seeds | None:
    """The functions that name a variable; None where no module of Python at hand gives a value to one of these names.

    Options of torch.compile are left to what says more of them.

    Args:
        conn: an index.
        names: what it may be called in full, the likeliest first.
    """
    sources = Sources(conn)
    for name in names:
        known = variable(conn, name, sources)
        if known is None or options_called(conn, name):
            continue
        what = f"{name} is a variable of a module of Python ({known.file['path']}:{known.line})"
        users = Users(conn, known.file, None, sources).of(name.rpartition(".")[2])
        found = [node for node in users if node.kind == "python"]
        if not found:
            return Seeds(instead=f"{what}, which no function is seen to name")
        notes = (what, *([sources.shortfall] if sources.shortfall else []))
        codes = tuple(nodes.code(nodes.PYTHON, int(node.key)) for node in found[:MOST])
        return Seeds(codes, name, notes, is_named=True)
    return None
