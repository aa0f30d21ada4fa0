"""How answers about the graph read: names that have much in common, and what is cut."""

from __future__ import annotations

import dataclasses
import json
import sqlite3

import pytest

from tests.unit.support.asking import ask
from torchtalk.answers.base import Page, Place
from torchtalk.answers.drawn import PictureEdge
from torchtalk.answers.graph import ImpactAnswer, Neighbour, NeighboursAnswer, Subject
from torchtalk.render import to_json, to_text

_PLACE = Place("a.cpp", 1)
_SUBJECT = Subject("C++", "at::f", _PLACE, None)


def _called(lines: int, total: int, others: int) -> Neighbour:
    uses = tuple(Place("a.cpp", line * 10) for line in range(1, lines + 1))
    return Neighbour(
        0, "candidate", "syntax", "C++", "at::g", _PLACE, uses,
        others=tuple(Place("b.h", line) for line in range(others)), use_total=total,
    )  # fmt: skip


def _impact(operators: tuple[str, ...], apis: tuple[str, ...], modules: int = 0) -> ImpactAnswer:
    return ImpactAnswer(
        "at::f", "at::f: within 3 calls …", subjects=(_SUBJECT,), subject_total=1, depth=3,
        totals={"C++": 3, "operator": 2, "stub": 1, "bound name": 4}, operators=operators,
        operator_total=len(operators), apis=apis, api_total=len(apis),
        other_modules=tuple(f"torch.nn.M{n}" for n in range(modules)), module_total=modules,
    )  # fmt: skip


def test_what_names_have_in_common_is_said_once() -> None:
    lines = to_text(
        _impact(
            ("aten::mm", "aten::bmm", "symm_mem::fused"),
            ("torch.mm", "torch.nn.functional.linear", "torch.bmm"),
        )
    ).splitlines()
    assert lines[2:] == [
        "reached on the way: 2 overloads of operators, 1 stub, 4 bound names",
        "operators (3):",
        "  aten: mm, bmm",
        "  symm_mem: fused",
        "public Python functions (3):",
        "  torch: mm, bmm",
        "  torch.nn.functional: linear",
    ]


def test_long_lists_are_cut_in_the_text_and_whole_in_the_data() -> None:
    answer = _impact((), tuple(f"torch.f{n}" for n in range(90)), modules=50)
    lines = to_text(answer).splitlines()
    assert "public Python functions (90, 40 shown; format=json has more):" in lines
    assert "other modules (50, 40 shown; format=json has more):" in lines
    assert max(map(len, lines)) < 700
    told = json.loads(to_json(answer))
    assert (len(told["apis"]), len(told["other_modules"])) == (90, 50)


def test_of_data_that_is_too_long_the_longest_list_is_cut() -> None:
    answer = dataclasses.replace(
        _impact(("aten::mm",), tuple(f"torch.f{n}" for n in range(900))),
        form="json", notes=("it is so",),
    )  # fmt: skip
    told = json.loads(to_text(answer, limit=4_000))
    assert (told["notes"], told["operators"], told["api_total"]) == (
        ["it is so"],
        ["aten::mm"],
        900,
    )
    assert 50 < len(told["apis"]) < 900


@pytest.mark.parametrize(
    ("lines", "total", "others", "ending"),
    [
        (2, 2, 0, "at::g  a.cpp:1  at a.cpp:10, 20  [syntax]"),
        (2, 7, 0, "at::g  a.cpp:1  at a.cpp:10, 20 and 5 more  [syntax]"),
        (1, 1, 5, "at::g  a.cpp:1 or b.h:0, b.h:1, b.h:2 and 2 more  at a.cpp:10  [syntax]"),
    ],
)
def test_places_that_are_left_out_are_counted(
    lines: int, total: int, others: int, ending: str
) -> None:
    answer = NeighboursAnswer(
        "f", "at::f uses 1", subjects=(_SUBJECT,), subject_total=1, page=Page(1, 0, 1),
        neighbours=(_called(lines, total, others),),
    )  # fmt: skip
    assert to_text(answer).splitlines()[-1].strip() == ending


