"""Which operators do the work of a composite one: through its stubs' kernels, and of views through views."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed
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
- func: _made(int[] size) -> Tensor
  dispatch:
    CPU, CUDA: made
- func: made_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
- func: empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
- func: dim_made(Tensor self) -> Tensor
- func: _written_to(Tensor(a!) self, Tensor src) -> Tensor(a!)
  dispatch:
    CompositeExplicitAutograd: written_to
- func: doubled(Tensor self) -> Tensor
- func: on_host(Tensor self) -> Tensor
- func: _bent_alias(Tensor(a) self) -> Tensor(a)
  dispatch:
    CPU, CUDA: bent_alias
- func: bent(Tensor(a) self) -> Tensor(a)
- func: rippling(Tensor self) -> Tensor
- func: _rippling(Tensor self) -> Tensor
  dispatch:
    CompositeExplicitAutograd: _rippling
- func: slow_rip(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: slow_rip
- func: most(Tensor self) -> Tensor
- func: _most_helper(Tensor self, Tensor(a!) values) -> ()
  dispatch:
    CPU, CUDA: most_helper
- func: cast(Tensor(a) self) -> Tensor(a)
- func: _cast_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
  dispatch:
    CompositeExplicitAutograd: _cast_copy
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
    "aten/src/ATen/native/Cast.cpp": (
        "namespace at::native {\nDEFINE_DISPATCH(write_stub);\nDEFINE_DISPATCH(ripple_stub);\n"
        "static void write_impl(const Tensor& x) { write_stub(x.device().type(), x); }\n"
        "Tensor& written_to(Tensor& x, const Tensor& src) { write_impl(src); return x; }\n"
        "Tensor made_like(const Tensor& x) { return at::_made(x.sizes()); }\n"
        "Tensor doubled(const Tensor& x) { return at::_written_to(at::made_like(x), x); }\n"
        "Tensor empty_like(const Tensor& x) { return at::_made(x.sizes()); }\n"
        "Tensor dim_made(const Tensor& x) { return at::made_like(x); }\n"
        "Tensor on_host(const Tensor& x) { Tensor made = at::empty_like(x); run_there(made); return made; }\n"
        "Tensor bent(const Tensor& x) { return x.is_flat() ? at::_bent_alias(x) : at::_written_to(x, x); }\n"
        "Tensor _rippling(const Tensor& x) { ripple_stub(x.device().type(), x); return at::slow_rip(x); }\n"
        "Tensor rippling(const Tensor& x) { return at::_rippling(x); }\n"
        "Tensor most(const Tensor& x) { at::_most_helper(x, x); return at::picked(x); }\n"
        "Tensor _cast_copy(const Tensor& x) {\n  if (x.is_sparse()) { return at::_cast_copy(x); }\n"
        "  return at::_written_to(at::made_like(x), x);\n}\n"
        "Tensor cast(const Tensor& x) { return at::_cast_copy(x); }\n}\n"
    ),
    "aten/src/ATen/native/cuda/Cast.cu": (
        "namespace at::native {\n__global__ void written(int n) { }\n"
        "static void write_cuda(const Tensor& x) { written<<<1, 2>>>(3); }\n"
        "REGISTER_DISPATCH(write_stub, &write_cuda);\n"
        "static void ripple_cuda(const Tensor& x) { written<<<1, 2>>>(3); }\n"
        "REGISTER_DISPATCH(ripple_stub, &ripple_cuda);\n}\n"
    ),
    # A hundred places and one, as use `copy_`.
    "aten/src/ATen/native/Many.cpp": "namespace at::native {\n"
    + "".join(f"void use_{n}(const Tensor& x) {{ at::_written_to(x, x); }}\n" for n in range(101))
    + "}\n",
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


def test_a_factory_is_not_the_work(conn: sqlite3.Connection) -> None:
    """`clone` writes a copy into what `empty_like` makes, and `copy_` has a stub and no entry of its own."""
    assert _bases(conn, "doubled") == ["_written_to"]
    assert [site.kernel for site in ask(conn, "cuda_kernels", name="doubled").sites] == [
        "at::native::written"
    ]


def test_a_factory_alone_ends_at_factories(conn: sqlite3.Connection) -> None:
    """That `det` makes its result by `empty` serves nothing on MPS; `zeros_like` and `_dim_arange` do end there."""
    assert _bases(conn, "on_host") == []
    assert _bases(conn, "dim_made") == ["_made"]
    assert _bases(conn, "made_like") == ["_made"]


def test_a_view_of_its_name_does_not_hide_the_work(conn: sqlite3.Connection) -> None:
    """`reshape` returns `_reshape_alias` where it can, and copies else."""
    assert set(_bases(conn, "bent")) == {"_bent_alias", "_written_to"}


def test_what_has_a_stub_hides_nothing_of_its_family(conn: sqlite3.Connection) -> None:
    """`_convolution` has a stub for depthwise ones on CPU, and calls slow_conv2d and others besides."""
    assert _bases(conn, "rippling") == ["_rippling", "slow_rip"]


def test_what_is_written_is_work_though_nothing_is_returned(conn: sqlite3.Connection) -> None:
    """`cummax` fills a scalar's result; else `_cummax_helper` writes it and returns nothing."""
    assert _bases(conn, "most") == ["_most_helper"]


def test_a_copy_with_options_is_no_factory(conn: sqlite3.Connection) -> None:
    """`to` leaves its work to `_to_copy(Tensor self, *, ScalarType? dtype …)`; that this may come back to itself is no
    answer to how it works."""
    lines = [
        line.split("  ")[-2:]
        for line in text(conn, "trace", name="aten::cast")
        if " calls " in line
    ]
    assert ["calls aten::_cast_copy", "at aten/src/ATen/native/Cast.cpp:19"] in lines
    assert ["calls aten::_written_to", "at aten/src/ATen/native/Cast.cpp:17"] in lines
    assert len(lines) == 3  # and what is also called
