"""Layer 1 on the fixture tree: what its own comments expect, and every field."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.build import build
from indexer.extract import derivatives, native_functions, tags, torchgen_rules
from indexer.extract.derivatives import called_names
from indexer.extract.yaml_nodes import YamlError
from indexer.facts.operators import DerivativeEntry, Operator, Shortfall
from indexer.scan.tree import open_tree
from torchtalk.db import connect

YAML = "aten/src/ATen/native/native_functions.yaml"
LAYER_1 = ("yaml", "default", "delegate")


def _expected(fixture_tree: Path) -> set[tuple[str, ...]]:
    text = (fixture_tree / YAML).read_text(encoding="utf-8")
    return {tuple(line.split()) for line in re.findall(r"^# expect (.+)$", text, re.MULTILINE)}


def test_dispatch_is_what_the_fixture_expects(conn: sqlite3.Connection, fixture_tree: Path) -> None:
    rows = conn.execute("SELECT operator, key, kernel, origin FROM v_dispatch").fetchall()
    assert {tuple(row) for row in rows if row["origin"] in LAYER_1} == _expected(fixture_tree)


def test_lines_are_those_of_the_entries(conn: sqlite3.Connection, fixture_tree: Path) -> None:
    lines = (fixture_tree / YAML).read_text(encoding="utf-8").splitlines()
    rows = conn.execute(
        "SELECT schema, file, line FROM v_operators WHERE origin = 'yaml'"
    ).fetchall()
    assert len(rows) == 18
    for schema, file, line in rows:
        assert file == YAML
        assert lines[line - 1] == f"- func: {schema}"


def test_registered_lines_are_those_of_the_dispatch_entries(
    conn: sqlite3.Connection, fixture_tree: Path
) -> None:
    lines = (fixture_tree / YAML).read_text(encoding="utf-8").splitlines()
    rows = conn.execute(
        "SELECT key, registered_file, registered_line FROM v_dispatch WHERE origin = 'yaml'"
    ).fetchall()
    assert rows
    for key, file, line in rows:
        assert file == YAML
        assert key in lines[line - 1]


def test_generated_overloads(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT operator, schema FROM v_operators WHERE is_autogen ORDER BY operator"
    ).fetchall()
    assert [row["operator"] for row in rows] == [
        "aten::_foreach_scale",
        "aten::_foreach_scale.out",
        "aten::_running_stats.out",
        "aten::_running_stats_functional",
        "aten::_softcap_backward_data.out",
        "aten::band_copy.out",
        "aten::ripple.out",
    ]
    schemas = {row["operator"]: row["schema"] for row in rows}
    assert schemas["aten::_running_stats_functional"] == (
        "_running_stats_functional(Tensor self, Tensor mean, Tensor count)"
        " -> (Tensor, Tensor mean_out, Tensor count_out)"
    )
    assert schemas["aten::_foreach_scale.out"] == (
        "_foreach_scale.out(Tensor[] self, Scalar factor, *, Tensor(a!)[] out) -> ()"
    )


def test_every_field_is_kept(conn: sqlite3.Connection) -> None:
    def one(name: str) -> sqlite3.Row:
        row: sqlite3.Row = conn.execute(
            "SELECT * FROM operators WHERE name = ?", (name,)
        ).fetchone()
        return row

    out = one("aten::scale_add.out")
    assert (out["structured"], out["structured_inherits"]) == (1, "TensorIteratorBase")
    assert out["device_check"] == "NoCheck"
    assert one("aten::scale_add.Tensor")["structured_delegate"] == "aten::scale_add.out"
    assert one("aten::ripple")["category_override"] == "factory"
    assert one("aten::band")["device_guard"] == 0
    assert one("aten::row_count")["manual_cpp_binding"] == 1
    assert one("aten::_jagged_parts")["dispatch_written"] == 1
    fields = conn.execute(
        "SELECT o.name, f.field, f.key, f.value FROM operator_fields AS f"
        " JOIN operators AS o ON o.id = f.operator_id ORDER BY o.name, f.field, f.position"
    ).fetchall()
    assert ("aten::_softcap.out", "precomputed", "dim", "int wrapped_dim, int reduced_size") in [
        tuple(row) for row in fields
    ]
    found = {(row["name"], row["field"]): row["value"] for row in fields}
    assert found["aten::scale_add.out", "ufunc_inner_loop"] == "scale_add (Bool)"
    assert found["aten::row_count", "cpp_no_default_args"] == "range"
    assert found["aten::ripple", "autogen"] == "ripple.out"


def test_arguments_and_returns_are_parsed(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT a.name, a.type, a.default_value, a.alias_annotation, a.kwarg_only, a.is_out"
        " FROM arguments AS a JOIN operators AS o ON o.id = a.operator_id"
        " WHERE o.name = 'aten::scale_add.out' ORDER BY a.position"
    ).fetchall()
    assert [tuple(row) for row in rows] == [
        ("self", "Tensor", None, None, 0, 0),
        ("other", "Tensor", None, None, 0, 0),
        ("alpha", "Scalar", "1", None, 1, 0),
        ("out", "Tensor", None, "a!", 1, 1),
    ]
    returns = conn.execute(
        "SELECT r.name, r.type FROM returns AS r JOIN operators AS o ON o.id = r.operator_id"
        " WHERE o.name = 'aten::ripple' ORDER BY r.position"
    ).fetchall()
    assert [tuple(row) for row in returns] == [("values", "Tensor"), ("phases", "Tensor")]


def test_tags(conn: sqlite3.Connection) -> None:
    found = dict(conn.execute("SELECT operator, tags FROM v_operators").fetchall())
    assert found["aten::scale_add.Tensor"] == "core,pointwise,pt2_compliant_tag"
    assert found["aten::ripple.out"] == "generated,nondeterministic_seeded,pt2_compliant_tag"
    assert found["aten::band_copy.out"] == "generated,pt2_compliant_tag,view_copy"


def test_formulas(conn: sqlite3.Connection) -> None:
    rows = conn.execute("SELECT * FROM v_derivatives ORDER BY line").fetchall()
    assert len(rows) == 10
    assert tuple(rows[0]) == (
        "aten::scale_add.Tensor", "self", "handle_r_to_c(self.scalar_type(), grad)",
        "tools/autograd/derivatives.yaml", 2,
    )  # fmt: skip
    keys = conn.execute(
        "SELECT dispatch_key, inputs FROM derivatives WHERE operator = 'aten::band' ORDER BY line"
    ).fetchall()
    assert [tuple(row) for row in keys] == [
        ("Default", "self"), ("Default", "result"), ("AutogradNestedTensor", "self"),
    ]  # fmt: skip


def test_whose_formulas_are_used(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT o.name, u.entry, u.how FROM derivative_uses AS u"
        " JOIN operators AS o ON o.id = u.operator_id WHERE u.how <> 'exact' ORDER BY o.id"
    ).fetchall()
    assert [tuple(row) for row in rows] == [
        ("aten::scale_add_.Tensor", "aten::scale_add.Tensor", "functional"),
        ("aten::band_copy", "aten::band", "view_copy"),
        ("aten::_running_stats_functional", "aten::_running_stats", "mutable"),
    ]


def test_called_names() -> None:
    formula = 'at::f(x) + a.g<int>(y)->h(not_implemented("k(1)")) > w(1)'
    assert called_names(formula) == (("at::f", "w"), ("g", "h"))


def _extract(text: str) -> list[Operator | Shortfall]:
    return list(native_functions.extract(YAML, text.encode()))


def test_an_entry_that_is_wrong_is_a_shortfall_and_the_rest_is_read() -> None:
    facts = _extract("- func: broken\n- func: fine(Tensor self) -> Tensor\n  colour: red\n")
    assert [type(fact).__name__ for fact in facts] == ["Shortfall", "Shortfall", "Operator"]
    assert isinstance(facts[0], Shortfall)
    assert facts[0].detail.startswith("line 1: entry not understood")
    assert isinstance(facts[1], Shortfall)
    assert "'colour'" in facts[1].detail


def test_a_generated_name_without_a_rule_is_a_shortfall() -> None:
    facts = _extract(
        "- func: f(Tensor self) -> Tensor\n  dispatch:\n    CPU: f\n  autogen: g.out\n"
    )
    assert isinstance(facts[-1], Shortfall)
    assert "no rule generates 'g.out'" in facts[-1].detail


def test_a_functional_variant_may_be_an_overload() -> None:
    # PyTorch 1.12 gives it the overload `functional`, newer versions the plain name.
    facts = _extract(
        "- func: f_.Scalar(Tensor(a!) self, Tensor(b!) state) -> Tensor(a!)\n  dispatch:\n    CPU: f_\n"
        "  autogen: f.Scalar_functional\n"
    )
    made = facts[-1]
    assert isinstance(made, Operator)
    assert (
        made.func == "f.Scalar_functional(Tensor self, Tensor state) -> (Tensor, Tensor state_out)"
    )
    assert made.dispatch is not None
    assert [entry.kernel for entry in made.dispatch] == ["f_functional"]


def test_composite_variants_generate_nothing() -> None:
    facts = _extract("- func: f(Tensor self) -> Tensor\n  autogen: f.out\n")
    assert isinstance(facts[-1], Shortfall)
    assert facts[-1].status == "ok"
    assert "CompositeImplicitAutograd" in facts[-1].detail


@pytest.mark.parametrize(
    ("text", "line"),
    [("- func: [a\n- b", 2), ("- func: 'a\n", 1), ("func: x\n", 1), ("- just a text\n", 1)],
)
def test_a_file_that_is_no_yaml_says_the_line(text: str, line: int) -> None:
    with pytest.raises(YamlError) as raised:
        _extract(text)
    assert raised.value.line is not None
    assert raised.value.line >= line


@given(st.binary(max_size=200))
def test_any_bytes_are_facts_or_a_yaml_error(data: bytes) -> None:
    for extract in (native_functions.extract, derivatives.extract, tags.extract):
        try:
            list(extract("x.yaml", data))
        except YamlError as error:
            assert str(error)
    for fact in torchgen_rules.extract("model.py", data):
        assert fact


_value = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["func", "dispatch", "tags", "autogen", "structured", "variants",
                             "precomputed", "ufunc_inner_loop", "name", "tag"]),
            _value, max_size=5,
        ),
        max_size=4,
    )
)  # fmt: skip
def test_wrong_types_are_shortfalls(entries: list[dict[str, object]]) -> None:
    data = json.dumps(entries, ensure_ascii=False).encode(errors="replace")
    for extract in (native_functions.extract, derivatives.extract):
        with contextlib.suppress(YamlError):
            for fact in extract("x.yaml", data):
                assert isinstance(fact, (Operator, DerivativeEntry, Shortfall))


def test_an_alias_bomb_costs_what_it_is_written_with() -> None:
    lines = ["- func: &a0 [x, x]"]
    lines += [f"- func: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60)]
    facts = list(native_functions.extract(YAML, "\n".join(lines).encode()))
    assert all(isinstance(fact, Shortfall) for fact in facts)


def test_what_python_warns_of_is_no_shortfall() -> None:
    assert list(torchgen_rules.extract("model.py", b"PATTERN = '\\d'\n")) == []


def test_other_functions_of_the_generator_say_nothing() -> None:
    other = b"def of_another_name(v):\n    return 'core' in v.tags\n"
    assert list(torchgen_rules.extract("model.py", other)) == []


_WITH_CORE = """

