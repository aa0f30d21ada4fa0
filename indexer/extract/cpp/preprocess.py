"""The C preprocessor's macros: read `#define`s, keep them by name, expand a macro's use.

PyTorch makes functions and registrations with macros, often with several that stand in other headers. They are
understood through their definitions, not from a list of names. What is done is the standard's replacement (C++17,
[cpp.replace]): arguments are expanded before they are put in, `#` makes a string of one, `##` pastes two tokens, the
result is read again with what follows, and a macro is not expanded inside its own expansion. Conditions (`#if`) are
not evaluated, since an index covers every platform: where a macro has several definitions `MacroTable` chooses, and
`MacroTable.variants` tells all of them.

    table = MacroTable(parse_defines(b"#define MAKE(x) int x##_impl(int a) { return a; }", "a.h"))
    expand("MAKE(foo)", table)      # 'int foo_impl(int a) { return a; }'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from indexer.extract.cpp.defines import SPACE, MacroTable, parse_defines, tokenize
from indexer.facts.cpp import MacroDefinition

__all__ = ["MAX_TOKENS", "MacroDefinition", "MacroTable", "expand", "parse_defines", "tokenize"]

_NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")

_OPERATORS = ("#", "##", "__VA_OPT__")
_COUNTERS = ("__LINE__", "__COUNTER__")

MAX_TOKENS = 400_000
"""What one expansion may come to; beyond it the rest is left as it stands."""


def expand(
    text: str,
    table: MacroTable,
    file: str = "",
    line: int = 0,
    overrides: Mapping[str, MacroDefinition] | None = None,
) -> str:
    """Replace every macro in `text`, as deep as it goes.

    Args:
        text: C++ text, without directives.
        table: the known macros.
        file: where the text stands; it decides which definition of a macro is seen.
        line: as above; also what `__LINE__` becomes.
        overrides: definitions to take before the table's, by name: for another variant than the likeliest.

    Returns:
        the replaced text on one line. A function-like macro without `(` behind it, an unknown name and whatever
        exceeds `MAX_TOKENS` stay as they are.
    """
    expander = _Expander(table, file, line, overrides or {})
    tokens = [(token, frozenset[str]()) for token in tokenize(text)]
    return _spell(token for token, _ in expander.run(tokens))


_Token = tuple[str, frozenset[str]]
"""A token and the macros that must not be expanded in it any more."""


def _spell(tokens: Iterable[str]) -> str:
    """Join tokens, with a space where two would otherwise run into one."""
    out: list[str] = []
    last = ""
    in_word = False  # whether what is there ends in a word's character
    for token in tokens:
        if token == SPACE:
            if last == SPACE:
                continue
            in_word = False
        else:
            if in_word and (token[0].isalnum() or token[0] == "_"):
                out.append(SPACE)
            in_word = token[-1].isalnum() or token[-1] == "_"
        out.append(token)
        last = token
    return "".join(out).strip()


class _Expander:
    """One run of the replacement (Prosser's algorithm: each token carries its hide set)."""

    def __init__(
        self, table: MacroTable, file: str, line: int, overrides: Mapping[str, MacroDefinition]
    ) -> None:
        self.table = table
        self.file = file
        self.line = line
        self.overrides = overrides
        self.budget = MAX_TOKENS
        self.counter = 0

    def _definition(self, name: str) -> MacroDefinition | None:
        if self.overrides and name in self.overrides:
            return self.overrides[name]
        return self.table.lookup(name, self.file, self.line) if name in self.table else None

    def run(self, tokens: list[_Token]) -> list[_Token]:
        out: list[_Token] = []
        table, overrides = self.table, self.overrides
        work = tokens[::-1]  # a stack: the next token is the last
        while work:
            pair = work.pop()
            token, hidden = pair
            if token[0] not in _NAME_START or not (
                token in table.names or token in overrides or token in _COUNTERS
            ):
                out.append(pair)
                continue
            if token in hidden or self.budget <= 0:
                out.append(pair)
                continue
            if token == "__LINE__":
                out.append((str(self.line), hidden))
                continue
            if token == "__COUNTER__":
                out.append((str(self.counter), hidden))
                self.counter += 1
                continue
            definition = self._definition(token)
            if definition is None:
                out.append((token, hidden))
                continue
            arguments: list[list[_Token]] = []
            if definition.params is not None:
                read = _arguments(work)
                if read is None:
                    out.append((token, hidden))
                    continue
                arguments, closing = read
                hidden = hidden & closing
            replaced = self._substitute(definition, arguments, hidden | {token})
            self.budget -= len(replaced)
            work.extend(reversed(replaced))
        return out

    def _substitute(
        self, definition: MacroDefinition, arguments: list[list[_Token]], hidden: frozenset[str]
    ) -> list[_Token]:
        bound = _bind(definition.params, arguments)
        variadic = _variadic(definition.params)
        expanded: dict[str, list[_Token]] = {}
        body = self.table.body_tokens(definition)
        out: list[_Token] = []
        position, size = 0, len(body)
        while position < size:
            token = body[position]
            if token not in bound and token not in _OPERATORS:
                out.append((token, hidden))
                position += 1
                continue
            after = _skip_space(body, position + 1)
            if (
                token == "#"
                and definition.params is not None
                and after < size
                and body[after] in bound
            ):
                out.append((_stringize(bound[body[after]]), hidden))
                position = after + 1
                continue
            if token == "__VA_OPT__" and after < size and body[after] == "(":
                stop = _closing(body, after)
                if any(t != SPACE for t, _ in bound.get("__VA_ARGS__", [])):
                    inner = definition._replace(body="".join(body[after + 1 : stop]))
                    out.extend(self._substitute(inner, arguments, hidden))
                position = stop + 1
                continue
            if token == "##":
                while out and out[-1][0] == SPACE:
                    out.pop()
                right = body[after] if after < size else ""
                pieces = bound.get(right, [(right, hidden)] if right else [])
                position = after + 1
                if right == variadic and out and out[-1][0] == ",":
                    if pieces:  # GNU: the comma goes where there are no arguments
                        out.extend((t, h | hidden) for t, h in pieces)
                    else:
                        out.pop()
                    continue
                if pieces and out and out[-1][0] != "":
                    left, left_hidden = out.pop()
                    first, first_hidden = pieces[0]
                    out.append((left + first, (left_hidden & first_hidden) | hidden))
                    pieces = pieces[1:]
                elif out and out[-1][0] == "":
                    out.pop()
                out.extend((t, h | hidden) for t, h in pieces)
                continue
            if token in bound:
                if after < size and body[after] == "##":
                    raw = bound[token]
                    out.extend((t, h | hidden) for t, h in raw)
                    if not raw:
                        out.append(("", hidden))  # a placemarker
                else:
                    if token not in expanded:
                        expanded[token] = self.run(list(bound[token]))
                    out.extend((t, h | hidden) for t, h in expanded[token])
            else:
                out.append((token, hidden))
            position += 1
        return [pair for pair in out if pair[0]]


def _skip_space(tokens: list[str], position: int) -> int:
    while position < len(tokens) and tokens[position] == SPACE:
        position += 1
    return position


def _closing(tokens: list[str], opening: int) -> int:
    """Index of the bracket that closes the one at `opening`; the last index if none does."""
    depth = 0
    for index in range(opening, len(tokens)):
        if tokens[index] == "(":
            depth += 1
        elif tokens[index] == ")":
            depth -= 1
            if depth == 0:
                return index
    return len(tokens) - 1


def _arguments(work: list[_Token]) -> tuple[list[list[_Token]], frozenset[str]] | None:
    """Take a macro's bracketed arguments off the stack; None (and nothing taken) where no `(` follows."""
    index = len(work) - 1
    while index >= 0 and work[index][0] == SPACE:
        index -= 1
    if index < 0 or work[index][0] != "(":
        return None
    index -= 1
    depth = 1
    arguments: list[list[_Token]] = [[]]
    while index >= 0:
        token, hidden = work[index]
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
            if depth == 0:
                del work[index:]
                return [_trim(argument) for argument in arguments], hidden
        if token == "," and depth == 1:
            arguments.append([])
        else:
            arguments[-1].append((token, hidden))
        index -= 1
    return None


def _trim(tokens: list[_Token]) -> list[_Token]:
    start, stop = 0, len(tokens)
    while start < stop and tokens[start][0] == SPACE:
        start += 1
    while stop > start and tokens[stop - 1][0] == SPACE:
        stop -= 1
    return tokens[start:stop]


def _variadic(params: tuple[str, ...] | None) -> str:
    """What the body calls a macro's variable arguments; "" where it has none."""
    if not params or not params[-1].endswith("..."):
        return ""
    return "__VA_ARGS__" if params[-1] == "..." else params[-1][:-3]


def _bind(params: tuple[str, ...] | None, arguments: list[list[_Token]]) -> dict[str, list[_Token]]:
    """Each parameter's argument, unexpanded; arguments that are missing are empty."""
    bound: dict[str, list[_Token]] = {}
    if params is None:
        return bound
    for index, param in enumerate(params):
        if param.endswith("..."):
            rest: list[_Token] = []
            for number, argument in enumerate(arguments[index:]):
                if number:
                    rest.extend([(",", frozenset()), (SPACE, frozenset())])
                rest.extend(argument)
            bound[_variadic((param,))] = rest
        else:
            bound[param] = arguments[index] if index < len(arguments) else []
    return bound


def _stringize(tokens: list[_Token]) -> str:
    text = _spell(token for token, _ in tokens)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
