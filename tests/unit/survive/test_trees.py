"""Hostile trees: what cannot be read is recorded and passed over, and the rest is indexed."""

from __future__ import annotations

import ctypes
import os
import shutil
import sqlite3
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.build import build
from indexer.errors import SourceError
from indexer.extract import limit
from indexer.extract.plan import batches, extract_batch
from indexer.facts.operators import Shortfall
from indexer.layers import FAST_LAYERS
from indexer.scan.files import SourceFile, blob_id
from indexer.scan.tree import SourceTree, open_tree
from tests.fuzz.check import Checker
from tests.unit.support.command import start
from tests.unit.support.hostile import AWKWARD, DEEP, hostile_tree, yaml_bomb
from torchtalk.db import connect

# Hostile input, for `make survive`.
pytestmark = pytest.mark.slow

_CAPBSET_DROP = 24  # linux/prctl.h
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1, 2  # linux/capability.h

NATIVE = "aten/src/ATen/native/native_functions.yaml"
DERIVATIVES = "tools/autograd/derivatives.yaml"
TAGS = "aten/src/ATen/native/tags.yaml"


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of which all can be removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="torchtalk-hostile-"))
    yield folder
    subprocess.run(["chmod", "-R", "u+rwx", str(folder)], check=True)
    shutil.rmtree(folder)


