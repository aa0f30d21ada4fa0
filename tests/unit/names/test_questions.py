"""Questions in plain words: what of them is looked for."""

from __future__ import annotations

import sqlite3

import pytest

from torchtalk.answers.search import SearchAnswer
from torchtalk.answers.tests import SimilarTestsAnswer
from torchtalk.names.questions import of_tests, reduced, the_name, without_asking
from torchtalk.tools import all_tools


def searched(conn: sqlite3.Connection, query: str) -> SearchAnswer:
    answer = all_tools()["search"].ask(conn, query=query)
    assert isinstance(answer, SearchAnswer)
    return answer


@pytest.mark.parametrize(
    "query",
    [
        "where is torch.softcap implemented?",
        "softcap kernel",
        "how does vmap randomness for softcap work",
        "which batch rule implements aten::softcap",
    ],
)
def test_a_question_is_answered_by_the_name_in_it(conn: sqlite3.Connection, query: str) -> None:
    answer = searched(conn, query)
    assert "aten::softcap" in [hit.name for hit in answer.hits]
    assert answer.query == query
    assert any("taken as " in note for note in answer.notes)


def test_a_name_is_not_reduced(conn: sqlite3.Connection) -> None:
    assert searched(conn, "softcap").notes == ()
    assert reduced(conn, "softcap") is None


def test_words_are_taken_for_the_name_that_they_make(conn: sqlite3.Connection) -> None:
    """`flex attention` is none about `attention`, where no test has both words."""
    assert reduced(conn, "softcap backward") == "softcap_backward"
    assert reduced(conn, "softcap sideward") == "softcap"
    answer = all_tools()["find_similar_tests"].ask(conn, query="softcap backward")
    assert answer.subject.endswith("softcap_backward")


def test_a_word_of_a_message_is_said_to_be_one(conn: sqlite3.Connection) -> None:
    notes = searched(conn, "frobs of softcap may not overlap here").notes
    assert notes[0] == "nothing fits all words; taken as softcap"
    assert "texts of errors" in notes[1]


def test_what_has_most_of_the_words_is_thought_of(conn: sqlite3.Connection) -> None:
    answer = searched(conn, "who computes the softcaping backwards of frobs")
    assert not answer.found
    assert any("softcap_backward" in name for name in answer.closest)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("which tests cover nn.Bilinear", "nn.Bilinear"),
        ("tests for torch.fft.hfft?", "torch.fft.hfft"),
        ("what tests the LBFGS optimizer", "LBFGS"),
        ("what test should I run for max_pool2d", "max_pool2d"),
        ("which tests exist for channels last", "channels last"),
        ("test_for_loop", "test_for_loop"),
        ("channels last", "channels last"),
        ("softmax gradient", "softmax gradient"),
        ("tests", "tests"),
        ("test for", "for"),
        ("how is nn.Bilinear tested?", "nn.Bilinear"),
        ("how are channels last being tested", "channels last"),
        ("how do we test the LBFGS optimizer", "LBFGS"),
    ],
)
def test_what_tests_are_asked_for(text: str, about: str) -> None:
    assert of_tests(text) == about


def test_tests_of_a_question_are_those_of_the_name(conn: sqlite3.Connection) -> None:
    answer = all_tools()["find_similar_tests"].ask(conn, query="which tests cover torch.softcap?")
    plain = all_tools()["find_similar_tests"].ask(conn, query="torch.softcap")
    assert isinstance(answer, SimilarTestsAnswer)
    assert isinstance(plain, SimilarTestsAnswer)
    assert (answer.hits, answer.finding) == (plain.hits, plain.finding)
    assert answer.notes[0] == "taken as torch.softcap"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("what breaks if I change at::native::pad_sequence?", "at::native::pad_sequence"),
        ("how does torch.cumprod get to CUDA", "torch.cumprod"),
        ("where do index_put and index_add differ", ""),
        ("how are tensors freed", ""),
        ("void at::native::f(int a)", ""),
        ("is_cuda", ""),
    ],
)
def test_the_one_name_in_a_question(text: str, name: str) -> None:
    assert the_name(text) == name


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("how do I see graph breaks?", "graph breaks"),
        ("what does dynamic_shapes do", "dynamic_shapes"),
        ("graph breaks", ""),
        ("where is it", ""),
    ],
)
def test_a_question_without_the_words_that_ask(text: str, left: str) -> None:
    assert without_asking(text) == left


def test_every_tool_takes_a_question(conn: sqlite3.Connection) -> None:
    answer = all_tools()["search"].ask(conn, query="what is at::native::softcap_stub for?")
    assert answer.query == "what is at::native::softcap_stub for?"
    assert answer.found


def test_a_cpp_name_as_a_debugger_has_it(conn: sqlite3.Connection) -> None:
    answer = searched(conn, "at::native::(anonymous namespace)::softcap_kernel_impl")
    assert answer.found
    assert answer.notes[0] == "taken as at::native::softcap_kernel_impl"


def test_a_method_that_no_test_calls_has_those_of_its_class(conn: sqlite3.Connection) -> None:
    answer = all_tools()["find_similar_tests"].ask(
        conn, query="torch.nn.modules.cap.CapPair.forward"
    )
    assert isinstance(answer, SimilarTestsAnswer)
    assert answer.subject == "torch.nn.CapPair"
    assert any(note.endswith("these are of its class") for note in answer.notes)
    of_test = all_tools()["find_similar_tests"].ask(
        conn, query="test.test_caps.TestCaps.test_softcap"
    )
    assert not any("of its class" in note for note in of_test.notes)
