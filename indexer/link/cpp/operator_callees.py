"""Which operators may a call in C++ mean that is named like one?"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from indexer.extract.cpp.handles import HANDLE_TYPE
from indexer.link.cpp.call_resolver import MAYBE
from indexer.link.cpp.file_scope import OF_C
from indexer.link.cpp.operator_overloads import Overloads
from indexer.link.cpp.tensor_types import TensorTypes

_SCOPES = frozenset(
    ("at", "torch", "at::symint", "at::cpu", "at::cuda", "at::mps", "at::meta",
     "at::compositeexplicitautograd", "at::compositeexplicitautogradnonfunctional",
     "at::compositeimplicitautograd")
)  # fmt: skip
"""Namespaces that the generator puts functions called like operators into (torchgen/gen.py); `torch` uses all of `at`
(torch/csrc/api/include/torch/types.h) and has factories of its own."""


class Meant(NamedTuple):
    """The operators of a call.

    Args:
        operators: ids of the overloads; none where it is no operator's.
        is_sure: whether it is a call of the one overload.
        is_handle: whether it asks the dispatcher for the handle of it.
    """

    operators: tuple[int, ...] = ()
    is_sure: bool = False
    is_handle: bool = False


_NONE = Meant()


class OperatorCallees:
    """What tells which operators a row of `operator_calls` means.

    Args:
        conn: a database with operators, arguments, functions, classes and usings.
        few: whether little will be asked.
    """

    def __init__(self, conn: sqlite3.Connection, *, few: bool = False) -> None:
        self._overloads = Overloads(conn)
        self._named = _names(conn)
        self._types = TensorTypes(conn, few=few)
        # Those that use all of `at`.
        self._at_files = {
            file_id
            for (file_id,) in conn.execute(
                "SELECT DISTINCT file_id FROM cpp_usings WHERE keyword = 'using'"
                " AND text IN ('namespace at', 'namespace torch')"
            )
        }

    def of(
        self,
        caller: str,
        file_id: int,
        callee: str,
        receiver: str | None,
        is_member: int,
        arguments: int | None,
    ) -> Meant:
        """The operators that a call may mean.

        Args:
            caller: the qualified name of the function that it stands in.
            file_id: of the file that it stands in.
            callee: as in `operator_calls`.
            receiver: the same.
            is_member: the same.
            arguments: the same.
        """
        if "_ops::" in callee or (receiver == HANDLE_TYPE and not is_member):
            struct = (
                callee.rpartition("::")[0].rpartition("_ops::")[2] if "_ops::" in callee else ""
            )
            operator = self._named.get(f"_ops::{struct}" if struct else callee)
            return _NONE if operator is None else Meant((operator,), True, not struct)
        if is_member:
            sure = self._types.is_tensor(receiver)
            if not sure and (
                receiver is not None or self._types.is_common(callee, is_member == MAYBE)
            ):
                return _NONE
            found = self._overloads.of_method(callee, arguments)
            return Meant(tuple(found), sure and is_member != MAYBE and len(found) == 1)
        scope, _, last = callee.rpartition("::")
        scope = scope.removeprefix("::")
        sure = True
        if scope == "at::redispatch":
            found = self._overloads.of_redispatch(last, arguments)
        elif scope in _SCOPES:
            found = self._overloads.of_function(last, arguments)
            found = found or self._overloads.of_function(last, None)
        elif not callee.startswith("::") and not scope and self._sees_at(caller, file_id):
            found = self._overloads.of_function(last, arguments)
            sure = last not in OF_C  # `floor(x)` of a number is C's
        else:
            return _NONE
        return Meant(tuple(found), sure and len(found) == 1)

    def _sees_at(self, caller: str, file_id: int) -> bool:
        """Whether a bare name in a function is looked up in `at`, too."""
        return caller.startswith(("at::", "torch::")) or file_id in self._at_files


def _names(conn: sqlite3.Connection) -> dict[str, int]:
    """Operators by their full names, and by their structs' (torchgen/model.py, OperatorName.unambiguous_name)."""
    found: dict[str, int] = {}
    for operator, name, namespace, base, overload in conn.execute(
        "SELECT id, name, namespace, base, overload FROM operators ORDER BY origin = 'library', id"
    ):
        found.setdefault(name, operator)
        if namespace == "aten":
            found.setdefault(f"_ops::{base}_{overload}" if overload else f"_ops::{base}", operator)
    return found
