"""Files that tell what is expected of one test, and are called like it.

`assertExpected` compares with test/expect/TestJit.test_cse.expect (torch/testing/_internal/common_utils.py), and each
name in test/dynamo_expected_failures/, dynamo_skips/ and their like of Inductor is that of a test which fails, or is
skipped, when all tests run compiled (torch/testing/_internal/dynamo_test_failures.py). What tests load stands beside
them: test/quantization/serialized/TestSerialization.test_conv2d.input.pt.
"""

from __future__ import annotations

import re
import sqlite3

from torchtalk.affected import queries
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.answers.base import Place
from torchtalk.sqlfile import listed

_NAME = re.compile(
    r"test/(?:.*/)?(?P<folder>\w+)/(?P<class>\w+)\.(?P<test>test\w*)(?:-[\w.-]+)?(?:\.\w+)*$"
)
# How a whole run is compiled (torch/testing/_internal/common_utils.py).
_COMPILED = {
    "dynamo": "PYTORCH_TEST_WITH_DYNAMO=1",
    "inductor": "PYTORCH_TEST_WITH_INDUCTOR=1",
}


def take_expectation(conn: sqlite3.Connection, path: str, changes: Changes) -> bool:
    """Add the test that a file is called like; returns whether there is one.

    Args:
        conn: an index.
        path: of the file.
        changes: to be added to.
    """
    match = _NAME.match(path)
    if match is None:
        return False
    # For devices and parameters a test's name and its class's are made longer: TestX.test_y, TestXCPU.test_y_cpu.
    parts = match["test"].split("_")
    names = ["_".join(parts[:end]) for end in range(len(parts), 1, -1)]
    rows = conn.execute(queries("places")["tests_named"], {"names": listed(tuple(names))})
    found = sorted(
        rows.fetchall(),
        key=lambda row: (
            -len(row["name"]),
            not match["class"].startswith(row["class"] or ""),
            -len(row["class"] or ""),
            row["id"],
        ),
    )
    if not found:
        return False
    best = found[0]
    is_class = match["class"].startswith(best["class"] or "")
    if not is_class and len([row for row in found if row["name"] == best["name"]]) > 1:
        # Another class's test of the same name.
        return False
    label = f"{best['class']}.{best['name']}" if best["class"] else best["name"]
    node = Node("test", best["id"], "")
    changes.add(Seed(node, 1.0, Place(path, None), how=f"{label} is what this file is called like"))
    run = _COMPILED.get(match["folder"].partition("_")[0])
    if run is not None:
        note = f"{match['folder']} is read where tests run with {run}: so do the tests of its files"
        if note not in changes.notes:
            changes.notes.append(note)
    return True
