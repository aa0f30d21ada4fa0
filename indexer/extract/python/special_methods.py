"""What syntax runs on objects, in bodies that are read as text: `name in seen`, `table[key]`, `reads - writes`.

A special method is looked up in the class of its object (Doc/reference/datamodel.rst, Special method names). Told are
those of what a name of the function stands for, or what that holds; of arithmetic the operators alone that numbers
hardly use. What Python's own sequences and mappings do, and what tensors do, is not asked for here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.unit import PyUnit
from indexer.extract.python.value_texts import TENSOR

# On reversed text: the bracket or operator is what `re` looks for, the name stands behind it.
# Objects have none in capitals.
_SUBSCRIPT = re.compile(r"\[([\w.]*[a-z_])(?![\w.])")
_BINARY = re.compile(r"[-|&^@] ([\w.]*[a-z_])(?![\w.])")
_MEMBERSHIP = re.compile(r" in ([^\W\d][\w.]*)(?=[\s):,\]}])")
_LOOP = re.compile(r"\bfor (?:(?! in )[^\n:]){1,80}\Z")
_LOOKED_BACK = 90
_BRACKET = re.compile(r"[\[\]]")
_LONGEST = 300  # characters between the brackets
_NAMES = {"-": "sub", "|": "or", "&": "and", "^": "xor", "@": "matmul"}
_CONTAINS = "__contains__"
_NO_MAPPING = ("Parameter()", TENSOR, "]", "|torch.Tensor())")
_PLAIN = (TENSOR, "list(", "dict(", "tuple(")


class SpecialMethods:
    """The places of one file where syntax may run a method of an object.

    Args:
        unit: the file.
    """

    def __init__(self, unit: PyUnit) -> None:
        self._code = code = unit.code
        self._found: list[tuple[int, str, str]] = []
        if not unit.is_packaged:
            return
        total = len(code)
        for match in _SUBSCRIPT.finditer(unit.reversed_code):
            self._found.append((total - match.end(), match[1][::-1], "["))
        for match in _BINARY.finditer(unit.reversed_code):
            operator = total - 1 - match.start()
            is_given = code.startswith("= ", operator + 1)
            if is_given or code[operator + 1 : operator + 2] == " ":
                method = f"__{'i' if is_given else ''}{_NAMES[code[operator]]}__"
                self._found.append((total - match.end(), match[1][::-1], method))
        self._found += [
            (match.start(1), match[1], _CONTAINS)
            for match in _MEMBERSHIP.finditer(code)
            if not _LOOP.search(code, max(0, match.start() - _LOOKED_BACK), match.start())
        ]
        self._found.sort()

    def within(self, span: Span, names: Locals) -> Iterator[tuple[int, str]]:
        """Where a function runs such a method, and its target.

        Args:
            span: of the function.
            names: what the names inside it stand for.

        Yields:
            offset of the object's name, and target; in the order of the text.
        """
        known = names.names
        first = bisect_left(self._found, (span.body,))
        for at, path, method in self._found[first : bisect_left(self._found, (span.end,), first)]:
            is_local = path.partition(".")[0] in known
            if not (is_local or method == _CONTAINS):
                continue
            held = names.target(path)
            # What a module has may be an object, too: `name in V.graph.removed_buffers`.
            if not held or ("()" not in held and is_local) or held.startswith(_PLAIN):
                continue
            # Of what is one of several, as a loop's element, the mapping is meant.
            if not (held.endswith(_NO_MAPPING) and self._code.startswith('["', at + len(path))):
                special = method if method != "[" else self._subscripted(at + len(path), span)
                yield at, f"{held}.{special}"

    def _subscripted(self, opening: int, span: Span) -> str:
        """The method that square brackets run: another where something is given to the element or it is deleted."""
        code, depth, last = self._code, 0, min(opening + _LONGEST, span.end)
        for bracket in _BRACKET.finditer(code, opening, last):
            depth += 1 if bracket[0] == "[" else -1
            if not depth:
                if code.startswith(" = ", bracket.end()):
                    return "__setitem__"
                break
        line = code.rfind("\n", span.body, opening) + 1
        return "__delitem__" if code[line:opening].lstrip().startswith("del ") else "__getitem__"
