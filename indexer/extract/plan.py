"""Which extractors read which file, and the running of them inside a worker."""

from __future__ import annotations

import codecs
import functools
import importlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexer.extract.limit import TimeUp, seconds_for, time_limits
from indexer.extract.python import native_bindings, native_values
from indexer.extract.python.registrations import may_register
from indexer.extract.yaml_nodes import YamlError
from indexer.facts.operators import Shortfall
from indexer.scan.files import SourceFile, blob_id
from indexer.scan.tree import SourceTree

_CPP_KINDS = ("cpp", "cuda", "objc", "metal")
_SHADERS, _VARIANTS = "glsl:shaders", "glsl:variants"
_REGISTRATIONS = "python.registrations:registrations"
_BACKENDS = "backend_functions"
_FIRST = frozenset(
    (
        "native_functions", "tags", "derivatives", "torchgen_rules", "cpp", "cpp:native",
        _REGISTRATIONS, _SHADERS, _VARIANTS, _BACKENDS,
    )
)  # fmt: skip

BATCH_BYTES = 256 * 1024
"""Files are sent to workers in batches of about this size, so that messages are few."""


@dataclass(frozen=True)
class Reading:
    """A file and the extractors that are to read it."""

    file: SourceFile
    extractors: tuple[str, ...]


@dataclass(frozen=True)
class Batch:
    """Some files for one worker.

    Args:
        root: of the tree, an absolute path.
        readings: the files, in the tree's order.
    """

    root: str
    readings: tuple[Reading, ...]


@dataclass(frozen=True)
class Extracted:
    """What came out of one file.

    Args:
        file: as listed.
        sha: git's blob id of the content; empty where it could not be read.
        facts: by extractor, in the order in which they were found.
        failure: why the file as a whole could not be read, or None.
        failed_line: the 1-based line of the failure, where it is known.
    """

    file: SourceFile
    sha: str
    facts: dict[str, list[Any]]
    failure: str | None = None
    failed_line: int | None = None


def extractors_for(tree: SourceTree, file: SourceFile, layers: Collection[str]) -> tuple[str, ...]:
    """Which extractors read a file of this tree.

    Args:
        tree: that it belongs to.
        file: the file.
        layers: names of the layers that are built.

    Returns:
        Names of modules below `indexer.extract`, with the function behind a colon where it is
        not `extract`. Each takes a file's path and bytes.
    """
    found: list[str] = []
    special = {
        tree.native_functions: "native_functions",
        tree.tags: "tags",
        tree.derivatives: "derivatives",
        **dict.fromkeys(tree.rules, "torchgen_rules"),
    }.get(file.path)
    if special is not None:
        found.append(special)
    if tree.is_of_backend(file.path):
        found.append(_BACKENDS)
    if file.kind in _CPP_KINDS and "native" in layers:
        found.append("cpp" if "calls" in layers else "cpp:native")
    if file.kind in _CPP_KINDS and "compile" in layers:
        found.append("cpp.environment:environment")
    if file.kind == "glsl" and "native" in layers:
        found.append(_SHADERS if file.path.endswith(".glsl") else _VARIANTS)
    if file.kind == "python":
        if "python" in layers:
            found.append("python")
        if "tests" in layers:
            found.append("python.testing")
        if "native" in layers:
            found.append(_REGISTRATIONS)
        if "compile" in layers:
            found.append("python.compile")
    if file.kind == "documentation" and "python" in layers:
        found.append("python.documentation")
    if file.kind == "graph breaks" and "compile" in layers:
        found.append("python.compile.graph_breaks:registry")
    if "python" in layers and native_bindings.wants(file.path):
        found.append("python.native_bindings")
    if "python" in layers and native_values.wants(file.path):
        found.append("python.native_values")
    return tuple(found)


