"""Asking a tool on behalf of a client: every ending is a text."""

from __future__ import annotations

import dataclasses
import sqlite3
from typing import Any

from torchtalk.answers.base import Answer
from torchtalk.answers.drawn import DrawnAnswer
from torchtalk.arguments import BadArgument
from torchtalk.index_command import whole, with_command
from torchtalk.layers import LayersMissing
from torchtalk.render import to_text
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.server.source import IndexSource, NotYet, Unusable
from torchtalk.tools.spec import Tool


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
        conn = source.connection()
        command = source.command(conn)
        try:
            answer = tool.ask(conn, **given)
        except LayersMissing as error:
            raise CannotAnswer(whole(str(error), command)) from error
        # get_status compares by itself, and more closely.
        note = "" if tool.name == "get_status" else source.staleness()
        return _with_note(with_command(answer, command), whole(note, command))
    except NotYet as state:
        return str(state)
    except (BadArgument, Unusable) as error:
        raise CannotAnswer(str(error)) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise CannotAnswer(
            f"the index could not be read ({error}). Ask again; if this stays, build it anew "
            "with: torchtalk index"
        ) from error


def _with_note(answer: Answer, note: str) -> str:
    """An answer's text with a note that is never cut off."""
    if not note:
        return to_text(answer)
    if isinstance(answer, DrawnAnswer) and answer.form != "text":
        # JSON and pictures have their own place for it.
        return to_text(dataclasses.replace(answer, notes=(*answer.notes, note)))
    line = f"note: {note}"
    return f"{to_text(answer, MAX_CHARACTERS - len(line) - 1)}\n{line}"
