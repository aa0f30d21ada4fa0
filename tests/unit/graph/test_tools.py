"""What calls, called_by and impact make of the joined graph."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_types import CallToolResult, TextContent

from indexer import schema
from tests.unit.support.asking import ask, text
from tests.unit.support.graph_tree import CPP, KERNEL, NATIVE, YAML, line_of
from tests.unit.support.small_tree import indexed
from tests.unit.support.tries import tries
from torchtalk.graph import nodes
from torchtalk.render import to_text
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.server.app import make_server
from torchtalk.server.source import IndexSource
from torchtalk.tools import all_tools
from torchtalk.tools.classic import classic_tools


def test_calls_of_a_structured_kernel(conn: sqlite3.Connection) -> None:
    assert text(conn, "calls", name="softcap_cpu_out")[:7] == [
        "at::native::softcap_cpu_out uses 2: 1 by stub, 1 by candidate call",
        f"at::native::softcap_cpu_out  {CPP}:21",
        "  stub:",
        f"    at::native::softcap_stub (stub)  {CPP}:12  at {CPP}:24  [syntax]",
        f"      [CPU] at::native::softcap_kernel_impl  {KERNEL}:6",
        "  candidate:",
        f"    at::native::check_dim  {CPP}:15 or {CPP}:19  at {CPP}:23  [syntax]",
    ]


def test_callers_of_overloads_that_cannot_be_told_apart(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "called_by", name="at::native::check_dim")
    assert answer.finding == "at::native::check_dim (2 definitions) is used by 1, by candidate call"
    (caller,) = answer.neighbours
    assert (caller.subject, caller.name, caller.ambiguous) == (
        -1,
        NATIVE + "softcap_cpu_out",
        False,
    )
    assert answer.page.total == 1


def test_who_uses_a_kernel_are_the_operators_it_serves(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "called_by", name="at::native::softcap_cpu_out")
    assert [(n.relation, n.origin, n.name, str(n.uses[0])) for n in answer.neighbours] == [
        ("structured", "delegate", "aten::_softcap", f"{YAML}:77"),
        ("structured", "yaml", "aten::_softcap.out", f"{YAML}:77"),
    ]


def test_boilerplate_is_folded_into_a_count(conn: sqlite3.Connection) -> None:
    at = f"{CPP}:16"
    folded = ask(conn, "calls", name=at)
    assert (folded.folded, folded.neighbours) == ({"checks": 1}, ())
    assert "all that there is is boilerplate; exclude=none shows it" in folded.notes
    (shown,) = ask(conn, "calls", name=at, exclude="none").neighbours
    assert shown.name == "c10::detail::checkFail"


def test_what_a_stubs_kernel_reaches(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="softcap_kernel_impl")
    assert answer.operators == ("aten::_softcap", "aten::softcap", "aten::linalg_trim")
    assert [(d.depth, d.name) for d in answer.dependents[:4]] == [
        (0, NATIVE + "softcap_stub"),
        (1, NATIVE + "softcap_cpu_out"),
        (2, NATIVE + "softcap"),
        (3, NATIVE + "linalg_trim"),
    ]
    (cap, pair) = answer.modules
    assert (cap.name, pair.name) == ("torch.nn.Cap", "torch.nn.CapPair")
    assert [(step.relation, step.name) for step in cap.path] == [
        ("method", "torch.nn.modules.cap.Cap.forward"),
        ("python", "torch._C._VariableFunctions.softcap"),
        ("bind", "aten::softcap.int"),
        ("dispatch", NATIVE + "softcap"),
        ("operator", "aten::_softcap"),
        ("structured", NATIVE + "softcap_cpu_out"),
        ("stub", NATIVE + "softcap_stub"),
        ("stub", NATIVE + "softcap_kernel_impl"),
    ]
    assert "torch.nn.functional.softcap" in answer.apis
    assert answer.tests > 0
    assert answer.finding.startswith(
        "at::native::softcap_kernel_impl: within 3 calls a change reaches 3 operators, "
    )


def test_a_call_operator_keeps_its_brackets(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "calls", name="at::Ender::operator()")
    assert [n.name for n in answer.neighbours] == ["at::begin_more"]
    assert ask(conn, "calls", name="at::begin_more()").found


def test_a_gpu_kernel_and_a_line(conn: sqlite3.Connection) -> None:
    kernel = ask(conn, "impact", name="softcap_forward", depth=1)
    assert [d.name for d in kernel.dependents] == [NATIVE + "softcap_cuda_out"]
    assert kernel.operators == ("aten::_softcap",)
    line = ask(conn, "impact", name=f"{KERNEL}:{line_of(KERNEL, 'cap_row(const')}", depth=1)
    assert [subject.name for subject in line.subjects] == [NATIVE + "cap_row"]
    file = ask(conn, "impact", name="cpu/SoftCapKernel.cpp", depth=1)
    assert {NATIVE + "cap_row", NATIVE + "softcap_kernel_impl", NATIVE + "softcap_stub"} == {
        subject.name for subject in file.subjects
    }


@pytest.mark.parametrize("tool", ["calls", "called_by", "impact"])
def test_what_is_not_there_is_said(conn: sqlite3.Connection, tool: str) -> None:
    assert text(conn, tool, name="softcapp_cpu_out")[0] == (
        "nothing in this index is called 'softcapp_cpu_out'"
    )
    assert "closest names:" in text(conn, tool, name="softcap_cpu_outt")[-1]
    assert text(conn, tool, name="no/such/File.cpp")[1].endswith(
        "no file of this index is called no/such/File.cpp"
    )
    assert (
        "stands there; macros and declarations are not in the graph"
        in (text(conn, tool, name=f"{CPP}:1")[0])
    )
    assert not ask(conn, tool, name=f"{CPP}:1").found


def test_the_graph_says_that_it_is_of_syntax(conn: sqlite3.Connection) -> None:
    note = "C++ calls are known from syntax only"
    assert any(found.startswith(note) for found in ask(conn, "impact", name="cap_row").notes)


@pytest.mark.parametrize("name", ["torch.no_such_name", "torch.nn.Cap"])
def test_where_no_cpp_is_told_of_nothing_is_said_of_its_calls(
    conn: sqlite3.Connection, name: str
) -> None:
    for tool in ("called_by", "impact"):
        notes = ask(conn, tool, name=name).notes
        assert not [note for note in notes if note.startswith("C++ calls are known")]


def test_what_python_finds_in_cpp_has_a_place(conn: sqlite3.Connection) -> None:
    """`torch._C._nn.upsample_nearest1d` stands in a template of the generator's, `torch.ops` in the YAML."""
    rows = conn.execute(
        "SELECT n.id FROM python_natives AS n WHERE n.how = 'ops'"
        " OR EXISTS (SELECT 1 FROM bindings AS b WHERE b.python_name = n.name) ORDER BY n.id"
    )
    ids = [row["id"] for row in rows]
    found = nodes.describe(conn, [identity * 16 + nodes.NATIVE for identity in ids])
    assert found
    assert [node.name for node in found.values() if node.place.line is None] == []


