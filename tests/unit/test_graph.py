"""The joined graph: exact edges of a small tree, and what calls, called_by and impact make of them."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_types import CallToolResult, TextContent

from indexer import link, schema
from tests.unit.graph_tree import line_of, make_index
from torchtalk.db import connect
from torchtalk.graph import exclusions, nodes, walk
from torchtalk.graph.walk import upwards
from torchtalk.render import to_json, to_text
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.server.app import make_server
from torchtalk.server.source import IndexSource
from torchtalk.tools import all_tools, kernels
from torchtalk.tools.classic import classic_tools
from torchtalk.tools.spec import BadArgument

_CPP = "aten/src/ATen/native/SoftCap.cpp"
_CU = "aten/src/ATen/native/cuda/SoftCap.cu"
_KERNEL = "aten/src/ATen/native/cpu/SoftCapKernel.cpp"
_YAML = "aten/src/ATen/native/native_functions.yaml"
_NATIVE = "at::native::"


@pytest.fixture(scope="module")
def graph_db(fixture_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(fixture_tree, tmp_path_factory.mktemp("graph"))


@pytest.fixture
def graph(graph_db: Path) -> Iterator[sqlite3.Connection]:
    connection = connect(graph_db)
    yield connection
    connection.close()


def ask(conn: sqlite3.Connection, tool: str, **arguments: object) -> Any:
    return all_tools()[tool].ask(conn, **arguments)


def text(conn: sqlite3.Connection, tool: str, **arguments: object) -> list[str]:
    return to_text(ask(conn, tool, **arguments)).splitlines()


def edges(conn: sqlite3.Connection, where: str) -> set[tuple[Any, ...]]:
    return {
        tuple(row)
        for row in conn.execute(
            f"SELECT source, target, kind, origin, line FROM v_edges WHERE {where}"
        )
    }


def test_the_edges_of_a_kernel_file(graph: sqlite3.Connection) -> None:
    at = {
        name: line_of(_CPP, name) for name in ("checkFail(", "check_dim(self", "softcap_stub(kCPU")
    }
    assert edges(graph, f"file = '{_CPP}'") == {
        (_NATIVE + "check_dim", "c10::detail::checkFail", "call", "syntax", at["checkFail("]),
        # One of two overloads, which is told by the type of an argument.
        (_NATIVE + "softcap_cpu_out", _NATIVE + "check_dim", "candidate", "syntax", at["check_dim(self"]),
        (_NATIVE + "softcap_cpu_out", _NATIVE + "softcap_stub", "stub", "syntax", at["softcap_stub(kCPU"]),
        # On `auto`: nothing but a tensor has such a method. A vector's size() is no aten::size.
        (_NATIVE + "softcap", "aten::clip_to_", "candidate", "syntax", line_of(_CPP, "input.clip_to_")),
        (_NATIVE + "softcap", "aten::_softcap", "operator", "syntax", line_of(_CPP, "at::_softcap(")),
        (_NATIVE + "linalg_trim", "aten::band", "operator", "syntax", line_of(_CPP, "self.band(1)")),
        # Two arguments: not the overload that writes to a third.
        (_NATIVE + "linalg_trim", "aten::softcap.int", "operator", "syntax", line_of(_CPP, "at::softcap(")),
    }  # fmt: skip


def test_the_edges_of_stubs_kernels_and_launches(graph: sqlite3.Connection) -> None:
    assert edges(graph, f"file IN ('{_KERNEL}', '{_CU}')") == {
        (_NATIVE + "softcap_stub", _NATIVE + "softcap_kernel_impl", "stub", "macro", line_of(_KERNEL, "REGISTER")),
        (_NATIVE + "softcap_kernel_impl", _NATIVE + "cap_row", "call", "syntax", line_of(_KERNEL, "cap_row(nullptr")),
        (_NATIVE + "softcap_cuda_out", _NATIVE + "softcap_forward", "launch", "syntax", line_of(_CU, "<<<")),
    }  # fmt: skip


def test_the_edges_of_operators(graph: sqlite3.Connection) -> None:
    assert edges(graph, f"file = '{_YAML}' AND source IN ('aten::_softcap', 'aten::scale_add.Tensor')") == {
        ("aten::_softcap", _NATIVE + "softcap_cpu_out", "structured", "delegate", 77),
        ("aten::_softcap", _NATIVE + "softcap_cuda_out", "structured", "delegate", 78),
        ("aten::_softcap", "at::meta::structured__softcap::meta", "structured", "delegate", 71),
        # What torchgen/dest/ufunc.py writes calls this stub, whose kernels run the loop.
        ("aten::scale_add.Tensor", _NATIVE + "scale_add_stub", "dispatch", "delegate", 33),
        ("aten::scale_add.Tensor", _NATIVE + "ufunc::scale_add", "dispatch", "delegate", 33),
    }  # fmt: skip
    assert edges(graph, "kind = 'derivative'") == {
        ("aten::scale_add.Tensor", "torch::autograd::generated::details::scale_backward", "derivative", "yaml", 3),
        ("aten::_softcap", "aten::_softcap_backward_data", "derivative", "yaml", 7),
    }  # fmt: skip


def test_operators_that_are_named_rather_than_called(graph: sqlite3.Connection) -> None:
    file = "aten/src/ATen/native/ByName.cpp"
    by_handle, by_keys = _NATIVE + "clip_by_handle", _NATIVE + "clip_by_keys"
    # The comment, and what no operator is called, are none.
    assert edges(graph, f"file = '{file}'") == {
        (by_handle, "aten::clip_to_", "handle", "syntax", line_of(file, "findSchemaOrThrow(\"aten::clip_")),
        (by_handle, "aten::linalg_trim.out", "handle", "syntax", line_of(file, "findSchema({")),
        (by_keys, "aten::_softcap_backward_data", "operator", "syntax", line_of(file, "_ops::_softcap")),
        (by_keys, "aten::scale_add.out", "operator", "syntax", line_of(file, "ATEN_FN2")),
        # The keys, and the two arguments of the operator.
        (by_keys, "aten::clip_to_", "operator", "syntax", line_of(file, "at::redispatch")),
    }  # fmt: skip
    reached = ask(graph, "impact", name="aten::clip_to_", depth=1)
    assert by_handle in {dependent.name for dependent in reached.dependents}


def test_the_edges_of_python(graph: sqlite3.Connection) -> None:
    cap = "torch.nn.modules.cap.Cap"
    assert edges(graph, f"source IN ('{cap}', '{cap}.forward') AND kind <> 'test'") == {
        (cap, f"{cap}.forward", "method", "python", 26),
        (cap, "torch.nn.modules.cap._CapNd", "inherits", "python", 20),
        (f"{cap}.forward", "torch._C._VariableFunctions.softcap", "python", "python", 31),
    }
    assert (
        "torch._C._VariableFunctions.softcap",
        "aten::softcap.int",
        "bind",
        "yaml",
        47,
    ) in edges(graph, "kind = 'bind'")
    tests = {(source, target) for source, target, *_ in edges(graph, "kind = 'test'")}
    assert ("test.test_caps.TestCaps.test_softcap", "torch._C._VariableFunctions.softcap") in tests
    assert ("test.test_caps.TestCaps.test_softcap", "aten::band") in tests


def test_every_edge_has_names_and_a_place(graph: sqlite3.Connection) -> None:
    assert not graph.execute(
        "SELECT * FROM v_edges WHERE source IS NULL OR target IS NULL OR file IS NULL OR line < 1"
    ).fetchall()


def test_steps_can_run_again(graph_db: Path, tmp_path: Path) -> None:
    copy = sqlite3.connect(tmp_path / "again.db")
    with sqlite3.connect(graph_db) as original:
        original.backup(copy)
    before = copy.execute("SELECT * FROM edges").fetchall()
    for _, run in link.steps([47, 48, 80, 82]):
        run(copy, None)  # type: ignore[arg-type]
    assert copy.execute("SELECT * FROM edges").fetchall() == before
    copy.close()


def test_what_clang_saw_replaces_what_the_text_says(graph_db: Path, tmp_path: Path) -> None:
    conn = sqlite3.connect(tmp_path / "clang.db")
    with sqlite3.connect(graph_db) as original:
        original.backup(conn)
    (trim, file) = conn.execute(
        "SELECT id, file_id FROM functions WHERE name = 'at::native::linalg_trim'"
    ).fetchone()
    (band,) = conn.execute("SELECT id FROM operators WHERE name = 'aten::band'").fetchone()
    conn.execute(
        "INSERT INTO source_files (path, kind, size, sha) VALUES ('build/ops/band.h', 'generated', 0, '')"
    )
    made = conn.execute("SELECT max(id) FROM source_files").fetchone()[0]
    ids = {}
    for name, place in (
        ("at::_ops::band::call", made), ("at::Tensor::band", made), ("Base::run", file), ("Derived::run", file),
        ("std::move", made),
    ):  # fmt: skip
        ids[name] = conn.execute(
            "INSERT INTO functions (name, signature, kind, file_id, line, end_line, origin)"
            " VALUES (?, '', 'function', ?, 1, 1, 'clang')", (name, place),
        ).lastrowid  # fmt: skip
    line = line_of(_CPP, "self.band(1)")
    conn.executemany(
        "INSERT INTO calls VALUES (?, ?, ?, 8)",
        [
            (trim, ids["at::Tensor::band"], line), (ids["at::Tensor::band"], ids["at::_ops::band::call"], 1),
            (trim, ids["Base::run"], line), (trim, ids["std::move"], line),
        ],
    )  # fmt: skip
    conn.execute("UPDATE functions SET origin = 'clang' WHERE id = ?", (trim,))
    conn.execute(
        "INSERT INTO operator_functions VALUES (?, ?, 'call')", (ids["at::_ops::band::call"], band)
    )
    conn.execute(
        "INSERT INTO function_overrides VALUES (?, ?)", (ids["Base::run"], ids["Derived::run"])
    )
    conn.execute("INSERT INTO function_usrs VALUES (?, 'c:@F@trim', 1)", (trim,))
    for _, run in link.steps([47, 48, 80, 82]):
        run(conn, None)  # type: ignore[arg-type]
    conn.row_factory = sqlite3.Row
    assert edges(conn, "target = 'aten::band' AND source LIKE 'at::%'") == {
        ("at::native::linalg_trim", "aten::band", "operator", "clang", line)
    }
    # The line that clang did not see is still known from the text.
    assert (
        "at::native::linalg_trim",
        "aten::softcap.int",
        "operator",
        "syntax",
        line + 1,
    ) in edges(conn, "source = 'at::native::linalg_trim'")
    answer = ask(conn, "calls", name="at::native::linalg_trim")
    assert [n.name for n in answer.neighbours] == ["Base::run", "aten::band", "aten::softcap.int"]
    assert answer.folded == {"generated": 1, "standard library": 1}
    assert not any("syntax only" in note for note in answer.notes)
    # Who calls the base's method may run the one that overrides it.
    excluded = exclusions.parse(conn, exclusions.DEFAULT)
    reached = upwards(conn, [ids["Derived::run"] * 16], 1, excluded)
    named = {
        node.name: reached.depths[code]
        for code, node in nodes.describe(conn, reached.depths).items()
    }
    assert named["Base::run"] == 0
    assert named["at::native::linalg_trim"] == named["aten::linalg_trim"] == 1
    conn.close()


def test_a_template_s_launch_and_its_lone_candidate_are_followed(
    graph_db: Path, tmp_path: Path
) -> None:
    conn = sqlite3.connect(shutil.copy(graph_db, tmp_path / "x.db"))
    (file,) = conn.execute("SELECT min(id) FROM source_files WHERE kind = 'cpp'").fetchone()
    ids = {}
    for name, kind in (("launcher", "function"), ("one_kernel", "kernel"), ("two", "function"), ("two_b", "kernel"),
                       ("two_c", "kernel")):  # fmt: skip
        ids[name] = conn.execute(
            "INSERT INTO functions (name, signature, kind, file_id, line, end_line, origin)"
            " VALUES (?, '', ?, ?, 1, 1, 'clang')", (f"at::native::{name}", kind, file),
        ).lastrowid  # fmt: skip
    conn.executemany(
        "INSERT INTO calls VALUES (?, ?, ?, 12)",  # candidates of clang's
        [(ids["launcher"], ids[name], line) for name, line in (
            ("one_kernel", 1), ("two", 2), ("two_b", 3), ("two_c", 3))],
    )  # fmt: skip
    for _, run in link.steps([47, 48, 80, 82]):
        run(conn, None)  # type: ignore[arg-type]
    kinds = dict(
        conn.execute("SELECT callee_id, kind FROM calls WHERE caller_id = ?", (ids["launcher"],))
    )
    assert kinds == {
        ids["one_kernel"]: "launch", ids["two"]: "candidate",
        ids["two_b"]: "candidate", ids["two_c"]: "candidate",
    }  # fmt: skip
    ambiguous = conn.execute(
        "SELECT callee_id FROM ambiguous_calls WHERE caller_id = ?", (ids["launcher"],)
    ).fetchall()
    assert ambiguous == []
    conn.close()


def test_calls_of_a_structured_kernel(graph: sqlite3.Connection) -> None:
    assert text(graph, "calls", name="softcap_cpu_out")[:7] == [
        "at::native::softcap_cpu_out uses 2: 1 stub, 1 candidate",
        f"at::native::softcap_cpu_out  {_CPP}:21",
        "  stub:",
        f"    at::native::softcap_stub (stub)  {_CPP}:12  at {_CPP}:24  [syntax]",
        f"      [CPU] at::native::softcap_kernel_impl  {_KERNEL}:6",
        "  candidate:",
        f"    at::native::check_dim  {_CPP}:15 or {_CPP}:19  at {_CPP}:23  [syntax]",
    ]


def test_callers_of_overloads_that_cannot_be_told_apart(graph: sqlite3.Connection) -> None:
    answer = ask(graph, "called_by", name="at::native::check_dim")
    assert answer.finding == "at::native::check_dim (2 definitions) is used by 1: 1 candidate"
    (caller,) = answer.neighbours
    assert (caller.subject, caller.name, caller.ambiguous) == (
        -1,
        _NATIVE + "softcap_cpu_out",
        False,
    )
    assert answer.page.total == 1


def test_who_uses_a_kernel_are_the_operators_it_serves(graph: sqlite3.Connection) -> None:
    answer = ask(graph, "called_by", name="at::native::softcap_cpu_out")
    assert [(n.relation, n.origin, n.name, str(n.uses[0])) for n in answer.neighbours] == [
        ("structured", "delegate", "aten::_softcap", f"{_YAML}:77"),
        ("structured", "yaml", "aten::_softcap.out", f"{_YAML}:77"),
    ]


def test_boilerplate_is_folded_into_a_count(graph: sqlite3.Connection) -> None:
    at = f"{_CPP}:16"
    folded = ask(graph, "calls", name=at)
    assert (folded.folded, folded.neighbours) == ({"checks": 1}, ())
    assert "all that there is is boilerplate; exclude=none shows it" in folded.notes
    (shown,) = ask(graph, "calls", name=at, exclude="none").neighbours
    assert shown.name == "c10::detail::checkFail"


def test_what_a_stubs_kernel_reaches(graph: sqlite3.Connection) -> None:
    answer = ask(graph, "impact", name="softcap_kernel_impl")
    assert answer.operators == ("aten::_softcap", "aten::softcap", "aten::linalg_trim")
    assert [(d.depth, d.name) for d in answer.dependents[:4]] == [
        (0, _NATIVE + "softcap_stub"),
        (1, _NATIVE + "softcap_cpu_out"),
        (2, _NATIVE + "softcap"),
        (3, _NATIVE + "linalg_trim"),
    ]
    (cap, pair) = answer.modules
    assert (cap.name, pair.name) == ("torch.nn.Cap", "torch.nn.CapPair")
    assert [(step.relation, step.name) for step in cap.path] == [
        ("method", "torch.nn.modules.cap.Cap.forward"),
        ("python", "torch._C._VariableFunctions.softcap"),
        ("bind", "aten::softcap.int"),
        ("dispatch", _NATIVE + "softcap"),
        ("operator", "aten::_softcap"),
        ("structured", _NATIVE + "softcap_cpu_out"),
        ("stub", _NATIVE + "softcap_stub"),
        ("stub", _NATIVE + "softcap_kernel_impl"),
    ]
    assert "torch.nn.functional.softcap" in answer.apis
    assert answer.tests > 0
    assert answer.finding.startswith(
        "at::native::softcap_kernel_impl: within 3 calls 3 operators, "
    )


def test_a_stub_s_caller_for_one_device_runs_no_other_s_kernel(
    graph_db: Path, tmp_path: Path
) -> None:
    target = tmp_path / "devices.db"
    shutil.copyfile(graph_db, target)
    conn = sqlite3.connect(target)
    # A kernel for CUDA of the stub that softcap_cpu_out calls with kCPU.
    conn.execute(
        "INSERT INTO stub_registrations (stub, scope, form, backend, kernel, function_id, file_id, line)"
        " SELECT s.stub, s.scope, s.form, 'CUDA', u.name, u.id, u.file_id, u.line"
        " FROM stub_registrations AS s JOIN functions AS u ON u.name = ? WHERE s.stub = ? LIMIT 1",
        (_NATIVE + "softcap_cuda_out", _NATIVE + "softcap_stub"),
    )
    for _, run in link.steps([80, 82]):
        run(conn, None)  # type: ignore[arg-type]
    conn.commit()
    conn.close()
    changed = connect(target)
    for depth in (2, 5):
        found = ask(changed, "impact", name="softcap_cuda_out", depth=depth)
        names = {dependent.name for dependent in found.dependents}
        assert _NATIVE + "softcap_stub" in names
        assert _NATIVE + "softcap_cpu_out" not in names
        assert any("1 caller of 1 stub on the way not followed" in note for note in found.notes)
        # Who asks for the stub means all its kernels; so does the CPU's.
        for name in ("softcap_stub", "softcap_kernel_impl"):
            names = {d.name for d in ask(changed, "impact", name=name, depth=depth).dependents}
            assert _NATIVE + "softcap_cpu_out" in names
    changed.close()


def test_a_stub_that_a_helper_s_helper_calls(graph_db: Path, tmp_path: Path) -> None:
    conn = sqlite3.connect(shutil.copy(graph_db, tmp_path / "x.db"))
    conn.row_factory = sqlite3.Row
    (home,) = conn.execute(
        "SELECT file_id FROM functions WHERE name = 'at::native::softcap_cpu_out'"
    ).fetchone()
    (away,) = conn.execute("SELECT max(id) FROM source_files WHERE kind = 'cpp'").fetchone()
    (caller,) = conn.execute(
        "SELECT id FROM functions WHERE name = 'at::native::softcap_cpu_out'"
    ).fetchone()

    def function(name: str, file: int, callee: int) -> int:
        new = conn.execute(
            "INSERT INTO functions (name, signature, kind, file_id, line, end_line, origin)"
            " VALUES (?, '', 'function', ?, 1, 1, 'syntax')", (name, file),
        ).lastrowid  # fmt: skip
        conn.execute("INSERT INTO calls VALUES (?, ?, 1, 0)", (new, callee))
        return int(new or 0)

    near = function("at::native::near", home, caller)
    twice = function("at::native::twice", home, near)
    far = function("at::native::far", away, near)
    (other,) = (function("at::native::direct", away, caller),)
    for _, run in link.steps([48]):
        run(conn, None)  # type: ignore[arg-type]
    stubs = {
        name: {found.name for found in kernels.reached(conn, [identity], ("CPU",))}
        for name, identity in (("near", near), ("twice", twice), ("far", far), ("direct", other))
    }
    softcap = {"at::native::softcap_stub"}
    assert stubs == {"near": softcap, "twice": softcap, "far": set(), "direct": softcap}
    conn.close()


def test_a_call_operator_keeps_its_brackets(graph: sqlite3.Connection) -> None:
    answer = ask(graph, "calls", name="at::Ender::operator()")
    assert [n.name for n in answer.neighbours] == ["at::begin_more"]
    assert ask(graph, "calls", name="at::begin_more()").found


def test_a_gpu_kernel_and_a_line(graph: sqlite3.Connection) -> None:
    kernel = ask(graph, "impact", name="softcap_forward", depth=1)
    assert [d.name for d in kernel.dependents] == [_NATIVE + "softcap_cuda_out"]
    assert kernel.operators == ("aten::_softcap",)
    line = ask(graph, "impact", name=f"{_KERNEL}:{line_of(_KERNEL, 'cap_row(const')}", depth=1)
    assert [subject.name for subject in line.subjects] == [_NATIVE + "cap_row"]
    file = ask(graph, "impact", name="cpu/SoftCapKernel.cpp", depth=1)
    assert {_NATIVE + "cap_row", _NATIVE + "softcap_kernel_impl", _NATIVE + "softcap_stub"} == {
        subject.name for subject in file.subjects
    }


def test_ambiguous_calls_are_followed_only_when_asked_for(graph: sqlite3.Connection) -> None:
    answer = ask(graph, "impact", name="at::Left::start")
    assert answer.dependents == ()
    assert "nothing within 3 calls is known to depend on it" in answer.finding
    assert any(note.startswith("1 call that may be of other functions") for note in answer.notes)
    followed = ask(graph, "impact", name="at::Left::start", exclude="none")
    assert [d.name for d in followed.dependents] == [
        "at::begin_all",
        "at::begin_more",
        "at::Ender::operator()",
    ]
    assert [d.path[-1].relation for d in followed.dependents] == ["candidate?"] * 3
    (caller,) = ask(graph, "called_by", name="at::Left::start").neighbours
    assert caller.ambiguous


def test_kinds_and_origins_can_be_left_out(graph: sqlite3.Connection) -> None:
    def names(exclude: str) -> set[str]:
        answer = ask(graph, "impact", name="softcap_kernel_impl", exclude=exclude, limit=100)
        return {dependent.name for dependent in answer.dependents}

    assert _NATIVE + "linalg_trim" in names("none")
    assert names("stub") == set()
    assert names("operator") == {_NATIVE + "softcap_stub", _NATIVE + "softcap_cpu_out"}
    assert names("syntax") == {_NATIVE + "softcap_stub"}
    with pytest.raises(BadArgument, match="which is no kind or origin; there are ambiguous, bind"):
        names("nonsense")


def test_decompositions_are_no_way_unless_asked_for(graph: sqlite3.Connection) -> None:
    name = "torch._decomp.decompositions._softcap"
    assert "aten::_softcap" not in ask(graph, "impact", name=name).operators
    assert "aten::_softcap" in ask(graph, "impact", name=name, exclude="none").operators


@pytest.mark.parametrize("tool", ["calls", "called_by", "impact"])
def test_what_is_not_there_is_said(graph: sqlite3.Connection, tool: str) -> None:
    assert text(graph, tool, name="softcapp_cpu_out")[0] == (
        "nothing in this index is called 'softcapp_cpu_out'"
    )
    assert "closest names:" in text(graph, tool, name="softcap_cpu_outt")[-1]
    assert text(graph, tool, name="no/such/File.cpp")[1].endswith(
        "no file of this index is called no/such/File.cpp"
    )
    assert (
        "stands there; macros and declarations are not in the graph"
        in (text(graph, tool, name=f"{_CPP}:1")[0])
    )
    assert not ask(graph, tool, name=f"{_CPP}:1").found


def test_the_graph_says_that_it_is_of_syntax(graph: sqlite3.Connection) -> None:
    note = "C++ calls are known from syntax only"
    assert any(found.startswith(note) for found in ask(graph, "impact", name="cap_row").notes)


def test_an_index_without_a_graph_says_so(graph_db: Path, tmp_path: Path) -> None:
    target = sqlite3.connect(tmp_path / "empty.db")
    target.row_factory = sqlite3.Row
    schema.create(target)
    for tool in ("calls", "called_by", "impact"):
        notes = ask(target, tool, name="add").notes
        assert notes == ("this index has no call graph; build it with: torchtalk index",)
    target.close()


def test_pages_have_exact_totals(graph: sqlite3.Connection) -> None:
    whole = ask(graph, "impact", name="softcap_kernel_impl", limit=200)
    assert whole.page.total == len(whole.dependents)
    pieces = [
        dependent
        for offset in range(0, whole.page.total, 3)
        for dependent in ask(
            graph, "impact", name="softcap_kernel_impl", limit=3, offset=offset
        ).dependents
    ]
    assert pieces == list(whole.dependents)
    depths = [dependent.depth for dependent in pieces]
    assert depths == sorted(depths)
    beyond = text(graph, "impact", name="softcap_kernel_impl", offset=500)
    assert f"none at offset 500: there are {whole.page.total} dependents" in beyond


def test_pictures(graph: sqlite3.Connection) -> None:
    mermaid = text(graph, "impact", name="cap_row", depth=1, format="mermaid")
    assert mermaid[0].startswith("%% at::native::cap_row: within 1 call")
    assert mermaid[2:] == [
        "flowchart LR",
        '  n0["at::native::softcap_kernel_impl"]',
        '  n1["at::native::cap_row"]',
        '  n2["at::native::softcap_stub"]',
        "  n0 -->|call| n1",
        "  n2 -->|stub| n0",
    ]
    dot = text(graph, "calls", name="softcap_kernel_impl", format="dot")
    assert dot[2:] == [
        "digraph torchtalk {",
        "  rankdir=LR; node [shape=box];",
        '  n0 [label="at::native::softcap_kernel_impl"];',
        '  n1 [label="at::native::cap_row"];',
        '  n0 -> n1 [label="call"];',
        "}",
    ]


def test_a_picture_of_an_operator_s_way(graph: sqlite3.Connection) -> None:
    mermaid = text(graph, "trace", name="softcap", format="mermaid")
    assert mermaid[0].startswith("%% aten::softcap: 2 overloads")
    assert mermaid[1] == "flowchart LR"
    names = dict(re.findall(r'(n\d+)\["(.*)"\]', "\n".join(mermaid)))
    arrows = {
        (names[source], relation, names[target])
        for source, relation, target in re.findall(r"(n\d+) -->\|(.*)\| (n\d+)", "\n".join(mermaid))
    }
    # A kernel that only calls another operator leads on to that one's.
    assert {
        ("torch.softcap", "binds", "aten::softcap.int"),
        ("aten::softcap.int", "CompositeImplicitAutograd", _NATIVE + "softcap"),
        (_NATIVE + "softcap", "operator", "aten::_softcap"),
        ("aten::_softcap", "CPU", _NATIVE + "softcap_cpu_out"),
        (_NATIVE + "softcap_cpu_out", "stub", _NATIVE + "softcap_stub"),
        (_NATIVE + "softcap_stub", "CPU", _NATIVE + "softcap_kernel_impl"),
        (_NATIVE + "softcap_cuda_out", "launches", _NATIVE + "softcap_forward"),
    } <= arrows
    dot = text(graph, "trace", name="_softcap", format="dot")
    assert '  n0 [label="torch._softcap"];' in dot
    assert dot[-1] == "}"
    assert sum('label="derivative"' in line for line in dot) == 1
    assert text(graph, "trace", name="no_such", format="mermaid")[-1] == "flowchart LR"
    found = json.loads("\n".join(text(graph, "trace", name="softcap", format="json")))
    assert [overload["operator"] for overload in found["overloads"]] == [
        "aten::softcap.int", "aten::softcap.int_out",
    ]  # fmt: skip


def test_json_as_a_format_is_json_however_long(graph: sqlite3.Connection) -> None:
    answer = ask(graph, "impact", name="softcap_kernel_impl", format="json", limit=200)
    assert json.loads(to_text(answer)) == json.loads(to_json(answer))
    short = to_text(answer, limit=4_000)
    assert len(short) <= 4_000
    assert json.loads(short)["page"]["total"] == answer.page.total


@pytest.mark.parametrize("exclude", ["none", exclusions.DEFAULT, "syntax", "stub,candidate"])
@pytest.mark.parametrize("depth", [1, 3, 9])
def test_both_ways_to_walk_reach_the_same(
    graph: sqlite3.Connection, exclude: str, depth: int
) -> None:
    excluded = exclusions.parse(graph, exclude)
    for (seed,) in graph.execute(
        "SELECT DISTINCT target FROM edges UNION SELECT callee_id * 16 FROM calls"
    ):
        assert walk._by_levels(graph, [seed], depth, excluded) == walk._at_once(
            graph, [seed], depth, excluded
        )


def test_a_walk_through_a_cycle_ends(graph: sqlite3.Connection) -> None:
    nothing = exclusions.parse(graph, "none")
    seeds = [row[0] * 16 for row in graph.execute("SELECT id FROM functions")]
    reached = upwards(graph, seeds, 20, nothing)
    assert all(reached.path(node) is not None for node in reached.depths)


def test_the_earlier_tools_answer_by_the_same_code(graph: sqlite3.Connection) -> None:
    callers = classic_tools()["get_cpp_callers"].ask(graph, name="cap_row")
    assert [n.name for n in callers.neighbours] == [_NATIVE + "softcap_kernel_impl"]
    callees = classic_tools()["get_cpp_callees"].ask(graph, name="aten::softcap.int")
    assert [n.name for n in callees.neighbours] == ["aten::_softcap", "aten::clip_to_"]
    assert "shown is what holds for its kernels" in callees.notes[0]


def test_through_the_server(graph_db: Path) -> None:
    server = make_server(IndexSource(graph_db, None))

    def call(tool: str, **arguments: object) -> str:
        result = asyncio.run(server.call_tool(tool, dict(arguments)))
        assert isinstance(result, CallToolResult)
        (content,) = result.content
        assert isinstance(content, TextContent)
        return content.text

    assert call("impact", name="softcap_kernel_impl").startswith(
        "at::native::softcap_kernel_impl: within 3 calls 3 operators"
    )
    assert "at::native::softcap_kernel_impl" in call("called_by", name="cap_row")
    assert "flowchart LR" in call("calls", name="softcap_cpu_out", format="mermaid")


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    name=st.sampled_from(["softcap", "at::native::check_dim", "torch.nn.Cap", _CPP, f"{_CPP}:22", "F.banded"])
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
    graph: sqlite3.Connection,
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
    answers = [ask(graph, "calls", **common), ask(graph, "called_by", **common)]
    answers.append(ask(graph, "impact", depth=depth, **common))
    for answer in answers:
        found = to_text(answer)
        assert 0 < len(found) <= MAX_CHARACTERS
        if form == "json":
            json.loads(found)
