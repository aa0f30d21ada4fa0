"""What is taken from a file of C++, CUDA, Objective-C++ or Metal: its readers, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from indexer.extract.cpp.bindings import bindings
from indexer.extract.cpp.calls import calls
from indexer.extract.cpp.definitions import definitions, macros
from indexer.extract.cpp.handles import operator_handles
from indexer.extract.cpp.launches import launches
from indexer.extract.cpp.lexical import without_escapes
from indexer.extract.cpp.library_calls import library_calls
from indexer.extract.cpp.makers import makers
from indexer.extract.cpp.metal import metal
from indexer.extract.cpp.namespace_macros import with_namespaces
from indexer.extract.cpp.registrations import registrations
from indexer.extract.cpp.slots import slots
from indexer.extract.cpp.stubs import stubs
from indexer.extract.cpp.unit import CppUnit
from indexer.extract.cpp.vulkan import shader_lookups
from indexer.facts.cpp import PackedSlots, pack_fields


def extract(path: str, data: bytes) -> Iterator[object]:
    """Yield every fact of a C++, CUDA, Objective-C++ or Metal file.

    Args:
        path: relative to the source tree, with `/`.
        data: the file's bytes.
    """
    unit = CppUnit(path, with_namespaces(without_escapes(data)))
    yield from _native(unit)
    if not path.endswith(".metal"):
        columns = calls(unit)
        if columns is not None:
            yield columns.packed()


def native(path: str, data: bytes) -> Iterator[object]:
    """Yield every fact but the calls: they take longest, and not everybody wants them.

    Args:
        path: relative to the source tree, with `/`.
        data: the file's bytes.
    """
    yield from _native(CppUnit(path, with_namespaces(without_escapes(data))))


def _native(unit: CppUnit) -> Iterator[object]:
    if not unit.path.endswith(".metal"):
        yield from macros(unit)
        yield from definitions(unit)
        held = [*slots(unit), *makers(unit)]
        if held:
            yield PackedSlots(pack_fields(held).data)
        yield from registrations(unit)
        yield from stubs(unit)
        yield from bindings(unit)
        yield from operator_handles(unit)
        yield from launches(unit)
        yield from shader_lookups(unit)
        yield from library_calls(unit)
    yield from metal(unit.path, unit.data)
