"""search: what is no operator."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.graph_tree import make_index
from torchtalk.db import connect
from torchtalk.render import to_text
from torchtalk.tools import all_tools
from torchtalk.tools.search_others import OTHER_KINDS
from torchtalk.tools.spec import BadArgument


@pytest.fixture(scope="module")
def graph_db(fixture_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(fixture_tree, tmp_path_factory.mktemp("search"))


@pytest.fixture
def graph(graph_db: Path) -> Iterator[sqlite3.Connection]:
    connection = connect(graph_db)
    yield connection
    connection.close()


def ask(conn: sqlite3.Connection, **arguments: object) -> list[str]:
    return to_text(all_tools()["search"].ask(conn, **arguments)).splitlines()


_ONE_OF_EACH = {
    "class": "SELECT public_name FROM python_classes WHERE category = 'nn' AND public_name IS NOT NULL",
    "api": "SELECT api FROM python_apis WHERE operator_id IS NOT NULL AND line IS NOT NULL",
    "kernel": "SELECT d.kernel FROM dispatch AS d JOIN functions AS f ON f.name = d.kernel",
    "stub": "SELECT name FROM stub_declarations",
    "cuda": "SELECT name FROM functions WHERE kind = 'kernel'",
    "function": "SELECT name FROM functions WHERE name LIKE '%_kernel_impl%'",
    "python": "SELECT m.name || '.' || p.name FROM python_functions AS p JOIN python_modules AS m"
    " ON m.id = p.module_id WHERE p.name NOT LIKE '%.%' AND m.name LIKE 'torch._inductor%'",
}


@pytest.mark.parametrize("kind", list(_ONE_OF_EACH))
def test_every_kind_is_found_with_its_place(graph: sqlite3.Connection, kind: str) -> None:
    (name,) = graph.execute(f"{_ONE_OF_EACH[kind]} ORDER BY 1 LIMIT 1").fetchone()
    lines = ask(graph, query=name, kind=kind)
    assert lines[0].endswith(f"names of kind {kind} fit {name!r}")
    assert lines[1].startswith(f"{kind} {name} ")
    path, _, line = lines[1].split("  ")[1].partition(":")
    assert path.endswith((".py", ".cpp", ".cu", ".h", ".yaml"))
    assert int(line) > 0
    assert lines[1].endswith("[exact name]")


def test_what_has_the_very_name_comes_before_operators_like_it(graph: sqlite3.Connection) -> None:
    (stub,) = graph.execute("SELECT name FROM stub_declarations ORDER BY id LIMIT 1").fetchone()
    last = stub.rpartition("::")[2]
    lines = ask(graph, query=last)
    assert lines[0].startswith(f"no operator fits {last!r}, and ")
    assert lines[2].startswith(f"stub {stub} ")


def test_others_are_counted_and_paged(graph: sqlite3.Connection) -> None:
    whole = ask(graph, query="cap", kind="api", limit=200)
    total = int(whole[0].split()[0])
    assert len(whole) == total + 1
    paged = [ask(graph, query="cap", kind="api", limit=1, offset=at)[1] for at in range(total)]
    assert paged == whole[1:]
    assert f"{total} api" in next(
        line for line in ask(graph, query="cap") if line.startswith("other names")
    )


def test_a_backend_keeps_operators_alone(graph: sqlite3.Connection) -> None:
    assert not any("other names" in line for line in ask(graph, query="softcap", backend="cuda"))
    with pytest.raises(BadArgument, match="backend keeps operators"):
        ask(graph, query="softcap", backend="cuda", kind="stub")


def test_an_unknown_kind_lists_those_there_are(graph: sqlite3.Connection) -> None:
    with pytest.raises(BadArgument, match=", ".join(OTHER_KINDS[:3])):
        ask(graph, query="softcap", kind="kernels")
