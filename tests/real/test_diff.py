"""From PyTorch 1.13.1 to 2.6.0: what `diff` says, held against the two trees themselves."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.real.conftest import Real
from torchtalk.answers.diff import Change, Section
from torchtalk.render import to_text
from torchtalk.tools.diff import ALL, SECTIONS, diff

NATIVE = "aten/src/ATen/native/native_functions.yaml"


@pytest.fixture(scope="module")
def sections(old: Real, new: Real) -> dict[str, Section]:
    return {part.name: part for part in diff(old.db, new.db, limit=ALL).sections}


def named(section: Section, name: str) -> Change:
    (change,) = [change for change in section.changes if change.name == name]
    return change


def schemas(real: Real) -> dict[str, str]:
    """Overload to schema, as the YAML file has them."""
    entries = yaml.load(
        (real.root / NATIVE).read_text(encoding="utf-8"),
        getattr(yaml, "CSafeLoader", yaml.SafeLoader),
    )
    found = {}
    for entry in entries:
        name, _, _ = entry["func"].partition("(")
        found[name.strip()] = " ".join(entry["func"].split())
    return found


def overloads(section: Section) -> set[str]:
    """`add.Tensor` of every change of aten."""
    return {
        change.name.removeprefix("aten::") + ("" if member == "default" else f".{member}")
        for change in section.changes if change.name.startswith("aten::")
        for member in (change.members or ("default",))
    }  # fmt: skip


def test_operators_are_those_of_the_yaml_files(
    sections: dict[str, Section], old: Real, new: Real
) -> None:
    before, after = schemas(old), schemas(new)
    generated = {
        name.removeprefix("aten::") for real in (old, new) for (name,) in
        real.conn.execute("SELECT name FROM operators WHERE origin <> 'yaml' AND namespace = 'aten'")
    }  # fmt: skip
    assert overloads(sections["added"]) - generated == after.keys() - before.keys() - generated
    assert overloads(sections["removed"]) - generated == before.keys() - after.keys() - generated
    changed = {name for name in before.keys() & after.keys() if before[name] != after[name]}
    # Where two entries differ in no more than the name of what is returned or in a comma.
    assert overloads(sections["schemas"]) - generated == changed - generated


def test_what_happened_to_some_schemas(sections: dict[str, Section]) -> None:
    found = sections["schemas"]
    change = named(found, "aten::can_cast")
    assert (change.kind, change.details) == ("breaking", ("from is now called from_",))
    assert str(change.new) == f"{NATIVE}:7794"
    change = named(found, "aten::to_dense")
    assert change.kind == "compatible"
    assert change.details == ("+ masked_grad: bool? = None (keyword)",)
    changes = [c for c in found.changes if c.name == "aten::std" and "correction" in c.members]
    assert [c.details for c in changes] == [
        ("dim = (required) → None", "correction = (required) → None", "correction: int? → Scalar?")
    ]
    assert changes[0].kind == "compatible"
    assert found.counts["int to SymInt only"] > 200


def test_dispatch_keys_that_came_and_went(sections: dict[str, Section]) -> None:
    found = sections["dispatch"]
    (change,) = [c for c in found.changes if c.name == "aten::prelu" and c.members == ("default",)]
    assert change.kind == "gained and lost"
    gained, lost = (set(text[2:].split(", ")) for text in change.details)
    assert "CompositeImplicitAutograd" in gained
    assert {"CPU", "CUDA", "MkldnnCPU", "QuantizedCPU"} <= lost
    (change,) = [c for c in found.changes if c.name == "aten::diag" and "out" in c.members]
    assert set(change.details[1][2:].split(", ")) == {"CPU", "CUDA", "MPS", "Meta"}


def test_kernels_stand_where_both_places_say(
    sections: dict[str, Section], old: Real, new: Real
) -> None:
    moved = [change for change in sections["kernels"].changes if change.kind == "moved"]
    assert len(moved) == sections["kernels"].counts["moved to another file"] >= 80
    pair = next(c for c in moved if c.name == "at::native::NestedTensor_add_Tensor")
    assert (str(pair.old), str(pair.new)) == (
        "aten/src/ATen/native/nested/NestedTensorMath.cpp:473",
        "aten/src/ATen/native/nested/NestedTensorBinaryOps.cpp:182",
    )
    wrong = []
    for change in moved:
        assert change.old is not None
        assert change.new is not None
        assert change.old.file != change.new.file
        name = change.name.rpartition("::")[2]
        for real, place in ((old, change.old), (new, change.new)):
            assert place.file is not None
            assert place.line is not None
            # A head that is broken into lines, or a macro that makes the name of its argument.
            text = "".join(real.line(place.file, at) for at in range(place.line, place.line + 3))
            if name not in text and f"({name.rpartition('_')[2]})" not in text:
                wrong.append((change.name, str(place)))
    assert wrong == []


def test_derivatives(sections: dict[str, Section]) -> None:
    found = sections["derivatives"]
    change = named(found, "aten::exp2")
    assert change.details == ("d/d self: grad * result * M_LN2 → grad * result.conj() * M_LN2",)
    assert named(found, "aten::addbmm").kind == "for SymInt"
    assert found.counts["formulas changed"] >= 20


def test_modules(sections: dict[str, Section]) -> None:
    found = sections["modules"]
    added = {change.name for change in found.changes if change.kind == "added"}
    assert {"torch.nn.RMSNorm", "torch.nn.CircularPad1d", "torch.nn.ZeroPad3d", "torch.optim.Adafactor",
            "torch.optim.lr_scheduler.LRScheduler"} <= added  # fmt: skip
    change = named(found, "torch.nn.LayerNorm")
    assert (change.kind, change.details[0]) == (
        "breaking",
        "__init__: + bias: bool = True (before device)",
    )
    change = named(found, "torch.nn.Embedding")
    assert change.details[0] == "__init__: + _freeze: bool = False (before device)"
    assert any(
        detail == "__init__: verbose = False → 'deprecated'"
        for detail in named(found, "torch.optim.lr_scheduler.StepLR").details
    )


def test_public_names(sections: dict[str, Section]) -> None:
    found = sections["api"]
    kinds = {change.name: change.kind for change in found.changes}
    assert kinds["torch.symeig"] == "breaking"  # it is imported still, and raises an error
    assert kinds["torch.nn.parallel.DistributedDataParallelCPU"] == "now a class"
    assert kinds["torch.vmap"] == "added"
    assert kinds["torch.nn.functional.scaled_dot_product_attention"] == "added"


def test_torch_compile_is_new(sections: dict[str, Section]) -> None:
    assert sections["lowerings"].facts == ("the first tree has no Inductor",)
    assert sections["lowerings"].counts["lowering added"] > 900
    kinds = {change.name: change.kind for change in sections["decompositions"].changes}
    assert kinds["aten::_scaled_dot_product_flash_attention_for_cpu"] == "added"


def _tests(path: Path) -> set[str]:
    """`Class.test_x` of a file, by Python's own parser."""
    if not path.exists():
        return set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        f"{node.name}.{item.name}"
        for node in tree.body if isinstance(node, ast.ClassDef)
        for item in node.body
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and item.name.startswith("test")
    }  # fmt: skip


