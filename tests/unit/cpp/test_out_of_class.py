"""Members that are defined outside of their class: the name is that of the class which the qualifier means."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_call_names import linked_with

HEADER = b"""
namespace n { namespace part { struct Held { int size(); }; }
struct Net { int run(); Net(); struct Inner { int go(); }; };
template <class T> struct List { void grow(T x); };
namespace Pool { struct Pool { void own(); }; } }
"""


@pytest.mark.parametrize(
    ("source", "found"),
    [
        # The qualifier is looked up outwards from where it stands.
        (b"namespace n { namespace part { int part::Held::size() { return 1; } } }", "n::part::Held::size"),
        (b"namespace n { namespace part { int Held::size() { return 1; } } }", "n::part::Held::size"),
        # A class has its own name in it.
        (b"namespace n { int Net::Net::run() { return 1; } }", "n::Net::run"),
        (b"namespace n { int Net::\n    Net::Inner::go() { return 1; } }", "n::Net::Inner::go"),
        # A namespace that the file uses.
        (b"using namespace n;\ntemplate <class T> void List<T>::grow(T x) { }", "n::List::grow"),
        (b"using namespace n;\nNet::Net() { }", "n::Net::Net"),
        # A namespace may be called like a class of its own.
        (b"namespace n { namespace Pool { void Pool::own() { } } }", "n::Pool::Pool::own"),
        (b"namespace n { void Pool::Pool::own() { } }", "n::Pool::Pool::own"),
        # What no class of the tree has stays as it is written.
        (b"namespace n { namespace part { int part::Lost::size() { return 1; } } }", "n::part::part::Lost::size"),
        (b"int Net::run() { return 1; }", "Net::run"),
    ],
)  # fmt: skip
def test_names_of_members(monkeypatch: pytest.MonkeyPatch, source: bytes, found: str) -> None:
    conn = linked_with(monkeypatch, a_h=HEADER, b_cpp=source)
    query = "SELECT u.name FROM functions AS u JOIN source_files AS f ON f.id = u.file_id WHERE f.path GLOB '*b.cpp'"
    assert conn.execute(query).fetchall() == [(found,)]
