"""Names as linkers and profilers write them: `_ZN2at6native7softmaxERKNS_6TensorE` is `at::native::softmax`.

The grammar is that of the Itanium C++ ABI, which gcc and clang follow. Only the name is taken; what stands behind it
are types of parameters, and template arguments are no part of a name in the index.
"""

from __future__ import annotations

import re

_MANGLED = re.compile(r"(?<![A-Za-z0-9])_{1,2}(Z\w+)")
_NUMBER = re.compile(r"\d+")
_SUBSTITUTION = re.compile(r"S(?:[0-9A-Z]*_|[tabsiod])")
_PARAMETER = re.compile(r"[TA]\d*_")  # and the bounds of an array
_TAG = re.compile(r"B(?=\d)")
_STANDARD = {
    "St": "std", "Sa": "std::allocator", "Sb": "std::basic_string", "Ss": "std::basic_string",
    "Si": "std::basic_istream", "So": "std::basic_ostream", "Sd": "std::basic_iostream",
}  # fmt: skip
_OPERATORS = {
    "nw": "new", "na": "new[]", "dl": "delete", "da": "delete[]", "ps": "+", "ng": "-", "ad": "&", "de": "*",
    "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%", "an": "&", "or": "|", "eo": "^", "aS": "=",
    "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=", "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<",
    "rs": ">>", "lS": "<<=", "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=",
    "ss": "<=>", "nt": "!", "aa": "&&", "oo": "||", "pp": "++", "mm": "--", "cm": ",", "pm": "->*", "pt": "->",
    "cl": "()", "ix": "[]",
}  # fmt: skip
# Types that have names of their own; others may be told by what was named before, which is not kept.
_CONVERTED = {"b": "bool", "d": "double", "f": "float", "i": "int"}
_OPENING = "NIXFJZ"
_DEEPEST = 32  # functions inside functions: what is pasted may be no symbol at all


class _Other(Exception):
    """What stands there is no name that this reader knows."""


def demangled(text: str) -> str:
    """The name of the first mangled function in a text.

    Args:
        text: a symbol, or a message that has one (`undefined symbol: _ZN3c10…`).

    Returns:
        Its qualified name without template arguments, parameters and anonymous namespaces; an empty text where
        there is none.
    """
    found = _MANGLED.search(text)
    if found is None:
        return ""
    try:
        return _Reader(found[1]).encoding()
    except _Other:
        return ""


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def encoding(self) -> str:
        """`Z <name> <types>`, of which the name is read."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Other
        self._expect("Z")
        if self._skips("T") or self._skips("GV"):
            # A vtable, type information, a guard: of a class.
            if self._text[self._at - 1] == "T" and not re.match("[VTIS]", self._rest()):
                raise _Other
            self._at += self._text[self._at - 1] == "T"
        return self._name()

    def _name(self) -> str:
        if self._skips("N"):
            return self._nested()
        if self._skips("Z"):  # what a function has inside: a lambda, a class
            self._at -= 1
            return self.encoding()
        standard = self._skips("St")
        parts = [*(["std"] if standard else []), self._component("")]
        return "::".join(part for part in parts if part)

    def _nested(self) -> str:
        while self._rest()[:1] in ("r", "V", "K", "R", "O") and self._rest():
            self._at += 1
        parts: list[str] = []
        while not self._skips("E"):
            if self._skips("I"):
                self._arguments()
            elif self._rest().startswith("S"):
                found = _SUBSTITUTION.match(self._rest())
                if found is None or found[0] not in _STANDARD:
                    raise _Other
                self._at += found.end()
                parts.append(_STANDARD[found[0]])
            elif re.match(
                "M?U", self._rest()
            ):  # a lambda, perhaps a member's: its function is what is in the index
                break
            else:
                parts.append(self._component(parts[-1] if parts else ""))
        return "::".join(part for part in parts if part)

    def _component(self, owner: str) -> str:
        self._skips("L")  # internal linkage
        name = self._source_name()
        if name is None:
            name = self._special(owner)
        while _TAG.match(self._rest()):
            self._at += 1
            self._source_name()
        return "" if name.startswith("_GLOBAL__N") else name

    def _source_name(self) -> str | None:
        number = _NUMBER.match(self._rest())
        if number is None:
            return None
        begin = self._at + number.end()
        self._at = begin + int(number[0])
        if self._at > len(self._text) or self._at == begin:
            raise _Other
        return self._text[begin : self._at]

    def _special(self, owner: str) -> str:
        two = self._rest()[:2]
        self._at += 2
        last = owner.rpartition("::")[2]
        # 4 and 5 are those that compilers use for all of them.
        if re.fullmatch("C[1-5]", two) and last:
            return last
        if re.fullmatch("D[0-5]", two) and last:
            return f"~{last}"
        if two == "cv" and (to := _CONVERTED.get(self._rest()[:1])):
            self._at += 1
            return f"operator {to}"
        if two not in _OPERATORS:
            raise _Other
        word = _OPERATORS[two]
        return f"operator {word}" if word[0].isalpha() else f"operator{word}"

    def _arguments(self) -> None:
        """Pass over template arguments, behind their `I`."""
        depth = 1
        while depth:
            rest = self._rest()
            if not rest:
                raise _Other
            if rest[0] == "E":
                depth -= 1
                self._at += 1
            elif rest.startswith("L"):
                self._literal()
            elif rest[0] in _OPENING or rest.startswith(("Dt", "DT", "Ul")):
                depth += 1
                self._at += 1 if rest[0] in _OPENING else 2
            elif rest[0].isdigit():
                self._source_name()
            elif found := _SUBSTITUTION.match(rest) or _PARAMETER.match(rest):
                self._at += found.end()
            else:
                self._at += 1

    def _literal(self) -> None:
        """`Lb1E`, `LN3c1010ScalarTypeE6E`, `L_Z…E`: a type, and digits that are no length."""
        self._at += 1
        if self._skips("_"):
            self._arguments_of_function()
            return
        if self._skips("N"):
            self._arguments()
        elif self._rest()[:1].isdigit():
            self._source_name()
        else:
            found = _SUBSTITUTION.match(self._rest())
            self._at += found.end() if found else 1
            if self._rest()[:1].isdigit() and found and found[0] == "St":
                self._source_name()
        end = self._text.find("E", self._at)
        if end < 0:
            raise _Other
        self._at = end + 1

    def _arguments_of_function(self) -> None:
        self._expect("Z")
        self._arguments()

    def _rest(self) -> str:
        return self._text[self._at :]

    def _skips(self, sign: str) -> bool:
        if self._text.startswith(sign, self._at):
            self._at += len(sign)
            return True
        return False

    def _expect(self, sign: str) -> None:
        if not self._skips(sign):
            raise _Other