def test_overloads_that_stand_on_one_line_are_told_apart_by_their_signatures() -> None:
    def line(use: int, detail: str, kind: str = "C++") -> Neighbour:
        return Neighbour(
            0, "call", "clang", kind, "at::g", _PLACE, (Place("a.cpp", use),), detail=detail
        )

    def lines(*neighbours: Neighbour) -> list[str]:
        answer = NeighboursAnswer(
            "f", "at::f uses 2", subjects=(_SUBJECT,), subject_total=1, page=Page(2, 0, 2),
            neighbours=neighbours,
        )  # fmt: skip
        return [text.strip() for text in to_text(answer).splitlines() if "[clang]" in text]

    assert lines(line(3, "void g(int)"), line(4, "void g(long\n  n)")) == [
        "at::g  a.cpp:1  void g(int)  at a.cpp:3  [clang]",
        "at::g  a.cpp:1  void g(long n)  at a.cpp:4  [clang]",
    ]
    same = ["at::g  a.cpp:1  at a.cpp:3  [clang]", "at::g  a.cpp:1  at a.cpp:4  [clang]"]
    assert lines(line(3, "void g(int)"), line(4, "void g(int)")) == same
    (stub, _) = lines(line(3, "fn_type", "stub"), line(4, "other_type", "stub"))
    assert stub == "at::g (stub)  a.cpp:1  at a.cpp:3  [clang]"


@pytest.mark.parametrize(("form", "comment"), [("mermaid", "%% "), ("dot", "// ")])
def test_a_picture_says_that_it_is_a_part(form: str, comment: str) -> None:
    answer = NeighboursAnswer(
        "f", "at::f uses 30", form=form, subjects=(_SUBJECT,), subject_total=1,
        picture=(PictureEdge("at::f", "at::g", "call"),), page=Page(30, 0, 20), folded={"checks": 2},
    )  # fmt: skip
    assert to_text(answer).splitlines()[:3] == [
        f"{comment}at::f uses 30",
        f"{comment}a part: 1 to 20 of 30; more with limit and offset",
        f"{comment}folded: 2 checks; exclude=none shows them",
    ]
    whole = dataclasses.replace(answer, page=Page(1, 0, 1), folded={})
    assert not to_text(whole).splitlines()[1].startswith(comment)


def test_all_that_is_reached_is_in_the_data(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="softcap_kernel_impl")
    assert len(answer.operators) == answer.operator_total > 0
    assert len(answer.apis) == answer.api_total > 0
    assert len(answer.modules) + len(answer.other_modules) == answer.module_total


def test_data_says_whether_anything_was_found(conn: sqlite3.Connection) -> None:
    for name, found in (("softcap_kernel_impl", True), ("no_such_thing", False)):
        assert json.loads(to_json(ask(conn, "impact", name=name)))["found"] is found


def test_what_a_class_of_python_uses_is_not_all_that_its_methods_use(
    conn: sqlite3.Connection,
) -> None:
    (note,) = (n for n in ask(conn, "calls", name="torch.nn.Module").notes if "Python class" in n)
    assert (
        "1 method besides can be asked for by name, such as torch.nn.modules.module.Module.train,"
        in note
    )
    assert not any(
        "Python class" in n for n in ask(conn, "called_by", name="torch.nn.Module").notes
    )
    assert not any("Python class" in n for n in ask(conn, "calls", name="softcap_cpu_out").notes)


def test_what_exclude_leaves_out_is_not_said_to_be_nothing(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "called_by", name="softcap_cpu_out", exclude="structured")
    assert answer.finding == "at::native::softcap_cpu_out: exclude leaves nothing of what uses it"
    assert "exclude=structured leaves out 2 edges" in answer.notes
    assert ask(conn, "called_by", name="softcap_cpu_out", exclude="stub").page.total == 2


def test_what_a_generator_writes_has_no_place(conn: sqlite3.Connection) -> None:
    answer = NeighboursAnswer(
        "g",
        "g uses 1",
        subjects=(Subject("bound name", "torch._C._nn.g", Place(None, None), None),),
    )
    assert to_text(answer).splitlines()[1] == "torch._C._nn.g  (no file of the tree has it)"


def test_a_relation_with_brackets_does_not_end_the_arrow() -> None:
    arrows = (PictureEdge("at::f<int>", 'at::"g"', "call (x)"), PictureEdge("a", "b", "CPU, CUDA"))
    answer = NeighboursAnswer("f", "at::f uses 2", form="mermaid", picture=arrows)
    assert to_text(answer).splitlines()[2:] == [
        '  n0["at::f#lt;int#gt;"]',
        '  n1["at::#quot;g#quot;"]',
        '  n2["a"]',
        '  n3["b"]',
        '  n0 -->|"call (x)"| n1',
        "  n2 -->|CPU, CUDA| n3",
    ]
    dot = to_text(dataclasses.replace(answer, form="dot")).splitlines()
    assert dot[4] == '  n1 [label="at::\\"g\\""];'
