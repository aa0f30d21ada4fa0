"""Lines of headers that no function has: types of stubs, and else those who include the header."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed

_NATIVE = "aten/src/ATen/native"
_HEADER = f"{_NATIVE}/Warp.h"
_PLAIN = f"{_NATIVE}/WeftUtils.h"
_ALONE = f"{_NATIVE}/Alone.h"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  dispatch:\n    CPU: warp_cpu\n\n"
        "- func: weft(Tensor self) -> Tensor\n  dispatch:\n    CPU: weft_cpu\n\n"
        "- func: far(Tensor self) -> Tensor\n  dispatch:\n    CPU: far_cpu\n"
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    _HEADER: (
        "#pragma once\nnamespace at::native {\nusing warp_fn = void (*)(int);\nusing other_fn = void (*)(char);\n"
        "DECLARE_DISPATCH(warp_fn, warp_stub)\nDECLARE_DISPATCH(other_fn, other_stub)\n}\n"
    ),
    _PLAIN: "#pragma once\n#include <math.h>\n#include <vector>\n",
    _ALONE: "#pragma once\n#include <deque>\n",
    f"{_NATIVE}/Warp.cpp": (
        "#include <ATen/native/Warp.h>\nnamespace at::native {\nDEFINE_DISPATCH(warp_stub);\n"
        "Tensor warp_cpu(const Tensor& self) {\n  warp_stub(kCPU, 1);\n  return self;\n}\n}\n"
    ),
    f"{_NATIVE}/Weft.cpp": (
        "#include <ATen/native/WeftUtils.h>\nnamespace at::native {\n"
        "Tensor weft_cpu(const Tensor& self) {\n  return self;\n}\n}\n"
    ),
    f"{_NATIVE}/far/Far.cpp": (
        "#include <ATen/native/WeftUtils.h>\n#include <OtherAlone.h>\nnamespace at::native {\n"
        "Tensor far_cpu(const Tensor& self) {\n  return self;\n}\n}\n"
    ),
    "test/test_all.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\nclass TestAll(TestCase):\n"
        "    def test_warp(self):\n        torch.warp(1)\n    def test_weft(self):\n        torch.weft(1)\n"
        "    def test_far(self):\n        torch.far(1)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("includers")) as connection:
        yield connection


def test_the_type_of_a_stubs_functions_is_the_stub(conn: sqlite3.Connection) -> None:
    answer = affected_by(conn, _FILES, _HEADER, "warp_fn = void (*)(int)", "warp_fn = int (*)(int)")
    assert [test.name for test in answer.tests] == ["TestAll.test_warp"]
    (changed,) = answer.changed
    assert (changed.kind, changed.name) == ("stub", "at::native::warp_stub is of type warp_fn")
    assert answer.notes[0] == f"{_HEADER}: warp_fn changed, the type of 1 stub"


def test_what_nobody_is_known_to_use_has_the_nearest_that_include_it(
    conn: sqlite3.Connection,
) -> None:
    answer = affected_by(conn, _FILES, _PLAIN, "#include <math.h>", "#include <cmath>")
    assert [test.name for test in answer.tests] == ["TestAll.test_weft"]
    assert answer.tests[0].path[0] == (
        f"at::native::weft_cpu stands in {_NATIVE}/Weft.cpp, which includes it"
    )
    assert answer.notes[0] == (
        f"{_PLAIN}: who uses the changed lines is not known; 2 files include it, of which followed is "
        f"{_NATIVE}/Weft.cpp"
    )


def test_what_nobody_includes_is_not_seen(conn: sqlite3.Connection) -> None:
    answer = affected_by(conn, _FILES, _ALONE, "<deque>", "<queue>")
    assert not answer.changed
    assert len(answer.unseen) == 1
