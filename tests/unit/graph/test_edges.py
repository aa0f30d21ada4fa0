"""The joined graph: exact edges of a small tree."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from indexer import link
from indexer.facts.edges import call_code
from tests.edges import edges_not_in_view
from tests.unit.support.asking import ask
from tests.unit.support.graph_tree import CPP, CU, KERNEL, NATIVE, YAML, line_of
from tests.unit.support.small_tree import indexed
from torchtalk.graph import exclusions, nodes
from torchtalk.graph.walk import upwards


def edges(conn: sqlite3.Connection, where: str) -> set[tuple[Any, ...]]:
    return {
        tuple(row)
        for row in conn.execute(
            f"SELECT source, target, kind, origin, line FROM v_edges WHERE {where}"
        )
    }


def test_the_edges_of_a_kernel_file(conn: sqlite3.Connection) -> None:
    at = {
        name: line_of(CPP, name) for name in ("checkFail(", "check_dim(self", "softcap_stub(kCPU")
    }
    assert edges(conn, f"file = '{CPP}'") == {
        (NATIVE + "check_dim", "c10::detail::checkFail", "call", "syntax", at["checkFail("]),
        # One of two overloads, which is told by the type of an argument.
        (NATIVE + "softcap_cpu_out", NATIVE + "check_dim", "candidate", "syntax", at["check_dim(self"]),
        (NATIVE + "softcap_cpu_out", NATIVE + "softcap_stub", "stub", "syntax", at["softcap_stub(kCPU"]),
        # On `auto`: nothing but a tensor has such a method. A vector's size() is no aten::size.
        (NATIVE + "softcap", "aten::clip_to_", "candidate", "syntax", line_of(CPP, "input.clip_to_")),
        (NATIVE + "softcap", "aten::_softcap", "operator", "syntax", line_of(CPP, "at::_softcap(")),
        (NATIVE + "linalg_trim", "aten::band", "operator", "syntax", line_of(CPP, "self.band(1)")),
        # Two arguments: not the overload that writes to a third.
        (NATIVE + "linalg_trim", "aten::softcap.int", "operator", "syntax", line_of(CPP, "at::softcap(")),
    }  # fmt: skip


def test_the_edges_of_stubs_kernels_and_launches(conn: sqlite3.Connection) -> None:
    assert edges(conn, f"file IN ('{KERNEL}', '{CU}')") == {
        (NATIVE + "softcap_stub", NATIVE + "softcap_kernel_impl", "stub", "macro", line_of(KERNEL, "REGISTER")),
        (NATIVE + "softcap_kernel_impl", NATIVE + "cap_row", "call", "syntax", line_of(KERNEL, "cap_row(nullptr")),
        (NATIVE + "softcap_cuda_out", NATIVE + "softcap_forward", "launch", "syntax", line_of(CU, "<<<")),
    }  # fmt: skip


def test_the_edges_of_operators(conn: sqlite3.Connection) -> None:
    assert edges(conn, f"file = '{YAML}' AND source IN ('aten::_softcap', 'aten::scale_add.Tensor')") == {
        ("aten::_softcap", NATIVE + "softcap_cpu_out", "structured", "delegate", 77),
        ("aten::_softcap", NATIVE + "softcap_cuda_out", "structured", "delegate", 78),
        ("aten::_softcap", "at::meta::structured__softcap::meta", "structured", "delegate", 71),
        # What torchgen/dest/ufunc.py writes calls this stub, whose kernels run the loop.
        ("aten::scale_add.Tensor", NATIVE + "scale_add_stub", "dispatch", "delegate", 33),
        ("aten::scale_add.Tensor", NATIVE + "ufunc::scale_add", "dispatch", "delegate", 33),
    }  # fmt: skip
    assert edges(conn, "kind = 'derivative'") == {
        ("aten::scale_add.Tensor", "torch::autograd::generated::details::scale_backward", "derivative", "yaml", 3),
        ("aten::_softcap", "aten::_softcap_backward_data", "derivative", "yaml", 7),
    }  # fmt: skip


def test_operators_that_are_named_rather_than_called(conn: sqlite3.Connection) -> None:
    file = "aten/src/ATen/native/ByName.cpp"
    by_handle, by_keys = NATIVE + "clip_by_handle", NATIVE + "clip_by_keys"
    # The comment, and what no operator is called, are none.
    assert edges(conn, f"file = '{file}'") == {
        (by_handle, "aten::clip_to_", "handle", "syntax", line_of(file, "findSchemaOrThrow(\"aten::clip_")),
        (by_handle, "aten::linalg_trim.out", "handle", "syntax", line_of(file, "findSchema({")),
        (by_keys, "aten::_softcap_backward_data", "operator", "syntax", line_of(file, "_ops::_softcap")),
        (by_keys, "aten::scale_add.out", "operator", "syntax", line_of(file, "ATEN_FN2")),
        # The keys, and the two arguments of the operator.
        (by_keys, "aten::clip_to_", "operator", "syntax", line_of(file, "at::redispatch")),
    }  # fmt: skip
    reached = ask(conn, "impact", name="aten::clip_to_", depth=1)
    assert by_handle in {dependent.name for dependent in reached.dependents}


def test_operators_that_the_stable_interface_names(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: trim.int(Tensor self, int by) -> Tensor\n- func: trim(Tensor self) -> Tensor\n"
        ),
        "torch/csrc/stable/ops.h": (
            "inline Tensor trim(const Tensor& self) {\n"
            "#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_10_0\n"
            "  CHECK(torch_call_dispatcher(\n"
            '      "aten::trim", "int", stack.data(), TORCH_ABI_VERSION));\n'
            "#else\n"
            '  CHECK(aoti_torch_call_dispatcher("aten::trim", "int", stack.data()));\n'
            "#endif\n}\n"
        ),
    }
    with indexed(files, tmp_path) as tree:
        assert edges(tree, "kind = 'handle'") == {
            ("trim", "aten::trim.int", "handle", "syntax", 3),
            ("trim", "aten::trim.int", "handle", "syntax", 6),
        }


def test_the_edges_of_python(conn: sqlite3.Connection) -> None:
    cap = "torch.nn.modules.cap.Cap"
    assert edges(conn, f"source IN ('{cap}', '{cap}.forward') AND kind <> 'test'") == {
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
    ) in edges(conn, "kind = 'bind'")
    tests = {(source, target) for source, target, *_ in edges(conn, "kind = 'test'")}
    assert ("test.test_caps.TestCaps.test_softcap", "torch._C._VariableFunctions.softcap") in tests
    assert ("test.test_caps.TestCaps.test_softcap", "aten::band") in tests


def test_every_edge_has_names_and_a_place(conn: sqlite3.Connection) -> None:
    assert not conn.execute(
        "SELECT * FROM v_edges WHERE source IS NULL OR target IS NULL OR file IS NULL OR line < 1"
    ).fetchall()


def test_steps_can_run_again(fixture_db: Path, tmp_path: Path) -> None:
    copy = sqlite3.connect(tmp_path / "again.db")
    with sqlite3.connect(fixture_db) as original:
        original.backup(copy)
    before = copy.execute("SELECT * FROM edges").fetchall()
    for _, run in link.steps([47, 48, 80, 81, 82]):
        run(copy, None)  # type: ignore[arg-type]
    assert copy.execute("SELECT * FROM edges").fetchall() == before
    copy.close()


def test_what_clang_saw_replaces_what_the_text_says(fixture_db: Path, tmp_path: Path) -> None:
    conn = sqlite3.connect(tmp_path / "clang.db")
    with sqlite3.connect(fixture_db) as original:
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
            "INSERT INTO functions (name, head, kind, file_id, line, end_line, is_exact)"
            " VALUES (?, '', 'function', ?, 1, 1, 1)", (name, place),
        ).lastrowid  # fmt: skip
    line = line_of(CPP, "self.band(1)")
    conn.executemany(
        f"INSERT INTO calls VALUES (?, ?, ?, {call_code('call', 'clang')})",
        [
            (trim, ids["at::Tensor::band"], line), (ids["at::Tensor::band"], ids["at::_ops::band::call"], 1),
            (trim, ids["std::move"], line),
        ],
    )  # fmt: skip
    conn.execute(
        f"INSERT INTO calls VALUES (?, ?, ?, {call_code('virtual', 'clang')})",
        (trim, ids["Base::run"], line),
    )
    conn.execute("UPDATE functions SET is_exact = 1 WHERE id = ?", (trim,))
    conn.execute(
        "INSERT INTO operator_functions VALUES (?, ?, 'call', NULL)",
        (ids["at::_ops::band::call"], band),
    )
    conn.execute(
        "INSERT INTO function_overrides VALUES (?, ?)", (ids["Base::run"], ids["Derived::run"])
    )
    conn.execute("INSERT INTO function_usrs VALUES (?, 'c:@F@trim', 1)", (trim,))
    for _, run in link.steps([47, 48, 80, 81, 82]):
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
    fixture_db: Path, tmp_path: Path
) -> None:
    conn = sqlite3.connect(shutil.copy(fixture_db, tmp_path / "x.db"))
    (file,) = conn.execute("SELECT min(id) FROM source_files WHERE kind = 'cpp'").fetchone()
    ids = {}
    for name, kind in (("launcher", "function"), ("one_kernel", "kernel"), ("two", "function"), ("two_b", "kernel"),
                       ("two_c", "kernel")):  # fmt: skip
        ids[name] = conn.execute(
            "INSERT INTO functions (name, head, kind, file_id, line, end_line, is_exact)"
            " VALUES (?, '', ?, ?, 1, 1, 1)", (f"at::native::{name}", kind, file),
        ).lastrowid  # fmt: skip
    conn.executemany(
        f"INSERT INTO calls VALUES (?, ?, ?, {call_code('candidate', 'clang')})",
        [(ids["launcher"], ids[name], line) for name, line in (
            ("one_kernel", 1), ("two", 2), ("two_b", 3), ("two_c", 3))],
    )  # fmt: skip
    for _, run in link.steps([47, 48, 80, 81, 82]):
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


@pytest.mark.parametrize("end", ["source", "target"])
def test_either_end_of_an_edge_is_found_without_reading_all_edges(
    conn: sqlite3.Connection, end: str
) -> None:
    place = ("source", "target").index(end)
    every = edges(conn, "1")
    names = {
        row[place]
        for row in edges(conn, "kind IN ('call', 'structured', 'operator', 'test', 'python')")
    }
    assert len(names) > 5
    for name in names:
        assert edges(conn, f"{end} = '{name}'") == {row for row in every if row[place] == name}
    large = _as_large(conn)
    for where in (f"{end} = 'at::native::f'", f"{end} GLOB 'at::native::*'"):
        plan = large.execute(f"EXPLAIN QUERY PLAN SELECT * FROM v_edges WHERE {where}").fetchall()
        steps = [str(row[3]) for row in plan]
        assert any(
            step.startswith(f"SEARCH {end[0]} USING") and "functions_name" in step for step in steps
        )
        # Edges and C++ calls, by the names that the view gives them, are only looked up.
        assert not any(step.split()[:2] in (["SCAN", "e"], ["SCAN", "c"]) for step in steps)
    large.close()


def _as_large(conn: sqlite3.Connection) -> sqlite3.Connection:
    """A copy that SQLite takes for a large tree's: of a few rows newer ones rather read all."""
    copy = sqlite3.connect(":memory:")
    conn.backup(copy)
    copy.execute("ANALYZE")
    for rowid, stat in copy.execute("SELECT rowid, stat FROM sqlite_stat1").fetchall():
        rows, _, rest = stat.partition(" ")
        larger = f"{int(rows) * 10_000} {rest}".rstrip()
        copy.execute("UPDATE sqlite_stat1 SET stat = ? WHERE rowid = ?", (larger, rowid))
    copy.execute("ANALYZE sqlite_schema")
    return copy


def test_every_edge_stands_in_the_view_whatever_it_joins(conn: sqlite3.Connection) -> None:
    assert edges_not_in_view(conn) == Counter()


def test_a_class_has_what_its_base_s_main_method_runs_of_it(tmp_path: Path) -> None:
    files = {
        YAML: "- func: relu(Tensor self) -> Tensor\n",
        "torch/nn/modules/module.py": "class Module:\n    pass\n",
        "torch/nn/modules/norm.py": """\
from torch.nn.modules.module import Module
class Base(Module):
    def forward(self, x):
        return self._between(x)
    def _between(self, x):
        return self._inner(x)
    def _inner(self, x): ...
    def saved(self):
        return self._kept()
    def _kept(self): ...
class Middle(Base):
    pass
class Norm(Middle):
    def _inner(self, x): return x
    def _kept(self): ...
""",
    }
    with indexed(files, tmp_path) as conn:
        rows = conn.execute(
            "SELECT target, line FROM v_edges WHERE source = 'torch.nn.modules.norm.Norm' AND kind = 'method'"
        )
        assert [tuple(row) for row in rows] == [("torch.nn.modules.norm.Norm._inner", 14)]
