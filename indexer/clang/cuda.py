"""CUDA as C++: launches lose their configuration, everything else is a stand-in header's affair.

`kernel<<<grid, block, shared, stream>>>(arguments)` becomes a call of the kernel: the configuration is blanked, byte
for byte, so that lines and columns stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

STAND_IN = Path(__file__).resolve().parent / "include" / "cuda"
"""Stand-ins for the headers of a CUDA toolkit."""

# nvcc puts cuda_runtime.h before every unit, so that none has to include it for `__global__`.
FLAGS = (
    *("-D__CUDACC__", "-D__CUDA_ARCH_LIST__=800", "-DUSE_CUDA", "-DAT_CUDA_ENABLED"),
    "-DCUB_WRAPPED_NAMESPACE=at_cuda_detail",
    *("-include", "cuda_runtime.h"),
)

_OPEN, _CLOSE = b"<<<", b">>>"
_SKIPPED = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
_BLANK = re.compile(rb"[^\s\\]")
_LONGEST = 4096


def without_launch_configurations(data: bytes) -> bytes:
    """A text of the same length in which every `<<<…>>>` is blank.

    Line ends and the backslashes of macros stay. `<<<` in comments and strings is left alone; one that is never closed
    (git's conflict marks) as well.

    Args:
        data: a file's bytes.
    """
    result = bytearray(data)
    for start, end in _configurations(data):
        result[start:end] = _BLANK.sub(b" ", data[start:end])
    return bytes(result)


def configuration_lines(data: bytes) -> list[tuple[int, int]]:
    """The lines of each launch configuration: what stands there is not parsed.

    Args:
        data: a file's bytes, before `without_launch_configurations`.

    Returns:
        Of each the first and the last line, 1-based.
    """
    return [
        (data.count(b"\n", 0, start) + 1, data.count(b"\n", 0, end) + 1)
        for start, end in _configurations(data)
    ]


def _configurations(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each `<<<…>>>` begins and ends."""
    if _OPEN not in data:
        return
    skipped = [match.span() for match in _SKIPPED.finditer(data)]
    position = 0
    while (start := data.find(_OPEN, position)) >= 0:
        inside = next((end for begin, end in skipped if begin <= start < end), None)
        if inside is not None:
            position = inside
            continue
        end = _closing(data, start + len(_OPEN))
        if end is None:
            position = start + len(_OPEN)
            continue
        yield start, end
        position = end


def _closing(data: bytes, start: int) -> int | None:
    """The end of the `>>>` that closes a configuration: the first one outside of brackets."""
    depth = 0
    for position in range(start, min(len(data), start + _LONGEST)):
        byte = data[position]
        if byte in b"([{":
            depth += 1
        elif byte in b")]}":
            depth -= 1
            if depth < 0:
                return None
        elif byte == ord(";"):
            return None
        elif depth == 0 and data.startswith(_CLOSE, position):
            return position + len(_CLOSE)
    return None
