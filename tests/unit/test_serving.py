"""Which operators do the work of a composite one: through its stubs' kernels, and of views through views."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.asking import ask
from tests.unit.small_tree import indexed
from torchtalk.tools.kernels.serving import serving

_YAML = """\
- func: wave(Tensor self) -> Tensor
- func: _wave_cell(Tensor self) -> Tensor
  dispatch:
    CUDA: wave_cell_cuda
- func: _vendor_rnn(Tensor self) -> Tensor
  dispatch:
    CUDA: vendor_rnn
- func: _seed_made(Tensor self) -> Tensor
  dispatch:
    CUDA: seed_made
- func: strided(Tensor(a) self) -> Tensor(a)
  dispatch:
    CPU, CUDA: strided
- func: picked(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: picked
- func: turn.int(Tensor(a) self) -> Tensor(a)
  dispatch:
    CompositeExplicitAutograd: turn
- func: turn.name(Tensor(a) self, Dimname dim) -> Tensor(a)
- func: laid(Tensor(a) self) -> Tensor(a)
- func: turn_all(Tensor self) -> Tensor
- func: parted(Tensor(a) self) -> Tensor(a)
  dispatch:
    CompositeExplicitAutograd: parted
"""
_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": _YAML,
    "aten/src/ATen/native/Wave.cpp": (
        "namespace at::native {\nDEFINE_DISPATCH(wave_vendor_stub);\n"
        "Tensor wave(const Tensor& x) {\n"
        "  if (x.is_cuda()) { wave_vendor_stub(x.device().type(), x); }\n"
        "  return at::_wave_cell(x);\n}\n"
        "Tensor turn(const Tensor& x) {\n"
        "  if (x.is_sparse()) { return at::picked(x); }\n  return at::strided(x);\n}\n"
        "Tensor turn(const Tensor& x, Dimname dim) { return at::turn(x); }\n"
        "Tensor laid(const Tensor& x) { return x.is_laid() ? at::strided(x) : at::picked(x); }\n"
        "Tensor parted(const Tensor& x) { return at::laid(x); }\n"
        "Tensor turn_all(const Tensor& x) { return at::turn(x); }\n}\n"
    ),
    "aten/src/ATen/native/vendor/Rnn.cpp": (
        "namespace at::native {\n"
        "static Tensor seed(const Tensor& x) { return at::_seed_made(x); }\n"
        "static Tensor vendor_impl(const Tensor& x) { seed(x); return at::_vendor_rnn(x); }\n"
        "static void wave_vendor(const Tensor& x) { vendor_impl(x); }\n"
        "REGISTER_CUDA_DISPATCH(wave_vendor_stub, &wave_vendor);\n"
        "Tensor vendor_rnn(const Tensor& x) { cudnnRNNForward(handle, x); return x; }\n}\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("serving")) as connection:
        yield connection


def _bases(conn: sqlite3.Connection, base: str, key: str = "CUDA") -> list[str]:
    return [step.base for step in serving(conn, base, key)]


def test_the_kernels_of_its_stubs_lead_on(conn: sqlite3.Connection) -> None:
    """`lstm` calls lstm_cudnn_stub, whose kernel calls _cudnn_rnn: no name of its family, but its work. Of what the
    kernel calls, the nearest alone counts: a seed that is made on the way is no work of it."""
    assert _bases(conn, "wave") == ["_wave_cell", "_vendor_rnn"]


def test_they_do_so_for_their_device_alone(conn: sqlite3.Connection) -> None:
    assert _bases(conn, "wave", "CPU") == []


def test_the_library_behind_a_stub_is_named(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "cuda_kernels", name="wave")
    assert [(use.library, use.behind) for use in answer.libraries] == [
        ("cuDNN", ("aten::_vendor_rnn",))
    ]


@pytest.mark.parametrize("base", ["turn", "turn_all", "parted"])
def test_a_view_ends_at_views(conn: sqlite3.Connection, base: str) -> None:
    """`transpose` picks indices of sparse tensors; of dense ones it is an as_strided. So does `split` through `narrow`,
    which for another overload reads where to begin."""
    assert _bases(conn, base) == ["strided"]


def test_what_may_copy_is_followed_through_all(conn: sqlite3.Connection) -> None:
    """`reshape` returns a view where it can, and is CompositeImplicitAutograd."""
    assert set(_bases(conn, "laid")) == {"picked"}
