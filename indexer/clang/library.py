"""libclang through a private ctypes binding: only what the call graph needs, typed once.

The package's own `clang.cindex` wraps each cursor in Python objects; a walk of a whole PyTorch tree touches tens of
millions of them. Names and layouts are those of clang-c/Index.h; they are the same since version 8.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
from pathlib import Path
from typing import Any

VARIABLE = "TORCHTALK_LIBCLANG"
"""Environment variable that names another libclang shared library."""

_NAMES = ("libclang.so", "libclang.so.1", "libclang.dylib", "libclang.dll")


class LibclangMissing(Exception):
    """There is no libclang that can be loaded; the message says which was tried."""


class Cursor(ctypes.Structure):
    """CXCursor."""

    _fields_ = (
        ("kind", ctypes.c_int),
        ("xdata", ctypes.c_int),
        ("data0", ctypes.c_void_p),
        ("data1", ctypes.c_void_p),
        ("data2", ctypes.c_void_p),
    )


class Type(ctypes.Structure):
    """CXType."""

    _fields_ = (("kind", ctypes.c_int), ("data0", ctypes.c_void_p), ("data1", ctypes.c_void_p))


class Location(ctypes.Structure):
    """CXSourceLocation."""

    _fields_ = (
        ("data0", ctypes.c_void_p),
        ("data1", ctypes.c_void_p),
        ("int_data", ctypes.c_uint),
    )


class Range(ctypes.Structure):
    """CXSourceRange."""

    _fields_ = (
        ("data0", ctypes.c_void_p),
        ("data1", ctypes.c_void_p),
        ("begin", ctypes.c_uint),
        ("end", ctypes.c_uint),
    )


class String(ctypes.Structure):
    """CXString; freed when its text is read."""

    _fields_ = (("data", ctypes.c_void_p), ("flags", ctypes.c_uint))


class UnsavedFile(ctypes.Structure):
    """CXUnsavedFile."""

    _fields_ = (
        ("filename", ctypes.c_char_p),
        ("contents", ctypes.c_char_p),
        ("length", ctypes.c_ulong),
    )


class RangeList(ctypes.Structure):
    """CXSourceRangeList."""

    _fields_ = (("count", ctypes.c_uint), ("ranges", ctypes.POINTER(Range)))


Visit = ctypes.CFUNCTYPE(ctypes.c_int, Cursor, Cursor, ctypes.c_void_p)
"""CXCursorVisitor: (cursor, parent, data) -> BREAK, CONTINUE or RECURSE."""

InclusionVisit = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.POINTER(Location), ctypes.c_uint, ctypes.c_void_p
)

BREAK, CONTINUE, RECURSE = range(3)

_P, _I, _U = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint
_OUT_P, _OUT_U = ctypes.POINTER(_P), ctypes.POINTER(_U)
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "clang_createIndex": (_P, (_I, _I)),
    "clang_disposeIndex": (None, (_P,)),
    "clang_parseTranslationUnit2": (
        _I,
        (
            _P,
            ctypes.c_char_p,
            ctypes.POINTER(ctypes.c_char_p),
            _I,
            ctypes.POINTER(UnsavedFile),
            _U,
            _U,
            _OUT_P,
        ),
    ),
    "clang_saveTranslationUnit": (_I, (_P, ctypes.c_char_p, _U)),
    "clang_disposeTranslationUnit": (None, (_P,)),
    "clang_getTranslationUnitCursor": (Cursor, (_P,)),
    "clang_visitChildren": (_U, (Cursor, Visit, _P)),
    "clang_getInclusions": (None, (_P, InclusionVisit, _P)),
    "clang_getCursorReferenced": (Cursor, (Cursor,)),
    "clang_getSpecializedCursorTemplate": (Cursor, (Cursor,)),
    "clang_getCanonicalCursor": (Cursor, (Cursor,)),
    "clang_getCursorDefinition": (Cursor, (Cursor,)),
    "clang_getCursorSemanticParent": (Cursor, (Cursor,)),
    "clang_getTemplateCursorKind": (_I, (Cursor,)),
    "clang_Cursor_getNumTemplateArguments": (_I, (Cursor,)),
    "clang_Cursor_getTemplateArgumentKind": (_I, (Cursor, _U)),
    "clang_Cursor_getTemplateArgumentType": (Type, (Cursor, _U)),
    "clang_Cursor_getTemplateArgumentValue": (ctypes.c_longlong, (Cursor, _U)),
    "clang_Cursor_isInlineNamespace": (_U, (Cursor,)),
    "clang_isCursorDefinition": (_U, (Cursor,)),
    "clang_getCursorUSR": (String, (Cursor,)),
    "clang_getCursorSpelling": (String, (Cursor,)),
    "clang_getCursorDisplayName": (String, (Cursor,)),
    "clang_getCursorType": (Type, (Cursor,)),
    "clang_getCursorResultType": (Type, (Cursor,)),
    "clang_getTypeSpelling": (String, (Type,)),
    "clang_getCanonicalType": (Type, (Type,)),
    "clang_getTypeDeclaration": (Cursor, (Type,)),
    "clang_getCursorLocation": (Location, (Cursor,)),
    "clang_getCursorExtent": (Range, (Cursor,)),
    "clang_getRangeStart": (Location, (Range,)),
    "clang_getRangeEnd": (Location, (Range,)),
    "clang_getAllSkippedRanges": (ctypes.POINTER(RangeList), (_P,)),
    "clang_disposeSourceRangeList": (None, (ctypes.POINTER(RangeList),)),
    "clang_getFileLocation": (None, (Location, _OUT_P, _OUT_U, _OUT_U, _OUT_U)),
    "clang_getFileName": (String, (_P,)),
    "clang_getIncludedFile": (_P, (Cursor,)),
    "clang_Cursor_getArgument": (Cursor, (Cursor, _U)),
    "clang_Cursor_isDynamicCall": (_I, (Cursor,)),
    "clang_CXXMethod_isVirtual": (_U, (Cursor,)),
    "clang_getOverriddenCursors": (None, (Cursor, ctypes.POINTER(ctypes.POINTER(Cursor)), _OUT_U)),
    "clang_disposeOverriddenCursors": (None, (ctypes.POINTER(Cursor),)),
    "clang_getNumOverloadedDecls": (_U, (Cursor,)),
    "clang_getOverloadedDecl": (Cursor, (Cursor, _U)),
    "clang_getNumDiagnostics": (_U, (_P,)),
    "clang_getDiagnostic": (_P, (_P, _U)),
    "clang_disposeDiagnostic": (None, (_P,)),
    "clang_getDiagnosticSeverity": (_I, (_P,)),
    "clang_getDiagnosticSpelling": (String, (_P,)),
    "clang_getDiagnosticLocation": (Location, (_P,)),
    "clang_getClangVersion": (String, ()),
    "clang_getCString": (ctypes.c_char_p, (String,)),
    "clang_disposeString": (None, (String,)),
    "clang_toggleCrashRecovery": (None, (_U,)),
}


class Libclang:
    """One loaded library: its functions as attributes, without the prefix.

    Args:
        path: the shared library.

    Raises:
        LibclangMissing: it cannot be loaded, or lacks a function that is needed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            library = ctypes.CDLL(str(path))
            for name, (result, arguments) in _FUNCTIONS.items():
                function = getattr(library, name)
                function.restype = result
                function.argtypes = arguments
                setattr(self, name.removeprefix("clang_"), function)
        except (OSError, AttributeError) as error:
            raise LibclangMissing(f"{path} cannot be used: {error}") from error
        self.version = self.text(self.getClangVersion())

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def text(self, string: String) -> str:
        """The text of the CXString `string`, which is freed; "" for one without."""
        raw = self.getCString(string)
        self.disposeString(string)
        return raw.decode("utf-8", "replace") if raw else ""

    @property
    def major(self) -> int:
        """Its major version, 0 where the library does not tell."""
        match = re.search(r"version (\d+)", self.version)
        return int(match[1]) if match else 0


def find_libclang(named: Path | None = None) -> Path:
    """The library that is meant: the one named, TORCHTALK_LIBCLANG, the installed package's.

    Args:
        named: a shared library, or a folder that holds one.

    Raises:
        LibclangMissing: what is named is not there, or the package is not installed.
    """
    if named is None and os.environ.get(VARIABLE):
        named = Path(os.environ[VARIABLE])
    if named is not None:
        for candidate in (named, *(named / name for name in _NAMES)):
            if candidate.is_file():
                return candidate
        raise LibclangMissing(f"no libclang at {named}")
    spec = importlib.util.find_spec("clang")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for name in _NAMES:
            candidate = Path(folder) / "native" / name
            if candidate.is_file():
                return candidate
    raise LibclangMissing("the libclang package is not installed (pip install libclang)")


def load_libclang(named: Path | None = None) -> Libclang:
    """Find and load the library.

    Args:
        named: a shared library, or a folder that holds one; None for the one that `find_libclang` takes then.

    Raises:
        LibclangMissing: there is none, or it cannot be used.
    """
    return Libclang(find_libclang(named))
