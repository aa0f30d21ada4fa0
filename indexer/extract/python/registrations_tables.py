"""What fills the tables that an operator has in Python, and the higher-order operators that have no others.

The rules are those of `torch/_ops.py` (`OperatorBase`, `HigherOrderOperator`) and, for the kernels that a DSL puts
before a backend's own, of `torch/_native/registry.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from indexer.extract.python.registrations_record import (
    HIGHER_ORDER,
    OPS,
    Recorder,
    object_of,
    operator_of,
)
from indexer.extract.python.registrations_values import UNKNOWN, Pending, Ref

TABLES: dict[str, tuple[str, ...]] = {
    "py_impl": (),
    "fallthrough": (),
    "py_autograd_impl": ("Autograd",),
    "py_functionalize_impl": (
        "Functionalize",
        "FunctionalTensorMode",
        "TransformType.Functionalize",
    ),
}
"""What puts kernels into an operator's tables in Python, with the keys where the call does not name one."""
_CLASSES = ("HigherOrderOperator", "PyOperator")


class OperatorTables(Recorder):
    """Collects what goes into such tables.

    Args:
        path: the file.
        module: its dotted name.
        higher_order: names of the higher-order operators that the file makes, by the name of their class.
    """

    def __init__(
        self, path: str, module: str, higher_order: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(path, module)
        self.higher_order = higher_order or {}

    def made_operator(self, path: str, arguments: tuple[Any, ...]) -> Ref | None:
        """The operator that a call of a class makes; None where it makes none.

        Args:
            path: dotted name of what is called.
            arguments: of the call.
        """
        owner, _, last = path.rpartition(".")
        if last in self.higher_order and f"{owner}.".startswith(f"{self.module}."):
            return Ref(f"{OPS}{HIGHER_ORDER}.{self.higher_order[last]}")
        if last in _CLASSES and arguments and isinstance(arguments[0], str):
            return Ref(f"{OPS}{HIGHER_ORDER}.{arguments[0]}")
        return None

    def into_tables(self, owner: str, name: str, arguments: tuple[Any, ...], line: int) -> Any:
        """Keep a kernel for one of an operator's own tables in Python.

        The rules are those of `torch/_ops.py`: `OperatorBase.py_impl`, `py_functionalize_impl`, `py_autograd_impl` and
        `HigherOrderOperator.fallthrough`.

        Args:
            owner: dotted path of the operator.
            name: of the method that is called.
            arguments: the values given by their order.
            line: 1-based, of the call.

        Returns:
            What the method gives: a decorator that waits for `py_impl`, else the kernel; UNKNOWN where nobody knows.
        """
        operator = operator_of(Ref(owner)) or object_of(Ref(owner))
        if operator is None or not arguments:
            return UNKNOWN
        if name == "py_impl":
            key = self.table_key(arguments[0])
            return Pending("py_impl", (*operator, key), {}, line) if key else UNKNOWN
        if name == "fallthrough":
            kernel: Any = Ref("torch.library.fallthrough_kernel")
            keys = [self.key(arguments[0])]
        else:
            kernel = arguments[0]
            keys = [*TABLES[name]]
        for key in filter(None, keys):
            self.emit("impl", operator[0], key, kernel, line, 0, packet=operator[1], via="py_impl")
        return kernel

    def override(
        self, module: str, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> None:
        """Keep a kernel of a DSL (Triton, CuTe) that takes the calls that a predicate accepts from the backend's own.

        The rules are those of `torch/_native/registry.py`, `register_op_override`; the DSLs' modules beside it
        offer the same without the first argument, the name of the DSL.

        Args:
            module: dotted name of the one whose function is called.
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the call.
        """
        names = ["backend", "lib_symbol", "op_symbol", "dispatch_key", "cond", "impl"]
        if module != "torch._native.registry":
            names.remove("backend")
        given = {**dict(zip(names, arguments, strict=False)), **keywords}
        namespace, operator, key = (
            given.get(n) for n in ("lib_symbol", "op_symbol", "dispatch_key")
        )
        if isinstance(namespace, str) and isinstance(operator, str) and self.key(key):
            accepts = self.kernel(given.get("cond"))[0].rpartition(".")[2]
            self.emit(
                "impl",
                f"{namespace}::{operator}",
                self.key(key),
                given.get("impl"),
                line,
                0,
                via="register_op_override",
                condition=""
                if given.get("unconditional_override") is True
                else f"for calls that {accepts or 'its predicate'}() accepts",
            )


def is_higher_order(value: Any) -> bool:
    """Whether a value is a higher-order operator of the file."""
    return isinstance(value, Ref) and value.path.startswith(f"{OPS}{HIGHER_ORDER}.")
