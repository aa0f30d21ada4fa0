"""What is searched for by its rarest byte is found where it was by its first."""

from __future__ import annotations

import pytest

from indexer.extract.cpp.named_functions import NamedFunctions
from indexer.extract.patterns import never_back
from indexer.extract.python.brackets import callee_before
from indexer.extract.python.compile.places import Functions
from indexer.extract.python.registrations import _REGISTERS, _lines_of
from indexer.extract.python.testing.instantiations import _changes
from indexer.extract.python.unit import PyUnit


def test_possessive_quantifiers_are_taken_of_text_and_of_bytes() -> None:
    assert never_back(r"\w++ = (\w++)").findall("a = b, c = d") == ["b", "d"]
    assert never_back(rb"\w++ = (\w++)").findall(b"a = b, c = d") == [b"b", b"d"]


@pytest.mark.parametrize(
    "text", ["", "\n", "a", "a\n", "a\n\nb", "a\x0cb\x0b\n\x1cc\x85\n", "ä\u2028\nb"]
)
def test_a_line_begins_behind_a_line_feed_and_nothing_else(text: str) -> None:
    expected = [0, *(at + 1 for at, one in enumerate(text) if one == "\n")]
    assert PyUnit("a.py", text.encode()).line_starts == expected


def test_the_name_before_brackets_is_whole_or_none() -> None:
    code = f"x = a.b(c)\n{'n' * 100}(d)\n{'n' * 101}(e)\n"
    ends = [at + 1 for at, one in enumerate(code) if one == ")"]
    assert callee_before(code, 0, ends[0]) == (4, "a.b")
    assert callee_before(code, 0, ends[1]) == (code.index("n"), "n" * 100)
    assert callee_before(code, 0, ends[2]) == (ends[2], "")


def test_the_last_argument_is_found_from_its_bracket() -> None:
    text = b"f(a, last_given ); g( only_given); MACRO_(hidden_name); sizeof(of_a_type); h(x, _begins_so); h(_begins_so)"
    found = NamedFunctions(text, text[::-1], [])._found
    assert found == [
        (text.index(name), name) for name in (b"last_given", b"only_given", b"_begins_so")
    ]


def test_a_name_changes_where_a_branch_gives_it_a_value_or_it_is_added_to() -> None:
    assert not _changes("devices = ('cpu',)\nf(devices)\nmy_devices += (1,)\n", "devices")
    assert _changes("devices = ('cpu',)\nif x:\n    devices = ('cuda',)\n", "devices")
    assert _changes("devices = ('cpu',)\ndevices += ('cuda',)\n", "devices")
    assert _changes("devices = ['cpu']\ndevices . append('cuda')\n", "devices")


def test_functions_are_told_from_the_first_line_on() -> None:
    functions = Functions("def f():\n    a\nclass C:\n    async def g(self):\n        b\n    c\n")
    assert [functions.around(at) for at in (13, 55, 61)] == ["f", "g", ""]


def test_lines_that_register_are_counted_by_every_line_end() -> None:
    data = b"impl(\rlib.define(\r\nredefine(\n_register_x( register_y(\nimpl_abstract_\n"
    assert _lines_of(_REGISTERS, data) == [1, 2, 4, 4]
