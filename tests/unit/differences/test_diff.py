"""What changed between two indexes: every kind of change, found and nothing else."""

from __future__ import annotations

import asyncio
import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import TextContent

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.support.command import Command
from torchtalk.answers.diff import Change, DiffAnswer, Section
from torchtalk.db import IndexUnavailable, connect
from torchtalk.names import resolve
from torchtalk.render import to_text
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.server.app import INSTRUCTIONS, make_server
from torchtalk.server.source import IndexSource
from torchtalk.tools.diff import ALL, SECTIONS, diff, diff_tool

YAML = "aten/src/ATen/native/native_functions.yaml"
DERIVATIVES = "tools/autograd/derivatives.yaml"
CAP = "torch/nn/modules/cap.py"
KERNELS = """namespace at::native {
%sTensor scale_add_sparse(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return self;
}
}
"""
NESTED = """namespace at::native {
%sTensor softcap_nested(const Tensor& self, int64_t dim, bool half_to_float) {
  return self;
}
}
"""


class Two(NamedTuple):
    old: Path
    new: Path


def _edit(root: Path, file: str, *changes: tuple[str, str]) -> None:
    path = root / file
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) >= 1, (file, old)
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")


def _change(root: Path) -> None:
    native = root / "aten/src/ATen/native"
    (native / "Sparse.cpp").rename(native / "SparseMath.cpp")
    (native / "Nested.cpp").write_text(NESTED % "\n\n", encoding="utf-8")
    _edit(
        root, YAML,
        ("    SparseCPU: scale_add_out_sparse_cpu\n", ""),
        ("    MPS: scale_add_out_mps\n", "    MPS: scale_add_out_mps\n    XPU: scale_add_out_xpu\n"),
        ("- func: softcap.int(Tensor self, int dim, ScalarType? dtype=None)",
         "- func: softcap.int(Tensor self, SymInt dim, ScalarType? dtype=None, *, bool fast=False)"),
        ("- func: softcap.int_out(Tensor self, int dim,", "- func: softcap.renamed_out(Tensor self, int dim,"),
    )  # fmt: skip
    with (root / YAML).open("a", encoding="utf-8") as file:
        file.write(
            "\n- func: fresh(Tensor self) -> Tensor\n  variants: function\n"
            "\n- func: fresh.pair(Tensor self, Tensor other) -> Tensor\n  variants: function\n"
        )
    _edit(
        root, DERIVATIVES,
        ("scale_backward(grad, alpha.conj()) + at::zeros_like(other)", "scale_backward(grad, alpha)"),
        ("  result: self_t + other_t * alpha\n", ""),
        ("band_backward_symint(grad, self.sym_sizes(), offset)", "band_backward(grad, self.sizes(), offset)"),
    )  # fmt: skip
    _edit(
        root, CAP,
        ("def __init__(self, dim: int) -> None:", "def __init__(self, width: int, *, fast=False) -> None:"),
        ('offset: "int" = 0,', 'offset: "int" = 1,'),
    )  # fmt: skip
    _edit(
        root,
        "torch/_decomp/decompositions.py",
        ("@register_decomposition(aten._softcap.default)\n", ""),
    )
    _edit(
        root, "torch/_inductor/lowering.py",
        ("make_fallback(aten._softcap_backward_data.default)",
         "@register_lowering(aten._softcap_backward_data.default)\ndef data(grad, *rest):\n    return grad"),
    )  # fmt: skip
    _edit(root, "test/test_caps.py", ("    def test_softcap(", "    def test_softcap_more("))


