"""Methods of C++ classes by a class that inherits them, and those of Objective-C; what was made of a name is said."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: plain(Tensor self) -> Tensor\n",
    "aten/src/ATen/core/TensorBase.h": """\
namespace at {
struct Counted { int uses() { return 1; } int strides() { return 2; } };
class TensorBase : public Counted {
  int sizes() { return 1; }
  int strides() { return 1; }
};
class Tensor : public TensorBase { int cat() { return sizes(); } };
template <class T> struct Sized { int length() { return 1; } };
struct Listed : Sized<int> { };
struct Left : Counted { int side() { return 1; } };
struct Right : Counted { int side() { return 1; } };
struct Both : Left, Right { };
}
namespace torch { using at::Tensor; }
""",
    "torch/csrc/api/include/torch/nn/pimpl.h": """\
#define TORCH_MODULE_IMPL(Name, ImplType) class Name : public torch::nn::ModuleHolder<ImplType> { }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)
namespace torch { namespace nn {
class Module { void eval() {} };
class LoomImpl : public Module { void forward() {} };
TORCH_MODULE(Loom);
class ReedImpl : public Module { };
} }
""",
    "aten/src/ATen/native/metal/View.mm": """\
@implementation View
- (void)draw:(int)a at:(int)b { }
+ (View*)shared { return nil; }
@end
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("bases")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "meant", "note"),
    [
        ("at::Tensor::sizes", "at::TensorBase::sizes", ", which at::Tensor inherits"),
        ("Tensor::sizes", "at::TensorBase::sizes", ", which at::Tensor inherits"),
        ("Tensor.sizes", "at::TensorBase::sizes", ", which at::Tensor inherits"),
        ("torch::Tensor::sizes", "at::TensorBase::sizes", ", which at::Tensor inherits"),
        ("TensorBase.sizes", "at::TensorBase::sizes", ""),
        # The nearest base that has one, and through several.
        ("Tensor::strides", "at::TensorBase::strides", ", which at::Tensor inherits"),
        ("Tensor::uses", "at::Counted::uses", ", which at::Tensor inherits"),
        ("Listed::length", "at::Sized::length", ", which at::Listed inherits"),
        # What a module's holder holds.
        ("torch::nn::Loom::forward", "torch::nn::LoomImpl::forward", ", of which torch::nn::Loom holds one"),
        (
            "torch::nn::Loom::eval",
            "torch::nn::Module::eval",
            ", which torch::nn::LoomImpl inherits, of which torch::nn::Loom holds one",
        ),
    ],
)  # fmt: skip
def test_methods_by_a_derived_class(
    conn: sqlite3.Connection, name: str, meant: str, note: str
) -> None:
    found = ask(conn, "called_by", name=name)
    assert [subject.name for subject in found.subjects] == [meant]
    assert f"taken as {meant}{note}" in found.notes


@pytest.mark.parametrize("name", ["Tensor::lost", "Counted::cat", "torch::nn::Reed::eval"])
def test_what_no_base_has_is_not_known(conn: sqlite3.Connection, name: str) -> None:
    found = ask(conn, "called_by", name=name)
    assert (found.finding, found.subjects) == (f"nothing in this index is called {name!r}", ())


def test_what_two_bases_have_is_both(conn: sqlite3.Connection) -> None:
    found = ask(conn, "called_by", name="at::Both::side")
    assert {subject.name for subject in found.subjects} == {"at::Left::side", "at::Right::side"}
    assert any("is 2 functions, all of which are meant here" in note for note in found.notes)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("View::draw:at:", "View::draw:at:"),
        ("draw:at:", "View::draw:at:"),
        ("-[View draw:at:]", "View::draw:at:"),
        ("[View draw:at:]", "View::draw:at:"),
        ("+[View(Shared) shared]", "View::shared"),
        ("at::Tensor::cat:", "at::Tensor::cat"),
    ],
)
def test_selectors_of_objective_c(conn: sqlite3.Connection, name: str, meant: str) -> None:
    found = ask(conn, "called_by", name=name)
    assert [subject.name for subject in found.subjects] == [meant]
