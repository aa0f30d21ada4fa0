"""`add_semantic`: the layer added to an index, taken out again, killed, skipped, and shown."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer import semantic as layer
from indexer.build import build
from indexer.clang.semantic import Options, parsing_lock
from indexer.errors import BusyError
from indexer.layers import LAYER_NAMES
from indexer.progress import Silent
from indexer.scan.tree import SourceTree, open_tree
from indexer.semantic import SemanticReport, add_semantic, note_skipped
from indexer.target import building_lock, is_being_built
from indexer.write.clang_base import remove_semantic
from tests.unit import index_dump
from tests.unit.command import Command, start
from torchtalk.db import connect
from torchtalk.render import to_text
from torchtalk.tools import all_tools

NATIVE = "aten/src/ATen/native"
FILES = {
    f"{NATIVE}/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n  dispatch:\n    CPU: relu_cpu\n",
    f"{NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "tools/autograd/derivatives.yaml": "- name: relu(Tensor self) -> Tensor\n  self: grad\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "c10/util/shared.h": (
        "#pragma once\nnamespace c10 {\ninline int shared(int x) { return x; }\n"
        "template <class T> int open(T t) { return t.late() + shared(1); }\n}\n"
    ),
    "c10/core/a.cpp": "#include <c10/util/shared.h>\nnamespace c10 {\nint twice(int x) { return shared(x); }\n"
    "int twice(double) { return 2; }\nint a() { return twice(2.0); }\n}\n",
    "c10/core/b.cpp": "#include <c10/util/shared.h>\nnamespace c10 {\nint a();\n"
    "struct Base { virtual int run(); };\nstruct Own : Base { int run() override { return a(); } };\n"
    "int Base::run() { return shared(2); }\nint b(Base& base) { return base.run(); }\n"
    "int late();\n}\n",
    "c10/core/c.cpp": "#include <c10/util/missing.h>\nnamespace c10 {\nint a();\nint c() { return a(); }\n"
    "int d(Gone g) { return a(); }\n}\n",
    f"{NATIVE}/cuda/k.cu": "__global__ void k(int* x) {}\nvoid run(int* x) { k<<<1, 2>>>(x); }\n",
    f"{NATIVE}/Relu.cpp": "namespace at::native {\nint relu_cpu(int x) { return x; }\n}\n",
    "c10/core/either.cpp": (
        "#include <c10/util/shared.h>\nnamespace c10 {\nint elsewhere(int x) { return x; }\n"
        "int either(int x) {\n#ifdef USE_SOMETHING\n  at::relu(x);\n  return elsewhere(x);\n"
        "#else\n  return shared(x);\n#endif\n}\n}\n"
    ),
}


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    root = tmp_path / "tree"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return open_tree(root.resolve())


@pytest.fixture
def target(tree: SourceTree, tmp_path: Path) -> Path:
    path = tmp_path / "index.db"
    build(tree, path, layers=LAYER_NAMES, workers=0)
    return path


@pytest.fixture
def clang(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Commands may read C++ exactly here."""
    monkeypatch.delenv("TORCHTALK_NO_CLANG")
    yield


def add(tree: SourceTree, target: Path, **options: object) -> SemanticReport:
    chosen = Options(**options)  # type: ignore[arg-type]
    return add_semantic(tree, target, options=chosen, cache=target.parent / "clang", workers=0)


def dump(target: Path) -> dict[str, list[Any]]:
    """Every row, but for when it was made and by which keys of the cache."""
    rows = index_dump.dump(target)
    del rows["semantic_base"]
    rows["meta"] = [row for row in rows["meta"] if row[0] not in _MADE]
    return rows


_MADE = ("semantic.facts", "semantic.settings", "semantic.outside")


def edges(target: Path, origin: str = "clang") -> set[tuple[str, str, str]]:
    conn = connect(target)
    rows = conn.execute("SELECT caller, callee, kind FROM v_calls WHERE origin = ?", (origin,))
    found = {(str(a), str(b), str(kind)) for a, b, kind in rows}
    conn.close()
    return found


