"""What a name means for its arguments' sake, beside what the scopes around have ([basic.lookup.argdep])."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_overloads import called

VECTORS = """namespace vec {
template <typename T> struct Vectorized { T values; };
template <typename T> Vectorized<T> maximum(const Vectorized<T>& a, const Vectorized<T>& b) { return a; }
template <typename To, typename T> To convert(const Vectorized<T>& a) { return To(); }
struct Env { int size; };
int format(const char* text, Env& env) { return 1; }
int whole(int number) { return 1; } }
"""
OWN = """namespace native {
struct Pair { int first; };
inline Pair maximum(const Pair& a, const Pair& b) { return a; }
inline Pair convert(const Pair& a) { return a; }
void format(Pair& stack, int inputs) { }
int whole(long number) { return 2; }
struct Held { int maximum(const Pair& a, const Pair& b) { return 1; }
int biggest(const Pair& a) { return maximum(a, a); } };
}
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        # One of the two types may be an argument's: neither is sure.
        ("maximum(a, b)", [("native.h", 3), ("vec.h", 3)]),
        ("format(text, env)", [("native.h", 5), ("vec.h", 6)]),
        # Nothing there is of the namespace's own type, or takes so many.
        ("whole(1)", [("native.h", 6)]),
        ("maximum(a)", []),
        # The first parameter of that template no argument tells, and a qualified name is looked for there alone.
        ("convert(a)", [("native.h", 4)]),
        ("native::maximum(a, b)", [("native.h", 3)]),
        ("maximum<float>(a, b)", [("native.h", 3)]),
    ],
)
def test_arguments_types_may_mean_another_function(
    monkeypatch: pytest.MonkeyPatch, call: str, found: list[tuple[str, int]]
) -> None:
    files = {
        "vec.h": VECTORS,
        "native.h": OWN,
        "z.cpp": f"namespace native {{ void use() {{ {call}; }} }}\n",
    }
    rows = called(monkeypatch, files, "native::use")
    assert [(path, line) for _, path, line, _ in rows] == found
    assert {kind for *_, kind in rows} <= {"candidate" if len(found) > 1 else "call"}


def test_a_method_hides_what_arguments_types_have(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = called(monkeypatch, {"vec.h": VECTORS, "native.h": OWN}, "native::Held::biggest")
    assert rows == [(8, "native.h", 7, "call")]


def test_what_a_function_gives_that_arguments_types_have(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "core.h": "namespace c10 { struct Device { int type() { return 1; } };\n"
        "struct Options { int dtype(int d) { return 1; } };\n"
        "inline Options device(Device d) { return Options(); } }\n",
        "other.h": "namespace other { struct Value { int dtype(int d) { return 2; } }; }\n",
        "z.cpp": "struct Weight { void use(); };\nvoid Weight::use() { device(d).dtype(1); }\n",
    }
    rows = called(monkeypatch, files, "Weight::use")
    assert [(path, line) for _, path, line, _ in rows] == [("core.h", 2), ("core.h", 3)]
