"""Answers that are too long: a page ends with a whole row and its offset, JSON says what it left out."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.answers.test_pages import QUESTIONS
from tests.unit.support.asking import ask
from torchtalk.answers.base import Answer, Page
from torchtalk.answers.graph import ImpactAnswer
from torchtalk.render import to_json, to_text
from torchtalk.render.less_json import with_less
from torchtalk.render.pages import PageLine, RowLine, page_line, row, with_room, written
from torchtalk.render.text import lines_of

_MORE = re.compile(
    r"^([\d,]+) to ([\d,]+) of ([\d,]+) .*?(?:; more with offset=(\d+))?(?: \(there is|$)",
    re.MULTILINE,
)


@pytest.mark.parametrize(("tool", "arguments"), QUESTIONS)
def test_no_row_is_lost_where_there_is_room_for_few(
    conn: sqlite3.Connection, tool: str, arguments: Mapping[str, str]
) -> None:
    whole = ask(conn, tool, **arguments, limit=200)
    size = len(to_text(whole))
    rows = _rows(whole)
    rest = size - sum(len(line) + 1 for line in rows)
    # Room for the longest row and a few more, besides what stands around them.
    limit = rest + 400 + 2 * max(map(len, rows))
    found: set[str] = set()
    offset: int | None = 0
    while offset is not None:
        text = to_text(ask(conn, tool, **arguments, limit=200, offset=offset), limit)
        assert len(text) <= limit
        assert "cut here" not in text
        found.update(text.splitlines())
        match = _MORE.search(text)
        assert match is None or match[4] is None or int(match[4]) > offset
        offset = int(match[4]) if match is not None and match[4] else None
    assert found.issuperset(rows)


def _rows(answer: Answer) -> list[str]:
    """The lines of the page's rows."""
    lines = list(lines_of(answer))
    (end,) = (at for at, line in enumerate(lines) if isinstance(line, PageLine) and line.page.shown)
    first = next(at for at, line in enumerate(lines) if isinstance(line, RowLine))
    return lines[first:end]


def _lines(shown: int, total: int) -> list[str]:
    lines = ["finding"]
    for n in range(shown):
        lines += row("", f"group {n}", f"  {n:>30}")
    return [*lines, *page_line(Page(total, 100, shown), "rows"), "note: last"]


def test_a_page_shrinks_to_whole_rows_and_keeps_what_stands_behind_it() -> None:
    lines = with_room(_lines(9, 300), 400)
    assert lines[0] == "finding"
    assert lines[-1] == "note: last"
    assert len("\n".join(lines)) <= 400
    shown = sum(line.startswith("group") for line in lines)
    assert 0 < shown < 9
    assert lines[-3] == f"  {shown - 1:>30}"
    assert lines[-2] == (
        f"101 to {100 + shown} of 300 rows; more with offset={100 + shown} (there is no room for all 9)"
    )


def test_a_page_that_is_the_last_one_says_that_there_is_more_all_the_same() -> None:
    assert "more with offset=1" in with_room(_lines(9, 109), 400)[-2]


def test_a_page_that_has_room_stays_as_it_is() -> None:
    lines = _lines(3, 3)
    assert with_room(lines, 4000) == lines
    assert "" not in written(page_line(Page(3, 0, 3), "rows"))
    assert with_room(lines, 10) == lines  # no row has room


@pytest.fixture
def impact(conn: sqlite3.Connection) -> ImpactAnswer:
    """An answer in JSON that has no room for all."""
    answer: ImpactAnswer = ask(conn, "impact", name="softcap_cpu_out", format="json")
    rows = answer.dependents * 200
    return replace(answer, dependents=rows, page=Page(9000, 0, len(rows)))


@pytest.mark.slow
def test_json_without_room_says_what_is_left_out(impact: ImpactAnswer) -> None:
    text = to_text(impact, 9_000)
    assert len(text) <= 9_000
    short, whole = json.loads(text), json.loads(to_json(impact))
    assert 0 < len(short["dependents"]) == short["page"]["shown"] < whole["page"]["shown"]
    left_out = short.pop("left_out")
    assert left_out["dependents"] == len(whole["dependents"]) - len(short["dependents"])
    assert short["dependents"] == whole["dependents"][: short["page"]["shown"]]
    assert short["found"] is True


def test_paths_stay_whole_while_there_is_something_else_to_cut() -> None:
    rows = [{"name": f"f{n}", "path": [f"step {n}.{at}" for at in range(9)]} for n in range(8)]
    short = json.loads(with_less({"rows": json.loads(json.dumps(rows))}, None, 400, json.dumps))
    assert 0 < len(short["rows"]) < 8
    assert short["rows"] == rows[: len(short["rows"])]
    last = json.loads(with_less({"rows": rows}, None, 60, json.dumps))
    assert last["rows"] == [{"name": "f0", "path": ["step 0.0"]}]
    assert last["left_out"] == {"rows": 7, "rows[0].path": 8}


def test_json_keeps_something_of_everything(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "trace", name="softcap", format="json")
    whole = json.loads(to_json(answer))
    for part in (2, 3):
        limit = len(to_json(answer)) // part
        text = to_text(answer, limit)
        short = json.loads(text)
        assert len(text) <= limit or part == 3, "one entry of each list is kept"
        assert short["found"] is True
        assert short["overloads"]
        assert [o["operator"] for o in short["overloads"]] == [
            o["operator"] for o in whole["overloads"][: len(short["overloads"])]
        ]
        missing = short["left_out"].get("overloads", 0)
        assert len(short["overloads"]) + missing == len(whole["overloads"])
    assert "left_out" not in json.loads(to_text(answer, len(to_json(answer))))


@given(
    told=st.recursive(
        st.text(max_size=9) | st.integers(),
        lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.sampled_from("abc"), inner),
        max_leaves=40,
    ),
    limit=st.integers(60, 2_000),
)
def test_any_object_gets_room(told: object, limit: int) -> None:
    whole = {"finding": "x", "rows": told}
    text = with_less(json.loads(json.dumps(whole)), None, limit, json.dumps)
    short = json.loads(text)
    assert short["finding"] == "x"
    if len(text) > limit:
        del short["left_out"]
        assert not _lists_of_several(short), "there is more that could be cut"


def _lists_of_several(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_lists_of_several, value.values()))
    return isinstance(value, list) and (len(value) > 1 or any(map(_lists_of_several, value)))