def test_an_index_without_a_graph_says_so(fixture_db: Path, tmp_path: Path) -> None:
    target = sqlite3.connect(tmp_path / "empty.db")
    target.row_factory = sqlite3.Row
    schema.create(target)
    for tool in ("calls", "called_by", "impact"):
        notes = ask(target, tool, name="add").notes
        assert notes == ("this index has no call graph; build it with: torchtalk index",)
    target.close()


def test_pages_have_exact_totals(conn: sqlite3.Connection) -> None:
    whole = ask(conn, "impact", name="softcap_kernel_impl", limit=200)
    assert whole.page.total == len(whole.dependents)
    pieces = [
        dependent
        for offset in range(0, whole.page.total, 3)
        for dependent in ask(
            conn, "impact", name="softcap_kernel_impl", limit=3, offset=offset
        ).dependents
    ]
    assert pieces == list(whole.dependents)
    depths = [dependent.depth for dependent in pieces]
    assert depths == sorted(depths)
    beyond = text(conn, "impact", name="softcap_kernel_impl", offset=500)
    assert f"none at offset 500: there are {whole.page.total} dependents" in beyond


def test_the_earlier_tools_answer_by_the_same_code(conn: sqlite3.Connection) -> None:
    callers = classic_tools()["get_cpp_callers"].ask(conn, name="cap_row")
    assert [n.name for n in callers.neighbours] == [NATIVE + "softcap_kernel_impl"]
    callees = classic_tools()["get_cpp_callees"].ask(conn, name="aten::softcap.int")
    assert [n.name for n in callees.neighbours] == ["aten::_softcap", "aten::clip_to_"]
    assert "shown is what holds for its kernels" in callees.notes[0]


