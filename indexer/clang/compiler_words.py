"""A compiler's words as libclang's: what says how a file is read stays; what is of the output goes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

_LAUNCHERS = ("ccache", "sccache", "distcc", "env")
"""What may stand before the compiler."""

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


def translated(
    words: Sequence[str], directory: str, file: str, own: Callable[[str], str]
) -> tuple[tuple[str, ...], bool]:
    """A compiler's words as libclang's, and whether they compile device code.

    Args:
        words: of the command.
        directory: that it runs in.
        file: that it compiles.
        own: from a path to how the tree names it.
    """
    compiler = 1
    while compiler < len(words) and os.path.basename(words[compiler - 1]) in _LAUNCHERS:
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
                found += _with_path(_NVCC[name], value, directory, own)
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
            found += _with_path(word, following, directory, own)
        elif any(word.startswith(option) and word != option for option in _PATHS):
            option = max((o for o in _PATHS if word.startswith(o)), key=len)
            found += _with_path(option, word[len(option) :].removeprefix("="), directory, own)
        elif word in _DROPPED:
            position += _DROPPED[word]
        elif word.startswith(_DROPPED_PREFIXES) or not word.startswith("-"):
            continue
        elif own(absolute(word, directory)) != file:
            found.append(word)
    device = is_nvcc or language in ("cu", "cuda", "hip") or file.endswith((".cu", ".hip"))
    is_c = not device and (language == "c" or (not language and file.endswith(".c")))
    head = ["-x", "c" if is_c else "c++"]
    if standard:
        head.append(f"-std={standard}")
    elif not is_c:
        head.append("-std=gnu++17")
    return (*head, *found), device


def _with_path(option: str, path: str, directory: str, own: Callable[[str], str]) -> list[str]:
    if option in ("-D", "-U"):
        return [option + path]
    # `-include name` is looked up in the folders as well.
    if option in ("-include", "-imacros") and not os.path.exists(absolute(path, directory)):
        return [option, path]
    return [option, own(absolute(path, directory))]


def absolute(path: str, directory: str) -> str:
    """The absolute form of `path` as a command that is run in the folder `directory` means it."""
    return os.path.normpath(os.path.join(directory, path))
