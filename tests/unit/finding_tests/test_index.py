"""Layer 5 on the fixture tree: what the comments in its files expect, and what follows from them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from tests.unit.support.small_tree import indexed

_EXPECT = re.compile(r"# expect (opinfo|test) (.+)$")


def _expected(root: Path, kind: str) -> Iterator[tuple[str, int, list[str], str]]:
    for folder in ("test", "torch/testing"):
        for path in sorted((root / folder).rglob("*.py")):
            file = path.relative_to(root).as_posix()
            for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = _EXPECT.search(text)
                if match and match[1] == kind:
                    for fact in match[2].split(";"):
                        yield file, line, fact.split(), text


def test_opinfos_are_what_the_fixture_expects(conn: sqlite3.Connection, fixture_tree: Path) -> None:
    expected = {
        (*(None if word == "-" else word for word in words), file, line)
        for file, line, words, _ in _expected(fixture_tree, "opinfo")
    }
    rows = conn.execute("SELECT name, variant, aten_name, class, file, line FROM v_opinfos")
    assert {(r[0], r[1] or None, *tuple(r)[2:]) for r in rows} == expected
    assert len(expected) > 10


def test_tests_are_what_the_fixture_expects(conn: sqlite3.Connection, fixture_tree: Path) -> None:
    expected = {
        (file, line, text.split("def ")[1].partition("(")[0], *words)
        for file, line, words, text in _expected(fixture_tree, "test")
    }
    rows = conn.execute(
        "SELECT f.path, t.line, t.name, coalesce(c.name, '-'), coalesce(c.role, '-')"
        " FROM tests AS t JOIN source_files AS f ON f.id = t.file_id"
        " LEFT JOIN test_classes AS c ON c.id = t.class_id WHERE t.kind = 'python'"
    )
    assert {tuple(row) for row in rows} == expected


def test_decorators_stand_on_one_line(conn: sqlite3.Connection) -> None:
    rows = conn.execute("SELECT decorators FROM v_tests WHERE test = 'test_helper'").fetchall()
    assert [row[0] for row in rows] == ["onlyCUDA, dtypes(torch.float32, torch.float64)"]


def test_gtests_and_those_that_macros_make(conn: sqlite3.Connection, fixture_tree: Path) -> None:
    rows = conn.execute(
        "SELECT class, test, file, line FROM v_tests WHERE kind = 'gtest' ORDER BY line"
    ).fetchall()
    found = [(row["class"], row["test"]) for row in rows]
    assert found == [
        ("CapTest", "BandUp"),
        ("CapTest", "BandDown"),
        ("CapTest", "Softcap"),
        ("CapFixture", "TrimsTwice"),
    ]
    for row in rows:
        lines = (fixture_tree / row["file"]).read_text(encoding="utf-8").splitlines()
        assert row["test"] in lines[row["line"] - 1]


_MADE = """
#define BOTH(suite, name) \\
  TEST(suite, name##_once) { f(); } \\
  TEST_P(suite, name##_twice) { f(); f(); }
#ifdef _WIN32
#define DISABLED(x) DISABLED_##x
#else
#define DISABLED(x) x
#endif
BOTH(CONV_OP, 1x1)
TEST(Cap_Atomic, DISABLED(Adds_Up)) {}
TEST(Cap_Atomic, Plain_One) {}
"""


def test_names_of_gtests_part_where_they_are_handed_to_googletest(tmp_path: Path) -> None:
    with indexed(
        {"aten/src/ATen/native/native_functions.yaml": "[]", "test/cpp/cap_test.cpp": _MADE},
        tmp_path,
    ) as conn:
        rows = conn.execute(
            "SELECT class, test FROM v_tests WHERE kind = 'gtest' ORDER BY line, test"
        )
        assert [tuple(row) for row in rows] == [
            ("CONV_OP", "1x1_once"),
            ("CONV_OP", "1x1_twice"),
            ("Cap_Atomic", "Adds_Up"),
            ("Cap_Atomic", "Plain_One"),
        ]
        signatures = conn.execute("SELECT signature FROM v_functions WHERE name GLOB 'CONV_OP*'")
        assert signatures.fetchone()[0] == "TEST(CONV_OP, 1x1_once)"


def test_a_test_that_one_platform_leaves_out_has_its_name_on_others(tmp_path: Path) -> None:
    """DISABLED_ON_WINDOWS of c10/test/util/Macros.h."""
    begin, end = _MADE.index("#ifdef"), _MADE.index("BOTH(CONV_OP")
    files = {
        "aten/src/ATen/native/native_functions.yaml": "[]",
        "test/cpp/cap_macros.h": _MADE[begin:end],
        "test/cpp/cap_test.cpp": '#include "cap_macros.h"\nTEST(Cap, DISABLED(Adds_Up)) {}\n',
    }
    with indexed(files, tmp_path) as conn:
        rows = conn.execute("SELECT class, test FROM v_tests WHERE kind = 'gtest'")
        assert [tuple(row) for row in rows] == [("Cap", "Adds_Up")]


def _members(conn: sqlite3.Connection, name: str) -> dict[str, int]:
    rows = conn.execute(
        "SELECT o.name || '.' || o.variant, m.is_certain FROM opinfo_lists AS l"
        " JOIN opinfo_list_members AS m ON m.list_id = l.id"
        " JOIN opinfos AS o ON o.id = m.opinfo_id"
        " WHERE l.name = 'torch.testing._internal.common_methods_invocations.' || ?",
        (name,),
    )
    return dict(rows.fetchall())


def test_lists_hold_what_they_are_made_of(conn: sqlite3.Connection) -> None:
    op_db = _members(conn, "op_db")
    assert "linalg.trim." in op_db
    assert set(op_db.values()) == {1}
    assert _members(conn, "unary_ufuncs") == {"softcap.": 1}
    assert set(_members(conn, "ops_and_refs")) == {*op_db, *_members(conn, "python_ref_db")}


def test_a_condition_on_names_leaves_no_member_uncertain(conn: sqlite3.Connection) -> None:
    named = {name for name in _members(conn, "op_db") if name.startswith("l")}
    assert _members(conn, "named_l") == dict.fromkeys(named, 1)
    assert named


def test_a_condition_that_names_do_not_decide_makes_members_uncertain(
    conn: sqlite3.Connection,
) -> None:
    rows = conn.execute(
        "SELECT DISTINCT m.is_certain FROM opinfo_lists AS l JOIN opinfo_list_members AS m ON m.list_id = l.id"
        " WHERE l.expression GLOB '*op.width*'"
    ).fetchall()
    assert [tuple(row) for row in rows] == [(0,)]


def test_which_tests_run_over_which_lists(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT t.name, coalesce(substr(l.name, -11), l.expression) AS list FROM test_lists AS x"
        " JOIN tests AS t ON t.id = x.test_id JOIN opinfo_lists AS l ON l.id = x.list_id"
    ).fetchall()
    assert sorted(tuple(row) for row in rows) == [
        ("test_each", "tions.op_db"),
        (
            "test_some",
            "[op for op in ops_and_refs if isinstance(op, UnaryUfuncInfo) and op.width]",
        ),
        ("test_unary", "nary_ufuncs"),
    ]


def _operators(conn: sqlite3.Connection, test: str) -> set[tuple[str, str]]:
    rows = conn.execute(
        "SELECT x.base, x.how FROM tests AS t JOIN test_operators AS x ON x.test_id = t.id"
        " WHERE t.name = ?",
        (test,),
    )
    return {tuple(row) for row in rows}


def test_operators_that_tests_call(conn: sqlite3.Connection) -> None:
    assert _operators(conn, "test_softcap") == {
        ("softcap", "nc"), ("scale_add", "c"), ("band", "c"),
    }  # fmt: skip
    assert _operators(conn, "test_helper") == {("linalg_trim", "h")}
    assert _operators(conn, "test_inner") == {("_softcap", "c")}


def test_a_longer_name_is_not_the_shorter_one(conn: sqlite3.Connection) -> None:
    assert _operators(conn, "test_band_copy_of_cap") == {("band_copy", "n")}


def test_references_point_at_their_entries(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT o.name, r.name || '.' || r.variant FROM opinfos AS o"
        " JOIN opinfos AS r ON r.id = o.ref_id ORDER BY o.name"
    )
    assert [tuple(row) for row in rows] == [
        ("_refs.linalg.trim", "linalg.trim."),
        ("_refs.ripple", "ripple.width_1"),
    ]


def test_instantiations(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT c.name, i.kind, i.arguments FROM test_instantiations AS i"
        " JOIN test_classes AS c ON c.id = i.class_id ORDER BY i.id"
    )
    assert [tuple(row) for row in rows] == [
        ("TestBands", "parameters", ""),
        ("TestCaps", "devices", 'only_for=("cuda", "cpu")'),
        ("TestEntries", "devices", ""),
    ]
