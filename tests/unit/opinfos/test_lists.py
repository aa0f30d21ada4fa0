"""Lists of OpInfos that dictionaries hold, and loops that put lists together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: pack(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/testing/_internal/opinfo/core.py": "class OpInfo:\n    pass\n",
}
_HEAD = "from torch.testing._internal.opinfo.core import OpInfo\n"


@pytest.mark.parametrize(
    "text",
    [
        # torch/testing/_internal/common_methods_invocations.py of 2.15.0
        "by_name = {}\nby_name.setdefault('x', []).append(OpInfo('a'))\n"
        "if CHOSEN:\n    op_db = by_name[CHOSEN]\n"
        "else:\n    for ops in by_name.values():\n        op_db.extend(ops)\n",
        "by_name = {}\nby_name['x'] = [OpInfo('a')]\nfor ops in by_name.values():\n    op_db += ops\n",
        "by_name = {'x': []}\nby_name['x'].append(OpInfo('a'))\nfor ops in by_name.values():\n    op_db.extend(ops)\n",
        "first = [OpInfo('a')]\nsecond = []\nfor ops in (first, second):\n    op_db.extend(ops)\n",
    ],
)
def test_a_list_takes_what_a_loop_gives_it(tmp_path: Path, text: str) -> None:
    path = "torch/testing/_internal/common_methods_invocations.py"
    files = {**_FILES, path: f"{_HEAD}op_db = [OpInfo('b')]\n{text}every = op_db + []\n"}
    with indexed(files, tmp_path) as conn:
        rows = conn.execute(
            "SELECT o.name, m.is_certain FROM opinfo_lists AS l"
            " JOIN opinfo_list_members AS m ON m.list_id = l.id JOIN opinfos AS o ON o.id = m.opinfo_id"
            " WHERE l.name GLOB '*.every' ORDER BY 1"
        ).fetchall()
    assert [tuple(row) for row in rows] == [("a", 1), ("b", 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # test/test_mps.py: what a function leaves out is not known.
        (
            "def modified(ops):\n    for op in ops:\n        yield op\n"
            "class TestIt(TestCase):\n    @ops(modified(copy.deepcopy(op_db)))\n    def test_it(self, op):\n        pass\n",
            [("a", 0), ("b", 0)],
        ),
        # test/test_binary_ufuncs.py
        (
            "class TestIt(TestCase):\n    few = list(filter(lambda op: op.name == 'a', op_db))\n\n"
            "    @ops(few, allowed_dtypes=())\n    def test_it(self, op):\n        pass\n",
            [("a", 1)],
        ),
        # test/export/test_hop.py
        (
            "some = []\nfor one in op_db:\n    if one.name in LEFT_OUT:\n        continue\n    some.append(one)\n"
            "class TestIt(TestCase):\n    @ops(some)\n    def test_it(self, op):\n        pass\n",
            [("a", 0), ("b", 0)],
        ),
        (
            "some = []\nfor one in op_db:\n    if one.name == 'b':\n        some.append(one)\n"
            "class TestIt(TestCase):\n    @ops(some)\n    def test_it(self, op):\n        pass\n",
            [("b", 1)],
        ),
    ],
)
def test_a_test_runs_over_what_its_file_makes_of_a_list(
    tmp_path: Path, text: str, expected: list[tuple[str, int]]
) -> None:
    path = "torch/testing/_internal/common_methods_invocations.py"
    head = (
        "import copy\nfrom unittest import TestCase\n"
        "from torch.testing._internal.common_methods_invocations import op_db\n"
    )
    files = {
        **_FILES,
        path: f"{_HEAD}op_db = [OpInfo('a'), OpInfo('b')]\n",
        "test/test_it.py": f"{head}{text}",
    }
    with indexed(files, tmp_path) as conn:
        rows = conn.execute(
            "SELECT o.name, m.is_certain FROM test_lists AS t"
            " JOIN opinfo_list_members AS m ON m.list_id = t.list_id JOIN opinfos AS o ON o.id = m.opinfo_id"
            " ORDER BY 1"
        ).fetchall()
    assert [tuple(row) for row in rows] == expected