def test_through_the_server(fixture_db: Path) -> None:
    server = make_server(IndexSource(fixture_db, None))

    def call(tool: str, **arguments: object) -> str:
        result = asyncio.run(server.call_tool(tool, dict(arguments)))
        assert isinstance(result, CallToolResult)
        (content,) = result.content
        assert isinstance(content, TextContent)
        return content.text

    assert call("impact", name="softcap_kernel_impl").startswith(
        "at::native::softcap_kernel_impl: within 3 calls a change reaches 3 operators"
    )
    assert "at::native::softcap_kernel_impl" in call("called_by", name="cap_row")
    assert "flowchart LR" in call("calls", name="softcap_cpu_out", format="mermaid")


@settings(
    max_examples=tries(80),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    name=st.sampled_from(["softcap", "at::native::check_dim", "torch.nn.Cap", CPP, f"{CPP}:22", "F.banded"])
    | st.text(max_size=60),
    depth=st.integers(1, 20),
    exclude=st.lists(
        st.sampled_from(["ambiguous", "compile", "call", "clang", "syntax", "python", "none", "stub"]), max_size=4
    ).map(",".join),
    form=st.sampled_from(["text", "json", "mermaid", "dot"]),
    limit=st.integers(1, 200),
    offset=st.integers(0, 50),
)  # fmt: skip
def test_any_question_has_a_bounded_answer(
    conn: sqlite3.Connection,
    name: str,
    depth: int,
    exclude: str,
    form: str,
    limit: int,
    offset: int,
) -> None:
    common: dict[str, object] = {
        "name": name, "exclude": exclude, "format": form, "limit": limit, "offset": offset,
    }  # fmt: skip
    answers = [ask(conn, "calls", **common), ask(conn, "called_by", **common)]
    answers.append(ask(conn, "impact", depth=depth, **common))
    for answer in answers:
        found = to_text(answer)
        assert 0 < len(found) <= MAX_CHARACTERS
        if form == "json":
            json.loads(found)


@pytest.mark.parametrize("tool", ["called_by", "impact"])
def test_who_reads_a_property_may_be_missing(conn: sqlite3.Connection, tool: str) -> None:
    (name,) = conn.execute(
        "SELECT c.name || '.' || p.name FROM python_functions AS p JOIN python_modules AS c ON c.id = p.module_id"
        " WHERE p.kind = 'property' ORDER BY p.id LIMIT 1"
    ).fetchone()
    notes = [note for note in ask(conn, tool, name=name).notes if "reads" in note]
    assert notes == [
        f"who reads `.{name.rpartition('.')[2]}` is known where the text tells the class of what it is read on;"
        " other reads are missing"
    ]
    assert not any("reads" in note for note in ask(conn, tool, name="softcap_cpu_out").notes)


