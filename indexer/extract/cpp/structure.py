"""The outer structure of a C++ file: namespaces, classes, function definitions and macro uses, by its brackets.

Tokens are counted, not a grammar followed: what AT_DISPATCH macros hold, Objective-C blocks or an `#if` that splits a
signature leave error nodes in a syntax tree but do not unbalance brackets. Each branch of an `#if` starts from the
state before it, and what follows the `#endif` goes on from the end of the first branch.
"""

from __future__ import annotations

import re

from indexer.extract.cpp.characters import CLOSING_BRACE, HASH, LINE_FEED, OPENING_BRACE, SEMICOLON
from indexer.extract.cpp.cleaning import clean, with_braces
from indexer.extract.cpp.defaulted import VALUE, defaulted
from indexer.extract.cpp.fields import fields_of
from indexer.extract.cpp.head import Head
from indexer.extract.cpp.heads import in_initializers, parse_head
from indexer.extract.cpp.items import closing_round, is_list
from indexer.extract.cpp.lexical import blanked, without_noise
from indexer.extract.cpp.open_branches import Branches
from indexer.extract.cpp.outline import (
    ClassBody,
    Function,
    Scope,
    Structure,
    Use,
    Using,
    outside_classes,
)
from indexer.extract.cpp.valued import member_value, own_object, valued
from indexer.extract.patterns import never_back

_DIRECTIVE = rb"#[^\n\\]*(?:\\[\s\S][^\n\\]*)*"
# Every branch starts with one fixed byte: the search then skips everything else.
_OUTSIDE = re.compile(rb"\{|\}|;|" + _DIRECTIVE)
_INSIDE = re.compile(rb"\{|\}|" + _DIRECTIVE)  # of a body: statements do not matter
_FLAT = rb"[^{}#]*+"
_BODY = never_back(
    _FLAT
    + rb"(?:\{%b(?:\{%b(?:\{%b(?:\{%b(?:\{%b\}%b)*\}%b)*\}%b)*\}%b)*\}%b)*\}" % ((_FLAT,) * 10)
)  # the rest of one with no directive in it, as most are
# In the file itself: a comment may go over the end of a directive's line, which then goes on behind it.
_WHOLE_DIRECTIVE = re.compile(rb"#[^\n\\/]*(?:(?:\\[\s\S]|/(?!\*)|/\*[\s\S]*?\*/)[^\n\\/]*)*")
_WORD = re.compile(rb"#[ \t]*(\w+)[ \t]*([^\n]{0,8})")
_SPACE = re.compile(rb"\s*")
_LEADING = re.compile(r"(?:\s|(?:public|private|protected)\s*:(?!:))*")
_USING = re.compile(r"\s*(using|namespace)\b\s*([^;]*)")
# `typedef T name;` is `using name = T;` ([dcl.typedef]), but for what a bracket stands around or behind, as an array's.
_TYPEDEF = re.compile(
    r"typedef (?:(?:struct|class|union|enum) )?([^;{}]*[\w>&*])(?: |(?<=[>&*]))(\w+)"
)
# What is called on a name of such a type no class has; and of a pointer the class is not kept.
_NO_CLASS = re.compile(
    r"(?:typename|const|volatile)\b|.*[*&]$"
    r"|(?:(?:unsigned|signed|long|short|int|char|void|bool|float|double|\w+_t)\b ?)+$"
)
# Two words before any bracket: a declaration, which the statements of a header mostly are.
_PLAIN_DECLARATION = re.compile(
    rb"(?!(?:using|typedef|namespace|static|inline|constexpr)\b)\w+(?:::\w+)*[ \t&*]+\w+"
)
_ONE_USE = re.compile(r"\s*(?:(?:static|inline|constexpr)\s+)*([A-Za-z_]\w*)\s*\(")
_OBJC_CLASS = re.compile(rb"@implementation\s+(\w+)")
_OBJC_METHOD = re.compile(r"(?:^|@end|\s)([-+])\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(\w+[\s\S]*)$")
_MOST_TRIES = 200  # blocks for which one text is read: 40 are the most in any file of PyTorch
_FRIEND = re.compile(r"\bfriend\b")
_HANDLER = re.compile(r"\s*catch\s*\(")
_ROUND_GROUP = re.compile(r"\([^()]*\)")
_NOT_MACROS = frozenset(
    ("static_assert", "alignas", "decltype", "if", "for", "while", "switch", "return", "asm")
)