def add_generated_native_functions(rs, indices):
    for d in rs:
        is_core = any("core" in variant.tags for variant in d.values())
        if all(f.has_composite_implicit_autograd_kernel for f in d.values()) and not is_core:
            continue
"""


@pytest.mark.parametrize("since_2_6", [False, True])
def test_what_is_generated_follows_the_trees_own_generator(
    fixture_tree: Path, tmp_path: Path, since_2_6: bool
) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(fixture_tree, tree)
    with (tree / YAML).open("a", encoding="utf-8") as yaml_file:
        yaml_file.write(
            "\n- func: tagged_blur(Tensor self) -> Tensor\n  autogen: tagged_blur.out\n  tags: core\n"
            "\n- func: plain_blur(Tensor self) -> Tensor\n  autogen: plain_blur.out\n"
        )
    if since_2_6:
        with (tree / "torchgen/native_function_generation.py").open("a", encoding="utf-8") as rules:
            rules.write(_WITH_CORE)
    db = tmp_path / "x.db"
    build(open_tree(tree), db, workers=0, layers=["operators"])
    with contextlib.closing(connect(db)) as conn:
        names = "name IN ('aten::tagged_blur.out', 'aten::plain_blur.out')"
        made = conn.execute(f"SELECT name FROM operators WHERE {names}").fetchall()
        said = conn.execute(
            "SELECT detail FROM v_coverage WHERE layer = 'operators' AND detail LIKE '%blur%'"
            " ORDER BY detail"
        ).fetchall()
        kernels = conn.execute("SELECT count(*) FROM dispatch WHERE kernel LIKE '%blur_out'")
        assert kernels.fetchone()[0] == since_2_6
    assert [row[0] for row in made] == (["aten::tagged_blur.out"] if since_2_6 else [])
    reason = "its variants are CompositeImplicitAutograd"
    left_out = ["plain_blur.out"] if since_2_6 else ["tagged_blur.out", "plain_blur.out"]
    assert [row[0].partition("makes no ")[2] for row in said] == [
        f"{n}: {reason}" for n in left_out
    ]


_WITHOUT_OUT_KERNELS = """

