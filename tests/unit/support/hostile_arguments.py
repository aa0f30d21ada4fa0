"""Arguments that are made to harm: for every tool of the registry, so for new ones too."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from torchtalk.tools import all_tools
from torchtalk.tools.spec import Tool

TEXTS: tuple[str, ...] = (
    "", " ", "a", "e", "at", "::", ".", "..", "aten::", "aten::.", "torch.", "*", "%", "_", "__", "%%%", "a%", "_%_%_%",
    "?", "[a-z]*", "\\", "'", '"', "''", '""', "`", "(", ")", "{", "[", "-", "--", "/*", ";", "\0", "\n", "\t", "\x1b[31m",
    "'; DROP TABLE operators; --", "' OR 1=1 --", "1 UNION SELECT * FROM meta", "x') OR ('1'='1", ":name", "@x", "$1", "?1",
    'a OR b', 'a AND NOT b', 'NOT', 'OR', 'AND', 'NEAR', 'NEAR(a b, 999999)', 'a*', '*a', '"a', 'a"', 'name:a', '{a b}: c',
    '^a', 'a + b', 'col:', '-a', '(a', 'a)', "a " * 240, "a OR " * 100, '"' * 400, "(" * 400, "[" * 400, "%" * 400,
    "x" * 500, "x" * 501, "x" * 1_000_000, "\u202e", "\ufeff", "\U0001f600" * 200, "é" * 500, "e\u0301" * 200, "ß", "İ", "\ud800",
    "../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1/", "aten/src/ATen/native/native_functions.yaml",
    "test/", "test/test_torch.py", "softmax", "add", "Tensor", "self", "test", "torch.nn.Linear", "linalg", "softcap",
    "torch.nn.functional." + "a" * 400, "::" * 200, "." * 400, "a." * 200, "<" * 300, "operator()", "nan", "inf", "1e308", "-1",
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,999999999 +1,999999999 @@\n" + "-x\n+y\n" * 2_000,
    "@@ -1 +1 @@", "--- a/../../x\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n", "^(a+)+$", "(a|a)*b", "a{1,99999}",
    "SELECT 1", "SELECT 1; SELECT 2", "ATTACH 'x' AS y", "PRAGMA writable_schema = 1", "SELECT load_extension('x')",
    "DELETE FROM meta", "SELECT randomblob(1000000000)", "SELECT hex(zeroblob(400000000))", "SELECT * FROM v_edges, v_edges",
    "SELECT count(*) FROM v_functions a, v_functions b, v_functions c", "SELECT printf('%.*c', 900000000, 'x')",
    "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT sum(x) FROM r",
    "WITH RECURSIVE r(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM r) SELECT length(x) FROM r",
    "SELECT * FROM v_operators WHERE operator LIKE '" + "%a" * 200 + "'", "SELECT " + "(" * 900 + "1" + ")" * 900,
    "SELECT " + ", ".join(["1"] * 3_000), "VACUUM INTO '/tmp/x'", "EXPLAIN SELECT 1", "SELECT 1 --" + "x" * 100_000,
    "SELECT group_concat(schema) FROM v_operators", "SELECT * FROM v_calls ORDER BY callee, caller, line",
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 7, 199, 200, 201, 10**6, 10**6 + 1, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 1.5, float("nan"),
    float("inf"), True, "1", "-1", "1e9", 10**5_000, -(10**5_000),
)  # fmt: skip
OTHERS: tuple[Any, ...] = (
    None,
    [],
    ["softmax"],
    {},
    {"a": 1},
    b"softmax",
    3,
    3.5,
    False,
    [[[]]],
    ["x" * 1000] * 1000,
)


def _usual(tool: Tool) -> dict[str, Any]:
    """Arguments that make sense, to put one that does not among."""
    return dict(tool.examples[0]) if tool.examples else {}


def one_at_a_time(tool: Tool) -> Iterator[dict[str, Any]]:
    """Each hostile value for each argument, the others as usual."""
    usual = _usual(tool)
    for parameter in tool.parameters:
        values = NUMBERS if parameter.kind is int else (*parameter.choices, *TEXTS)
        for value in (*values, *OTHERS):
            yield {**usual, parameter.name: value}
    for name in ("", "self", "conn", "nonsense", "name; DROP", "__class__"):
        yield {**usual, name: "x"}


def at_random(tool: Tool, rng: random.Random, number: int) -> Iterator[dict[str, Any]]:
    """So many sets of arguments, each of which is usual, allowed or hostile."""
    for _ in range(number):
        chosen = _usual(tool)
        for parameter in tool.parameters:
            if parameter.kind is int:
                allowed: Any = rng.choice((parameter.minimum, parameter.maximum))
                hostile: Any = rng.choice(NUMBERS)
            else:
                allowed = rng.choice(parameter.choices or TEXTS)
                hostile = rng.choice(TEXTS)
            kind = rng.random()
            if kind < 0.6:
                chosen[parameter.name] = allowed
            elif kind < 0.75:
                chosen[parameter.name] = hostile
        yield chosen


def every_tool() -> list[str]:
    """The names of all tools."""
    return list(all_tools())