def statuses(target: Path) -> dict[str | None, tuple[str, str]]:
    conn = connect(target)
    rows = conn.execute("SELECT file, status, detail FROM v_coverage WHERE layer = 'semantic'")
    found = {file: (status, detail) for file, status, detail in rows}
    conn.close()
    return found


def test_calls_are_exact_and_overloads_apart(tree: SourceTree, target: Path) -> None:
    assert statuses(target) == {None: ("skipped", layer._LAYER.missing)}
    before = edges(target, "syntax")
    assert before
    report = add(tree, target)
    assert report.units == {"ok": 5, "partial": 1}
    assert report.status == "ok"
    assert "5 without an error, 1 partial" in report.detail
    assert edges(target) >= {
        ("c10::twice", "c10::shared", "call"), ("c10::a", "c10::twice", "call"),
        ("c10::Own::run", "c10::a", "call"), ("c10::b", "c10::Base::run", "virtual"),
        ("run", "k", "launch"), ("c10::c", "c10::a", "call"),
    }  # fmt: skip
    conn = connect(target)
    line = conn.execute(
        "SELECT u.line FROM v_calls AS c JOIN functions AS u ON u.id = c.callee_id WHERE c.caller = 'c10::a'"
    ).fetchall()
    overrides = conn.execute(
        "SELECT o.name, u.name FROM function_overrides AS v JOIN functions AS o ON o.id = v.overridden_id"
        " JOIN functions AS u ON u.id = v.function_id"
    ).fetchall()
    conn.close()
    assert [tuple(row) for row in line] == [(4,)]
    assert [tuple(row) for row in overrides] == [("c10::Base::run", "c10::Own::run")]
    told = statuses(target)
    assert told["c10/core/c.cpp"][0] == "partial"
    assert "'c10/util/missing.h' file not found" in told["c10/core/c.cpp"][1]
    assert told["c10/core/a.cpp"] == ("ok", "3 definitions, 2 calls, 0 unresolved")


def test_taking_it_out_gives_the_other_layers_back(tree: SourceTree, target: Path) -> None:
    fast = dump(target)
    add(tree, target)
    assert dump(target) != fast
    conn = sqlite3.connect(target)
    assert remove_semantic(conn)
    assert not remove_semantic(conn)
    # What stands on it is made anew, as whoever takes it out does.
    layer.link_steps(conn, layer.steps_again(conn), Silent())
    conn.commit()
    conn.close()
    # Edges are made again by the steps in `Layer.again`, as whoever takes the layer out does.
    assert {**dump(target), "edges": []} == {**fast, "edges": []}


def test_the_same_rows_however_often_it_is_added(tree: SourceTree, target: Path) -> None:
    add(tree, target)
    once = dump(target)
    again = add(tree, target)
    assert not again.changed
    assert again.reused == sum(again.units.values())
    settled = {"cache": target.parent / "clang", "workers": 0, "unchanged": True}
    assert add_semantic(tree, target, **settled).seconds == {}  # type: ignore[arg-type]
    others = Options(include=(target.parent,))
    assert add_semantic(tree, target, options=others, **settled).reused == 0  # type: ignore[arg-type]
    assert add(tree, target).changed
    (tree.root / "c10/core/a.cpp").write_text("namespace c10 {\nint a() { return 1; }\n}\n")
    build(tree, target, layers=LAYER_NAMES, workers=0)
    changed = add(tree, target)
    assert changed.changed
    assert changed.reused == sum(changed.units.values()) - 1
    assert ("c10::a", "c10::twice", "call") not in edges(target)
    fresh = target.with_name("fresh.db")
    build(tree, fresh, layers=LAYER_NAMES, workers=0)
    add_semantic(tree, fresh, cache=target.parent / "other", workers=2)
    assert dump(fresh) == dump(target)
    (tree.root / "c10/core/a.cpp").write_text(FILES["c10/core/a.cpp"])
    build(tree, target, layers=LAYER_NAMES, workers=0)
    assert add(tree, target).reused == sum(changed.units.values())
    assert dump(target) == once


