"""How calls of a vendor's library are written: `cuBLAS: cublasDgemm, cublasSgemm  at …/CUDABlas.cpp:815, 828`."""

from __future__ import annotations

from collections.abc import Iterable

from torchtalk.answers.base import Place
from torchtalk.render.text import places_built

_MOST = 8  # of one library's functions in one file


def library_calls(
    library: str, functions: Iterable[str], places: Iterable[Place], condition: str
) -> str:
    """The functions of one library that one file calls, each once, with the lines.

    Args:
        library: its name.
        functions: as they are called.
        places: of the calls, in one file.
        condition: of the `#if`s around; empty for none.
    """
    listed = list(places)
    lines = f"{listed[0].file}:{_few(dict.fromkeys(str(place.line) for place in listed))}"
    return f"{library}: {_few(dict.fromkeys(functions))}  at {places_built([lines], [condition])}"


def _few(texts: Iterable[str]) -> str:
    shown = list(texts)
    return ", ".join((*shown[:_MOST], "…") if len(shown) > _MOST else shown)
