"""Which methods that tests call may be a tensor's."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.extract.python.testing import extract
from indexer.facts.tests import BodyNames
from tests.unit.support.small_tree import indexed

_HEAD = "import itertools\nimport torch\nfrom ordered import OrderedSet\n\ndef test_it(self, x, tracer):\n"


@pytest.mark.parametrize(
    ("body", "methods"),
    [
        ("x.relu()", "relu"),
        ("x.add(1)", "?add"),
        ("x = torch.ones(2)\n    x.add(1)", "add"),
        ("x = set()\n    x.add(1)", ""),
        ("x = {1}\n    x.add(1)", ""),
        ("x = []\n    x.index(1)", ""),
        ('x = "a b"\n    x.split()', ""),
        ("x = OrderedSet()\n    x.add(1)", ""),
        ("tracer = Tracer()\n    tracer.trace(x)", ""),
        ("Tracer().trace(x)", ""),
        ("Tracer(x, 1).trace(x)", ""),
        ("torch.LongTensor(2).random_()", "random_"),
        ("T(2).relu()", "relu"),
        ("Tracer(T(2)).relu()", "relu"),
        ("with recorder() as tracer:\n        tracer.trace(x)", ""),
        ("itertools.repeat(x)", ""),
        ("x = Model()\n    x.weight.relu()", "relu"),
        ("x = Model()\n    x = x(1)\n    x.relu()", "relu"),
        ("torch.ones(2).sort()", "?sort"),
        ("x = set()\n    y = torch.ones(2)\n    x.add(y.sort())", "sort"),
    ],
)
def test_methods(body: str, methods: str) -> None:
    text = f"{_HEAD}    {body}\n"
    (found,) = (f for f in extract("test/test_it.py", text.encode()) if isinstance(f, BodyNames))
    assert found.methods == methods


def test_what_is_called_on_something_unknown_counts_where_the_file_is_about_it(
    tmp_path: Path,
) -> None:
    unknown = "import torch\n\ndef test_add(x=None):\n    x.add(1)\n\n"
    files = {
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: add.Tensor(Tensor self, Tensor other) -> Tensor\n  variants: function, method\n"
        ),
        "test/test_sets.py": unknown,
        "test/test_sums.py": unknown + "def test_more():\n    y = torch.ones(2)\n    y.add(1)\n",
    }
    with indexed(files, tmp_path) as conn:
        rows = conn.execute(
            "SELECT f.path, t.name, x.how FROM test_operators AS x JOIN tests AS t ON t.id = x.test_id"
            " JOIN source_files AS f ON f.id = t.file_id ORDER BY t.id"
        )
        assert [tuple(row) for row in rows] == [
            ("test/test_sets.py", "test_add", "n"),
            ("test/test_sums.py", "test_add", "nm"),
            ("test/test_sums.py", "test_more", "m"),
        ]
