"""What is kept of all units' mentions: looked up, replaced and read again as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.write.clang_state import MAGIC, Mention, State, load_state, save_state

KEYS = st.integers(0, 5) | st.integers(0, 2**64 - 1)
MENTIONS = st.builds(
    Mention,
    st.integers(1, 2**40),
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**31),
    st.integers(0, 2**31),
    st.integers(0, 2**31),
)


@given(st.lists(st.tuples(KEYS, st.none() | MENTIONS)))
def test_a_state_is_a_mapping_of_keys(changes: list[tuple[int, Mention | None]]) -> None:
    state, expected = State(), dict[int, Mention]()
    for key, mention in changes:
        state.put(key, mention)
        if mention is None:
            expected.pop(key, None)
        else:
            expected[key] = mention
        assert state.get(key) == mention
    assert list(state.keys) == sorted(expected)
    assert {key: state.get(key) for key in state.keys} == expected


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans())))
def test_usrs_with_const_parameters_are_counted(changes: list[tuple[int, bool]]) -> None:
    state, expected = State(), list[int]()
    for plain, there in changes:
        state.note(plain, there=there)
        if there:
            expected.append(plain)
        elif plain in expected:
            expected.remove(plain)
        assert list(state.plain) == sorted(expected)


def test_a_twin_is_the_same_function_by_another_usr() -> None:
    state, mention = State(), Mention(1, 2, 3, 4, 5)
    state.note(7, there=True)
    assert state.has_twin(7, 7), "one with const stands beside the plain one"
    assert not state.has_twin(8, 8)
    state.put(9, mention)
    state.note(7, there=False)
    state.note(4, there=True)
    assert state.has_twin(10, 4), "another one with const"
    assert state.has_twin(11, 9), "the plain one"
    state.put(10, mention)
    assert not state.has_twin(10, 4), "it is itself the one with const"


@given(st.dictionaries(KEYS, MENTIONS, max_size=4), st.lists(st.integers(0, 2**31), max_size=4))
def test_what_is_kept_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, mentions: dict[int, Mention], lines: list[int]
) -> None:
    path = tmp_path_factory.mktemp("state") / "state"
    state = State(first=3, declared=8)
    for key, mention in mentions.items():
        state.put(key, mention)
    state.open_lines.extend(lines)
    save_state(path, ["a", 1], state)
    assert load_state(path, ["a", 1]) == state
    assert load_state(path, ["a", 2]) is None, "it is another database's"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("at", range(6))
def test_a_damaged_state_is_none(tmp_path: Path, at: int) -> None:
    path = tmp_path / "state"
    state = State()
    state.put(1, Mention(1, 2, 3, 4, 5))
    save_state(path, [], state)
    whole = path.read_bytes()
    damaged = (
        b"", whole[:-1], whole[: len(MAGIC)], b"x" + whole[1:], whole[:-1] + bytes([whole[-1] ^ 1]),
        MAGIC + b"[]\n",
    )[at]  # fmt: skip
    path.write_bytes(damaged)
    assert load_state(path, []) is None
    assert load_state(tmp_path / "missing", []) is None
