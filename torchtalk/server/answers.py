"""Asking a tool on behalf of a client: every ending is a text."""

from __future__ import annotations

import sqlite3
from typing import Any

from torchtalk.render import to_text
from torchtalk.server.source import IndexSource, NotYet, Unusable
from torchtalk.tools.spec import BadArgument, Tool


class CannotAnswer(Exception):
    """There is no answer; the message tells a model what it or its user can do."""


def ask(source: IndexSource, tool: Tool, arguments: dict[str, Any]) -> str:
    """Ask one question.

    Args:
        source: of the index.
        tool: what is asked.
        arguments: as the client sent them; null stands for an argument that is left out.

    Returns:
        The answer's text, or that the index is being built.

    Raises:
        CannotAnswer: an argument cannot be used, or the index cannot be.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        return to_text(tool.ask(source.connection(), **given))
    except NotYet as state:
        return str(state)
    except (BadArgument, Unusable) as error:
        raise CannotAnswer(str(error)) from error
    except sqlite3.DatabaseError as error:
        raise CannotAnswer(
            f"the index could not be read ({error}). Ask again; if this stays, build it anew "
            "with: torchtalk index"
        ) from error
