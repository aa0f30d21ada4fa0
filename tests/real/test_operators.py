"""Layer 1 of whole trees against PyTorch's own generator: zero differences."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.real.conftest import Real

SCRIPT = Path(__file__).parent / "torchgen_facts.py"
YAML = "aten/src/ATen/native/native_functions.yaml"
COUNTS = {
    # version: written, generated, entries torchgen has, formulas
    "2.6.0": (2633, 511, 5120, 1350),
    "1.13.1": (2493, 459, 4368, 1276),
}


@pytest.fixture(scope="session")
def torchgen(real: Real) -> dict[str, Any]:
    """The generator's view of the tree, read in a process of its own."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], cwd=real.root, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, timeout=120,
    )  # fmt: skip
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def _rows(real: Real, sql: str) -> list[Any]:
    return real.conn.execute(sql).fetchall()


def test_counts(real: Real, torchgen: dict[str, Any]) -> None:
    written, generated, entries, formulas = COUNTS[real.version]
    counts = real.report.counts["operators"]
    assert counts["operators"] == written
    assert counts["generated overloads"] == generated
    assert counts["formulas"] == formulas
    assert len(torchgen["operators"]) == written + generated
    assert sum(map(len, torchgen["dispatch"].values())) == entries


def test_every_field_of_every_overload(real: Real, torchgen: dict[str, Any]) -> None:
    fields: dict[int, dict[str, list[tuple[str | None, str]]]] = {}
    for row in _rows(real, "SELECT * FROM operator_fields ORDER BY operator_id, field, position"):
        values = fields.setdefault(row["operator_id"], {})
        values.setdefault(row["field"], []).append((row["key"], row["value"]))
    found = {}
    rows = _rows(
        real,
        "SELECT o.*, v.tags FROM operators AS o JOIN v_operators AS v ON v.operator = o.name"
        " WHERE o.origin IN ('yaml', 'autogen')",
    )
    for row in rows:
        own = fields.get(row["id"], {})
        delegate = row["structured_delegate"]
        found[row["name"]] = {
            "schema": row["schema"],
            "line": row["line"],
            "tags": sorted(filter(None, (row["tags"] or "").split(","))),
            "variants": sorted(row["variants"].split(", ")),
            "structured": bool(row["structured"]),
            "structured_delegate": delegate and delegate.split("::")[1],
            "structured_inherits": row["structured_inherits"],
            "python_module": row["python_module"],
            "category_override": row["category_override"],
            "device_check": row["device_check"],
            "device_guard": bool(row["device_guard"]),
            "manual_cpp_binding": bool(row["manual_cpp_binding"]),
            "manual_kernel_registration": bool(row["manual_kernel_registration"]),
            "use_const_ref_for_mutable_tensors": bool(row["use_const_ref_for_mutable_tensors"]),
            "kind": row["kind"],
            "generated": row["origin"] == "autogen",
            "cpp_no_default_args": sorted(v for _, v in own.get("cpp_no_default_args", [])),
            "ufunc_inner_loop": sorted(
                [key, value.partition(" ")[0]] for key, value in own.get("ufunc_inner_loop", [])
            ),
            "precomputed": [list(line) for line in own.get("precomputed", [])],
            "signature": row["signature"],
        }
    expected = torchgen["operators"]
    assert sorted(found) == sorted(expected)
    different = [
        (name, field, value, expected[name][field])
        for name, own in found.items()
        for field, value in own.items()
        if value != expected[name][field]
    ]
    assert different == []


def test_every_argument_and_return(real: Real, torchgen: dict[str, Any]) -> None:
    arguments: dict[str, list[Any]] = {name: [] for name in torchgen["operators"]}
    outs: dict[str, list[str]] = {name: [] for name in torchgen["operators"]}
    returns: dict[str, list[Any]] = {name: [] for name in torchgen["operators"]}
    for row in _rows(
        real,
        "SELECT o.name AS operator, a.* FROM arguments AS a JOIN operators AS o"
        " ON o.id = a.operator_id WHERE o.origin <> 'library' ORDER BY o.id, a.position",
    ):
        arguments[row["operator"]].append(
            [row["name"], row["type"], row["default_value"], row["alias_annotation"]]
        )
        if row["is_out"]:
            outs[row["operator"]].append(row["name"])
    for row in _rows(
        real,
        "SELECT o.name AS operator, r.* FROM returns AS r JOIN operators AS o"
        " ON o.id = r.operator_id WHERE o.origin <> 'library' ORDER BY o.id, r.position",
    ):
        returns[row["operator"]].append([row["name"], row["type"], row["alias_annotation"]])
    for name, expected in torchgen["operators"].items():
        assert arguments[name] == expected["arguments"], name
        assert outs[name] == expected["out"], name
        assert returns[name] == expected["returns"], name


