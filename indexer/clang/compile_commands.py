"""A real build's compile_commands.json: each file's own command line, made fit for libclang.

The format is clang's: https://clang.llvm.org/docs/JSONCompilationDatabase.html. `arguments` is a list; `command` one
string with shell quoting; both are relative to `directory`.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from indexer.clang.compiler_words import absolute, translated

PLACES = ("compile_commands.json", "build/compile_commands.json")
"""Where a tree may have one."""

# Of one command; PyTorch's have a few hundred words, and at most one response file.
_MOST_FILES, _MOST_WORDS = 1_000, 100_000


class CompileCommandsError(Exception):
    """The file is not a compile database; the message says why."""


@dataclass(frozen=True)
class Command:
    """How a file is compiled.

    Args:
        file: absolute.
        arguments: definitions, folders and the language, all paths absolute; without the file itself.
        is_device: compiled by nvcc or as CUDA.
    """

    file: str
    arguments: tuple[str, ...]
    is_device: bool


@dataclass(frozen=True)
class Database:
    """What a compile database says of a tree.

    Args:
        path: where it is; empty where there is none.
        commands: by the absolute path of each file of the tree its first command.
        entries: how many it has.
        unreadable: how many of them say no command.
        foreign: the file of the first entry that is of no file of the tree.
        responses: the response files that were read.
    """

    path: str = ""
    commands: Mapping[str, Command] = field(default_factory=dict)
    entries: int = 0
    unreadable: int = 0
    foreign: str = ""
    responses: tuple[str, ...] = ()

    def told(self, units: Sequence[str]) -> str:
        """How much of it is of use, for whoever reads the index; nothing where there is no database.

        Args:
            units: absolute paths of all units.
        """
        if not self.path:
            return ""
        matched = sum(unit in self.commands for unit in units)
        said = [f"{matched:,} of {len(units):,} units have a command in it"]
        if not matched and self.foreign:
            said.append(f"it is of other files, such as {self.foreign}")
        if self.unreadable:
            said.append(f"{self.unreadable:,} of its {self.entries:,} entries cannot be read")
        return f"{os.path.basename(self.path)}: " + "; ".join(said)


def find_database(root: Path, named: Path | None = None) -> Path | None:
    """The compile database that is meant.

    Args:
        root: the tree.
        named: a database or the folder of one; None for the tree's own.

    Returns:
        Its path, where `named` is given also if no file is there; None where the tree has none.
    """
    if named is not None:
        return named / "compile_commands.json" if named.is_dir() else named
    return next((root / place for place in PLACES if (root / place).is_file()), None)


def read_database(path: Path, root: Path) -> Database:
    """The commands for the files of a tree, whichever links the database names it by.

    Args:
        path: of the database.
        root: of the tree, without links.

    Raises:
        CompileCommandsError: it cannot be read, or is none.
    """
    try:
        entries = json.loads(_read(path))
    except RecursionError as error:
        raise CompileCommandsError(f"{path} is no compile database: too deeply nested") from error
    except (OSError, ValueError) as error:
        raise CompileCommandsError(f"{path} cannot be read: {error}") from error
    if not isinstance(entries, list):
        raise CompileCommandsError(f"{path} is no compile database: it is not a list")
    reader = _Reader(str(root))
    found: dict[str, Command] = {}
    unreadable, foreign = 0, ""
    for entry in entries:
        command = reader.command(entry) if isinstance(entry, dict) else None
        if command is None:
            unreadable += 1
        elif command.file.startswith(f"{root}/"):
            found.setdefault(command.file, command)
        else:
            foreign = foreign or command.file
    return Database(str(path), found, len(entries), unreadable, foreign, tuple(reader.responses))


def _read(path: Path) -> str:
    # What is no file may never end, or not begin.
    if path.exists() and not path.is_file():
        raise OSError("it is no regular file")
    return path.read_text(encoding="utf-8")


class _Reader:
    """Reads entries, and each response file once.

    Args:
        root: of the tree.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._real: dict[str, str] = {}
        self.responses: dict[str, list[str]] = {}

    def command(self, entry: dict[str, object]) -> Command | None:
        """What an entry says, or None where it says no command."""
        directory, file = entry.get("directory"), entry.get("file")
        if not isinstance(directory, str) or not isinstance(file, str):
            return None
        words = entry.get("arguments")
        try:
            if not isinstance(words, list):
                text = entry.get("command")
                if not isinstance(text, str):
                    return None
                words = shlex.split(text)
            texts = [str(word) for word in words]
            _check((directory, file, *texts))
            expanded = self._expanded(texts, directory)
            _check(expanded)
        except (ValueError, _TooMuch):
            return None
        path = self._own(absolute(file, directory))
        return Command(path, *translated(expanded, directory, path, self._own))

    def _own(self, path: str) -> str:
        """A path without links where it leads into the tree, so that it is known as the tree's; else as it is."""
        known = self._real.get(path)
        if known is None:
            real = path if self._is_inside(path) else os.path.realpath(path)
            known = self._real[path] = real if self._is_inside(real) else path
        return known

    def _is_inside(self, path: str) -> bool:
        return path == self._root or path.startswith(f"{self._root}/")

    def _expanded(self, words: Iterable[str], directory: str) -> list[str]:
        """Words with those of response files (`@file`, nvcc's `--options-file file`) in their place.

        Raises:
            _TooMuch: they are more than any build's: files that name each other many times.
        """
        found: list[str] = []
        opened = 0
        # What is still to be read, the last first; None ends a file that was being read.
        waiting: list[str | None] = list(reversed(list(words)))
        inside: list[str] = []
        while waiting:
            word = waiting.pop()
            if word is None:
                inside.pop()
                continue
            name = None
            if word.startswith("@") and len(word) > 1:
                name = word[1:]
            elif word in ("--options-file", "-optf") and waiting and waiting[-1] is not None:
                name = waiting.pop()
            elif word.startswith("--options-file="):
                name = word.partition("=")[2]
            if name is None:
                found.append(word)
            else:
                path = absolute(name, directory)
                opened += 1
                if path not in inside:
                    inside.append(path)
                    waiting.append(None)
                    waiting.extend(reversed(self._words(path)))
            if opened > _MOST_FILES or len(found) > _MOST_WORDS:
                raise _TooMuch
        return found

    def _words(self, path: str) -> list[str]:
        known = self.responses.get(path)
        if known is None:
            try:
                known = shlex.split(_read_response(path))
            except (OSError, ValueError):
                known = []
            self.responses[path] = known
        return known


def _read_response(path: str) -> str:
    if not os.path.isfile(path):
        raise OSError("it is no regular file")
    return Path(path).read_text(encoding="utf-8", errors="replace")


class _TooMuch(Exception):
    """A command is larger than any build's."""


def _check(words: Iterable[str]) -> None:
    """Refuse what no command line can hold.

    Raises:
        ValueError: a word has half of a surrogate pair, or ends early.
    """
    for word in words:
        if b"\0" in os.fsencode(word):
            raise ValueError("a word has a zero in it")
