"""What tests are made of: OpInfos, lists of them, instantiations, and methods called in tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from indexer.extract.python import Reading, read_names
from indexer.extract.python.lexical import Span
from indexer.extract.python.testing import environment, handing, instantiations, made, mains
from indexer.extract.python.testing.infos import CLASS_NAME, Definition, InfoReader, makes_infos
from indexer.extract.python.testing.lists import read_lists
from indexer.extract.python.testing.messages import read_messages
from indexer.extract.python.testing.places import is_test_path
from indexer.extract.python.testing.templates import read_classes
from indexer.extract.python.testing.uses import read_names as read_body_names
from indexer.extract.python.testing.utilities import read_uses
from indexer.extract.python.unit import PyUnit, Unparsable
from indexer.facts.operators import Shortfall
from indexer.facts.tests import TestFact, TestImport

_INFOS = b"Info"
_LISTS = (b"_db", b"ops", b"ufuncs", b"funcs", b"infos", b"_list")


def extract(path: str, data: bytes) -> Iterator[TestFact | Shortfall]:
    """Yield the facts of layer 5 that a Python file holds.

    Args:
        path: relative to the source tree, with `/`.
        data: the file's bytes.
    """
    if not is_test_path(path):
        return
    try:
        reading = read_names(PyUnit(path, data))
    except Unparsable:
        return  # the Python layer says so
    yield from read_testing(reading)


def read_testing(reading: Reading) -> Iterator[TestFact | Shortfall]:
    """The facts about tests of a file whose names were read already, as `reading` has them."""
    unit, definitions, scope = reading.unit, reading.definitions, reading.scope
    data = unit.data
    if _INFOS in data:
        yield from read_classes(unit, definitions, scope)
        yield from InfoReader(unit, scope, _makers(reading)).read(unit.module.body)
    if any(word in data for word in _LISTS):
        yield from read_lists(unit.module.body, scope)
    if any(word in data for word in instantiations.WORTH_READING):
        yield from instantiations.read_instantiations(unit, definitions.classes, scope)
    for binding in definitions.imports:
        # Of what belongs to the tree's packages the Python layer knows.
        if "test" in binding.target and not scope.is_inside(binding.target.replace(":", ".")):
            every = ":*" if binding.kind == "star" else ""
            yield TestImport(f"{binding.target}{every}", binding.line)
    yield from handing.read_loaded(unit)
    if handing.is_worth_reading(unit):
        yield from handing.read_lists(unit.module.body, definitions.imports)
    if environment.WORTH_READING in data:
        yield from environment.read_environment(unit.module.body)
    if mains.WORTH_READING in data:
        yield from mains.read_mains(unit.module.body)
    if any(word in data for word in made.WORTH_READING):
        yield from made.read_made(unit, {found.name for found in definitions.classes})
    yield from read_uses(unit, scope, definitions.assignments)
    yield from read_messages(unit)
    yield from read_body_names(unit, scope)


def _makers(reading: Reading) -> dict[str, Callable[[], tuple[Definition, int] | None]]:
    """The module's functions whose text may make an OpInfo, parsed when they are asked for."""
    unit = reading.unit
    found: dict[str, Callable[[], tuple[Definition, int] | None]] = {}
    for function in reading.definitions.functions:
        span = unit.spans.get(function.node.lineno)
        if span is None or function.scope:
            continue
        if makes_infos(unit.code[span.body : span.end]):
            found[function.name] = _reader(unit, span)
    return found


def _reader(unit: PyUnit, span: Span) -> Callable[[], tuple[Definition, int] | None]:
    def read() -> tuple[Definition, int] | None:
        node = unit.function(span)
        return None if node is None else (node, unit.line(span.start))

    return read


__all__ = ["CLASS_NAME", "extract", "read_testing"]
