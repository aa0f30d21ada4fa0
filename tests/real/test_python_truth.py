"""Layer 4 against torch itself: what `inspect` and recordings say of the version that was indexed.

The facts in tests/data/python-*.json.xz were read by tests/data/read_python_truth.py.
"""

from __future__ import annotations

import json
import lzma
import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.real.conftest import Real
from torchtalk.tools import all_tools

DATA = Path(__file__).parents[1] / "data"


def _truth(version: str) -> Any:
    return json.loads(lzma.decompress((DATA / f"python-{version}.json.xz").read_bytes()))


@pytest.fixture(scope="module")
def truth(new: Real) -> Any:
    return _truth(new.version)


@pytest.fixture(scope="module")
def runtime(real: Real) -> Any:
    """What `inspect` said of the classes of the same tree."""
    return _truth(real.version)


def _indexed(conn: sqlite3.Connection) -> dict[str, list[sqlite3.Row]]:
    found: dict[str, list[sqlite3.Row]] = defaultdict(list)
    for row in conn.execute(
        "SELECT * FROM v_classes WHERE category IN ('nn', 'optim', 'lr_scheduler')"
    ):
        found[row["name"]].append(row)
        if row["public_name"] and row["public_name"] != row["name"]:
            found[row["public_name"]].append(row)
    return found


def test_every_class_is_where_inspect_says(real: Real, runtime: Any) -> None:
    indexed = _indexed(real.conn)
    wrong = []
    for entry in runtime["classes"]:
        if "<locals>" in entry["name"]:
            continue
        places = {(row["file"], row["line"]) for row in indexed.get(entry["name"], ())}
        place = (entry["file"], entry["line"])
        # `inspect` does not find a class whose __module__ was changed; that we do is enough.
        if not places or (entry["file"] is not None and place not in places):
            wrong.append((entry["name"], place, places))
    assert wrong == []
    assert len(runtime["classes"]) == {"2.6.0": 658, "1.13.1": 525}[real.version]


def test_classes_that_a_function_makes_are_where_inspect_says(real: Real, runtime: Any) -> None:
    made = [entry for entry in runtime["classes"] if "<locals>" in entry["name"]]
    places = {(entry["file"], entry["line"]) for entry in made}
    ours = sorted(
        tuple(row)
        for row in real.conn.execute("SELECT file, line, bases, category FROM v_classes")
        if (row["file"], row["line"]) in places
    )
    assert ours == sorted(
        (entry["file"], entry["line"], ", ".join(entry["bases"]), entry["category"])
        for entry in made
    )
    assert len(made) == 11


def test_every_class_has_the_bases_and_category_of_the_runtime(real: Real, runtime: Any) -> None:
    indexed = _indexed(real.conn)
    wrong = []
    for entry in runtime["classes"]:
        rows = [row for row in indexed.get(entry["name"], ()) if row["line"] == entry["line"]]
        for row in rows[:1]:
            ours = [base for base in (row["bases"] or "").split(", ") if base and base != "object"]
            theirs = [base for base in entry["bases"] if base != "builtins.object"]
            if row["category"] != entry["category"] or ours != theirs:
                wrong.append((entry["name"], ours, theirs))
    assert wrong == []


def test_there_are_no_other_classes_in_what_can_be_imported(real: Real, runtime: Any) -> None:
    known = {entry["name"] for entry in runtime["classes"]}
    made = {(e["file"], e["line"]) for e in runtime["classes"] if "<locals>" in e["name"]}
    modules = set(runtime["modules"])
    extra = [
        row["name"]
        for rows in _indexed(real.conn).values()
        for row in rows
        if row["name"] not in known
        and row["public_name"] not in known
        and (row["file"], row["line"]) not in made
        and row["file"].removesuffix(".py").removesuffix("/__init__").replace("/", ".") in modules
    ]
    # Until 2.0 it derived from nothing; users and the documentation count it among the schedulers.
    plateau = ["torch.optim.lr_scheduler.ReduceLROnPlateau"]
    assert extra == (plateau if real.version == "1.13.1" else [])


def _api(name: str) -> str:
    """The name that v_python_api has for what `torch.overrides.resolve_name` calls a function."""
    name = name.removesuffix(".__get__")
    if name.startswith(("aten.", "torch.torch.ops.aten.")):  # an overload of torch.ops
        return "torch.ops.aten." + name.partition("aten.")[2].partition(".")[0]
    return name if name.startswith("torch.") else f"torch.{name}"


