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
    "c10/core/Crate.h": """
namespace c10 {
struct Crate {
  virtual bool has(const Lot& lot) const;
  virtual void lift(int n);
  virtual void mark(const Weight, void*);
  virtual void turn([[maybe_unused]] Weight weight);
  virtual Lot sum(const Weights& weights);
  virtual void shake(Weight* const weight);
  virtual int weigh() = 0;
  virtual void ship() && = 0;
  void load() { this->weigh(); }
  void send() && { std::move(*this).ship(); }
};
struct Box : Crate {
  int weigh() override;
};
}
""",
    "c10/core/Crate.cpp": """
namespace c10 {
bool Crate::has(const Lot& lot) const { return true; }
void Crate::lift(int n) {}
void Crate::mark(const Weight, void*) {}
void Crate::turn([[maybe_unused]] Weight weight) {}
auto Crate::sum(const Weights& weights) -> Lot { return {}; }
void Crate::shake(Weight* const weight) {}
int Box::weigh() { return 1; }
void Box::ship() && {}
}
""",
    "torch/csrc/Chest.cpp": """
namespace torch {
struct Chest : c10::Crate {
  bool has(const c10::Lot& lot) const override;
  void mark(c10::Weight weight, void* at) override;
  void turn(c10::Weight weight) override;
  c10::Lot sum(const c10::Weights& weights) override;
  void shake(const c10::Weight* weight);
};
bool Chest::has(const c10::Lot& lot) const { return false; }
void Chest::mark(const c10::Weight weight, void* at) {}
void Chest::turn(c10::Weight weight) {}
c10::Lot Chest::sum(const c10::Weights& weights) { return {}; }
void Chest::shake(const c10::Weight* weight) {}
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
        # A namespace, `const` of a value, an attribute and where the returned type stands make no other function.
        ("c10::Crate::has", "torch::Chest::has", "syntax"),
        ("c10::Crate::load", "c10::Box::weigh", "syntax"),
        ("c10::Crate::mark", "torch::Chest::mark", "syntax"),
        ("c10::Crate::send", "c10::Box::ship", "syntax"),
        ("c10::Crate::sum", "torch::Chest::sum", "syntax"),
        ("c10::Crate::turn", "torch::Chest::turn", "syntax"),
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


def test_a_method_that_only_derived_classes_have_is_theirs_on_this(
    conn: sqlite3.Connection,
) -> None:
    found = conn.execute(
        "SELECT caller, callee, kind, line FROM v_calls WHERE file = 'c10/core/Crate.h' ORDER BY line"
    ).fetchall()
    assert [tuple(row) for row in found] == [
        ("c10::Crate::load", "c10::Box::weigh", "virtual", 12),
        ("c10::Crate::send", "c10::Box::ship", "virtual", 13),
    ]
