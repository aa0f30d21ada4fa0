"""Which of several functions of one name a call can mean."""

from __future__ import annotations

import sqlite3
from importlib import import_module

import pytest

from indexer.workers import WorkerPool
from tests.unit.cpp.test_calls import SOURCES, linked


def called(
    monkeypatch: pytest.MonkeyPatch, files: dict[str, str], caller: str = "use"
) -> list[tuple[int, str, int, str]]:
    """Line of the call, file and line of what is called, and the kind, of each call of one function."""
    for path, text in files.items():
        monkeypatch.setitem(SOURCES, path, text.encode())
    return rows(linked(), caller)


def rows(conn: sqlite3.Connection, caller: str = "use") -> list[tuple[int, str, int, str]]:
    found = conn.execute(
        "SELECT c.line, f.path, u.line, c.kind FROM calls AS c JOIN functions AS u ON u.id = c.callee_id"
        " JOIN source_files AS f ON f.id = u.file_id JOIN functions AS w ON w.id = c.caller_id"
        " WHERE w.name = ? ORDER BY 1, 2, 3",
        (caller,),
    )
    return found.fetchall()


DEVICE = """struct Device {
  Device(int type, int index = -1) {}
  explicit Device(const char* text);
};
"""


def test_default_values_make_room_beside_an_exact_number(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "Device::Device(const char* text) {}\nvoid use() { auto d = Device(kCPU);\n Device e(1, 2); }\n"
    assert called(monkeypatch, {"d.h": DEVICE, "d.cpp": source}) == [
        (2, "d.cpp", 1, "candidate"), (2, "d.h", 2, "candidate"), (3, "d.h", 2, "constructor"),
    ]  # fmt: skip


def test_what_is_defined_in_its_class_has_no_other_default_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """struct Err { Err() = default;
  Err(const Err& other) {}
  Err(Err&& other) {} };
struct Log { std::string join(int a, const char* sep = ", ") { return ""; } };
void use(Log& log) { throw Err();
  log.join(1);
  log.join(); }
"""
    assert called(monkeypatch, {"e.h": text}) == [(6, "e.h", 4, "call")]


def test_a_declaration_elsewhere_may_give_default_values(monkeypatch: pytest.MonkeyPatch) -> None:
    header = (
        "inline void tell(int a, bool b = true, int c = 0) {}\nvoid tell(char a, int b, int c);\n"
    )
    source = "void tell(char a, int b, int c) {}\n"
    user = "void use() { tell(1);\n tell(1, 2, 3); }\n"
    assert called(monkeypatch, {"t.h": header, "t.cpp": source, "u.cpp": user}) == [
        (1, "t.cpp", 1, "candidate"), (1, "t.h", 1, "candidate"),
        (2, "t.cpp", 1, "candidate"), (2, "t.h", 1, "candidate"),
    ]  # fmt: skip


def test_what_an_override_leaves_out_its_base_may_give(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """struct Base { virtual void go(int a = 1) = 0; };
struct Derived : Base { void go(int a) override {} };
void use(Base& base) { base.go(); }
"""
    assert called(monkeypatch, {"v.h": text}) == [(3, "v.h", 2, "virtual")]


def test_one_class_s_number_of_arguments_says_nothing_of_another_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """struct Graph { int insert_it(int a, int b = 2) { return 1; } };
struct Code { int insert_it(int a) { return 1; } };
void use() { auto graph = make(); graph->insert_it(1); }
"""
    assert called(monkeypatch, {"g.h": text}) == [
        (3, "g.h", 1, "candidate"),
        (3, "g.h", 2, "candidate"),
    ]


def test_a_using_declaration_stands_beside_overloads(monkeypatch: pytest.MonkeyPatch) -> None:
    header = """namespace c { inline int wrap(int a, int b) { return 1; } }
namespace a { using c::wrap;
inline int wrap(int a, List b) { return 1; } }
namespace a { void use() { wrap(1, 2);
 a::wrap(1, 2); } }
"""
    assert called(monkeypatch, {"w.h": header}, "a::use") == [
        (4, "w.h", 1, "candidate"), (4, "w.h", 3, "candidate"),
        (5, "w.h", 1, "candidate"), (5, "w.h", 3, "candidate"),
    ]  # fmt: skip


def test_what_a_using_declaration_adds_is_another_overload(monkeypatch: pytest.MonkeyPatch) -> None:
    header = """namespace c { inline int wrap(int a, int b) { return 1; } }
namespace a { using c::wrap;
inline int wrap(int a, List b) { return 1; }
void use() { wrap(1, 2); make().go(1); } }
"""
    classes = """namespace a { struct One { int go(int a) { return a; } };
struct Two { int go(int a) { return a; } }; }
"""
    monkeypatch.setitem(SOURCES, "v.h", classes.encode())
    monkeypatch.setitem(SOURCES, "w.h", header.encode())
    conn = linked()
    import_module("indexer.link.47_ambiguous_calls").link(conn, WorkerPool(0))
    unsure = conn.execute(
        "SELECT name FROM ambiguous_calls JOIN functions ON id = callee_id ORDER BY 1"
    ).fetchall()
    assert unsure == [("a::One::go",), ("a::Two::go",)]


def test_overloads_for_const_and_moved_objects_are_no_specializations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """struct V { int to() & { return 1; }
  int to() const& { return 1; }
  int to() && { return 1; } };
struct W { int to() { return 1; }
  int to() const { return 1; } };
void use() { auto v = make(); v.to(); }
"""
    assert [line for _, _, line, _ in called(monkeypatch, {"q.h": text})] == [1, 2, 3, 4, 5]


def test_of_many_specializations_the_common_header_s_comes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {
        f"vec/{n}/x.h": f"template <> struct Vec<T{n}> {{ T{n} both(T{n} a) {{ return a; }} }};\n"
        for n in range(9)
    }
    files["vec/zbase.h"] = "template <typename T> struct Vec { T both(T a) { return a; } };\n"
    files["vec/user.h"] = "void use(Vec<T> v) { v.both(1); }\n"
    found = called(monkeypatch, files)
    assert len(found) == 8
    assert (1, "vec/zbase.h", 1, "candidate") in found


def test_what_fits_is_asked_again_for_a_file_that_has_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The same functions are found from each of these, with as many arguments.
    pick = "namespace n { inline int pick_one(int a) { return a; } }\n"
    for path in ("p/a.h", "p/b.h"):
        monkeypatch.setitem(
            SOURCES, path, f"{pick}void n::use_{path[2]}() {{ pick_one(1); }}\n".encode()
        )
    for path in ("o.h", "p/ab.h", "q.h"):
        name = path.rpartition("/")[2][:-2]
        monkeypatch.setitem(SOURCES, path, f"void n::use_{name}() {{ pick_one(1); }}\n".encode())
    conn = linked()
    both = [(1, "p/a.h", 1, "candidate"), (1, "p/b.h", 1, "candidate")]
    assert [rows(conn, f"n::use_{name}") for name in ("o", "ab", "q")] == [both] * 3
    assert rows(conn, "n::use_a") == [(2, "p/a.h", 1, "call")]
    assert rows(conn, "n::use_b") == [(2, "p/b.h", 1, "call")]


HIDDEN = """namespace x { struct Server : Handle { void accept_it(int socket) { open(socket); } };
struct Client : Visitor { void accept_it(int socket) override {} }; }
"""


def test_a_class_that_another_source_file_has_to_itself_is_not_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = (
        "namespace x { struct Handle {}; struct Visitor { virtual void accept_it(int a) = 0; }; }\n"
    )
    user = "void use() { auto visitor = make(); visitor->accept_it(1); }\n"
    files = {"base.h": base, "server.cpp": HIDDEN, "user.cpp": user}
    assert called(monkeypatch, files) == [(1, "server.cpp", 2, "candidate")]


@pytest.mark.parametrize(
    "path", ["test/edge/v.h", "aten/test/v.h", "qnnpack/bench/v.h", "v_test.cpp"]
)
def test_the_library_calls_nothing_of_tests(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    of_test = "struct EValue { int to_int() { return 1; } };\nint helper_of(int a) { return a; }\n"
    own = "struct IValue { int to_int() { return 1; } };\n"
    user = "void use() { make().to_int();\n helper_of(1); }\n"
    files = {path: of_test, "ivalue.h": own, "user.cpp": user}
    assert called(monkeypatch, files) == [(1, "ivalue.h", 1, "candidate")]
    files = {"test/own.cpp": user.replace("use", "use_in_test")}
    assert (2, path, 2, "call") in called(monkeypatch, files, "use_in_test")


def test_what_is_built_without_cuda_sees_no_cuda_header(monkeypatch: pytest.MonkeyPatch) -> None:
    common = "inline int gcd_of(int a, int b) { return a; }\n"
    device = "namespace at::native { inline int gcd_of(int a, int b) { return a; }\n"
    device += "struct Divider { int div_it(int a) { return a; } }; }\n"
    user = "namespace at::native { void use() { gcd_of(1, 2);\n make().div_it(1); } }\n"
    files = {"Math.h": common, "native/cuda/Math.cuh": device, "native/cpu/user.cpp": user}
    assert called(monkeypatch, files, "at::native::use") == [(1, "Math.h", 1, "call")]
    files = {"native/cuda/user.cpp": user.replace("use()", "use_gpu()")}
    assert called(monkeypatch, files, "at::native::use_gpu") == [
        (1, "native/cuda/Math.cuh", 1, "call"), (2, "native/cuda/Math.cuh", 2, "candidate"),
    ]  # fmt: skip


def test_what_few_include_may_not_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "div.h": "namespace a { inline C10_HOST_DEVICE int div(int n) { return n; } }\n",
        "Scan.cuh": "namespace a { namespace n { inline int div(int n) { return n; }\n"
        "int scan(int n) { return div(n); } } }\n",
        "n/hip/adapter.h": "namespace a { namespace n { inline int div(int n) { return n; } } }\n",
        # What is inline in a source file is no other's.
        "Own.cu": "namespace a { namespace n { __forceinline__ int div(int n) { return n; }\n"
        "int own() { return div(1); } } }\n",
        "Use.cu": "namespace a { namespace n { int use() { return div(1); } } }\n",
    }
    for path, text in files.items():
        monkeypatch.setitem(SOURCES, path, text.encode())
    conn = linked()
    assert rows(conn, "a::n::use") == [
        (1, "Scan.cuh", 1, "candidate"), (1, "div.h", 1, "candidate"), (1, "n/hip/adapter.h", 1, "candidate"),
    ]  # fmt: skip
    assert rows(conn, "a::n::own") == [(2, "Own.cu", 1, "call")]
    assert rows(conn, "a::n::scan") == [(2, "Scan.cuh", 1, "call")]


def test_what_only_the_arguments_lead_to_is_a_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "c10.h": "namespace c10 { inline bool isFloatingType(ScalarType t) { return t; }\n"
        "inline bool plain(int n) { return n; }\ntemplate <class T> bool any(T t) { return t; } }\n",
        "use.cpp": "namespace torch { void use() { isFloatingType(kFloat); plain(1); any(kFloat);\n"
        "isFloatingType(); } }\n",
    }
    assert called(monkeypatch, files, "torch::use") == [(1, "c10.h", 1, "candidate")]


NODE = """struct Schema {};
struct Node { bool matches(const Schema& schema); bool matches(const char* text, Names names = {});
  void split(int n); void split(int n, int* rest);
  void into(int n); void into(long n, int& out);
  template <typename... Args> Node on(Args&&... args) { return *this; }
  Node on(Device device) { return *this; } Node on() { return *this; } };
"""


def test_as_many_parameters_as_arguments_are_not_all_that_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {
        "node.h": NODE,
        "node.cpp": "bool Node::matches(const Schema& schema) { return false; }\n"
        "bool Node::matches(const char* text, Names names) { return true; }\n"
        "void Node::split(int n) {}\nvoid Node::split(int n, int* rest) {}\n"
        "void Node::into(int n) {}\nvoid Node::into(long n, int& out) {}\n",
        "use.cpp": 'void use(Node& node) { node.matches("a::b()");\n'
        "node.split(1);\nnode.on(kCUDA);\nnode.on();\nnode.into(1); }\n",
    }
    assert called(monkeypatch, files) == [
        (1, "node.cpp", 1, "candidate"), (1, "node.cpp", 2, "candidate"),
        # With a default value neither overload of `split` could be called so.
        (2, "node.cpp", 3, "call"),
        (3, "node.h", 5, "candidate"), (3, "node.h", 6, "candidate"),
        (4, "node.h", 6, "call"),
        # What is written to is always given.
        (5, "node.cpp", 5, "call"),
    ]  # fmt: skip


def test_template_arguments_are_given_to_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """struct Base { void* data() const { return p; }
  template <class T> T* data() const { return p; } };
void go(int a) {}
template <class T> void go(T a) {}
template <class T> struct Made { Made(int a) {} };
void use(Base& base) { base.data<int>();
  go<long>(1);
  Made<int>(2);
  go   (1); }
"""
    kernels = """__global__ void run(int a) {}
template <class T> __global__ void run(T a) {}
void use() { run<<<1, 2>>>(1); }
"""
    assert called(monkeypatch, {"b.cu": kernels}) == [
        (3, "b.cu", 1, "candidate"), (3, "b.cu", 2, "candidate"),
    ]  # fmt: skip
    monkeypatch.delitem(SOURCES, "b.cu")
    assert called(monkeypatch, {"b.h": text}) == [
        (6, "b.h", 2, "call"), (7, "b.h", 4, "call"), (8, "b.h", 5, "constructor"),
        (9, "b.h", 3, "candidate"), (9, "b.h", 4, "candidate"),
    ]  # fmt: skip


def test_what_overrides_a_method_hands_its_arguments_on_to_the_base_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds = [f"T{number}" for number in range(12)]
    base = "\n".join(f"  virtual void visit(const {kind}& v) {{}}" for kind in kinds)
    text = f"""struct Visitor {{
{base}
}};
struct Checks : Visitor {{
  void visit(const T11& v) {{ Visitor::visit(v); }}
  void other(const T3& v) {{ Visitor::visit(v); }}
  void both(int a) {{}}
  void both(long a, int b) {{ Checks::both(a); }}
}};
"""
    assert called(monkeypatch, {"v.h": text}, "Checks::visit") == [(16, "v.h", 13, "virtual")]
    # What another one calls may be any of them.
    kinds_of_other = {row[3] for row in rows(linked(), "Checks::other")}
    assert kinds_of_other == {"candidate"}
    assert rows(linked(), "Checks::both") == [(19, "v.h", 18, "call")]


@pytest.mark.parametrize("path", ["aten/src/ATen/Sdp.cpp", "c10/core/Sdp.cpp"])
def test_a_lower_library_calls_no_method_of_one_made_with_it(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """`mha_graph->execute(…)` of cuDNN's frontend (aten/src/ATen/native/cudnn/MHA.cpp) is no DistEngine's."""
    engine = "struct DistEngine { int execute_all(int a) { return a; } };\n"
    plain = "struct Plan { int run_it(int a) { return a; } };\n"
    user = "void use() { auto g = made(); g->execute_all(1);\n g->run_it(1); }\n"
    files = {
        "torch/csrc/engine.h": engine,
        "aten/src/ATen/Plan.h": plain,
        path: user,
        "torch/csrc/Own.cpp": user.replace("use()", "own()"),
        "aten/src/ATen/test/sdp_test.cpp": user.replace("use()", "tried()"),
    }
    assert called(monkeypatch, files) == [(2, "aten/src/ATen/Plan.h", 1, "candidate")]
    both = [
        (1, "torch/csrc/engine.h", 1, "candidate"),
        (2, "aten/src/ATen/Plan.h", 1, "candidate"),
    ]
    assert called(monkeypatch, files, "own") == both
    assert called(monkeypatch, files, "tried") == both
