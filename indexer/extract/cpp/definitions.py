"""Function and class definitions of one file, with the macro uses that may make more of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indexer.extract.cpp.outline import Function, Scopes
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.cpp import (
    FIELD_OPEN,
    FIELD_SIGNS,
    UNSURE,
    ClassDefinition,
    ClassFields,
    CppFact,
    FunctionDefinition,
    MacroHead,
    MacroUse,
    UnreadText,
    UsingDeclaration,
    pack_fields,
)

_BLANK_LITERAL = re.compile(r'"_+"')


def qualified(scopes: Scopes) -> str:
    """The names of `scopes`, the outermost first, as a qualified name; "" where none has a name."""
    return "::".join([scope.name for scope in scopes if scope.name])


def joined(scope: str, name: str) -> str:
    """A declarator's name in its scope: `native::f` in `at` is `at::native::f`.

    Args:
        scope: qualified name of the namespaces and classes around it; "" for none.
        name: as it is written. One that starts with the scope's own outermost namespace (`at::f` in `at::native`) or
            with `::` is whole.
    """
    if name.startswith("::"):
        return name[2:]
    if not scope:
        return name
    if "::" in name and name.partition("::")[0] == scope.partition("::")[0]:
        return name
    return f"{scope}::{name}"


def class_of(scopes: Scopes) -> str:
    """The last part of the innermost class's name, where the last of `scopes` is a class; else ""."""
    if scopes and scopes[-1].kind == "class":
        return scopes[-1].name.rpartition("::")[2]
    return ""


def folded(text: str) -> str:
    """`text`, whose characters are the bytes of UTF-8 read as Latin-1, as real text with its white space folded."""
    return " ".join(text.encode("latin-1", "replace").decode("utf-8", "replace").split())


def lined(text: str) -> str:
    """As `folded`, with the lines of `text` kept: what a macro's use makes is then known to end where the use does.

    Of literals, whose contents are blank already (`"___"`), the quotes stay.
    """
    return "\n".join(folded(line) for line in _BLANK_LITERAL.sub('""', text).split("\n"))


def kind_of(function: Function) -> str:
    """The kind of the definition `function`, as in `FunctionDefinition`: what is written in a class is a method."""
    flavour = function.head.flavour
    if function.head.kind == "lambda":
        return flavour or "lambda"
    if flavour == "function" and function.scopes and function.scopes[-1].kind == "class":
        return "method"
    return flavour or "function"


def definitions(unit: CppUnit) -> Iterator[CppFact]:
    """Yield what the outer structure of the file `unit` defines.

    Functions and macro heads come first, numbered in the order of `unit.structure.functions`; then classes, macro uses,
    using-declarations, the data members by class, and what could not be read.
    """
    reader = _Reader(unit)
    yield from reader.functions()
    yield from reader.classes()
    yield from reader.uses()
    yield from reader.usings()
    yield from reader.members()
    for at, detail in unit.structure.problems:
        yield UnreadText(unit.path, unit.line(min(at, max(len(unit.data) - 1, 0))), detail)


class _Reader:
    """The facts of one file's outer structure."""

    def __init__(self, unit: CppUnit) -> None:
        self.file = unit.path
        self.line = unit.line
        self.structure = unit.structure
        self._scope_names: dict[Scopes, str] = {}

    def scope_name(self, scopes: Scopes) -> str:
        """As `qualified`; few scopes hold all that a file defines."""
        name = self._scope_names.get(scopes)
        if name is None:
            name = self._scope_names[scopes] = qualified(scopes)
        return name

    def functions(self) -> Iterator[CppFact]:
        """What has a body: functions, and macros whose use stands where a function's head does."""
        line = self.line
        for number, function in enumerate(self.structure.functions):
            scopes = function.scopes
            anonymous = any(scope.is_anonymous for scope in scopes)
            first, last = line(function.at), line(function.end)
            if function.head.kind == "macro":
                yield MacroHead(
                    self.file,
                    number,
                    folded(function.text),
                    self.scope_name(scopes),
                    class_of(scopes),
                    first,
                    last,
                    anonymous,
                )
            else:
                yield FunctionDefinition(
                    self.file,
                    number,
                    joined(self.scope_name(scopes), function.head.name),
                    folded(function.text),
                    kind_of(function),
                    first,
                    last,
                    anonymous,
                    "",
                )

    def classes(self) -> Iterator[CppFact]:
        for body in self.structure.classes:
            scope = self.scope_name(body.scopes)
            yield ClassDefinition(
                self.file,
                joined(scope, body.head.name),
                scope,
                body.head.bases,
                self.line(body.at),
                self.line(body.end),
            )

    def uses(self) -> Iterator[CppFact]:
        """Macro uses that may make definitions."""
        for use in self.structure.uses:
            yield MacroUse(
                self.file,
                use.name,
                lined(use.text),
                self.scope_name(use.scopes),
                class_of(use.scopes),
                self.line(use.at),
                any(scope.is_anonymous for scope in use.scopes),
            )

    def usings(self) -> Iterator[CppFact]:
        for using in self.structure.usings:
            scope = self.scope_name(using.scopes)
            yield UsingDeclaration(self.file, using.keyword, using.text, scope, self.line(using.at))

    def members(self) -> Iterator[CppFact]:
        """The types of data members and namespaces' variables, all in one fact."""
        members: dict[str, dict[str, str]] = {}
        for field in self.structure.fields:
            of_class = members.setdefault(self.scope_name(field.scopes), {})
            # A template's specializations may have others of the same name.
            of_type = field.of_type
            known = of_class.setdefault(field.name, of_type)
            if known != of_type:
                plain = of_type.rstrip(FIELD_SIGNS)
                is_same = known.rstrip(FIELD_SIGNS) == plain
                of_class[field.name] = plain + FIELD_OPEN if is_same else UNSURE
        if members:
            yield pack_fields(
                ClassFields(name, tuple(fields.items())) for name, fields in members.items()
            )


def macros(unit: CppUnit) -> Iterable[CppFact]:
    """Every `#define` of the file `unit`, in the order of its lines."""
    return unit.defines
