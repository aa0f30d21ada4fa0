"""An installed torch, indexed from its own package, against what it says of itself.

PYTORCH_SOURCE_2_13_0 and PYTORCH_SOURCE_2_15_0 name their `site-packages/torch`; those that are not named are left
out. The facts were read by tests/data/read_compile_truth.py and read_python_truth.py. A package has no C++ sources:
operators that only C++ defines are not in its index, and neither is what bindings written in C++ call.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from torchtalk.db import connect

DATA = Path(__file__).parents[1] / "data"
WHEELS = {
    version: Path(os.environ[name])
    for version in ("2.13.0", "2.15.0")
    if (name := f"PYTORCH_SOURCE_{version.replace('.', '_')}") in os.environ
}
# Namespaces whose operators C++ defines, in whole or in part.
IN_CPP = {
    "_c10d_functional", "_dtensor", "_native_aot", "_quantized", "_test", "aten", "inductor", "mkl", "mkldnn",
    "onednn", "profiler", "quantized", "sparse", "symm_mem", "torchao",
}  # fmt: skip

pytestmark = pytest.mark.skipif(not WHEELS, reason="no installed torch is named")


@pytest.fixture(scope="module", params=WHEELS or ["2.13.0"])
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def conn(version: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    db = tmp_path_factory.mktemp("wheel") / "wheel.db"
    build(open_tree(WHEELS[version]), db)
    conn = connect(db)
    yield conn
    conn.close()


@pytest.fixture(scope="module")
def truth(version: str) -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    text = gzip.decompress((DATA / f"compile-{version}.tsv.gz").read_bytes()).decode()
    for line in text.splitlines()[1:]:
        kind, name, *rest = line.split("\t")
        found.setdefault(kind, {})[name] = tuple(rest)
    return found


@pytest.fixture(scope="module")
def python(version: str) -> Any:
    return json.loads(lzma.decompress((DATA / f"python-{version}.json.xz").read_bytes()))


ENTRIES = {
    "decomposition:post_autograd": "role = 'decomposition' AND table_name = 'post_autograd'",
    "decomposition:meta": "role = 'meta' AND table_name = 'meta'",
    "lowering": "role = 'lowering'",
    "fallback": "role = 'fallback'",
    "fake": "role = 'fake' AND how = 'register_op_impl' AND coalesce(condition, '') NOT LIKE 'if %'",
}
TABLES = {
    "core_aten": "torch._decomp.core_aten_decompositions()",
    "core_aten_post_autograd": "torch._decomp._core_aten_decompositions_post_autograd()",
    "inductor": "torch._inductor.decomposition.decompositions",
    "random": "torch._decomp.decompositions_for_rng.extra_random_decomps",
}


@pytest.mark.parametrize("kind", [*ENTRIES, *TABLES])
def test_registries(conn: sqlite3.Connection, truth: Any, kind: str) -> None:
    """The same operators, but for those of C++ libraries; nothing besides."""
    if kind in ENTRIES:
        rows = conn.execute(
            f"SELECT operator FROM compile_entries WHERE {ENTRIES[kind]} AND NOT is_conditional"
        )
    else:
        rows = conn.execute(
            "SELECT operator FROM compile_tables WHERE table_name = ? AND NOT removed",
            (TABLES[kind],),
        )
    found = {name for (name,) in rows}
    expected = set(truth[kind])
    assert found <= expected
    known = {name for (name,) in conn.execute("SELECT name FROM operators")}
    # Python defines it, and C++ has its composite kernel.
    missing = expected - found
    assert missing & known <= {"aten::get_gradients"}
    assert {name.partition("::")[0] for name in missing} <= IN_CPP
    assert len(found) > 0.93 * len(expected)


def test_logs_artifacts_and_options(conn: sqlite3.Connection, truth: Any) -> None:
    rows = conn.execute("SELECT kind, name FROM v_compile_options").fetchall()
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        found[row["kind"]].add(row["name"])
    assert found["log"] == set(truth["log"])
    assert found["artifact"] == set(truth["artifact"])
    # The runtime counts what a config module imports for type checkers, and a variable of a helper.
    missing = set(truth["config"]) - found["config"]
    assert {name.rpartition(".")[2] for name in missing} <= {
        "TYPE_CHECKING", "_TYPE_CHECKING", "env_str"
    }  # fmt: skip
    assert found["config"] <= set(truth["config"])
    hops = conn.execute("SELECT 'higher_order::' || name FROM higher_order_operators")
    assert {name for (name,) in hops} == set(truth["hop"])


def test_classes(conn: sqlite3.Connection, python: Any) -> None:
    found: dict[str, list[sqlite3.Row]] = defaultdict(list)
    for row in conn.execute(
        "SELECT * FROM v_classes WHERE category IN ('nn', 'optim', 'lr_scheduler')"
    ):
        found[row["name"]].append(row)
        if row["public_name"] not in (None, row["name"]):
            found[row["public_name"]].append(row)
    wrong = []
    for entry in python["classes"]:
        if "<locals>" in entry["name"] or entry["file"] is None:
            continue
        bases = [base for base in entry["bases"] if base != "builtins.object"]
        ours = [
            (row["file"], row["line"], [b for b in (row["bases"] or "").split(", ") if b != "object" and b])
            for row in found[entry["name"]]
        ]  # fmt: skip
        if (entry["file"], entry["line"], bases) not in ours:
            wrong.append((entry["name"], ours))
    assert wrong == []
    assert len(python["classes"]) > 600


def test_apis(conn: sqlite3.Connection, python: Any) -> None:
    ours: dict[str, set[str]] = defaultdict(set)
    for api, operator in conn.execute("SELECT api, operator FROM v_python_api"):
        ours[api].add(operator or "")
    known = {name for (name,) in conn.execute("SELECT name FROM operators")}
    incomplete = []
    for name, operators in python["operators"]["direct"].items():
        api = name.removesuffix(".__get__")
        if api.startswith(("aten.", "torch.torch.ops.aten.")):
            api = "torch.ops.aten." + api.partition("aten.")[2].partition(".")[0]
        elif not api.startswith("torch."):
            api = f"torch.{api}"
        if set(operators) & known - ours[api]:
            incomplete.append(name)
    assert len(python["operators"]["direct"]) > 800
    assert len(incomplete) <= 0.05 * len(python["operators"]["direct"]), incomplete
