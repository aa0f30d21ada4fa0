"""One call of the parser, and what it has to say."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterator, Sequence

from indexer.clang.library import InclusionVisit, Libclang, UnsavedFile
from indexer.facts.clang import Problem

# CXTranslationUnit_Incomplete | KeepGoing: no instantiation at the end of the unit, which cursors never show; and a
# header that is missing must not switch templates off. CXTranslationUnit_DetailedPreprocessingRecord: without it
# libclang does not tell what `#if` leaves out; it costs nothing that could be measured.
WHOLE = 0x202 | 0x01
# CXTranslationUnit_SkipFunctionBodies instead of it: a header's inline functions are only called.
WITHOUT_BODIES = 0x202 | 0x40

_ERROR = 3
_CRASHED = 2
_CODES = {
    1: "could not read the file",
    _CRASHED: "crashed",
    3: "refused the arguments",
    4: "could not read the precompiled header",
}

# clang/include/clang/Basic/DiagnosticDriverKinds.td: what GCC, nvcc or a newer clang has and this libclang has not.
_ARGUMENTS = re.compile(
    r"(?:unknown|unsupported|unrecognized|invalid) (?:argument|option|value|integral value|\S+ name)\b"
    r"|argument to '.*' is missing|option '.*' cannot be specified"
)


class ParseError(Exception):
    """The parser gave nothing; the message says why."""


class ParserCrash(ParseError):
    """libclang caught its own crash; the process should not be used any longer."""


class Parsed:
    """A parsed unit; to be used as a context.

    Args:
        lib: libclang.
        index: a CXIndex.
        file: absolute path.
        arguments: the command line without the file.
        unsaved: paths, and what to read instead of the files there.
        options: `WHOLE` or `WITHOUT_BODIES`.

    Raises:
        ParseError: the parser gave nothing.
    """

    def __init__(
        self,
        lib: Libclang,
        index: int,
        file: str,
        arguments: Sequence[str],
        unsaved: Sequence[tuple[str, bytes]] = (),
        options: int = WHOLE,
    ) -> None:
        self._lib = lib
        texts = [os.fsencode(argument) for argument in arguments]
        array = (ctypes.c_char_p * len(texts))(*texts)
        path = os.fsencode(file)
        files = (UnsavedFile * len(unsaved))(
            *(UnsavedFile(os.fsencode(name), data, len(data)) for name, data in unsaved)
        )
        unit = ctypes.c_void_p()
        code = lib.parseTranslationUnit2(
            index, path, array, len(texts), files, len(unsaved), options, ctypes.byref(unit)
        )
        if code or not unit.value:
            error = ParserCrash if code == _CRASHED else ParseError
            raise error(f"libclang {_CODES.get(code, f'gave code {code}')}")
        self.unit: int = unit.value

    def __enter__(self) -> Parsed:
        return self

    def __exit__(self, *_: object) -> None:
        self._lib.disposeTranslationUnit(self.unit)

    def problems(self, most: int) -> tuple[int, list[Problem]]:
        """How many errors there were in what was read, and the first of them, with absolute paths.

        Args:
            most: how many of them to give at most.
        """
        found = [problem for problem in self._errors() if not _is_of_arguments(problem)]
        return len(found), found[:most]

    def refused(self) -> list[str]:
        """What libclang says of arguments that it does not know: it reads the unit without them."""
        return [problem.text for problem in self._errors() if _is_of_arguments(problem)]

    def _errors(self) -> Iterator[Problem]:
        lib = self._lib
        for number in range(lib.getNumDiagnostics(self.unit)):
            diagnostic = lib.getDiagnostic(self.unit, number)
            if lib.getDiagnosticSeverity(diagnostic) >= _ERROR:
                file, line, other = ctypes.c_void_p(), ctypes.c_uint(), ctypes.c_uint()
                lib.getFileLocation(
                    lib.getDiagnosticLocation(diagnostic), ctypes.byref(file), ctypes.byref(line),
                    ctypes.byref(other), ctypes.byref(other),
                )  # fmt: skip
                path = lib.text(lib.getFileName(file)) if file.value else ""
                yield Problem(path, line.value, lib.text(lib.getDiagnosticSpelling(diagnostic)))
            lib.disposeDiagnostic(diagnostic)

    def inclusions(self) -> list[str]:
        """Absolute paths of the files that were read, without those of a precompiled header."""
        lib = self._lib
        found: list[str] = []

        def visit(file: int, stack: object, depth: int, _: object) -> None:
            found.append(lib.text(lib.getFileName(file)))

        lib.getInclusions(self.unit, InclusionVisit(visit), None)
        return found

    def save(self, path: str) -> bool:
        """Write the unit to the file `path` as a precompiled header; whether that went well."""
        return not self._lib.saveTranslationUnit(self.unit, os.fsencode(path), 0)


def _is_of_arguments(problem: Problem) -> bool:
    return not problem.file and _ARGUMENTS.match(problem.text) is not None
