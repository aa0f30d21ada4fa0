"""Names as people write them."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torchtalk.db import connect
from torchtalk.names import resolve
from torchtalk.names.closest import closest, trigrams
from torchtalk.names.forms import parse
from torchtalk.names.methods import find_method
from torchtalk.render import to_text
from torchtalk.tools import all_tools
from torchtalk.tools.walks import seeds

SCALE_ADD = ("aten::scale_add.Tensor", "aten::scale_add.out")


@pytest.mark.parametrize(
    ("text", "name", "overloads"),
    [
        ("scale_add", "aten::scale_add", SCALE_ADD),
        ("  scale_add() ", "aten::scale_add", SCALE_ADD),
        ("aten::scale_add", "aten::scale_add", SCALE_ADD),
        ("torch.ops.aten.scale_add", "aten::scale_add", SCALE_ADD),
        ("aten.scale_add.Tensor", "aten::scale_add.Tensor", SCALE_ADD[:1]),
        ("torch.ops.aten.scale_add.out", "aten::scale_add.out", SCALE_ADD[1:]),
        ("aten::scale_add.Tensor", "aten::scale_add.Tensor", SCALE_ADD[:1]),
        ("scale_add.out", "aten::scale_add.out", SCALE_ADD[1:]),
        ("torch.ops.aten._softcap.default", "aten::_softcap", ("aten::_softcap",)),
        ("at::scale_add", "aten::scale_add", SCALE_ADD),
        ("Tensor::scale_add", "aten::scale_add", SCALE_ADD),
        ("torch::Tensor::scale_add", "aten::scale_add", SCALE_ADD),
        ("torch::scale_add", "aten::scale_add", SCALE_ADD),
        ("at::_ops::scale_add_Tensor::call", "aten::scale_add", SCALE_ADD[:1]),
        ("at::_ops::_softcap_out", "aten::_softcap", ("aten::_softcap.out",)),
        ("scale_add_", "aten::scale_add_", ("aten::scale_add_.Tensor",)),
        ("scale_add_out", "aten::scale_add", SCALE_ADD[1:]),
        ("SCALE_ADD", "aten::scale_add", SCALE_ADD),
        ("at::native::softcap_cpu_out", "at::native::softcap_cpu_out",
         ("aten::_softcap", "aten::_softcap.out")),
        ("softcap_cpu_out", "at::native::softcap_cpu_out", ("aten::_softcap", "aten::_softcap.out")),
        ("structured_softcap_cpu_out", "at::native::softcap_cpu_out", ("aten::_softcap", "aten::_softcap.out")),
        ("at::native::structured_softcap_cpu_out::impl", "at::native::softcap_cpu_out",
         ("aten::_softcap", "aten::_softcap.out")),
        ("TORCH_IMPL_FUNC(softcap_cpu_out)", "at::native::softcap_cpu_out",
         ("aten::_softcap", "aten::_softcap.out")),
        ("structured__softcap", "at::meta::structured__softcap::meta",
         ("aten::_softcap", "aten::_softcap.out")),
        ("TORCH_META_FUNC(_softcap) (const Tensor& self)", "at::meta::structured__softcap::meta",
         ("aten::_softcap", "aten::_softcap.out")),
        ("native::ripple_cpu", "custom::native::ripple_cpu", ("aten::ripple",)),
        ("ripple_cpu", "custom::native::ripple_cpu", ("aten::ripple",)),
    ],
)  # fmt: skip
def test_forms(conn: sqlite3.Connection, text: str, name: str, overloads: tuple[str, ...]) -> None:
    resolution = resolve(conn, text)
    assert resolution.target is not None, resolution
    assert resolution.target.name == name
    assert resolution.target.overloads == overloads


@pytest.mark.parametrize(
    ("text", "api", "overloads"),
    [
        ("torch.softcap", "torch.softcap", {"aten::softcap.int", "aten::softcap.int_out"}),
        ("Tensor.scale_add_", "torch.Tensor.scale_add_", {"aten::scale_add_.Tensor"}),
        ("torch.Tensor.softcap", "torch.Tensor.softcap", {"aten::softcap.int"}),
        ("linalg.trim", "torch.linalg.trim", {"aten::linalg_trim", "aten::linalg_trim.out"}),
        ("torch._C._nn.ripple", "torch._C._nn.ripple", {"aten::ripple"}),
    ],
)
def test_python_names(conn: sqlite3.Connection, text: str, api: str, overloads: set[str]) -> None:
    resolution = resolve(conn, text)
    assert resolution.api == api
    assert resolution.target is not None
    assert set(resolution.target.overloads) == overloads


def test_a_wrong_overload_lists_those_there_are(conn: sqlite3.Connection) -> None:
    resolution = resolve(conn, "aten::scale_add.Scalar")
    assert resolution.target is None
    assert resolution.candidates == SCALE_ADD
    assert resolution.notes == ("aten::scale_add has no overload Scalar",)


def test_a_method_is_not_a_function(conn: sqlite3.Connection) -> None:
    assert resolve(conn, "torch.scale_add_").target is None
    assert resolve(conn, "torch.Tensor._softcap").target is None


def test_case_is_said(conn: sqlite3.Connection) -> None:
    assert resolve(conn, "Softcap").notes == ("there is no Softcap; softcap differs in case only",)
    assert resolve(conn, "at::Softcap").target == resolve(conn, "Softcap").target


def test_another_namespace_is_no_difference_in_case(conn: sqlite3.Connection) -> None:
    """TorchScript's prim::Print is not higher_order::print."""
    assert resolve(conn, "prim::Softcap").target is None


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("torch.softcap.int", "aten::softcap.int"),
        ("torch.softcap.out", "aten::softcap.int_out"),
        ("torch.Tensor.softcap.Scalar", "aten::softcap.int"),
    ],
)
def test_an_overload_of_a_python_function(
    conn: sqlite3.Connection, text: str, nearest: str
) -> None:
    """Python functions have no overloads: their operators', `torch.ops.aten.bmm.out`, are what is meant."""
    resolution = resolve(conn, text)
    assert resolution.target is None
    assert resolution.closest[0] == nearest
    function = text.rpartition(".")[0]
    assert resolution.notes[0] == (
        f"{function} is a Python function; overloads of its operator are called aten::softcap.OVERLOAD"
    )


