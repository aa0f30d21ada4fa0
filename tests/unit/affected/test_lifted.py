"""Where the graph leads only to tests of others, and weakly, those in the folder of what changed come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed

_STEPS = 9


def _files(test: str) -> dict[str, str]:
    steps = [f"def step{at}(x):\n    return step{at - 1}(x)\n" for at in range(1, _STEPS)]
    return {
        "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
        "torch/__init__.py": "from torch._C._VariableFunctions import *\n",
        "torch/watching/__init__.py": "",
        "torch/watching/record.py": "def noted(x):\n    return x\n",
        "torch/memory/__init__.py": "",
        "torch/memory/pool.py": "\n\n".join(
            [
                "from torch.watching.record import noted",
                "def step0(x):\n    return noted(x)\n",
                *steps,
            ]
        ),
        test: (
            f"import torch\nfrom torch.memory.pool import step{_STEPS - 1}\n\n"
            f"def test_taken():\n    step{_STEPS - 1}(1)\n"
        ),
        "test/watching/test_told.py": "import torch\n\ndef test_told():\n    torch.relu(1)\n",
    }


@pytest.mark.parametrize(
    ("test", "names"),
    [
        ("test/test_pools.py", ["test_told", "test_taken"]),
        # The graph leads to the folder's own tests: these are more than what only stands beside them.
        ("test/watching/test_pools.py", ["test_taken", "test_told"]),
    ],
)
def test_tests_of_the_folder_before_those_of_others(
    tmp_path: Path, test: str, names: list[str]
) -> None:
    files = _files(test)
    with indexed(files, tmp_path) as conn:
        answer = affected_by(conn, files, "torch/watching/record.py", "return x", "return 1")
    assert [one.name for one in answer.tests] == names
    assert [one.path[0].startswith("by name only") for one in answer.tests] == [
        name == "test_told" for name in names
    ]


def test_operators_kernels_have_the_tests_that_they_lead_to(tmp_path: Path) -> None:
    """test_quantized_op.py for ATen/native/quantized/cpu/, not vulkan_quantized_api_test.cpp."""
    files = {
        path.replace("torch/watching/", "torch/native/watching/"): text.replace(
            "torch.watching", "torch.native.watching"
        )
        for path, text in _files("test/test_pools.py").items()
    }
    files["torch/native/__init__.py"] = ""
    with indexed(files, tmp_path) as conn:
        answer = affected_by(conn, files, "torch/native/watching/record.py", "return x", "return 1")
    assert [one.name for one in answer.tests] == ["test_taken", "test_told"]


@pytest.mark.parametrize("lost", [0.0, 1.0])
def test_of_ever_so_many_tests_that_are_led_to_most_weakly_those_of_the_folder_are_named_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: float
) -> None:
    """All tests that a compiler runs for lead through one function of it to each of its handlers."""
    files = _files("test/test_pools.py")
    files["test/test_pools.py"] += "".join(
        f"\ndef test_taken{at}():\n    step{_STEPS - 1}({at})\n" for at in range(3)
    )
    monkeypatch.setattr("torchtalk.affected.choice.deadends._FEW", 4)
    monkeypatch.setattr("torchtalk.affected.choice.deadends._LOST", lost)
    with indexed(files, tmp_path) as conn:
        answer = affected_by(conn, files, "torch/watching/record.py", "return x", "return 1")
    assert ("test_told" in [one.name for one in answer.tests]) == (lost == 1.0)


def test_tests_of_the_same_name_after_what_is_led_to_weakly(tmp_path: Path) -> None:
    """Of Python: they run what changed far less often (benchmarks/covered.py). None of their names has a word of it."""
    files = _files("test/watching/test_pools.py")
    files["test/watching/test_record.py"] = files.pop("test/watching/test_told.py")
    with indexed(files, tmp_path) as conn:
        answer = affected_by(conn, files, "torch/watching/record.py", "return x", "return 1")
    assert [(one.name, one.path[1]) for one in answer.tests if "by name" in one.path[0]] == [
        ("test_told", "its file is called like it")
    ]
    assert [one.name for one in answer.tests] == ["test_taken", "test_told"]
    assert answer.tests[1].weight < answer.tests[0].weight


def test_though_the_graph_leads_to_the_folder_as_well(tmp_path: Path) -> None:
    """By a longer way than to others."""
    files = _files("test/test_pools.py")
    files["test/watching/test_far.py"] = (
        "import torch\nfrom torch.memory.pool import farther\n\ndef test_far():\n    farther(1)\n"
    )
    files["torch/memory/pool.py"] += (
        f"\n\ndef far1(x):\n    return step{_STEPS - 1}(x)\n\n\ndef far2(x):\n    return far1(x)\n"
        "\n\ndef far3(x):\n    return far2(x)\n\n\ndef farther(x):\n    return far3(x)\n"
    )
    with indexed(files, tmp_path) as conn:
        answer = affected_by(conn, files, "torch/watching/record.py", "return x", "return 1")
    names = [one.name for one in answer.tests]
    assert names.index("test_told") < names.index("test_taken")
