"""What the machine has: the C++ library, Python's and others' headers; and the flags that follow from it."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from indexer.clang import cuda
from indexer.clang.flags import ALWAYS, BUILTIN, LIBRARY, OWN, default_flags
from indexer.clang.library import Libclang
from indexer.clang.parse import Parsed
from indexer.clang.units import API, CORE, CUDA, PLAIN, TORCH

STAND_IN = BUILTIN.parent / "third_party"
"""Small stand-ins for headers of others, searched last."""

_STANDARD = (
    "algorithm", "any", "array", "atomic", "bit", "bitset", "cassert", "cctype", "cerrno", "cfloat", "chrono",
    "cinttypes", "climits", "clocale", "cmath", "codecvt", "complex", "condition_variable", "csignal", "cstdarg",
    "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "ctime", "cwchar", "deque", "exception", "filesystem",
    "fstream", "functional", "future", "initializer_list", "iomanip", "ios", "iosfwd", "iostream", "istream",
    "iterator", "limits", "list", "locale", "map", "memory", "mutex", "new", "numeric", "optional", "ostream",
    "queue", "random", "ratio", "regex", "set", "shared_mutex", "sstream", "stack", "stdexcept", "streambuf",
    "string", "string_view", "system_error", "thread", "tuple", "type_traits", "typeindex", "typeinfo",
    "unordered_map", "unordered_set", "utility", "valarray", "variant", "vector",
)  # fmt: skip
_THIRD_PARTY = (
    "Python.h", "pybind11/pybind11.h", "fmt/format.h", "gtest/gtest.h", "gloo/context.h", "tensorpipe/tensorpipe.h",
    "ideep.hpp", "onnx/onnx_pb.h", "sleef.h", "cpuinfo.h", "fp16.h", "xnnpack.h", "fbgemm/Fbgemm.h", "libkineto.h",
    "nlohmann/json.hpp", "cutlass/cutlass.h",
)  # fmt: skip
# Of these, what is included without a condition: where it is missing, who includes it cannot be without an error.
_NEEDED = ("pybind11/", "gloo/", "tensorpipe/", "onnx/", "cutlass/")

# Of libtorch's upper part, what is compiled where the headers are there that ours stand in for.
_COMPONENTS = ("-DUSE_CUDA", "-DUSE_NCCL", "-DUSE_C10D_NCCL", "-DUSE_KINETO")


class ToolchainMissing(Exception):
    """The machine has no C++ library that libclang finds."""


@dataclass(frozen=True)
class Machine:
    """What was found.

    Args:
        flags: arguments by group.
        folders: of the tree's and the generated headers, in order.
        standard: names of the C++ library's headers.
        has_python: whether Python.h and pybind11 are there.
        missing: headers of others that are not.
        digest: of all of it, and of the stand-ins.
        extra: folders that come last everywhere.
    """

    flags: Mapping[str, tuple[str, ...]]
    folders: tuple[str, ...]
    standard: tuple[str, ...]
    has_python: bool
    missing: tuple[str, ...]
    digest: str
    extra: tuple[str, ...]

    @property
    def needed(self) -> tuple[str, ...]:
        """What the names of headers begin with that are missing and cannot be done without."""
        begun = {f"{name.partition('/')[0]}/" for name in self.missing}
        return tuple(name for name in _NEEDED if name in begun)

    def completed(self, arguments: Sequence[str], is_device: bool) -> tuple[str, ...]:
        """The flags of a unit from a build's command line, which knows nothing of libclang's needs.

        Args:
            arguments: of that command line.
            is_device: whether the unit is device code.
        """
        return (*arguments, *ALWAYS, *self.extra, *(cuda.FLAGS if is_device else ()))


def examine(lib: Libclang, root: Path, generated: Path, include: Iterable[Path]) -> Machine:
    """Find out what headers there are.

    Args:
        lib: libclang.
        root: the tree.
        generated: the folder of generated headers.
        include: folders of headers that somebody named.

    Raises:
        ToolchainMissing: there is no C++ library.
    """
    extra = [*(path.resolve() for path in include), *installed_folders()]
    base = default_flags(root, generated, extra)
    missing = probe(lib, base, (*_STANDARD, *_THIRD_PARTY))
    if "vector" in missing:
        raise ToolchainMissing("libclang finds no C++ library headers: install g++ (libstdc++-dev)")
    stand_in = [f"-idirafter{folder}" for folder in (STAND_IN, cuda.STAND_IN) if folder.is_dir()]
    common = [*base, *stand_in]
    plain = [flag for flag in common if not flag.startswith("-std=")]
    plain[plain.index("-x") + 1] = "c"
    flags = {
        CORE: tuple(common),
        TORCH: (*common, *_COMPONENTS),
        API: (*common, *_COMPONENTS),
        CUDA: (*common, *cuda.FLAGS),
        PLAIN: tuple(plain),
    }
    own = (str(root) + "/", str(generated) + "/")
    folders = tuple(
        flag[2:] for flag in base if flag.startswith("-I") and (flag[2:] + "/").startswith(own)
    )
    return Machine(
        flags, folders, tuple(name for name in _STANDARD if name not in missing),
        not missing & {"Python.h", "pybind11/pybind11.h"},
        tuple(name for name in _THIRD_PARTY if name in missing),
        _digest(flags, missing),
        (*OWN, *stand_in),
    )  # fmt: skip


def header_flags(folder: Path) -> list[str]:
    """The flags with which headers are found that are not a tree's own.

    Args:
        folder: an empty one, in the place of the tree.
    """
    return default_flags(folder, folder, installed_folders())


def probe(lib: Libclang, flags: Sequence[str], names: Iterable[str]) -> set[str]:
    """Which of some headers are missing, asked of the preprocessor.

    Args:
        lib: the library.
        flags: that say where headers are.
        names: of the headers, as they stand between `<` and `>`.
    """
    wanted = list(names)
    text = "".join(
        f"#if !__has_include(<{name}>)\n#error {number}\n#endif\n"
        for number, name in enumerate(wanted)
    )
    index = lib.createIndex(0, 0)
    try:
        path = os.path.join(BUILTIN, "torchtalk_probe.cpp")
        with Parsed(lib, index, path, flags, [(path, text.encode())]) as parsed:
            _, problems = parsed.problems(len(wanted))
    finally:
        lib.disposeIndex(index)
    return {wanted[int(p.text)] for p in problems if p.text.isdigit() and int(p.text) < len(wanted)}


def installed_folders() -> list[Path]:
    """Folders of headers that Python packages brought along."""
    spec = importlib.util.find_spec("pybind11")
    folders = (
        [Path(folder) / "include" for folder in (spec.submodule_search_locations or ())]
        if spec
        else []
    )
    return [folder for folder in folders if folder.is_dir()]


def portable(flags: Sequence[str]) -> list[str]:
    """`flags` without the place where torchtalk is installed: what its headers hold is digested apart."""
    return [flag.replace(str(BUILTIN.parent), "{torchtalk}") for flag in flags]


def _digest(flags: Mapping[str, tuple[str, ...]], missing: set[str]) -> str:
    named = {group: portable(flags[group]) for group in flags}
    state = hashlib.sha256(json.dumps([named, sorted(missing)]).encode())
    for folder in (LIBRARY, BUILTIN, STAND_IN, cuda.STAND_IN):
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            state.update(file.read_bytes())
    return state.hexdigest()[:32]
