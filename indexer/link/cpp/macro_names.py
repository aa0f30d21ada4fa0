"""Where does a name mean a macro, which comes before all functions that are called the same ([cpp.replace])?"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection

from indexer.facts.cpp import SOURCE_SUFFIXES
from indexer.sql_lists import INSIDE, chosen

_FOR_ALL = frozenset(("c10", "aten", "torch"))
"""Folders of the libraries whose headers all others include (CONTRIBUTING.md, «Codebase structure»)."""


class MacroNames:
    """Names that are macros somewhere.

    Args:
        conn: a database that holds macros.
        names: of functions, those that are looked at: in capitals, as macros are written.

    Attributes:
        everywhere: those that are macros in whatever file.
    """

    def __init__(self, conn: sqlite3.Connection, names: Collection[str]) -> None:
        self.everywhere: set[str] = set()
        self._files: dict[str, set[str]] = defaultdict(set)
        self._folders: dict[str, set[str]] = defaultdict(set)
        for name, path in conn.execute(
            "SELECT DISTINCT m.name, f.path FROM macro_definitions AS m"
            f" JOIN source_files AS f ON f.id = m.file_id WHERE m.name {INSIDE}",
            (chosen(names),),
        ):
            folder = _library(path)
            if path.endswith(SOURCE_SUFFIXES):
                self._files[name].add(path)
            elif folder in _FOR_ALL:
                self.everywhere.add(name)
            else:
                self._folders[name].add(folder)

    def hides(self, name: str, path: str, functions: Collection[str]) -> bool:
        """Whether a name means a macro in a file.

        What a source file defines is a macro there alone. A header of a library that others can do without, such as
        caffe2 or an extension, is taken not to be included where the file's own library has a function of that name:
        its head would be replaced as well.

        Args:
            name: unqualified.
            path: of the file, relative to the tree.
            functions: the paths of the files that define functions of that name.
        """
        if name in self.everywhere or path in self._files.get(name, ()):
            return True
        folders = self._folders.get(name)
        if not folders:
            return False
        own = _library(path)
        return own in folders or all(_library(function) != own for function in functions)


def _library(path: str) -> str:
    folder, slash, _ = path.partition("/")
    return folder if slash else ""
