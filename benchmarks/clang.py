"""The semantic layer beside the plain way: `clang.cindex`, one full parse a unit, a walk in Python.

    python -m benchmarks.clang --pytorch-source DIR [--units 12]

prints CPU seconds and peak memory of both for the same units, in the same run, and how many calls each found.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from indexer.clang.codegen import generated_headers
from indexer.clang.environment import examine
from indexer.clang.library import load_libclang
from indexer.clang.semantic import Options, semantic
from indexer.clang.texts import Texts
from indexer.clang.units import CORE, list_units
from indexer.scan.files import SourceFile, list_files
from indexer.scan.tree import open_tree


def plain(library: str, file: str, flags: list[str]) -> tuple[int, float, float]:
    """One unit by the package's own binding. To be run in a process of its own.

    Args:
        library: path of libclang; empty for the one that the package brings.
        file: path of the unit.
        flags: of the compiler.

    Returns:
        How many calls it has, CPU seconds, and the most megabytes that were resident.
    """
    from clang import cindex

    if library:
        cindex.Config.set_library_file(library)
    started = time.process_time()
    unit = cindex.Index.create().parse(file, flags, options=0x200)
    found: set[tuple[str, str]] = set()

    def walk(cursor: cindex.Cursor, function: str) -> None:
        for child in cursor.get_children():
            inside = function
            if (
                child.kind.is_declaration()
                and child.is_definition()
                and child.kind.name in _FUNCTIONS
            ):
                inside = child.get_usr()
            elif child.kind == cindex.CursorKind.CALL_EXPR and child.referenced is not None:
                found.add((function, child.referenced.get_usr()))
            walk(child, inside)

    sys.setrecursionlimit(100_000)
    walk(unit.cursor, "")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return len(found), time.process_time() - started, memory


_FUNCTIONS = frozenset(
    (
        "FUNCTION_DECL",
        "CXX_METHOD",
        "CONSTRUCTOR",
        "DESTRUCTOR",
        "CONVERSION_FUNCTION",
        "FUNCTION_TEMPLATE",
    )
)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clang", description=__doc__)
    parser.add_argument("--pytorch-source", type=Path, required=True)
    parser.add_argument(
        "--units", type=int, default=12, help="how many, chosen at random but always the same"
    )
    parser.add_argument(
        "--include", type=Path, action="append", default=[], help="a folder of others' headers"
    )
    options = parser.parse_args()
    tree = open_tree(options.pytorch_source)
    lib = load_libclang()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generated = generated_headers(tree.root, folder)
        machine = examine(lib, tree.root, generated, options.include)
        files = [entry.path for entry in list_files(tree) if isinstance(entry, SourceFile)]
        units = [
            u
            for u in list_units(tree.root, generated, files, Texts())
            if u.path.endswith(".cpp") and not u.is_test
        ]
        chosen = sorted(random.Random(1).sample(units, options.units), key=lambda unit: unit.path)
        started = time.perf_counter()
        facts = semantic(
            tree, folder, 2, None,
            Options(include=tuple(options.include), generated=generated, only=frozenset(u.path for u in chosen)),
        )  # fmt: skip
        wall = time.perf_counter() - started
        ours = {u.unit: u for u in facts.units()}
        print(f"{'unit':<64} {'plain':>17} {'ours':>17}  calls")
        total = [0.0, 0.0, 0.0]
        for unit in chosen:
            command = [
                sys.executable,
                "-m",
                "benchmarks.clang_plain",
                str(lib.path),
                unit.file,
                *machine.flags[CORE],
            ]
            shown = subprocess.run(
                command, check=True, capture_output=True, text=True
            ).stdout.split()
            seconds, memory = float(shown[1]), float(shown[2])
            own = ours[unit.path]
            total = [total[0] + seconds, total[1] + own.seconds, max(total[2], memory)]
            print(
                f"{unit.path[-64:]:<64} {seconds:>7.2f} s {memory:>5.0f} MB"
                f" {own.seconds:>7.2f} s {own.memory:>5.0f} MB  {shown[0]} {len(own.callers)}"
            )
        shared = facts.cpu - sum(ours[unit.path].seconds for unit in chosen)
    print(f"plain: {total[0]:.1f} CPU s, at most {total[2]:.0f} MB")
    print(
        f"ours:  {total[1]:.1f} CPU s, at most {facts.memory:.0f} MB; once a tree {shared:.1f} s; wall {wall:.1f} s"
    )


if __name__ == "__main__":
    main()