def test_a_kernel_without_a_definition_is_said_to_be_taken_for_its_operator(
    tmp_path: Path,
) -> None:
    yaml = "- func: far(Tensor self) -> Tensor\n  dispatch:\n    CPU: far_cpu\n    CUDA: far_cuda\n"
    cpp = "namespace at::native {\nTensor far_cpu(const Tensor& self) { return self; }\n}\n"
    files = {
        "aten/src/ATen/native/native_functions.yaml": yaml,
        "aten/src/ATen/native/Far.cpp": cpp,
    }
    with indexed(files, tmp_path) as conn:
        for tool in ("calls", "called_by", "impact"):
            text = to_text(all_tools()[tool].ask(conn, name="at::native::far_cuda"))
            assert "no definition of at::native::far_cuda is in this index" in text
            text = to_text(all_tools()[tool].ask(conn, name="at::native::far_cpu"))
            assert "no definition" not in text


def test_where_no_operator_is_near_the_first_ones_further_on_are_said(tmp_path: Path) -> None:
    steps = "".join(f"int step_{n}(int x) {{ return step_{n - 1}(x); }}\n" for n in range(1, 10))
    files = {
        YAML: "- func: relu(Tensor self) -> Tensor\n  dispatch:\n    CPU: relu_cpu\n",
        "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
        "aten/src/ATen/native/Relu.cpp": "namespace at::native {\nint step_0(int x) { return x; }\n"
        f"{steps}Tensor relu_cpu(const Tensor& self) {{ return step_5(1); }}\n}}\n",
    }
    with indexed(files, tmp_path) as connection:
        far = ask(connection, "impact", name="at::native::step_2")
        assert far.finding.startswith(
            "at::native::step_2: within 3 calls a change reaches no operator or public name, only 3 C++ functions. "
            "The first are 4 calls away (depth=4): 1 operator"
        )
        assert far.operators == ()  # what is listed is within what was asked
        near = ask(connection, "impact", name="at::native::step_2", depth=4)
        assert near.finding.startswith(
            "at::native::step_2: within 4 calls a change reaches 1 operator"
        )
        # Nothing is said where there is nothing, or nobody is asked about further on.
        for name in ("at::native::step_9", "at::native::step_6"):
            assert "The first" not in ask(connection, "impact", name=name).finding


def test_of_many_overloads_eight_are_named_and_the_answer_says_so(tmp_path: Path) -> None:
    def ask_of(number: int) -> tuple[str, ...]:
        heads = "".join(f"void put(T{n} v) {{}}\n" for n in range(number))
        files = {"version.txt": "2.6.0\n", "c10/p.cpp": f"{heads}void use(X& x) {{ put(x.y); }}\n"}
        files["aten/src/ATen/native/native_functions.yaml"] = "- func: f(Tensor self) -> Tensor\n"
        with indexed(files, tmp_path / str(number)) as conn:
            answer = ask(conn, "calls", name="use")
        assert [len(line.others) for line in answer.neighbours] == [min(number, 8) - 1]
        return answer.notes

    assert not any("more than 8" in note for note in ask_of(7))
    assert any("the one that is meant may be another" in note for note in ask_of(9))


def test_callers_of_an_operator_by_its_name_in_python_come_from_python_too(
    conn: sqlite3.Connection,
) -> None:
    said = to_text(ask(conn, "called_by", name="torch.softcap"))
    assert "torch.functional.cap_all (Python)  torch/functional.py:16" in said
    assert "at::native::linalg_trim" in said
    assert "bound as torch._C._VariableFunctions.softcap" in said
    # Who asks for the operator means those that C++ has.
    assert "cap_all" not in to_text(ask(conn, "called_by", name="aten::softcap"))


def test_the_library_s_own_callers_come_before_those_of_tests_and_benchmarks(
    tmp_path: Path,
) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: x(Tensor self) -> Tensor\n",
        "version.txt": "2.6.0\n",
        "benchmarks/a.cpp": "void bench() { c10::deep(); }\n",
        "c10/core/Deep.h": "namespace c10 { inline void deep() {} }\n",
        "c10/core/Deep_test.cpp": "void tested() { c10::deep(); }\n",
        "torch/csrc/Use.cpp": "void used() { c10::deep(); }\n",
    }
    with indexed(files, tmp_path) as connection:
        found = ask(connection, "called_by", name="c10::deep").neighbours
        assert [line.name for line in found] == ["used", "bench", "tested"]
