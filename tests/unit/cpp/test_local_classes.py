"""Classes that a function makes: who derives from them there has to do with what they derive from."""

from __future__ import annotations

from pathlib import Path

from indexer.extract.python import extract
from indexer.facts.python import PythonFile
from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_TEST = """\
import torch
from torch.autograd import Function
from torch.testing._internal.common_utils import TestCase

class TestTwice(TestCase):
    class Kept(Function):
        pass

    def test_it(self):
        class Twice(Function, metaclass=abc.ABCMeta):
            @staticmethod
            def forward(ctx, x):
                return x + x

        class Thrice(Twice):
            pass

        class Net(torch.nn.Module, List[Function]):
            pass

        return Twice.apply(1)

    def test_other(self):
        "class Told(Function): pass"
        return 1
"""


def test_a_function_refers_to_what_its_classes_derive_from() -> None:
    (file,) = (
        one for one in extract("test/test_twice.py", _TEST.encode()) if isinstance(one, PythonFile)
    )
    found = [(file.functions[c.caller].name, c.target, c.kind, c.line) for c in file.calls]
    assert found == [
        ("TestTwice.test_it", "torch.autograd.Function", "reference", 10),
        ("TestTwice.test_it", "torch.nn.Module", "reference", 18),
    ]


def test_such_a_test_is_one_of_the_class(tmp_path: Path) -> None:
    """test_autograd.py makes most of its functions where it tests them."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
        "torch/__init__.py": "",
        "torch/autograd/__init__.py": "class Function:\n    pass\n",
        "torch/testing/_internal/common_utils.py": "class TestCase:\n    pass\n",
        "test/test_twice.py": _TEST,
    }
    with indexed(files, tmp_path) as conn:
        found = ask(conn, "find_similar_tests", query="torch.autograd.Function").hits
    assert [(one.name, one.why) for one in found] == [
        ("TestTwice.test_it", ("uses torch.autograd.Function",))
    ]
