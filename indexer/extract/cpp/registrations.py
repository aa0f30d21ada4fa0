"""Registrations in C++: the blocks of a file, their statements not yet expanded.

`indexer/link/16_registrations.py` expands the macros in them, when all files have been read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp import lexical
from indexer.extract.cpp.conditions import Conditions
from indexer.extract.cpp.registrations_blocks import CONSTRUCT, read_construct
from indexer.extract.cpp.registrations_text import (
    is_constant,
    split_arguments,
    split_statements,
    template_end,
)
from indexer.extract.cpp.scopes import Scope
from indexer.extract.cpp.tokens import closing
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.registrations import (
    ClassSpecialization,
    DispatchKeyAlias,
    RegistrationBlock,
    RegistrationStatement,
    UnreadRegistration,
)

RegistrationFact = RegistrationBlock | ClassSpecialization | DispatchKeyAlias | UnreadRegistration

_WORTH_READING = (
    b"TORCH_LIBRARY",
    b"RegisterOperators",
    b"OperatorGeneratorArgs",
    b"Library::",
    b"Library&",
    b"Library &",
)
# What a test registers is gone when it ends; it would only hide what PyTorch itself registers.
_TEST = re.compile(r"(?:^|/)tests?/|_test\.\w+$")
_KEY_HEADER = "c10/core/DispatchKey.h"
_KEY_ALIAS = re.compile(rb"^\s*([A-Za-z]\w*)\s*=\s*([A-Za-z]\w*)\s*,", re.MULTILINE)
_SPECIALIZATION = re.compile(r"\b(?:struct|class)\s+([A-Za-z_]\w*)\s*<")
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|else|elif|endif)(?:\\\r?\n|[^\n])*", re.MULTILINE)


def registrations(unit: CppUnit) -> Iterator[RegistrationFact]:
    """Read the registering blocks of a file.

    Args:
        unit: the file.

    Yields:
        the blocks in the order they stand in; the second names of dispatch keys, if the file is the one that
        has them; what looked like a block and could not be read.
    """
    if unit.path.endswith(_KEY_HEADER):
        for found in _KEY_ALIAS.finditer(unit.data):
            yield DispatchKeyAlias(found[1].decode(), found[2].decode())
    if _TEST.search(unit.path):
        return
    if b".impl(" in unit.data:
        yield from _specializations(unit)
    if not any(word in unit.data for word in _WORTH_READING):
        return
    yield from _Reader(unit).blocks()


def _specializations(unit: CppUnit) -> Iterator[ClassSpecialization]:
    """Specializations of class templates in files that register, or have macros that do."""
    text = unit.scopes.text.decode("latin-1")
    for found in _SPECIALIZATION.finditer(text):
        end = template_end(text, found.end() - 1)
        # A definition, for some arguments: a body follows, and not all of them are names.
        if (
            end < 0
            or re.match(r"\s*(?:final\b\s*)?(?::[^:{;]|\{)", text[end + 1 : end + 80]) is None
        ):
            continue
        arguments = tuple(split_arguments(text[found.end() : end]))
        if any(is_constant(argument) for argument in arguments):
            yield ClassSpecialization(unit.path, unit.line(found.start(1)), found[1], arguments)


def _utf8(text: str) -> str:
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "replace")


class _Reader:
    def __init__(self, unit: CppUnit) -> None:
        self.unit = unit
        # One character a byte, so that offsets in the text are those in the file.
        self.text = unit.data.decode("latin-1")
        self.scopes = unit.scopes
        self.conditions = Conditions()
        self.directives = _CONDITION.finditer(self.scopes.text.decode("latin-1"))
        self.directive = next(self.directives, None)

    def blocks(self) -> Iterator[RegistrationFact]:
        """All blocks of the file, macros' uses among them."""
        text, unit = self.text, self.unit
        makers = self._block_macros()
        pattern = CONSTRUCT
        if makers:
            names = "|".join(sorted(makers, key=lambda name: (-len(name), name)))
            pattern = re.compile(rf"\b(?P<use>{names})\s*\(|{CONSTRUCT.pattern}")
        read_to = 0
        # Comments and literals are blank in this text: what is found is code.
        for found in pattern.finditer(self.scopes.text.decode("latin-1")):
            start = found.start()
            if start < read_to or self.scopes.define_at(start) is not None:
                continue
            scope = self.scopes.at(start)
            condition = self._condition(start)
            line = unit.line(start)
            if makers and found["use"]:
                end = closing(text, found.end() - 1)
                statement = RegistrationStatement(line, _utf8(text[start : end + 1]), "")
                yield RegistrationBlock(
                    unit.path,
                    line,
                    "macro",
                    "",
                    "",
                    found["use"],
                    scope.namespaces,
                    condition,
                    (statement,),
                )
                read_to = end
                continue
            construct = read_construct(text, found, line)
            if construct is None:
                if found["block"]:
                    detail = f"{found['block']} without a body or with other arguments"
                    yield UnreadRegistration(unit.path, line, detail)
                continue
            statements = construct.statements
            if construct.kind == "Library":
                end = self._end_of_scope(scope)
                at = unit.line(construct.end)
                statements = tuple(split_statements(text[construct.end : end], at))
            else:
                read_to = construct.end
            yield RegistrationBlock(
                unit.path,
                line,
                construct.kind,
                construct.namespace,
                construct.key,
                construct.variable,
                scope.namespaces,
                condition,
                tuple(s._replace(text=_utf8(s.text)) for s in statements),
            )

    def _block_macros(self) -> set[str]:
        """The file's own macros that make whole blocks, directly or through each other."""
        if b"define" not in self.unit.data:
            return set()
        bodies = {d.name: d.body for d in self.unit.defines}
        # torch/library.h itself defines TORCH_LIBRARY_… in terms of each other; they are no uses.
        makers = {
            n for n, body in bodies.items() if "TORCH_LIBRARY" in body and "TORCH_LIBRARY" not in n
        }
        while makers:
            uses = re.compile(rf"\b(?:{'|'.join(sorted(makers))})\b")
            more = {n for n, body in bodies.items() if n not in makers and uses.search(body)}
            if not more:
                break
            makers |= more
        return makers

    def _condition(self, offset: int) -> str:
        """The `#if`s around an offset; offsets are asked in order."""
        while self.directive is not None and self.directive.start() < offset:
            # The text's own directive: in the blanked one its strings are empty.
            self.conditions.directive(self.text[self.directive.start() : self.directive.end()])
            self.directive = next(self.directives, None)
        return str(self.conditions)

    def _end_of_scope(self, scope: Scope) -> int:
        """Where the function around a library object ends; the file's end at namespace level."""
        if scope.function_open < 0:
            return len(self.text)
        end = lexical.closing(self.scopes.text, scope.function_open)
        return end if end >= 0 else len(self.text)
