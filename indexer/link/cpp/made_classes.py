"""Classes that macros make with what a use names, by the text of the macros: which class do they derive from?

`#define REGISTER_OPERATOR_FUNCTOR(name, id, ...) struct SROperatorFunctor_##id : public SROperatorFunctor { … }` makes
one with each use, which no table has: its methods are known, and tell its name (torch/csrc/jit/runtime/static/ops.h).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from indexer.facts.cpp import MacroDefinition
from indexer.write.cpp import read_macros

_WORD = re.compile(r"[A-Za-z_]\w*")
_CLASS = re.compile(
    r"\b(?:class|struct)\s+(\w+(?:\s*##\s*\w+)*)(?:\s+final)?\s*(?<!:):(?!:)\s*([^;{}()]*)\{"
)
_BASE = re.compile(r"(?:(?:public|virtual)\s+)*((?:::)?\w+(?:::\w+)*)\s*(?:<.*>)?\s*")


def made_bases(conn: sqlite3.Connection) -> dict[str, list[str]]:
    """The bases of the classes that macros make and that have methods, as written.

    Args:
        conn: a database that holds functions and macros.

    Returns:
        By the qualified name of each class. What a macro's parameter stands for is not among the bases.
    """
    forms = [
        (macro.name, form, bases)
        for macro in dict.fromkeys((*read_macros(conn, "class "), *read_macros(conn, "struct ")))
        for form, bases in _forms(macro)
    ]
    using: dict[str, set[str]] = {}
    found: dict[str, list[str]] = {}
    for name, used in conn.execute(
        "SELECT DISTINCT name, macro FROM functions WHERE macro IS NOT NULL AND kind IN ('method', 'operator')"
        " ORDER BY name, macro"
    ):
        owner = name.rpartition("::")[0]
        last = owner.rpartition("::")[2]
        for maker, form, bases in forms:
            if owner in found or not form.fullmatch(last):
                continue
            if maker != used and maker not in using:
                using[maker] = _using(conn, maker)
            if maker == used or used in using[maker]:
                found[owner] = bases
    return found


def _forms(macro: MacroDefinition) -> Iterator[tuple[re.Pattern[str], list[str]]]:
    parameters = macro.params or ()
    for match in _CLASS.finditer(macro.body):
        parts = re.split(r"\s*##\s*", match[1])
        read = [_BASE.fullmatch(base.strip()) for base in match[2].split(",")]
        bases = [base[1] for base in read if base is not None and base[1] not in parameters]
        if bases and not set(parts).isdisjoint(parameters):
            form = "".join(r"\w+" if part in parameters else part for part in parts)
            yield re.compile(form), bases


def _using(conn: sqlite3.Connection, name: str) -> set[str]:
    """A macro and those that use it."""
    names: set[str] = set()
    pending = [name]
    while pending:
        name = pending.pop()
        if name not in names:
            names.add(name)
            using = read_macros(conn, name)
            pending += sorted({m.name for m in using if name in _WORD.findall(m.body)})
    return names
