"""find_similar_tests for what people say of a bug: no test has all of these words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.texts import messages
from torchtalk.answers.tests import SimilarTestsAnswer
from torchtalk.names.questions import is_about_several
from torchtalk.tools import all_tools
from torchtalk.tools.find_similar_tests import find_similar_tests
from torchtalk.tools.finding_tests.entries_among import entries_among


def _file(owner: str, tests: dict[str, str]) -> str:
    methods = "".join(f"    def {name}(self):\n        {body}\n" for name, body in tests.items())
    return f"import unittest\nimport torch\nclass {owner}(unittest.TestCase):\n{methods}"


_PLAIN = {f"test_plain_{number}": "pass" for number in range(12)}
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: unravel(Tensor self) -> Tensor\n",
    "torch/__init__.py": "def spin(x):\n    return x\n",
    "torch/testing/_internal/common_methods_invocations.py": (
        "from torch.testing._internal.opinfo.core import OpInfo\nop_db = [OpInfo('unravel'), OpInfo('unravel_knot'), OpInfo('knots.tie_fast')]\n"
    ),
    "torch/testing/_internal/opinfo/core.py": "class OpInfo:\n    pass\n",
    "test/test_spindle.py": _file(
        "TestTurning", {"test_worker_seed": "pass", "test_worker": "pass", **_PLAIN}
    ),
    "test/test_loom.py": _file(
        "TestWeaving",
        {
            "test_worker_pays": "pass",
            "test_warp_tension": "self.x.hold_thread(1)",
            "test_nan": "torch.spin(self.cloth)",
            "test_unravel_cloth": "pass",
            "test_one": "self.assertRaisesRegex(ValueError, 'the knot', f)",
            "test_two": "self.assertIn('Knots have to be tied before they are cut', f())",
            **_PLAIN,
        },
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("most_words")) as connection:
        yield connection


def _found(answer: SimilarTestsAnswer) -> list[tuple[str, tuple[str, ...]]]:
    return [(hit.name, hit.why) for hit in answer.hits]


@pytest.mark.parametrize(
    ("query", "test", "why"),
    [
        (
            "deadlock in spindle worker on shutdown",
            "TestTurning.test_worker",
            ("named like worker", "its file is called like spindle"),
        ),
        ("fix wrong tension of warps on exit", "TestWeaving.test_warp_tension", ("named like tension warps",)),
        (
            "tension is lost with hold_thread",
            "TestWeaving.test_warp_tension",
            ("named like tension", "its body has hold thread"),
        ),
        # That has capitals within, as a name has.
        ("NaN in cloth upside", "TestWeaving.test_nan", ("named like nan", "its body has cloth")),
    ],
)  # fmt: skip
def test_the_tests_with_most_of_the_words(
    conn: sqlite3.Connection, query: str, test: str, why: tuple[str, ...]
) -> None:
    answer = find_similar_tests(conn, query)
    assert _found(answer)[0] == (test, why)
    assert answer.finding.endswith("with most of them")
    assert answer.notes[0].startswith("no test has all of these words: ")


def test_what_none_of_them_has_is_said(conn: sqlite3.Connection) -> None:
    (note, *_) = find_similar_tests(conn, "spindle worker hiccups").notes
    assert note.endswith("; none has hiccups as well")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("unravel knot out", ("unravel_knot",)),
        ("worker knots tie fast unravel", ("knots.tie_fast",)),
        ("unravel the knot", ("unravel",)),
        ("worker knot", ()),
    ],
)
def test_names_of_several_words_come_before_those_of_one(
    conn: sqlite3.Connection, words: str, names: tuple[str, ...]
) -> None:
    """`masked_select out=` is about masked_select, `linalg.eigh complex` about no operator that is called complex."""
    assert entries_among(conn, words.split()) == names
    several = tuple(name for name in names if name != "unravel")
    assert entries_among(conn, words.split(), alone=False) == several


def test_what_has_tests_is_said_to_have_an_opinfo_as_well(tmp_path: Path) -> None:
    """`scaled_dot_product_attention causal mask` has tests with all of its words."""
    reel = _file("TestReel", {"test_tying_unravel_knot": "pass"})
    with indexed({**_FILES, "test/test_reel.py": reel}, tmp_path) as conn:
        answer = find_similar_tests(conn, "unravel knot tying")
    assert answer.hits[0].name == "TestReel.test_tying_unravel_knot"
    assert answer.notes[-1] == "unravel_knot has an OpInfo: ask for it alone for generic tests"


def test_an_operator_among_the_words_is_said_to_have_an_opinfo(conn: sqlite3.Connection) -> None:
    notes = find_similar_tests(conn, "worker and cloth after unravel").notes
    assert "unravel has an OpInfo: ask for it alone for generic tests" in notes
    assert not any(
        "OpInfo" in note for note in find_similar_tests(conn, "worker spindle cap").notes
    )


def test_a_question_is_about_more_than_the_one_name_in_it(conn: sqlite3.Connection) -> None:
    query = "how is hold_thread with tension tested?"
    answer = all_tools()["find_similar_tests"].ask(conn, query=query)
    assert _found(answer)[0][0] == "TestWeaving.test_warp_tension"
    assert answer.notes[0] == "taken as hold_thread tension"
    alone = all_tools()["find_similar_tests"].ask(conn, query="how is hold_thread tested?")
    assert alone.notes[0] == "taken as hold_thread"


def test_what_is_said_of_any_bug_is_no_word_of_it(conn: sqlite3.Connection) -> None:
    answer = find_similar_tests(conn, "fix bug in spindle")
    assert answer.notes[0] == "taken as spindle"
    assert {hit.place.file for hit in answer.hits} == {"test/test_spindle.py"}


def test_one_word_that_tests_have_is_not_enough(conn: sqlite3.Connection) -> None:
    assert find_similar_tests(conn, "worker hiccups zebra giraffe").hits == ()


def test_two_words_of_a_message_do_not_make_it(conn: sqlite3.Connection) -> None:
    """`the knot` is expected to be said by what has many more words."""
    answer = find_similar_tests(conn, "undo the knot while warps have tension")
    assert _found(answer) == [("TestWeaving.test_warp_tension", ("named like warps tension",))]


def test_files_are_read_for_what_looks_like_a_message_alone(
    conn: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "Knots have to be tied before they are cut"
    assert _found(find_similar_tests(conn, said)) == [("TestWeaving.test_two", ("has the text",))]
    read: list[str] = []
    monkeypatch.setattr(
        "torchtalk.tools.finding_tests.other_tests.having",
        lambda *args: read.append(args[1]) or messages.having(*args),
    )
    find_similar_tests(conn, said)
    assert len(read) == 1
    find_similar_tests(conn, "conv2d gives wrong tension in spindle worker of as_strided")
    assert len(read) == 1


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("where is torch.cumprod implemented?", False),
        ("softcap kernel", False),
        ("fix bug in autograd", False),
        ("deadlock in spindle", True),
    ],
)
def test_what_is_about_several_things(text: str, several: bool) -> None:
    assert is_about_several(text) is several


def test_a_test_that_is_not_there_is_looked_for_by_its_words(conn: sqlite3.Connection) -> None:
    answer = find_similar_tests(conn, "test_worker_seed_and_hiccups")
    assert answer.hits[0].name == "TestTurning.test_worker_seed"
    assert answer.notes[0] == "taken as worker seed and hiccups"


def test_a_test_of_a_class_as_pytest_writes_it(conn: sqlite3.Connection) -> None:
    answer = find_similar_tests(conn, "TestTurning::test_worker")
    assert answer.hits[0].name == "TestTurning.test_worker"
    assert answer.hits[0].why[0] == "is this test"
    assert answer.notes[0] == "taken as TestTurning.test_worker"


def test_few_that_expect_a_part_of_some_words_stand_before_those_with_most(
    tmp_path: Path,
) -> None:
    """`out of memory allocator snapshot` had the one test that expects `out of memory`."""
    reel = _file("TestReel", {"test_winds": "self.assertRaisesRegex(ValueError, 'end of yarn', f)"})
    with indexed({**_FILES, "test/test_reel.py": reel}, tmp_path) as conn:
        answer = find_similar_tests(conn, "end of yarn worker seed")
    assert answer.hits[0].why == ("expects the text",)
    assert "TestTurning.test_worker_seed" in {hit.name for hit in answer.hits[1:]}
    assert answer.notes[-1] == "behind them stand tests with most of the words"
