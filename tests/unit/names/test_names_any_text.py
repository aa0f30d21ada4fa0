"""Whatever is pasted, the readers of names end with a text: of the shapes they know, cut and joined at any place."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from torchtalk.affected.diff.ends import parts
from torchtalk.affected.places.declared import names_declared
from torchtalk.affected.texts.initializers import valued
from torchtalk.affected.texts.messages import pieces
from torchtalk.names.forms import in_lower_case, module_called, parse
from torchtalk.names.mangled import demangled
from torchtalk.names.pasted import pasted
from torchtalk.names.questions import of_tests, the_name, without_asking
from torchtalk.names.signatures import taking
from torchtalk.names.written import plain

PIECES = (
    "at::", "native", "::", ".", "torch", "(", ")", "<", ">", "<float>", "(anonymous namespace)::", "operator", "operator()",
    "operator<<", "const", "&", "*", " ", "\n", "\t", ",", "int x = f(1, 2)", "AVX2::", "TORCH_IMPL_FUNC(", "add_out", "{lambda",
    "}", "[", "]", "+0x1f", "_ZN", "_Z", "2at6native", "E", "S_", "St", "cv", "I", "X", "L", "999999999999", "#L79", "https://",
    'File "a.py", line 3', "a.cpp:3", "::test", "->", "Tensor self", "=", ";", "'", '"', "«", "\x00", "?", "what calls ",
    "which tests cover ", "how is ", " tested", "<AddmmBackward0>", "-", "_", "%mm : [num_users=1] = call_function[target=",
    "frame #3: ", "#3 0x00 in ", "#define X", "static int x = ", "/*", "*/", "//", "\\", "é", "\u2028",
)  # fmt: skip
TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
IDENTIFIERS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
NAMESPACES = frozenset(("aten", "prims"))


@example("#0 0x0 in  f")
@given(TEXTS)
def test_what_is_pasted_is_a_name_or_nothing(text: str) -> None:
    found = pasted(text)
    assert isinstance(found, str)
    assert not found or found != text.strip()
    assert found == found.strip()


@given(TEXTS)
def test_what_compilers_write_is_a_name_or_nothing(text: str) -> None:
    found = plain(text)
    assert "\x00" not in found or "\x00" in text
    assert len(found) <= len(text) + len("structured_::impl")
    if found and "operator" not in text and "(" in text:
        assert "(" not in found, "parameters are no part of a name"


@given(TEXTS)
def test_any_text_may_be_asked(text: str) -> None:
    for read in (the_name, without_asking, of_tests, in_lower_case, module_called):
        assert isinstance(read(text), str)
    form = parse(text, NAMESPACES)
    assert form is None or form.text
    assert set(taking(text, "f", [(1, text), (2, f"f({text})")])) <= {1, 2}


@given(TEXTS)
def test_any_text_may_be_a_symbol(text: str) -> None:
    assert isinstance(demangled(text), str)
    assert isinstance(demangled(f"_ZN{text}"), str)


@given(st.lists(IDENTIFIERS, min_size=1, max_size=5), TEXTS)
def test_a_nested_symbol_is_its_parts(names: list[str], behind: str) -> None:
    symbol = "".join(f"{len(name)}{name}" for name in names)
    if not any(name.startswith("_GLOBAL_") for name in names):
        # What stands behind the name are types of parameters.
        assert demangled(f"_ZN{symbol}Ev") == "::".join(names)
        assert demangled(f"undefined symbol: _ZN{symbol}Ei {behind}") == "::".join(names)


@given(TEXTS)
def test_any_text_may_stand_in_a_tree(text: str) -> None:
    for name, _ in names_declared(text):
        assert name
    for one in valued(text.encode("utf-8", "replace")):
        assert one
    for piece in pieces(text):
        assert piece


LINES = st.lists(st.sampled_from(("a", "b", "a\r", "b\r", "", "\r")), max_size=8)


@given(LINES, LINES)
def test_between_the_parts_of_a_change_only_ends_differ(
    removed: list[str], added: list[str]
) -> None:
    before, after = [[line.removesuffix("\r") for line in lines] for lines in (removed, added)]
    at = at_after = 0
    for first, end, first_after, end_after in parts(removed, added):
        assert before[at:first] == after[at_after:first_after]
        assert before[first:end] != after[first_after:end_after] or before == after
        at, at_after = end, end_after
    assert before[at:] == after[at_after:]
