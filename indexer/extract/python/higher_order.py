"""Higher-order operators: classes and objects of `HigherOrderOperator` (torch/_ops.py)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from indexer.extract.python.lexical import blank
from indexer.facts.compile import HigherOrderOperator

HIGHER_ORDER_WORDS = (b"HigherOrderOperator", b"PrimHOPBase", b"BaseHOP", b"PyOperator")
"""What a file that makes one names: the classes they are made of, PyOperator until 1.13."""
_CLASS = re.compile(r"^[ \t]*class (\w+)\(([^)]*)\):", re.MULTILINE)
_INIT = re.compile(r"super\(\)\.__init__\(\s*(?:name=)?(['\"])([\w.]+)\1")
_OBJECT = re.compile(
    r"^(\w+)\s*(?::\s*[\w.\"']+\s*)?=\s*(?:\w+\.)*(\w+)\(\s*(?:(?:name=)?(['\"])([\w.]+)\3)?\s*[,)]",
    re.MULTILINE,
)
_BASE = re.compile(r"HigherOrderOperator$|HOP$|Op$|Operator$")


def higher_order(data: bytes, module: str) -> Iterator[HigherOrderOperator]:
    """The higher-order operators that a file makes.

    Args:
        data: the file's bytes.
        module: its dotted name.
    """
    if not any(word in data for word in HIGHER_ORDER_WORDS):
        return
    text = data.decode("utf-8", "replace")
    code = blank(text)  # examples in docstrings are none
    classes: dict[str, tuple[str, int]] = {}
    unnamed: set[str] = set()  # bases that leave the name to their subclasses
    heads = list(_CLASS.finditer(code))
    for head, following in itertools.zip_longest(heads, heads[1:]):
        bases = [base.strip().rpartition(".")[2] for base in head[2].split(",")]
        if not any(
            base in classes or base in unnamed or _BASE.search(base) or base.endswith("HOPBase")
            for base in bases
        ):
            continue
        end = following.start() if following is not None else len(text)
        inits = _INIT.finditer(text, head.end(), end)
        named = next((init for init in inits if code[init.start()] == "s"), None)
        if named is not None:
            classes[head[1]] = (named[2], text.count("\n", 0, head.start()) + 1)
        else:
            unnamed.add(head[1])
    found: dict[str, HigherOrderOperator] = {}
    for match in _OBJECT.finditer(text):
        if code[match.start()] != text[match.start()]:
            continue
        variable, maker, _, given = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        if maker in classes:
            name, class_line = classes[maker]
            found[name] = HigherOrderOperator(
                name, f"{module}.{variable}", f"{module}.{maker}", class_line
            )
        elif given and maker in ("HigherOrderOperator", "PyOperator"):
            found[given] = HigherOrderOperator(given, f"{module}.{variable}", "", line)
    for class_name, (name, line) in classes.items():
        if name not in found:
            found[name] = HigherOrderOperator(name, "", f"{module}.{class_name}", line)
    yield from found.values()
