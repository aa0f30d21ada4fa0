"""What a body that is read as text calls on what it has asked for its class: `if isinstance(x, Fused): x.unfuse()`.

Asked for are names of which nothing else tells what they are, for one class or several, attributes of them, and what a
method without arguments gives. What was asked holds where the question stands in a condition that has nothing beside it
but `and`: for the block below an `if`, behind an `assert`, in the rest of the condition, and in front of it where it
chooses that: `x.m() if isinstance(x, C) else x`, `[x.m() for x in xs if isinstance(x, C)]`. What is read there may be a
property, which the link step tells. So it is with `case C():` below a `match x:`.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from collections.abc import Iterator

from indexer.extract.python.brackets import closing
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import either
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import READ

# What is asked: a name, an attribute of it, or what a method without arguments gives.
_ASKED = re.compile(
    r"isinstance\(\s*(\w+(?:\.\w+)*(?:\(\))?),\s+(?:([^\W\d][\w.]*)|\(([\w., \n]+)\))(?:,?\s+)?\)"
)
# A case whose alternatives are patterns of classes each (Doc/reference/compound_stmts.rst), and what is matched.
_CASE = re.compile(
    r"\n([ \t]+)case ([\w.]+)\([^()\n]*\)((?: \| [\w.]+\([^()\n]*\))*)(?: as \w+)?(?: if [^\n]*)?(:)(?=[ \t]*\n)"
)
_ALTERNATIVE = re.compile(r"\| ([\w.]+)")
_MATCH_WORD = "match "
_SUBJECT = re.compile(r"match (\w+):(?=[ \t]*\n)")
_CONDITION = re.compile(r"[ \t]*(if|elif|while|assert|return)\b")
_OPENED = re.compile(r"[ \t]*(if|elif|while|assert) \(")
_EITHER = (" or ", " else ", " for ", "lambda", "\n\n", " not isinstance")
_CHAIN = re.compile(r"((?:\.\w+)+)(?!\w| = )(\(?)")
# One of several questions of which none may be so, alone or in an `or`: `if x is None or not `.
_DENIED = re.compile(
    r"([ \t]*)(if|elif|while|return|assert) (?:(?!.* (?:and|if|else) )[^\n]* or )?not "
)
_LINE = re.compile(r"(?:(?!:[ \t]*\n)[^\n])*")
_ONLY_OR = re.compile(r"(?: or (?!.* (?:and|if|else|for) ).*)?$")
_OTHERWISE = re.compile(r" (?:or|else|if|for) |\n|:(?=[ \t]*\n)")
# A block of one statement that leaves what is around it.
_LEFT = re.compile(r":[ \t]*(\n)(?:[ \t]*\n)*[ \t]+(?:continue|break|return\b[^\n]*|raise\b[^\n]*)")
_MARK = re.compile(r"[()\[\]{},=:]|\b(?:return|else|yield|lambda)\b")
_LONGEST = 400  # characters of what a condition chooses
_CHOSEN = re.compile(r"\s*(?:else\b|[)\]}]|and |if |for )")
_SAID = ("if ", "elif ", "while ", "assert ", "return ", " and ")


class Narrowed:
    """Where the functions of one file know more of a name, since they asked.

    Args:
        unit: the file.
    """

    def __init__(self, unit: PyUnit) -> None:
        self._code = unit.code
        asked = _ASKED.finditer(unit.code) if unit.is_packaged else ()
        self._found = [(match.start(), match[1], match[2] or match[3], match) for match in asked]
        if unit.is_packaged and _MATCH_WORD in unit.code:
            self._found = sorted([*self._found, *self._cases()], key=lambda found: found[0])
        self._at = [found[0] for found in self._found]

    def within(self, span: Span, names: Locals) -> Iterator[tuple[int, str]]:
        """Where a body calls a method or reads an attribute of what it has asked for its class, and the target.

        Args:
            span: of the function.
            names: what the names inside it stand for.

        Yields:
            offset into the text, and target; a place may come twice where it is asked for more than once.
        """
        code = self._code
        first = bisect_left(self._at, span.body)
        for at, name, kinds, match in self._found[first : bisect_left(self._at, span.end, first)]:
            head = name.partition(".")[0]
            # What the module has no name for is one of the function's, however that binds it.
            if names.local(head) is None and names.scope.has(head):
                continue
            target = _objects(kinds, names)
            if not target:
                continue
            if match.re is _CASE:
                indent, stop = len(match[1]), match.start(4)
                holding = iter([(stop, self._block_end(stop, indent, span.end))])
            else:
                holding = self._holds(at, match.end(), span.end)
            for start, end in holding:
                given = _given(name).search(code, start, end)
                end = _statement_end(code, given.end(), end) if given else end
                found = code.find(f"{name}.", start, end)
                while found >= 0:
                    after = found + len(name)
                    chain = _CHAIN.match(code, after, span.end)
                    before = code[found - 1]
                    if chain and not (before.isalnum() or before in "_."):
                        yield from _of_chain(found, target, chain[1], bool(chain[2]))
                    found = code.find(f"{name}.", after, end)

    def _cases(self) -> Iterator[tuple[int, str, str, re.Match[str]]]:
        """Where a case asks for a class, the name that is matched, and the classes."""
        code = self._code
        for case in _CASE.finditer(code):
            end = case.start()
            while (at := code.rfind(_MATCH_WORD, 0, end)) >= 0:
                indent = code[code.rfind("\n", 0, at) + 1 : at]
                if indent.isspace() and len(indent) < len(case[1]):
                    break
                end = at
            if at >= 0 and (subject := _SUBJECT.match(code, at)):
                kinds = ", ".join((case[2], *_ALTERNATIVE.findall(case[3])))
                yield case.start(), subject[1], kinds, case

    def _holds(self, at: int, end: int, last: int) -> Iterator[tuple[int, int]]:
        """The parts of the text where what is asked there is known to be so."""
        code = self._code
        line = code.rfind("\n", 0, at) + 1
        before = code[line:at]
        denied = _DENIED.fullmatch(before) if before.endswith("not ") else None
        if denied and before.count("(") == before.count(")"):
            yield from self._denied(end, len(denied[1]), last, is_if=denied[2] == "if")
        if before.endswith((" if ", "\tif ")) and _CHOSEN.match(code, end, last):
            yield self._chosen(at - len("if ")), at
        if not (before.endswith(_SAID) or before.isspace()) or before.count("(") != before.count(
            ")"
        ):
            return
        stop = _OTHERWISE.search(code, end, last)
        rest = stop.start() if stop else last
        if code.startswith(" and ", end):
            yield end, rest
        head = _CONDITION.match(before)
        if head is None and before.strip() in ("", "and"):
            yield from self._bracketed(at, end, last)
        if head is None or " or " in before or " if " in before.lstrip()[2:]:
            return
        indent = head.start(1) - head.start()
        if head[1] == "assert":
            if stop and stop[0] == "\n":
                yield rest, self._block_end(rest, indent - 1, last)
        elif head[1] != "return" and stop and stop[0] == ":":
            yield rest, self._block_end(rest, indent, last)

    def _denied(
        self, end: int, indent: int, last: int, *, is_if: bool
    ) -> Iterator[tuple[int, int]]:
        """What else is asked where it is so, and what follows: `if not isinstance(x, Fused) or x.m(): continue`."""
        code = self._code
        stop = _LINE.match(code, end, last)
        others = stop[0] if stop else " and "
        if others.count("(") != others.count(")") or not _ONLY_OR.match(others):
            return
        if others:
            yield end, end + len(others)
        if is_if:
            yield from self._behind(end + len(others), indent, last)

    def _bracketed(self, at: int, end: int, last: int) -> Iterator[tuple[int, int]]:
        """The same where the condition stands in brackets on lines of its own: `if (`, and what has `and` between."""
        code = self._code
        opening = code.rfind("(\n", max(0, at - _LONGEST), at)
        line = code.rfind("\n", 0, opening) + 1
        head = _OPENED.match(code, line, opening + 1) if opening >= 0 else None
        stop = closing(code, opening) if head and head.end() == opening + 1 else 0
        before, behind = code[opening + 1 : at], code[end : stop - 1]
        if not end < stop <= last or before.count("(") != before.count(")"):
            return
        if any(word in part for part in (before, behind) for word in _EITHER):
            return
        yield end, stop
        if head and code.startswith(("\n", ",") if head[1] == "assert" else ":\n", stop):
            indent = head.start(1) - line
            start = code.find("\n", stop, last)
            yield start, self._block_end(start, indent - (head[1] == "assert"), last)

    def _chosen(self, end: int) -> int:
        """Where the expression begins that an `if` ends here and chooses: a comprehension's behind its bracket."""
        code, depth, start = self._code, 0, end
        for mark in reversed(list(_MARK.finditer(code, max(0, end - _LONGEST), end))):
            if mark[0] in (")", "]", "}"):
                depth += 1
            elif mark[0] in ("(", "[", "{"):
                depth -= 1
                if depth < 0:
                    is_whole = start == end or " for " in code[mark.end() : end]
                    return mark.end() if is_whole else start
            elif not depth and start == end:
                start = mark.end()
        return start

    def _behind(self, end: int, indent: int, last: int) -> Iterator[tuple[int, int]]:
        """What follows a question whose block is left at once: `if not isinstance(x, Fused): continue`."""
        code = self._code
        left = _LEFT.match(code, end, last)
        if left is None:
            return
        start = self._block_end(left.start(1), indent, last)
        stop = left.end()
        if code.endswith("(", 0, stop):
            stop = closing(code, stop - 1) or stop  # what is raised is made over several lines
            start = max(start, self._block_end(stop, indent, last)) if stop > start else start
        if not code[stop:start].strip():
            yield start, self._block_end(start, indent - 1, last)

    def _block_end(self, start: int, indent: int, last: int) -> int:
        """Where the lines end that are indented further."""
        found = _less(indent).search(self._code, start, last)
        return found.start() if found else last


