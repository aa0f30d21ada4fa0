"""What another compiler says of direct calls: units compiled to LLVM IR without optimisation.

    python tests/data/read_llvm_calls.py TREE GENERATED OUTPUT [INCLUDE ...]

needs `clang++` (14 made what is kept) and `c++filt`; GENERATED is a folder as
`indexer.clang.codegen.generated_headers` makes it, INCLUDE one with {fmt} or pybind11. The output is JSON, xz: for
each unit and caller the functions of PyTorch that it calls, by their qualified names without template arguments,
parameters, anonymous and inline namespaces; lambdas and local classes are their function.
"""

from __future__ import annotations

import json
import lzma
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from indexer.clang.flags import default_flags

UNITS = (
    "aten/src/ATen/TensorIterator.cpp",
    "aten/src/ATen/core/dispatch/Dispatcher.cpp",
    "aten/src/ATen/functorch/BatchRulesNorm.cpp",
    "aten/src/ATen/native/BinaryOps.cpp",
    "aten/src/ATen/native/CPUBlas.cpp",
    "aten/src/ATen/native/TensorShape.cpp",
    "aten/src/ATen/native/cpu/BinaryOpsKernel.cpp",
    "aten/src/ATen/native/cpu/SoftMaxKernel.cpp",
    "aten/src/ATen/native/sparse/SparseTensorMath.cpp",
    "c10/core/TensorImpl.cpp",
    "c10/util/Logging.cpp",
    "caffe2/serialize/inline_container.cc",
    "torch/csrc/api/src/nn/modules/transformer.cpp",
    "torch/csrc/autograd/FunctionsManual.cpp",
    "torch/csrc/autograd/engine.cpp",
    "torch/csrc/distributed/c10d/reducer.cpp",
    "torch/csrc/inductor/aoti_torch/shim_common.cpp",
    "torch/csrc/jit/ir/ir.cpp",
    "torch/csrc/jit/passes/peephole.cpp",
    "torch/csrc/jit/runtime/interpreter.cpp",
    "torch/csrc/lazy/core/lazy_graph_executor.cpp",
    "torch/csrc/utils/tensor_new.cpp",
)

_DEFINE = re.compile(r'^define [^@]*@("[^"]+"|[\w.$]+)\(')
_CALL = re.compile(r'\b(?:call|invoke) [^@]*@("[^"]+"|[\w.$]+)\(')
_SIGNS = "<=> <<= >>= ->* << >> <= >= -> < > () []".split()
_OPERATOR = re.compile(r"\boperator\s*(" + "|".join(map(re.escape, _SIGNS)) + r")")
_INLINE = re.compile(r"\b(?:DEFAULT|AVX2|AVX512|__cxx11|_V2)::")
PROJECT = re.compile(r"(?:at|c10|torch|caffe2|functorch|c10d)::")


def plain_name(demangled: str) -> str:
    """A function's qualified name, as `Symbol.name` has it."""
    text = demangled.replace("(anonymous namespace)::", "").replace("[abi:cxx11]", "")
    text = re.sub(r" \[clone .*?\]", "", text)
    signs: list[str] = []

    def keep(match: re.Match[str]) -> str:
        signs.append(match[1])
        return f"operator\x01{len(signs) - 1}\x02"

    text = _OPERATOR.sub(keep, text)
    flat: list[str] = []
    depth = 0
    position = 0
    while position < len(text):
        character = text[position]
        if character in "<(":
            depth += 1
        elif character in ">)":
            depth -= 1
            rest = text[position + 1 :]
            # What follows the parameters of a function lies in it: a lambda, a local class.
            if character == ")" and depth == 0 and re.match(r"(?: const)?(?: ?&)?::", rest):
                break
        elif character == "{" and depth == 0:
            break  # {lambda…} of a variable's initialiser
        elif depth == 0:
            flat.append(character)
        position += 1
    name = "".join(flat).rstrip(": ")
    name = re.sub(r"(?: const| ?&&?)+$", "", name.strip())
    conversion = re.search(r"\boperator (?!\x01)(?!new|delete)", name)
    if conversion:
        name = name[: conversion.start()].split(" ")[-1] + "operator conversion"
    else:
        name = re.sub(r"\s+(?=\x01)", "", name)
        name = name.rpartition(" ")[2] if " operator" not in name else name
    name = re.sub("\x01(\\d+)\x02", lambda m: signs[int(m[1])], name)
    return _INLINE.sub("", name)


def calls_of(ir: str) -> list[tuple[str, str]]:
    """Mangled names of callers and callees."""
    found: dict[tuple[str, str], None] = {}
    caller = ""
    for line in ir.splitlines():
        define = _DEFINE.match(line)
        if define:
            caller = define[1].strip('"')
        elif caller and (" call " in line or "invoke " in line):
            for callee in _CALL.findall(line):
                found[caller, callee.strip('"')] = None
        elif line == "}":
            caller = ""
    return list(found)


def main() -> None:
    """Compile the units and write what they call."""
    root, generated, output = (Path(argument).resolve() for argument in sys.argv[1:4])
    extra = [Path(argument).resolve() for argument in sys.argv[4:]]
    ours = {"-nobuiltininc", "-ftemplate-depth=1024", "-fbracket-depth=1024"}
    flags = [flag for flag in default_flags(root, generated, extra)[:-2] if flag not in ours]
    truth: dict[str, dict[str, list[str]]] = {}
    for unit in UNITS:
        with tempfile.TemporaryDirectory() as folder:
            ir = Path(folder) / "unit.ll"
            command = [
                "clang++",
                *flags,
                "-O0",
                "-S",
                "-emit-llvm",
                "-o",
                str(ir),
                str(root / unit),
            ]
            if subprocess.run(command, cwd=folder).returncode:
                print(unit, "does not compile here")
                continue
            calls = calls_of(ir.read_text())
        mangled = sorted({name for call in calls for name in call})
        shown = subprocess.run(
            ["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True
        )
        names = dict(zip(mangled, map(plain_name, shown.stdout.splitlines()), strict=True))
        edges = {(names[a], names[b]) for a, b in calls}
        truth[unit] = by_caller(edges)
        print(unit, sum(map(len, truth[unit].values())))
    write(truth, output)


def by_caller(edges: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The calls between two different functions of PyTorch."""
    found: dict[str, list[str]] = {}
    for caller, callee in sorted(edges):
        if PROJECT.match(caller) and PROJECT.match(callee) and caller != callee:
            found.setdefault(caller, []).append(callee)
    return found


def write(truth: dict[str, dict[str, list[str]]], output: Path) -> None:
    """Write what tests read."""
    text = json.dumps(truth, separators=(",", ":"), sort_keys=True)
    output.write_bytes(lzma.compress(text.encode(), preset=9))


if __name__ == "__main__":
    main()