def generate_function(f, k):
    if k == SchemaKind.functional:
        gets_composite_kernel = True
    elif k == SchemaKind.out:
        gets_composite_kernel = False
"""


@pytest.mark.parametrize("before_1_13", [False, True])
def test_older_generators_give_out_variants_no_kernel(
    fixture_tree: Path, tmp_path: Path, before_1_13: bool
) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(fixture_tree, tree)
    with (tree / YAML).open("a", encoding="utf-8") as yaml_file:
        yaml_file.write(
            "\n- func: faint_blur_(Tensor(a!) self) -> Tensor(a!)\n  dispatch:\n    CPU: faint_blur_\n"
            "  autogen: faint_blur.functional, faint_blur.out\n"
        )
    if before_1_13:
        with (tree / "torchgen/native_function_generation.py").open("a", encoding="utf-8") as rules:
            rules.write(_WITHOUT_OUT_KERNELS)
    db = tmp_path / "x.db"
    build(open_tree(tree), db, workers=0, layers=["operators"])
    with contextlib.closing(connect(db)) as conn:
        kernels = conn.execute(
            "SELECT operator, kernel FROM v_dispatch WHERE operator LIKE 'aten::faint_blur.%'"
            " ORDER BY operator"
        ).fetchall()
    functional = ("aten::faint_blur.functional", "at::native::faint_blur_functional")
    out = ("aten::faint_blur.out", "at::native::faint_blur_out")
    assert [tuple(row) for row in kernels] == ([functional] if before_1_13 else [functional, out])
