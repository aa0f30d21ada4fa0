"""The forms in which people write names, which every tool takes alike."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.names_tree import FILES, IMPL, METHODS, NATIVE, TWIST, WEAVE, YAML
from tests.unit.support.small_tree import indexed
from torchtalk.names import resolve
from torchtalk.names.signatures import taking
from torchtalk.names.written import plain
from torchtalk.tools.walks import seeds

GRAPH = ("calls", "called_by", "impact")


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("names")) as connection:
        yield connection


@pytest.mark.parametrize("tool", GRAPH)
@pytest.mark.parametrize("name", ["torch.mm", "Tensor.mm", "torch.Tensor.mm", "torch.ops.aten.mm"])
def test_a_name_with_the_suffix_of_a_file_is_a_name(
    conn: sqlite3.Connection, tool: str, name: str
) -> None:
    assert "aten::mm" in {subject.name for subject in ask(conn, tool, name=name).subjects}


def test_before_the_first_and_behind_the_last_line_of_a_file_is_nothing(
    conn: sqlite3.Connection,
) -> None:
    for line, said in ((0, "stands there"), (99_999, "and no line 99999")):
        answer = ask(conn, "impact", name=f"{WEAVE}:{line}")
        assert said in answer.finding
        assert not answer.subjects


def test_a_file_is_meant_where_there_is_one_or_nothing_else_fits(conn: sqlite3.Connection) -> None:
    assert seeds.find(conn, "Weave.cpp").what == WEAVE
    assert seeds.find(conn, "quantized/Weave.mm").what == f"{NATIVE}/quantized/Weave.mm"
    assert seeds.find(conn, "Nothing.cpp").notes == ("no file of this index is called Nothing.cpp",)
    assert "file" not in " ".join(text(conn, "calls", name="torch.nothing.mm"))


@pytest.mark.parametrize("root", ["/home/somebody/pytorch/", "/", "./", "checkout/"])
def test_a_path_of_another_checkout_is_the_file_of_the_tree(
    conn: sqlite3.Connection, root: str
) -> None:
    for line in ("", ":6", ":6:3"):
        found = seeds.find(conn, f"{root}{WEAVE}{line}")
        assert found.what == WEAVE + (":6" if line else "")
        assert found.nodes
    assert not seeds.find(conn, "/usr/lib/version.txt").nodes


@pytest.mark.parametrize("tool", ["trace", "compile_path"])
def test_what_is_about_operators_says_that_a_file_is_none(
    conn: sqlite3.Connection, tool: str
) -> None:
    assert ask(conn, tool, name="Weave.cpp").finding.startswith(f"{WEAVE} is a file: ask calls")
    said = "no function" if tool == "trace" else "is a file"  # trace shows what stands in a line
    assert said in ask(conn, tool, name=f"/a/b/{WEAVE}:{1 if tool == 'trace' else 6}").finding
    assert ask(conn, tool, name="Nothing.cpp").finding.startswith("nothing in this index")


def test_a_bound_name_without_an_operator(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "trace", name="torch.Tensor.numel")
    assert answer.finding == (
        "torch.Tensor.numel is C++ without an operator, bound as torch._C.TensorBase.numel"
    )
    assert answer.elsewhere == (f"torch::autograd::THPVariable_numel  {METHODS}:4",)
    for tool in GRAPH:
        public = ask(conn, tool, name="torch.Tensor.numel")
        bound = ask(conn, tool, name="torch._C.TensorBase.numel")
        assert public.subjects == bound.subjects != ()
        assert (
            text(conn, tool, name="Tensor.numel")[1:]
            == text(conn, tool, name="torch._C.TensorBase.numel")[1:]
        )
    assert "no operator" in ask(conn, "compile_path", name="torch.Tensor.numel").finding


def test_what_calls_no_operator_names_the_operator_of_its_name_as_another(
    conn: sqlite3.Connection,
) -> None:
    answer = ask(conn, "trace", name="torch.Tensor.data")
    assert answer.finding.startswith("torch.Tensor.data is C++ without an operator, bound as ")
    assert answer.notes == (
        "an operator aten::data exists too, which torch.Tensor.data does not call",
    )
    assert not answer.overloads
    assert ask(conn, "trace", name="aten::data").overloads


@pytest.mark.parametrize(
    ("name", "meant", "kind"),
    [
        ("torch.narrowest", "torch.narrowest", "python"),
        ("torch.shapes", "torch.shapes", "operator"),
        ("torch.around", "torch._loops.around.around", "internal"),
        ("torch.get_threads", "torch._C.get_threads", "binding"),
        ("torch.functional.helper", "torch.functional.helper", "operator"),
    ],
)  # fmt: skip
def test_a_name_that_is_imported_is_what_it_is_imported_from(
    conn: sqlite3.Connection, name: str, meant: str, kind: str
) -> None:
    found = resolve(conn, name)
    assert found.target is not None
    assert (found.api, found.target.kind) == (meant, kind)
    assert name == meant or found.notes[0].startswith(f"{name} is {meant}")
    for tool in GRAPH:
        asked, defined = (ask(conn, tool, name=name), ask(conn, tool, name=meant))
        assert asked.subjects == defined.subjects != ()
    assert not ask(conn, "trace", name=name).finding.startswith("nothing")


def test_imports_in_a_circle_end(conn: sqlite3.Connection) -> None:
    assert resolve(conn, "torch._loops.circle.round_").target is None
    assert resolve(conn, "torch.nothing.at.all").target is None


@pytest.mark.parametrize("name", ["c10::LoomImpl", "LoomImpl"])
def test_a_cpp_class_is_its_functions(conn: sqlite3.Connection, name: str) -> None:
    trace = ask(conn, "trace", name=name)
    assert trace.finding == (
        "c10::LoomImpl is a C++ class, no operator: ask calls, called_by or impact for it, or for one of its methods"
    )
    assert trace.elsewhere == (
        f"class c10::LoomImpl  {IMPL}:5",
        f"c10::LoomImpl::weft (2 callers)  {IMPL}:8",
        f"c10::LoomImpl::LoomImpl (1 caller)  {IMPL}:6",
        f"c10::LoomImpl::warp (1 caller)  {IMPL}:7",
        f"c10::LoomImpl::Inner::thread (0 callers)  {IMPL}:9",
    )
    impact = ask(conn, "impact", name=name)
    assert {d.name for d in impact.dependents} == {"c10::outside", "at::native::weave_out_cpu"}
    assert "aten::weave" in impact.operators
    assert impact.notes[0] == (
        "c10::LoomImpl is a C++ class (4 functions of its own); what it inherits is asked for by its bases: LoomBase"
    )


def test_what_a_class_does_with_itself_is_no_use_of_it(conn: sqlite3.Connection) -> None:
    users = ask(conn, "called_by", name="c10::LoomImpl").neighbours
    assert {line.name for line in users} == {"c10::outside", "at::native::weave_out_cpu"}
    assert not ask(conn, "calls", name="c10::LoomImpl").neighbours


def test_a_constructor_is_no_class(conn: sqlite3.Connection) -> None:
    for name in ("c10::LoomImpl::LoomImpl", "LoomImpl::LoomImpl"):
        assert len(ask(conn, "calls", name=name).subjects) == 1
    assert {s.name for s in ask(conn, "calls", name="LoomImpl::Inner").subjects} == {
        "c10::LoomImpl::Inner::thread"
    }


@pytest.mark.parametrize("tool", GRAPH)
@pytest.mark.parametrize(
    ("name", "operator"),
    [
        ("torch.ops.aten.weave.Tensor", "aten::weave.Tensor"),
        ("torch.ops.aten.mm.default", "aten::mm"),
    ],
)
def test_an_overload_of_torch_ops_is_the_operator(
    conn: sqlite3.Connection, tool: str, name: str, operator: str
) -> None:
    answer = ask(conn, tool, name=name)
    assert answer.subjects[0].name == operator
    assert answer.subjects[0].place.file == YAML
    assert answer.subjects[-1].name in (operator, name)


def test_an_out_function_of_cpp_is_not_hidden_by_a_librarys_operator(
    conn: sqlite3.Connection,
) -> None:
    answer = ask(conn, "trace", name="weave_out")
    assert [overload.operator for overload in answer.overloads] == ["aten::weave.out"]
    assert answer.notes == (
        "at::weave_out stands for the out overloads",
        "other operators of this name: quantized::weave_out",
    )
    assert ask(conn, "trace", name="quantized::weave_out").overloads[0].operator == (
        "quantized::weave_out"
    )


def test_a_search_has_the_operator_of_the_namespace_asked_for_first(
    conn: sqlite3.Connection,
) -> None:
    for name in ("quantized::data", "aten::data"):
        assert ask(conn, "search", query=name).hits[0].name == name


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("stretch<float>", "at::native::stretch"),
        ("at::native::(anonymous namespace)::stretch", "at::native::stretch"),
        ("void at::native::(anonymous namespace)::stretch<float, std::pair<int, A>>(float) [clone .cold]",
         "at::native::stretch"),
        ("c10::LoomImpl::warp(int)", "c10::LoomImpl::warp"),
        ("LoomImpl<float>::warp(int) const", "c10::LoomImpl::warp"),
        ("at::native::mm_cpu(at::Tensor const&, at::Tensor const&)+0x1f", "at::native::mm_cpu"),
    ],
)  # fmt: skip
def test_names_of_stack_traces(conn: sqlite3.Connection, written: str, name: str) -> None:
    found = resolve(conn, written)
    assert found.target is not None
    assert found.target.name == name
    assert found.notes[0].startswith("taken as ")
    for tool in GRAPH:
        assert {s.name for s in ask(conn, tool, name=written).subjects} == {name}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a::operator<", "a::operator<"), ("A::operator<<(B)", "A::operator<<"), ("f<(1 > 2)>()", ""),
        ("operator()(int) const", "operator()"), ("layer norm", ""), ("layer norm<x>", ""), ("(", ""), ("", ""),
        ("int A<B>::operator->() const", "A::operator->"), ("f<>::{lambda(int)#1}::g", "f::g"),
    ],
)  # fmt: skip
def test_what_is_left_of_a_name(text: str, left: str) -> None:
    assert plain(text) == (left or plain(left))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("c10::Strand::operator bool", "c10::Strand::operator bool"),
        (" ::c10::Strand::operator  bool ", "c10::Strand::operator bool"),
        ("Strand::operator bool", "c10::Strand::operator bool"),
        ("c10::Strand::operator bool() const", "c10::Strand::operator bool"),
        ("c10::Strand::operator std::vector<int>", "c10::Strand::operator std::vector<int>"),
    ],
)
def test_conversions_have_a_space_in_their_names(
    conn: sqlite3.Connection, written: str, name: str
) -> None:
    for tool in GRAPH:
        assert {s.name for s in ask(conn, tool, name=written).subjects} == {name}


def test_what_calls_a_conversion_does_not_name_it(conn: sqlite3.Connection) -> None:
    said = "who calls an operator or a conversion does not name it"
    for name, is_said in (("c10::Strand::operator bool", True), ("c10::LoomBase::rest", False)):
        answer = ask(conn, "called_by", name=name)
        assert not answer.neighbours
        assert any(note.startswith(said) for note in answer.notes) is is_said


def test_every_name_that_the_index_suggests_is_known(conn: sqlite3.Connection) -> None:
    for (name,) in conn.execute("SELECT DISTINCT name FROM names").fetchall():
        found = resolve(conn, name)
        assert found.target is not None or found.candidates, name


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("torch.mm", "aten::mm"),
        ("c10::LoomImpl", "c10::LoomImpl::warp"),
        ("torch.Tensor.numel", "torch::autograd::THPVariable_numel"),
        ("torch.around", "torch._loops.around.around"),
        (f"/somewhere/{WEAVE}", "at::native::mm_cpu"),
        (f"{WEAVE}:6", "at::native::mm_cpu"),
    ],
)
def test_tests_of_a_name_in_every_form(conn: sqlite3.Connection, name: str, changed: str) -> None:
    answer = ask(conn, "affected", names=name)
    assert changed in {thing.name for thing in answer.changed}
    assert not answer.unseen


def test_parameters_choose_among_overloads() -> None:
    heads = [
        (1, "explicit LoomImpl(double v)"),
        (2, "C10_HOST(1) LoomImpl(const at::Tensor& self, int n = f(1, 2))"),
        (3, "std::ostream& operator<<(std::ostream& out, const LoomImpl& x)"),
        (4, "LoomImpl()"),
        (5, "LoomImpl(c10::ArrayRef<int64_t> sizes)"),
        (6, "LoomImpl(c10::ArrayRef<double> sizes)"),
    ]
    asked = {
        "c10::LoomImpl::LoomImpl(double)": [1],
        "c10::(anonymous namespace)::LoomImpl(Tensor const&, int)": [2],
        "LoomImpl(const Tensor& self, int n)": [2],
        "LoomImpl(at::ArrayRef<long>)": [],
        "LoomImpl(ArrayRef<double> x)": [6],
        "LoomImpl<T>(float)": [],
        "LoomImpl": [],
    }
    assert {name: taking(name, "LoomImpl", heads) for name in asked} == asked
    assert taking("c10::operator<<(std::ostream&, LoomImpl)", "operator<<", heads) == [3]


def test_an_overload_is_meant_by_its_signature(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "called_by", name="c10::twist(double n)")
    assert [str(subject.place) for subject in answer.subjects] == [f"{TWIST}:3"]
    assert "1 of the 2 definitions of this name" in " ".join(answer.notes)
    assert len(ask(conn, "called_by", name="c10::twist(float)").subjects) == 2


def test_a_namespace_has_names_from_another(conn: sqlite3.Connection) -> None:
    for name in ("at::twist", "loom::twist", "knit::twist"):
        answer = ask(conn, "called_by", name=name)
        assert {subject.name for subject in answer.subjects} == {"c10::twist"}, name
        assert f"has it from c10 ({TWIST}:" in answer.notes[0]


def test_the_namespace_of_a_cpu_capability_is_no_part_of_a_name(conn: sqlite3.Connection) -> None:
    for name in ("at::native::AVX2::weave_cpu", "at::native::CPU_CAPABILITY::weave_cpu"):
        assert resolve(conn, name).target == resolve(conn, "at::native::weave_cpu").target


def test_a_macro_is_told(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "called_by", name="TWIST_CHECK")
    assert not answer.closest
    assert answer.finding == (
        f"TWIST_CHECK is a macro, defined at {TWIST}:1, and no node of the graph;"
        " impact follows the functions that use one"
    )
