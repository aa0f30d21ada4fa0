"""compile_path and compile_options on the fixture tree."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.support.small_tree import indexed
from tests.unit.support.tries import tries
from torchtalk.answers.base import Place
from torchtalk.answers.compile_path import OperatorPath
from torchtalk.arguments import BadArgument
from torchtalk.render import to_json, to_text
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.tools import all_tools, compile_options, compile_path


def path(conn: sqlite3.Connection, name: str) -> str:
    return to_text(all_tools()["compile_path"].ask(conn, name=name))


def options(conn: sqlite3.Connection, query: str, **arguments: object) -> str:
    return to_text(all_tools()["compile_options"].ask(conn, query=query, **arguments))


def test_a_composite_is_followed_to_what_it_is_made_of(conn: sqlite3.Connection) -> None:
    text = path(conn, "torch.softcap")
    assert (
        "softcap: composite: at::native::softcap runs while the graph is traced"
        in text.splitlines()[0]
    )
    assert (
        "torch.softcap -> TorchInGraphFunctionVariable [rule]  torch/_dynamo/trace_rules.py:"
        in text
    )
    assert "ref: torch._refs.softcap" in text
    assert "level: composite (CompositeImplicitAutograd), not Core ATen" in text


def test_a_decomposition_and_what_becomes_of_it(conn: sqlite3.Connection) -> None:
    text = path(conn, "aten::_softcap")
    assert text.startswith("aten::_softcap: decomposed by torch._decomp.decompositions._softcap")
    assert "level: Core ATen" in text
    assert "meta: at::meta::structured__softcap::meta" in text


def test_a_decomposition_that_may_decline(conn: sqlite3.Connection) -> None:
    first = path(conn, "ripple").splitlines()[0]
    assert first == (
        "aten::ripple: decomposed by torch._inductor.decomposition.ripple; where that declines: "
        "Inductor neither decomposes nor lowers it: an implicit fallback calls the eager kernel"
    )


def test_a_decomposition_that_was_taken_out(conn: sqlite3.Connection) -> None:
    text = path(conn, "_softcap_backward_data")
    assert "falls back: Inductor calls the eager kernel" in text.splitlines()[0]
    assert "taken out of the decomposition table" in text
    assert "torch/_inductor/decomposition.py:13" in text


def test_a_lowering_by_template(conn: sqlite3.Connection) -> None:
    text = path(conn, "linalg_trim")
    assert "lowering: torch._inductor.kernel.trim.tuned_trim" in text
    assert "[template]" in text
    assert "may fall back: torch._inductor.lowering.fallback_handler.<locals>.handler" in text
    assert "if torch.xpu._is_compiled()" in text
    assert "fake: torch._subclasses.fake_impls.trim" in text


def test_patterns_lists_and_logs(conn: sqlite3.Connection) -> None:
    text = path(conn, "aten::scale_add.Tensor")
    assert "post_grad: merge_scales  torch/_inductor/fx_passes/post_grad.py:" in text
    assert "post_grad: _band_pattern -> _band_replacement" in text
    assert "get_default_op_list.default_recomputable_ops (torch/_functorch/partitioners.py:" in text
    assert "see AOT: TORCH_LOGS=breaks" in text
    assert "gradient: formulas of aten::scale_add.Tensor" in text


def test_a_handler_of_dynamo(conn: sqlite3.Connection) -> None:
    assert "handle_row_count [handler]" in path(conn, "torch.row_count")


@pytest.mark.parametrize(
    "name", ["repeat_body", "torch.ops.higher_order.repeat_body", "higher_order::repeat_body"]
)
def test_a_higher_order_operator(conn: sqlite3.Connection, name: str) -> None:
    text = path(conn, name)
    assert text.startswith(
        "higher_order::repeat_body: Inductor lowers it with torch._inductor.lowering.repeat_body"
    )
    assert "torch/_higher_order_ops/repeat.py:6" in text
    fake = "torch._higher_order_ops.repeat.repeat_body_fake  torch/_higher_order_ops/repeat.py:33"
    assert (
        f"fake: {fake}  [FakeTensorMode]  (registered torch/_higher_order_ops/repeat.py:32)" in text
    )


def test_a_name_of_torch_is_said_to_be_taken_for_a_higher_order_operator(
    conn: sqlite3.Connection,
) -> None:
    text = path(conn, "torch.repeat_body")
    assert text.startswith("higher_order::repeat_body: ")
    assert (
        "nothing here is called torch.repeat_body; taken as torch.ops.higher_order.repeat_body"
        in text
    )
    assert "taken as" not in path(conn, "torch.ops.higher_order.repeat_body")


def test_a_name_that_is_not_there(conn: sqlite3.Connection) -> None:
    answer = all_tools()["compile_path"].ask(conn, name="softcapp")
    assert not answer.found
    assert any("softcap" in name for name in answer.closest)


def test_an_option_by_its_name(conn: sqlite3.Connection) -> None:
    lines = options(conn, "autotune", kind="config").splitlines()
    assert lines[1].startswith("[config] torch._inductor.config.autotune = os.environ.get(")
    assert "set by TORCHINDUCTOR_FIXTURE_AUTOTUNE  torch/_inductor/config.py:" in lines[1]
    assert lines[2] == "    Try several kernels and keep the fastest."


def test_an_artifact_and_who_writes_to_it(conn: sqlite3.Connection) -> None:
    text = options(conn, "breaks", kind="artifact")
    assert "[artifact] TORCH_LOGS=breaks (on with its log at DEBUG, visible)" in text
    assert "written by torch/_functorch/partitioners.py:" in text


def test_a_graph_break_by_the_text_that_was_printed(conn: sqlite3.Connection) -> None:
    text = options(conn, "call softcap_list with 4 arguments", kind="graph_break")
    assert (
        "[graph_break] call {self.value} with {len(args)} arguments  torch/_dynamo/variables/torch.py:"
        in text
    )
    text = options(conn, "Softcap of a list")
    assert "Dynamo cannot cap lists." in text
    assert "hint: Pass a tensor." in text


@pytest.mark.parametrize(
    "asked",
    ("graph break on a list", "why does list graph break", "what causes graph breaks in list"),
)
def test_a_question_about_graph_breaks_is_about_their_messages(
    conn: sqlite3.Connection, asked: str
) -> None:
    """No message says of itself that it is one: `graph break on setattr` had no answer."""
    answer = all_tools()["compile_options"].ask(conn, query=asked)
    assert [hit.name for hit in answer.hits if hit.kind == "graph_break"] == ["Softcap of a list"]
    answer = all_tools()["compile_options"].ask(conn, query="does print cause a graph break")
    assert not answer.hits
    assert answer.notes == ("taken as print", "compile_path says what Dynamo does with print")


def test_pages_and_kinds(conn: sqlite3.Connection) -> None:
    text = options(conn, "", kind="config", limit=2)
    assert text.splitlines()[-1] == "1 to 2 of 8 entries; more with offset=2"
    assert options(conn, "", limit=1).splitlines()[-1].startswith("note: kinds: log, artifact,")
    with pytest.raises(BadArgument, match="kind must be one of"):
        all_tools()["compile_options"].ask(conn, query="x", kind="flag")


def test_nothing_fits(conn: sqlite3.Connection) -> None:
    answer = all_tools()["compile_options"].ask(conn, query="zzzz")
    assert not answer.found
    assert "fits 'zzzz'" in answer.finding


def test_descriptions_are_short() -> None:
    for tool in (all_tools()["compile_path"], all_tools()["compile_options"]):
        assert len(tool.description) < 200


@settings(
    max_examples=tries(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=st.text(max_size=60))
def test_any_text_gets_a_bounded_answer(conn: sqlite3.Connection, text: str) -> None:
    for answer in (
        compile_path.compile_path(conn, text),
        compile_options.compile_options(conn, text),
    ):
        assert len(to_text(answer)) <= MAX_CHARACTERS
        assert to_json(answer)


def test_what_a_function_reaches_is_not_what_it_is() -> None:
    def way(outcome: str, *operators: str) -> OperatorPath:
        return OperatorPath(operators, Place(None, None), "", (), (), outcome)

    def finding(what: str, paths: list[OperatorPath]) -> str:
        return compile_path._finding(what, paths, ())

    assert finding(
        "torch.add", [way("one", "aten::add.Tensor"), way("two", "aten::add.Scalar")]
    ) == ("torch.add: one; other overloads: two")
    assert finding("aten::add.Tensor", [way("one", "aten::add.Tensor")]) == "aten::add.Tensor: one"
    assert finding("torch.saved", [way("one", "aten::empty.a", "aten::empty.b")]) == (
        "torch.saved reaches 1 operator: aten::empty: one"
    )
    assert finding("torch.pool", [way("one", "aten::a", "aten::b"), way("two", "aten::c")]) == (
        "torch.pool reaches 3 operators: aten::a, aten::b: one; aten::c: two"
    )


def test_readers_of_a_variable_in_several_files(conn: sqlite3.Connection) -> None:
    with sqlite3.connect(":memory:") as copy:
        copy.row_factory = sqlite3.Row
        conn.backup(copy)
        files = copy.execute("SELECT id, path FROM source_files ORDER BY id LIMIT 2").fetchall()
        one, other = ((row["id"], row["path"]) for row in files)
        a, b = one[0], other[0]
        read = [(a, 3, "1"), (a, 4, "1"), (a, 5, None), (a, 6, None), (b, 7, "2")]
        copy.executemany(
            "INSERT INTO compile_options (kind, name, file_id, line, default_value, environment)"
            " VALUES ('env', 'A_B_C', ?, ?, ?, 'A_B_C')",
            read,
        )
        text = options(copy, "A_B_C")
    copy.close()
    assert text.startswith("1 entry fits 'A_B_C'\n")
    places = f"{one[1]}:3, {other[1]}:7, {one[1]}:4 and 2 more"
    assert f"[env] A_B_C = 1 | 2  {places}" in text


def test_what_is_like_an_option_shares_a_word_that_tells(conn: sqlite3.Connection) -> None:
    def closest(query: str) -> tuple[str, ...]:
        return all_tools()["compile_options"].ask(conn, query=query).closest

    assert any("autotune" in name for name in closest("autotoune_it"))
    # A letter that a message puts in is in each text, and a short word in many a longer one.
    assert closest("F.e") == ()
    assert closest("sumax") == ()
    answer = all_tools()["compile_options"].ask(conn, query="torch.softcap")
    assert answer.notes == ("compile_path follows torch.softcap through torch.compile",)


def test_what_a_helper_registers_stands_where_it_is_defined(tmp_path: Path) -> None:
    tree = {
        "aten/src/ATen/native/native_functions.yaml": "[]",
        "torch/_prims/__init__.py": (
            "import torch\n"
            "def _make_prim(*, schema, meta, impl_aten):\n"
            "    def _prim_impl(*args): ...\n"
            "    name = schema.split('(')[0]\n"
            "    made = torch.library.custom_op(\n"
            "        'prims::' + name, _prim_impl, mutates_args=(), schema=schema[len(name):])\n"
            "    made.register_fake(meta)\n"
        ),
        "torch/_inductor/inductor_prims.py": (
            "from torch import _prims\n"
            "def make_prim(schema, impl):\n"
            "    def meta(*args): ...\n"
            "    return _prims._make_prim(schema=schema, meta=meta, impl_aten=impl)\n"
            "seed = make_prim('seed(Device device) -> Tensor', lambda device: 1)\n"
        ),
    }
    with indexed(tree, tmp_path) as conn:
        rows = conn.execute(
            "SELECT role, function, file, line FROM v_compile WHERE operator = 'prims::seed'"
            " ORDER BY role"
        )
        made, given = "torch/_prims/__init__.py", "torch/_inductor/inductor_prims.py"
        assert [tuple(row) for row in rows] == [
            ("fake", "torch._inductor.inductor_prims.make_prim.<locals>.meta", given, 3),
            ("prim", "torch._prims._make_prim.<locals>._prim_impl", made, 3),
        ]