@pytest.fixture(scope="module")
def two(fixture_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Two:
    folder = tmp_path_factory.mktemp("diff")
    native = "aten/src/ATen/native"
    for name in ("old", "new"):
        root = folder / name
        shutil.copytree(fixture_tree, root)
        (root / native / "Sparse.cpp").write_text(KERNELS % "", encoding="utf-8")
        (root / native / "Nested.cpp").write_text(NESTED % "", encoding="utf-8")
    _change(folder / "new")
    for name in ("old", "new"):
        build(open_tree(folder / name), folder / f"{name}.db", workers=0)
    return Two(folder / "old.db", folder / "new.db")


def section(two: Two, name: str) -> Section:
    (found,) = diff(*two, section=name, limit=200).sections
    return found


def named(found: Section, name: str) -> Change:
    (change,) = [change for change in found.changes if change.name == name]
    return change


def test_operators_that_are_new_or_gone(two: Two) -> None:
    added = section(two, "added")
    assert added.counts == {
        "overloads": 3, "operators added": 1, "operators with some overloads": 1
    }  # fmt: skip
    assert [(c.kind, c.name, c.members) for c in added.changes] == [
        ("added", "aten::fresh", ("default", "pair")),
        ("overloads added", "aten::softcap", ("renamed_out",)),
    ]
    assert added.changes[0].details == ("fresh(Tensor self) -> Tensor",)
    assert added.changes[0].old is None
    assert str(added.changes[0].new).startswith(f"{YAML}:")
    removed = section(two, "removed")
    assert [(c.kind, c.name, c.members) for c in removed.changes] == [
        ("overloads removed", "aten::softcap", ("int_out",))
    ]


def test_schemas_argument_by_argument(two: Two) -> None:
    found = section(two, "schemas")
    assert found.counts == {"breaking": 0, "compatible": 1, "int to SymInt only": 0}
    (change,) = found.changes
    assert (change.kind, change.name, change.members) == ("compatible", "aten::softcap", ("int",))
    assert change.details == ("+ fast: bool = False (keyword)", "dim: int → SymInt")


def test_dispatch_keys(two: Two) -> None:
    found = section(two, "dispatch")
    out = next(c for c in found.changes if c.name == "aten::scale_add" and "out" in c.members)
    assert "+ XPU" in out.details
    assert "- SparseCPU" in out.details
    assert any(fact.startswith("keys gained: XPU ") for fact in found.facts)


def test_kernels_in_another_file_are_listed_and_others_counted(two: Two) -> None:
    found = section(two, "kernels")
    (change,) = [c for c in found.changes if c.kind == "moved"]
    assert change.name == "at::native::scale_add_sparse"
    assert set(change.members) == {
        "aten::scale_add.Tensor SparseCPU", "aten::scale_add.Tensor SparseCUDA"
    }  # fmt: skip
    assert (str(change.old), str(change.new)) == (
        "aten/src/ATen/native/Sparse.cpp:2", "aten/src/ATen/native/SparseMath.cpp:2"
    )  # fmt: skip
    assert found.facts == ("1 more moved within their file",)


def test_formulas(two: Two) -> None:
    found = section(two, "derivatives")
    assert found.counts == {
        "formulas changed": 1, "formulas removed": 1, "formulas added": 0, "formulas for SymInt": 1
    }  # fmt: skip
    assert named(found, "aten::scale_add.Tensor").details == (
        "d/d other: scale_backward(grad, alpha.conj()) + at::zeros_like(other)"
        " → scale_backward(grad, alpha)",
        "- d/d result: self_t + other_t * alpha",
    )
    assert named(found, "aten::band").kind == "for SymInt"


def test_decompositions_and_lowerings(two: Two) -> None:
    change = named(section(two, "decompositions"), "aten::_softcap")
    assert change.kind == "removed"
    found = section(two, "lowerings")
    # It had both, since make_fallback registers a lowering too; now it has one of its own.
    assert found.total == 0


def test_python_names(two: Two) -> None:
    found = section(two, "api")
    change = named(found, "torch.fresh")
    assert (change.kind, change.details[0]) == ("added", "ends at aten::fresh")
    assert not any(c.name.startswith("torch.ops.") for c in found.changes)


def test_modules(two: Two) -> None:
    found = section(two, "modules")
    assert {c.name: (c.kind, c.details) for c in found.changes} == {
        "torch.nn.CapPair": (
            "breaking",
            ("__init__: dim is now called width", "__init__: + fast = False (keyword)"),
        ),
        "torch.nn.Cap": ("other defaults", ("forward: offset = 0 → 1",)),
    }


def test_tests(two: Two) -> None:
    found = section(two, "tests")
    assert found.counts == {"added": 1, "removed": 1, "files added": 0, "files removed": 0}
    (change,) = found.changes
    assert (change.name, change.kind) == ("test/test_caps.py", "changed")
    assert change.members == ("- TestCaps.test_softcap", "+ TestCaps.test_softcap_more")


def test_nothing_changed(two: Two) -> None:
    answer = diff(two.old, two.old)
    assert not answer.differs
    assert answer.finding.endswith("no difference")
    assert [part.total for part in answer.sections] == [0] * len(SECTIONS)


def test_the_other_way_round_everything_is_the_opposite(two: Two) -> None:
    there, back = diff(*two, limit=ALL), diff(two.new, two.old, limit=ALL)
    forth = {part.name: part for part in there.sections}
    opposite = {"added": "removed", "removed": "added"}
    for part in back.sections:
        assert part.total == forth[opposite.get(part.name, part.name)].total, part.name
    both = [{p.name: p for p in answer.sections} for answer in (there, back)]
    assert {c.name for c in both[0]["added"].changes} == {
        c.name for c in both[1]["removed"].changes
    }
    assert (
        both[0]["dispatch"].counts["entries gained"] == both[1]["dispatch"].counts["entries lost"]
    )
    assert both[0]["tests"].counts["added"] == both[1]["tests"].counts["removed"]


def test_an_overview_and_its_pages(two: Two) -> None:
    answer = diff(*two)
    text = to_text(answer)
    lines = text.splitlines()
    assert (
        lines[0].startswith("from PyTorch 9.9.0a0 to PyTorch 9.9.0a0: ")
        or "both PyTorch" in lines[0]
    )
    assert [line.split(":")[0].strip() for line in lines[1 : len(SECTIONS) + 1]] == list(SECTIONS)
    assert len(text) <= MAX_CHARACTERS
    one = to_text(diff(*two, section="added", limit=1))
    assert one.splitlines()[-1] == "1 to 1 of 2 changes; more with offset=1"
    assert "aten::softcap" in to_text(diff(*two, section="added", limit=1, offset=1))
    assert "there are 2 changes" in to_text(diff(*two, section="added", offset=9))


def test_the_command(two: Two, capsys: pytest.CaptureFixture[str]) -> None:
    torchtalk = Command(capsys)
    assert torchtalk("diff", *two).code == 0
    assert torchtalk("diff", *two, "--exit-code").code == 1
    assert torchtalk("diff", two.old, two.old, "--exit-code").code == 0
    assert torchtalk("diff", *two, "--section", "lowerings", "--exit-code").code == 0
    data = json.loads(torchtalk("diff", *two, "--json").out)
    assert [part["name"] for part in data["sections"]] == list(SECTIONS)
    assert all(len(part["changes"]) == part["total"] for part in data["sections"])
    ended = torchtalk("diff", *two, "--section", "none")
    assert (ended.code, ended.out) == (2, "")
    assert "lowerings" in ended.err
    ended = torchtalk("diff", two.old, two.old.with_name("none.db"))
    assert (ended.code, ended.out) == (8, "")
    assert "none.db" in ended.err
    for name in SECTIONS:
        assert name in torchtalk("diff", "--help").out


def test_neither_file_is_touched(two: Two) -> None:
    before = [(path.stat().st_mtime_ns, path.read_bytes()) for path in two]
    names = sorted(two.old.parent.glob("*.db*"))
    diff(*two)
    assert [(path.stat().st_mtime_ns, path.read_bytes()) for path in two] == before
    assert sorted(two.old.parent.glob("*.db*")) == names


def test_a_layer_that_one_lacks_is_not_compared(
    two: Two, fixture_tree: Path, tmp_path: Path
) -> None:
    part = tmp_path / "part.db"
    build(open_tree(fixture_tree), part, layers=("operators",), workers=0)
    answer = diff(part, two.new)
    sections = {found.name: found for found in answer.sections}
    assert sections["added"].total == 2
    for name in ("tests", "api", "modules", "kernels", "decompositions"):
        assert sections[name].total == 0
        assert sections[name].missing.endswith("is not in the first index")
    assert any("layer tests is not in the first index" in note for note in answer.notes)
    assert "tests: not compared" in to_text(answer)


def test_formulas_are_not_compared_with_a_tree_that_has_none(
    two: Two, fixture_tree: Path, tmp_path: Path
) -> None:
    # As in the wheel of PyTorch 2.0, which has native_functions.yaml and no derivatives.yaml.
    root, part = tmp_path / "tree", tmp_path / "part.db"
    shutil.copytree(fixture_tree, root)
    (root / DERIVATIVES).unlink()
    build(open_tree(root), part, layers=("operators",), workers=0)
    (found,) = diff(part, two.new, section="derivatives").sections
    assert found.total == 0
    assert found.missing == "the tree of the first index has no derivatives.yaml"


@pytest.mark.slow
def test_an_installed_package_is_compared_by_what_it_can_tell(
    fixture_tree: Path, tmp_path: Path
) -> None:
    checkout, packages = tmp_path / "tree", tmp_path / "site-packages"
    shutil.copytree(fixture_tree, checkout)
    (checkout / "aten/src/ATen/native/Own.cpp").write_text(
        'TORCH_LIBRARY(mine, m) { m.def("own(Tensor x) -> Tensor"); }\n'
        "TORCH_LIBRARY_IMPL(aten, Batched, m) {"
        ' m.impl("scale_add.Tensor", TORCH_FN(at::native::scale_add)); }\n',
        encoding="utf-8",
    )
    (packages / "torchgen/packaged/ATen").mkdir(parents=True)
    shutil.copytree(checkout / "torch", packages / "torch", ignore=shutil.ignore_patterns("csrc"))
    shutil.copytree(checkout / "aten/src/ATen/native", packages / "torchgen/packaged/ATen/native",
                    ignore=shutil.ignore_patterns("*.cpp", "*.cu", "*.cuh", "*.mm", "*.h"))  # fmt: skip
    shutil.copytree(checkout / "tools/autograd", packages / "torchgen/packaged/autograd")
    for path in sorted((checkout / "torchgen").rglob("*.py")):
        target = packages / path.relative_to(checkout)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    pair = Two(tmp_path / "checkout.db", tmp_path / "installed.db")
    build(open_tree(checkout), pair.old, workers=0)
    build(open_tree(packages / "torch"), pair.new, workers=0)
    for one in (pair, Two(pair.new, pair.old)):
        answer = diff(*one, limit=200)
        found = {part.name: part for part in answer.sections}
        for name in ("removed", "added", "schemas", "dispatch", "kernels", "lowerings"):
            assert found[name].total == 0, (name, found[name].changes)
        assert "is of an installed package" in found["tests"].missing
        assert any("no C++ sources" in note for note in answer.notes)
    with closing(connect(pair.new)) as conn:
        assert "operators that C++ registers" in resolve(conn, "torch.ops.mine.own").notes[0]
        assert "C++ alone gives" in resolve(conn, "torch.nowhere").notes[-1]
        assert resolve(conn, "torch.nowhere.at_all").notes == ()


def test_a_path_that_looks_like_a_uri(two: Two, tmp_path: Path) -> None:
    strange = tmp_path / "a?mode=rwc#b'c.db"
    shutil.copy(two.new, strange)
    assert diff(two.old, strange).differs
    assert [path.name for path in tmp_path.iterdir()] == [strange.name]


def test_a_server_with_a_second_index(two: Two) -> None:
    plain = make_server(IndexSource(two.new, None))
    assert "diff" not in {tool.name for tool in asyncio.run(plain.list_tools())}
    server = make_server(IndexSource(two.new, None, two.old))
    assert "\n- diff: " in str(server.instructions)
    assert len(str(server.instructions).encode()) < 1500
    assert str(server.instructions).startswith(INSTRUCTIONS)
    (tool,) = [tool for tool in asyncio.run(server.list_tools()) if tool.name == "diff"]
    assert len(str(tool.description)) < 200
    result = asyncio.run(server.call_tool("diff", {"section": "added"}))
    (content,) = result.content  # type: ignore[union-attr]
    assert isinstance(content, TextContent)
    assert content.text == to_text(diff(*two, section="added"))
    for wrong in ({"section": "none"}, {"limit": 201}, {"offset": -1}, {"a": 1}):
        with pytest.raises(ToolError):
            asyncio.run(server.call_tool("diff", wrong))


def test_a_server_whose_second_index_is_gone(two: Two, tmp_path: Path) -> None:
    server = make_server(IndexSource(two.new, None, tmp_path / "none.db"))
    with pytest.raises(ToolError, match="the index to compare with cannot be used"):
        asyncio.run(server.call_tool("diff", {}))
    with pytest.raises(IndexUnavailable):
        diff(tmp_path / "none.db", two.new)


def test_the_tool_has_examples_that_run(two: Two) -> None:
    from torchtalk.db import connect

    tool = diff_tool(two.old)
    conn = connect(two.new)
    try:
        for example in tool.examples:
            assert isinstance(tool.ask(conn, **example), DiffAnswer)
    finally:
        conn.close()
