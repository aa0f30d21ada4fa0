"""What an update does and leaves alone, and when everything is built anew."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from indexer import worker_steps
from indexer.build import build
from indexer.layers import FAST_LAYERS, LAYER_NAMES, LAYERS
from indexer.report import BuildReport
from indexer.scan.tree import open_tree
from indexer.update import previous, relink, run, steps
from indexer.write.ids import NoRoom, between
from tests.unit.support.git_tree import git
from tests.unit.support.index_dump import differences, dump
from tests.unit.support.update_tree import NATIVE, make

CAP = "aten/src/ATen/test/cap_test.cpp"


@pytest.fixture(scope="module")
def place(fixture_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where each test's tree stands anew, and an index of it as it is at first."""
    folder: Path = tmp_path_factory.mktemp("update")
    build(open_tree(make(folder / "tree", fixture_tree)), folder / "first.db", workers=0)
    return folder


@pytest.fixture
def tree(place: Path, fixture_tree: Path) -> Path:
    shutil.rmtree(place / "tree")
    return make(place / "tree", fixture_tree)


@pytest.fixture
def target(place: Path, tree: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(place / "first.db", tmp_path / "x.db"))


def _again(tree: Path, target: Path, **options: object) -> BuildReport:
    return build(open_tree(tree), target, workers=0, **options)  # type: ignore[arg-type]


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def _calls(target: Path, caller: str) -> list[tuple[str, str]]:
    conn = sqlite3.connect(target)
    try:
        return conn.execute(
            "SELECT callee, kind FROM v_calls WHERE caller = ? ORDER BY 1", (caller,)
        ).fetchall()
    finally:
        conn.close()


