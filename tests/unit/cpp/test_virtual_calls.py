"""What overrides what, as the text tells it, and where that leads."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
    "c10/core/Shelf.h": """
namespace c10 {
struct Lot { int n; };
struct Shelf {
  virtual void put(const std::string& key, int n);
  virtual int count(c10::Lot& lot) { return 0; }
  virtual void seal() const;
  static int shared(int n);
  static Shelf* open(int n);
  Shelf copy() const;
  int plain(int n) { return n; }
  template <class T> void fill(T t);
  Shelf& operator=(const Shelf& other);
};
struct Middle : Shelf {};
template <class T> struct Rack : Middle {
  void put(const std::string& key, int n) override;
  int count(Lot& lot) override { return 1; }
  int plain(int n) { return n + 1; }
};
struct Narrow : public ::c10::Shelf {
  void put(std::string key) ;
  int count(Lot& lot) override { return 2; }
};
}
""",
    "c10/core/Shelf.cpp": """
namespace c10 {
void Shelf::put(const std::string& key, int n) {}
void Shelf::seal() const {}
Shelf* Shelf::open(int n) { return nullptr; }
Shelf Shelf::copy() const { return *this; }
template <class T> void Shelf::fill(T t) {}
Shelf& Shelf::operator=(const Shelf& other) { return *this; }
template <class T> void Rack<T>::put(const std::string& key, int n) { Shelf::put(key, n); }
void Narrow::put(std::string key) {}
void use(Shelf& shelf) { shelf.put("a", 1); }
}
""",
    "torch/csrc/Drawer.cpp": """
namespace torch {
struct Drawer : c10::Shelf {
  void put(const std::string& key, int n) override;
  void seal() override;
  static Drawer* open(int n);
  Drawer copy() const;
  template <class T> void fill(T t);
  Drawer& operator=(const Shelf& other);
};
void Drawer::put(const std::string& name, int) {}
void Drawer::seal() {}
Drawer* Drawer::open(int n) { return nullptr; }
Drawer Drawer::copy() const { return *this; }
template <class T> void Drawer::fill(T t) {}
}
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("virtual")) as connection:
        yield connection


def test_what_overrides_what(conn: sqlite3.Connection) -> None:
    found = conn.execute(
        "SELECT source, target, origin FROM v_edges WHERE kind = 'virtual' ORDER BY source, target"
    ).fetchall()
    assert [tuple(row) for row in found] == [
        # Of those that say so the types may have another spelling; what says nothing in its class overrides nothing.
        ("c10::Shelf::count", "c10::Narrow::count", "syntax"),
        ("c10::Shelf::count", "c10::Rack::count", "syntax"),
        # Neither definition says anything: name, parameters and the returned type are the same. Not so `seal`, which
        # is not const, `open` and `copy`, which return other types, a template, an assignment, another parameter.
        ("c10::Shelf::put", "c10::Rack::put", "syntax"),
        ("c10::Shelf::put", "torch::Drawer::put", "syntax"),
    ]


def test_who_calls_the_base_may_run_what_overrides_it(conn: sqlite3.Connection) -> None:
    lines = text(conn, "called_by", name="torch::Drawer::put")
    assert lines[2:4] == [
        "  virtual:",
        "    c10::Shelf::put  c10/core/Shelf.cpp:3  at torch/csrc/Drawer.cpp:11  [syntax]",
    ]
    reached = text(conn, "impact", name="torch::Drawer::put")
    assert any(line.startswith("1  c10::use  ") for line in reached)
