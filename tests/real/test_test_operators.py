"""The operators of tests, against what PyTorch's own tests called of torch while they ran."""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.conftest import Real

pytestmark = pytest.mark.real

_DATA = Path(__file__).parent.parent / "data"

_TEST = """
SELECT t.id, t.line, t.end_line FROM tests AS t JOIN source_files AS f ON f.id = t.file_id
WHERE f.path = ? AND t.name = ? AND t.line >= ? ORDER BY t.line LIMIT 1
"""
_APIS = "SELECT DISTINCT api, operator FROM v_python_api WHERE operator LIKE 'aten::%'"


def _base(name: str) -> str:
    """`add` of `aten::add_.Tensor`: the functional and the in-place variant are one thing to test."""
    return name.partition("::")[2].partition(".")[0].rstrip("_")


def _called(real: Real) -> Iterator[tuple[str, int, str]]:
    """File of the test, number of the test and name of the API, of each that a test called and its body names."""
    with lzma.open(_DATA / "test_operators-2.6.0.json.xz", "rt", encoding="utf-8") as file:
        recorded = json.load(file)
    for path, name, first, called in recorded:
        row = real.conn.execute(_TEST, (path, name, first)).fetchone()
        if row is None:
            continue  # one that a loop or a function of the file makes
        lines = (real.root / path).read_text(encoding="utf-8").split("\n")[row[1] - 1 : row[2]]
        written = set(re.findall(r"\.(\w+)\(", "\n".join(lines)))
        for api in called:
            if api.rpartition(".")[2] in written:
                yield path, row[0], api


def test_what_tests_called_is_known_of_them(new: Real) -> None:
    bases: dict[str, set[str]] = {}
    for api, operator in new.conn.execute(_APIS):
        bases.setdefault(api, set()).add(_base(operator))
    known: dict[int, set[str]] = {}
    for test, base in new.conn.execute("SELECT test_id, base FROM test_operators"):
        known.setdefault(test, set()).add(base.rstrip("_"))
    called = [each for each in _called(new) if each[2] in bases]
    missing = Counter(
        api for _, test, api in called if bases[api].isdisjoint(known.get(test, set()))
    )
    # What makes a tensor of numbers or numbers of a tensor is in nearly every test, and none is about it.
    plumbing = {"torch.tensor": 125, "torch.as_tensor": 1, "torch.Tensor.numpy": 48}
    plumbing |= {"torch.Tensor.tolist": 12, "torch.Tensor.cpu": 12, "torch.Tensor.new": 3}
    by_name = {"torch.Tensor.long": 2, "torch.Tensor.float": 2, "torch.Tensor.byte": 1}
    # Methods of what a test's helper or parameter hands it.
    handed = {"torch.Tensor.fill_": 2, "torch.Tensor.clone": 2}
    assert (len(called), missing) == (3019, plumbing | by_name | handed)
