"""The kernels of dispatch entries beside what libclang reads in the wrappers that torchgen generates for them.

Which function a name of native_functions.yaml means is told by the text alone (`dispatch_kernels`). Where the exact
layer was built, the generated `Register….cpp` were parsed too, and each wrapper calls its kernel: the same function, or
in the configuration that is parsed another branch of an `#if`.

    python -m tests.real.wrapper_kernels FILE.db
"""

from __future__ import annotations

import argparse
import re
import sqlite3
from collections import Counter
from pathlib import Path

from torchtalk.db import connect

_KEY = re.compile(r"/Register(\w+?)(?:_\d+)?\.cpp$")
_CALLS = (
    "SELECT DISTINCT u.name, f.path, k.name, k.id FROM functions AS u JOIN source_files AS f ON f.id = u.file_id"
    " JOIN calls AS c ON c.caller_id = u.id AND c.origin = 'clang' JOIN functions AS k ON k.id = c.callee_id"
    " WHERE f.path GLOB 'build/aten/src/ATen/Register*' AND u.name GLOB '*wrapper_*' AND k.name GLOB 'at::native::*'"
)
_KERNELS = (
    "SELECT k.function_id, k.is_primary FROM dispatch AS d JOIN dispatch_kernels AS k ON k.dispatch_id = d.id"
    " WHERE d.operator_id = ? AND d.dispatch_key = ? AND d.kernel = ?"
)


def compare(conn: sqlite3.Connection) -> Counter[str]:
    """How many kernels that a wrapper calls are the first of their entry, another that it lists, or none of it.

    Args:
        conn: an index with the exact layer.
    """
    # Rule: torchgen/dest/register_dispatch_key.py, `wrapper_{key}_{overload}_{name}` of what is not structured.
    operators = {
        f"_{overload}_{base}": identity
        for identity, base, overload in conn.execute(
            "SELECT id, base, overload FROM operators WHERE namespace = 'aten'"
        )
    }
    found: Counter[str] = Counter()
    for name, path, kernel, function in conn.execute(_CALLS).fetchall():
        key = _KEY.search(path)
        wrapper = name.rpartition("::")[2]
        if key is None or not wrapper.startswith(f"wrapper_{key[1]}"):
            continue
        operator = operators.get(wrapper.removeprefix(f"wrapper_{key[1]}"))
        listed = dict(conn.execute(_KERNELS, (operator, key[1], kernel)).fetchall())
        if listed:
            known = listed.get(function)
            found["none" if known is None else "first" if known else "another"] += 1
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m tests.real.wrapper_kernels", description=__doc__
    )
    parser.add_argument("db", type=Path, help="an index with the exact layer")
    for what, number in sorted(compare(connect(parser.parse_args().db)).items()):
        print(f"{what} of its entry: {number:,}")
