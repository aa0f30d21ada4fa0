"""The layers of the index: what each counts, and why it may be empty."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from indexer.facts.edges import BY_CLANG


@dataclass(frozen=True)
class Layer:
    """One layer.

    Args:
        name: as it stands in `coverage` and `meta`.
        title: for people.
        counts: name of a count to the SQL condition or table it counts.
        missing: what to say where a tree has nothing for it.
        steps: numbers of its link steps.
        needs: layers that it cannot do without.
        again: link steps of other layers that stand on what it changes.
        areas: what else its rows in `coverage` are called, which say what of it fell short.
    """

    name: str
    title: str
    counts: dict[str, str]
    missing: str
    steps: tuple[int, ...]
    needs: tuple[str, ...] = ()
    again: tuple[int, ...] = ()
    areas: tuple[str, ...] = ()


NOT_ASKED = "not asked for; build it with: torchtalk index"
"""What coverage says of a layer that `--layers` left out."""

NO_UNITS = "an installed package has no C++ sources that libclang could read"
"""What coverage says of the semantic layer of an installed package."""

SEMANTIC = "semantic"
"""The layer that takes minutes and a parser, and is added when the others are in place."""

LAYERS = (
    Layer(
        "operators",
        "operators, dispatch and derivatives from YAML",
        {
            "operators": "operators WHERE origin = 'yaml'",
            "generated overloads": "operators WHERE origin = 'autogen'",
            "dispatch entries": "dispatch WHERE origin IN ('yaml', 'default', 'delegate')",
            "formulas": "derivatives",
            "tags": "tags",
        },
        "no native_functions.yaml was read",
        steps=(10, 12, 14, 90),
    ),
    Layer(
        "native",
        "native implementations, registrations, stubs, bindings and launches",
        {
            "functions": "functions",
            "located dispatch entries": "dispatch WHERE id IN (SELECT dispatch_id FROM dispatch_kernels)",
            "registrations": "dispatch WHERE origin IN ('impl', 'macro', 'python')",
            "operators of libraries": "operators WHERE origin = 'library'",
            "stub kernels": "stub_registrations",
            "bindings": "bindings",
            "GPU kernels": "kernels",
            "launches": "launches",
        },
        "the tree has no C++ sources",
        steps=(15, 16, 20, 30, 40, 41, 42, 43, 44, 46, 47, 48),
        needs=("operators",),
        areas=("functions", "kernels", "registrations", "stubs", "bindings", "launches"),
    ),
    Layer(
        "calls",
        "C++ call graph from syntax",
        {"call sites": "calls", "calls of operators": "operator_calls"},
        "the tree has no C++ sources",
        steps=(25,),
        needs=("native",),
    ),
    Layer(
        "python",
        "Python classes, functions and what they end at",
        {
            "classes": "python_classes",
            "functions": "python_functions",
            "API entries": "python_apis",
            "calls": "python_calls",
        },
        "the tree has no Python sources",
        steps=(50, 51, 52),
        needs=("operators",),
    ),
    Layer(
        "tests",
        "tests, OpInfos and what tests are written with",
        {
            "tests": "tests WHERE kind = 'python'",
            "C++ tests": "tests WHERE kind = 'gtest'",
            "test classes": "test_classes",
            "OpInfos": "opinfos",
            "lists of OpInfos": "opinfo_lists",
            "test utilities": "test_utilities",
        },
        "the tree has no tests",
        steps=(60, 62),
        needs=("python",),
    ),
    Layer(
        "compile",
        "torch.compile: stages, tables, options",
        {
            "entries": "compile_entries",
            "options": "compile_options",
            "graph breaks": "graph_breaks",
            "Dynamo rules": "dynamo_rules",
        },
        "the tree has no torch/_decomp",
        steps=(65,),
        needs=("native", "python"),
    ),
    Layer(
        "graph",
        "the joined graph of C++, operators and Python",
        {"edges": "edges", "calls of functions": "calls"},
        "there is nothing to join",
        steps=(80, 81, 82, 83, 84, 85),
        needs=("calls", "python"),
    ),
    Layer(
        SEMANTIC,
        "C++ call graph by libclang",
        {
            "definitions": "function_usrs WHERE is_definition",
            "call sites": f"calls WHERE {BY_CLANG}",
            "overrides": "function_overrides",
            "functions of operators": "operator_functions",
        },
        "not read yet: until then calls are those of the syntax; go on with: torchtalk index",
        steps=(72, 74),
        needs=("calls",),
        again=(47, 48, 80, 82, 83, 84, 85),
    ),
)


LAYER_NAMES = tuple(layer.name for layer in LAYERS)
"""Every layer, in order."""

FAST_LAYERS = tuple(name for name in LAYER_NAMES if name != SEMANTIC)
"""Those that `indexer.build` writes; `indexer.semantic` adds the last one to them."""


def with_needs(names: Collection[str]) -> tuple[str, ...]:
    """The named layers and those they cannot do without, in the order of `LAYERS`.

    Args:
        names: of layers; the operators' is always among the result.

    Raises:
        ValueError: there is no layer of that name.
    """
    known = {layer.name: layer for layer in LAYERS}
    wanted: set[str] = set()
    pending = ["operators", *names]
    while pending:
        name = pending.pop()
        if name not in known:
            raise ValueError(f"there is no layer {name!r}; there are {', '.join(known)}")
        if name not in wanted:
            wanted.add(name)
            pending += known[name].needs
    return tuple(layer.name for layer in LAYERS if layer.name in wanted)


def step_numbers(names: Collection[str]) -> list[int]:
    """Numbers of the link steps of the layers `names`, by layer, without those that `indexer.semantic` runs."""
    wanted = [layer for layer in LAYERS if layer.name in names and layer.name != SEMANTIC]
    return [number for layer in wanted for number in layer.steps]


def layer_counts(conn: sqlite3.Connection) -> dict[str, dict[str, int]]:
    """The numbers of rows of each layer in the database `conn`, by the layer's name and that of the count."""
    return {
        layer.name: {
            name: int(conn.execute(f"SELECT count(*) FROM {source}").fetchone()[0])
            for name, source in layer.counts.items()
        }
        for layer in LAYERS
    }


def noted_counts(meta: Mapping[str, str | None]) -> dict[str, dict[str, int]]:
    """The same as it was noted when the index was made, which takes no counting.

    Args:
        meta: the table of that name.
    """
    return {
        layer.name: {
            name: int(meta.get(f"count.{layer.name}.{name}") or 0) for name in layer.counts
        }
        for layer in LAYERS
    }
