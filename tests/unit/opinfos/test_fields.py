"""What an entry is given for its fields and what its classes have, as conditions ask for it."""

from __future__ import annotations

import pytest

from indexer.extract.python.testing import extract
from indexer.facts import tests as facts
from indexer.link.tests.fields import Fields

_PATH = "torch/testing/_internal/entries.py"
_CORE = """
from dataclasses import dataclass

@dataclass
class OpInfo:
    name: str
    ref: object = None
    supports_out: bool = True
    supports_sparse: bool = None
    method: object = None
    number: int = 3
    names: tuple = tuple()

    def __post_init__(self):
        self.method = getattr(self, self.name)
        if self.supports_sparse is None:
            self.supports_sparse = bool(self.ref)

class UnaryInfo(OpInfo):
    def __init__(self, name, *, domain=None, supports_out=False, hidden=None, doubled=1, **kwargs):
        doubled = doubled * 2
        super().__init__(name, supports_out=supports_out, doubled=doubled, ref=make(name), **kwargs)
        self.domain = domain
"""


def _fields(text: str) -> dict[str, dict[str, str]]:
    found = extract(_PATH, text.encode())
    return {
        fact.name: dict(pair.split("=") for pair in fact.fields.split())
        for fact in found
        if isinstance(fact, facts.InfoClass)
    }


def test_what_classes_have_where_nothing_is_given() -> None:
    found = _fields(_CORE)
    assert found["OpInfo"] == {
        "ref": "N", "supports_out": "T", "supports_sparse": "?", "method": "*", "number": "!", "names": "?",
    }  # fmt: skip
    assert found["UnaryInfo"] == {
        "domain": "N", "supports_out": "F", "hidden": "*", "doubled": "*", "ref": "*",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        ("supports_out=False, ref=None", "supports_out=F ref=N"),
        ("ref=lambda x: x", "ref=!"),
        ("ref=np.abs", "ref=!"),
        ("ref=partial(f, 1)", "ref=!"),
        ("ref=reference", "ref=!reference"),
        ("ref=partial(reference, dtype=float)", "ref=!reference"),
        ("ref=np_of(np.abs) if HAS_NUMPY else reference", "ref=?torch.testing._internal.numbers.np_of,reference"),
        ("ref=rounded", "ref=?reference"),
        ("ref=more.np_of(ErrorInput)", "ref=?torch.testing._internal.more.np_of"),
        ("op=lambda x: reference(x)", "op=?reference"),
        ("op=reference.overload", "op=?reference"),
        ("op=torch.abs, backward_dtypes=np_of()", "backward_dtypes=?"),
        ("sample_inputs_func=reference", "sample_inputs_func=!"),
        ("sample_inputs_func=partial(reference, of=np_of)",
         "sample_inputs_func=!torch.testing._internal.numbers.np_of"),
        ("ref=np.abs if HAS_NUMPY else None", "ref=?"),
        ("ref=CHOSEN", "ref=?"),
        ("supports_out=not HAS_NUMPY", "supports_out=?"),
        ("dtypes=floating(), **more", "**"),
    ],
)  # fmt: skip
def test_what_a_call_gives(arguments: str, fields: str) -> None:
    text = (
        "import numpy as np\nimport torch\nfrom functools import partial\n"
        "from torch.testing._internal import more\nfrom torch.testing._internal.numbers import np_of\n"
        "def reference(x):\n    return x\n\n"
        "rounded = partial(reference, 1)\n"
        "CHOSEN = pick()\n"
        f"db = [OpInfo('a', {arguments})]\n"
    )
    (found,) = (f for f in extract(_PATH, text.encode()) if isinstance(f, facts.TestInfo))
    assert found.fields == fields


def test_what_a_helper_is_given_for_its_entrys_fields() -> None:
    text = (
        "def make(name, *, errors, ref=None):\n    return OpInfo(name, error_inputs_func=errors, ref=ref)\n\n"
        "def error_inputs_a(op):\n    return []\n\n"
        "db = [make('a', errors=error_inputs_a)]\n"
    )
    (found,) = (f for f in extract(_PATH, text.encode()) if isinstance(f, facts.TestInfo))
    assert found.fields == "error_inputs_func=?error_inputs_a ref=N"


def test_an_entry_has_what_it_is_given_then_its_class_then_those_above() -> None:
    defaults = {
        name: " ".join(f"{field}={sign}" for field, sign in fields.items())
        for name, fields in _fields(_CORE).items()
    }
    fields = Fields(defaults, {"UnaryInfo": ["OpInfo"]})
    found = fields.of("UnaryInfo", "supports_sparse=T method=!made,other", False)
    assert found["supports_out"] == "F"
    assert found["supports_sparse"] == "T"
    # The constructor replaces it.
    assert found["method"] == "*"
    assert fields.of("OpInfo", "ref=! **", False) == {"ref": "!"}
    assert fields.of("OpInfo", "ref=!", True) == {}
