"""Which C++ types are tensors, and which methods say nothing about their object's type."""

from __future__ import annotations

import sqlite3

_TENSORS = frozenset(("Tensor", "at::Tensor", "torch::Tensor", "c10::Tensor", "::at::Tensor"))

_STANDARD = frozenset(
    "append assign at back begin c_str capacity cbegin cend clear compare contains copy count data"
    " emplace emplace_back empty end erase exchange extract fill find first front get index insert items"
    " join keys last length load lock max max_size merge min move name numel open pop pop_back pop_front"
    " push push_back range rank read remove reserve reset resize reverse second seek set size sort splice"
    " split stat store str stride strides substr swap to top type unique unlock value values view wait"
    " write".split()
)
"""Methods that containers, strings, streams and locks of the standard library, and tensors' accessors, have too."""

_METHODS = (
    "SELECT DISTINCT name FROM functions WHERE kind = 'method'"
    " AND name NOT GLOB 'at::Tensor::*' AND name NOT GLOB 'at::TensorBase::*'"
)


class TensorTypes:
    """What is written where a tensor's type is meant.

    Args:
        conn: a database with functions, classes and usings.
        few: whether little will be asked: names of methods are looked up one by one then.
    """

    def __init__(self, conn: sqlite3.Connection, *, few: bool = False) -> None:
        classes = {name for (name,) in conn.execute("SELECT name FROM cpp_classes")}
        aliases = [
            (alias.strip(), target.strip().removeprefix("const "))
            for text, scope in conn.execute(
                "SELECT text, scope FROM cpp_usings WHERE keyword = 'using' AND instr(text, ' = ')"
            )
            # A class's own type names, such as value_type, mean another thing in each.
            if scope not in classes
            for alias, _, target in (text.partition(" = "),)
        ]
        self._names = set(_TENSORS)
        while True:
            found = {alias for alias, target in aliases if target in self._names} - self._names
            if not found:
                break
            self._names |= found
        self._conn = conn if few else None
        self._known: dict[str, bool] = {}
        self._methods = (
            set() if few else {name.rpartition("::")[2] for (name,) in conn.execute(_METHODS)}
        )

    def is_tensor(self, receiver: str | None) -> bool:
        """Whether a receiver's type, as written, is a tensor."""
        if receiver is None:
            return False
        return receiver in self._names or receiver.rpartition("::")[2] in self._names - {"Tensor"}

    def is_common(self, method: str, are_known: bool = False) -> bool:
        """Whether objects of other classes have a method of this name.

        Args:
            method: its name.
            are_known: those of the tree are known not to matter.
        """
        if are_known or method in _STANDARD:
            return method in _STANDARD
        return method in self._methods or self._is_method(method)

    def _is_method(self, method: str) -> bool:
        if self._conn is None:
            return False
        if method not in self._known:
            rows = self._conn.execute(f"{_METHODS} AND last = ? COLLATE NOCASE", (method,))
            self._known[method] = any(name.rpartition("::")[2] == method for (name,) in rows)
        return self._known[method]
