"""find_similar_tests where a name leads nowhere by itself: operators that call it, wrappers, words, paths."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.db import connect
from torchtalk.tools import all_tools, find_similar_tests

_NATIVE = "aten/src/ATen/native"
_TEST = "import unittest\nclass {}(unittest.TestCase):\n    def {}(self):\n        {}\n\n"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: pack(Tensor self) -> Tensor\n  dispatch:\n    CPU: pack_cpu\n\n"
        "- func: _pack(Tensor self) -> Tensor\n  dispatch:\n    CPU: _pack_sparse_cpu\n"
    ),
    f"{_NATIVE}/Pack.cpp": (
        "namespace at::native {\n"
        "Tensor _pack_sparse_cpu(const Tensor& self) { return self; }\n"
        "Tensor pack_cpu(const Tensor& self) { return at::_pack(self); }\n}\n"
    ),
    "c10/core/BoxStore.cpp": "namespace c10 {\nBoxStore::BoxStore(int a) { a++; }\n}\n",
    "c10/core/BoxStore.h": "namespace c10 {\nstruct BoxStore { explicit BoxStore(int a); };\n}\n",
    "torch/__init__.py": "",
    "torch/func/__init__.py": "from torch._impl import back as back\n",
    "torch/_impl.py": "def back(f):\n    return f\n",
    "torch/_old.py": "import torch._impl as _impl\ndef back(f):\n    return _impl.back(f)\n",
    "functorch/__init__.py": "from torch._old import back as back\n",
    "test/test_pack.py": "import torch\n"
    + _TEST.format("TestPack", "test_packing", "torch.pack(1)"),
    "test/test_stores.py": _TEST.format("TestStores", "test_box_store", "pass"),
    "test/test_back.py": "import functorch\n"
    + _TEST.format("TestIt", "test_x", "functorch.back(1)"),
    "test/test_boxes.py": _TEST.format("TestLids", "test_lid", "boxesopen(1)"),
    "c10/test/core/BoxStore_test.cpp": (
        "#include <gtest/gtest.h>\nTEST(BoxStoreTest, Calls) { c10::BoxStore store(1); }\n"
        "TEST(BoxStoreTest, Grows) { grow(1); }\n"
    ),
    "test/test_lids.py": _TEST.format("TestTin", "test_long_name_of_a_tin_lid_that_closes", "pass"),
    "test/cpp/api/lids.cpp": "#include <gtest/gtest.h>\nTEST(TinTest, LidCloses) { f(1); }\n",
    "test/test_yarnrings.py": _TEST.format("TestLoops", "test_turn", "pass"),
    "test/test_rings.py": _TEST.format("TestYarnRing", "test_knot", "pass")
    + _TEST.format("TestWool", "test_yarnrings_of_wool", "pass")
    + _TEST.format("TestFelt", "test_felt", "YARNRing(1)"),
    "test/test_api.py": _TEST.format("TestApi", "test_api_one", "pass"),
    "test/cpp/api/apis.cpp": "#include <gtest/gtest.h>\nTEST(Other, One) { f(1); }\n",
    "torch/_felt/__init__.py": "",
    "torch/_felt/press.py": "class Press:\n    pass\n\n\ndef _flat(x):\n    return x\n",
    "test/felt/test_press.py": "from torch._felt.press import Press\n"
    + _TEST.format("TestFirst", "test_one", "Press()"),
    "test/felt/test_other.py": "from torch._felt.press import _flat\n"
    + _TEST.format("TestSecond", "test_two", "_flat(1)")
    + _TEST.format("TestPressing", "test_press", "pass"),
    "test/test_texts.py": _TEST.format(
        "TestTexts", "test_it", "self.assertRaisesRegex(ValueError, 'wool cannot be folded', f)"
    ),
    "test/jit/test_freezing.py": _TEST.format("TestIce", "test_cold", "pass"),
    "torch/_opened.py": "def OPEN_UP(x):\n    return x\n",
    "test/test_opening.py": _TEST.format("TestOpen", "test_open_up2", "pass"),
    "test/test_gone.py": _TEST.format("TestGone", "test_gone_up", "pass"),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("words")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("query", "test", "why"),
    [
        ("at::native::_pack_sparse_cpu", "TestPack.test_packing", "calls pack"),
        ("BoxStore", "BoxStoreTest.Calls", "named box store"),
        ("torch.func.back", "TestIt.test_x", "uses torch.func.back"),
        ("jit freezing", "TestIce.test_cold", "stands in test/jit/test_freezing.py"),
        (
            "tin lid closes",
            "TestTin.test_long_name_of_a_tin_lid_that_closes",
            "named tin lid closes",
        ),
        ("freezing cold", "TestIce.test_cold", "named cold, in test/jit/test_freezing.py"),
        ("box of the store", "TestStores.test_box_store", "named box store"),
        ("boxes open", "TestLids.test_lid", "its body has boxesopen"),
    ],
)
def test_what_is_found(conn: sqlite3.Connection, query: str, test: str, why: str) -> None:
    hit = all_tools()["find_similar_tests"].ask(conn, query=query).hits[0]
    assert hit.name == test
    assert why in hit.why


def test_tests_that_are_called_like_a_cpp_class(conn: sqlite3.Connection) -> None:
    """Not only those in which a call of its members is seen."""
    answer = all_tools()["find_similar_tests"].ask(conn, query="c10::BoxStore")
    assert [(hit.name, hit.why) for hit in answer.hits] == [
        ("BoxStoreTest.Calls", ("calls c10::BoxStore", "named box store")),
        ("TestStores.test_box_store", ("named box store",)),
        ("BoxStoreTest.Grows", ("named box store",)),
    ]


@pytest.mark.parametrize("query", ["yarn rings", "yarn ring", "yarnring", "yarnrings"])
def test_words_together_and_apart(conn: sqlite3.Connection, query: str) -> None:
    found = {hit.name for hit in all_tools()["find_similar_tests"].ask(conn, query=query).hits}
    assert {
        "TestYarnRing.test_knot",
        "TestWool.test_yarnrings_of_wool",
        "TestLoops.test_turn",
    } <= found
    assert "TestFelt.test_felt" in found


def test_the_ending_of_a_file_is_no_word(conn: sqlite3.Connection) -> None:
    found = [hit.name for hit in all_tools()["find_similar_tests"].ask(conn, query="api cpp").hits]
    assert "Other.One" in found  # of test/cpp/
    assert [
        hit.name for hit in all_tools()["find_similar_tests"].ask(conn, query="apis cpp py").hits
    ] == []


def test_of_two_words_the_one_that_fewer_tests_have_is_enough(conn: sqlite3.Connection) -> None:
    answer = all_tools()["find_similar_tests"].ask(conn, query="freezing knot")
    assert [hit.name for hit in answer.hits] == ["TestYarnRing.test_knot"]
    assert "all but one of them" in answer.notes[-1]
    assert all_tools()["find_similar_tests"].ask(conn, query="freezing nonsense").hits == ()


def test_an_installed_package_is_said_to_have_no_tests(tmp_path: Path) -> None:
    with indexed({**_FILES, "torch/x.py": ""}, tmp_path) as there:
        database = tmp_path / "copy.db"
        database.write_bytes((tmp_path / "small.db").read_bytes())
        assert not any("installed package" in n for n in _notes(there))
    with sqlite3.connect(database) as copy:
        copy.execute("UPDATE meta SET value = 'installed' WHERE key = 'source_kind'")
    conn = connect(database)
    assert all("which has no test/" in note for note in _notes(conn)[-1:])
    assert "which has no test/" in all_tools()["affected"].ask(conn, names="pack").notes[-1]
    conn.close()


def _notes(conn: sqlite3.Connection) -> tuple[str, ...]:
    return all_tools()["find_similar_tests"].ask(conn, query="aten::pack").notes or ("",)


def test_namespaces_in_a_phrase_are_no_words(conn: sqlite3.Connection) -> None:
    """Tests have the last part of a name in theirs: `torch.compile dynamic shapes`."""
    plain = all_tools()["find_similar_tests"].ask(conn, query="box store")
    assert plain.hits
    for query in ("c10::box store", "torch.box store", "torch.nn.box store"):
        assert all_tools()["find_similar_tests"].ask(conn, query=query).hits == plain.hits, query


def test_a_name_of_no_class_in_a_phrase_is_looked_for_in_tests_alone(
    conn: sqlite3.Connection,
) -> None:
    """`NoSuchClass` has the look of a class of Python: no test uses it, and none has it in its name."""
    for query in ("NoSuchClass store", "no.such.thing store"):
        answer = all_tools()["find_similar_tests"].ask(conn, query=query)
        assert not [hit for hit in answer.hits if any("uses" in why for why in hit.why)]


def test_a_name_that_nothing_has_is_said(conn: sqlite3.Connection) -> None:
    answer = find_similar_tests.find_similar_tests(conn, "at::native::packing_out")
    assert answer.hits
    assert "nothing in the index is called at::native::packing_out" in answer.notes


_MESSAGE = "Expected all of it to be elsewhere"


def test_a_message_that_no_test_has(conn: sqlite3.Connection) -> None:
    answer = find_similar_tests.find_similar_tests(conn, _MESSAGE)
    assert not answer.hits
    assert "none in the tree has the text" in answer.notes[0]


def test_nothing_is_said_of_texts_that_were_not_searched(
    conn: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = find_similar_tests.find_similar_tests(conn, "a 1 b 2 c 3 d 4 e 5")
    assert answer.notes[0] == "no test is named so"
    monkeypatch.setattr("torchtalk.affected.sources._root", lambda conn: None)
    answer = find_similar_tests.find_similar_tests(conn, _MESSAGE)
    assert answer.notes[0] == (
        "no test is named so; texts of files were not searched: the tree that was indexed is not here"
    )
    monkeypatch.undo()
    monkeypatch.setattr("torchtalk.affected.sources.ALWAYS", 0)
    monkeypatch.setattr("torchtalk.affected.sources.MOST_SECONDS", -1)
    answer = find_similar_tests.find_similar_tests(conn, _MESSAGE)
    assert answer.notes[0].endswith("of the tree were not searched, for want of time")
    assert "none in the tree" not in answer.notes[0]


def test_entries_far_off_tell_nothing_of_what_has_tests(tmp_path: Path) -> None:
    """pin_memory's kernel is run by clone's, some levels up; it has tests, and no entry."""
    files = {
        f"{_NATIVE}/native_functions.yaml": "".join(
            f"- func: {name}(Tensor self) -> Tensor\n  dispatch:\n    CPU: {name}_cpu\n\n"
            for name in ("inner", "bare", "middle", "outer")
        ),
        f"{_NATIVE}/Rings.cpp": (
            "namespace at::native {\nTensor inner_cpu(const Tensor& self) { return self; }\n"
            "Tensor bare_cpu(const Tensor& self) { return self; }\n"
            "Tensor middle_cpu(const Tensor& self) { return at::inner(at::bare(self)); }\n"
            "Tensor outer_cpu(const Tensor& self) { return at::middle(self); }\n}\n"
        ),
        "torch/__init__.py": "",
        "torch/testing/_internal/common_methods_invocations.py": (
            "from torch.testing._internal.opinfo.core import OpInfo\nop_db = [OpInfo('outer')]\n"
        ),
        "torch/testing/_internal/opinfo/core.py": "class OpInfo:\n    pass\n",
        "test/test_rings.py": "import torch\n"
        + _TEST.format("TestRings", "test_inner", "torch.inner(1)"),
    }
    with indexed(files, tmp_path) as conn:
        own = find_similar_tests.find_similar_tests(conn, "inner")
        far = find_similar_tests.find_similar_tests(conn, "bare")
    assert [hit.name for hit in own.hits] == ["TestRings.test_inner"]
    assert [hit.name for hit in far.hits] == ["outer"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("long wool tin lid zinc copper", ["TestTin.test_long_name_of_a_tin_lid_that_closes"]),
        ("zinc copper iron steel lead", []),
        ("what does the long tin lid", ["TestTin.test_long_name_of_a_tin_lid_that_closes"]),
    ],
)
def test_of_many_words_those_that_a_test_has(
    conn: sqlite3.Connection, query: str, found: list[str]
) -> None:
    answer = all_tools()["find_similar_tests"].ask(conn, query=query)
    assert [hit.name for hit in answer.hits] == found


def test_a_module_has_the_tests_of_what_stands_in_it(conn: sqlite3.Connection) -> None:
    answer = find_similar_tests.find_similar_tests(conn, "torch._felt.press")
    assert answer.notes[0] == "torch._felt.press is a module: these are of what stands in it"
    uses = "uses what stands in torch._felt.press"
    # Last what only has its name: of what few use.
    assert [(hit.name, hit.why) for hit in answer.hits] == [
        ("TestFirst.test_one", (uses, "its file is called like it")),
        ("TestSecond.test_two", (uses,)),
        ("TestPressing.test_press", ("named press",)),
    ]


def test_a_bare_name_of_several_files_is_no_words(conn: sqlite3.Connection) -> None:
    """`common_utils.py` brought tests that are `named like py`."""
    answer = all_tools()["find_similar_tests"].ask(conn, query="__init__.py")
    assert answer.page.total == 0
    assert answer.finding.startswith("__init__.py could be: torch/__init__.py, ")
    # Of a file that is not there the ending is no word either.
    answer = all_tools()["find_similar_tests"].ask(conn, query="box_store.py")
    assert "TestStores.test_box_store" in {hit.name for hit in answer.hits}
    assert answer.notes[0] == "no file is called box_store.py: taken as box_store"


def test_a_file_of_python_has_the_tests_of_what_stands_in_it(conn: sqlite3.Connection) -> None:
    answer = find_similar_tests.find_similar_tests(conn, "torch/_felt/press.py")
    uses = "uses what stands in torch/_felt/press.py"
    why = {hit.name: hit.why[0] for hit in answer.hits}
    assert list(why)[:2] == ["TestFirst.test_one", "TestSecond.test_two"]
    assert why["TestFirst.test_one"] == why["TestSecond.test_two"] == uses
    assert answer.hits[0].why[:2] == (uses, "its file is called like it")
    assert "these use what stands in it, or are of files that are called like it" in answer.notes[0]


def test_few_words_may_be_those_of_a_message(conn: sqlite3.Connection) -> None:
    answer = find_similar_tests.find_similar_tests(conn, "cannot be folded")
    assert [(hit.name, hit.why) for hit in answer.hits] == [
        ("TestTexts.test_it", ("expects the text",))
    ]
    assert answer.notes == (
        "no test is named so; these expect an error or a warning with the text",
    )
    assert not find_similar_tests.find_similar_tests(conn, "quite other words").notes


@pytest.mark.parametrize("query", ["löng nåme", "ＬＯＮＧ ｎａｍｅ"])
def test_a_letter_with_a_mark_is_that_letter(conn: sqlite3.Connection, query: str) -> None:
    answer = find_similar_tests.find_similar_tests(conn, query)
    assert answer.finding.startswith("the words long, name:")
    assert [(hit.name, hit.why) for hit in answer.hits] == [
        ("TestTin.test_long_name_of_a_tin_lid_that_closes", ("named long name",))
    ]


def test_a_number_behind_a_name_says_no_other_thing(conn: sqlite3.Connection) -> None:
    """`unpack_ex` brought tests that are `named like ex`, and UNPACK_EX none of test_unpack_ex2."""
    found = {
        query: [
            (hit.name, hit.why) for hit in find_similar_tests.find_similar_tests(conn, query).hits
        ]
        for query in ("open up", "OPEN_UP", "torch._opened.OPEN_UP")
    }
    assert found == {
        "open up": [("TestOpen.test_open_up2", ("named open up, with a number",))],
        "OPEN_UP": [("TestOpen.test_open_up2", ("named open up",))],
        "torch._opened.OPEN_UP": [("TestOpen.test_open_up2", ("named open up, with a number",))],
    }
