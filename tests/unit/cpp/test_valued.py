"""Variables of namespaces and data members for whose values something is called: who calls that."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.extract.cpp.structure import scan
from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_PATH = "torch/csrc/jit/ops.cpp"
_TEXT = """\
#include <ATen/ATen.h>
namespace torch::jit {
int made(int n) { return n; }
int used(int n) { return n; }
void pack(int n) {}
Tensor shape(const Tensor& x) { return x; }
struct Registry { static int of_class; Registry(int n) {} int own = made(1); };
static const auto plain = made(1);
int Registry::of_class = used(2);
static const std::vector<std::pair<int, Args>> listed{
    Args("prim::pack", [](Stack& stack) {
      pack(3);
      at::relu(x);
    }),
};
RegisterOperators reg({
    Operator("prim::used", [](Stack& stack) { pack(used(4)); }),
});
static PyMethodDef methods[] = {{"made", cast(made), METH_VARARGS, nullptr}};
int declared(int n = made(5));
#define REGISTER_OP(name, n) \\
  int made_##name(int x) { return used(x); } static Registerer g_##name = registerer(n);
REGISTER_OP(first, 3);
using Kept = decltype(made(6));
std::function<int(int)> empty;
const char* kernel = stringify(
    template <typename T> T used(T n) { return pack(n); });
template <typename T> constexpr int sized = used(7);
} // namespace torch::jit
"""
_RELU = "- func: relu(Tensor self) -> Tensor\n  dispatch:\n    CPU: relu\n"


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    files = {
        "aten/src/ATen/native/native_functions.yaml": _RELU,
        "aten/src/ATen/native/tags.yaml": "[]\n",
        _PATH: _TEXT,
    }
    with indexed(files, tmp_path_factory.mktemp("valued")) as connection:
        yield connection


def test_what_makes_a_value_is_called_by_the_variable(conn: sqlite3.Connection) -> None:
    found = conn.execute(
        "SELECT c.caller, u.line, c.callee, c.line FROM v_calls AS c JOIN v_functions AS u ON u.id = c.caller_id"
        " WHERE u.kind = 'variable' ORDER BY c.line, c.callee"
    )
    space = "torch::jit::"
    assert [tuple(row) for row in found] == [
        (f"{space}Registry::own", 7, f"{space}made", 7),
        (f"{space}plain", 8, f"{space}made", 8),
        (f"{space}Registry::of_class", 9, f"{space}used", 9),
        (f"{space}listed", 10, f"{space}pack", 12),
        (f"{space}reg", 16, f"{space}pack", 17),
        (f"{space}reg", 16, f"{space}used", 17),
    ]
    made = conn.execute("SELECT name FROM functions WHERE origin = 'macro'").fetchall()
    assert [tuple(row) for row in made] == [(f"{space}made_first",)]
    assert "relu" in "\n".join(text(conn, "calls", name=f"{space}listed"))
    assert any(f"{space}listed  {_PATH}:10  at {_PATH}:12" in line
               for line in text(conn, "called_by", name="torch::jit::pack"))  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("static bool once = f();", "once"),
        ("thread_local auto held = std::make_shared<A>(1);", "held"),
        ("Reg r({Op(1)});", "r"),
        ('Reg r("name", f(1));', "r"),
        ("const std::map<int, B<C>> m{{1, f(2)}};", "m"),
        ("int A::counted = f();", "A::counted"),
        ("static const char* names[N] = {f(1)};", "names"),
        ('Reg r("name", made_by_hand);', "r"),
        ('Reg r("name", n::made_by_hand);', "r"),
        ('Reg r("name", short_);', "r"),
        ("std::map<Text, Made> made{{A, &B::set}, {C, &D::set}};", "made"),
        ("std::map<Text, int> kept{{A, B::value}};", None),
        ("Reg r(Kind::CPU, made_by_hand);", "r"),
        ("int f(Kind::Cpu, made_by_hand);", None),
        ('int f("name", short_);', None),  # of no class, and of most such it is no function's name
        ('std::Text t("name");', None),
        ("A a(&made);", "a"),
        ("a::A<B> a(new C());", "a"),
        ("A a(B& b);", None),
        ("struct A { A(int n = 0); };\nstatic A a;", "a"),
        ("struct A { void f(); };\nstatic A a;", None),
        ("struct A { A(); };\nA* a;", None),
        ("#include <a.h>\nstatic auto& lib = Library::get();", "lib"),
        ("#ifdef A\n#define B \\\n  c\nint x = f();\n#endif", "x"),
        ("#if A\nconst bool b = true;\n#else\nconst bool b = g();\n#endif", "b"),
        ("#if A\nstruct B {\n  B() { f(); }\n};\n#else\nconst bool b = true;\n#endif", "B"),
        (
            "#if A\nstruct B {\n  B() { f(); }\n};\n#else\nstruct B { B(int x = f()) {} };\n#endif",
            "BB",
        ),
        ("#if A\nint b[] = {\n#ifdef X\n  f(),\n#else\n  g(),\n#endif\n};\n#endif", "b"),
        ("Reg r(f());", None),  # a function, if `f` is a type
        ("REGISTER(a, f(1));", None),
        ("A& operator=(const A& a);", None),
        ("A f(int a = g());", None),
        ("static int x = 3;", None),
        ("const auto s = text(T spin(T x) { return f(x); });", None),
        ("auto s = call(a, [](T x) { return f(x); });", "s"),
        ("x = f();", None),
        ("typedef A (*B)(int a);", None),
        ("extern A a;", None),
    ],
)
def test_what_is_such_a_variable(statement: str, name: str | None) -> None:
    found = scan(f"namespace n {{\n{statement}\n}}\n".encode()).functions
    assert "".join(function.head.name for function in found) == (name or "")
    if "struct" in statement:
        return
    # In a class a bracket is a function's, where no value begins before it.
    is_valued = "(" in statement and any(sign in statement.partition("(")[0] for sign in "={")
    found = scan(f"struct S {{\n public:\n{statement}\n}};\n".encode()).functions
    assert "".join(function.head.name for function in found) == (name or "" if is_valued else "")


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ('private: const P p = P::parse(R"(x)");', "p"),
        ("static constexpr auto zero = std::chrono::milliseconds::zero();", "zero"),
        ("T size_{stack.size()};", "size_"),
        ("public:\n using F = std::function<int(int)>;", None),
        ("protected: typedef A (*B)(int a);", None),
        ("virtual int f(int a = g()) = 0;", None),
        ("X& operator=(X&&) = delete;", None),
        ("int plain = 3;", None),
    ],
)
def test_what_is_such_a_member(statement: str, name: str | None) -> None:
    found = scan(f"struct S {{\n{statement}\n}};\n".encode()).functions
    assert "".join(function.head.name for function in found) == (name or "")


def test_what_a_variable_is_made_with_may_be_functions(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": _RELU,
        "torch/csrc/jit/lists.cpp": "namespace torch::jit {\nvoid cut(Stack& s) {}\nvoid slice(Stack& s) {}\n"
        "template <class T> void least(Stack& s) {}\nvoid named_last(Stack& s) {}\nint stack() { return 1; }\n}\n",
        _PATH: """\
