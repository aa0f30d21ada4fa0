"""Modules of the C++ API: tests use a holder, and what changes is the implementation."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_SOURCE = "torch/csrc/api/src/nn/modules/weave.cpp"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    "torch/csrc/api/include/torch/nn/modules/weave.h": (
        "namespace torch::nn {\nclass WeaveImpl : public Cloneable<WeaveImpl> {\n public:\n"
        "  Tensor forward(const Tensor& input);\n};\nTORCH_MODULE(Weave);\n"
        "class KnitImpl : public Cloneable<KnitImpl> {\n public:\n  Tensor forward(const Tensor& input);\n};\n}\n"
    ),
    _SOURCE: (
        "namespace torch::nn {\nTensor WeaveImpl::forward(const Tensor& input) {\n  return input;\n}\n"
        "Tensor KnitImpl::forward(const Tensor& input) {\n  return input;\n}\n}\n"
    ),
    "test/cpp/api/modules.cpp": (
        "#include <gtest/gtest.h>\n"
        "TEST_F(ModulesTest, Mixed) {\n  Weave weave(1);\n  weave(2);\n}\n"
        "TEST_F(ModulesTest, Weave2) {\n  auto weave = torch::nn::Weave(1);\n}\n"
        "TEST_F(FunctionalTest, Weave) {\n  // Weave\n  f(WeaveOptions(1), x.Weave, \"Weave\");\n}\n"
        "TEST_F(ModulesTest, Knit) {\n  Knit knit(1);\n}\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("holders")) as connection:
        yield connection


def test_a_changed_line(conn: sqlite3.Connection) -> None:
    diff = f"--- a/{_SOURCE}\n+++ b/{_SOURCE}\n@@ -3 +3 @@\n-  return input;\n+  return -input;\n"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    reached = answer.tests[: answer.selected - answer.by_name]
    assert [one.name for one in answer.changed] == ["torch::nn::WeaveImpl::forward"]
    assert [one.name for one in reached] == ["ModulesTest.Weave2", "ModulesTest.Mixed"]
    assert {one.path for one in reached} == {("uses Weave",)}


def test_the_head_of_a_class(conn: sqlite3.Connection) -> None:
    path = "torch/csrc/api/include/torch/nn/modules/weave.h"
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{{}} +{{}} @@\n-class {{}}Impl\n+class {{}}Impl : A\n"
    weave = all_tools()["affected"].ask(conn, diff=diff.format(2, 2, "Weave", "Weave"))
    knit = all_tools()["affected"].ask(conn, diff=diff.format(7, 7, "Knit", "Knit"))
    assert weave.tests[0].path == ("uses Weave",)
    assert f"{path}: what changed leads to no test that is known" not in weave.notes
    assert f"{path}: what changed leads to no test that is known" in knit.notes


@pytest.mark.parametrize(
    ("name", "tests"),
    [("torch::nn::WeaveImpl::forward", 2), ("torch::nn::KnitImpl::forward", 0)],
)
def test_a_name(conn: sqlite3.Connection, name: str, tests: int) -> None:
    answer = all_tools()["affected"].ask(conn, names=name)
    assert answer.selected - answer.by_name == tests
    assert answer.finding.startswith("1 thing changed")
    said = any("leads to no test that is known" in note for note in answer.notes)
    assert said == (not tests)


def test_what_the_implementations_of_modules_derive_from(tmp_path: Path) -> None:
    path = "torch/csrc/api/include/torch/nn/modules/weave.h"
    files = {
        **FILES,
        path: (
            "namespace torch::nn {\ntemplate <size_t D, typename Derived>\nclass WeaveNdImpl : public Cloneable<Derived> {\n"
            " public:\n  void reset() { reset_parameters(); }\n};\n"
            "class WeaveImpl : public WeaveNdImpl<1, WeaveImpl> {\n public:\n  Tensor forward(const Tensor& input);\n};\n"
            "TORCH_MODULE(Weave);\n}\n"
        ),
    }  # fmt: skip
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -5 +5 @@\n-  void reset() {{ }}\n+  void reset() {{ f(); }}\n"
    with indexed(files, tmp_path) as conn:
        answer = all_tools()["affected"].ask(conn, diff=diff)
    reached = answer.tests[: answer.selected - answer.by_name]
    assert [one.name for one in answer.changed] == ["torch::nn::WeaveNdImpl::reset"]
    assert [one.name for one in reached] == ["ModulesTest.Weave2", "ModulesTest.Mixed"]