def give_up_privileges() -> None:
    """Root may read everything: give up what lets it, for the program that is started next."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for capability in (_DAC_OVERRIDE, _DAC_READ_SEARCH):
            libc.prctl(_CAPBSET_DROP, capability, 0, 0, 0)


@pytest.mark.slow
def test_a_hostile_tree_is_finished_with(fixture_tree: Path, place: Path) -> None:
    (place / AWKWARD).mkdir()
    tree = hostile_tree(fixture_tree, place / AWKWARD / "pytorch")
    out = place / "out"
    out.mkdir()
    process = start(
        "index", "--pytorch-source", tree, "--db", out / "x.db", "--workers", 2, "--quiet",
        "--no-clang", preexec_fn=give_up_privileges,
    )  # fmt: skip
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    conn = connect(out / "x.db")
    try:
        coverage = {
            str(row[0]).rpartition("/")[2]: row[1:]
            for row in conn.execute(
                "SELECT file, status, detail FROM v_coverage WHERE file IS NOT NULL"
            )
        }
        functions = {row[0] for row in conn.execute("SELECT name FROM v_functions")}
        root = conn.execute("SELECT value FROM meta WHERE key = 'source_root'").fetchone()[0]
        operators = conn.execute("SELECT count(*) FROM v_operators").fetchone()[0]
    finally:
        conn.close()
    assert root == str(tree)
    assert operators > 10
    for name, status, said in (
        ("huge.cpp", "skipped", "larger than"), ("self.cpp", "skipped", ""),
        ("nowhere.cpp", "skipped", ""), ("outside.h", "skipped", "out of the tree"),
        ("pipe.cpp", "skipped", "not a regular file"), ("secret.cpp", "failed", "Permission"),
        ("closed", "skipped", "Permission"), ("not\\udcff.cpp", "skipped", "not UTF-8"),
        ("latin.py", "failed", "not UTF-8"), ("nul.py", "failed", "null bytes"),
        ("deep_brackets.py", "failed", "nested"),
        ("two\\nlines.cpp", "skipped", "no plain text"),
    ):  # fmt: skip
        assert name in coverage, (name, sorted(coverage))
        assert coverage[name][0] == status, (name, coverage[name])
        assert said in coverage[name][1], (name, coverage[name])
    assert {"latin_one", "inside", "quoted", "dropped"} <= functions
    assert not {"secret", "a", "two_lines"} & functions
    assert not [row for row in coverage.values() if row[0] == "timeout"], coverage


def test_names_of_files_do_not_break_answers(fixture_tree: Path, tmp_path: Path) -> None:
    """One fact a line: a line feed in a path must not begin another."""
    from torchtalk.render import to_text
    from torchtalk.tools import all_tools

    tree = Path(shutil.copytree(fixture_tree, tmp_path / "tree"))
    (tree / "aten/two\nnote: lies.cpp").write_text(
        "TORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl(\"softcap.int\", softcap_of_two); }\n"
        "namespace at { Tensor softcap_of_two(const Tensor& x) { return x; } }\n", encoding="ascii",
    )  # fmt: skip
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    conn = connect(tmp_path / "x.db")
    try:
        for tool, arguments in (("trace", {"name": "softcap"}), ("search", {"query": "softcap"})):
            text = to_text(all_tools()[tool].ask(conn, **arguments))
            assert not [line for line in text.splitlines() if line.startswith("note: lies")]
    finally:
        conn.close()


WRONG = (
    "", "null", "~", "1", "-1", "1.5", "1e999", "true", "[]", "[1, [2]]", "{}", "{a: {b: c}}",
    "[{a: b}]", "'text'", "\"\\u0000\"", "!!python/object:os.system x", "&a [*a]", "|\n    a\n    b",
    "2001-01-01", "'" + "x" * 5000 + "'", "{? [a]: b}", "{<<: {a: b}}", "!!binary aGk=", "'(((('",
)  # fmt: skip
NATIVE_FIELDS = (
    "func", "python_module", "use_const_ref_for_mutable_tensors", "category_override", "variants",
    "dispatch", "manual_kernel_registration", "manual_cpp_binding", "device_guard", "device_check",
    "structured", "structured_inherits", "structured_delegate", "autogen", "ufunc_inner_loop",
    "cpp_no_default_args", "precomputed", "tags", "nonsense",
)  # fmt: skip
DERIVATIVE_FIELDS = (
    "name", "dispatch", "self", "other, self", "result", "output_differentiability",
    "output_differentiability_conditions", "non_differentiable", "nonsense",
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "entry", "fields"),
    [
        (NATIVE, "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n", NATIVE_FIELDS),
        (DERIVATIVES, "- name: f(Tensor self, Tensor other) -> Tensor\n", DERIVATIVE_FIELDS),
        (TAGS, "- tag: core\n", ("tag", "desc", "nonsense")),
    ],
)
def test_every_field_of_another_type_is_read_or_refused(
    path: str, entry: str, fields: tuple[str, ...], tmp_path: Path
) -> None:
    """The checker raises what an extractor or a writer raises, but for what they refuse on purpose."""
    checker = Checker(tmp_path)
    for field in fields:
        for value in WRONG:
            own = entry.startswith(f"- {field}:")
            text = f"- {field}: {value}\n" if own else f"{entry}  {field}: {value}\n"
            checker(path, text.encode())
            checker(path, f"{entry}  dispatch:\n    {field}: {value}\n".encode())
    for text in (
        "",
        "- 1\n",
        "a: b\n",
        "[]",
        "- [a]\n",
        "- {}\n",
        "--- a\n--- b\n",
        "\0",
        "%YAML 9\n",
    ):
        checker(path, text.encode())
    checker.close()


@pytest.mark.parametrize("path", [NATIVE, DERIVATIVES, TAGS])
@pytest.mark.parametrize(
    "text",
    [yaml_bomb(), "[" * DEEP, "{a: " * DEEP, "- " * DEEP + "a", "? " * DEEP + "a",
     "".join(" " * n + "a:\n" for n in range(3_000)),
     "- func: f() -> ()\n  tags: " + "[" * DEEP + "]" * DEEP + "\n"],
    ids=["bomb", "square", "curly", "dashes", "keys", "indented", "in a field"],
)  # fmt: skip
def test_yaml_bombs_end_with_a_line_and_change_nothing(
    fixture_tree: Path, tmp_path: Path, fixture_db: Path, path: str, text: str
) -> None:
    tree = Path(shutil.copytree(fixture_tree, tmp_path / "tree"))
    (tree / path).write_text(text, encoding="ascii")
    target = tmp_path / "x.db"
    shutil.copy(fixture_db, target)
    before = target.read_bytes()
    with pytest.raises(SourceError, match=rf"{path.rpartition('/')[2]}:\d+: "):
        build(open_tree(tree), target, workers=0)
    assert target.read_bytes() == before


@pytest.mark.slow
def test_files_that_change_while_they_are_read(fixture_tree: Path, tmp_path: Path) -> None:
    tree = Path(shutil.copytree(fixture_tree, tmp_path / "tree"))
    moving = tree / "torch" / "moving"
    moving.mkdir()
    versions = [b"def f():\n    return 1\n" * size for size in (1, 50, 400)]
    known = {blob_id(data) for data in versions} | {blob_id(b"")}
    ended = threading.Event()

    def disturb() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            file = moving / f"m{number % 40}.py"
            if number % 5:
                file.write_bytes(versions[number % 3])
            else:
                file.unlink(missing_ok=True)

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for full in (True, True, False, False):
            build(open_tree(tree), tmp_path / "x.db", workers=0, full=full)
            conn = sqlite3.connect(tmp_path / "x.db")
            rows = conn.execute(
                "SELECT sha FROM source_files WHERE path LIKE 'torch/moving/%'"
            ).fetchall()
            assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            conn.close()
            # A write is not atomic, but a version that was never there is not made up of two.
            assert len(rows) <= 40
    finally:
        ended.set()
        thread.join()
    for file in moving.iterdir():
        file.write_bytes(versions[0])
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    conn = sqlite3.connect(tmp_path / "x.db")
    found = {
        row[0]
        for row in conn.execute("SELECT sha FROM source_files WHERE path LIKE 'torch/moving/%'")
    }
    conn.close()
    assert found == {blob_id(versions[0])} <= known


def test_a_file_that_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limit, "BASE_SECONDS", 0.2)
    monkeypatch.setattr(limit, "SECONDS_A_BYTE", 0.0)
    monkeypatch.setattr("indexer.extract.cpp.every._native", _never_ends)
    tree = SourceTree(tmp_path, False, None)
    (tmp_path / "a.cpp").write_bytes(b"void f() {}\n")
    (batch,) = batches(tree, [SourceFile("a.cpp", "cpp", 12, 0)], FAST_LAYERS)
    (extracted,) = extract_batch(batch)
    (given_up,) = extracted.facts["cpp"]
    assert isinstance(given_up, Shortfall)
    assert (given_up.layer, given_up.status) == ("cpp", "timeout")
    assert extracted.sha == blob_id(b"void f() {}\n")


def _never_ends(unit: object) -> Iterator[object]:
    while True:
        pass
    yield unit
