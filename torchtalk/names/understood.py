"""What somebody pasted, as a name that is in the index: for every tool alike."""

from __future__ import annotations

import sqlite3

from torchtalk.names.autograd_nodes import node_named
from torchtalk.names.cpp_names import is_selector
from torchtalk.names.files import written
from torchtalk.names.frames import of_frame
from torchtalk.names.pasted import pasted
from torchtalk.names.questions import is_about_several, the_name

_SHOWN = 200


def understood(
    conn: sqlite3.Connection, text: str, *, is_topic: bool = False
) -> tuple[str, tuple[str, ...]]:
    """Take a name out of what stands around it.

    Args:
        conn: an index.
        text: a name, or what somebody pasted in its place.
        is_topic: a question may be about more than a plain name in it (`how is DataLoader worker seeding tested`).

    Returns:
        The name, file or line that is meant, or the text as it is; and notes that say what was made of it.
    """
    if is_selector(conn, text.strip()):
        return text, ()
    one = the_name(text)
    if is_topic and one.isidentifier() and is_about_several(text):
        one = ""
    name = pasted(text) or one or text
    if (moved := of_frame(conn, text, name)) is not None:
        return moved[0], (f"taken as {moved[0]}: {moved[1]}",)
    node = node_named(conn, name.strip())
    if node is not None:
        return node.operator, (
            f"{node.name} is the autograd node of {node.operator}, generated from its formulas"
            f"  {node.file}:{node.line}",
        )
    lines = written(name.strip())
    if lines is not None and lines.is_reversed:
        # Of lines the wrong way round an answer could as well be about none.
        name = f"{lines.path}:{lines.last}-{lines.first}"
    if name == text:
        return text, ()
    return name, (f"taken as {name if len(name) <= _SHOWN else f'{name[:_SHOWN]}…'}",)
