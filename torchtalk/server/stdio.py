"""Serving one client over stdin and stdout."""

from __future__ import annotations

import contextlib
from types import TracebackType

from torchtalk.server.app import make_server
from torchtalk.server.source import IndexSource


def serve_stdio(source: IndexSource, classic: bool = False) -> None:
    """Answer until stdin is closed, or until nobody reads the answers.

    Args:
        source: of the index that is asked; it is built, where there is none, meanwhile.
        classic: offer the earlier set of tools.
    """
    server = make_server(source, classic)
    source.prepare()
    with _UntilTheClientIsGone():
        server.run("stdio")


class _UntilTheClientIsGone(contextlib.AbstractContextManager[None]):
    """Ends quietly when an answer cannot be written, since nobody wants it."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> bool:
        return error is not None and _is_broken_pipe(error)


def _is_broken_pipe(error: BaseException) -> bool:
    # Tasks fail as groups; Python 3.10 has no class of its own for them.
    inner = getattr(error, "exceptions", None)
    if inner:
        return all(_is_broken_pipe(each) for each in inner)
    return isinstance(error, BrokenPipeError)
