"""Names of options of torch.compile, of logs and of environment variables, which are no nodes of the graph."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.asking import ask

_CONFIG = "torch/_inductor/config.py"
_GO_ON = ", and no node of the graph: compile_options says more of it, affected and find_similar_tests have its tests"
_AUTOTUNE = f"torch._inductor.config.autotune is an option of torch.compile, set at {_CONFIG}:"


@pytest.mark.parametrize("tool", ["trace", "calls", "called_by", "impact", "compile_path"])
@pytest.mark.parametrize("name", ["torch._inductor.config.autotune", "config.autotune"])
def test_an_option_is_known_by_its_name(conn: sqlite3.Connection, tool: str, name: str) -> None:
    answer = ask(conn, tool, name=name)
    assert answer.finding.startswith(_AUTOTUNE)
    assert answer.finding.endswith(_GO_ON)
    assert answer.closest == ()
    assert not any("plain values" in note for note in answer.notes)


def test_an_option_that_a_call_makes_is_one_too(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "trace", name="torch._inductor.config.forced")
    assert answer.finding.startswith(
        "torch._inductor.config.forced is an option of torch.compile, set at "
    )


def test_an_environment_variable_says_who_reads_it(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="TORCHINDUCTOR_FIXTURE_AUTOTUNE")
    assert answer.finding.startswith(
        f"TORCHINDUCTOR_FIXTURE_AUTOTUNE is an environment variable, read at {_CONFIG}:"
    )


def test_search_says_so_before_what_else_fits(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "search", query="torch._inductor.config.autotune")
    assert answer.finding.startswith(_AUTOTUNE)
    beside = ask(conn, "search", query="autotune")
    assert beside.notes[0].startswith(_AUTOTUNE)


def test_what_is_none_is_none(conn: sqlite3.Connection) -> None:
    for name in ("torch._inductor.config.autotunes", "x.autotune", "autotune()", "a b"):
        assert "an option" not in ask(conn, "trace", name=name).finding
