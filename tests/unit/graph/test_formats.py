"""Answers about the graph as pictures and as JSON."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

from tests.unit.support.asking import ask, text
from tests.unit.support.graph_tree import NATIVE, YAML
from tests.unit.support.small_tree import indexed
from torchtalk.render import to_json, to_text


def test_pictures(conn: sqlite3.Connection) -> None:
    mermaid = text(conn, "impact", name="cap_row", depth=1, format="mermaid")
    assert mermaid[0].startswith("%% at::native::cap_row: within 1 call")
    assert mermaid[2:] == [
        "flowchart LR",
        '  n0["at::native::softcap_kernel_impl"]',
        '  n1["at::native::cap_row"]',
        '  n2["at::native::softcap_stub"]',
        "  n0 -->|call| n1",
        "  n2 -->|stub| n0",
    ]
    dot = text(conn, "calls", name="softcap_kernel_impl", format="dot")
    assert dot[2:] == [
        "digraph torchtalk {",
        "  rankdir=LR; node [shape=box];",
        '  n0 [label="at::native::softcap_kernel_impl"];',
        '  n1 [label="at::native::cap_row"];',
        '  n0 -> n1 [label="call"];',
        "}",
    ]


def test_functions_of_one_name_are_one_box_with_one_arrow_to_another(tmp_path: Path) -> None:
    files = {
        YAML: "- func: relu(Tensor self) -> Tensor\n",
        "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
        "c10/core/Deep.cpp": """
            int deep() { return 1; }
            int over(int n) { return deep(); }
            int over(long n, long m) { return deep(); }
            int over(long n, long m, long k) { return over(3); }
            int high() { return over(1); }
            """,
    }
    with indexed(files, tmp_path) as conn:
        mermaid = text(conn, "impact", name="deep", format="mermaid")
    assert mermaid[-5:] == [
        '  n0["over"]', '  n1["deep"]', '  n2["high"]',
        "  n0 -->|call| n1", "  n2 -->|candidate| n0",
    ]  # fmt: skip


def test_many_definitions_are_counted_and_told_apart(tmp_path: Path) -> None:
    uses = "".join(f"MAKE(T{n})\n" for n in range(44))
    made = "".join(f"template <> int made<U{n}>() {{ return {n}; }}" for n in range(3))
    files = {
        YAML: "- func: relu(Tensor self) -> Tensor\n",
        "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
        "c10/core/Many.cpp": f"#define MAKE(T) template <> int kind<T>() {{ return 1; }}\n{uses}",
        "c10/core/Line.cpp": f"{made}\n",
    }
    with indexed(files, tmp_path) as conn:
        many = text(conn, "called_by", name="kind")
        same = text(conn, "impact", name="c10/core/Line.cpp:1")
        assert len(ask(conn, "calls", name="kind").subjects) == 40
    assert many[0].startswith("kind (44 definitions)")
    assert "… 8 of 44 definitions shown" in many
    assert [line.rpartition("  ")[2] for line in same if line.startswith("made")] == [
        f"template <> int made<U{n}>()" for n in range(3)
    ]


def test_a_picture_of_an_operator_s_way(conn: sqlite3.Connection) -> None:
    mermaid = text(conn, "trace", name="softcap", format="mermaid")
    assert mermaid[0].startswith("%% aten::softcap: 2 overloads")
    assert mermaid[1] == "flowchart LR"
    names = dict(re.findall(r'(n\d+)\["(.*)"\]', "\n".join(mermaid)))
    arrows = {
        (names[source], relation, names[target])
        for source, relation, target in re.findall(r"(n\d+) -->\|(.*)\| (n\d+)", "\n".join(mermaid))
    }
    # A kernel that only calls another operator leads on to that one's.
    assert {
        ("torch.softcap", "binds", "aten::softcap.int"),
        ("aten::softcap.int", "CompositeImplicitAutograd", NATIVE + "softcap"),
        (NATIVE + "softcap", "operator", "aten::_softcap"),
        ("aten::_softcap", "CPU", NATIVE + "softcap_cpu_out"),
        (NATIVE + "softcap_cpu_out", "stub", NATIVE + "softcap_stub"),
        (NATIVE + "softcap_stub", "CPU", NATIVE + "softcap_kernel_impl"),
        (NATIVE + "softcap_cuda_out", "launches", NATIVE + "softcap_forward"),
    } <= arrows
    dot = text(conn, "trace", name="_softcap", format="dot")
    assert '  n0 [label="torch._softcap"];' in dot
    assert dot[-1] == "}"
    assert sum('label="derivative"' in line for line in dot) == 1
    nothing = text(conn, "trace", name="no_such", format="mermaid")
    assert nothing[-2:] == ["flowchart LR", "  n0[\"nothing in this index is called 'no_such'\"]"]
    found = json.loads("\n".join(text(conn, "trace", name="softcap", format="json")))
    assert [overload["operator"] for overload in found["overloads"]] == [
        "aten::softcap.int", "aten::softcap.int_out",
    ]  # fmt: skip


def test_json_as_a_format_is_json_however_long(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="softcap_kernel_impl", format="json", limit=200)
    assert json.loads(to_text(answer)) == json.loads(to_json(answer))
    short = to_text(answer, limit=4_000)
    assert len(short) <= 4_000
    assert json.loads(short)["page"]["total"] == answer.page.total
