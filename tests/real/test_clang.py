"""The semantic graph of some units of a real tree, beside what another compiler says."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.clang.semantic import Options, semantic
from indexer.facts.clang import KINDS, UnitFacts
from indexer.scan.tree import open_tree
from tests.real.conftest import _source

TRUTH = Path(__file__).resolve().parent.parent / "data" / "llvm-calls-2.6.0.json.gz"
_CONVERSION = re.compile(r"::operator (?!new|delete|[^\w]).*")


def _read_truth() -> dict[str, set[tuple[str, str]]]:
    text = json.loads(gzip.decompress(TRUTH.read_bytes()))
    return {unit: {(a, b) for a, b in edges} for unit, edges in text.items()}


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> dict[str, UnitFacts]:
    """The facts of the units of the truth, and of the headers that they share."""
    root = _source("2.6.0")
    assert root is not None
    folder = tmp_path_factory.mktemp("clang")
    facts = semantic(
        open_tree(root), folder, 2, None, Options(only=frozenset(_read_truth()), tests=False)
    )
    return {unit.unit: unit for unit in facts.units()}


def _edges(unit: UnitFacts) -> Iterator[tuple[str, str, str]]:
    names = [_CONVERSION.sub("::operator conversion", symbol.name) for symbol in unit.symbols]
    for caller, callee, kind in zip(unit.callers, unit.callees, unit.kinds, strict=True):
        yield names[caller], names[callee], KINDS[kind]


def test_direct_calls_of_another_compiler_are_found(units: dict[str, UnitFacts]) -> None:
    """At least 97 in a hundred; what is implicit in the source (constructors, destructors) no cursor shows."""
    shared = {
        (a, b) for path, unit in units.items() if path.startswith("<") for a, b, _ in _edges(unit)
    }
    written = {s.name for unit in units.values() for s in unit.symbols}
    found = missing = 0
    for path, edges in _read_truth().items():
        ours = shared | {(a, b) for a, b, _ in _edges(units[path])}
        for caller, callee in edges:
            scope, _, last = callee.rpartition("::")
            implicit = last.startswith("~") or (callee not in written) or caller not in written
            if last == scope.rpartition("::")[2]:
                implicit = True  # a constructor: of a base, of a member, of a copy
            if implicit:
                continue
            found += (caller, callee) in ours
            missing += (caller, callee) not in ours
    assert found / (found + missing) >= 0.97, (found, missing)
    assert found > 5000


def test_units_without_others_headers_are_clean(units: dict[str, UnitFacts]) -> None:
    clean = [path for path in _read_truth() if units[path].status == "ok"]
    assert len(clean) >= len(_read_truth()) * 3 // 4


def test_what_makes_it_pytorchs_graph(units: dict[str, UnitFacts]) -> None:
    binary = set(_edges(units["aten/src/ATen/native/BinaryOps.cpp"]))
    assert (
        "at::native::structured_ufunc_add_CPU::impl",
        "at::native::add_stub",
        "stub",
    ) not in binary
    assert ("at::native::structured_sub_out::impl", "at::native::add_stub", "stub") in binary
    kernels = units["aten/src/ATen/native/cpu/SoftMaxKernel.cpp"]
    registered = {(k.stub, kernels.symbols[k.kernel].name) for k in kernels.stub_kernels}
    assert ("softmax_lastdim_kernel", "at::native::softmax_lastdim_kernel_impl") in registered
    shape = set(_edges(units["aten/src/ATen/native/TensorShape.cpp"]))
    assert any(callee.startswith("at::_ops::") for _, callee, _ in shape) or any(
        callee == "at::Tensor::view" for _, callee, _ in shape
    )