namespace torch::jit {
void slice(Stack& s);
#define LEAST_OF(type) Args("aten::least." type, least<Value>, made())
#define OF_TYPE(type, handed, ...)                             \\
  Args("aten::slice." type, [](Stack& stack) { slice(stack); }), \\
  Args("aten::more." type,                                     \\
      slice, handed),                                          \\
  LEAST_OF(type)
static const std::vector<Args> of_types{
    OF_TYPE("int", named_last),
    OF_TYPE("bool", named_last),
#define IN_PLACE(type)                         \\
  Args("aten::least." type,                    \\
      least<Value>,                            \\
      made())
    IN_PLACE("int"),
};
void used() { OF_TYPE("int", slice); }
static const std::vector<Args> entries{
    Args(
        "aten::slice", slice, made()),
    Args("aten::least", least<int>, made()),
    Args("aten::own", [](Stack& stack) { push(stack, slice); }, made()),
    Args("aten::cut", cut),
};
#ifdef USE_LAST
static Register last("named", named_last);
#endif
}
""",
    }
    with indexed(files, tmp_path) as conn:
        found = conn.execute(
            "SELECT caller, line, callee, kind FROM v_calls WHERE file = ? ORDER BY line, callee, kind",
            (_PATH,),
        ).fetchall()
    space = "torch::jit::"
    assert [tuple(row) for row in found] == [
        # What a macro of the file makes it with stands at the macro's first use; a function has variables of its own.
        (f"{space}of_types", 10, f"{space}least", "reference"),
        (f"{space}of_types", 10, f"{space}named_last", "reference"),
        (f"{space}of_types", 10, f"{space}slice", "call"),
        (f"{space}of_types", 10, f"{space}slice", "reference"),
        (f"{space}of_types", 11, f"{space}named_last", "reference"),
        (f"{space}of_types", 11, f"{space}slice", "call"),
        (f"{space}of_types", 14, f"{space}least", "reference"),
        (f"{space}used", 18, f"{space}slice", "call"),
        (f"{space}entries", 21, f"{space}slice", "reference"),
        (f"{space}entries", 22, f"{space}least", "reference"),
        (f"{space}last", 27, f"{space}named_last", "reference"),
    ]


def test_a_variable_calls_the_constructor_that_makes_it(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": _RELU,
        "torch/csrc/jit/register.h": "namespace torch::jit {\nstruct Hooks {};\nstruct Register {\n"
        "  Register(const Hooks* hooks) {}\n  Register(const char* name, int (*made)(int)) {}\n};\n}\n",
        _PATH: """\
