"""Kernels of CUTLASS and Composable Kernel, which an object launches.

using Gemm = cutlass::gemm::device::GemmUniversalAdapter<GemmKernel>;
Gemm gemm;
auto status = gemm(at::cuda::getCurrentCUDAStream());  // or gemm.run(…)

auto gemm = ck::tensor_operation::device::DeviceGemmMultiD_Xdl_CShuffle_V3<…>{};  // or of a name for it
auto invoker = gemm.MakeInvoker();
invoker.Run(argument, StreamConfig{stream, false});
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.cpp.launch_sites import Site
from indexer.extract.cpp.lexical import closing, next_code, squeezed, template_end
from indexer.extract.cpp.scopes import Scopes

SIGN = re.compile(rb"\b(?:cutlass|ck)::\w+::device::\w+")
_ADAPTER = re.compile(
    rb"\b(using|auto)\s+(\w+)\s*=\s*(?:typename\s+)?(?:::\s*)?((?:cutlass|ck)::\w+::device::\w+)\s*<"
)


class _Object(NamedTuple):
    """A variable that may launch an adapter's kernel, and from where on it is known."""

    name: bytes
    start: int


def adapter_launches(text: bytes, scopes: Scopes) -> Iterator[Site]:
    """Each place where a function runs an adapter that it names itself.

    Args:
        text: blanked.
        scopes: of the text.
    """
    for match in _ADAPTER.finditer(text):
        opening = match.end() - 1
        angle = template_end(text, opening, len(text))
        scope = scopes.at(match.start())
        if (
            angle < 0
            or scope.function_open < 0
            or scopes.define_at(match.start()) is not None
            # `…::device::DefaultGemmConfiguration<…>::EpilogueOutputOp` is no adapter.
            or not text.startswith((b";", b"{"), next_code(text, angle + 1))
        ):
            continue
        end = max(closing(text, scope.function_open), angle)
        site = Site(0, "library", match.group(3).decode(), squeezed(text[opening : angle + 1]))
        name = match.group(2)
        objects = (
            [_Object(name, angle)]
            if match.group(1) == b"auto"
            else _of_type(text, name, angle, end)
        )
        for held in objects:
            for at in _runs(text, held, end):
                yield site._replace(offset=at)


def _of_type(text: bytes, type_name: bytes, start: int, end: int) -> list[_Object]:
    declared = re.compile(
        rb"\b(?:%b\s+(\w+)\s*[;{(]|auto\s+(\w+)\s*=\s*%b\s*[{(])" % (type_name, type_name)
    )
    found = declared.finditer(text, start, end)
    return [_Object(match.group(1) or match.group(2), match.end()) for match in found]


def _runs(text: bytes, held: _Object, end: int) -> Iterator[int]:
    """Where an adapter is run, or what it makes to invoke it."""
    used = re.compile(rb"\b%b\s*(?:\.\s*run\s*)?\(" % held.name)
    for match in used.finditer(text, held.start, end):
        yield match.start()
    made = re.compile(rb"\b(\w+)\s*=\s*%b\s*\.\s*MakeInvoker\s*\(" % held.name)
    for match in made.finditer(text, held.start, end):
        runs = re.compile(rb"\b%b\s*\.\s*Run\s*\(" % match.group(1))
        for run in runs.finditer(text, match.end(), end):
            yield run.start()