def batches(tree: SourceTree, files: list[SourceFile], layers: Collection[str]) -> Iterator[Batch]:
    """Group files, in their order, into batches of about `BATCH_BYTES`.

    Args:
        tree: that they are of.
        files: in the tree's order.
        layers: that are wanted.
    """
    return grouped(tree, (Reading(file, extractors_for(tree, file, layers)) for file in files))


def grouped(tree: SourceTree, readings: Iterable[Reading]) -> Iterator[Batch]:
    """Group what is to be read into batches, each closed by the file with which it reaches `BATCH_BYTES`.

    Args:
        tree: that the files are of; a batch has its root.
        readings: files in the tree's order, each with the extractors that read it.
    """
    batch: list[Reading] = []
    size = 0
    for reading in readings:
        batch.append(reading)
        size += reading.file.size
        if size >= BATCH_BYTES:
            yield Batch(str(tree.root), tuple(batch))
            batch, size = [], 0
    if batch:
        yield Batch(str(tree.root), tuple(batch))


def is_first(extractor: str) -> bool:
    """Whether the facts of `extractor`, a name as in `extractors_for`, are needed while Python files are still read.

    Link steps that want no Python run at that time.
    """
    return extractor in _FIRST


def in_two(
    tree: SourceTree, files: list[SourceFile], layers: Collection[str]
) -> tuple[list[Reading], list[Reading]]:
    """What is to be read of files at first, and what of those in Python later.

    Of most Python files the first reading wants nothing and leaves them out; what is read of
    other files is read at once, also where it is written later.

    Args:
        tree: that they are of.
        files: in the tree's order.
        layers: that are wanted.
    """
    first: list[Reading] = []
    rest: list[Reading] = []
    for file in files:
        wanted = extractors_for(tree, file, layers)
        later: tuple[str, ...] = ()
        if file.kind == "python":
            later = tuple(name for name in wanted if not is_first(name))
            wanted = tuple(name for name in wanted if is_first(name))
            if later and wanted == (_REGISTRATIONS,) and not may_register(file.path):
                later, wanted = (*later, _REGISTRATIONS), ()
        if later:
            rest.append(Reading(file, later))
        # The last file's number tells how many there are: `indexer.write.ids`.
        if wanted or not later or file is files[-1]:
            first.append(Reading(file, wanted))
    return first, rest


def extract_batch(batch: Batch) -> list[Extracted]:
    """Read the files of a batch; this is what workers run."""
    with time_limits() as bound:
        return [_extract(Path(batch.root), reading, bound) for reading in batch.readings]


@functools.cache
def _extractor(name: str) -> Callable[[str, bytes], Iterable[Any]]:
    module, _, function = name.partition(":")
    found = getattr(importlib.import_module(f"indexer.extract.{module}"), function or "extract")
    extractor: Callable[[str, bytes], Iterable[Any]] = found
    return extractor


def _extract(root: Path, reading: Reading, bound: Callable[[float], None]) -> Extracted:
    try:
        data = (root / reading.file.path).read_bytes()
    except OSError as error:
        return Extracted(reading.file, "", {}, error.strerror or "unreadable")
    facts: dict[str, list[Any]] = {}
    # A checkout of Windows reads as any other: a line that goes on (`\` at its end) does so there, too. A byte order
    # mark, which its editors write, is none of the file's text: `\ufeffnamespace` opens no namespace.
    text = data.removeprefix(codecs.BOM_UTF8)
    text = text.replace(b"\r\n", b"\n") if b"\r" in text else text
    for name in reading.extractors:
        try:
            bound(seconds_for(len(data)))
            try:
                facts[name] = list(_extractor(name)(reading.file.path, text))
            finally:
                bound(0.0)
        except YamlError as error:
            return Extracted(reading.file, blob_id(data), {}, str(error), error.line)
        except RecursionError:
            facts[name] = [Shortfall(name, "failed", "nested too deeply to be read")]
        except TimeUp as error:
            facts[name] = [Shortfall(name, "timeout", str(error))]
    return Extracted(reading.file, blob_id(data), facts)