def test_apis_have_the_operators_that_they_were_seen_to_call(new: Real, truth: Any) -> None:
    with_overloads = truth["operators"]["has_overloads"]

    def shown(operator: str) -> str:
        return operator if with_overloads else operator.partition(".")[0]

    ours: dict[str, set[str]] = defaultdict(set)
    for api, operator in new.conn.execute("SELECT api, operator FROM v_python_api"):
        ours[api].add(shown(operator or ""))
    known = {shown(name) for (name,) in new.conn.execute("SELECT name FROM operators")}
    incomplete = []
    direct = truth["operators"]["direct"]
    for name, operators in direct.items():
        missing = {shown(operator) for operator in operators} & known - ours.get(_api(name), set())
        if missing:
            incomplete.append((name, sorted(missing)))
    assert len(direct) > 800
    # These are further from `where` than `_NEAR`.
    assert {name for name, _ in incomplete} <= {"torch.masked.var", "torch.masked.std"}, incomplete


def test_python_bodies_list_what_they_call_and_little_else(new: Real) -> None:
    numbers = [
        number
        for (number,) in new.conn.execute(
            "SELECT count(*) FROM v_python_api WHERE api LIKE 'torch.nn.functional.%'"
            " AND via LIKE 'python%' AND operator IS NOT NULL GROUP BY api"
        )
    ]
    assert len(numbers) > 80
    assert sum(numbers) / len(numbers) < 6.5
    assert max(numbers) < 70


def test_modules_have_the_operators_that_they_were_seen_to_call(new: Real) -> None:
    """Recorded by tests/data/read_module_operators.py."""
    path = DATA / f"modules-{new.version}.json.xz"
    seen = json.loads(lzma.decompress(path.read_bytes()))
    missing = {}
    for name, operators in seen.items():
        answer = all_tools()["trace_module"].ask(new.conn, name=name, focus="full")
        found = {operator.partition(".")[0] for operator in answer.operators}
        missing[name] = sorted(set(operators) - found)
    total = sum(map(len, seen.values()))
    assert sum(map(len, missing.values())) < 0.04 * total, missing
    # What a lazy module initializes is no part of its forward.
    rest = {name: left for name, left in missing.items() if left and ".Lazy" not in name}
    assert len(rest) <= 4, rest


def test_apis_are_names_that_users_import(real: Real) -> None:
    apis = {api for (api,) in real.conn.execute("SELECT DISTINCT api FROM v_python_api")}
    internal = ("torch._C.", "torch._VF.", "torch.ops.", "torch.Tensor.")
    hidden = [
        api
        for api in apis
        if not api.startswith(internal) and any(p.startswith("_") for p in api.split(".")[:-1])
    ]
    assert hidden == []
    scripts = ("functorch.examples.", "functorch.benchmarks.", "torch.testing._internal.")
    assert [api for api in apis if api.startswith(scripts)] == []


def test_bound_apis_have_their_own_operators_alone(new: Real) -> None:
    """A generated binding is of the operator that it is called after."""
    wrong = [
        tuple(row)
        for row in new.conn.execute(
            "SELECT a.api, o.name FROM python_apis AS a JOIN operators AS o ON o.id = a.operator_id"
            " WHERE a.via = 'binding' AND a.api LIKE 'torch.%'"
        )
        if (base := row[1].partition("::")[2].partition(".")[0]) != row[0].rpartition(".")[2]
        and not row[0].rpartition(".")[2].startswith("__")
        and row[0].rpartition(".")[2].lstrip("_") not in base
    ]
    assert wrong == []


def test_both_trees_are_read_without_a_gap(real: Real) -> None:
    rows = real.conn.execute(
        "SELECT file, detail FROM v_coverage WHERE layer = 'python' AND status = 'failed'"
    )
    assert [row["file"] for row in rows if row["file"].startswith(("torch/", "functorch/"))] == []
    modules = real.conn.execute("SELECT count(*) FROM python_modules").fetchone()[0]
    assert modules > 1_800


@pytest.mark.parametrize(
    ("api", "operators"),
    [
        ("torch.softmax", {"aten::softmax.int", "aten::softmax.int_out", "aten::softmax.Dimname"}),
        ("torch.Tensor.softmax", {"aten::softmax.int", "aten::softmax.Dimname"}),
        ("torch.nn.functional.gelu", {"aten::gelu", "aten::gelu.out"}),
        ("torch.linalg.det", {"aten::linalg_det", "aten::linalg_det.out"}),
        ("torch.einsum", {"aten::einsum"}),
        ("torch.Tensor.add", {"aten::add.Tensor"}),
    ],
)
def test_known_apis(real: Real, api: str, operators: set[str]) -> None:
    rows = real.conn.execute("SELECT operator FROM v_python_api WHERE api = ?", (api,))
    assert {name for (name,) in rows} == operators