class _Scanner(Branches):
    def __init__(self, data: bytes, text: bytes, by_column: bool) -> None:
        super().__init__()
        self.data = data
        self.text = text
        self.by_column = by_column
        self.result = Structure()
        self.tried = (-1, 0)  # what begins where was read for how many blocks
        self.unclosed = (-1, 0)  # where a bracket last opened in a macro's arguments, and how deep
        self.opaque_start = -1
        self.is_handler = False
        self.last: Function | None = None
        self.by_start: dict[int, Function] = {}

    def run(self) -> Structure:
        text = self.text
        position: int | None = 0
        while position is not None:
            position = self.inside_body(position) if self.depth else self.outside(position)
        if not self.depth:
            self.statement(len(text))
        if self.depth or self.scopes:
            self.result.problems.append((len(text), "unbalanced brackets"))
        self.result.functions.extend(self.by_start.values())
        self.result.functions.sort(key=lambda f: (f.at, f.start))
        for function in self.result.functions:
            if function.end < 0:
                function.end = len(text) - 1 if text else 0
        return self.result

    def outside(self, position: int) -> int | None:
        """Read on to where a body opens, and say where it goes on; None at the file's end."""
        text = self.text
        for match in _OUTSIDE.finditer(text, position):
            at = match.start()
            byte = text[at]
            if byte == HASH:
                end = self.directive(at, match.end())
                if end > match.end() or self.depth:
                    return end
            elif self.dead:
                continue
            elif byte == SEMICOLON:
                self.statement(at)
                self.boundary = at + 1
            elif byte == OPENING_BRACE:
                self.open(at)
                if self.depth:
                    return at + 1
            else:
                self.close_scope(at)
        return None

    def inside_body(self, position: int) -> int | None:
        """The same to where the body closes."""
        text = self.text
        if self.depth == 1 and not self.dead and not self.by_column:
            whole = _BODY.match(text, position)
            if whole is not None:
                self.depth = 0
                self.close_body(whole.end() - 1)
                return whole.end()
        for match in _INSIDE.finditer(text, position):
            at = match.start()
            byte = text[at]
            if byte == HASH:
                end = self.directive(at, match.end())
                if end > match.end() or not self.depth:
                    return end
            elif self.dead:
                continue
            elif byte == OPENING_BRACE:
                self.depth += 1
            else:
                self.depth -= 1
                if self.by_column and self.depth and text[at - 1] == LINE_FEED:
                    self.depth = 0
                if not self.depth:
                    self.close_body(at)
                    return at + 1
        return None

    def directive(self, at: int, end: int) -> int:
        """Take a directive into account, and say where it really ends."""
        text = self.data[at:end]
        if b"/" in text:
            whole = _WHOLE_DIRECTIVE.match(self.data, at)
            end = max(end, whole.end()) if whole is not None else end
        match = _WORD.match(text)
        if match is not None:
            self.condition(match.group(1), match.group(2))
        return end

    def piece(self, start: int, end: int) -> bytes:
        """What stands there without comments; literals as they are, for they are told apart by their quotes."""
        text = self.text[start:end]
        return self.data[start:end] if b'"' in text or b"'" in text else text

    def head_text(self, at: int) -> str:
        text = self.piece(self.boundary, at)
        if self.holes:
            out = bytearray(text)
            for start, end in self.holes:
                if start >= self.boundary:
                    out[start - self.boundary : end - self.boundary] = (
                        b"(" + b" " * (end - start - 2) + b")"
                    )
            text = bytes(out)
        return clean(text).decode("latin-1")

    def is_argument(self, at: int) -> bool:
        """Whether a bracket opens in a macro's arguments as the last one did: uses with no `;` stand by the hundred."""
        before, depth = self.unclosed
        if not self.holes or self.holes[-1][0] != before:
            return False
        between = self.text[self.holes[-1][1] : at]
        depth += between.count(b"(") - between.count(b")")
        if depth <= 0 or b"#" in between:
            return False
        self.unclosed = at, depth
        return True

    def open(self, at: int) -> None:
        is_argument = self.is_argument(at)
        self.depth, self.inside, self.is_handler, self.opaque_start = 1, None, False, at
        begins, tries = self.tried
        self.tried = self.boundary, tries + (not is_argument) if begins == self.boundary else 1
        if is_argument or self.tried[1] > _MOST_TRIES:
            return  # so many are no code, and each would be read with all before it
        text = self.head_text(at)
        deep = text.count("(") - text.count(")")
        if deep > 0:
            self.unclosed = at, deep
            return  # a braced default argument, or a lambda in a macro's arguments
        class_name = self.scopes[-1].name if self.scopes and self.scopes[-1].kind == "class" else ""
        method = _OBJC_METHOD.search(text) if "-" in text or "+" in text else None
        if method is not None and not text[method.end(1) :].lstrip().startswith(")"):
            self.objc_method(text, method, at)
            return
        if _HANDLER.match(text):
            self.is_handler = True
            return
        head = parse_head(text, class_name.rpartition("::")[2])
        # What a hole hides is a body to the macro: `REGISTER(name, { … })` with no `;` before a function.
        whole = text
        if head.uses and self.holes:
            whole = clean(self.piece(self.boundary, at)).decode("latin-1")
        for start, end in head.uses:
            self.use(whole[start:end], self.boundary + start)
        if head.kind in ("namespace", "class", "linkage"):
            self.depth = 0
            anonymous = head.kind == "namespace" and not head.name
            name = "" if head.flavour == "inline" else head.name
            self.scopes = (*self.scopes, Scope(head.kind, name, anonymous))
            self.opened = (*self.opened, (head, self.boundary + head.offset))
            self.boundary = at + 1
            self.holes = ()
        elif head.kind == "other" or (head.kind == "function" and in_initializers(text)):
            return
        else:
            start = head.offset if head.kind == "macro" else head.start
            declared = with_braces(text, start, self.holes, self.boundary, self.text)
            is_friend = _FRIEND.search(text, head.start, head.offset) is not None
            self.inside = Function(
                head,
                outside_classes(self.scopes) if is_friend else self.scopes,
                declared,
                self.boundary + head.start,
                self.boundary + head.offset,
                at,
            )

    def objc_method(self, text: str, method: re.Match[str], at: int) -> None:
        """A method of Objective-C by its class and selector: `MetalContext::specializedPipelineState:Constants:`.

        Variables and `@synthesize …;` may stand between a class's head and its first method, and macros behind a
        method's (`API_AVAILABLE(ios(11.0))`, aten/src/ATen/native/metal/mpscnn).
        """
        begins = self.text.rfind(b"@implementation", 0, at)
        is_ended = self.text.find(b"@end", begins, at) >= 0
        owner = _OBJC_CLASS.match(self.text, begins) if begins >= 0 and not is_ended else None
        words = _ROUND_GROUP.sub(" ", _ROUND_GROUP.sub(" ", method.group(2)))
        parts = re.findall(r"(\w+)\s*:(?!:)", words)
        selector = "".join(f"{part}:" for part in parts) or words.split()[0]
        name = f"{owner.group(1).decode('latin-1')}::{selector}" if owner else selector
        head = Head("function", name, method.start(2), "method", start=method.start(1))
        self.inside = Function(
            head,
            self.scopes,
            text[method.start(1) :],
            self.boundary + method.start(1),
            self.boundary + method.start(2),
            at,
        )

    def close_body(self, at: int) -> None:
        inside = self.inside
        if inside is None and self.is_handler:
            # Of a function that is one `try`: its body goes on, and the next declaration begins behind it.
            inside = self.last
        if inside is None:
            if self.tried[1] == _MOST_TRIES + 1:
                self.result.problems.append((self.opaque_start, "blocks that belong to nothing"))
            known = self.holes[:-1] if self.tried[1] > _MOST_TRIES else self.holes
            self.holes = (*known, (self.opaque_start, at + 1))
            return
        for function in (inside, *inside.twins):
            function.end = max(function.end, at)
            self.by_start.setdefault(function.body, function)
        self.boundary = at + 1
        self.holes = ()
        self.inside, self.last = None, inside

    def close_scope(self, at: int) -> None:
        self.statement(at)
        self.boundary = at + 1
        self.holes = ()
        if not self.scopes:
            self.result.problems.append((at, "a bracket closes that none opened"))
            return
        head, start = self.opened[-1]
        self.scopes, self.opened = self.scopes[:-1], self.opened[:-1]
        if head.kind == "class" and head.name:
            self.result.classes.append(ClassBody(head, self.scopes, start, at))

    def statement(self, at: int) -> None:
        """What stands between the last boundary and a `;` or a closing bracket."""
        self.holes = ()
        data, boundary = self.text, self.boundary
        self.result.fields += fields_of(data, boundary, at, self.scopes)
        begin = _SPACE.match(data, boundary, at).end()  # type: ignore[union-attr]  # it matches nothing too
        if begin >= at or (
            data.find(b"(", begin, at) < 0
            and data.find(b"using", begin, at) < 0
            and data.find(b"namespace", begin, at) < 0
            and data.find(b"typedef", begin, at) < 0
        ):
            if begin < at and not (self.scopes and self.scopes[-1].kind == "class"):
                is_given = data[at - 1] == CLOSING_BRACE or data.find(b"=", begin, at) > 0
                self.variable((valued if is_given else own_object)(data, begin, at), at)
            return
        if data[at - len(VALUE) : at] == VALUE:
            written = clean(self.piece(begin, at)).decode("latin-1")
            if function := defaulted(written, begin, at, self.scopes):
                self.by_start.setdefault(at, function)
                return
        if not (self.scopes and self.scopes[-1].kind == "class"):
            self.variable(valued(data, begin, at), at)
        elif (value := member_value(data, begin, at)) is not None:
            self.variable(valued(data, value, at), at)
        if _PLAIN_DECLARATION.match(data, begin, at):
            return
        text = clean(self.piece(begin, at)).decode("latin-1")
        start = _LEADING.match(text).end()  # type: ignore[union-attr]
        if text.startswith("typedef", start):
            self.alias(" ".join(text[start:].split()), begin + start)
            return
        while True:
            # Also behind macros that want no semicolon: `C10_DIAGNOSTIC_POP()`, `DECLARE_DISPATCH(f, stub)`.
            using = _USING.match(text, start)
            if using is not None:
                self.result.usings.append(
                    Using(
                        using.group(1),
                        " ".join(using.group(2).split()),
                        self.scopes,
                        begin + using.start(1),
                    )
                )
                return
            found = _ONE_USE.match(text, start)
            if found is None:
                break
            end = closing_round(text, found.end() - 1) + 1
            self.use(text[found.start(1) : end], begin + found.start(1))
            start = _LEADING.match(text, end).end()  # type: ignore[union-attr]

    def alias(self, text: str, at: int) -> None:
        """What a `typedef` of one name says, as the using-declaration that says the same."""
        typedef = _TYPEDEF.fullmatch(text)
        if typedef is None:
            return
        of_type, name = typedef[1], typedef[2]
        if name != of_type and not _NO_CLASS.match(of_type) and not is_list(of_type):
            self.result.usings.append(Using("using", f"{name} = {of_type}", self.scopes, at))

    def variable(self, found: tuple[Head, int, int] | None, at: int) -> None:
        """A variable of a namespace, or data member of a class, whose value something has to be called for."""
        if found is not None:
            head, start, value = found
            text = self.text[start:value].decode("latin-1").strip()
            self.by_start.setdefault(
                value, Function(head, self.scopes, text, start, head.offset, value, at)
            )

    def use(self, text: str, at: int) -> None:
        name, bracket, _ = map(str.strip, text.partition("("))
        outer = self.scopes[-1].name.rpartition("::")[2] if self.scopes else ""
        # `A{1} B{2} void f() {}` uses none: a head has blocks as brackets.
        if not bracket or name == outer or name in _NOT_MACROS:
            return
        self.result.uses.append(Use(name, text, self.scopes, at))


def scan(data: bytes) -> Structure:
    """Read the outer structure of a C++ file; never raises, whatever the bytes.

    Where brackets do not balance (a branch that nobody compiles may hold anything), a `}` in the first column ends
    the function it stands in.

    Args:
        data: the file's bytes.

    Returns:
        What it defines; `problems` where something could not be read.
    """
    text = blanked(data) if b"${" not in data else without_noise(data)
    structure = _Scanner(data, text, by_column=False).run()
    if not structure.problems:
        return structure
    again = _Scanner(data, text, by_column=True).run()
    if len(again.functions) <= len(structure.functions):
        return structure
    again.problems = structure.problems
    return again
