"""The command line: a thin shell over the builder, the tools and the server."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

from torchtalk.cli.exits import INTERRUPTED

# What modules bring and an answer is made of are many objects and hardly a cycle among them: to look for cycles after
# every 700 of them, as CPython does, takes a quarter of `affected`'s time.
_BETWEEN_COLLECTIONS = 50_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and end the process with its exit code.

    Args:
        arguments: of the command line; None means this process's own.

    Raises:
        SystemExit: always, with a code of `torchtalk.cli.exits`.
    """
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    try:
        from torchtalk.cli.group import cli
        from torchtalk.cli.run import run

        code = run(cli, arguments)
    except KeyboardInterrupt:
        # While the modules were still being loaded.
        code = INTERRUPTED
    sys.exit(code)