def test_a_changed_unit_replaces_only_its_own_rows(tree: SourceTree, target: Path) -> None:
    """Without a new index of the other layers too: what was there before is taken out first."""
    add(tree, target)
    first = edges(target)
    (tree.root / "c10/core/b.cpp").write_text(
        "namespace c10 {\nint a();\nint b2() { return a(); }\n}\n"
    )
    add(tree, target)
    gone = first - edges(target)
    assert {caller for caller, _, _ in gone} == {"c10::Own::run", "c10::Base::run", "c10::b"}


def test_what_broken_or_open_code_does_not_tell_stays_as_the_text_says(
    tree: SourceTree, target: Path
) -> None:
    (tree.root / "c10/core/c.cpp").write_text(
        "namespace c10 {\nint a();\nstruct Late { int late(); };\nint Late::late() { return 1; }\n"
        "int c(Gone g) {\n  Late l;\n  return l.late() + g.later();\n}\n}\n"
    )
    build(tree, target, layers=LAYER_NAMES, workers=0)
    add(tree, target)
    assert ("c10::open", "c10::shared", "call") in edges(target)
    assert ("c10::c", "c10::Late::late", "call") in edges(target) | edges(target, "syntax")


def test_without_libclang_the_index_says_so(tree: SourceTree, target: Path) -> None:
    fast = dump(target)
    missing = add(tree, target, libclang=target.parent / "none.so")
    assert (missing.status, missing.units) == ("skipped", {})
    assert statuses(target)[None] == ("skipped", f"no libclang at {target.parent / 'none.so'}")
    assert edges(target) == set()
    add(tree, target)
    assert edges(target)
    note_skipped(target, layer._LAYER.missing)
    assert {k: v for k, v in dump(target).items() if k != "coverage"} == {
        k: v for k, v in fast.items() if k != "coverage"
    }


def test_nobody_else_may_be_building(tree: SourceTree, target: Path) -> None:
    with building_lock(target), pytest.raises(BusyError):
        add(tree, target)