@pytest.mark.parametrize("text", ["sofcap", "softcapp", "sotfcap", "aten::softcab"])
def test_misspelt_names_bring_the_closest(conn: sqlite3.Connection, text: str) -> None:
    resolution = resolve(conn, text)
    assert resolution.target is None
    assert "aten::softcap" in resolution.closest


def test_nothing_is_like_nothing(conn: sqlite3.Connection) -> None:
    assert closest(conn, "qqqqzzzz") == ()
    assert trigrams("ab") == []


def test_forms_are_told_apart() -> None:
    spaces = frozenset({"aten", "prims"})
    kinds = {
        text: form.kind if (form := parse(text, spaces)) else None
        for text in ("a b", "", "x", "F.gelu", "math.add", "prims.add", "a::b::c", "prims::add")
    }
    assert kinds == {
        "a b": None, "": None, "x": "bare", "F.gelu": "python", "math.add": "bare",
        "prims.add": "operator", "a::b::c": "cpp", "prims::add": "operator",
    }  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.text(max_size=60) | st.from_regex(r"(torch|aten|F|at::native)[.:]{1,2}[\w.:\"'%_*]{0,20}")
)
def test_any_text_has_an_answer(conn: sqlite3.Connection, text: str) -> None:
    resolution = resolve(conn, text)
    assert resolution.query == text
    assert resolution.target is None or resolution.target.name


@pytest.mark.parametrize(
    ("text", "name", "inherited"),
    [
        ("torch.nn.Cap.forward", "torch.nn.modules.cap.Cap.forward", False),
        ("torch.nn.modules.cap.Cap.forward", "torch.nn.modules.cap.Cap.forward", False),
        ("nn.Cap.forward", "torch.nn.modules.cap.Cap.forward", False),
        ("Cap.forward", "torch.nn.modules.cap.Cap.forward", False),
        ("Cap.extra_repr", "torch.nn.modules.cap._CapNd.extra_repr", True),
        ("torch.nn.LazyCap.forward()", "torch.nn.modules.cap.Cap.forward", True),
        ("optim.Scaled.step", "torch.optim.scaled.Scaled.step", False),
        ("torch.nn.modules.cap._CapNd.__init__", "torch.nn.modules.cap._CapNd.__init__", False),
    ],
)  # fmt: skip
def test_methods_of_python_classes(
    conn: sqlite3.Connection, text: str, name: str, inherited: bool
) -> None:
    found = resolve(conn, text)
    assert found.target is not None
    assert (found.target.kind, found.target.name) == ("method", name)
    assert bool(found.notes) == inherited
    assert seeds.find(conn, text).what == name


@pytest.mark.parametrize("text", ["torch.nn.Cap.backward", "Nothing.forward", "cap.forward"])
def test_what_is_no_method(conn: sqlite3.Connection, text: str) -> None:
    assert find_method(conn, text) is None
    assert resolve(conn, text).target is None


def test_an_overload_is_no_method(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "scale_add.Tensor").target
    assert found is not None
    assert found.kind == "operator"


