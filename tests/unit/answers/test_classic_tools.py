"""The earlier set of tools."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.support.tries import tries
from torchtalk.render import to_text
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.tools.classic import TOOLS, classic_tools
from torchtalk.tools.spec import Tool


def ask(conn: sqlite3.Connection, tool: str, text: str) -> str:
    found = classic_tools()[tool]
    return to_text(found.ask(conn, **{found.parameters[0].name: text}))


def test_each_has_one_argument_and_a_short_description() -> None:
    assert list(classic_tools()) == [
        "get_binding_chain", "get_native_function", "get_dispatch_implementations", "get_cpp_callees",
        "get_cpp_callers", "get_cuda_kernels", "search_bindings",
    ]  # fmt: skip
    for tool in TOOLS:
        assert len(tool.parameters) == 1
        assert len(tool.description) < 200


def test_they_answer_as_the_usual_ones_do(conn: sqlite3.Connection) -> None:
    assert "d/d other" in ask(conn, "get_binding_chain", "scale_add")
    yaml = ask(conn, "get_native_function", "band")
    assert "band_backward_nested" in yaml
    dispatch = ask(conn, "get_dispatch_implementations", "_softcap")
    assert "softcap_nested" in dispatch
    assert "d/d" not in dispatch


def test_a_function_that_is_not_there(conn: sqlite3.Connection) -> None:
    for tool in ("get_cpp_callees", "get_cpp_callers"):
        assert ask(conn, tool, "no_such_function").startswith("nothing in this index is called")


@settings(
    max_examples=tries(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=st.text(max_size=40), name=st.sampled_from(sorted(classic_tools())))
def test_any_text_gets_a_bounded_answer(conn: sqlite3.Connection, text: str, name: str) -> None:
    assert len(ask(conn, name, text)) <= MAX_CHARACTERS


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_examples_can_be_asked(conn: sqlite3.Connection, tool: Tool) -> None:
    for example in tool.examples:
        answer = tool.ask(conn, **example)
        assert answer.finding
        assert to_text(answer).startswith(answer.finding)
