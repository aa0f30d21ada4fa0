"""A real build's compile_commands.json: each file's own command line, made fit for libclang.

The format is clang's: https://clang.llvm.org/docs/JSONCompilationDatabase.html. `arguments` is a list; `command` one
string with shell quoting; both are relative to `directory`.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

PLACES = ("compile_commands.json", "build/compile_commands.json")
"""Where a tree may have one."""

_DEEP = 8
# Options that name a file or folder, as one word with it or as two.
_PATHS = (
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "--sysroot",
)
# What is of the output, of the machine's code, or of another compiler; with the number of words that follow.
_DROPPED = {
    "-o": 1, "-c": 0, "-S": 0, "-E": 0, "-MD": 0, "-MMD": 0, "-MP": 0, "-MG": 0, "-M": 0, "-MM": 0, "-MF": 1, "-MT": 1,
    "-MQ": 1, "-Xclang": 1, "-Winvalid-pch": 0, "-ccbin": 1, "--compiler-bindir": 1, "-gencode": 1, "-arch": 1,
    "--generate-code": 1, "-Xcompiler": 1, "-Xptxas": 1, "-Xfatbin": 1, "-Xcudafe": 1, "-Xlinker": 1, "-Xnvlink": 1,
    "-maxrregcount": 1, "--diag_suppress": 1, "--relocatable-device-code": 1, "-x": 1, "--options-file": 1,
    "--default-stream": 1, "-t": 1, "--threads": 1, "-rdc": 1,
}  # fmt: skip
_DROPPED_PREFIXES = (
    "-forward-unknown-", "-o", "-MF", "-MT", "-MQ", "-W", "-g", "-O", "-fmodules", "-fmodule-", "-fdeps-format",
    "-fconcepts-diagnostics", "--generate-code=", "-gencode=", "-arch=", "--gpu-architecture", "-code=", "--expt-",
    "--extended-lambda", "--ptxas", "--compiler-options=", "-Xcompiler=", "-Xptxas=", "-Xfatbin=", "-Xcudafe=",
    "--diag_suppress=", "--default-stream=", "--use_fast_math", "-use_fast_math", "-rdc=", "-dc", "-dlink",
    "-lineinfo", "--threads=", "-t=", "--keep", "-std=", "--std=", "-ccbin=", "--compiler-bindir=", "-fsanitize",
    "-flto", "-fprofile", "-fno-ipa", "-fno-tree", "-faligned-new", "-fopenmp", "-mtune", "-march", "-mcpu", "-l",
    "-L",
)  # fmt: skip
# nvcc's long names of the options that matter.
_NVCC = {"--include-path": "-I", "--system-include": "-isystem", "--define-macro": "-D", "--undefine-macro": "-U",
         "--pre-include": "-include"}  # fmt: skip


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


def find_database(root: Path, named: Path | None = None) -> Path | None:
    """The compile database that is meant, or None where nobody named one and the tree has none."""
    if named is not None:
        return named / "compile_commands.json" if named.is_dir() else named
    return next((root / place for place in PLACES if (root / place).is_file()), None)


def read_database(path: Path) -> dict[str, Command]:
    """From the absolute path of each file to its first command.

    Raises:
        CompileCommandsError: it cannot be read, or is none.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CompileCommandsError(f"{path} cannot be read: {error}") from error
    if not isinstance(entries, list):
        raise CompileCommandsError(f"{path} is no compile database: it is not a list")
    found: dict[str, Command] = {}
    for entry in entries:
        command = _command(entry) if isinstance(entry, dict) else None
        if command is not None:
            found.setdefault(command.file, command)
    return found


def _command(entry: dict[str, object]) -> Command | None:
    directory, file = entry.get("directory"), entry.get("file")
    if not isinstance(directory, str) or not isinstance(file, str):
        return None
    words = entry.get("arguments")
    if not isinstance(words, list):
        text = entry.get("command")
        if not isinstance(text, str):
            return None
        try:
            words = shlex.split(text)
        except ValueError:
            return None
    path = _absolute(file, directory)
    texts = [str(word) for word in words]
    return Command(path, *_translated(_expanded(texts, directory, _DEEP), directory, path))


def _expanded(words: Iterable[str], directory: str, deep: int) -> list[str]:
    """Words with those of response files (`@file`, nvcc's `--options-file file`) in their place."""
    found: list[str] = []
    listed = list(words)
    position = 0
    while position < len(listed):
        word = listed[position]
        position += 1
        name = None
        if word.startswith("@") and len(word) > 1:
            name = word[1:]
        elif word in ("--options-file", "-optf") and position < len(listed):
            name = listed[position]
            position += 1
        elif word.startswith("--options-file="):
            name = word.partition("=")[2]
        if name is None or deep == 0:
            found.append(word)
            continue
        try:
            text = Path(_absolute(name, directory)).read_text(encoding="utf-8", errors="replace")
            found += _expanded(shlex.split(text), directory, deep - 1)
        except (OSError, ValueError):
            continue
    return found


def _translated(words: Sequence[str], directory: str, file: str) -> tuple[tuple[str, ...], bool]:
    """A compiler's words as libclang's, and whether they compile device code."""
    compiler = 1
    while compiler < len(words) and os.path.basename(words[compiler - 1]) in (
        "ccache",
        "sccache",
        "distcc",
        "env",
    ):
        compiler += 1
    is_nvcc = compiler <= len(words) and "nvcc" in os.path.basename(words[compiler - 1])
    standard, language = "", ""
    found: list[str] = []
    position = compiler
    while position < len(words):
        word = words[position]
        following = words[position + 1] if position + 1 < len(words) else ""
        position += 1
        if is_nvcc:
            name, equals, value = word.partition("=")
            if name in _NVCC and equals:
                found += _with_path(_NVCC[name], value, directory)
                continue
            word = _NVCC.get(word, word)
        if word.startswith(("-std=", "--std=")):
            standard = word.rpartition("=")[2]
        elif word in ("-std", "--std"):
            standard = following
            position += 1
        elif word == "-x" or word in ("-D", "-U"):
            position += 1
            if word == "-x":
                language = following
            else:
                found.append(word + following)
        elif word in _PATHS:
            position += 1
            found += _with_path(word, following, directory)
        elif any(word.startswith(option) and word != option for option in _PATHS):
            option = max((o for o in _PATHS if word.startswith(o)), key=len)
            found += _with_path(option, word[len(option) :].removeprefix("="), directory)
        elif word in _DROPPED:
            position += _DROPPED[word]
        elif word.startswith(_DROPPED_PREFIXES) or not word.startswith("-"):
            continue
        elif _absolute(word, directory) != file:
            found.append(word)
    device = is_nvcc or language in ("cu", "cuda", "hip") or file.endswith((".cu", ".hip"))
    is_c = not device and (language == "c" or (not language and file.endswith(".c")))
    head = ["-x", "c" if is_c else "c++"]
    if standard:
        head.append(f"-std={standard}")
    elif not is_c:
        head.append("-std=gnu++17")
    return (*head, *found), device


def _with_path(option: str, path: str, directory: str) -> list[str]:
    if option in ("-D", "-U"):
        return [option + path]
    # `-include name` is looked up in the folders as well.
    if option in ("-include", "-imacros") and not os.path.exists(_absolute(path, directory)):
        return [option, path]
    return [option, _absolute(path, directory)]


def _absolute(path: str, directory: str) -> str:
    return os.path.normpath(os.path.join(directory, path))
