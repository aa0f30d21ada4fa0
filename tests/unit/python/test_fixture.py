"""Layer 4 on the fixture tree: what the comments in its Python files expect."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from tests.unit.support.python_sources import index, tree


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index(tree(Path(__file__).parents[3] / "fixtures/pytorch", "torch"))


def _expected(kind: str) -> list[tuple[str, list[str]]]:
    root = Path(__file__).parents[3] / "fixtures/pytorch"
    found = []
    for path in sorted((root / "torch").rglob("*.py")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.match(rf"# expect {kind} (.+)$", line):
                found.append((path.relative_to(root).as_posix(), match[1].split()))
    return found


def test_classes_are_what_the_fixture_expects(conn: sqlite3.Connection) -> None:
    expected = _expected("class")
    assert expected
    for file, (name, public, category, bases) in expected:
        row = conn.execute("SELECT * FROM v_classes WHERE name = ?", (name,)).fetchone()
        assert row is not None, name
        assert (row["public_name"] or "-", row["category"], row["file"]) == (public, category, file)
        assert (row["bases"] or "-").replace(", ", ",") == bases


def test_every_module_of_the_fixture_is_expected(conn: sqlite3.Connection) -> None:
    found = conn.execute("SELECT name FROM v_classes WHERE category <> 'other'")
    assert {name for (name,) in found} == {
        words[0] for _, words in _expected("class") if words[2] != "other"
    }


def test_apis_end_where_the_fixture_expects(conn: sqlite3.Connection) -> None:
    expected = _expected("api")
    assert expected
    for _, (api, operator, via) in expected:
        rows = conn.execute("SELECT operator, via FROM v_python_api WHERE api = ?", (api,))
        found = {
            (row["operator"] or "-", row["via"].replace(": ", ":").replace(" ", "-"))
            for row in rows
        }
        assert (operator, via) in found, (api, found)


def test_an_api_reaches_nothing_else(conn: sqlite3.Connection) -> None:
    rows = conn.execute("SELECT operator FROM v_python_api WHERE api = 'torch.trimmed'")
    assert sorted(name for (name,) in rows) == [
        "aten::linalg_trim",
        "aten::scale_add.Tensor",
        "aten::softcap.int",
    ]


def test_private_operators_are_no_functions_of_torch(conn: sqlite3.Connection) -> None:
    names = {name for (name,) in conn.execute("SELECT api FROM v_python_api")}
    assert "torch._running_stats" not in names
    assert "torch._VF._running_stats" in names


def test_lines_are_those_of_def_and_class(conn: sqlite3.Connection) -> None:
    root = Path(__file__).parents[3] / "fixtures/pytorch"
    rows = conn.execute(
        "SELECT file, line, method AS name, 'def ' AS word FROM v_methods"
        " UNION ALL SELECT file, line, replace(name, rtrim(name, replace(name, '.', '')), ''),"
        " 'class ' FROM v_classes"
    ).fetchall()
    assert len(rows) > 20
    for row in rows:
        line = (root / row["file"]).read_text(encoding="utf-8").splitlines()[row["line"] - 1]
        assert line.strip().startswith(f"{row['word']}{row['name']}")


def test_signatures_are_whole(conn: sqlite3.Connection) -> None:
    (signature,) = conn.execute(
        "SELECT signature FROM v_methods WHERE class = 'torch.nn.modules.cap.Cap'"
    ).fetchone()
    assert signature == '(self, input: Tensor, offset: "int" = 0) -> Tensor'


def test_a_forward_reaches_its_submodules(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT t.target, p.name FROM python_calls AS c"
        " JOIN python_functions AS f ON f.id = c.caller_id AND f.name = 'CapPair.forward'"
        " JOIN python_targets AS t ON t.id = c.target_id"
        " JOIN python_resolutions AS r ON r.target_id = t.id"
        " JOIN python_functions AS p ON p.id = r.function_id"
    ).fetchall()
    assert ("torch.nn.modules.cap.CapPair().first", "Cap.forward") in [tuple(row) for row in rows]
