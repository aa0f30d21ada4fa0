"""What lists ask of OpInfos: decided where the entry's own words decide it, and left open where they do not."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.python.testing.lists import sources
from indexer.link.tests.conditions import Condition, Entry

_FIELDS = {"a": "T", "b": "F", "none": "N", "some": "!", "open": "?", "changed": "*"}
_ENTRY = Entry("linalg.det", "singular", "linalg_det", "m.UnaryInfo", _FIELDS)


def _is_of(class_name: str, written: str) -> bool | None:
    return None if written == "Elsewhere" else class_name == f"m.{written}"


def _holds(text: str, entry: Entry | None = _ENTRY) -> bool | None:
    return Condition(text, _is_of).holds(entry)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("op.name == 'linalg.det'", True),
        ("op.name != 'linalg.det'", False),
        ("op.name in ('mul', 'linalg.det')", True),
        ("info.name not in {'mul', 'linalg.det'}", False),
        ("'linalg' in op.name", True),
        ("'.' not in op.aten_name", True),
        ("op.name.startswith('masked.')", False),
        ("op.name.endswith('det')", True),
        ("op.formatted_name == 'linalg_det_singular'", True),
        ("op.full_name in ['linalg.det.singular']", True),
        ("op.variant_test_name == ''", False),
        ("not isinstance(op, (BinaryInfo, UnaryInfo))", False),
        ("isinstance(op, BinaryInfo)", False),
        ("isinstance(op, (BinaryInfo, Elsewhere))", None),
        ("isinstance(op, (UnaryInfo, Elsewhere))", True),
        ("op.supports_out", None),
        ("op.supports_out and op.name == 'mul'", False),
        ("op.supports_out or op.name == 'linalg.det'", True),
        ("op.supports_out and op.name == 'linalg.det'", None),
        ("not op.supports_out", None),
        ("op.a", True),
        ("op.a and not op.b", True),
        ("op.b or op.open", None),
        ("op.a or op.open", True),
        ("op.none is not None", False),
        ("op.none is None", True),
        ("op.none == 'x'", False),
        ("op.some is not None", True),
        ("op.some is None", False),
        ("op.some is op.a", None),
        ("op.some == 'x'", None),
        ("op.some", None),
        ("not op.some", None),
        ("op.open is not None", None),
        ("op.changed is None", None),
        ("op.name in TESTED", None),
        ("op.name in ('mul', *TESTED)", None),
        ("get_name(op) in ('mul',)", None),
        ("op.name.rsplit('.', 1)[-1] == 'det'", None),
        ("[1:2]", None),
        ("op.name in ('cut off", None),
    ],
)
def test_conditions(text: str, expected: bool | None) -> None:
    assert _holds(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m.module_cls in (torch.nn.RNN, torch.nn.LSTM)", True),
        ("m.module_cls in [nn.RNN]", False),
        ("m.module_cls == torch.nn.LSTM", True),
        ("m.module_cls is not nn.LSTM", False),
        ("m.module_cls.__name__ != 'LSTM'", False),
        ("m.module_cls in (LSTM, torch.nn.RNN)", None),
        ("m.supports_gradgrad", None),
        ("'inplace' in signature(m.module_cls).parameters", None),
        ("m.module_cls", True),
    ],
)
def test_the_class_that_an_entry_is_for(text: str, expected: bool | None) -> None:
    entry = Entry("nn.LSTM", "", "", "m.ModuleInfo", subject="torch.nn.LSTM")
    assert _holds(text, entry) is expected


def test_of_what_nothing_is_known_nothing_is_decided() -> None:
    assert _holds("op.name == 'a'", None) is None
    assert _holds("", None) is True


@pytest.mark.parametrize(
    ("expression", "condition"),
    [
        ("[op for op in db if op.a or op.b if op.c]", "(op.a or op.b) and op.c"),
        ("filter(lambda op: op.a or op.b, [op for op in db if op.c])", "op.c and (op.a or op.b)"),
        ("filter(usable, db)", "usable"),
        ("[op for op in db[2:] if op.name != 'mul']", "[2:] and op.name != 'mul'"),
    ],
)
def test_conditions_are_joined_as_they_are_meant(expression: str, condition: str) -> None:
    (found,) = sources(ast.parse(expression, mode="eval").body)
    assert found == ("db", "", condition)


_NAMES = st.sampled_from(["mul", "add", "linalg.det", "x"])
_ATOMS = st.one_of(
    st.builds("op.name == {!r}".format, _NAMES),
    st.builds("op.name in {!r}".format, st.lists(_NAMES)),
    st.builds("op.name.startswith({!r})".format, _NAMES),
    st.builds("{!r} in op.full_name".format, _NAMES),
)
_CONDITIONS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.builds("not ({})".format, inner),
        st.builds("({}) and ({})".format, inner, inner),
        st.builds("({}) or ({})".format, inner, inner),
    ),
)


@given(_CONDITIONS, _NAMES, st.sampled_from(["", "out"]))
def test_what_names_decide_is_what_python_says(text: str, name: str, variant: str) -> None:
    entry = Entry(name, variant, name, "m.UnaryInfo")
    assert _holds(text, entry) is eval(text, {"op": entry})


@given(st.text(max_size=40))
def test_any_text_is_read(text: str) -> None:
    assert _holds(text) in (True, False, None)
