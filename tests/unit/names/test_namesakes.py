"""What else C++ calls by a bare name is said; functions of tests and of one file alone win over nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.names import resolve
from torchtalk.names.namesakes import in_full
from torchtalk.testing.subject import understand
from torchtalk.tools.walks import seeds

NATIVE = "aten/src/ATen/native"
FILES = {
    f"{NATIVE}/native_functions.yaml": """\
- func: shuttle(Tensor self) -> Tensor
  dispatch:
    CPU: shuttle
- func: reed(Tensor self) -> Tensor
- func: knot(Tensor self) -> Tensor
  dispatch:
    CPU: quantized_weft
""",
    f"{NATIVE}/Loom.cpp": """\
namespace at::native {
Tensor shuttle(const Tensor& self) { return self; }
int quantized_weft(int n) { return n; }
int threads(int n) { return n; }
int spun(int n) { return n; }
int counted(int n) { return n; }
int shown(int n) { return n; }
}
namespace at::native::vulkan { int quantized_weft(int n) { return n; } }
namespace torch { int spun(int n) { return n; } struct Beam { void turn() {} }; }
""",
    "c10/util/Threads.h": "static inline int threads(int n) { return n; }\nnamespace {\nint shown(int n) { return n; }\n}\n",
    "torch/csrc/Module.cpp": """\
static int counted(int n) { return n; }
namespace {
int wound(int n) { return n; }
}
PyObject* initLoom() { return nullptr; }
struct Beam { void turn() {} };
void asks() { counted(1); wound(1); }
""",
    "torch/csrc/cpu/Module.cpp": "namespace torch::cpu { void initLoom() {} int wound(int n) { return n; } }\n",
    "aten/src/ATen/test/loom_test.cpp": """\
int spun(int n) { return n; }
int alone(int n) { return n; }
int shuttle(int n) { return n; }
void check() { spun(1); }
struct Dummy { void go() {} };
""",
    "c10/core/Dummy.h": "namespace c10 { struct Dummy { void stay() {} }; }\n",
    "torch/csrc/api/include/torch/nn/functional/loom.h": """\
namespace torch::nn::functional {
namespace detail { inline Tensor shuttle(const Tensor& x) { return x; } }
inline Tensor shuttle(const Tensor& x) { return detail::shuttle(x); }
}
""",
    "torch/csrc/jit/Shuttle.h": "namespace torch::jit { inline int shuttle(int n) { return n; } struct A { int shuttle() { return 1; } }; }\n",
    "torch/nn/__init__.py": "from torch.nn import functional\n",
    "torch/__init__.py": "from torch import nn\n",
    "torch/nn/functional.py": "__all__ = ['quantized_weft']\ndef quantized_weft(x): return x\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("namesakes")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("initLoom", "torch::cpu::initLoom"),
        # A header's belong to every file that includes it, whatever they are declared as.
        ("threads", "at::native::threads"),
        ("shown", "at::native::shown"),
        ("Beam", "torch::Beam"),
        ("Beam::turn", "torch::Beam::turn"),
    ],
)
def test_what_stands_in_no_namespace_is_meant_and_the_others_are_said(
    conn: sqlite3.Connection, name: str, other: str
) -> None:
    found = resolve(conn, name)
    assert found.target is not None and found.target.name == name
    assert found.notes == (f"also of this name: {other}",)
    assert f"also of this name: {other}" in ask(conn, "impact", name=name).notes
    assert f"also of this name: {other}" in ask(conn, "trace", name=name).notes


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("spun", ("at::native::spun", "torch::spun")),
        ("counted", ("at::native::counted",)),
        ("wound", ("torch::cpu::wound",)),
        ("Dummy", ("c10::Dummy",)),
    ],
)
def test_what_only_a_test_or_its_own_file_can_name_wins_over_nothing(
    conn: sqlite3.Connection, name: str, others: tuple[str, ...]
) -> None:
    found = resolve(conn, name)
    assert found.target is None
    assert found.candidates == (*others, f"::{name}")
    for candidate in found.candidates:
        chosen = resolve(conn, candidate)
        assert chosen.target is not None and in_full(chosen.target.name) == candidate
        assert not chosen.notes


def test_all_functions_of_such_a_name_are_asked_about(conn: sqlite3.Connection) -> None:
    found = seeds.find(conn, "spun")
    assert len(found.nodes) == 3
    assert found.notes == (
        "spun is 3 functions, all of which are meant here: at::native::spun, torch::spun, ::spun",
    )
    one = ask(conn, "called_by", name="::spun")
    assert [subject.place.file for subject in one.subjects] == ["aten/src/ATen/test/loom_test.cpp"]
    assert understand(conn, "::spun").cpp == tuple(n >> 4 for n in seeds.find(conn, "::spun").nodes)


def test_a_test_s_function_is_meant_where_nothing_else_has_the_name(
    conn: sqlite3.Connection,
) -> None:
    found = resolve(conn, "alone")
    assert found.target is not None and found.target.name == "alone"
    assert not found.notes


def test_what_python_has_does_not_hide_any_of_c_s(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "quantized_weft")
    assert found.api == "torch.nn.functional.quantized_weft"
    both = "at::native::quantized_weft, at::native::vulkan::quantized_weft"
    assert f"also of this name: {both}" in found.notes


def test_an_operator_is_said_with_the_functions_called_like_it(conn: sqlite3.Connection) -> None:
    """Not with its kernels, with methods, tests' functions and what `detail` keeps."""
    note = "also functions of C++: torch::nn::functional::shuttle, torch::jit::shuttle"
    found = resolve(conn, "shuttle")
    assert found.target is not None and found.target.name == "aten::shuttle"
    assert found.notes == (note,)
    assert note in ask(conn, "trace", name="shuttle").notes
    assert note in ask(conn, "called_by", name="shuttle").notes
    assert resolve(conn, "aten::shuttle").notes == ()
    assert resolve(conn, "reed").notes == ()


def test_what_stands_in_no_namespace_can_be_asked_for_beside_an_operator(
    conn: sqlite3.Connection,
) -> None:
    found = resolve(conn, "::shuttle")
    assert found.target is not None
    assert (found.target.kind, found.target.name) == ("function", "shuttle")
    beside = resolve(conn, "::reed")
    assert beside.target is not None and beside.target.name == "aten::reed"


def test_a_method_of_the_tensor_is_the_operator_though_one_overload_has_it_as_a_kernel(
    tmp_path: Path,
) -> None:
    """As `Tensor::mul_` is registered for FuncTorchBatched (aten/src/ATen/functorch/BatchRulesBinaryOps.cpp)."""
    overload = "- func: weave_.{0}(Tensor(a!) self, {0} other) -> Tensor(a!)\n  variants: method\n"
    files = {
        "aten/src/ATen/native/native_functions.yaml": "\n".join(
            overload.format(kind) for kind in ("Scalar", "Tensor")
        ),
        "aten/src/ATen/Batching.cpp": "namespace at {\nTORCH_LIBRARY_IMPL(aten, Batched, m) {\n"
        '  m.impl("weave_.Scalar", (Tensor& (*)(Tensor&, Scalar))&Tensor::weave_);\n}\n}\n',
    }
    with indexed(files, tmp_path) as conn:
        found = [ask(conn, "trace", name=f"{scope}Tensor::weave_") for scope in ("", "at::")]
    assert [answer.finding.partition(";")[0] for answer in found] == [
        "aten::weave_: 2 overloads"
    ] * 2