def test_trace_of_a_method_shows_what_it_reaches(conn: sqlite3.Connection) -> None:
    lines = to_text(all_tools()["trace"].ask(conn, name="torch.nn.Cap.forward")).splitlines()
    assert (
        lines[0]
        == "torch.nn.modules.cap.Cap.forward is a method of a Python class: ask calls, called_by or impact for it"
    )
    assert lines[1].strip().endswith("torch/nn/modules/cap.py:26")
    assert any("aten::softcap" in line for line in lines[2:])


def test_functors_by_the_end_of_their_names(conn: sqlite3.Connection) -> None:
    for name in ("at::Ender::operator()", "Ender::operator()", "operator()"):
        assert seeds.find(conn, name).what == "at::Ender::operator()"


def test_of_many_namesakes_none_is_left_out(fixture_db: Path, tmp_path: Path) -> None:
    copy = tmp_path / "many.db"
    shutil.copyfile(fixture_db, copy)
    with closing(sqlite3.connect(copy)) as written:
        written.executemany(
            "INSERT INTO functions (name, head, kind, file_id, line, end_line, is_exact)"
            " VALUES (?, 'void go()', 'method', 1, 1, 1, 0)",
            [(f"n::C{number:03}::go_there",) for number in range(120)]
            # One is a kernel, which does not stand before its namesakes that are none.
            + [("other::ripple_cpu",)],
        )
        written.commit()
    conn = connect(copy)
    found = seeds.find(conn, "go_there")
    assert len(found.nodes) == 120
    assert found.notes[0].startswith(
        "go_there is 120 functions, all of which are meant here: n::C000"
    )
    assert found.notes[0].endswith(" and 112 more")
    assert resolve(conn, "ripple_cpu").notes == ("other functions of this name: other::ripple_cpu",)
    conn.close()


def test_a_public_name_of_python_in_another_case(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "torch.nn.CAP")
    assert found.target is not None and found.target.name == "torch.nn.Cap"
    assert "there is no torch.nn.CAP; torch.nn.Cap differs in case only" in found.notes
    assert all_tools()["trace_module"].ask(conn, name="torch.nn.cAp").public_name == "torch.nn.Cap"
    tests = all_tools()["find_similar_tests"].ask(conn, query="torch.nn.CAP")
    assert tests.subject == "torch.nn.Cap"


@pytest.mark.parametrize(("name", "module"), [("torch", "torch"), ("F", "torch.nn.functional")])
@pytest.mark.parametrize("tool", ["trace", "calls", "called_by", "impact"])
def test_a_module_is_said_to_be_one(
    conn: sqlite3.Connection, tool: str, name: str, module: str
) -> None:
    finding = all_tools()[tool].ask(conn, name=name).finding
    assert finding.startswith(f"{module} is a ") and "ask for a name in it" in finding


def test_the_closest_names_begin_alike(conn: sqlite3.Connection) -> None:
    assert closest(conn, "torch.nn.Caps")[0] == "torch.nn.Cap"


def test_a_stub_s_kernel_is_no_operator_s_and_says_whose_it_is(conn: sqlite3.Connection) -> None:
    said = to_text(all_tools()["trace"].ask(conn, name="softcap_kernel_impl"))
    assert "the kernel of at::native::softcap_stub: ask calls, called_by or impact for it" in said
    assert "kernel of at::native::softcap_stub for CPU  aten/src/ATen/native/cpu/" in said
    assert "note: the nearest operators that run it: aten::_softcap" in said


def test_a_stub_leads_to_the_operators_that_call_it(conn: sqlite3.Connection) -> None:
    notes = all_tools()["trace"].ask(conn, name="softcap_stub").notes
    assert notes == ("the nearest operators that run it: aten::_softcap",)


def test_a_kernel_that_the_graph_leaves_out_has_its_entries_told(conn: sqlite3.Connection) -> None:
    row = conn.execute(
        "SELECT count(*) FROM v_dispatch WHERE kernel = 'c10::fallthrough_kernel'"
    ).fetchone()
    said = to_text(all_tools()["called_by"].ask(conn, name="c10::fallthrough_kernel"))
    if row[0]:
        assert f"it is the kernel of {row[0]} dispatch entr" in said
    assert "or to be registered with it" not in said


def test_every_kind_of_file_that_is_read_can_be_asked_for() -> None:
    from indexer.scan.files import SUFFIXES
    from torchtalk.names.files import written

    for suffix in SUFFIXES:
        file = written(f"aten/a.{suffix}:7")
        assert file is not None and (file.path, file.first) == (f"aten/a.{suffix}", 7)
