"""What the lack of others' headers costs the semantic layer: the same units with them and with our stand-ins alone.

    python -m benchmarks.headers --pytorch-source DIR --include DIR [--include DIR ...] [--units 150]

The first time with pybind11 and the folders named, the second time with neither. It prints how many of the tree's
definitions and of the distinct edges between its functions that the first found are there the second time.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path
from unittest import mock

from indexer.clang import environment
from indexer.clang.semantic import Options, SemanticFacts, semantic
from indexer.clang.units import is_test, is_unit
from indexer.scan.files import list_files
from indexer.scan.tree import SourceTree, open_tree

Edge = tuple[str, str]
SEED = 4


def chosen(tree: SourceTree, number: int) -> frozenset[str]:
    """So many units, `number`, of the `tree`, drawn at random but always the same; all where it has fewer."""
    units = sorted(f.path for f in list_files(tree) if is_unit(f.path) and not is_test(f.path))
    return frozenset(random.Random(SEED).sample(units, min(number, len(units))))


def measured(
    facts: SemanticFacts, wanted: frozenset[str]
) -> tuple[set[str], set[Edge], Counter[str]]:
    """The definitions and edges of some units, and how they went.

    Args:
        facts: of the tree.
        wanted: paths of the units.

    Returns:
        USRs of what they define in the tree, pairs of USRs of callers and callees there, and how many units have each
        status.
    """
    definitions: set[str] = set()
    edges: set[Edge] = set()
    statuses: Counter[str] = Counter()
    for unit in facts.units():
        if unit.unit not in wanted:
            continue
        statuses[unit.status] += 1
        own = [not symbol.file.startswith("<") for symbol in unit.symbols]
        definitions.update(
            s.usr for s, mine in zip(unit.symbols, own, strict=True) if s.is_definition and mine
        )
        for caller, callee in zip(unit.callers, unit.callees, strict=True):
            if own[caller] and own[callee]:
                edges.add((unit.symbols[caller].usr, unit.symbols[callee].usr))
    return definitions, edges, statuses


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.headers", description=__doc__)
    parser.add_argument("--pytorch-source", type=Path, required=True)
    parser.add_argument("--include", type=Path, action="append", default=[])
    parser.add_argument("--units", type=int, default=150)
    parser.add_argument("--cache", type=Path, help="where what is parsed is kept")
    options = parser.parse_args()
    tree = open_tree(options.pytorch_source)
    units = chosen(tree, options.units)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        cache = options.cache or Path(folder)
        for include, installed in ((tuple(options.include), True), ((), False)):
            with mock.patch.object(
                environment,
                "installed_folders",
                environment.installed_folders if installed else list,
            ):
                facts = semantic(tree, cache, 2, None, Options(include=include, only=units))
            found.append(measured(facts, units))
            definitions, edges, statuses = found[-1]
            what = "with others' headers" if installed else "with stand-ins alone"
            print(f"{what}: {dict(statuses)}, {len(definitions)} definitions, {len(edges)} edges")
            print(f"  lacks {', '.join(facts.missing)}")
    (with_definitions, with_edges, _), (definitions, edges, _) = found
    for what, before, after in (
        ("definitions", with_definitions, definitions), ("edges", with_edges, edges),
    ):  # fmt: skip
        print(f"{what} that remain: {len(before & after) / max(1, len(before)):.1%}")


if __name__ == "__main__":
    main()
