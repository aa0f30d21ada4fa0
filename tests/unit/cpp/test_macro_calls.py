"""What functions that macros make call and launch, in the index of a small tree."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from torchtalk.db import connect
from torchtalk.render import to_text
from torchtalk.tools import all_tools
from torchtalk.tools.kernels import entries as kernels

_CUDA = "aten/src/ATen/native/cuda"
_KERNELS = "aten/src/ATen/native/PairKernels.cpp"
_PAIRS, _OTHER, _SLOW = f"{_CUDA}/Pairs.cu", f"{_CUDA}/Other.cu", "aten/src/ATen/native/Pairs.cpp"

FILES = {
    f"{_CUDA}/Apply.cuh": """\
namespace at::native {
template <typename T>
__global__ void pair_kernel(T callable) {}

template <int depth, typename T, typename... Rest>
void pair_apply(Lists& lists, Scalars scalars, T callable, Rest... rest) {
  pair_kernel<<<1, 32>>>(callable);
}

template <int depth, typename T, typename... Rest>
void pair_apply(Lists& lists, T callable, Rest... rest) {
  pair_kernel<<<2, 32>>>(callable);
}
}
""",
    "aten/src/ATen/native/PairChecks.h": """\
#define PAIR_CHECK(cond) if (!(cond)) { ::at::native::complain(cond); }
#define FORALL_PAIRS(_) \\
  _(band) \\
  _(ripple)
namespace at::native {
inline void complain(bool cond) {}
inline bool fast_route(Lists lists, bool divides) { return divides; }
}
""",
    _PAIRS: """\
#include <ATen/native/PairChecks.h>
#include <ATen/native/cuda/Apply.cuh>
namespace at::native {

template <template <class> class Op>
void all_pairs_(Lists lists, const Scalar& alpha = 1) {
  pair_apply<2>(lists, Op<float>(), alpha);
}

#define PAIR_OP(FUNCTION, NAME, DIVIDES)          \\
  void pair_##NAME##_cuda_(Lists lists) {         \\
    PAIR_CHECK(lists.size());                     \\
    if (!fast_route(lists, DIVIDES)) {            \\
      return at::native::pair_##NAME##_slow_(lists); \\
    }                                             \\
    FUNCTION##_<std::plus>(lists);                \\
  }                                               \\
  Tensor pair_##NAME##_first(Lists lists) {       \\
    return at::NAME(lists[0]);                    \\
  }

PAIR_OP(all_pairs, band,
        /*divides*/ false);
PAIR_OP(all_pairs, ripple, true)
#define BY_STRUCT(NAME) void by_struct_##NAME(Tensor& x) { at::_ops::NAME::call(x); }
BY_STRUCT(pair_band_)
}
""",
    _OTHER: """\
namespace at::native {
template <template <class> class Op>
void all_pairs_(Lists lists) {}
}
""",
    _SLOW: """\
#include <ATen/native/PairChecks.h>
namespace at::native {
#define SLOW(NAME) void pair_##NAME##_slow_(Lists lists) { complain(false); }
FORALL_PAIRS(SLOW)
}
""",
    _KERNELS: """\
