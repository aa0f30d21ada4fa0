"""Running torchtalk's command, in this process or in one of its own."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from tests.conftest import ROOT
from torchtalk.cli.group import cli
from torchtalk.cli.run import run


@dataclass
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


class Command:
    """`torchtalk`, in this process: quick, and its output captured."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Ended:
        self._capsys.readouterr()
        code = run(cli, [str(argument) for argument in arguments])
        out, err = self._capsys.readouterr()
        return Ended(code, out, err)


def command_line(*arguments: object) -> list[str]:
    """The same for a process of its own."""
    return [sys.executable, "-m", "torchtalk", *(str(argument) for argument in arguments)]


def environment() -> dict[str, str]:
    """This process's environment, in which torchtalk is found from any folder."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


def start(*arguments: object, most: int | None = None, **options: Any) -> subprocess.Popen[str]:
    """Start it; stdout and stderr are pipes of text unless options say otherwise.

    Args:
        most: bytes that a file may have which it writes, as if the disk were full then.

    It minds Ctrl-C, whatever these tests were made to ignore: a shell does that to what it starts in the background.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    env = environment()
    if most is not None:
        # What Python compiles would be cut off, too, and no later process could import it.
        env["PYTHONDONTWRITEBYTECODE"] = "1"
        options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    return subprocess.Popen(command_line(*arguments), env=env, text=True, **options)
