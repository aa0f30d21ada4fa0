"""What the text of a source file says of its place among the others; kept from one run to the next.

A file is read again when its size or the time of its last change is another one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from indexer.replacing import replace_file

_INCLUDE = re.compile(rb'#[ \t]*(?:include|include_next|import)[ \t]*([<"])([^>"\n]+)[>"]')
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_GUARD = re.compile(rb"\A\s*#[ \t]*(?:ifndef|if[ \t]+!?[ \t]*defined)")
_DEFINES = re.compile(rb"\b(?:struct|class|enum|inline|static|constexpr|template)\b")
_STUB = re.compile(rb"DECLARE_DISPATCH\([^;]*?,\s*(\w+)\s*\)")
_USING = re.compile(rb"^using namespace", re.MULTILINE)
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+(\w+)")
_UNDEFINE = re.compile(rb"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
_PLACEHOLDER = re.compile(rb"^[ \t]*\$\{", re.MULTILINE)


class Text(NamedTuple):
    """What one file says.

    Args:
        modified: when it was changed last, in nanoseconds.
        size: in bytes.
        digest: of its content; that of nothing where it cannot be read.
        includes: in order, names with the quote or bracket before them.
        bare: has code and nothing that keeps it from being read twice.
        once: has `#pragma once` and nothing that makes it unfit for a precompiled header: no `using namespace` at
            the top level, no `#undef` of what others define.
        launches: has `<<<` in it.
        stubs: names of the DispatchStubs that it declares.
        template: an input of a code generator: no C++ until something is put into it.
    """

    modified: int
    size: int
    digest: str
    includes: tuple[str, ...]
    bare: bool
    once: bool
    launches: bool
    stubs: tuple[str, ...]
    template: bool


class Texts:
    """The texts of a run.

    Args:
        kept: the file that they are kept in; None keeps none.
    """

    def __init__(self, kept: Path | None = None) -> None:
        self._kept = kept
        self._before = _load(kept) if kept is not None else {}
        self._texts: dict[str, Text] = {}
        self._changed = False

    def text(self, path: str) -> Text:
        """What the file `path` (absolute) says; one that cannot be read says nothing."""
        known = self._texts.get(path)
        if known is None:
            known = self._texts[path] = self._look(path)
        return known

    def save(self) -> None:
        """Keep what was asked for, if it is not what was kept before."""
        if self._kept is None or not (self._changed or len(self._texts) < len(self._before)):
            return
        with contextlib.suppress(OSError):
            replace_file(self._kept, json.dumps(self._texts, separators=(",", ":")).encode())

    def is_current(self, since: Mapping[str, Sequence[int]], besides: Collection[str]) -> bool:
        """Whether all files that were kept are as they were, besides some; false where none were.

        Args:
            since: time and size of files that were read again since.
            besides: files that may be another.
        """
        for path, text in self._before.items():
            if path not in besides and _stamp(path) != tuple(since.get(path, text[:2])):
                return False
        return bool(self._before)

    def digest(self, wanted: Callable[[str], bool]) -> str | None:
        """A digest of files that were kept.

        Args:
            wanted: whether a file is, by its absolute path.

        Returns:
            Hexadecimal digits; "" where no file was kept, None where one that is wanted is another now.
        """
        state = hashlib.blake2b(digest_size=16)
        for path, text in sorted(self._before.items()):
            if wanted(path):
                if _stamp(path) != text[:2]:
                    return None
                state.update(f"{path}\0{text.digest}\n".encode("utf-8", "surrogateescape"))
        return state.hexdigest() if self._before else ""

    def may_include(self, names: Collection[str]) -> bool:
        """Whether any file that was kept includes one with a base name among `names`, wherever that is."""
        return bool(names) and any(
            os.path.basename(include[1:]) in names
            for text in self._before.values()
            for include in text.includes
        )

    def _look(self, path: str) -> Text:
        with contextlib.suppress(OSError):
            status = os.stat(path)
            before = self._before.get(path)
            if before is not None and before[:2] == (status.st_mtime_ns, status.st_size):
                return before
        found = read_text(path)
        self._changed = self._changed or bool(found.modified)
        return found


def _stamp(path: str) -> tuple[int, int]:
    """Time and size of a file, as its text has them."""
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    # A folder may have a header's name.
    return (status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else (0, 0)


def read_text(path: str) -> Text:
    """What the file `path` (absolute) says, read now; nothing where it cannot be read."""
    try:
        status = os.stat(path)
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return Text(0, 0, _digest(b""), (), False, False, False, (), True)
    return Text(status.st_mtime_ns, status.st_size, *_read(data))


def _read(data: bytes) -> tuple[str, tuple[str, ...], bool, bool, bool, tuple[str, ...], bool]:
    # Each is looked for by bytes that few files have: an expression that may begin with any byte of a line is slow.
    includes = tuple(
        (match.group(1) + match.group(2)).decode("utf-8", "surrogateescape")
        for match in _INCLUDE.finditer(data)
        if not data[data.rfind(b"\n", 0, match.start()) + 1 : match.start()].strip(b" \t")
    )
    found = _STUB.findall(data) if b"DECLARE_DISPATCH" in data else ()
    stubs = tuple(name.decode("ascii", "replace") for name in found)
    template = b"${" in data and _PLACEHOLDER.search(data) is not None
    return _digest(data), includes, _is_bare(data), _is_fit(data), b"<<<" in data, stubs, template


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _text(
    modified: int,
    size: int,
    digest: str,
    includes: list[str],
    bare: bool,
    once: bool,
    launches: bool,
    stubs: list[str],
    template: bool,
) -> Text:
    return Text(
        modified, size, digest, tuple(includes), bare, once, launches, tuple(stubs), template
    )


def _load(kept: Path) -> dict[str, Text]:
    try:
        found = json.loads(kept.read_text(encoding="utf-8"))
        return {path: _text(*fields) for path, fields in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _is_bare(data: bytes) -> bool:
    if b"#pragma once" in data:
        return False
    code = _COMMENT.sub(b"", data)
    return _DEFINES.search(code) is not None and _GUARD.search(code) is None


def _is_fit(data: bytes) -> bool:
    if b"#pragma once" not in data:
        return False
    if b"using namespace" not in data and b"undef" not in data:
        return True
    code = _COMMENT.sub(b"", data)
    if _USING.search(code):
        return False
    return set(_UNDEFINE.findall(code)) <= set(_DEFINE.findall(code))
