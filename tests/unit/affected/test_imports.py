"""Lines that import lead to who used what they import no longer; of the others it is said what they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.python_torch import BASE
from tests.unit.support.small_tree import indexed
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.texts.imports import changed

MILL = """from torch.loom import weave
from torch.loom import (
    spin,
    reed as comb,
)
import torch.loom as looms
__all__ = [
    "grind",
]
def grind(x):
    return weave(x)
def turn(x):
    return spin(x) + comb(x)
"""
FILES = {
    **BASE,
    "torch/loom.py": "def weave(x): return x\ndef spin(x): return x\ndef reed(x): return x\n",
    "torch/mill.py": MILL,
    "torch/other.py": "from torch import mill\nspin = 1\ndef other(x):\n    return spin\ndef by_mill(x):\n    return mill.spin(x)\n",
    "aten/src/ATen/native/Mill.cpp": "#include <ATen/Loom.h>\n#include <ATen/Reed.h>\nint mill() { return 1; }\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("imports")) as opened:
        yield opened


def _diff(path: str, line: int, removed: str, added: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-{removed}\n+{added}\n"


@pytest.mark.parametrize(
    ("line", "after", "changed"),
    [
        (1, "from torch.reed import weave as weft", {"torch.mill.grind uses weave"}),
        # Another file's own variable of that name is none of it.
        (3, "    spun,", {"torch.mill.turn uses spin", "torch.other.by_mill uses spin"}),
        (4, "    reed,", {"torch.mill.turn uses comb"}),
        (1, "from torch.loom import weave, reed", set()),
        # The same name is another thing: of another module, or another name's.
        (1, "from torch.reed import weave", {"torch.mill.grind uses weave"}),
        (1, "from torch.loom import spin as weave", {"torch.mill.grind uses weave"}),
        (4, "    comb,", {"torch.mill.turn uses comb"}),
    ],
)
def test_what_is_imported_no_longer_changes_who_uses_it(
    conn: sqlite3.Connection, line: int, after: str, changed: set[str]
) -> None:
    diff = _diff("torch/mill.py", line, MILL.split("\n")[line - 1], after)
    answer = ask(conn, "affected", diff=diff)
    assert {thing.name for thing in answer.changed} == changed
    if not changed:
        assert answer.unseen == (
            "torch/mill.py: 1 changed line of its imports or `__all__` (reed)",
        )


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("from typing import Generator", "from collections.abc import Generator", ()),
        ("from typing import Self", "from torch.types import Self", ("Self",)),
        ("from .a import b", "from ..a import b", ("b",)),
        ("from .a import b", "    b,", ()),
        ("from .a import b as b", "from .a import b", ()),
    ],
)
def test_a_name_that_is_imported_as_before(before: str, after: str, gone: tuple[str, ...]) -> None:
    assert changed(Span(1, 1, removed=(before,), added=(after,))).gone == gone


def test_what_includes_is_said_to(conn: sqlite3.Connection) -> None:
    path = "aten/src/ATen/native/Mill.cpp"
    diff = _diff(path, 1, "#include <ATen/Loom.h>", '#include "ATen/Warp.h"')
    (said,) = ask(conn, "affected", diff=diff).unseen
    assert said == f"{path}: 1 changed line of its includes (ATen/Loom.h, ATen/Warp.h)"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("import torch", ("torch",)),
        ("import torch.nn", ("torch",)),
        ("import torch.nn as nn, os  # what follows, too", ("nn", "os")),
        ("from torch import (", ()),
        ("    a, b as c,", ("a", "c")),
        ("from . import a as b  # noqa", ("b",)),
        ("from .. import *", ()),
        ("    'a', \"b\",", ("a", "b")),
        ("__all__ = ['a', 'b']", ("a", "b")),
        ("", ()),
    ],
)
def test_the_names_that_a_line_binds(line: str, names: tuple[str, ...]) -> None:
    assert changed(Span(1, 1, removed=(line,))).gone == names
    assert changed(Span(1, 1, added=(line,))).new == names
    assert changed(Span(1, 1, removed=(line,), added=(line,))) == ((), ())
