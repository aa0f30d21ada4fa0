"""How many of an operator's test files does `affected` find for a change in its kernel, stub or Python wrapper?

    python -m benchmarks.affected FILE.db

The truth is the index's own: files whose tests call the operator, are named after it, or run over an OpInfo of it. So
what is measured is the way from the change to the operator and the choice among tests, not whether the index
knows each test.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from torchtalk.db import connect
from torchtalk.tools import affected

OPERATORS = (
    "relu softmax gelu addmm conv2d batch_norm layer_norm embedding cumsum sort topk index_select gather scatter_add"
    " linalg_det linalg_qr fft_fft dropout max_pool2d avg_pool2d nll_loss cross_entropy_loss mse_loss bmm matmul cat"
    " where masked_fill norm logsumexp"
).split()
BUDGET = 1_000

_TRUTH = """
SELECT DISTINCT f.path FROM (
    SELECT test_id FROM test_operators
    WHERE base = :base AND (instr(how, 'call') OR instr(how, 'name'))
    UNION
    SELECT l.test_id FROM opinfo_operators AS o
    JOIN opinfo_list_members AS m ON m.opinfo_id = o.opinfo_id
    JOIN test_lists AS l ON l.list_id = m.list_id
    WHERE o.base = :base AND o.how IN ('aten_name', 'name', 'alias')) AS x
JOIN tests AS t ON t.id = x.test_id
JOIN source_files AS f ON f.id = t.file_id
"""
_CHANGES = {
    "kernel": """
SELECT u.name FROM operators AS o
JOIN dispatch AS d ON d.operator_id = o.id
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
JOIN functions AS u ON u.id = k.function_id
WHERE o.base = :base AND o.namespace = 'aten' AND u.name <> 'c10::fallthrough_kernel'
  AND d.dispatch_key IN ('CPU', 'CompositeImplicitAutograd', 'CompositeExplicitAutograd')
ORDER BY d.dispatch_key <> 'CPU', o.id LIMIT 1
""",
    "stub's kernel": """
SELECT r.kernel FROM operators AS o
JOIN dispatch AS d ON d.operator_id = o.id
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
JOIN stub_callers AS s ON s.function_id = k.function_id
JOIN stub_registrations AS r ON r.stub = s.stub
WHERE o.base = :base AND o.namespace = 'aten' AND r.backend = 'CPU' AND r.function_id IS NOT NULL
ORDER BY o.id LIMIT 1
""",
    "Python wrapper": """
SELECT a.api FROM python_apis AS a JOIN operators AS o ON o.id = a.operator_id
WHERE o.base = :base AND a.function_id IS NOT NULL
  -- The operator's own: cross_entropy of cross_entropy_loss, not lp_pool2d of avg_pool2d.
  AND a.api GLOB 'torch.nn.functional.*'
  AND :base || '_' GLOB substr(a.api, length('torch.nn.functional.') + 1) || '_*'
ORDER BY length(a.api), a.api LIMIT 1
""",
}


def measure(
    conn: sqlite3.Connection, kind: str
) -> Iterator[tuple[str, float, float, float, float]]:
    """For each operator that has such a thing: its name, recall, precision, share of all tests, CPU seconds."""
    total = conn.execute("SELECT count(*) FROM tests").fetchone()[0]
    for base in OPERATORS:
        row = conn.execute(_CHANGES[kind], {"base": base}).fetchone()
        if row is None:
            continue
        truth = {path for (path,) in conn.execute(_TRUTH, {"base": base})}
        began = time.process_time()
        answer = affected.TOOL.ask(conn, names=row[0], max_tests=BUDGET)
        seconds = time.process_time() - began
        files = {test.place.file for test in answer.tests}
        hits = len(files & truth)
        yield (
            base,
            hits / max(1, len(truth)),
            hits / max(1, len(files)),
            answer.selected / total,
            seconds,
        )


def main() -> None:
    """Print a table."""
    conn = connect(Path(sys.argv[1]))
    print(
        "| change in | operators | files found | files rightly chosen | share of all tests | CPU seconds, most |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    for kind in _CHANGES:
        rows = list(measure(conn, kind))
        means = [sum(row[column] for row in rows) / len(rows) for column in (1, 2, 3)]
        found, right, share = (f"{100 * mean:.1f} %" for mean in means)
        print(
            f"| {kind} | {len(rows)} | {found} | {right} | {share} | {max(row[4] for row in rows):.2f} |"
        )


if __name__ == "__main__":
    main()
