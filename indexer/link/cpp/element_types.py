"""Whether parameters of two functions of one name can be the same: `Vectorized<float>` is no `Vectorized<c10::qint32>`.

The same template with other arguments is another type ([temp.type]); so is what another class template makes. What a
template's parameter or an alias stands for is not known to the text, and may be anything.
"""

from __future__ import annotations

import re
import sqlite3

from indexer.extract.cpp.parameters import OWN_NAME, parameters_of, split_parameters

_DROPPED = re.compile(r"\b(?:const|volatile|struct|class|typename)\b|[&*\s]")
_TEMPLATE = re.compile(r"(?:::)?((?:\w+::)*\w+)<(.*)>$")
_PARAMETER = re.compile(r"\b(?:typename|class)\s*(?:\.\.\.\s*)?(\w+)")
# By their sizes on the platforms that PyTorch is built for.
_BUILT_IN = {
    "bool": "bool", "float": "float", "double": "double", "char": "char",
    "int": "int32_t", "int32_t": "int32_t", "uint32_t": "uint32_t", "unsigned": "uint32_t",
    "unsignedint": "uint32_t", "short": "int16_t", "int16_t": "int16_t", "uint16_t": "uint16_t",
    "unsignedshort": "uint16_t", "int8_t": "int8_t", "signedchar": "int8_t",
    "uint8_t": "uint8_t", "unsignedchar": "uint8_t", "long": "int64_t", "longlong": "int64_t",
    "int64_t": "int64_t", "uint64_t": "uint64_t", "unsignedlong": "uint64_t",
    "unsignedlonglong": "uint64_t",
}  # fmt: skip


class ElementTypes:
    """Compares parameters, by the classes that the tree has.

    Args:
        conn: a database that holds classes.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        # What is called by one letter is mostly a template's parameter, whatever else has the name.
        self._classes = {
            last
            for (name,) in conn.execute("SELECT DISTINCT name FROM cpp_classes")
            if len(last := name.rpartition("::")[2]) > 1
        }

    def takes_others(self, one: str, one_s_name: str, other: str, other_s_name: str) -> bool:
        """Whether some parameter of one function can not be that of another; false where that cannot be told.

        Args:
            one: the head of a function.
            one_s_name: its qualified name.
            other: the head of another.
            other_s_name: the qualified name of that.
        """
        taken = parameters_of(one, one_s_name), parameters_of(other, other_s_name)
        if taken[0] is None or taken[1] is None:
            return False
        open_names = {name for text in (one, other) for name in _PARAMETER.findall(text)}
        return any(
            self._are_others(_plain(a), _plain(b), open_names)
            for a, b in zip(taken[0], taken[1], strict=False)
        )

    def _are_others(self, one: str, other: str, open_names: set[str]) -> bool:
        of_one, of_other = _TEMPLATE.match(one), _TEMPLATE.match(other)
        if of_one is None or of_other is None:
            return False
        names = [match[1].rpartition("::")[2] for match in (of_one, of_other)]
        if names[0] != names[1]:
            return self._classes.issuperset(names) and open_names.isdisjoint(names)
        arguments = [split_parameters(match[2]) for match in (of_one, of_other)]
        return any(
            self._are_other_elements("".join(a.split()), "".join(b.split()), open_names)
            for a, b in zip(*arguments, strict=False)
        )

    def _are_other_elements(self, one: str, other: str, open_names: set[str]) -> bool:
        if "<" in one or "<" in other:
            return self._are_others(one, other, open_names)
        kinds = [self._known(text, open_names) for text in (one, other)]
        return None not in kinds and kinds[0] != kinds[1]

    def _known(self, text: str, open_names: set[str]) -> str | None:
        """A type by the name that it has everywhere; None of what may be any."""
        last = text.rpartition("::")[2]
        if last in open_names:
            return None
        return _BUILT_IN.get(text.removeprefix("std::")) or (
            last if last in self._classes else None
        )


def _plain(parameter: str) -> str:
    return _DROPPED.sub("", OWN_NAME.sub(r"\1", parameter))