def test_others_may_build_while_units_are_parsed(
    tree: SourceTree, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is changed meanwhile: the result is that of its last state."""
    read = layer.semantic
    rounds = []

    def meanwhile(*arguments: Any, **how: Any) -> Any:
        found = read(*arguments, **how)
        assert not is_being_built(target)
        if len(rounds) < 2:
            path = tree.root / "c10/core/a.cpp"
            path.write_text(
                path.read_text()
                + f"namespace c10 {{ int more{len(rounds)}() {{ return a(); }} }}\n"
            )
            build(tree, target, layers=LAYER_NAMES, workers=0)
        rounds.append(found.reused)
        return found

    monkeypatch.setattr(layer, "semantic", meanwhile)
    report = add(tree, target)
    assert report.changed
    assert rounds == [0, 5, 5]  # only what was edited is parsed again
    assert ("c10::more1", "c10::a", "call") in edges(target)
    fresh = target.with_name("fresh.db")
    build(tree, fresh, layers=LAYER_NAMES, workers=0)
    add(tree, fresh)
    assert dump(fresh) == dump(target)


def test_a_database_that_always_changes_is_held_in_the_end(
    tree: SourceTree, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = layer.semantic
    held = []

    def meanwhile(*arguments: Any, **how: Any) -> Any:
        held.append(is_being_built(target))
        if not held[-1]:
            build(tree, target, layers=LAYER_NAMES, workers=0, full=True)
        return read(*arguments, **how)

    monkeypatch.setattr(layer, "semantic", meanwhile)
    assert add(tree, target).changed
    assert held == [False] * layer._TRIES + [True]


def test_who_writes_meanwhile_is_waited_for(
    tree: SourceTree, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = layer.semantic
    ended = []

    def hold() -> None:
        with building_lock(target):
            holding.set()
            time.sleep(0.3)
            ended.append(True)

    def meanwhile(*arguments: Any, **how: Any) -> Any:
        found = read(*arguments, **how)
        threading.Thread(target=hold).start()
        holding.wait()
        return found

    holding = threading.Event()
    monkeypatch.setattr(layer, "semantic", meanwhile)
    assert add(tree, target).changed
    assert ended == [True]


def test_the_command_shows_both_parts(
    tree: SourceTree, tmp_path: Path, capsys: pytest.CaptureFixture[str], clang: None
) -> None:
    torchtalk = Command(capsys)
    target = tmp_path / "cli.db"
    arguments = (
        "index", "--pytorch-source", tree.root, "--db", target, "--workers", 0,
        "--clang-cache", tmp_path / "clang",
    )  # fmt: skip
    ended = torchtalk(*arguments)
    assert ended.code == 0
    assert ended.out.index("indexed PyTorch 2.6.0") < ended.out.index("read C++ exactly")
    assert "5 without an error, 1 partial; the tree has no code generator" in ended.out
    assert "semantic: unchanged; 6 units read" in torchtalk(*arguments).out
    told = json.loads(torchtalk(*arguments, "--full", "--json").out)
    assert told["semantic"]["units"] == {"ok": 5, "partial": 1}
    assert told["semantic"]["reused"] == 6
    status = torchtalk("status", "--db", target).out
    assert "semantic: ok; " in status
    assert "gaps: 1 partial" in status
    left_out = torchtalk(*arguments, "--no-clang")
    assert "read C++" not in left_out.out
    assert "semantic: skipped (not asked for" in torchtalk("status", "--db", target).out
    assert torchtalk(*arguments, "--layers", "native").out.count("read C++") == 0
    assert torchtalk(*arguments, "--libclang", tmp_path / "gone").code == 2


@pytest.mark.slow
def test_killed_while_parsing_the_fast_index_stands_and_work_is_kept(
    tree: SourceTree, tmp_path: Path, clang: None
) -> None:
    for number in range(40):
        (tree.root / f"c10/core/many{number}.cpp").write_text(
            "#include <algorithm>\n#include <map>\n#include <string>\n#include <functional>\n"
            f"int many{number}() {{ return {number}; }}\n"
        )
    target, cache = tmp_path / "killed.db", tmp_path / "clang"
    process = start(
        "index", "--pytorch-source", tree.root, "--db", target, "--workers", 1, "--clang-cache", cache,
    )  # fmt: skip
    ended = time.monotonic() + 120
    while process.poll() is None and len(list(cache.glob("*.facts"))) < 3:
        assert time.monotonic() < ended
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 143
    assert f"terminated; {target} is in place, with the calls that the syntax tells" in said
    kept = len(list(cache.glob("*.facts")))
    assert kept >= 3
    assert statuses(target) == {None: ("skipped", layer._LAYER.missing)}
    assert list(tmp_path.glob(".killed.db*.building")) == []
    again = add_semantic(tree, target, cache=cache, workers=0)
    assert again.reused >= kept - 2  # besides those of precompiled headers


def test_what_the_preprocessor_leaves_out_is_known_by_the_text(
    tree: SourceTree, target: Path
) -> None:
    add(tree, target)
    conn = connect(target)
    found = conn.execute(
        "SELECT target, line, origin FROM v_edges WHERE source = 'c10::either' ORDER BY line"
    ).fetchall()
    conn.close()
    assert [tuple(row) for row in found] == [
        ("aten::relu", 6, "syntax"), ("c10::elsewhere", 7, "syntax"), ("c10::shared", 9, "clang"),
    ]  # fmt: skip


def test_a_launchs_configuration_is_known_by_the_text(tree: SourceTree, target: Path) -> None:
    (tree.root / NATIVE / "cuda/k.cu").write_text(
        "__global__ void k(int* x) {}\nint stream() { return 0; }\n"
        "void run(int* x) {\n  k<<<1, 2, 0, stream()>>>(x);\n}\n"
    )
    build(tree, target, layers=LAYER_NAMES, workers=0)
    add(tree, target)
    conn = connect(target)
    found = conn.execute("SELECT callee, kind, origin FROM v_calls WHERE caller = 'run'").fetchall()
    conn.close()
    assert {tuple(row) for row in found} == {
        ("k", "launch", "clang"), ("stream", "call", "syntax"),
    }  # fmt: skip


def test_who_waits_for_another_parse_says_so(tree: SourceTree, target: Path) -> None:
    stages: list[str] = []

    class Told(Silent):
        def stage(self, name: str, total: int) -> None:
            stages.append(name)
            if name.startswith("wait"):
                waiting.set()

    waiting = threading.Event()
    cache = target.parent / "clang"
    done: list[SemanticReport] = []
    second = threading.Thread(
        target=lambda: done.append(
            add_semantic(tree, target, cache=cache, workers=0, progress=Told())
        )
    )
    with parsing_lock(cache, tree.root, Silent()):
        second.start()
        assert waiting.wait(60)
        assert done == []
    second.join(120)
    assert [report.status for report in done] == ["ok"]
    assert stages.index("wait for another process that parses this tree") == 0


def test_what_a_composite_operator_calls_is_told_from_exact_calls_as_from_the_text(
    tree: SourceTree, target: Path
) -> None:
    native = tree.root / NATIVE
    (native / "native_functions.yaml").write_text(
        FILES[f"{NATIVE}/native_functions.yaml"]
        + "\n- func: twist(Tensor self) -> Tensor\n\n- func: knot(Tensor self) -> Tensor\n"
        "  structured_delegate: knot.out\n\n"
        "- func: knot.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n"
        "  dispatch:\n    CPU: knot_out_cpu\n\n"
        "- func: tie(Tensor self) -> Tensor\n  dispatch:\n    SparseCPU: tie_sparse\n"
    )
    (native / "Twist.cpp").write_text(
        "struct Tensor {};\nnamespace at {\nusing ::Tensor;\n"
        "namespace _ops { struct relu { static Tensor call(Tensor self); }; }\n"
        "namespace native {\nstatic Tensor twist_impl(Tensor self) { return at::_ops::relu::call(self); }\n"
        "Tensor twist(Tensor self) { return twist_impl(self); }\n}\n}\n"
    )
    build(tree, target, layers=LAYER_NAMES, workers=0)

    def answers() -> tuple[str, ...]:
        conn = connect(target)
        tools = all_tools()
        found = (
            to_text(tools["search"].ask(conn, query="twist", backend="CPU")),
            to_text(tools["search"].ask(conn, query="twist", backend="Meta")),
            to_text(tools["search"].ask(conn, query="knot", backend="SparseCPU")),
            to_text(tools["compile_path"].ask(conn, name="twist")),
        )
        conn.close()
        return found

    told = answers()
    assert "aten::relu" in told[0] and "[called by twist]" in told[0]
    assert "no operator that it is known to call has one" in told[1]
    assert "which calls the out variant, and that has no SparseCPU entry either" in told[2]
    assert "calls: aten::relu" in told[3]
    add(tree, target)
    assert ("at::native::twist_impl", "at::_ops::relu::call", "call") in edges(target)
    assert answers() == told


def test_what_if_keeps_for_another_build_is_used_by_those_who_use_its_other_definition(
    tree: SourceTree, target: Path
) -> None:
    (tree.root / "c10/core/twice.cpp").write_text(
        "namespace c10 {\n#ifdef USE_SOMETHING\nint built(int  &x) { return x; }\nint never() { return 1; }\n"
        "#else\nint built(int& x) { return 2; }\n#endif\nint uses(int x) { return built(x); }\n}\n"
    )
    build(tree, target, layers=LAYER_NAMES, workers=0)
    add(tree, target)
    conn = connect(target)
    rows = conn.execute(
        "SELECT u.line, v.line, e.kind, e.origin FROM v_edges AS e JOIN functions AS u ON u.name = e.source"
        " JOIN functions AS v ON v.name = e.target AND v.line = e.line AND v.id <> u.id"
        " WHERE e.kind = 'alternative'"
    ).fetchall()
    answer = to_text(all_tools()["impact"].ask(conn, name="c10/core/twice.cpp:3"))
    conn.close()
    assert [tuple(row) for row in rows] == [(6, 3, "alternative", "syntax")]
    assert "c10::uses" in answer


def test_a_specialization_is_a_function_of_its_own(tree: SourceTree, tmp_path: Path) -> None:
    (tree.root / "c10/core/special.cpp").write_text(
        "namespace c10 {\nint one(int x) { return x; }\nint other(int x) { return x; }\n"
        "template <class T> int part(T t) { return 0; }\n"
        "template <> int part<int>(int t) { return one(t); }\n"
        "template <> int part<char>(char t) { return other(t); }\n"
        "#define PART(T) template <> int part<T>(T t) { return one(1); }\nPART(long) PART(short)\n"
        "int straight() { return part(1) + part(2L); }\n"
        "template <class T> int through(T t) { return part(t); }\n}\n"
    )
    target = tmp_path / "index.db"
    build(tree, target, layers=LAYER_NAMES, workers=0)
    assert add(tree, target).status == "ok"
    conn = connect(target)
    rows = conn.execute(
        "SELECT line, origin, signature FROM functions WHERE name = 'c10::part' ORDER BY line, id"
    ).fetchall()
    assert [(line, origin) for line, origin, _ in rows] == [
        (4, "clang"), (5, "clang"), (6, "clang"), (8, "clang"), (8, "clang"),
    ]  # fmt: skip
    calls = conn.execute(
        "SELECT a.line, b.line, c.line FROM calls AS c JOIN functions AS a ON a.id = c.caller_id"
        " JOIN functions AS b ON b.id = c.callee_id WHERE 'c10::part' IN (a.name, b.name) ORDER BY 1, 2"
    ).fetchall()
    assert [(a, b) for a, b, _ in calls] == [
        (5, 2), (6, 3), (8, 2), (8, 2), (9, 5), (9, 8), (10, 4),
    ]  # fmt: skip
    # Each of two on one line is the one that its arguments say.
    meant = conn.execute(
        "SELECT b.signature FROM v_calls AS c JOIN functions AS b ON b.id = c.callee_id"
        " WHERE c.caller = 'c10::straight' AND b.line = 8"
    ).fetchall()
    assert ["part<long>" in signature for (signature,) in meant] == [True]
    # Who calls the template may run each of them; who calls one of them runs no other.
    led = conn.execute(
        "SELECT s.line, t.line FROM edges AS e JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'specialization'"
        " JOIN functions AS s ON s.id * 16 = e.source JOIN functions AS t ON t.id * 16 = e.target"
        " WHERE t.name = 'c10::part' ORDER BY 1, 2"
    ).fetchall()
    conn.close()
    assert [tuple(row) for row in led] == [(4, 5), (4, 6), (4, 8), (4, 8)]


@pytest.mark.parametrize("what", ["header", "response"])
def test_an_index_notices_what_only_a_command_leads_to(
    tree: SourceTree, target: Path, tmp_path: Path, what: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "own.h").write_text("#ifdef MORE\nint more();\n#endif\nint own();\n")
    (outside / "a.rsp").write_text(f"-I{outside}")
    unit = "c10/core/command.cpp"
    (tree.root / unit).write_text(
        "#include <own.h>\n#ifdef MORE\nint f() { return more(); }\n#else\nint f() { return own(); }\n#endif\n"
    )
    entry = {
        "directory": str(tree.root),
        "file": unit,
        "arguments": ["c++", f"@{outside}/a.rsp", unit],
    }
    (tree.root / "compile_commands.json").write_text(json.dumps([entry]))
    build(tree, target, layers=LAYER_NAMES, workers=0)

    def again() -> SemanticReport:
        unchanged = build(tree, target, layers=LAYER_NAMES, workers=0).action == "unchanged"
        assert unchanged
        options = Options()
        return add_semantic(
            tree, target, options=options, cache=target.parent / "clang", workers=0, unchanged=True
        )

    assert add(tree, target).status == "ok"
    assert ("f", "own", "call") in edges(target)
    assert not again().changed
    if what == "header":
        text = (outside / "own.h").read_text()
        (outside / "own.h").write_text(f"#define MORE\n{text}")
    else:
        (outside / "a.rsp").write_text(f"-I{outside} -DMORE")
    other = target.with_name("other.db")
    shutil.copyfile(target, other)
    assert again().changed
    assert ("f", "more", "call") in edges(target)
    assert not again().changed
    # Another index of the tree finds out as well, though the cache knows the file now.
    options, cache = Options(), target.parent / "clang"
    assert add_semantic(
        tree, other, options=options, cache=cache, workers=0, unchanged=True
    ).changed
    assert ("f", "more", "call") in edges(other)
