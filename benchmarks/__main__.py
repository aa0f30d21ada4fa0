"""Print a table of measurements."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks import measures


def main() -> None:
    """Measure what the options give."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--db", type=Path, required=True, help="an index of a whole PyTorch tree")
    parser.add_argument(
        "--pytorch-source", type=Path, help="measure `torchtalk index` on this tree as well"
    )
    parser.add_argument("--starts", type=int, default=7, help="processes started for a median")
    parser.add_argument("--calls", type=int, default=200, help="calls made for a median")
    options = parser.parse_args()
    database = options.db.absolute()
    rows = measures.startup(database, options.starts)
    rows += measures.cold_command(database, options.starts)
    rows += measures.in_process(database, options.calls)
    rows += measures.through_stdio(database, options.calls)
    if options.pytorch_source:
        rows += measures.index(options.pytorch_source.absolute(), 2)
    print(f"cores: {os.cpu_count()}, load: {os.getloadavg()[0]:.1f}")
    width = max(len(what) for what, _, _ in rows)
    for what, value, bound in rows:
        print(f"{what:<{width}}  {value:<28}{f'at most {bound}' if bound else ''}".rstrip())


if __name__ == "__main__":
    main()