@pytest.mark.parametrize(
    "file", ["test/test_view_ops.py", "test/test_sort_and_select.py", "test/test_type_promotion.py"]
)
def test_tests_of_a_file(sections: dict[str, Section], old: Real, new: Real, file: str) -> None:
    change = named(sections["tests"], file)
    before, after = _tests(old.root / file), _tests(new.root / file)
    assert {name[2:] for name in change.members if name.startswith("+")} == after - before
    assert {name[2:] for name in change.members if name.startswith("-")} == before - after


def test_a_tree_against_itself(new: Real) -> None:
    assert not diff(new.db, new.db).differs


def test_the_overview_is_short_and_the_documentation_has_it_right(old: Real, new: Real) -> None:
    text = to_text(diff(old.db, new.db))
    assert len(text) < 20_000
    for name in SECTIONS:
        assert f"\n  {name}: " in text
    shown = re.search(
        r"```text\n\$ torchtalk diff pytorch-1\.13\.1\.db pytorch-2\.6\.0\.db --section (\w+) --limit (\d+)\n"
        r"(.*?)```",
        (ROOT / "docs/tools.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert shown is not None
    answer = diff(old.db, new.db, section=shown[1], limit=int(shown[2]))
    assert shown[3] == to_text(answer) + "\n"
