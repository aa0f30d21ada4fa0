"""Layer 6 on the fixture tree: what the comments in its files expect."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3] / "fixtures" / "pytorch"


def _expected(kind: str) -> Iterator[list[str]]:
    for path in sorted((_ROOT / "torch").rglob("*.py")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.match(rf"\s*# expect {kind} (.+)$", line):
                yield match[1].split()


def _line(file: str, line: int) -> str:
    return (_ROOT / file).read_text(encoding="utf-8").splitlines()[line - 1].strip()


def test_every_expected_entry_is_there_with_its_lines(conn: sqlite3.Connection) -> None:
    expected = list(_expected("compile"))
    assert len(expected) > 15
    for operator, role, function in expected:
        rows = conn.execute(
            "SELECT * FROM v_compile WHERE operator = ? AND role = ? AND function = ?",
            (operator, role, function),
        ).fetchall()
        assert rows, (operator, role, function)
        # Inductor may use a decomposition that stands in another table: one row each.
        for row in rows:
            name = function.rpartition(".")[2]
            line = _line(row["file"], row["line"])
            # What a helper makes without a `def` of its own stands where it is made.
            assert line.startswith((f"def {name}(", f"{name}_ = ")), (function, line)


def test_nothing_else_is_lowered_or_falls_back(conn: sqlite3.Connection) -> None:
    expected = {(operator, role) for operator, role, _ in _expected("compile")}
    found = conn.execute(
        "SELECT operator, role FROM v_compile WHERE role IN ('lowering', 'fallback', 'fake')"
    )
    assert {tuple(row) for row in found} == {
        e for e in expected if e[1] in ("lowering", "fallback", "fake")
    }


def test_a_packet_leaves_alone_what_is_registered(conn: sqlite3.Connection) -> None:
    row = conn.execute(
        "SELECT is_conditional, condition FROM compile_entries"
        " WHERE function = 'torch._inductor.lowering.later_row_count'"
    ).fetchone()
    assert row["is_conditional"]
    assert re.fullmatch(r"not used: torch/_inductor/lowering.py:\d+ comes first", row["condition"])


def test_what_a_build_may_not_have_is_conditional(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT role, condition FROM compile_entries WHERE operator = 'aten::linalg_trim' AND is_conditional"
    ).fetchall()
    assert ("fallback", "if torch.xpu._is_compiled()") in {tuple(row) for row in rows}


def test_tables_hold_what_their_steps_leave(conn: sqlite3.Connection) -> None:
    expected: dict[str, set[str]] = {}
    for table, operator in _expected("table"):
        expected.setdefault(table, set()).add(operator)
    assert len(expected) == 2
    for table, operators in expected.items():
        found = conn.execute(
            "SELECT operator FROM compile_tables WHERE table_name = ? AND NOT removed", (table,)
        )
        assert {name for (name,) in found} == operators


def test_a_removed_decomposition_says_where(conn: sqlite3.Connection) -> None:
    row = conn.execute(
        "SELECT f.path, t.line FROM compile_tables AS t JOIN source_files AS f ON f.id = t.file_id"
        " WHERE t.operator = 'aten::band_copy' AND t.removed"
    ).fetchone()
    assert (
        _line(row["path"], row["line"])
        == "remove_decompositions(decompositions, decomps_to_exclude)"
    )


def test_lowerings_say_what_they_make(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT operator, kernels FROM compile_entries WHERE role = 'lowering' AND NOT is_conditional"
    )
    kernels = dict(rows.fetchall())
    assert kernels["aten::scale_add.Tensor"] == "pointwise"
    assert kernels["aten::linalg_trim"] == "template"
    assert kernels["aten::row_count"] == "may fall back"
    assert kernels["higher_order::repeat_body"] == "extern"


def test_patterns(conn: sqlite3.Connection) -> None:
    expected = list(_expected("pattern"))
    assert expected
    for stage, function, operator in expected:
        row = conn.execute(
            "SELECT p.stage FROM compile_patterns AS p JOIN compile_pattern_operators AS o ON o.pattern_id = p.id"
            " WHERE p.function = ? AND o.name = ?",
            (function, operator),
        ).fetchone()
        assert row is not None, (function, operator)
        assert row["stage"] == stage


def test_dynamo_rules(conn: sqlite3.Connection) -> None:
    expected = [tuple(words) for words in _expected("dynamo")]
    found = {tuple(row) for row in conn.execute("SELECT kind, name, target FROM dynamo_rules")}
    assert set(expected) <= found
    assert ("rule", "torch.nn.functional.scale", "UserFunctionVariable") in found


def test_higher_order_operators_are_not_those_of_docstrings(conn: sqlite3.Connection) -> None:
    rows = conn.execute("SELECT name, variable FROM higher_order_operators").fetchall()
    assert [tuple(row) for row in rows] == [
        ("repeat_body", "torch._higher_order_ops.repeat.repeat_body")
    ]


@pytest.mark.parametrize(
    ("kind", "name", "default", "description"),
    [
        ("config", "torch._inductor.config.debug", "False", "Write down what was generated."),
        (
            "config", "torch._inductor.config.autotune",
            'os.environ.get("TORCHINDUCTOR_FIXTURE_AUTOTUNE", "0") == "1"',
            "Try several kernels and keep the fastest.",
        ),
        ("config", "torch._inductor.config.limit", "8", "kernels at most"),
        ("config", "torch._inductor.config.triton.autotune.warmup", "25", None),
        ("env", "TORCHINDUCTOR_FIXTURE_AUTOTUNE", '"0"', "Try several kernels and keep the fastest."),
        ("env", "TORCHINDUCTOR_FIXTURE_CACHE", None, None),
        ("env", "TORCHINDUCTOR_FIXTURE_FORCED", None, None),
        ("log", "dynamo", None, "messages of torch._dynamo, torch.fx.experimental.symbolic_shapes"),
        ("artifact", "breaks", "on with its log at DEBUG", "Says where and why tracing was given up."),
        ("artifact", "trails", "off", None),
    ],
)  # fmt: skip
def test_options(
    conn: sqlite3.Connection, kind: str, name: str, default: str | None, description: str | None
) -> None:
    row = conn.execute(
        "SELECT * FROM v_compile_options WHERE kind = ? AND name = ?", (kind, name)
    ).fetchone()
    assert row is not None
    assert (row["default_value"], row["description"]) == (default, description)
    assert name.rpartition(".")[2].split("_")[-1].lower() in _line(row["file"], row["line"]).lower()


def test_what_is_no_option(conn: sqlite3.Connection) -> None:
    names = {
        name for (name,) in conn.execute("SELECT name FROM v_compile_options WHERE kind = 'config'")
    }
    module = "torch._inductor.config"
    assert f"{module}.declared" not in names  # has no value
    assert f"{module}.cache_default" not in names  # a function
    assert f"{module}.Callable" not in names  # a type


def test_variables_that_set_an_option(conn: sqlite3.Connection) -> None:
    rows = conn.execute("SELECT name, environment FROM compile_options WHERE kind = 'config'")
    environment = {name.removeprefix("torch._inductor.config."): value for name, value in rows}
    assert (
        environment["remote_cache"] == "TORCHINDUCTOR_FIXTURE_CACHE"
    )  # through the function it calls
    assert environment["forced"] == "TORCHINDUCTOR_FIXTURE_FORCED"
    assert environment["debug"] is None


def test_graph_breaks(conn: sqlite3.Connection) -> None:
    rows = [
        (row["message"], row["context"], row["explanation"], row["hints"])
        for row in conn.execute("SELECT * FROM graph_breaks ORDER BY line")
    ]
    assert ("call {self.value} with {len(args)} arguments", None, None, None) in rows
    assert (
        "Softcap of a list", "softcap({args})", "Dynamo cannot cap lists.", "Pass a tensor.\n[SUPPORTABLE]"
    ) in rows  # fmt: skip


def test_lists_of_the_partitioner(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT name, operator, all_overloads FROM compile_lists WHERE name LIKE '%partitioners%'"
    )
    found = {tuple(row) for row in rows}
    prefix = "torch._functorch.partitioners.get_default_op_list"
    assert (f"{prefix}.default_recomputable_ops", "aten::scale_add", 1) in found
    assert (f"{prefix}.random_ops", "aten::ripple", 1) in found


def test_what_is_registered_for_what_there_is_falls_short_of_nothing(
    conn: sqlite3.Connection,
) -> None:
    # `if hasattr(prims, name):`, and the tree has no prims.
    asked = "SELECT count(*) FROM compile_registrations WHERE condition = 'if hasattr(prims, name)'"
    assert conn.execute(asked).fetchone()[0] == 2
    said = "SELECT detail FROM v_coverage WHERE layer = 'compile' AND detail LIKE '%prims::%'"
    assert conn.execute(said).fetchall() == []
