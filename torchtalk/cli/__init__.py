"""The command line: a thin shell over the builder, the tools and the server."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from torchtalk.cli.exits import INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and end the process with its exit code.

    Args:
        arguments: of the command line; None means this process's own.

    Raises:
        SystemExit: always, with a code of `torchtalk.cli.exits`.
    """
    try:
        from torchtalk.cli.group import cli
        from torchtalk.cli.run import run

        code = run(cli, arguments)
    except KeyboardInterrupt:
        # While the modules were still being loaded.
        code = INTERRUPTED
    sys.exit(code)
