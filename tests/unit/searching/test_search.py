"""search: what is no operator."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.graph_tree import make_index
from tests.unit.support.small_tree import indexed
from torchtalk.arguments import BadArgument
from torchtalk.db import connect
from torchtalk.render import to_text
from torchtalk.tools import all_tools
from torchtalk.tools.catalog import OTHER_KINDS

TOOL = all_tools()["search"]


@pytest.fixture(scope="module")
def graph_db(fixture_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(fixture_tree, tmp_path_factory.mktemp("search"))


@pytest.fixture
def graph(graph_db: Path) -> Iterator[sqlite3.Connection]:
    connection = connect(graph_db)
    yield connection
    connection.close()


def ask(conn: sqlite3.Connection, **arguments: object) -> list[str]:
    return to_text(all_tools()["search"].ask(conn, **arguments)).splitlines()


_ONE_OF_EACH = {
    "class": "SELECT public_name FROM python_classes WHERE category = 'nn' AND public_name IS NOT NULL",
    "api": "SELECT api FROM python_apis WHERE operator_id IS NOT NULL AND line IS NOT NULL",
    "kernel": "SELECT d.kernel FROM dispatch AS d JOIN functions AS f ON f.name = d.kernel",
    "stub": "SELECT name FROM stub_declarations",
    "cuda": "SELECT name FROM functions WHERE kind = 'kernel'",
    "function": "SELECT name FROM functions WHERE name LIKE '%_kernel_impl%'",
    "python": "SELECT m.name || '.' || p.name FROM python_functions AS p JOIN python_modules AS m"
    " ON m.id = p.module_id WHERE p.name NOT LIKE '%.%' AND m.name LIKE 'torch._inductor%'",
}


@pytest.mark.parametrize("kind", list(_ONE_OF_EACH))
def test_every_kind_is_found_with_its_place(graph: sqlite3.Connection, kind: str) -> None:
    (name,) = graph.execute(f"{_ONE_OF_EACH[kind]} ORDER BY 1 LIMIT 1").fetchone()
    lines = ask(graph, query=name, kind=kind)
    assert lines[0].endswith(f" {name!r}")
    assert f"of kind {kind} fit" in lines[0]
    assert lines[1].startswith(f"{kind} {name} ")
    path, _, line = lines[1].split("  ")[1].partition(":")
    assert path.endswith((".py", ".cpp", ".cu", ".h", ".yaml"))
    assert int(line) > 0
    assert lines[1].endswith("[exact name]")


def test_what_has_the_very_name_comes_before_operators_like_it(graph: sqlite3.Connection) -> None:
    (stub,) = graph.execute("SELECT name FROM stub_declarations ORDER BY id LIMIT 1").fetchone()
    last = stub.rpartition("::")[2]
    lines = ask(graph, query=last)
    assert lines[0].startswith(f"no operator fits {last!r}; ")
    assert lines[2].startswith(f"stub {stub} ")


def test_others_are_counted_and_paged(graph: sqlite3.Connection) -> None:
    whole = ask(graph, query="cap", kind="api", limit=200)
    total = int(whole[0].split()[0])
    assert len(whole) == total + 1
    paged = [ask(graph, query="cap", kind="api", limit=1, offset=at)[1] for at in range(total)]
    assert paged == whole[1:]
    assert f"{total} api" in next(
        line for line in ask(graph, query="cap") if line.startswith("other names")
    )


def test_a_backend_keeps_operators_alone(graph: sqlite3.Connection) -> None:
    assert not any("other names" in line for line in ask(graph, query="softcap", backend="cuda"))
    finding = ask(graph, query="softcap", backend="mps")[0]
    assert finding.endswith(" fits 'softcap' with an entry for MPS")
    with pytest.raises(BadArgument, match="backend keeps operators"):
        ask(graph, query="softcap", backend="cuda", kind="stub")


def test_words_may_be_those_of_a_namespace(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: roll_out_of(Tensor self) -> Tensor\n",
        "aten/src/ATen/native/tiny/library.cpp": "TORCH_LIBRARY(tiny_pre, m) {\n"
        '  m.def("roll2d_run(Tensor x) -> Tensor");\n  m.def("turn(Tensor x) -> Tensor");\n}\n'
        "TORCH_LIBRARY_IMPL(tiny_pre, Vulkan, m) {\n"
        '  m.impl("roll2d_run", TORCH_FN(roll2d_run));\n}\n',
    }
    with indexed(files, tmp_path) as conn:
        for words in ("tiny roll2d", "pre run roll", "tiny pre roll2d run"):
            for backend in ("", "Vulkan"):
                answer = TOOL.ask(conn, query=words, backend=backend)
                assert [hit.name for hit in answer.hits] == ["tiny_pre::roll2d_run"], words
        assert not TOOL.ask(conn, query="other roll2d").hits


def test_an_unknown_kind_lists_those_there_are(graph: sqlite3.Connection) -> None:
    with pytest.raises(BadArgument, match=", ".join(OTHER_KINDS[:3])):
        ask(graph, query="softcap", kind="kernels")


def test_a_generated_kernel_has_what_generates_it_in_the_place_of_a_file(
    graph: sqlite3.Connection,
) -> None:
    name, maker = graph.execute(
        "SELECT kernel, generated_by FROM dispatch WHERE generated_by IS NOT NULL AND kernel IS NOT NULL"
        " AND kernel NOT IN (SELECT name FROM functions) ORDER BY id LIMIT 1"
    ).fetchone()
    lines = ask(graph, query=name, kind="kernel")
    assert lines[1] == f"kernel {name}  generated by {maker}  [exact name]"


def test_a_kernel_in_python_stands_where_it_is_defined(graph: sqlite3.Connection) -> None:
    name, path, line = graph.execute(
        "SELECT kernel, kernel_file, kernel_line FROM v_dispatch WHERE origin = 'python'"
        " AND kernel_line IS NOT NULL ORDER BY 1 LIMIT 1"
    ).fetchone()
    assert f"kernel {name}  {path}:{line}  [exact name]" in ask(graph, query=name, kind="kernel")


def test_a_function_of_a_formula_stands_where_formulas_look_for_it(
    graph: sqlite3.Connection,
) -> None:
    name, path, line = graph.execute(
        "SELECT n.name, f.file, f.line FROM names AS n"
        " JOIN v_functions AS f ON f.name = 'torch::autograd::generated::details::' || n.name"
        " WHERE n.kind = 'backward' ORDER BY 1 LIMIT 1"
    ).fetchone()
    lines = ask(graph, query=name, kind="backward")
    assert f"backward {name}  {path}:{line}  [exact name]" in lines


def test_a_kernel_is_a_function_and_an_api_a_python_function(graph: sqlite3.Connection) -> None:
    for kind, statement in (
        ("function", _ONE_OF_EACH["kernel"]),
        ("python", "SELECT a.api FROM python_apis AS a JOIN python_functions AS p ON p.id = a.function_id"
         " JOIN python_modules AS m ON m.id = p.module_id WHERE m.name || '.' || p.name = a.api"),
    ):  # fmt: skip
        (name,) = graph.execute(f"{statement} ORDER BY 1 LIMIT 1").fetchone()
        assert ask(graph, query=name, kind=kind)[1].startswith(f"{kind} {name} ")
        # Without a kind it is shown once.
        assert not any(line.startswith(f"{kind} {name} ") for line in ask(graph, query=name))


def test_one_is_not_counted_as_many(graph: sqlite3.Connection) -> None:
    (stub,) = graph.execute("SELECT name FROM stub_declarations ORDER BY id LIMIT 1").fetchone()
    assert ask(graph, query=stub, kind="stub")[0] == f"1 name of kind stub fits {stub!r}"
    assert ask(graph, query=stub, kind="stub", offset=5)[1] == "none at offset 5: there is but one"
    assert ask(graph, query="nosuchthing", kind="stub")[0].startswith("no name of kind stub fits")


@pytest.mark.parametrize(
    "query", ["aten::scale_add.Tensor", "scale_add.Tensor", "torch.ops.aten.scale_add.Tensor"]
)
def test_an_overload_comes_first_and_then_what_fits_its_operator(
    graph: sqlite3.Connection, query: str
) -> None:
    place = graph.execute(
        "SELECT file || ':' || line FROM v_operators WHERE operator = 'aten::scale_add.Tensor'"
    ).fetchone()[0]
    lines = ask(graph, query=query)
    assert lines[1].startswith(f"aten::scale_add.Tensor  {place}  ")
    assert lines[2].startswith("aten::scale_add (2 overloads)  ")
    plainly = TOOL.ask(graph, query="scale_add")
    found = TOOL.ask(graph, query=query)
    assert [hit.name for hit in found.hits[1:]] == [hit.name for hit in plainly.hits]
    assert found.page.total == plainly.page.total + 1
    on_cuda = TOOL.ask(graph, query=query, backend="cuda")
    assert on_cuda.hits[0].name == "aten::scale_add.Tensor"
    assert (
        not TOOL.ask(graph, query="_softcap.out", backend="nestedtensorcpu")
        .hits[0]
        .name.endswith(".out")
    )


def test_an_overload_that_there_is_not_is_said(graph: sqlite3.Connection) -> None:
    answer = TOOL.ask(graph, query="aten::scale_add.Nothing")
    assert answer.notes == ("aten::scale_add has no overload Nothing",)
    assert answer.hits[0].name == "aten::scale_add"
    # What has the look of an overload and is of no operator is searched for as it was.
    assert TOOL.ask(graph, query="Cap.forward").others


def test_a_text_is_said_to_be_no_name(conn: sqlite3.Connection) -> None:
    answer = TOOL.ask(conn, query="mat1 and mat2 shapes cannot be multiplied")
    assert any("texts of errors and comments are not in the index" in note for note in answer.notes)


def test_letters_of_other_alphabets_part_no_word(conn: sqlite3.Connection) -> None:
    assert not TOOL.ask(conn, query="søftcap").found


def test_a_class_that_is_written_in_full_comes_before_operators(tmp_path: Path) -> None:
    tree = {
        "aten/src/ATen/native/native_functions.yaml": "- func: loom(Tensor self) -> Tensor\n",
        "torch/nn/__init__.py": "class Loom:\n    pass\n",
    }
    with indexed(tree, tmp_path) as conn:
        assert ask(conn, query="nn.Loom")[2].startswith(
            "class torch.nn.Loom  torch/nn/__init__.py:1"
        )
        assert ask(conn, query="loom")[1].startswith("aten::loom  ")
        assert ask(conn, query="torch.loom")[1].startswith("aten::loom  ")


def test_a_macro_is_said_to_be_one(graph: sqlite3.Connection) -> None:
    answer = all_tools()["search"].ask(graph, query="CAP_TEST")
    assert answer.finding.startswith(
        "CAP_TEST is a macro, defined at aten/src/ATen/test/cap_test.cpp:"
    )
    assert answer.closest == ()


def test_a_kind_without_names_says_what_other_kinds_have(graph: sqlite3.Connection) -> None:
    answer = all_tools()["search"].ask(graph, query="softcap", kind="metal")
    assert not answer.found
    assert answer.notes[0].startswith("of other kinds there are ")
    assert " operator, " in answer.notes[0]
    # Operators are a kind, too.
    answer = all_tools()["search"].ask(graph, query="softcap_kernel_impl", kind="operator")
    assert not answer.found
    assert answer.notes[0].startswith("of other kinds there are ")


def test_what_a_namespace_has_comes_first(tmp_path: Path) -> None:
    """c10d::send, and not _c10d_functional::wait_tensor."""
    library = 'TORCH_LIBRARY({0}, m) {{ m.def("{1}(Tensor x) -> Tensor"); }}\n'
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: x(Tensor self) -> Tensor\n",
        "torch/csrc/a.cpp": library.format("_yarn_more", "a") + library.format("yarn", "b"),
    }
    with indexed(files, tmp_path) as connection:
        hits = all_tools()["search"].ask(connection, query="yarn::").hits
    assert [hit.name for hit in hits] == ["yarn::b", "_yarn_more::a"]


@pytest.mark.parametrize("query", ["Loom Engine", "loom engine"])
def test_words_are_a_name_of_cpp_where_they_are_written_as_one(query: str, tmp_path: Path) -> None:
    """`tensor iterator` found nothing, `storage impl` no c10::StorageImpl."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: far(Tensor self) -> Tensor\n",
        "c10/core/Loom.h": "namespace c10 {\nstruct LoomEngine {\n  LoomEngine() {}\n};\n"
        "inline void loom_engine_stop() {}\n}\n",
    }
    with indexed(files, tmp_path) as conn:
        names = {other.name for other in TOOL.ask(conn, query=query).others}
    # `softmax kernel` is about softmax, and not all that is called softmax_kernel.
    assert names == {"c10::LoomEngine::LoomEngine"}