def _objects(asked: str, names: Locals) -> str:
    """Target of an object of one of the classes that are asked for: `Node`, or `Node, Fused`."""
    classes = (names.target(name.strip()) for name in asked.split(","))
    return either(f"{target}()" for target in classes if target and "(" not in target)


def _of_chain(at: int, owner: str, attributes: str, is_called: bool) -> Iterator[tuple[int, str]]:
    """What `x.a.b` may run where x is such an object: properties, and the method at its end."""
    parts = attributes[1:].split(".")
    for number, attribute in enumerate(parts, 1):
        owner = f"{owner}.{attribute}"
        if is_called and number == len(parts):
            yield at, owner
        elif not attribute.startswith("__"):
            yield at, f"{owner}{READ}"


@functools.cache
def _given(name: str) -> re.Pattern[str]:
    """Where a name is given something, or what is asked of it: `x = `, `x.layout = ` of `x.layout`."""
    parts = name.removesuffix("()").split(".")
    paths = (re.escape(".".join(parts[:number])) for number in range(1, len(parts) + 1))
    return re.compile(rf"(?<![\w.])(?:{'|'.join(paths)})(?:, \w+)* = ")


def _statement_end(code: str, start: int, last: int) -> int:
    """Where a statement ends whose value begins at an offset: `x = x.replaced()` asks what it was until then."""
    end = code.find("\n", start, last)
    end = last if end < 0 else end
    opening = code.find("(", start, end)
    if opening >= 0 and code.count("(", start, end) != code.count(")", start, end):
        end = min(closing(code, opening) or end, last)
    return end


_PATTERNS: dict[int, re.Pattern[str]] = {}


def _less(indent: int) -> re.Pattern[str]:
    """A line that is indented so or less."""
    if indent not in _PATTERNS:
        _PATTERNS[indent] = re.compile(rf"\n[ \t]{{0,{max(indent, 0)}}}[^\s#]")
    return _PATTERNS[indent]
