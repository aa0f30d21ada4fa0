"""A method that a specialization has from its base leads to what calls the template's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n  dispatch:\n    CPU: warp\n",
    "version.txt": "2.6.0\n",
    "aten/src/ATen/vec/Woven.h": """\
#pragma once
namespace at::vec {
template <class T> struct Woven {
  T card() const { return 1; }
  T comb() const { return 2; }
};
template <class T> struct Woven16 {
  T card() const { return 3; }
  T comb() const { return 4; }
  T reed() const { return 5; }
};
template <> struct Woven<Half> : public Woven16<Half> {
  Half comb() const { return 6; }
};
struct Base {
  int card() const { return 7; }
};
struct Heir : public Base {
  int card() const { return 8; }
};
}
""",
    "aten/src/ATen/native/Warp.cpp": """\
#include <ATen/vec/Woven.h>
namespace at::native {
Tensor warp(const Tensor& self) {
  at::vec::Woven<float> woven;
  at::vec::Heir heir;
  woven.card();
  woven.comb();
  heir.card();
  return self;
}
}
""",
    "torch/__init__.py": "",
    "torch/testing/_internal/common_utils.py": "import unittest\nclass TestCase(unittest.TestCase): ...\n",
    "test/test_warp.py": """\
import torch
from torch.testing._internal.common_utils import TestCase
class TestWarp(TestCase):
    def test_warp(self):
        torch.warp(torch.ones(1))
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("specializations")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("method", "is_had"),
    [
        ("Woven16::card", True),
        ("Woven16::comb", False),  # The specialization has its own.
        ("Woven16::reed", False),  # The template has none.
        ("Base::card", False),  # No template: what derives hides it.
    ],
)
def test_a_method_that_a_specialization_has_from_its_base(
    conn: sqlite3.Connection, method: str, is_had: bool
) -> None:
    """As `Vectorized16::i0`, which changed for bfloat16 and led to no test."""
    answer = ask(conn, "affected", names=f"at::vec::{method}")
    template = "at::vec::Woven::card is it where a specialization has it from its base"
    assert [one.name for one in answer.tests if template in str(one.path)] == (
        ["TestWarp.test_warp"] if is_had else []
    )
