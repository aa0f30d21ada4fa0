"""A changed `__all__` is what tests look at that ask modules for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed

_LOOM, _REED = "torch/loom.py", "torch/reed.py"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weave(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    _LOOM: '__all__ = [\n    "spin",\n    "warp",\n]\ntable = [\n    "weft",\n]\n',
    _REED: '__all__ = ["dent"]\n__all__ += ["sley"]\n',
    "test/test_public.py": (
        "import importlib\nfrom unittest import TestCase\n"
        "import torch.loom as loom\n\n"
        "class TestPublic(TestCase):\n"
        "    def test_all(self):\n"
        "        for name in ('loom', 'reed'):\n            mod = importlib.import_module(name)\n"
        "            self.assertTrue(mod.__all__)\n"
        "    def test_loom(self):\n        self.assertTrue(loom.__all__)\n"
        "    def test_other(self):\n        self.assertTrue(loom.weft)\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("listed_names")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("path", "line", "tests"),
    [
        # test/test_public_bindings.py looks at all modules, test_aligned_public_apis of test/test_pytree.py at its own.
        (_LOOM, '    "warp",', {"TestPublic.test_all", "TestPublic.test_loom"}),
        (_REED, '__all__ = ["dent"]', {"TestPublic.test_all"}),
        (_REED, '__all__ += ["sley"]', {"TestPublic.test_all"}),
        (_LOOM, '    "weft",', set()),
    ],
)
def test_who_asks_modules_for_what_they_list(
    conn: sqlite3.Connection, path: str, line: str, tests: set[str]
) -> None:
    answer = affected_by(conn, _FILES, path, line, line.replace('"', '"new_', 1))
    why = "asks modules for their `__all__`"
    found = {one.name for one in answer.tests if why in " ".join(one.path)}
    assert found == tests
    others = [one.weight for one in answer.tests if one.name not in tests]
    assert max(others, default=0.0) < 0.3
