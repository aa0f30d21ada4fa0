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

import functools
from collections.abc import Iterable, Mapping
from operator import itemgetter

from indexer.extract.cpp.defines import SPACE, MacroTable, parse_defines, tokenize
from indexer.facts.cpp import MacroDefinition

__all__ = ["MAX_TOKENS", "MacroDefinition", "MacroTable", "expand", "parse_defines", "tokenize"]

_OPERATORS = frozenset(("#", "##", "__VA_OPT__"))
_COUNTERS = frozenset(("__LINE__", "__COUNTER__"))

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
    nothing: frozenset[str] = frozenset()
    tokens = [(token, nothing) for token in tokenize(text)]
    return _spell([token for token, _ in expander.run(tokens)])


_Token = tuple[str, frozenset[str]]
"""A token and the macros that must not be expanded in it any more."""


_TEXT = itemgetter(0)  # of a token

_BEGINS, _ENDS = 1, 2


@functools.cache
def _word_sides(token: str) -> int:
    """Whether a token begins and ends with a word's character, as `_BEGINS` and `_ENDS`."""
    begins = token[0].isalnum() or token[0] == "_"
    ends = token[-1].isalnum() or token[-1] == "_"
    return begins * _BEGINS | ends * _ENDS


def _spell(tokens: Iterable[str]) -> str:
    """Join tokens, with a space where two would otherwise run into one."""
    out: list[str] = []
    last = ""
    in_word = 0  # whether what is there ends in a word's character
    for token in tokens:
        if token == SPACE:
            if last == SPACE:
                continue
            in_word = 0
        else:
            sides = _word_sides(token)
            if in_word and sides & _BEGINS:
                out.append(SPACE)
            in_word = sides & _ENDS
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

    def _is_plain(self, tokens: list[_Token]) -> bool:
        """Whether nothing in it can be replaced, as in most of what is put in: that is seen much faster than read."""
        texts = [*map(_TEXT, tokens)]
        return (
            self.table.names.isdisjoint(texts)
            and _COUNTERS.isdisjoint(texts)
            and self.overrides.keys().isdisjoint(texts)
        )

    def run(self, tokens: list[_Token]) -> list[_Token]:
        if self._is_plain(tokens):
            return tokens
        out: list[_Token] = []
        names, overrides = self.table.names, self.overrides
        work = tokens[::-1]  # a stack: the next token is the last
        while work:
            pair = work.pop()
            token, hidden = pair
            if token not in names and token not in _COUNTERS and token not in overrides:
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
            replaced = self.substitute(definition, arguments, hidden | {token})
            self.budget -= len(replaced)
            if self._is_plain(replaced):
                out += replaced
                continue
            replaced.reverse()
            work += replaced
        return out

    def substitute(
        self, definition: MacroDefinition, arguments: list[list[_Token]], hidden: frozenset[str]
    ) -> list[_Token]:
        """What a use is replaced by; a list that is the caller's own."""
        body = self.table.body_tokens(definition)
        if not definition.params and _OPERATORS.isdisjoint(body):
            return [(token, hidden) for token in body]
        bound = _bind(definition.params, arguments)
        if _OPERATORS.isdisjoint(body):
            return self._put_in(body, bound, hidden)
        return _Substitution(self, definition, arguments, bound, hidden).run(body)

    def _put_in(
        self, body: list[str], bound: dict[str, list[_Token]], hidden: frozenset[str]
    ) -> list[_Token]:
        """The same where the body has no operators, as most: arguments take their parameters' places."""
        out: list[_Token] = []
        expanded: dict[str, list[_Token]] = {}
        for token in body:
            if token not in bound:
                out.append((token, hidden))
                continue
            argument = expanded.get(token)
            if argument is None:
                argument = expanded[token] = _hidden_too(self.run(bound[token]), hidden)
            out += argument
        return out


class _Substitution:
    """One use of a macro whose body has operators: they take their operands as they are written ([cpp.subst])."""

    def __init__(
        self,
        expander: _Expander,
        definition: MacroDefinition,
        arguments: list[list[_Token]],
        bound: dict[str, list[_Token]],
        hidden: frozenset[str],
    ) -> None:
        self.expander = expander
        self.definition = definition
        self.arguments = arguments
        self.bound = bound
        self.hidden = hidden
        self.variadic = _variadic(definition.params)
        self.expanded: dict[str, list[_Token]] = {}
        self.out: list[_Token] = []

    def run(self, body: list[str]) -> list[_Token]:
        """What the use is replaced by.

        Args:
            body: the tokens of the macro's replacement.
        """
        position, size = 0, len(body)
        while position < size:
            token = body[position]
            if token not in self.bound and token not in _OPERATORS:
                self.out.append((token, self.hidden))
                position += 1
                continue
            after = _skip_space(body, position + 1)
            following = body[after] if after < size else ""
            is_string = token == "#" and self.definition.params is not None
            if is_string and after < size and following in self.bound:
                self.out.append((_stringize(self.bound[following]), self.hidden))
                position = after + 1
            elif token == "__VA_OPT__" and following == "(":
                stop = _closing(body, after)
                self.put_optional(body[after + 1 : stop])
                position = stop + 1
            elif token == "##":
                self.paste(following)
                position = after + 1
            else:
                self.put(token, is_pasted=following == "##")
                position += 1
        return [pair for pair in self.out if pair[0]]

    def put(self, token: str, *, is_pasted: bool) -> None:
        """Put in a parameter's argument, expanded where nothing is pasted to it; or an operator that is none here."""
        argument = self.bound.get(token)
        if argument is None:
            self.out.append((token, self.hidden))
        elif is_pasted:
            self.out += _hidden_too(argument, self.hidden)
            if not argument:
                self.out.append(("", self.hidden))  # a placemarker
        else:
            if token not in self.expanded:
                self.expanded[token] = _hidden_too(self.expander.run(argument), self.hidden)
            self.out += self.expanded[token]

    def put_optional(self, tokens: list[str]) -> None:
        """Put in what stands in the brackets of `__VA_OPT__`, where there are variable arguments."""
        if any(token != SPACE for token, _ in self.bound.get("__VA_ARGS__", [])):
            inner = self.definition._replace(body="".join(tokens))
            self.out += self.expander.substitute(inner, self.arguments, self.hidden)

    def paste(self, right: str) -> None:
        """Make one token of the last one and the first of what stands behind `##`."""
        out, hidden = self.out, self.hidden
        while out and out[-1][0] == SPACE:
            out.pop()
        pieces = self.bound.get(right, [(right, hidden)] if right else [])
        if right == self.variadic and out and out[-1][0] == ",":
            if pieces:  # GNU: the comma goes where there are no arguments
                out += _hidden_too(pieces, hidden)
            else:
                out.pop()
            return
        if pieces and out and out[-1][0] != "":
            left, left_hidden = out.pop()
            first, first_hidden = pieces[0]
            out.append((left + first, (left_hidden & first_hidden) | hidden))
            pieces = pieces[1:]
        elif out and out[-1][0] == "":
            out.pop()
        out += _hidden_too(pieces, hidden)


def _hidden_too(tokens: Iterable[_Token], hidden: frozenset[str]) -> list[_Token]:
    """Tokens in which more macros must not be expanded."""
    out: list[_Token] = []
    last: frozenset[str] | None = None
    both = hidden
    for token, own in tokens:
        if own is not last:  # neighbours mostly share theirs
            last, both = own, own | hidden
        out.append((token, both))
    return out


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
    text = _spell([token for token, _ in tokens])
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
