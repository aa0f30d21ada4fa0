"""Whatever page is asked for: the same finding, the same totals, and beyond the end that there is none."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed
from torchtalk.answers.base import Page
from torchtalk.testing.subject import Subject
from torchtalk.tools.finding_tests import scoring

QUESTIONS: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("search", {"query": "softcap"}),
    ("search", {"query": "softcap", "kind": "kernel"}),
    ("search", {"query": "softcap_kernel"}),
    ("calls", {"name": "softcap"}),
    ("called_by", {"name": "softcap"}),
    ("impact", {"name": "softcap_cpu_out"}),
    ("cuda_kernels", {}),
    ("list_modules", {"category": "nn"}),
    ("find_similar_tests", {"query": "softcap"}),
    ("list_test_utils", {"category": "decor"}),
    ("test_file_info", {"path": "test/test_caps.py"}),
    ("compile_options", {"query": ""}),
)


@pytest.mark.parametrize(("tool", "arguments"), QUESTIONS)
def test_each_page_is_of_the_same_list(
    conn: sqlite3.Connection, tool: str, arguments: Mapping[str, str]
) -> None:
    whole = ask(conn, tool, **arguments, limit=200)
    total = _page(whole).total
    assert total
    for offset in range(total + 2):
        answer = ask(conn, tool, **arguments, limit=1, offset=offset)
        assert (answer.finding, _page(answer).total) == (whole.finding, total)
        assert _page(answer).shown == (offset < total)
        assert answer.found
        assert any(
            "none at offset" in line for line in text(conn, tool, **arguments, offset=offset)
        ) == (offset >= total)


def _page(answer: object) -> Page:
    """Of the list that is paged: in a search without operators that of the other names."""
    assert dataclasses.is_dataclass(answer)
    others = getattr(answer, "others_page", None)
    page: Page = answer.page  # type: ignore[attr-defined]
    return others if others is not None and not page.total else page


def test_tests_of_several_operators_are_all_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = "".join(
        f"    def test_{n}(self):\n        torch.twist(torch.bend(1))\n" for n in range(6)
    )
    files = {
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: twist(Tensor self) -> Tensor\n\n- func: bend(Tensor self) -> Tensor\n"
        ),
        "torch/__init__.py": "",
        "test/test_twist.py": f"import torch\nfrom unittest import TestCase\nclass TestTwist(TestCase):\n{tests}",
    }
    monkeypatch.setattr(scoring, "MOST_RANKED", 4)
    subject = Subject("both", bases=("twist", "bend"), is_name=True)
    with indexed(files, tmp_path) as conn:
        for most in (4, 6):
            found = scoring.score_tests(conn, subject, most)
            assert len(found) >= most
            assert scoring.total_tests(conn, subject, found) == 6
