"""Columns of numbers, and the texts that some of them number, as one small value: how calls travel and are kept."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Collection, Sequence
from itertools import accumulate
from operator import sub

_BETWEEN = "\0"
"""What stands between texts; where one of them has it, all are written as JSON."""

_LEVEL = 5  # four fifths of the time of the usual 6, for a hundredth more space


def pack_columns(
    texts: Collection[str], columns: Sequence[array[int]], steps: Sequence[bool]
) -> bytes:
    """Both as one value.

    Args:
        texts: any.
        columns: of one length; of type `B` or `i`.
        steps: which of them hardly ever fall: these become small numbers as the steps from value to value.
    """
    joined = _BETWEEN.join(texts)
    is_plain = joined.count(_BETWEEN) == len(texts) - 1
    head = joined.encode(errors="surrogatepass") if is_plain else json.dumps([*texts]).encode()
    parts = [b"%d %d %d\n" % (is_plain, len(head), len(columns[0])), head]
    for has_steps, column in zip(steps, columns, strict=True):
        if column.typecode == "i":
            values = [*map(sub, column, (0, *column))] if has_steps else column
            try:
                column = array("h", values)
            except OverflowError:
                column = array("i", values)
        data = column.tobytes()
        if column.typecode == "h":
            data = planes(data, 2)
        parts += (column.typecode.encode(), data)
    return zlib.compress(b"".join(parts), _LEVEL)


def unpack_columns(data: bytes, steps: Sequence[bool]) -> tuple[list[str], list[array[int]]]:
    """What `pack_columns` made it of.

    Args:
        data: the value.
        steps: as it was given.

    Raises:
        ValueError: the value is damaged.
    """
    data, joined, is_plain, count, at = _inflated(data)
    texts = _split(joined, is_plain)
    columns: list[array[int]] = []
    for has_steps in steps:
        column = array(data[at : at + 1].decode())
        end = at + 1 + count * column.itemsize
        values = data[at + 1 : end]
        if column.typecode == "h":
            values = from_planes(values, 2)
        column.frombytes(values)
        columns.append(array("i", accumulate(column)) if has_steps else column)
        at = end
    return texts, columns


def unpack_texts(data: bytes) -> list[str]:
    """The texts alone, which takes half of the time.

    Args:
        data: the value.

    Raises:
        ValueError: the value is damaged.
    """
    _, joined, is_plain, _, _ = _inflated(data)
    return _split(joined, is_plain)


def planes(data: bytes, size: int) -> bytes:
    """All first bytes of numbers, then all second ones: most of the upper ones are the same, which takes less space.

    Args:
        data: numbers, one behind the other.
        size: bytes of each.
    """
    return b"".join(data[n::size] for n in range(size))


def from_planes(data: bytes, size: int) -> bytes:
    """What `planes` made it of.

    Args:
        data: the planes.
        size: bytes of each number.

    Raises:
        ValueError: the value is damaged.
    """
    mixed = bytearray(len(data))
    count = len(data) // size
    for n in range(size):
        mixed[n::size] = data[n * count : (n + 1) * count]
    return bytes(mixed)


def _split(joined: bytes, is_plain: bool) -> list[str]:
    text = joined.decode(errors="surrogatepass")
    if is_plain:
        return text.split(_BETWEEN)
    texts: list[str] = json.loads(text)
    return texts


def _inflated(data: bytes) -> tuple[bytes, bytes, bool, int, int]:
    """The inflated value, its texts and whether they are plain, the columns' length, where the first begins."""
    try:
        data = zlib.decompress(data)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    head, _, _ = data[:40].partition(b"\n")
    is_plain, length, count = map(int, head.split())
    first = len(head) + 1
    return data, data[first : first + length], bool(is_plain), count, first + length
