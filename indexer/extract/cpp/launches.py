"""CUDA's kernels and launches of one file: `<<<…>>>`, the runtime's calls, PyTorch's helpers, cub, thrust, CUTLASS."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp.adapter_launches import SIGN as ADAPTER
from indexer.extract.cpp.adapter_launches import adapter_launches
from indexer.extract.cpp.expansion import expanded_uses
from indexer.extract.cpp.handed_kernels import handed_to, kernel_arguments
from indexer.extract.cpp.kernels import GLOBAL, aliases, kernel_declarations
from indexer.extract.cpp.launch_sites import Site, chevrons, named_calls, variable_target
from indexer.extract.cpp.scopes import Scope, Scopes
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.launches import Launch, LaunchFact

# Whether a file is worth reading: plain substrings, since nearly all files are told apart by them alone.
_SIGNS = (b"<<<", b"__global__", b"cub::", b"thrust::")
_GPU_SIGNS = (b"launch_", b"_LAUNCH")
_CALLS = (
    (b"gpu_", re.compile(rb"gpu_\w*kernel\w*\s*[<(]")),
    (b"Launch", re.compile(rb"Launch(?:Cooperative)?\w*Kernel")),
    (b"::device::", ADAPTER),
    (b"_collective_launch", re.compile(rb"shmemx_collective_launch")),
)
_TELLING = re.compile(
    rb"<<<|\b__global__\s+\w|gpu_\w*kernel\w*\s*[<(]|(?:cu|cuda|hip)\w*Launch\w*Kernel"
    rb"|shmemx_collective_launch"
)
_GPU_SUFFIXES = (".cu", ".cuh", ".hip", ".cut")


def launches(unit: CppUnit) -> Iterator[LaunchFact]:
    """Every kernel and launch of a C++, CUDA or HIP file; for Metal see `metal.py`.

    Args:
        unit: the file. Its syntax tree is not used: half of the launches stand in macros' arguments.
    """
    data = unit.data
    signs = _SIGNS + _GPU_SIGNS if unit.path.endswith(_GPU_SUFFIXES) else _SIGNS
    if not any(sign in data for sign in signs) and not any(
        sign in data and pattern.search(data) for sign, pattern in _CALLS
    ):
        return
    text, scopes = unit.text, unit.scopes
    marker = GLOBAL
    if b"__global__" in text and (names := aliases(scopes)):
        marker = re.compile(rb"\b(?:__global__|" + b"|".join(map(re.escape, names)) + rb")\b")
    declared = set()
    for offset, kernel in kernel_declarations(text, scopes, marker):
        declared.add(kernel.function)
        yield kernel._replace(file=unit.path, line=unit.line(offset))
    if declared:
        yield from kernel_arguments(unit, declared)
    sites = _sites(text)
    if b"::device::" in data:
        sites = sorted((*sites, *adapter_launches(text, scopes)), key=lambda site: site.offset)
    for site in sites:
        define = scopes.define_at(site.offset)
        scope = scopes.at(site.offset)
        launcher = scope.qualified
        if define is not None:
            if site.kind != "launch":
                continue
            launcher = scope.qualified or define.name
        site = variable_target(text, site, scope)
        launch = _launch(
            unit, site, scope.prefix, launcher, define.name if define else "", define is not None, 0
        )
        if site.variable and site.variable == site.kernel:
            given = handed_to(text, scope, site.offset, site.kernel)
            launch = launch._replace(handed_to=given)
        yield launch
    for use in expanded_uses(unit.path, data, _TELLING):
        outer = scopes.at(use.offset)
        inner = Scopes(use.text)
        line = unit.line(use.offset)
        for _, kernel in kernel_declarations(use.text, inner, marker):
            name = f"{outer.prefix}::{kernel.name}" if outer.prefix else kernel.name
            yield kernel._replace(name=name, macro=use.macro, file=unit.path, line=line)
        for site in _sites(use.text):
            scope = inner.at(site.offset)
            site = variable_target(use.text, site, scope)
            if site.variable == site.kernel and outer.function:
                site = variable_target(text, site._replace(offset=use.offset), outer)
            prefix, launcher = _joined(outer, scope)
            yield _launch(unit, site, prefix, launcher, use.macro, False, line)


def _joined(outer: Scope, inner: Scope) -> tuple[str, str]:
    """The scope and function of a place in a macro's expansion, which stands in `outer`."""
    prefix = "::".join(part for part in (outer.prefix, inner.prefix) if part)
    if inner.function:
        return prefix, f"{prefix}::{inner.function}" if prefix else inner.function
    return prefix, outer.qualified


def _sites(text: bytes) -> list[Site]:
    return sorted((*chevrons(text), *named_calls(text)), key=lambda site: site.offset)


def _launch(
    unit: CppUnit, site: Site, scope: str, launcher: str, macro: str, in_definition: bool, line: int
) -> Launch:
    return Launch(
        site.kernel,
        site.template_arguments,
        scope,
        launcher,
        site.kind,
        site.grid,
        site.block,
        site.shared,
        site.stream,
        site.variable,
        macro,
        in_definition,
        "cuda",
        unit.path,
        line or unit.line(site.offset),
    )
