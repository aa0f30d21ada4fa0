"""The C++ library's headers that torchtalk brings: they declare what the machine's declare."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from indexer.clang.flags import LIBRARY
from indexer.clang.parse import Parsed
from tests.unit.support.clang_units import FLAGS, libclang

_OPTIONAL = """\
#include <optional>
#include <memory>
#include <string>
#include <vector>
#include <functional>
#include <unordered_map>
using std::optional; using std::nullopt;
struct NoCopy { NoCopy(NoCopy&&); NoCopy& operator=(NoCopy&&); };
struct NoMove { NoMove(int); NoMove(const NoMove&) = delete; };
struct Exp { explicit Exp(int); };
struct Imp { Imp(int); };
struct Any { template <class T> Any(T&&); };
struct FromOpt { FromOpt(optional<int>); };
template <class A, class B> constexpr bool con = std::is_constructible_v<A, B>;
template <class A, class B> constexpr bool cvt = std::is_convertible_v<B, A>;
template <class A, class B> constexpr bool asg = std::is_assignable_v<A&, B>;
static_assert(std::is_trivially_copyable_v<optional<int>>);
static_assert(std::is_trivially_destructible_v<optional<int>>);
static_assert(!std::is_trivially_destructible_v<optional<std::string>>);
static_assert(!std::is_copy_constructible_v<optional<std::unique_ptr<int>>>);
static_assert(std::is_move_constructible_v<optional<std::unique_ptr<int>>>);
static_assert(!std::is_copy_assignable_v<optional<NoCopy>> && std::is_move_assignable_v<optional<NoCopy>>);
static_assert(!std::is_move_constructible_v<optional<NoMove>>);
static_assert(con<optional<Exp>, int> && !cvt<optional<Exp>, int>);
static_assert(cvt<optional<Imp>, int> && cvt<optional<Imp>, optional<int>>);
static_assert(con<optional<Exp>, optional<int>> && !cvt<optional<Exp>, optional<int>>);
static_assert(cvt<optional<long>, optional<int>> && cvt<optional<long>, int>);
static_assert(!con<optional<int>, std::string>);
static_assert(cvt<optional<std::string>, const char*>);
static_assert(cvt<optional<Any>, optional<int>>);
static_assert(cvt<optional<FromOpt>, optional<int>>);
static_assert(asg<optional<int>, int> && asg<optional<int>, std::nullptr_t> == false);
static_assert(asg<optional<int>, decltype(nullopt)>);
static_assert(asg<optional<long>, optional<int>>);
static_assert(asg<optional<Imp>, optional<int>> && !asg<optional<std::string>, optional<std::vector<int>>>);
static_assert(!asg<optional<const int>, int>);
static_assert(con<optional<const int>, int>);
static_assert(std::is_same_v<decltype(optional(3)), optional<int>>);
static_assert(std::is_same_v<decltype(std::make_optional(std::string())), optional<std::string>>);
static_assert(std::is_same_v<decltype(*std::declval<optional<int>>()), int&&>);
static_assert(std::is_nothrow_move_constructible_v<optional<int>>);
constexpr optional<int> three = 3;
static_assert(three == 3 && 3 == three && three != nullopt && three > 2 && *three == 3 && three.value_or(1) == 3);
constexpr optional<int> none;
static_assert(!none && none < three && none == nullopt && !(none > 0) && none <= none && none.value_or(7) == 7);
constexpr optional<int> same = three;
static_assert(same.value() == 3);
struct Wide { int a; long b; };
static_assert(std::is_trivially_copy_constructible_v<optional<Wide>>);
void f(optional<std::string>); void f(optional<std::vector<int>>);
struct Opt { explicit operator bool() const; operator optional<int>() const; };
static_assert(cvt<optional<int>, Opt>);
int use() { optional<std::string> s; s = "x"; s.emplace(3, 'c'); s = {}; s.reset(); optional<std::string> t(std::in_place, {'a', 'b'}); s.swap(t); swap(s, t); f("x");
  std::hash<optional<int>> h; std::unordered_map<optional<int>, int> m; optional<std::unique_ptr<int>> p = std::make_unique<int>(3); auto q = std::move(p); optional<Wide> w{{1, 2}}; return w->a + (*q ? 1 : 0) + int(h(three)); }
struct Incomplete; struct Holds { optional<std::vector<Incomplete>> x; }; struct Incomplete { int y; };
struct NoHash {}; static_assert(std::is_default_constructible_v<std::hash<optional<int>>> && !std::is_default_constructible_v<std::hash<optional<NoHash>>>);
enum class E { a }; optional<E> e = E::a; bool be = e == E::a;
bool bo = optional<bool>(optional<int>(0)).value();
"""
_BROUGHT = ("-isystem", str(LIBRARY))


def _read(flags: Sequence[str], text: str) -> tuple[list[str], bool]:
    """What is wrong with a text, and whether the header that is brought was read."""
    lib = libclang()
    index = lib.createIndex(0, 0)
    path = "/torchtalk_library.cpp"
    try:
        with Parsed(lib, index, path, [*flags, *FLAGS[5:]], [(path, text.encode())]) as parsed:
            _, problems = parsed.problems(20)
            return [f"{p.line}: {p.text}" for p in problems], any(
                name.startswith(str(LIBRARY)) for name in parsed.inclusions()
            )
    finally:
        lib.disposeIndex(index)


@pytest.mark.slow
@pytest.mark.parametrize("brought", [(), _BROUGHT], ids=["machine", "brought"])
def test_an_optional_is_one_with_either(brought: Sequence[str]) -> None:
    flags = ("-x", "c++", "-std=gnu++17", "-w", *brought)
    assert _read(flags, _OPTIONAL) == ([], bool(brought))


@pytest.mark.slow
def test_what_is_no_optional_is_none_with_either() -> None:
    """Each line has an error of its own."""
    wrong = """\
#include <memory>
#include <optional>
#include <string>
std::optional<int&> reference;
std::optional<std::unique_ptr<int>> pointer, copy = pointer;
std::optional<int> text = std::string();
void take(std::optional<std::string>); void call() { take(3); }
bool same = std::optional<std::string>() == 3;
"""
    for brought in ((), _BROUGHT):
        problems, _ = _read(("-x", "c++", "-std=gnu++17", "-w", *brought), wrong)
        assert {p.partition(":")[0] for p in problems} >= {"5", "6", "7", "8"}, problems


@pytest.mark.parametrize("standard", ["gnu++14", "gnu++20", "c++2b"])
def test_another_language_keeps_its_own(standard: str) -> None:
    flags = ("-x", "c++", f"-std={standard}", "-w", *_BROUGHT)
    text = "#include <optional>\n#if __cplusplus > 201703L\nstd::optional<int> x = 3;\nstatic_assert((x <=> x) == 0 || true);\n#endif\n"
    problems, _ = _read(flags, text)
    assert [p for p in problems if "optional" in p] == []
