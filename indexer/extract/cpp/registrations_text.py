"""What C++ text is made of: the statements of a block, the arguments of a call, the value of a string.

The reader works on text and not on a syntax tree, since the same code reads what stands in a file and what macros
expand to.
"""

from __future__ import annotations

import re

from indexer.extract.cpp.conditions import Conditions
from indexer.extract.cpp.tokens import CLOSING, OPENING, Token, closing, tokens
from indexer.facts.registrations import RegistrationStatement

_CONTROL = frozenset(("if", "for", "while", "switch", "catch", "return", "do", "else", "try"))


def _is_lambda_body(before: list[str]) -> bool:
    """Whether a `{` behind these tokens begins a function's body and not a list in braces."""
    if not before:
        return False
    if before[-1] in (")", "]", "mutable", "noexcept"):
        return True
    for token in reversed(before[-60:]):
        if token == "->":
            return True
        if token in ("(", "{", ";", ")"):
            return False
    return False


class _Splitter:
    def __init__(self, line: int) -> None:
        self.line = line
        self.found: list[RegistrationStatement] = []
        self.words: list[str] = []
        self.parts: list[str] = []
        self.begin = line
        self.conditions = Conditions()
        self.condition = ""

    def add(self, token: Token) -> None:
        if token.kind == "space":
            if self.parts:
                self.parts.append(" ")
            return
        if not self.words:
            self.begin = self.line
            self.condition = str(self.conditions)
        self.words.append(token.text)
        self.parts.append(token.text)

    def end(self) -> None:
        if self.words:
            text = "".join(self.parts).strip()
            self.found.append(RegistrationStatement(self.begin, text, self.condition))
        self.words = []
        self.parts = []

    def is_macro_use(self, after: Token | None) -> bool:
        """Whether what was read is `NAME(…)` and what follows does not go on with it."""
        if len(self.words) < 3 or self.words[1] != "(" or self.words[0] in _CONTROL:
            return False
        return after is None or after.kind in ("word", "directive") or after.text == "}"


def split_statements(text: str, line: int, separator: str = ";") -> list[RegistrationStatement]:
    """Split a block's body into its statements; those inside nested blocks too.

    Args:
        text: what stands between the braces.
        line: the 1-based line of its first character.
        separator: `;`, or `,` for the elements of an initializer list.

    Returns:
        the statements in order. A macro's use without a `;` behind it is one of them.
    """
    splitter = _Splitter(line)
    depth = 0
    skipping: list[str] = []  # the brackets of a lambda's body that is left out
    pending: Token | None = None
    stream = tokens(text)
    lookahead: list[Token] = []
    while True:
        token = lookahead.pop() if lookahead else next(stream, None)
        if token is None:
            break
        newlines = token.text.count("\n")
        if token.kind == "directive":
            splitter.conditions.directive(token.text)
        elif skipping:
            if token.kind == "other" and token.text in "{}":
                if token.text == "{":
                    skipping.append("{")
                else:
                    skipping.pop()
                    if not skipping:
                        splitter.add(token)
        elif token.kind == "other" and token.text in "([":
            depth += 1
            splitter.add(token)
        elif token.kind == "other" and token.text == "{" and (depth or separator == ","):
            splitter.add(token)
            if _is_lambda_body(splitter.words[:-1]):
                skipping.append("{")
            else:
                depth += 1
        elif token.kind == "other" and token.text == "{":
            splitter.end()
        elif (token.kind == "other" and token.text in ")]") or (token.text == "}" and depth):
            depth = max(0, depth - 1)
            splitter.add(token)
            if not depth and token.text == ")":
                held: list[Token] = []
                pending = None
                for following in stream if not lookahead else iter(()):
                    held.append(following)
                    if following.kind != "space":
                        pending = following
                        break
                if splitter.is_macro_use(pending):
                    splitter.end()
                lookahead.extend(reversed(held))
        elif token.kind == "other" and token.text in (separator, "}") and not depth:
            splitter.end()
        else:
            splitter.add(token)
        splitter.line += newlines
    splitter.end()
    return splitter.found


def split_arguments(text: str) -> list[str]:
    """Split a call's arguments at their commas.

    Angle brackets count where they can be those of a template: `f<A, B>` is one argument.

    Args:
        text: what stands between the call's brackets.
    """
    parts: list[str] = []
    current: list[str] = []
    stack: list[str] = []
    previous = ""
    for token in tokens(text):
        word = token.text
        if token.kind == "space":
            current.append(" ")
            continue
        if token.kind == "other":
            if word in OPENING:
                stack.append(OPENING[word])
            elif word in CLOSING:
                while stack and stack.pop() != word:
                    pass
            elif word == "<" and (previous[-1:].isalnum() or previous[-1:] == "_"):
                stack.append(">")
            elif word == ">" and stack and stack[-1] == ">":
                stack.pop()
            elif word == "," and not stack:
                parts.append("".join(current).strip())
                current = []
                previous = word
                continue
        current.append(word)
        previous = word
    last = "".join(current).strip()
    if last or parts:
        parts.append(last)
    return parts


def template_end(text: str, start: int) -> int:
    """Where a template's arguments end.

    Args:
        text: C++ text.
        start: offset of the `<` that opens them.

    Returns:
        The offset of the `>` that closes it; -1 if it is none of a template.
    """
    depth = 0
    position = start
    while position < len(text):
        character = text[position]
        if character == "<":
            depth += 1
        elif character == ">" and text[position - 1] != "-":
            depth -= 1
            if depth == 0:
                return position
        elif character in "([{":
            position = closing(text, position)
        elif character in ';"':
            return -1
        position += 1
    return -1


def is_constant(argument: str) -> bool:
    """Whether a template argument is a value (`Policy::fp32`, `true`, `2`) and no parameter or type's name.

    Args:
        argument: as `split_arguments` gives it.
    """
    return re.fullmatch(r"(?:true|false|\d\w*|(?:::)?\w+(?:::\w+)+)", argument) is not None


_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "0": "\0", "r": "\r"}
_CALL = re.compile(r"(?:::)?\s*[A-Za-z_][\w:]*(?:\s*<[^()<>]*>)?\s*\(")


def string_value(text: str) -> str | None:
    """The value of adjacent string literals, bare or in the brackets of calls: `f("a" "b")` is `ab`.

    Args:
        text: of the expression, its literals as they are written.

    Returns:
        None where anything but literals decides it.
    """
    text = text.strip()
    while True:
        found = _CALL.match(text)
        if found is None and text.startswith("("):
            inner = 1
        elif found is not None:
            inner = found.end()
        else:
            break
        if not text.endswith(")"):
            return None
        arguments = split_arguments(text[inner:-1])
        if not arguments:
            return None
        text = arguments[0]
    value: list[str] = []
    for token in tokens(text):
        if token.kind == "space":
            continue
        if token.kind != "string" or token.text.startswith("'"):
            return None
        quote = token.text.index('"')
        if token.text[:quote].endswith("R"):
            opening = token.text.index("(")
            delimiter = token.text[quote + 1 : opening]
            value.append(token.text[opening + 1 : len(token.text) - len(delimiter) - 2])
        else:
            inside = token.text[quote + 1 : -1]
            value.append(
                _ESCAPE.sub(lambda m: _ESCAPES.get(m[1], "" if m[1] == "\n" else m[1]), inside)
            )
    return "".join(value) if value else None
