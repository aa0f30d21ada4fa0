"""Running a command: every ending is an exit code and at most one line on stderr."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Sequence

import click

from torchtalk.cli import exits


class Terminated(BaseException):
    """A signal asked this process to end.

    Not an `Exception`, so that nothing on the way out takes it for a failure of its own.

    Args:
        number: of the signal.
        left: what is in place now, for whoever sent it.
    """

    def __init__(self, number: int, left: str = "nothing was changed") -> None:
        super().__init__(number)
        self.number = number
        self.left = left


def run(command: click.Command, arguments: Sequence[str] | None = None) -> int:
    """Run a command and tell how it ended.

    Args:
        command: of click.
        arguments: None means those of this process.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as some daemons start programs: nobody reads it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    try:
        result = command.main(
            None if arguments is None else list(arguments),
            prog_name="torchtalk",
            standalone_mode=False,
        )
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.code if isinstance(error, Failure) else error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted", exits.INTERRUPTED)
    except Terminated as end:
        how = "interrupted" if end.number == signal.SIGINT else "terminated"
        return _say(f"{how}; {end.left}", 128 + end.number)
    except BrokenPipeError:
        return closed_pipe()
    except OSError as error:
        return _say(f"{error.filename or 'output'}: {error.strerror or error}", exits.CANNOT_WRITE)
    return result if isinstance(result, int) else exits.FOUND


def closed_pipe() -> int:
    """Whoever read our output has gone (`| head`): end quietly, as other commands do."""
    # The interpreter flushes stdout once more when it ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return exits.CLOSED_PIPE


def write(text: str) -> None:
    """Write an answer to stdout, whatever the terminal's encoding can show.

    Args:
        text: the answer; a line break is added where it ends without one.

    Raises:
        SystemExit: the reader has gone.
    """
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        # click turns a broken pipe into exit code 1, which means "nothing found" here.
        raise SystemExit(closed_pipe()) from error


def _say(message: str, code: int) -> int:
    with contextlib.suppress(BrokenPipeError):
        click.echo(f"torchtalk: {message}", err=True)
    return code


class Failure(click.ClickException):
    """A command cannot do what was asked; one line says why and what to do."""

    def __init__(self, message: object, code: int) -> None:
        super().__init__(str(message))
        self.code = code

    def show(self, file: object = None) -> None:
        """Print the line on stderr, whatever click gives as `file`."""
        _say(f"error: {self.message}", self.code)
