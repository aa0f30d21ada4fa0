"""What a name in C++ means: all of an operator, what namespaces use of others, and what is no operator here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.names import resolve
from torchtalk.names.understood import understood
from torchtalk.render import to_text
from torchtalk.tools import all_tools

TRACE = all_tools()["trace"]

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: like.Scalar(Tensor self, Scalar other) -> Tensor\n"
    "- func: like.Tensor(Tensor self, Tensor other) -> Tensor\n  variants: function, method\n"
    "- func: like_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  variants: method\n"
    "- func: like_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)\n  variants: method\n",
    # As aten/src/ATen/LegacyBatchingRegistrations.cpp hands on what has no rule of its own.
    "aten/src/ATen/Batching.cpp": "namespace at {\nTORCH_LIBRARY_IMPL(aten, Batched, m) {\n"
    '  m.impl("like.Tensor", static_cast<Tensor (*)(const Tensor&, const Tensor&)>(at::like));\n'
    '  m.impl("like_", static_cast<Tensor& (Tensor::*)(const Tensor&) const>(&Tensor::like_));\n}\n}\n',
    "torch/csrc/jit/runtime/register_prim_ops.cpp": """namespace torch::jit {
namespace {
void listLen(Stack& stack) {}
RegisterOperators reg(
    {

     OperatorGeneratorArgs(
         TORCH_SELECTIVE_SCHEMA("aten::len.t(t[] a) -> int"),
         listLen,
         aliasAnalysisFromSchema()),
     OperatorGeneratorArgs(
         TORCH_SELECTIVE_SCHEMA("aten::len.str(str s) -> int"),
         [](Stack& stack) { push(stack, 1); },
         aliasAnalysisFromSchema()),
     OperatorGeneratorArgs(
         TORCH_SELECTIVE_SCHEMA("prim::Print(...) -> ()"),
         [](Stack& stack) {},
         aliasAnalysisSpecialCase()),
     OperatorGeneratorArgs(
         TORCH_SELECTIVE_SCHEMA("aten::like.int(int a, int b) -> bool"),
         [](Stack& stack) {},
         aliasAnalysisFromSchema()),
});
}
}
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    folder: Path = tmp_path_factory.mktemp("whole")
    with indexed(FILES, folder) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "overloads"),
    [
        ("at::like", ("aten::like.Scalar", "aten::like.Tensor")),
        ("at::Tensor::like_", ("aten::like_", "aten::like_.Scalar")),
        ("at::_ops::like_Tensor::call", ("aten::like.Tensor",)),
        ("at::functionalization::like_Tensor", ("aten::like.Tensor",)),
        ("aten::like(x,", ("aten::like.Scalar", "aten::like.Tensor")),
        ("torch.ops.aten.like(", ("aten::like.Scalar", "aten::like.Tensor")),
    ],
)
def test_all_overloads_are_meant(
    conn: sqlite3.Connection, name: str, overloads: tuple[str, ...]
) -> None:
    target = resolve(conn, name).target
    assert target is not None
    assert (target.kind, tuple(sorted(target.overloads))) == ("operator", overloads)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("aten::len.t", [("aten::len.t", 7, "listLen")]),
        ("aten::len", [("aten::len.t", 7, "listLen"), ("aten::len.str", 11, "")]),
        ("torch.ops.aten.len", [("aten::len.t", 7, "listLen"), ("aten::len.str", 11, "")]),
        ("prim::Print", [("prim::Print", 15, "")]),
        ("aten::like.int", [("aten::like.int", 19, "")]),
        # An overload that nobody has.
        ("aten::like.other", []),
        ("aten::likes", []),
    ],
)
def test_operators_of_torchscript_are_said_to_be_its_own(
    conn: sqlite3.Connection, name: str, said: list[tuple[str, int, str]]
) -> None:
    found = resolve(conn, name)
    assert found.target is None
    assert [note for note in found.notes if "TorchScript" in note] == [
        f"{operator} is an operator of TorchScript alone  torch/csrc/jit/runtime/register_prim_ops.cpp:{line}"
        + (f", which runs torch::jit::{kernel}" if kernel else "")
        for operator, line, kernel in said
    ]


def test_a_name_with_spaces_is_unknown_by_what_is_left_of_it(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "at::(anonymous namespace)::likee")
    assert found.target is None
    assert not any("no name" in note for note in found.notes)
    assert any("like" in name for name in found.closest)


USING = {
    "aten/src/ATen/native/native_functions.yaml": "- func: far(Tensor self) -> Tensor\n",
    "c10/macros/Macros.h": "namespace c10 {}\nnamespace at { using namespace c10; }\n",
    "c10/core/Number.h": "namespace c10 {\nclass Number {\n public:\n  double real() const { return 1.0; }\n};\n}\n",
    "torch/types.h": "namespace torch {\nusing namespace at;\nnamespace script {\n"
    "using Quantity = ::c10::Number;\nusing List = std::vector<Quantity>;\n}\n"
    "class TwistImpl { void reset() {} };\nTORCH_MODULE(Twist);\n}\n",
}


@pytest.fixture(scope="module")
def using(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(USING, tmp_path_factory.mktemp("module")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("at::Number", "c10::Number"),
        ("torch::Number", "c10::Number"),
        ("torch::Number::real", "c10::Number::real"),
        ("torch::script::Quantity", "c10::Number"),
        ("torch::script::Quantity::real", "c10::Number::real"),
        ("torch::Twist", "torch::TwistImpl"),
        ("class c10::Number", "c10::Number"),
        ("struct at::Number", "c10::Number"),
        ("torch::script::List", ""),
        ("torch::Nothing", ""),
    ],
)
def test_what_a_namespace_uses_is_known_by_its_name(
    name: str, meant: str, using: sqlite3.Connection
) -> None:
    found = resolve(using, understood(using, name)[0])
    assert (found.target.name if found.target else "") == meant
    # How it got there is said.
    assert bool(meant) == bool([n for n in found.notes if name.split()[-1].split("::")[0] in n])


def test_a_file_of_many_places_is_no_operator(tmp_path: Path) -> None:
    folder = "aten/src/ATen/native"
    files = {
        f"{folder}/native_functions.yaml": "- func: softcap(Tensor self) -> Tensor\n",
        f"{folder}/SoftCap.cpp": "void a() {}\n",
        f"{folder}/sparse/SoftCap.cpp": "void b() {}\n",
    }
    with indexed(files, tmp_path) as conn:
        for name, said in (
            ("SoftCap.cpp", "SoftCap.cpp is 2 files: ask calls, called_by, impact or affected"),
            ("SoftCap.cpp:1", f"SoftCap.cpp:1 could be: {folder}/SoftCap.cpp:1, "),
        ):
            text = to_text(TRACE.ask(conn, name=name))
            assert text.startswith(said)
            assert f"{folder}/sparse/SoftCap.cpp" in text