def test_an_unchanged_tree_leaves_the_file_alone(tree: Path, target: Path) -> None:
    before = target.stat()
    for path in tree.rglob("*"):
        os.utime(path)
    report = _again(tree, target)
    assert (report.action, report.changes, report.relinked) == ("unchanged", {}, [])
    assert (target.stat().st_ino, target.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert report.counts["operators"]["operators"] > 0


@pytest.mark.slow
@pytest.mark.mostly_slow(fast=1)
@pytest.mark.parametrize("workers", [0, 1])
def test_what_a_worker_links_meanwhile_is_what_a_build_links(
    tree: Path, target: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr(relink, "_MANY_TESTS", 0)
    begun: list[str] = []
    begin = worker_steps.begin
    monkeypatch.setattr(
        worker_steps, "begin", lambda *given: [begun.append(given[2]), begin(*given)][1]
    )
    tests = next(
        path for path in sorted(tree.rglob("test_*.py")) if "self.assert" in path.read_text()
    )
    _append(tests, "\n\ndef test_softcap():\n    torch.relu(torch.ones(2)).abs()\n")
    report = build(open_tree(tree), target, workers=workers)
    assert (report.action, begun) == ("updated", ["62_test_operators"])
    assert "test_operators" in report.relinked
    fresh = target.with_name("fresh.db")
    build(open_tree(tree), fresh, workers=0)
    assert differences(dump(target), dump(fresh)) == []


def test_a_cpp_edit_leaves_python_alone(tree: Path, target: Path) -> None:
    _append(tree / CAP, "void fresh_b() {}\nvoid fresh_a() { fresh_b(); }\n")
    report = _again(tree, target)
    assert (report.action, report.changes) == ("updated", {"edited": [CAP]})
    assert "calls of what changed" in report.relinked
    assert not {"python", "operators", "calls", "registrations", "macro_functions"} & set(
        report.relinked
    )
    assert _calls(target, "fresh_a") == [("fresh_b", "call")]


def test_a_python_edit_leaves_cpp_alone(tree: Path, target: Path) -> None:
    (tree / "torch/fresh.py").write_text("def fresh():\n    pass\n", encoding="utf-8")
    report = _again(tree, target)
    assert report.changes == {"added": ["torch/fresh.py"]}
    assert "python" in report.relinked
    assert not {"calls", "kernels", "stubs", "calls of what changed"} & set(report.relinked)


@pytest.mark.slow
def test_calls_of_other_files_follow_a_function(tree: Path, target: Path) -> None:
    _append(tree / "aten/src/ATen/native/fresh.cpp", "void fresh_caller() { fresh_callee(); }\n")
    _again(tree, target)
    assert _calls(target, "fresh_caller") == []
    header = tree / "aten/src/ATen/native/fresh.h"
    _append(header, "inline void other() {}\ninline void fresh_callee() {}\n")
    _again(tree, target)
    assert _calls(target, "fresh_caller") == [("fresh_callee", "call")]
    header.write_text("inline void fresh_callee() {}\n", encoding="utf-8")
    _again(tree, target)
    assert _calls(target, "fresh_caller") == [("fresh_callee", "call")]
    header.unlink()
    _again(tree, target)
    assert _calls(target, "fresh_caller") == []


def test_calls_of_other_files_follow_the_type_of_a_data_member(tree: Path, target: Path) -> None:
    header = tree / "aten/src/ATen/native/fresh.h"
    text = (
        "struct One { int fresh_go() { return 1; } };\nstruct Two { int fresh_go() { return 2; } };\n"
        "struct Holder { int fresh_caller(); One held_; };\n"
    )
    header.write_text(text, encoding="utf-8")
    _append(
        tree / "aten/src/ATen/native/fresh.cpp",
        "int Holder::fresh_caller() { return held_.fresh_go(); }\n",
    )
    _again(tree, target)
    assert _calls(target, "Holder::fresh_caller") == [("One::fresh_go", "call")]
    header.write_text(text.replace("One held_", "Two held_"), encoding="utf-8")
    _again(tree, target)
    assert _calls(target, "Holder::fresh_caller") == [("Two::fresh_go", "call")]


def test_a_renamed_file_moves(tree: Path, target: Path) -> None:
    (tree / CAP).rename(tree / "aten/src/ATen/test/zzz.cpp")
    report = _again(tree, target)
    assert report.changes == {"added": ["aten/src/ATen/test/zzz.cpp"], "removed": [CAP]}
    conn = sqlite3.connect(target)
    paths = [row[0] for row in conn.execute("SELECT path FROM source_files ORDER BY id")]
    conn.close()
    assert CAP not in paths
    assert paths == sorted(paths, key=lambda path: path.split("/"))


@pytest.mark.slow
def test_a_class_within_a_function_comes_and_goes(tree: Path, target: Path, tmp_path: Path) -> None:
    module = tree / "torch/functional.py"
    before = module.read_text()
    _append(module, "\ndef wraps():\n    class Local: ...\n")
    _again(tree, target)
    build(open_tree(tree), tmp_path / "new.db", workers=0)
    assert not differences(dump(target), dump(tmp_path / "new.db"))
    assert _local_classes(target) == ["torch/functional.py"]
    module.write_text(before)
    _again(tree, target)
    assert _local_classes(target) == []


def _local_classes(target: Path) -> list[str]:
    conn = sqlite3.connect(target)
    rows = conn.execute("SELECT file FROM v_coverage WHERE detail GLOB '*.Local, a class within*'")
    files = [file for (file,) in rows]
    conn.close()
    return files


@pytest.mark.slow
def test_a_header_that_becomes_a_source_is_seen_by_none(tree: Path, target: Path) -> None:
    header = tree / NATIVE / "Caps.h"
    header.rename(header.with_name("Caps.h.cc"))
    assert _again(tree, target).action == "updated"
    build(open_tree(tree), target.with_name("whole.db"), workers=0)
    assert differences(dump(target), dump(target.with_name("whole.db"))) == []


@pytest.mark.slow
def test_an_operator_that_goes(tree: Path, target: Path) -> None:
    yaml = tree / NATIVE / "native_functions.yaml"
    entries = yaml.read_text().split("\n- func: ")
    yaml.write_text("\n- func: ".join(entries[:-1]) + "\n")
    assert _again(tree, target).action == "updated"
    build(open_tree(tree), target.with_name("whole.db"), workers=0)
    assert differences(dump(target), dump(target.with_name("whole.db"))) == []


@pytest.mark.slow
def test_a_class_that_loses_its_end(tree: Path, target: Path) -> None:
    header = tree / NATIVE / "Caps.h"
    text = header.read_text()
    header.write_text(text[: text.index(" int base_only()")])
    assert _again(tree, target).action == "updated"
    build(open_tree(tree), target.with_name("whole.db"), workers=0)
    assert differences(dump(target), dump(target.with_name("whole.db"))) == []


def test_a_commit_without_an_edit_changes_meta_alone(tree: Path, target: Path) -> None:
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "one")
    report = _again(tree, target)
    assert (report.action, report.changes, report.relinked) == ("updated", {}, [])
    conn = sqlite3.connect(target)
    commit = conn.execute("SELECT value FROM meta WHERE key = 'git_commit'").fetchone()[0]
    conn.close()
    assert commit == git(tree, "rev-parse", "HEAD").strip()
    assert _again(tree, target).action == "unchanged"


@pytest.mark.mostly_slow(fast=2)
@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("truncated", "damaged"),
        ("empty", "another schema"),
        ("overwritten", "damaged"),
        ("schema", "another schema"),
        ("version", "another torchtalk"),
    ],
)
def test_what_cannot_be_brought_up_to_date_is_built(
    tree: Path, target: Path, damage: str, reason: str
) -> None:
    if damage in ("truncated", "empty"):
        os.truncate(target, target.stat().st_size // 2 if damage == "truncated" else 0)
    elif damage == "overwritten":
        with target.open("r+b") as file:
            file.seek(40_000)
            file.write(b"\xff" * 60_000)
    else:
        conn = sqlite3.connect(target)
        if damage == "schema":
            conn.execute("PRAGMA user_version = 999")
        else:
            conn.execute("UPDATE meta SET value = 'x' WHERE key = 'indexer'")
        conn.commit()
        conn.close()
    report = _again(tree, target)
    assert report.action == "built"
    assert reason in report.reason
    assert report.moved_aside is None
    assert _again(tree, target).action == "unchanged"


@pytest.mark.slow
def test_what_is_kept_may_be_damaged_too(tree: Path, target: Path) -> None:
    conn = sqlite3.connect(target)
    conn.execute("UPDATE kept SET data = x'00'")
    conn.commit()
    conn.close()
    _append(tree / CAP, "void fresh() {}\n")
    report = _again(tree, target)
    assert (report.action, report.reason.partition("(")[0]) == (
        "built", "the one that was there was damaged ",
    )  # fmt: skip


@pytest.mark.slow
def test_a_reference_that_leads_nowhere_means_a_full_build(
    tree: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if it had been forgotten that names of kernels are linked again.
    monkeypatch.setattr(relink, "needs", lambda number, edit: number == 15)
    (tree / NATIVE / "Caps.cpp").unlink()
    report = _again(tree, target)
    assert report.action == "built"
    assert "leads nowhere" in report.reason


@pytest.mark.slow
def test_another_tree_is_read_as_a_whole(
    tree: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_FEW", 1)
    for path in tree.rglob("*.py"):
        _append(path, "# another\n")
    assert _again(tree, target).reason == "most files have changed"


@pytest.mark.slow
def test_other_layers_are_built_as_a_whole(tree: Path, target: Path) -> None:
    report = _again(tree, target, layers=("native",))
    assert (report.action, report.reason) == ("built", "other layers were asked for")
    assert report.counts["python"]["classes"] == 0
    _append(tree / CAP, "void fresh() {}\n")
    assert _again(tree, target, layers=("native",)).action == "updated"
    assert _again(tree, target, layers=FAST_LAYERS).action == "built"


def test_the_semantic_layer_is_no_reason_to_read_everything(tree: Path, target: Path) -> None:
    assert _again(tree, target, layers=LAYER_NAMES).action == "unchanged"


@pytest.mark.slow
def test_a_step_that_nobody_can_undo_means_a_full_build(
    tree: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(steps.UNDO, 48)
    _append(tree / CAP, "void fresh() {}\n")
    report = _again(tree, target)
    assert (report.action, report.reason) == (
        "built", "the link step 48_launching cannot be repeated",
    )  # fmt: skip


def test_every_step_of_a_layer_can_be_undone() -> None:
    numbers = {n for layer in LAYERS if layer.name in FAST_LAYERS for n in layer.steps}
    assert numbers <= set(steps.UNDO)


def test_the_digest_is_that_of_the_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "indexer"
    shutil.copytree(Path(previous.indexer.__file__).parent, package)
    monkeypatch.setattr(previous.indexer, "__file__", str(package / "__init__.py"))
    one = previous.indexer_digest.__wrapped__()
    assert one == previous.indexer_digest.__wrapped__()
    _append(package / "link/48_launching.sql", "-- another\n")
    assert previous.indexer_digest.__wrapped__() != one


# Ids ---------------------------------------------------------------------------------------


def test_files_come_between_others() -> None:
    assert between(16, 32, 3) == [20, 24, 28]
    assert between(None, 32, 1) == [16]
    assert len(set(between(512, None, 3))) == 3
    assert between(16, 32, 0) == []
    assert between(0, 1024, 1, [512]) == [341]  # an id never stands for another file than before
    assert between(512, None, 2, [1024, 9]) == [1536, 2048]
    for before, after, count in ((16, 17, 1), (16, 20, 4)):
        with pytest.raises(NoRoom):
            between(before, after, count)