#define PAIR_KERNEL(name, id, ...)  \\
  struct Kernel_##id : Base {       \\
    void run() override {           \\
      __VA_ARGS__;                  \\
    }                               \\
  };                                \\
  REGISTER_TYPED(name, Kernel_##id)
namespace at::native {
inline void grumble(bool cond) {}
inline bool other_route(Lists lists, bool divides) { return divides; }
PAIR_KERNEL("torch.ops.pair.one", one, {
  grumble(true);
})

// Nothing ends this one but the function behind it.
PAIR_KERNEL(
    "torch.ops.pair.two",
    two,
    {
      if (other_route(lists, true)) {
        grumble(false);
      }
    })

static inline bool between(Lists lists) {
  return other_route(lists, false);
}

PAIR_KERNEL("torch.ops.pair.three", three, { between(lists); });
}
""",
    f"{_CUDA}/Handed.h": """\
__global__ void near_kernel(int p);
__global__ void far_kernel(int p);
template <typename T> void pick_near(T cb, int cc) {
  cb(Params<1>(), near_kernel);
  if (cc) { cb(Params<2>(), far_kernel); }
}
template <typename T> void pick(T cb, int cc) { pick_near(cb, cc); }
""",
    f"{_CUDA}/Handed.cu": """\
#include <ATen/native/cuda/Handed.h>
namespace at::native {
void handed_cuda(int n) {
  auto launch = [&](auto params, auto kernel_fn) {
    kernel_fn<<<1, 32>>>(params);
  };
  pick(launch, n);
}
template <typename T> __global__ void long_kernel(T* out) {}
void long_launch(float* out) {
  long_kernel<
      float>
      <<<1,
         32>>>(out);
}
}
""",
}
_BAND = FILES[_PAIRS].split("\n").index("PAIR_OP(all_pairs, band,") + 1


@pytest.fixture(scope="module")
def macro_db(fixture_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("macros")
    tree = folder / "tree"
    shutil.copytree(fixture_tree, tree)
    for path, text in FILES.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text, encoding="utf-8")
    yaml = tree / "aten/src/ATen/native/native_functions.yaml"
    entry = "- func: pair_band_(Tensor(a!) self) -> ()\n  dispatch:\n    CUDA: pair_band_cuda_\n"
    yaml.write_text(f"{yaml.read_text(encoding='utf-8')}\n{entry}", encoding="utf-8")
    database = folder / "macros.db"
    build(open_tree(tree), database, workers=0)
    return database


@pytest.fixture
def index(macro_db: Path) -> Iterator[sqlite3.Connection]:
    connection = connect(macro_db)
    yield connection
    connection.close()


def calls(conn: sqlite3.Connection, caller: str) -> set[tuple[str, str, str, int, str]]:
    rows = conn.execute(
        "SELECT c.callee, f.file, c.kind, c.line, c.origin FROM v_calls AS c"
        " JOIN v_functions AS f ON f.id = c.callee_id WHERE c.caller = ?",
        (f"at::native::{caller}",),
    )
    return {(name.rpartition("::")[2], *rest) for name, *rest in rows}


def test_a_made_function_calls_what_its_expansion_calls(index: sqlite3.Connection) -> None:
    header = "aten/src/ATen/native/PairChecks.h"
    assert calls(index, "pair_band_cuda_") == {
        ("complain", header, "call", _BAND, "macro"),  # of a macro in the macro
        ("fast_route", header, "call", _BAND, "macro"),
        ("pair_band_slow_", _SLOW, "call", _BAND, "macro"),  # a name that is pasted together
        # The other file's template fits the number of arguments better, but cannot be seen.
        ("all_pairs_", _PAIRS, "call", _BAND, "macro"),
    }
    assert calls(index, "pair_ripple_slow_") == {("complain", header, "call", 4, "macro")}


def test_operators_that_an_expansion_calls(index: sqlite3.Connection) -> None:
    rows = index.execute(
        "SELECT target, kind, origin, line FROM v_edges"
        " WHERE source = 'at::native::pair_band_first' AND kind = 'operator'"
    ).fetchall()
    assert [tuple(row) for row in rows] == [("aten::band", "operator", "macro", _BAND)]
    rows = index.execute(
        "SELECT target, kind, origin FROM v_edges WHERE source = 'at::native::by_struct_pair_band_'"
    ).fetchall()
    assert [tuple(row) for row in rows] == [("aten::pair_band_", "operator", "macro")]


def test_launches_behind_a_macro_and_an_overload_that_is_open(index: sqlite3.Connection) -> None:
    apply = f"{_CUDA}/Apply.cuh"
    answer = all_tools()["trace"].run(index, name="pair_band_", focus="full")
    (line,) = answer.overloads[0].dispatch
    assert line.definitions[0].line == _BAND
    assert {(r.kernel, str(r.place), r.is_open) for r in line.reached} == {
        ("at::native::pair_kernel", f"{apply}:7", True),
        ("at::native::pair_kernel", f"{apply}:12", True),
    }
    assert (
        f"launches at::native::pair_kernel  {apply}:3  at {apply}:7 or 12"
        " (through one of several overloads)" in to_text(answer)
    )


def test_who_calls_the_helper_of_a_macro(index: sqlite3.Connection) -> None:
    answer = all_tools()["called_by"].ask(index, name="at::native::fast_route")
    assert {(n.name, str(n.uses[0])) for n in answer.neighbours} == {
        ("at::native::pair_band_cuda_", f"{_PAIRS}:{_BAND}"),
        ("at::native::pair_ripple_cuda_", f"{_PAIRS}:{_BAND + 2}"),
    }


def test_kernels_that_a_lambda_is_called_with(index: sqlite3.Connection) -> None:
    (identity,) = index.execute(
        "SELECT id FROM functions WHERE name = 'at::native::handed_cuda'"
    ).fetchone()
    (found,) = kernels.reached(index, [identity], ("CUDA",))
    assert (found.kernel, found.note) == (
        "kernel_fn", "one of 2 kernels that pick calls the lambda with; the first is near_kernel",
    )  # fmt: skip
    assert (str(found.definition), str(found.place)) == (
        f"{_CUDA}/Handed.h:1", f"{_CUDA}/Handed.cu:5",
    )  # fmt: skip
    rows = index.execute(
        "SELECT target, kind, line FROM v_edges WHERE source = 'at::native::handed_cuda' ORDER BY 1"
    ).fetchall()
    assert [tuple(row) for row in rows] == [
        ("far_kernel", "candidate", 5), ("near_kernel", "candidate", 5), ("pick", "call", 7),
    ]  # fmt: skip
    assert not index.execute("SELECT 1 FROM coverage WHERE layer = 'launches'").fetchall()


def test_a_launch_over_several_lines_is_one_edge(index: sqlite3.Connection) -> None:
    rows = index.execute(
        "SELECT kind, line FROM v_edges WHERE source = 'at::native::long_launch' AND target LIKE '%long_kernel'"
    ).fetchall()
    assert [tuple(row) for row in rows] == [("launch", 11)]


def test_a_body_given_to_a_macro_in_front_of_a_function(index: sqlite3.Connection) -> None:
    lines = FILES[_KERNELS].split("\n")
    two = lines.index("PAIR_KERNEL(") + 1
    assert calls(index, "Kernel_one::run") == {("grumble", _KERNELS, "call", 12, "macro")}
    assert calls(index, "Kernel_two::run") == {
        ("grumble", _KERNELS, "call", two + 5, "macro"),
        ("other_route", _KERNELS, "call", two + 4, "macro"),
    }
    assert {name for name, *_ in calls(index, "Kernel_three::run")} == {"between"}


def test_what_a_macro_makes_ends_where_its_use_does(index: sqlite3.Connection) -> None:
    rows = index.execute(
        "SELECT name, line, end_line FROM v_functions WHERE file = ? ORDER BY line", (_KERNELS,)
    )
    lines = FILES[_KERNELS].split("\n")
    two, between = (
        lines.index("PAIR_KERNEL(") + 1,
        lines.index("static inline bool between(Lists lists) {") + 1,
    )
    assert [(name.removeprefix("at::native::"), *place) for name, *place in rows] == [
        ("grumble", 9, 9),
        ("other_route", 10, 10),
        ("Kernel_one::run", 11, 13),
        ("Kernel_two::run", two, two + 7),
        ("between", between, between + 2),
        ("Kernel_three::run", between + 4, between + 4),
    ]
