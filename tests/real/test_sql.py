"""The documentation's queries on a whole index: within the bounds but that of time, and with an answer."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT
from tests.docs.test_documents import QUERY
from tests.real.conftest import Real
from tests.unit.project.test_datasette import QUERIES
from torchtalk.arguments import BadArgument
from torchtalk.tools import all_tools

_PARAMETERS = {
    "base": "softmax", "key": "MPS", "part": "oftma", "words": "softmax", "operator": "aten::addmm",
    "function": "at::native::cpublas::gemm", "name": "softmax",
    "path": "aten/src/ATen/native/cuda/SoftMax",
}  # fmt: skip


def _total(real: Real, sql: str) -> int:
    try:
        return int(all_tools()["sql"].ask(real.conn, query=sql).total)
    except BadArgument as error:
        # The tool's bound is one of wall clock, and other tests run beside this one: benchmarks tell of time.
        if "took longer" not in str(error):
            raise
        return len(real.conn.execute(sql).fetchall())


@pytest.mark.parametrize(
    ("view", "sql"), QUERY.findall((ROOT / "docs/schema.md").read_text(encoding="utf-8"))
)
def test_every_query_of_the_schema_is_answered(new: Real, view: str, sql: str) -> None:
    assert _total(new, sql) > 0


@pytest.mark.parametrize("name", QUERIES)
def test_every_canned_query_is_answered(new: Real, name: str) -> None:
    sql = re.sub(
        r"(?<!:):([a-z]+)", lambda match: f"'{_PARAMETERS[match[1]]}'", QUERIES[name]["sql"]
    )
    assert _total(new, sql) > 0
