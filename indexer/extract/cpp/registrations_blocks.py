"""What a registering construct of C++ looks like in text: where it begins, what it names, what is in it.

The constructs are those of torch/library.h (TORCH_LIBRARY and its relatives), of torch/csrc/stable/library.h (the
same with STABLE_ before them, since PyTorch 2.8), of
aten/src/ATen/core/op_registration/op_registration.h (RegisterOperators) and of
torch/csrc/jit/runtime/{custom_operator,operator}.h (TorchScript's operator lists).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from indexer.extract.cpp.registrations_text import split_arguments, split_statements
from indexer.extract.cpp.tokens import closing
from indexer.facts.registrations import BlockKind, RegistrationStatement

CONSTRUCT = re.compile(
    r"\b(?:(?P<block>(?:STABLE_)?TORCH_LIBRARY(?:_IMPL|_FRAGMENT)?)\s*\("
    r"|(?P<make>MAKE_TORCH_LIBRARY(?:_IMPL)?)\s*\("
    r"|(?P<object>Library)\s+(?P<variable>\w+)\s*[({]\s*(?:torch::)?Library::(?:DEF|IMPL|FRAGMENT)\b"
    r"|(?P<parameter>Library)\s*&\s*(?P<name>\w+)\s*[,)]"
    r"|(?P<operators>RegisterOperators)\b(?!\s*(?:::|&|\*|>|;))"
    r"|(?P<list>OperatorGeneratorArgs)\s*>\s*\w+\s*(?:=\s*)?\{)"
)
_OPERATOR = re.compile(r"\bOperator(?:Generator(?:Args)?)?\s*\(")
_FUNCTION_HEAD = re.compile(r"([A-Za-z_]\w*)\s*\([^(){};]*$")
_DECLARED = re.compile(r"([A-Za-z_]\w*)\s*(?:=|\(|\{)\s*$")


class Construct(NamedTuple):
    """A construct and its content, before macros are expanded.

    Args:
        kind, namespace, key, variable: as in `RegistrationBlock`.
        start: offset of its first character.
        statements: what is in it; empty for a `Library` object, whose statements follow `end`.
        end: offset behind it.
    """

    kind: BlockKind
    namespace: str
    key: str
    variable: str
    start: int
    end: int
    statements: tuple[RegistrationStatement, ...]


def _brace(text: str, position: int) -> int:
    """The offset of the `{` that comes next but for white space and comments; -1 if something else does."""
    found = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL).match(text, position)
    position = found.end() if found else position
    return position if text.startswith("{", position) else -1


def _key(text: str) -> str:
    return text.rsplit("::", 1)[-1].strip()


def _block(text: str, found: re.Match[str], line: int) -> Construct | None:
    stop = closing(text, found.end() - 1)
    brace = _brace(text, stop + 1)
    if brace < 0:
        return None
    arguments = split_arguments(text[found.end() : stop])
    word = found["block"].removeprefix("STABLE_")
    if len(arguments) != (3 if word == "TORCH_LIBRARY_IMPL" else 2):
        return None
    end = closing(text, brace)
    line += text.count("\n", found.start(), brace + 1)
    kind: BlockKind
    if word == "TORCH_LIBRARY_IMPL":
        kind, key = "TORCH_LIBRARY_IMPL", arguments[1]
    else:
        kind = "TORCH_LIBRARY" if word == "TORCH_LIBRARY" else "TORCH_LIBRARY_FRAGMENT"
        key = ""
    statements = tuple(split_statements(text[brace + 1 : end], line))
    return Construct(
        kind, arguments[0], _key(key), arguments[-1], found.start(), end + 1, statements
    )


def _object(text: str, found: re.Match[str]) -> Construct | None:
    if found["make"]:
        stop = closing(text, found.end() - 1)
        arguments = split_arguments(text[found.end() : stop])
        declared = _DECLARED.search(text[max(0, found.start() - 80) : found.start()])
        key = arguments[1] if len(arguments) > 1 else ""
        namespace = arguments[0] if arguments else ""
        variable = declared[1] if declared else ""
    else:
        opening = re.compile(r"[({]").search(text, found.end("variable"))
        if opening is None:
            return None
        stop = closing(text, opening.start())
        arguments = split_arguments(text[opening.end() : stop])
        namespace = arguments[1].strip('"') if len(arguments) > 1 else ""
        key = arguments[2] if len(arguments) > 2 else ""
        key = "" if "nullopt" in key else key.rstrip(")")
        variable = found["variable"]
    if not variable or not re.fullmatch(r"\w*", namespace):
        return None
    return Construct("Library", namespace, _key(key), variable, found.start(), stop + 1, ())


def _function(text: str, found: re.Match[str], line: int) -> Construct | None:
    head = _FUNCTION_HEAD.search(text[max(0, found.start() - 400) : found.start()])
    bracket = found.end() - 1
    if head is None:
        return None
    if text[bracket] == ",":
        after = re.compile(r"[^(){};]*\)").match(text, bracket)
        if after is None:
            return None
        bracket = after.end() - 1
    brace = _brace(text, bracket + 1)
    if brace < 0:
        return None
    end = closing(text, brace)
    line += text.count("\n", found.start(), brace + 1)
    statements = tuple(split_statements(text[brace + 1 : end], line))
    name = f"{head[1]}:{found['name']}"
    return Construct("function", "", "", name, found.start(), end + 1, statements)


def _element(text: str, position: int, stop: int, line: int) -> list[RegistrationStatement]:
    """The elements of an initializer list; whatever else stands there, its `Operator(…)` calls."""
    position = _skip(text, position)
    brace = text.startswith("{", position)
    if brace:
        line += text.count("\n", 0, position + 1)
        return split_statements(text[position + 1 : closing(text, position)], line, ",")
    found = []
    for match in _OPERATOR.finditer(text, position, stop):
        end = closing(text, match.end() - 1)
        at = line + text.count("\n", 0, match.start())
        found.extend(split_statements(text[match.start() : end + 1], at, ","))
    return found


def _skip(text: str, position: int) -> int:
    found = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL).match(text, position)
    return found.end() if found else position


def _operators(text: str, found: re.Match[str], line: int) -> Construct | None:
    """`RegisterOperators name(…)`, `RegisterOperators(…).op(…).op(…)`."""
    position = _skip(text, found.end())
    named = re.compile(r"(?:const\s+)?([A-Za-z_]\w*)").match(text, position)
    if named is not None:
        position = _skip(text, named.end())
        if text.startswith("=", position):
            position = _skip(text, position + 1)
            again = re.compile(r"(?:\w+::)*RegisterOperators\b").match(text, position)
            position = _skip(text, again.end()) if again else position
    statements: list[RegistrationStatement] = []
    start = found.start()
    # The constructor itself may take what `.op` takes, or a list.
    if text.startswith(("(", "{"), position):
        stop = closing(text, position)
        inside = text[start:stop]
        first = _skip(text, position + 1)
        if text.startswith('"', first):
            at = line + text.count("\n", start, first)
            statements.extend(split_statements(f"op({text[first:stop]})", at, ","))
        elif first < stop:
            statements.extend(_element(inside, position + 1 - start, stop - start, line))
        position = stop + 1
    while True:
        chained = re.compile(r"(?:\s|//[^\n]*)*\.\s*op\s*(?=\()").match(text, position)
        if chained is None:
            break
        opening = chained.end()
        stop = closing(text, opening)
        at = line + text.count("\n", start, opening)
        statements.extend(split_statements(f"op{text[opening:stop]})", at, ","))
        position = stop + 1
    if not statements:
        return None
    name = named[1] if named is not None else ""
    return Construct("RegisterOperators", "", "", name, start, position, tuple(statements))


def _list(text: str, found: re.Match[str], line: int) -> Construct:
    """`std::vector<OperatorGeneratorArgs> name{…}`, which a RegisterOperators takes later."""
    opening = found.end() - 1
    end = closing(text, opening)
    line += text.count("\n", found.start(), opening + 1)
    statements = tuple(split_statements(text[opening + 1 : end], line, ","))
    return Construct("RegisterOperators", "", "", "", found.start(), end + 1, statements)


def read_construct(text: str, found: re.Match[str], line: int) -> Construct | None:
    """Read what a match of `CONSTRUCT` begins.

    Args:
        text: C++ text.
        found: the match in it.
        line: the 1-based line of the match's start.

    Returns:
        None where it only looks like one (a declaration, the macro's own use in a type).
    """
    if found["block"]:
        return _block(text, found, line)
    if found["make"] or found["object"]:
        return _object(text, found)
    if found["parameter"]:
        return _function(text, found, line)
    if found["operators"]:
        return _operators(text, found, line)
    return _list(text, found, line)
