"""The facts of several units as one graph in the tables."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator

import pytest

from indexer import schema
from indexer.facts.clang import (
    CALL,
    CANDIDATE,
    STUB,
    Override,
    StubKernel,
    Symbol,
    UnitFacts,
    without_facts,
)
from indexer.facts.edges import call_code
from indexer.write.clang import write_semantic
from indexer.write.clang_join import Places, last_part, same_function, structured_name
from indexer.write.clang_merge import counts, merge


def symbol(
    name: str, file: str, line: int, *, defined: bool = True, usr: str = "", kind: str = "function"
) -> Symbol:
    return Symbol(
        usr or f"c:@F@{name}#",
        name,
        f"void {name}()",
        kind,
        file,
        line,
        line + 2 if defined else 0,
        defined,
    )


def unit(
    path: str,
    symbols: list[Symbol],
    calls: list[tuple[int, int, int, int]],
    status: str = "ok",
    **more: object,
) -> UnitFacts:
    callers, callees, kinds, lines = zip(*calls, strict=True) if calls else ((), (), (), ())
    facts = without_facts(path, status, "")._replace(
        symbols=symbols,
        callers=array("I", callers),
        callees=array("I", callees),
        kinds=array("B", kinds),
        lines=array("I", lines),
    )
    return facts._replace(**more)  # type: ignore[arg-type]


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    conn = sqlite3.connect(":memory:")
    schema.create(conn)
    schema.create_indexes(conn)
    conn.executemany(
        "INSERT INTO source_files VALUES (?, ?, 'cpp', 1, 'x')",
        [(1, "a.cpp"), (2, "h.h"), (3, "m.mm")],
    )
    conn.executemany(
        "INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_exact)"
        " VALUES (?, ?, '', 'function', ?, ?, ?, 0)",
        [
            (1, "at::f", 1, 10, 12),
            (2, "at::inl", 2, 3, 5),
            (3, "at::mps_only", 3, 7, 9),
            (4, "at::unseen", 1, 50, 60),
        ],
    )
    conn.executemany(
        "INSERT INTO calls VALUES (?, ?, ?, ?)",
        [
            (1, 2, 11, call_code("candidate", "syntax")),
            (1, 4, 12, call_code("call", "syntax")),
            (4, 1, 55, call_code("call", "syntax")),
        ],
    )
    yield conn
    conn.close()


F = symbol("at::f", "a.cpp", 10)
INLINE = symbol("at::inl", "h.h", 3)
MPS = symbol("at::mps_only", "mps.h", 2, defined=False)
STD = symbol("std::move", "<bits/move.h>", 90, defined=False)


def rows(conn: sqlite3.Connection) -> list[tuple[object, ...]]:
    return conn.execute(
        "SELECT caller, callee, kind, file, line, origin FROM v_calls ORDER BY 1, 2, 5, 3"
    ).fetchall()


def test_known_functions_keep_their_ids_and_parsed_ones_lose_the_texts_calls(
    db: sqlite3.Connection,
) -> None:
    write_semantic(
        db,
        [
            unit(
                "a.cpp",
                [F, INLINE, MPS, STD],
                [(0, 1, CALL, 11), (0, 2, CALL, 12), (0, 3, CALL, 12)],
            )
        ],
    )
    assert rows(db) == [
        ("at::f", "at::inl", "call", "a.cpp", 11, "clang"),
        ("at::f", "at::mps_only", "call", "a.cpp", 12, "clang"),
        ("at::f", "std::move", "call", "a.cpp", 12, "clang"),
        ("at::unseen", "at::f", "call", "a.cpp", 55, "syntax"),
    ]
    origins = dict(db.execute("SELECT name, origin FROM functions"))
    assert origins == {
        "at::f": "clang",
        "at::inl": "clang",
        "at::mps_only": "syntax",
        "at::unseen": "syntax",
        "std::move": "clang",
    }
    assert db.execute("SELECT id FROM functions WHERE name = 'at::mps_only'").fetchall() == [(3,)]
    assert db.execute("SELECT kind FROM source_files WHERE path = '<bits/move.h>'").fetchone() == (
        "external",
    )


def test_broken_units_keep_what_only_the_text_tells(db: sqlite3.Connection) -> None:
    write_semantic(
        db, [unit("a.cpp", [F, INLINE], [(0, 1, CALL, 11)], "partial", detail="2 errors")]
    )
    assert ("at::f", "at::unseen", "call", "a.cpp", 12, "syntax") in rows(db)
    assert ("at::f", "at::inl", "call", "a.cpp", 11, "clang") in rows(db)
    assert len(rows(db)) == 3
    assert db.execute("SELECT layer, status, detail FROM coverage").fetchall() == [
        ("semantic", "partial", "2 errors; 1 definition, 1 call, 0 unresolved")
    ]


def test_headers_count_once_and_all_units_see_the_same_function(db: sqlite3.Connection) -> None:
    other = symbol("g", "b.cpp", 1)
    callee = symbol("h", "c.h", 9, defined=False)
    one = unit("a.cpp", [INLINE, callee], [(0, 1, CALL, 4)])
    two = unit("b.cpp", [callee, INLINE, other], [(1, 0, CALL, 4), (2, 0, CANDIDATE, 2)])
    write_semantic(db, [one, two])
    assert [r for r in rows(db) if r[5] == "clang"] == [
        ("at::inl", "h", "call", "h.h", 4, "clang"), ("g", "h", "candidate", "b.cpp", 2, "clang"),
    ]  # fmt: skip
    assert db.execute("SELECT count(*) FROM functions WHERE name = 'h'").fetchone() == (1,)


def test_the_order_of_units_does_not_matter_for_what_they_call() -> None:
    far, near = symbol("h", "z.h", 9, defined=False), symbol("h", "c.h", 2, defined=False)
    one, two = (
        unit("a.cpp", [F, far], [(0, 1, CALL, 11)]),
        unit("b.cpp", [symbol("g", "b.cpp", 1), near], [(0, 1, CALL, 2)]),
    )
    for units in ([one, two], [two, one]):
        assert {row.file for row in merge(units).rows if row.name == "h"} == {"c.h"}
    assert counts(merge([one, two])) == (2, 2, 2)


def test_a_name_with_several_definitions_means_the_callers_own(db: sqlite3.Connection) -> None:
    def main_of(file: str) -> UnitFacts:
        return unit(file, [symbol("main", file, 1), symbol("run", file, 5)], [(0, 1, CALL, 2)])

    write_semantic(db, [main_of("x.cpp"), main_of("y.cpp")])
    found = db.execute(
        "SELECT a.file, b.file FROM v_calls AS c JOIN v_functions AS a ON a.id = c.caller_id"
        " JOIN v_functions AS b ON b.id = c.callee_id WHERE c.origin = 'clang' ORDER BY 1"
    ).fetchall()
    assert found == [("x.cpp", "x.cpp"), ("y.cpp", "y.cpp")]


def test_overrides_and_stubs(db: sqlite3.Connection) -> None:
    base, derived = (
        symbol("A::m", "h.h", 20, kind="method"),
        symbol("B::m", "a.cpp", 30, kind="method"),
    )
    stub, kernel = (
        symbol("at::cap_stub", "h.h", 1, defined=False, kind="variable"),
        symbol("cap_kernel", "a.cpp", 40),
    )
    facts = unit(
        "a.cpp", [base, derived, stub, kernel, F], [(4, 2, STUB, 11)],
        overrides=[Override(1, 0)], stub_kernels=[StubKernel("cap_stub", 3, "DEFAULT", "a.cpp", 45)],
    )  # fmt: skip
    write_semantic(db, [facts])
    names = dict(db.execute("SELECT id, name FROM functions"))
    assert [
        (names[a], names[b])
        for a, b in db.execute("SELECT overridden_id, function_id FROM function_overrides")
    ] == [("A::m", "B::m")]
    assert [
        (s, names[f], form, line)
        for s, f, form, _, line in db.execute("SELECT * FROM semantic_stub_kernels")
    ] == [("cap_stub", "cap_kernel", "DEFAULT", 45)]
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_unit_that_gave_nothing_is_in_the_coverage(db: sqlite3.Connection) -> None:
    write_semantic(db, [without_facts("a.cpp", "timeout", "took longer than the time limit")])
    assert db.execute("SELECT status, detail FROM v_coverage WHERE file = 'a.cpp'").fetchone() == (
        "timeout", "took longer than the time limit; 0 definitions, 0 calls, 0 unresolved",
    )  # fmt: skip


def test_coverage_speaks_of_one_error(db: sqlite3.Connection) -> None:
    said = "1 errors; first: a.cpp:1: 'no.h' file not found"
    write_semantic(db, [unit("a.cpp", [F], [], "partial", detail=said)])
    assert db.execute("SELECT detail FROM v_coverage WHERE file = 'a.cpp'").fetchone()[0] == (
        "1 error; first: a.cpp:1: 'no.h' file not found; 1 definition, 0 calls, 0 unresolved"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("at::native::structured_add_out::impl", "at::native::add_out"),
        ("at::meta::structured_add_Tensor::meta", "at::meta::add_Tensor"),
        ("at::native::structured_add_out::other", "at::native::structured_add_out::other"),
        ("impl", "impl"),
    ],
)
def test_structured_kernels_are_known_by_their_macros_name(name: str, expected: str) -> None:
    assert structured_name(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a::f", "f"),
        ("a::operator==", "operator=="),
        ("S::operator a::T", "operatora::T"),
        ("operators::f", "f"),
        ("S::~S", "~S"),
    ],
)
def test_the_last_part_of_a_name(name: str, expected: str) -> None:
    assert last_part(name) == expected


def test_a_lambdas_own_functions_are_its_functions(db: sqlite3.Connection) -> None:
    """Its calls stand with the function around it already; its name would have a path of this machine in it."""
    own = symbol("at::f", "a.cpp", 10)
    call = symbol(
        "at::f::operator()", "a.cpp", 11, defined=False, usr="c:a.cpp@9@F@f#@Sa@F@operator()#1"
    )
    copy = symbol(
        "at::f::(lambda at /x/a.cpp:11:2)", "a.cpp", 11, defined=False, usr="c:a@F@f#@Sa@F@(lambda"
    )
    other = symbol("at::g", "a.cpp", 30, defined=False)
    write_semantic(
        db,
        [
            unit(
                "a.cpp",
                [own, call, copy, other],
                [(0, 1, CALL, 12), (0, 2, CALL, 12), (0, 3, CALL, 12)],
            )
        ],
    )
    assert [tuple(row) for row in db.execute(
        "SELECT callee FROM v_calls WHERE caller = 'at::f' AND origin = 'clang'"
    )] == [("at::g",)]  # fmt: skip
    assert not db.execute(
        "SELECT 1 FROM functions WHERE name LIKE '%lambda%' OR name LIKE '%operator%'"
    ).fetchall()


def test_a_meta_function_is_the_method_that_the_macro_makes(db: sqlite3.Connection) -> None:
    name = "at::meta::structured_add_Tensor::meta"
    db.execute(
        "INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_exact, macro)"
        " VALUES (9, ?, '', 'structured', 1, 70, 80, 0, 'TORCH_META_FUNC2')",
        (name,),
    )
    write_semantic(db, [unit("a.cpp", [symbol(name, "a.cpp", 70, kind="method")], [])])
    found = db.execute("SELECT id, kind, origin FROM functions WHERE name = ?", (name,)).fetchall()
    assert found == [(9, "structured", "clang")]


def test_overloads_on_one_line_are_told_apart_by_their_types(db: sqlite3.Connection) -> None:
    heads = (
        "inline Tensor operator >=(const Tensor& x, const Tensor& y)",
        "inline Tensor operator >=(const Tensor& x, const Scalar& y)",
        "inline Tensor operator >=(const Scalar& x, const Tensor& y)",
    )
    db.execute(
        "INSERT INTO source_files (id, path, kind, size, sha) VALUES (900, 'ops.h', 'cpp', 0, '')"
    )
    db.executemany(
        "INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_exact)"
        " VALUES (?, 'at::operator>=', ?, 'operator', 900, 47, 47, 0)",
        enumerate(heads, 900),
    )
    places = Places(db)
    written = ("const at::Tensor &, const c10::Scalar &", "const c10::Scalar &, const at::Tensor &",
               "const at::Tensor &, const at::Tensor &")  # fmt: skip
    taken: set[int] = set()
    for types in written:
        wanted = symbol("at::operator>=", "ops.h", 47, kind="operator", usr=types)
        found = same_function(
            wanted._replace(signature=f"at::Tensor operator>=({types})"), places, taken
        )
        assert found is not None
        taken.add(found)
        assert heads[found - 900].partition("(")[2].replace(" x", "").replace(" y)", "") == (
            types.replace("at::", "").replace("c10::", "").replace(" &", "&")
        )


def test_a_conversion_is_the_one_that_stands_there_whatever_its_type_is_called(
    db: sqlite3.Connection,
) -> None:
    db.executemany(
        "INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_exact)"
        " VALUES (?, ?, '', 'conversion', 2, ?, ?, 0)",
        [
            (21, "P::operator T*", 30, 32),
            (22, "P::Q::operator ::id_t", 30, 32),
            (23, "P::f", 30, 30),
        ],
    )
    given = symbol("P::operator type-parameter-0-0 *", "h.h", 30, kind="conversion")
    inner = symbol("P::Q::operator unsigned int", "h.h", 30, kind="conversion")
    other = symbol("P::operator bool", "h.h", 31, kind="conversion")
    caller = symbol("at::f", "a.cpp", 10)
    write_semantic(db, [unit("a.cpp", [caller, given, inner, other], [(0, 1, CALL, 11)])])
    found = db.execute(
        "SELECT name, origin FROM functions WHERE name LIKE 'P::%' ORDER BY line, name"
    ).fetchall()
    assert found == [
        ("P::Q::operator ::id_t", "clang"),
        ("P::f", "syntax"),
        ("P::operator T*", "clang"),
        ("P::operator bool", "clang"),
    ]
    assert (1, 21) in db.execute("SELECT caller_id, callee_id FROM calls").fetchall()


def test_what_a_macro_makes_may_begin_on_any_line_of_its_use(db: sqlite3.Connection) -> None:
    db.execute(
        "INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_exact, macro)"
        " VALUES (24, 'at::Registry', '', 'function', 1, 40, 44, 0, 'DEFINE_REGISTRY')"
    )
    places = Places(db)
    assert same_function(symbol("at::Registry", "a.cpp", 42), places, set()) == 24
    assert same_function(symbol("at::Registry", "a.cpp", 45), places, set()) is None
    assert same_function(symbol("at::Registry", "h.h", 42), places, set()) is None
    assert same_function(symbol("at::Registry", "a.cpp", 42), places, {24}) is None


def test_a_parameter_that_is_const_in_the_definition_alone_makes_no_other_function() -> None:
    declared = symbol("n::gemm", "gemm.h", 3, defined=False, usr="c:@N@n@F@gemm#d#*1d#&1$@N@n@S@T#")
    defined = symbol("n::gemm", "gemm.cpp", 9, usr="c:@N@n@F@gemm#1d#*1d#&1$@N@n@S@T#")
    const_method = symbol("n::T::size", "t.h", 5, defined=False, usr="c:@N@n@S@T@F@size#1")
    method = symbol("n::T::size", "t.h", 6, usr="c:@N@n@S@T@F@size#")
    caller = symbol("n::user", "user.cpp", 1, usr="c:@N@n@F@user#")
    merged = merge(
        [
            unit("gemm.cpp", [defined, method], []),
            unit("user.cpp", [caller, declared, const_method], [(0, 1, CALL, 2), (0, 2, CALL, 3)]),
        ]
    )
    called = {line: merged.rows[callee] for _, callee, line, _ in merged.calls()}
    assert called[2] == defined
    # A const method is another one than that which is not.
    assert called[3] == const_method
