"""Which of the tests that are reached fit a budget, and how much a test is about what it calls."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.link.tests import operators
from torchtalk.affected.choice.budget import within
from torchtalk.affected.choice.commands import MOST_NAMES, Selected, commands
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.graph.search import Found
from torchtalk.affected.places.changes import Seed, spread_over_files
from torchtalk.answers.base import Place


def _own(number: int, weight: float, operator: str = "warp") -> Found:
    node = Node("test", number, f"test_{number}")
    return Found(node, weight, 1, ((Node("operator", operator, operator), ""), (node, "")), 1)


def _generic(entry: str, file: str, weight: float, tests: int) -> Found:
    node = Node("generic", f"{entry}\t{file}", file)
    names = tuple(f"test_{n}" for n in range(tests))
    return Found(node, weight, 1, ((Node("opinfo", 1, entry), ""), (node, "")), tests, names)


def _chosen(found: list[Found], budget: int) -> list[Found]:
    found.sort(key=lambda one: -one.weight)
    return list(within(tuple(found), budget, lambda one: one.node.key))


def test_of_very_many_changes_each_file_has_its_share() -> None:
    seeds = [
        Seed(Node("python", n, f"f{n}"), 1.0, Place(f"file{n // 10}.py", n), n % 10)
        for n in range(50)
    ]
    assert spread_over_files(seeds, 50) == seeds
    chosen = spread_over_files(seeds, 7)
    assert [seed.node.key for seed in chosen] == [9, 19, 29, 39, 49, 8, 18]


def test_generic_tests_leave_room_for_those_of_their_own() -> None:
    generic = [_generic("warp", f"file{n}", 0.8, 20) for n in range(5)]
    own = [_own(n, 0.4) for n in range(60)]
    chosen = [one for one in _chosen(generic + own, 80) if one.node.kind == "generic"]
    # As many of each file, since one is as good as the other.
    assert [(one.tests, one.is_part) for one in chosen] == [(8, True)] * 5


def test_what_counts_for_much_less_gets_no_half() -> None:
    generic = [_generic("warp", f"file{n}", 0.8, 20) for n in range(4)]
    own = [_own(n, 0.1) for n in range(60)]
    kinds = [one.node.kind for one in _chosen(generic + own, 80)]
    assert kinds == ["generic"] * 4


def test_all_of_a_budget_is_used_where_there_is_one_kind_only() -> None:
    assert len(_chosen([_own(n, 0.4) for n in range(60)], 50)) == 50
    (part,) = _chosen([_generic("warp", "file", 0.8, 60)], 50)
    assert (part.tests, len(part.generic), part.is_part) == (50, 50, True)


def test_generic_tests_that_are_too_many_are_there_in_part() -> None:
    chosen = _chosen([_generic("warp", "file", 0.8, 60), *(_own(n, 0.7) for n in range(60))], 30)
    (part,) = (one for one in chosen if one.node.kind == "generic")
    assert (part.tests, part.is_part, len(chosen)) == (15, True, 16)


def test_each_of_several_changed_operators_gets_its_tests() -> None:
    """The second operator's tests are reached by a little less, and are not all behind the first one's."""
    warp = [_own(n, 0.50, "warp") for n in range(50)]
    weft = [_own(n, 0.45, "weft") for n in range(50, 100)]
    chosen = _chosen(warp + weft, 50)
    assert sum(one.path[0][0].key == "weft" for one in chosen) >= 20


def _of(cause: str, number: int, weight: float) -> Found:
    """Found for one of several things that changed."""
    node = Node("test", f"{cause}{number}", "")
    path = ((Node("cpp", cause, cause), ""), (Node("operator", cause, cause), ""), (node, ""))
    return Found(node, weight, 2, path, 1)


@pytest.mark.parametrize(("budget", "each"), [(40, 9), (20, 6), (3, 1)])
def test_each_thing_that_changed_has_its_best_tests(budget: int, each: int) -> None:
    """However much stronger another one leads to its tests, and however many things another file has changed in."""
    found = [_of("a", n, 0.9) for n in range(60)] + [_of("b", n, 0.4) for n in range(60)]
    found += [_of("c", n, 0.06) for n in range(60)]
    of_file = {"a": "one.py", "b": "two.py", "c": "three.py"}
    chosen = within(
        tuple(found), budget, lambda one: one.node.key,
        lambda one: (of_file[str(one.path[0][0].key)], str(one.path[0][0].key)),
    )  # fmt: skip
    assert len(chosen) == budget
    for cause in "abc":
        own = [one.node.key for one in chosen if one.path[0][0].key == cause]
        assert own[:each] == [f"{cause}{n}" for n in range(each)]


def test_what_counts_much_less_than_the_best_of_a_thing_is_no_part_of_its_share() -> None:
    found = [_of("a", n, 0.9) for n in range(60)]
    found += [_of("b", 0, 0.8), *(_of("b", n, 0.1) for n in range(1, 60))]
    chosen = within(
        tuple(found), 30, lambda one: one.node.key, lambda one: (str(one.path[0][0].key),)
    )
    assert [one.node.key for one in chosen if one.path[0][0].key == "b"] == ["b0"]


def _cpp(number: int, weight: float) -> Found:
    """Found by way of the function that is its body."""
    node = Node("test", f"cpp{number}", "")
    body = Node("cpp", number, "TestBody")
    return Found(node, weight, 2, ((Node("cpp", "seed", "seed"), ""), (body, ""), (node, "")), 1)


def test_tests_in_cpp_leave_a_third_to_those_of_python() -> None:
    """However much farther off these are; and take all where there are none, or too few."""
    near = [_cpp(n, 0.8) for n in range(60)]
    for python, of_cpp in ((60, 20), (4, 26), (0, 30)):
        chosen = _chosen([*near, *(_own(n, 0.01) for n in range(python))], 30)
        assert len(chosen) == 30
        assert sum(one.is_cpp for one in chosen) == of_cpp


_FOUND = st.lists(
    st.one_of(
        st.builds(_own, st.integers(0, 10_000), st.floats(0.01, 1), st.sampled_from("abc")),
        st.builds(
            _generic, st.sampled_from("abc"), st.text("xyz", max_size=3), st.floats(0.01, 1),
            st.integers(1, 40),
        ),
    ),
    max_size=40,
)  # fmt: skip


@given(_FOUND, st.integers(1, 200))
def test_no_budget_is_overdrawn_and_none_is_left_that_would_fit(
    found: list[Found], budget: int
) -> None:
    chosen = _chosen(found, budget)
    number = sum(one.tests for one in chosen)
    assert number <= budget
    assert [one.weight for one in chosen] == sorted((one.weight for one in chosen), reverse=True)
    left = list(found)
    for one in chosen:
        if not one.is_part:
            left.remove(one)
    if not any(one.is_part for one in chosen):
        assert all(number + one.tests > budget for one in left)


def test_what_nearly_all_tests_call_says_little_of_each(memory: sqlite3.Connection) -> None:
    """Of two tests, one makes its tensors by five common operators: both are as much about the one they test."""
    common = [f"make{n}" for n in range(5)]
    call = operators._CALL
    ways: dict[int, dict[str, int]] = {n: dict.fromkeys(common, call) for n in range(2, 1_000)}
    ways[0] = {"warp": call}
    ways[1] = {"warp": call, **dict.fromkeys(common, call)}
    memory.execute("CREATE TABLE tests (id INTEGER, operators INTEGER DEFAULT 0)")
    memory.execute("CREATE TABLE test_operators (test_id, base, how, weight)")
    memory.executemany("INSERT INTO tests (id) VALUES (?)", [(n,) for n in ways])
    operators.write_operators(memory, operators.Found(ways, set()))
    assert memory.execute("SELECT operators FROM tests WHERE id < 2").fetchall() == [(1,), (2,)]
    weights = dict(
        memory.execute("SELECT test_id, weight FROM test_operators WHERE base = 'warp'").fetchall()
    )
    assert weights[0] > weights[1] > 0.8 * weights[0]


def test_a_file_of_very_many_tests_is_run_as_a_whole() -> None:
    plain = [Selected("test/test_x.py", "test", None, f"test_{n}") for n in range(MOST_NAMES)]
    (command,) = commands(plain)
    assert command.startswith("pytest test/test_x.py -k ")
    two = Selected("test/test_x.py", "generic", None, "test_y and (cpu or cuda)")
    assert commands([*plain[:-2], two]) != ("pytest test/test_x.py",)
    assert commands([*plain[:-1], two]) == ("pytest test/test_x.py",)