namespace torch::jit {
int made_by_hand(int n) { return n; }
static Hooks hooks;
Register first(&hooks);
static const Register second{"second", made_by_hand};
std::unique_ptr<Register> third{make(3)};
Register* fourth{make(4)};
Register fifth = make(5);
struct Once { Once() {} };
static Once once;
struct Never { int n; };
static Never never;
struct Holder { Register held_{made(6)}; };
static void plain_hook(int n) {}
std::atomic<Hook> hook{plain_hook};
static Hook other = plain_hook;
static Hook none = another_hook;
void ended(PyObject* self) {}
static PyObject* shown(PyObject* self) { return self; }
static PyTypeObject Kind = {
    PyVarObject_HEAD_INIT(nullptr, 0) "torch._C.Kind", sizeof(Kept), 0,
    (destructor)ended, /* tp_dealloc */
    0, nullptr, nullptr, nullptr,
    (reprfunc)shown, /* tp_repr */
};
static PyTypeObject Bare = {PyVarObject_HEAD_INIT(nullptr, 0) "torch._C.Bare"};
}
""",
    }
    with indexed(files, tmp_path) as conn:
        found = conn.execute(
            "SELECT c.caller, c.line, u.line FROM v_calls AS c JOIN v_functions AS u ON u.id = c.callee_id"
            " WHERE c.file = ? AND c.kind = 'constructor' ORDER BY c.line",
            (_PATH,),
        ).fetchall()
        named = conn.execute(
            "SELECT caller, line, callee FROM v_calls WHERE file = ? AND kind = 'reference' AND line > 13 ORDER BY line",
            (_PATH,),
        ).fetchall()
    space = "torch::jit::"
    assert [tuple(row) for row in found] == [
        (f"{space}first", 4, 4),
        (f"{space}second", 5, 5),
        (f"{space}once", 10, 9),
        (f"{space}Holder::held_", 13, 4),
    ]
    # What Python finds in a type is bound; of the rest only CPython knows.
    assert [tuple(row) for row in named] == [
        (f"{space}hook", 15, f"{space}plain_hook"),
        (f"{space}other", 16, f"{space}plain_hook"),
        (f"{space}Kind", 22, f"{space}ended"),
    ]
