"""The slots of CPython's types: functions that Python runs for `T(…)`, `repr(x)`, `x[i]`, `x == y`.

A `PyTypeObject` has them by position, by a designator or by an assignment (`Type.tp_new = f`), and tables of its own
for what sequences and mappings do. What each is to Python stands in `slotdefs` of CPython's Objects/typeobject.c, the
order in `struct _typeobject` of its Include/cpython/object.h.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.cpp.lexical import Argument, arguments

_COMPARISONS = ("__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__")

_PYTHON_NAMES: dict[str, tuple[str, ...]] = {
    "tp_repr": ("__repr__",),
    "tp_hash": ("__hash__",),
    "tp_call": ("__call__",),
    "tp_str": ("__str__",),
    "tp_getattro": ("__getattribute__",),
    "tp_setattro": ("__setattr__",),
    "tp_richcompare": _COMPARISONS,
    "tp_iter": ("__iter__",),
    "tp_iternext": ("__next__",),
    "tp_descr_get": ("__get__",),
    "tp_descr_set": ("__set__",),
    "tp_init": ("__init__",),
    "tp_new": ("__new__",),
    "tp_finalize": ("__del__",),
    "mp_length": ("__len__",),
    "mp_subscript": ("__getitem__",),
    "mp_ass_subscript": ("__setitem__", "__delitem__"),
    "sq_length": ("__len__",),
    "sq_concat": ("__add__",),
    "sq_repeat": ("__mul__",),
    "sq_item": ("__getitem__",),
    "sq_ass_item": ("__setitem__", "__delitem__"),
    "sq_contains": ("__contains__",),
    "sq_inplace_concat": ("__iadd__",),
    "sq_inplace_repeat": ("__imul__",),
}

_ORDER: dict[str, tuple[str, ...]] = {
    "PyTypeObject": (
        "tp_name", "tp_basicsize", "tp_itemsize", "tp_dealloc", "tp_vectorcall_offset", "tp_getattr", "tp_setattr",
        "tp_as_async", "tp_repr", "tp_as_number", "tp_as_sequence", "tp_as_mapping", "tp_hash", "tp_call", "tp_str",
        "tp_getattro", "tp_setattro", "tp_as_buffer", "tp_flags", "tp_doc", "tp_traverse", "tp_clear",
        "tp_richcompare", "tp_weaklistoffset", "tp_iter", "tp_iternext", "tp_methods", "tp_members", "tp_getset",
        "tp_base", "tp_dict", "tp_descr_get", "tp_descr_set", "tp_dictoffset", "tp_init", "tp_alloc", "tp_new",
        "tp_free", "tp_is_gc", "tp_bases", "tp_mro", "tp_cache", "tp_subclasses", "tp_weaklist", "tp_del",
        "tp_version_tag", "tp_finalize",
    ),
    "PyMappingMethods": ("mp_length", "mp_subscript", "mp_ass_subscript"),
    "PySequenceMethods": (
        "sq_length", "sq_concat", "sq_repeat", "sq_item", "was_sq_slice", "sq_ass_item", "was_sq_ass_slice",
        "sq_contains", "sq_inplace_concat", "sq_inplace_repeat",
    ),
}  # fmt: skip

TABLE = re.compile(
    rb"\b(?P<type>PyMappingMethods|PySequenceMethods)\s+(?P<name>[A-Za-z_]\w*)\s*=\s*\{"
)
"""A table of what a type does as a mapping or a sequence."""

FIELD = re.compile(
    rb"(?<![\w.>])(?P<type>[A-Za-z_]\w*)\s*\.\s*(?P<slot>tp_\w+)\s*=(?!=)\s*(?P<value>[^;{}]+)"
)
"""An assignment to a member of a type's object."""

TABLES = ("tp_as_mapping", "tp_as_sequence")
"""Members that hold such a table."""

_DESIGNATED = re.compile(rb"\s*\.\s*(\w+)\s*=")


_UNNAMED = frozenset("tp_dealloc tp_traverse tp_clear tp_alloc tp_free tp_is_gc tp_del".split())
_FUNCTION = re.compile(
    rb"\s*(?:\(\s*\w+\s*\)\s*)*&?\s*(?!nullptr|NULL)((?:\w+::)*[A-Za-z_]\w*)\s*\Z"
)


class Slot(NamedTuple):
    """What stands in a slot.

    Args:
        names: that Python knows it by.
        start: of what is put there.
        end: behind it.
    """

    names: tuple[str, ...]
    start: int
    end: int


def python_names(slot: str) -> tuple[str, ...]:
    """The methods that Python sees for a slot of a type.

    Args:
        slot: the name of the field in `PyTypeObject` or its tables: `tp_call`, `mp_length`.

    Returns:
        Nothing where it has no name there (`tp_dealloc`).
    """
    return _PYTHON_NAMES.get(slot, ())


def slots_of(text: bytes, of_type: str, opening: int, end: int) -> Iterator[Slot]:
    """The slots that an initializer fills and that Python has names for.

    Args:
        text: blanked.
        of_type: PyTypeObject, PyMappingMethods or PySequenceMethods.
        opening: its bracket.
        end: the bracket that closes it.
    """
    if text.find(b"#", opening, end) >= 0:
        return  # a branch of an `#if` moves what stands behind it
    for position, item in enumerate(arguments(text, opening, end)):
        slot, start = _slot(text, of_type, position, item)
        if names := python_names(slot):
            yield Slot(names, start, item.end)


def unnamed_slots(text: bytes, opening: int, end: int) -> Iterator[tuple[int, bytes]]:
    """The functions of a type's object that CPython runs and Python has no name for, such as `tp_dealloc`.

    Args:
        text: blanked.
        opening: the bracket of the initializer of a `PyTypeObject`.
        end: the bracket that closes it.

    Returns:
        Where each stands, and its name.
    """
    if text.find(b"#", opening, end) >= 0:
        return
    for position, item in enumerate(arguments(text, opening, end)):
        slot, start = _slot(text, "PyTypeObject", position, item)
        function = _FUNCTION.match(text, start, item.end) if slot in _UNNAMED else None
        if function is not None:
            yield function.start(1), function.group(1)


def _slot(text: bytes, of_type: str, position: int, item: Argument) -> tuple[str, int]:
    """Which slot one value of an initializer is for, and where the value begins."""
    designated = _DESIGNATED.match(text, item.start, item.end)
    if designated is not None:
        return designated.group(1).decode(), designated.end()
    order = _ORDER[of_type]
    return (order[position] if position < len(order) else ""), item.start
