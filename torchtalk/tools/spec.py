"""What a tool is: one description from which the CLI and the MCP server are both made."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from torchtalk.arguments import BadArgument
from torchtalk.layers import demand, lacking
from torchtalk.names.understood import understood

MAX_NAME: Final = 500
"""Longest text that a tool takes, in characters."""

MAX_PASTED: Final = 4000
"""The same of a name, which people take from stack traces: those of C++ templates are long."""

MAX_PAGE: Final = 200
"""Most rows that one answer shows."""


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = _Required()
"""Marks a parameter without a default."""


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool.

    Args:
        name: in Python, JSON and (with `-`) on the command line.
        kind: str or int.
        help: one line for people and models.
        default: `REQUIRED` where it must be given.
        choices: the allowed values of a text; empty means any.
        minimum: of a number.
        maximum: of a number, or the longest text.
        is_name: it names something of PyTorch, as people write or paste it.
        is_topic: a question that it is may be about more than the one name in it.
    """

    name: str
    kind: type[str] | type[int]
    help: str
    default: Any = REQUIRED
    choices: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = MAX_NAME
    is_name: bool = False
    is_topic: bool = False

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is REQUIRED


@dataclass(frozen=True)
class Tool:
    """One question that can be asked.

    Args:
        name: of the MCP tool and the CLI subcommand.
        title: a few words for a menu.
        description: what it answers, for a model choosing among tools; under 200 characters.
        parameters: in the order of the command line.
        run: called with a connection and the parameters by name; returns an answer dataclass
            of `torchtalk.answers`. Raises `BadArgument` for what the schema cannot exclude.
        examples: argument lists that make sense on any PyTorch.
        layers: of the index that the answers stand on; an answer says which of them are missing.
        needs: those of them without which there is no answer at all.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    run: Callable[..., Any]
    examples: tuple[dict[str, Any], ...] = ()
    layers: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    def ask(self, conn: sqlite3.Connection, /, **arguments: Any) -> Any:
        """Check the arguments against their bounds and answer.

        Args:
            conn: an index.
            arguments: by name; those with a default may be left out.

        Returns:
            An answer dataclass of `torchtalk.answers`; its notes say how a name was taken and which layers are missing.

        Raises:
            BadArgument: an argument is missing, unknown, of another type or out of bounds.
            LayersMissing: the index was built without a layer that the tool needs.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in arguments:
            if name not in known:
                raise BadArgument(
                    f"{self.name} has no argument {_shown(name)}; it has {', '.join(known) or 'none'}"
                )
        values = {p.name: _checked(p, arguments) for p in self.parameters}
        demand(conn, self.needs)
        notes: tuple[str, ...] = ()
        given = {p.name: values[p.name] for p in self.parameters if p.is_name}
        for name, text in given.items():
            values[name], notes = understood(conn, text, is_topic=known[name].is_topic)
        answer = self.run(conn, **values)
        if notes:
            answer = replace(
                answer, query=next(iter(given.values())), notes=(*notes, *answer.notes)
            )
        missing = lacking(conn, self.layers, answer.found)
        return replace(answer, notes=(*answer.notes, *missing)) if missing else answer


def _shown(value: object) -> str:
    """A value as it was given, cut: a message repeats no megabytes."""
    if isinstance(value, int) and value.bit_length() > 200:
        return "a number of very many digits"  # Python refuses to write the largest ones at all
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _checked(parameter: Parameter, arguments: dict[str, Any]) -> Any:
    value = arguments.get(parameter.name, parameter.default)
    if value is REQUIRED:
        raise BadArgument(f"{parameter.name} is missing: {parameter.help}")
    if parameter.kind is int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # JSON knows one kind of number, and 5.0 is a whole one
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadArgument(f"{parameter.name} must be a whole number, not {_shown(value)}")
        if not parameter.minimum <= value <= parameter.maximum:
            raise BadArgument(
                f"{parameter.name} must be {parameter.minimum} to {parameter.maximum}, "
                f"not {_shown(value)}"
            )
        return value
    if not isinstance(value, str):
        raise BadArgument(f"{parameter.name} must be a text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise BadArgument(f"{parameter.name} is not valid Unicode") from error
    if len(value) > parameter.maximum:
        raise BadArgument(f"{parameter.name} is longer than {parameter.maximum} characters")
    if parameter.choices and value not in parameter.choices:
        raise BadArgument(
            f"{parameter.name} must be one of {', '.join(c or 'empty' for c in parameter.choices)}, not {value[:80]!r}"
        )
    return value


def name_parameter(
    name: str, help_text: str, default: Any = REQUIRED, *, is_topic: bool = False
) -> Parameter:
    """The argument that says what a question is about.

    Args:
        name: of the argument.
        help_text: one line for people and models.
        default: its value where it is not given; `REQUIRED` where it must be.
        is_topic: see `Parameter`.
    """
    return Parameter(
        name, str, help_text, default, maximum=MAX_PASTED, is_name=True, is_topic=is_topic
    )


LIMIT = Parameter("limit", int, "how many rows to show", 20, minimum=1, maximum=MAX_PAGE)
OFFSET = Parameter("offset", int, "how many rows to pass over", 0, maximum=1_000_000)
