"""Where calls lead far off, the words by which a class differs from those beside it tell its tests."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed

_FILE = "torch/_loom/threads.py"
_NAMES = ("Wool", "Silk", "Felt", "Lace", "Jute", "Hemp")
_BASE = "class Thread:\n    def call_method(self, x):\n        return x\n"
_CLASS = "class {name}Thread(Thread):\n    def call_method(self, x):\n        return {at}\n"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/_loom/__init__.py": "",
    _FILE: _BASE + "".join(_CLASS.format(name=name, at=at) for at, name in enumerate(_NAMES)),
    "torch/_loom/weaving.py": (
        "from torch._loom.threads import Thread\n\n"
        "def one(thread: Thread):\n    return thread.call_method(1)\n"
        "def two(thread):\n    return one(thread)\ndef three(thread):\n    return two(thread)\n"
        "def four(thread):\n    return three(thread)\ndef five(thread):\n    return four(thread)\n"
    ),
    "test/loom/test_misc.py": (
        "from unittest import TestCase\nfrom torch._loom.weaving import five\n"
        "class MiscTests(TestCase):\n"
        "    def test_else(self):\n        five(1)\n"
        "    def test_other(self):\n        run()\n"
        "    def test_jute_of_many_other_things(self):\n        run()\n"
        "    def test_jute_added(self):\n        run()\n"
    ),
}  # fmt: skip


def test_what_a_class_is_called_by_comes_before_what_is_far_off(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        answer = affected_by(conn, FILES, _FILE, "        return 4\n", "        return 7\n")
    names = [test.name.rpartition(".")[2] for test in answer.tests]
    assert names[:3] == ["test_jute_added", "test_jute_of_many_other_things", "test_else"]
