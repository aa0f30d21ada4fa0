"""What tests of googletest call of their fixtures, whose classes the macros derive from."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_call_names import edges

FIXTURE = b"""
struct Engine { int start() { return 1; } };
struct Rival { int start() { return 2; } };
namespace n {
class Base { public: int prepared() { return 1; } Engine engine; };
class Fixture : public Base { public: int checked(int a) { return a; } };
class Other { public: int checked(int a) { return a; } int prepared() { return 2; } Rival engine; };
template <class T> class Typed : public Fixture { public: int told() { return 3; } };
}
"""


@pytest.mark.parametrize("macro", ["TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"])
def test_a_test_has_what_its_fixture_and_that_s_bases_have(
    monkeypatch: pytest.MonkeyPatch, macro: str
) -> None:
    test = b"namespace n {\n%s(Fixture, Works) {\n  prepared();\n  this->checked(engine.start());\n}\n}\n"
    found = edges(monkeypatch, a_h=FIXTURE, z_cpp=test % macro.encode())
    assert sorted(set(found)) == [
        ("n::Fixture_Works_Test::TestBody", "Engine::start"),
        ("n::Fixture_Works_Test::TestBody", "n::Base::prepared"),
        ("n::Fixture_Works_Test::TestBody", "n::Fixture::checked"),
    ]


def test_a_template_s_members_are_found_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    test = b"namespace n {\nTYPED_TEST(Typed, Works) { this->told(); this->prepared(); }\n}\n"
    found = edges(monkeypatch, a_h=FIXTURE, z_cpp=test)
    assert sorted(set(found)) == [
        ("n::Typed_Works_Test::TestBody", "n::Base::prepared"),
        ("n::Typed_Works_Test::TestBody", "n::Typed::told"),
    ]


def test_a_test_without_a_fixture_has_no_class_s_members(monkeypatch: pytest.MonkeyPatch) -> None:
    # The first name of `TEST` is a suite's, even where a class is called so.
    test = b"namespace n {\nTEST(Fixture, Works) { prepared(); }\n}\n"
    assert edges(monkeypatch, a_h=FIXTURE, z_cpp=test) == []
