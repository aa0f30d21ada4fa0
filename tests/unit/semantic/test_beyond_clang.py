"""What clang cannot tell where it read the code: what a held lambda's callers call, and who overrides unread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.semantic_tree import (
    FILES,
    NATIVE,
    differences_from_whole,
    edges,
    edited,
    index,
    make_tree,
)
from torchtalk.db import connect

_HELD = """namespace c10 {
int within(int x) { return x; }
using Fn = int (*)(int);
struct Held {
  const Fn fn = [](int x) -> int {
    return within(x);
  };
  int go(int x) { return fn(x); }
};
#define MAKE_HELD(id, ...)  \\
  struct Held_##id {        \\
    const Fn fn = __VA_ARGS__; \\
    int go(int x) { return fn(x); } \\
  };
MAKE_HELD(made, [](int x) -> int {
  return within(x);
})
int use(Held& h) { return h.go(1); }
}
"""
_PARAMS = """#pragma once
namespace c10 {
struct Params {
  virtual int run(int x, const int& y) = 0;
  virtual int size() const = 0;
  int plain(int x);
};
}
"""
_USES = """#include <c10/core/params.h>
namespace c10 {
int ask(Params& p) { return p.run(1, 2) + p.size() + p.plain(3); }
}
"""
_CHAINS = """#include <c10/core/params.h>
namespace c10 {
struct Config {
  Config& add(int x);
  Config& resize(bool on) { return *this; }
  int build() { return 1; }
};
Config& Config::add(int x) { return *this; }
template <class T>
int chain(T t) {
  return Config()
      .add(t)
      .resize(
          false)
      .build();
}
int fast(int x) { return x; }
int slow(int x) { return x; }
#ifdef HAVE_FAST
#define TRY_FAST(x) if (x) { return fast(x); }
#else
#define TRY_FAST(x)
#endif
#define EITHER(name) int name(int x) { TRY_FAST(x) return slow(x); }
EITHER(either_made)
}
"""
_PACKED = """#include <c10/core/params.h>
namespace c10 {
#ifdef USE_PACKED
struct Packed : Params {
  int run(int x, const int& y) override;
  int size() const override { return 1; }
  int plain(int x) { return x; }
};
int Packed::run(int x, const int& y) { return x; }
#endif
}
"""


_HUSHED = """namespace c10 {
template <class T>
int hushed(T t) {
  auto noise = t.noise();
  noise.hush_(1);
  return 1;
}
}
"""
_DEPENDENT = """#include <c10/core/params.h>
namespace c10 {
template <class T> struct Generic : Params {};
template <class T> struct Kept : Generic<T> {
  int run(int x, const int& y) override { return x; }
  int size() { return 1; }
};
struct Known : Params {
  int run(int x, const int& y) override { return x; }
};
int known(Known& k) { return k.run(1, 2) + Kept<int>().run(1, 2); }
}
"""
_METHOD = "- func: hush_(Tensor(a!) self, int n) -> Tensor(a!)\n  variants: method\n"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[tuple[Path, Path, Path]]:
    files = {
        **FILES, "c10/core/held.cpp": _HELD, "c10/core/params.h": _PARAMS, "c10/core/uses.cpp": _USES,
        "c10/core/packed.cpp": _PACKED, "c10/core/chains.cpp": _CHAINS,
        "c10/core/hushed.cpp": _HUSHED, "c10/core/dependent.cpp": _DEPENDENT,
        f"{NATIVE}/native_functions.yaml": FILES[f"{NATIVE}/native_functions.yaml"] + _METHOD,
    }  # fmt: skip
    folder = tmp_path.resolve()
    tree, target, cache = make_tree(folder / "tree", files), folder / "x.db", folder / "cache"
    index(tree, target, cache)
    yield tree, target, cache


def operators(target: Path) -> set[tuple[str, str, str]]:
    conn = connect(target)
    rows = conn.execute(
        "SELECT source, target, kind FROM v_edges WHERE target GLOB 'aten::*'"
    ).fetchall()
    conn.close()
    return {(row[0], row[1], row[2]) for row in rows}


def overrides(target: Path) -> set[tuple[str, str, str]]:
    conn = connect(target)
    rows = conn.execute(
        "SELECT source, target, origin FROM v_edges WHERE kind = 'virtual' AND source LIKE 'c10::Params%'"
        " AND target LIKE 'c10::Packed%'"
    ).fetchall()
    conn.close()
    return {(row[0], row[1], row[2]) for row in rows}


@pytest.mark.slow
def test_operators_called_on_what_a_parameter_decides_are_kept(
    made: tuple[Path, Path, Path],
) -> None:
    tree, target, cache = made
    wanted = ("c10::hushed", "aten::hush_", "candidate")
    assert wanted in operators(target)
    edited(tree / "c10/core/hushed.cpp", "return 1;", "return 2;")
    assert index(tree, target, cache).action == "updated"
    assert wanted in operators(target)
    assert differences_from_whole(tree, target, cache) == []
    edited(tree / "c10/core/hushed.cpp", "  noise.hush_(1);\n", "")
    assert index(tree, target, cache).action == "updated"
    assert wanted not in operators(target)
    assert differences_from_whole(tree, target, cache) == []


@pytest.mark.slow
def test_what_overrides_below_a_base_that_depends_on_an_argument(
    made: tuple[Path, Path, Path],
) -> None:
    tree, target, cache = made

    def below(start: str) -> set[tuple[str, str]]:
        conn = connect(target)
        rows = conn.execute(
            "SELECT target, origin FROM v_edges WHERE kind = 'virtual' AND source = ?", (start,)
        ).fetchall()
        conn.close()
        return {(row[0], row[1]) for row in rows if "Packed" not in row[0]}

    # Clang tells of Known, and of Kept alone not what its base is; `size` says nothing, and is not const.
    told = {("c10::Kept::run", "syntax"), ("c10::Known::run", "clang")}
    assert below("c10::Params::run") == told
    assert below("c10::Params::size") == set()
    edited(tree / "c10/core/dependent.cpp", "int size() { return 1; }", "int size() { return 2; }")
    assert index(tree, target, cache).action == "updated"
    assert below("c10::Params::run") == told
    assert differences_from_whole(tree, target, cache) == []


@pytest.mark.slow
def test_a_held_lambda_is_one_function_and_keeps_who_calls_it(
    made: tuple[Path, Path, Path],
) -> None:
    tree, target, cache = made
    conn = connect(target)
    functions = conn.execute(
        "SELECT name, kind, origin, line FROM v_functions WHERE name GLOB 'c10::Held*::fn' ORDER BY line"
    ).fetchall()
    conn.close()
    assert [tuple(row) for row in functions] == [
        ("c10::Held::fn", "lambda", "clang", 5), ("c10::Held_made::fn", "lambda", "clang", 15),
    ]  # fmt: skip
    exact, of_text = edges(target), edges(target, "syntax") | edges(target, "macro")
    for name in ("c10::Held", "c10::Held_made"):
        assert (f"{name}::fn", "c10::within", "call") in exact
        assert (f"{name}::go", f"{name}::fn", "call") in of_text
    # What clang knows of the same functions is not told twice.
    assert not {edge for edge in of_text if edge[0].endswith("::fn") or edge[0] == "c10::use"}
    held = tree / "c10/core/held.cpp"
    edited(held, "  int go(int x) { return fn(x); }\n};\n#", "  int go(int x) { return x; }\n};\n#")
    assert index(tree, target, cache).action == "updated"
    assert ("c10::Held::go", "c10::Held::fn", "call") not in edges(target, "syntax")
    assert differences_from_whole(tree, target, cache) == []
    edited(held, "int use(Held& h) {", "int use(Held& h) {\n  h.fn(2);\n ")
    index(tree, target, cache)
    assert ("c10::use", "c10::Held::fn", "call") in edges(target, "syntax")
    assert differences_from_whole(tree, target, cache) == []


@pytest.mark.slow
def test_what_overrides_a_method_that_clang_only_saw_declared(
    made: tuple[Path, Path, Path],
) -> None:
    tree, target, cache = made
    assert overrides(target) == {
        ("c10::Params::run", "c10::Packed::run", "syntax"),
        ("c10::Params::size", "c10::Packed::size", "syntax"),
    }
    # That it is virtual is known by its calls alone.
    edited(tree / "c10/core/uses.cpp", "p.size()", "0")
    index(tree, target, cache)
    assert overrides(target) == {("c10::Params::run", "c10::Packed::run", "syntax")}
    assert differences_from_whole(tree, target, cache) == []


def test_what_clang_cannot_tell_or_does_not_see_is_known_by_the_text(
    made: tuple[Path, Path, Path],
) -> None:
    tree, target, cache = made
    exact, of_text = edges(target), edges(target, "syntax") | edges(target, "macro")
    # Calls of a chain that depends on a parameter stand lines behind its begin.
    chain = {callee for caller, callee, _ in of_text if caller == "c10::chain"}
    assert chain == {"c10::Config::resize", "c10::Config::build"}
    # The branch of a macro's definition that this build has not; the other is not told twice.
    assert ("c10::either_made", "c10::slow", "call") in exact
    assert ("c10::either_made", "c10::fast", "call") in of_text
    assert ("c10::either_made", "c10::slow", "call") not in of_text
    edited(tree / "c10/core/chains.cpp", "#ifdef HAVE_FAST", "#ifndef HAVE_FAST")
    index(tree, target, cache)
    assert ("c10::either_made", "c10::fast", "call") in edges(target)
    assert differences_from_whole(tree, target, cache) == []


_VALUED = """namespace c10 {
int made(int x) { return x; }
struct Reg { Reg(int (*f)(int)) {} };
static int plain = made(1);
static Reg reg{[](int x) {
  return made(x);
}};
}
"""


@pytest.mark.slow
def test_a_variable_with_a_value_is_one_row_of_both_layers(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    tree = make_tree(folder / "tree", {**FILES, "c10/core/valued.cpp": _VALUED})
    target, cache = folder / "x.db", folder / "cache"
    index(tree, target, cache)

    def variables() -> list[tuple[str, str, str, int]]:
        conn = connect(target)
        rows = conn.execute(
            "SELECT name, kind, origin, line FROM v_functions WHERE file = 'c10/core/valued.cpp'"
            " AND kind = 'variable' ORDER BY line"
        ).fetchall()
        conn.close()
        return [tuple(row) for row in rows]

    both = [("c10::plain", "variable", "clang", 4), ("c10::reg", "variable", "clang", 5)]
    assert variables() == both
    wanted = {("c10::plain", "c10::made", "call"), ("c10::reg", "c10::made", "call")}
    assert wanted <= edges(target)
    assert not {edge for edge in edges(target, "syntax") if edge[1] == "c10::made"}
    for before, after in (
        ("made(1);", "made(2) + 1;"),
        ("static int plain", "static int first = made(3);\nstatic int plain"),
        ("static int first = made(3);\n", ""),
    ):
        edited(tree / "c10/core/valued.cpp", before, after)
        assert index(tree, target, cache).action == "updated"
        assert differences_from_whole(tree, target, cache) == []
    assert variables() == both
