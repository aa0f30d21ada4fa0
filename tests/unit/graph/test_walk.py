"""Which edges of the joined graph are followed, and how far."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from indexer import link
from indexer.facts.edges import codes_of
from tests.unit.support.asking import ask
from tests.unit.support.graph_tree import NATIVE
from tests.unit.support.small_tree import indexed
from torchtalk.arguments import BadArgument
from torchtalk.db import connect
from torchtalk.graph import exclusions, walk
from torchtalk.graph.walk import upwards
from torchtalk.tools.kernels import entries as kernels


def test_a_stub_s_caller_for_one_device_runs_no_other_s_kernel(
    fixture_db: Path, tmp_path: Path
) -> None:
    target = tmp_path / "devices.db"
    shutil.copyfile(fixture_db, target)
    conn = sqlite3.connect(target)
    # A kernel for CUDA of the stub that softcap_cpu_out calls with kCPU.
    conn.execute(
        "INSERT INTO stub_registrations (stub, scope, form, backend, kernel, function_id, file_id, line)"
        " SELECT s.stub, s.scope, s.form, 'CUDA', u.name, u.id, u.file_id, u.line"
        " FROM stub_registrations AS s JOIN functions AS u ON u.name = ? WHERE s.stub = ? LIMIT 1",
        (NATIVE + "softcap_cuda_out", NATIVE + "softcap_stub"),
    )
    for _, run in link.steps([80, 81, 82]):
        run(conn, None)  # type: ignore[arg-type]
    conn.commit()
    conn.close()
    changed = connect(target)
    for depth in (2, 5):
        found = ask(changed, "impact", name="softcap_cuda_out", depth=depth)
        names = {dependent.name for dependent in found.dependents}
        assert NATIVE + "softcap_stub" in names
        assert NATIVE + "softcap_cpu_out" not in names
        assert any("1 caller of 1 stub on the way not followed" in note for note in found.notes)
        # Who asks for the stub means all its kernels; so does the CPU's.
        for name in ("softcap_stub", "softcap_kernel_impl"):
            names = {d.name for d in ask(changed, "impact", name=name, depth=depth).dependents}
            assert NATIVE + "softcap_cpu_out" in names
    changed.close()


def test_a_kernel_that_hands_on_to_its_own_stub_is_no_reason_to_follow_it(tmp_path: Path) -> None:
    folder = "aten/src/ATen/native"
    files = {
        f"{folder}/native_functions.yaml": "- func: far(Tensor self) -> Tensor\n  dispatch:\n    CPU, CUDA: far\n",
        f"{folder}/Far.h": "DECLARE_DISPATCH(void (*)(const Tensor&), far_stub);\n",
        f"{folder}/Far.cpp": "namespace at::native {\nDEFINE_DISPATCH(far_stub);\n"
        "Tensor far(const Tensor& self) { far_stub(self.device().type(), self); return self; }\n}\n",
        f"{folder}/cpu/FarKernel.cpp": "namespace at::native {\nvoid far_kernel(const Tensor& self) {}\n"
        "REGISTER_DISPATCH(far_stub, &far_kernel);\n}\n",
        # aten/src/ATen/native/cuda/LinearAlgebraStubs.cpp
        f"{folder}/cuda/FarStubs.cpp": "namespace at::native {\nvoid load_far() {}\n"
        "void lazy_far(const Tensor& self) { load_far(); far_stub(DeviceType::CUDA, self); }\n"
        "REGISTER_CUDA_DISPATCH(far_stub, &lazy_far);\n}\n",
    }
    with indexed(files, tmp_path) as small:
        found = ask(small, "impact", name="far_kernel")
        names = {dependent.name for dependent in found.dependents}
        assert NATIVE + "far" in names
        assert NATIVE + "lazy_far" not in names
        assert any("1 caller of 1 stub on the way not followed" in note for note in found.notes)
        # Who asks for it, or for what it does besides, means the calls that it makes.
        for name in ("lazy_far", "load_far"):
            names = {dependent.name for dependent in ask(small, "impact", name=name).dependents}
            assert NATIVE + "far" in names


def test_who_is_left_out_is_told_where_nobody_else_is_there(conn: sqlite3.Connection) -> None:
    name = NATIVE + "softcap_kernel_impl"
    assert ask(conn, "impact", name=name, exclude="none").page.total
    found = ask(conn, "impact", name=name, exclude="stub")
    assert not found.page.total
    assert "1 direct user left out by exclude" in found.notes


def test_a_stub_that_a_helper_s_helper_calls(fixture_db: Path, tmp_path: Path) -> None:
    conn = sqlite3.connect(shutil.copy(fixture_db, tmp_path / "x.db"))
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
            "INSERT INTO functions (name, head, kind, file_id, line, end_line, is_exact)"
            " VALUES (?, '', 'function', ?, 1, 1, 0)", (name, file),
        ).lastrowid  # fmt: skip
        conn.execute("INSERT INTO calls VALUES (?, ?, 1, 8)", (new, callee))
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


def test_ambiguous_calls_are_followed_only_when_asked_for(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="at::Left::start")
    assert answer.dependents == ()
    assert "nothing within 3 calls is known to depend on it" in answer.finding
    assert any(note.startswith("1 call that may be of other functions") for note in answer.notes)
    followed = ask(conn, "impact", name="at::Left::start", exclude="none")
    assert [d.name for d in followed.dependents] == [
        "at::begin_all",
        "at::begin_more",
        "at::Ender::operator()",
    ]
    assert [d.path[-1].relation for d in followed.dependents] == ["candidate?"] * 3
    (caller,) = ask(conn, "called_by", name="at::Left::start").neighbours
    assert caller.ambiguous


def test_kinds_and_origins_can_be_left_out(conn: sqlite3.Connection) -> None:
    def names(exclude: str) -> set[str]:
        answer = ask(conn, "impact", name="softcap_kernel_impl", exclude=exclude, limit=100)
        return {dependent.name for dependent in answer.dependents}

    assert NATIVE + "linalg_trim" in names("none")
    assert names("stub") == set()
    assert names("operator") == {NATIVE + "softcap_stub", NATIVE + "softcap_cpu_out"}
    assert names("syntax") == {NATIVE + "softcap_stub"}
    with pytest.raises(
        BadArgument, match="which is no kind or origin; there are alternative, ambiguous, bind"
    ):
        names("nonsense")


def test_decompositions_are_no_way_unless_asked_for(conn: sqlite3.Connection) -> None:
    name = "torch._decomp.decompositions._softcap"
    assert "aten::_softcap" not in ask(conn, "impact", name=name).operators
    assert "aten::_softcap" in ask(conn, "impact", name=name, exclude="none").operators


@pytest.mark.parametrize(
    ("name", "exclude", "said"),
    [
        ("torch._decomp.decompositions._softcap", exclusions.DEFAULT, 1),
        ("torch._decomp.decompositions._softcap", "none", 0),
        ("torch.nn.functional.banded", exclusions.DEFAULT, 0),
    ],
)
def test_what_torch_compile_runs_is_spoken_of_where_it_is_left_out(
    conn: sqlite3.Connection, name: str, exclude: str, said: int
) -> None:
    notes = ask(conn, "impact", name=name, exclude=exclude).notes
    assert sum("torch.compile" in note for note in notes) == said


@pytest.mark.parametrize("exclude", ["none", exclusions.DEFAULT, "syntax", "stub,candidate"])
@pytest.mark.parametrize("depth", [0, 1, 3, 9])
def test_both_ways_to_walk_reach_the_same(
    conn: sqlite3.Connection, exclude: str, depth: int
) -> None:
    excluded = exclusions.parse(conn, exclude)
    for (seed,) in conn.execute(
        "SELECT DISTINCT target FROM edges UNION SELECT callee_id * 16 FROM calls"
    ):
        assert walk._by_levels(conn, [seed], depth, excluded) == walk._at_once(
            conn, [seed], depth, excluded
        )


def test_a_walk_through_a_cycle_ends(conn: sqlite3.Connection) -> None:
    nothing = exclusions.parse(conn, "none")
    seeds = [row[0] * 16 for row in conn.execute("SELECT id FROM functions")]
    reached = upwards(conn, seeds, 20, nothing)
    assert all(reached.path(node) is not None for node in reached.depths)


def test_codes_are_those_that_the_table_tells_kinds_and_origins_of(
    conn: sqlite3.Connection,
) -> None:
    empty = sqlite3.connect(":memory:")
    ((table,),) = conn.execute("SELECT sql FROM sqlite_master WHERE name = 'calls'").fetchall()
    empty.execute(table)
    for code in codes_of(["clang", "syntax", "macro"]):
        empty.execute("INSERT INTO calls VALUES (1, 2, 3, ?)", (code,))
    rows = empty.execute("SELECT code, kind, origin FROM calls").fetchall()
    assert len(rows) == 21
    for word in {word for _, kind, origin in rows for word in (kind, origin)}:
        assert codes_of([word]) == [code for code, *told in rows if word in told]
    assert codes_of(["operator"]) == []
    empty.close()