def test_every_dispatch_entry(real: Real, torchgen: dict[str, Any]) -> None:
    expected = {
        (name, key, kernel, structured)
        for key, index in torchgen["dispatch"].items()
        for name, (kernel, structured) in index.items()
    }
    rows = _rows(
        real,
        "SELECT o.name, d.dispatch_key, d.kernel, d.structured FROM dispatch AS d"
        " JOIN operators AS o ON o.id = d.operator_id WHERE d.origin IN ('yaml', 'default')"
        " AND d.dispatch_key <> 'BackendSelect'",
    )
    found = {(name.partition("::")[2], key, kernel, bool(s)) for name, key, kernel, s in rows}
    assert found == expected


def test_every_factory_has_a_kernel_that_picks_the_backend(
    real: Real, torchgen: dict[str, Any]
) -> None:
    rows = _rows(
        real,
        "SELECT operator, kernel FROM v_dispatch WHERE key = 'BackendSelect' AND origin = 'default'",
    )
    expected = torchgen["backend_select"]
    assert {name.partition("::")[2]: kernel for name, kernel in rows} == {
        name: f"at::{kernel}" for name, kernel in expected.items()
    }
    assert "empty.memory_format" in expected


def test_delegates_end_in_the_kernels_of_the_out_variant(
    real: Real, torchgen: dict[str, Any]
) -> None:
    expected = {
        (name.partition("::")[2], key, index[facts["structured_delegate"]][0])
        for name, facts in torchgen["operators"].items()
        if facts["structured_delegate"]
        for key, index in torchgen["dispatch"].items()
        if index.get(facts["structured_delegate"], [None, False])[1]
    }
    rows = _rows(
        real,
        "SELECT o.name, d.dispatch_key, d.kernel FROM dispatch AS d JOIN operators AS o"
        " ON o.id = d.operator_id WHERE d.origin = 'delegate' AND d.dispatch_key"
        " NOT IN ('Meta', 'CompositeExplicitAutogradNonFunctional')",
    )
    assert {(name.partition("::")[2], key, kernel) for name, key, kernel in rows} == expected


def test_every_entry_stands_where_it_is_said(real: Real) -> None:
    lines = (real.root / YAML).read_text(encoding="utf-8").splitlines()
    for schema, line in _rows(real, "SELECT schema, line FROM v_operators WHERE origin = 'yaml'"):
        assert lines[line - 1].removeprefix("- func: ").strip() == schema
    for key, line in _rows(
        real, "SELECT key, registered_line FROM v_dispatch WHERE origin = 'yaml'"
    ):
        assert key in lines[line - 1].partition(":")[0]


def test_every_formula(real: Real, torchgen: dict[str, Any]) -> None:
    rows = _rows(
        real,
        "SELECT d.operator, d.dispatch_key, d.inputs, d.formula, o.id FROM derivatives AS d"
        " JOIN operators AS o ON o.id = d.operator_id",
    )
    found: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for operator, key, inputs, formula, _ in rows:
        names = ", ".join(part.strip() for part in inputs.split(","))
        found.setdefault((operator.partition("::")[2], key), set()).add((names, formula))
    own = torchgen["derivatives"]["own"]
    for name, by_key in own.items():
        if name.partition(".")[0].endswith("_copy") and (name, "Default") not in found:
            continue  # a view's formulas, given to its copy by the generator
        for key, formulas in by_key.items():
            missing = {tuple(f) for f in formulas} - found.get((name, key), set())
            assert not missing, (name, key, missing)
    assert {name for name, _ in found} <= set(own)
    assert _rows(real, "SELECT operator FROM derivatives WHERE operator_id IS NULL") == []


def test_whose_formulas_each_operator_uses(real: Real, torchgen: dict[str, Any]) -> None:
    used = torchgen["derivatives"]["used"]
    found = {
        name.partition("::")[2]: entry.partition("::")[2]
        for name, entry in _rows(
            real,
            "SELECT o.name, u.entry FROM derivative_uses AS u JOIN operators AS o"
            " ON o.id = u.operator_id WHERE u.how <> 'view_copy'",
        )
    }
    facts = torchgen["operators"]
    expected = {
        name: entries[0]
        for name, entries in used.items()
        # An out variant is never differentiable, and a view's copy is given the view's under its own name.
        if facts[f"aten::{name}"]["kind"] != "out"
        and not (
            entries[0].partition(".")[0].endswith("_copy") and entries[0] not in found.values()
        )
    }
    assert found == expected
