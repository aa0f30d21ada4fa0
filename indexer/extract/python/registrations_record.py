"""What the calls of one Python file have registered so far.

The rules are those of `torch/_library/custom_ops.py` (`CustomOpDef._register_to_dispatcher`), `torch/library.py`
(`register_fake` and its neighbours) and `torch/_decomp/__init__.py` (`_add_op_to_registry`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from indexer.extract.python.registrations_builtins import leaves
from indexer.extract.python.registrations_values import (
    UNKNOWN,
    CustomOp,
    Function,
    LibraryValue,
    Partial,
    Pending,
    Ref,
    SchemaValue,
)
from indexer.facts.decomposition_tables import GLOBAL_TABLE
from indexer.facts.registrations import KernelForm, Registration, RegistrationKind
from indexer.facts.schema import FunctionSchema, SchemaError

OPS = "torch.ops."
HIGHER_ORDER = "higher_order"
"""The namespace of higher-order operators (torch/_ops.py, `HigherOrderOperator.__init__`)."""
_HIGHER_ORDER = re.compile(r"torch\._higher_order_ops\.[\w.]+$")
DECOMPOSITION_TABLES = {
    "torch._decomp.meta_table": "meta",
    "torch._decomp.decomposition_table": "post_autograd",
    "torch._decomp.pre_autograd_decomposition_table": "pre_autograd",
}
_DISPATCH_KEY = re.compile(r"(?:^|\.)DispatchKey\.(\w+)$")
_TABLE_KEY = re.compile(r"(?:^|\.)(TransformType\.\w+|\w+(?:Mode|Tensor))$")
# torch/library.py, `_device_type_to_key`, asks torch._C._dispatch_key_for_device, whose names are those of
# c10/core/DeviceType.cpp in capitals but for these (c10/core/DispatchKey.h, C10_FORALL_BACKEND_COMPONENTS).
_DEVICE_KEYS = {"lazy": "Lazy", "meta": "Meta", "privateuseone": "PrivateUse1"}
_DEFAULT = "CompositeExplicitAutograd"
# What makes the kernels that nobody hands over (torch/_library/custom_ops.py, `CustomOpDef._register_to_dispatcher`):
# `autograd_impl = autograd.make_autograd_impl(self._opoverload, self)`, and one of its own that counts versions up. Its
# `fake_impl` computes nothing: it says that no fake kernel was registered.
_MADE = {
    "Autograd": "torch._library.autograd.make_autograd_impl",
    "ADInplaceOrView": "torch._library.custom_ops.CustomOpDef._register_to_dispatcher",
}


def device_key(device: str) -> str:
    """The dispatch key of a device type; `default` is CompositeExplicitAutograd (`_device_type_to_key`)."""
    return _DEFAULT if device == "default" else _DEVICE_KEYS.get(device, device.upper())


def operator_of(value: Any) -> tuple[str, bool] | None:
    """The operator that `value` names, and whether it is a packet of overloads; None where it names none."""
    if isinstance(value, str):
        return (value, False) if "::" in value else None
    if isinstance(value, CustomOp):
        return value.operator, False
    if not isinstance(value, Ref) or not value.path.startswith(OPS):
        return None
    parts = value.path[len(OPS) :].split(".")
    if len(parts) == 2:
        # A higher-order operator has no overloads (torch/_ops.py, HigherOrderOperator).
        return f"{parts[0]}::{parts[1]}", parts[0] != HIGHER_ORDER
    if len(parts) == 3:
        overload = "" if parts[2] == "default" else f".{parts[2]}"
        return f"{parts[0]}::{parts[1]}{overload}", False
    return None


def object_of(value: Any) -> tuple[str, bool] | None:
    """The object of another file that a value names and a higher-order operator may be: the link step knows whose.

    Returns:
        its dotted name in the operator's place, as `operator_of` gives that.
    """
    if isinstance(value, Ref) and _HIGHER_ORDER.match(value.path):
        return value.path, False
    return None


class Recorder:
    """Collects registrations.

    Args:
        path: the file.
        module: its dotted name.
    """

    def __init__(self, path: str, module: str) -> None:
        self.path = path
        self._home = path
        """Where the libraries stand; `path` is that of the use when a helper is followed."""
        self.module = module
        self.found: list[Registration] = []
        self.libraries: list[LibraryValue] = []
        self.without_meta: list[Any] = []
        """The operators whose decompositions are to become no Meta kernels."""
        self.schemas: dict[str, SchemaValue] = {}
        self.within: Callable[[], str] = lambda: ""
        self.repeats: Callable[[], bool] = lambda: False
        """Whether what is being followed was followed before, and has registered what it does."""
        self.nested: Callable[[], bool] = lambda: True
        """Whether a function of the file is being followed."""
        self.foreign: list[tuple[str, tuple[Any, ...], dict[str, Any], Any, int]] = []
        """Calls of other files' functions with a function: callee, arguments, keywords, function, line."""

    def complete(self, pending: Pending, arguments: tuple[Any, ...]) -> Any:
        """Give a registration that waits its kernel.

        Args:
            pending: what a call gave that is to be called itself, as a decorator is.
            arguments: that it is called with; the first is the kernel.

        Returns:
            What that call returns: the kernel, but the operator for `custom_op`, and UNKNOWN where nobody knows.
        """
        kernel = arguments[0] if arguments else UNKNOWN
        values, line = pending.arguments, pending.line
        if pending.call == "foreign":
            if not isinstance(kernel, Function):
                return kernel if isinstance(kernel, Ref) else UNKNOWN
            self.foreign.append((values[0], values[1], pending.keywords, kernel, line))
        elif pending.call == "impl":
            operator, packet, key, block = values
            self.emit("impl", operator, key, kernel, line, block, packet=packet, via="impl")
        elif pending.call == "impl_keys":
            operator, packet, keys, block = values
            for key in keys:
                self.emit("impl", operator, key, kernel, line, block, packet=packet, via="impl")
        elif pending.call == "py_impl":
            operator, packet, key = values
            self.emit("impl", operator, key, kernel, line, 0, packet=packet, via="py_impl")
        elif pending.call == "decomposition":
            for leaf in leaves(values[0]):
                self.to_table(
                    Ref(f"torch._decomp.global_decomposition_table[{values[1]}]"),
                    leaf,
                    kernel,
                    line,
                )
        elif pending.call == "custom_op":
            return self._custom_op_defined(pending, kernel)
        elif pending.call != "ignored":
            self._registered(pending, kernel)
        return kernel

    def _registered(self, pending: Pending, kernel: Any) -> None:
        operator = operator_of(pending.arguments[0])
        if operator is None:
            return
        _, device, block = pending.arguments
        via = pending.call
        keys: list[str] = []
        if via == "register_fake":
            keys = ["Meta"]
        elif via == "register_autograd":
            keys = ["Autograd"]
        elif via == "register_vmap":
            keys = ["FuncTorchBatched"]
        elif via == "register_torch_dispatch":
            keys = ["Python"]
        elif via == "register_kernel":
            devices = device if isinstance(device, (list, tuple)) else [device or "default"]
            keys = [device_key(d) for d in devices if isinstance(d, str)]
        for key in keys:
            self.emit(
                "impl", operator[0], key, kernel, pending.line, block, packet=operator[1], via=via
            )

    def _custom_op_defined(self, pending: Pending, kernel: Any) -> CustomOp:
        """A definition and the kernels that go with it (`CustomOpDef._register_to_dispatcher`)."""
        name, schema, devices = pending.arguments
        line = pending.line
        op = CustomOp(name, line)
        self.emit(
            "def",
            name,
            "",
            None,
            line,
            line,
            schema=schema,
            tags=pending.keywords.get("tags"),
            via="custom_op",
        )
        listed = devices if isinstance(devices, (list, tuple)) else [devices or "default"]
        for device in listed:
            if isinstance(device, str):
                self.emit("impl", name, device_key(device), kernel, line, line, via="custom_op")
        writes = name in self.schemas and self.schemas[name].attribute("is_mutable") is True
        keys = ("Autograd", "Meta", "ADInplaceOrView") if writes else ("Autograd", "Meta")
        for key in keys:
            made = Pending("foreign", (_MADE[key], ()), {}, line) if key in _MADE else None
            self.emit("impl", name, key, made, line, line, via="custom_op")
        return op

    # Facts

    @staticmethod
    def key(value: Any) -> str:
        """The dispatch key that a value names; "" if it names none."""
        if isinstance(value, Ref):
            found = _DISPATCH_KEY.search(value.path)
            return found[1] if found else ""
        return value if isinstance(value, str) else ""

    @classmethod
    def table_key(cls, value: Any) -> str:
        """The key that `value`, the argument of `py_impl`, names; "" if it names none.

        It is a dispatch key, a mode, a class of tensors or a transform of functorch. The last three have tables
        of their own (torch/_ops.py, `OperatorBase.py_impl`) and are named as there: `FakeTensorMode`, `NestedTensor`,
        `TransformType.Vmap`.
        """
        found = _TABLE_KEY.search(value.path) if isinstance(value, Ref) else None
        return found[1] if found else cls.key(value)

    def kernel(self, value: Any) -> tuple[str, KernelForm]:
        """The function that a value is, by its dotted name ("" where it has none), and its form."""
        while isinstance(value, Partial):
            value = value.callee
        if isinstance(value, Function):
            if value.name == "<lambda>":
                return "", "lambda"
            return f"{value.module or self.module}.{value.shown or value.name}", "function"
        if isinstance(value, Ref):
            through = value.path == "torch.library.fallthrough_kernel"
            return value.path, "fallthrough" if through else "function"
        if isinstance(value, Pending) and value.call == "foreign":
            return value.arguments[0], "unknown"  # what another file's function makes
        return "", "unknown"

    def emit(
        self,
        kind: RegistrationKind,
        operator: str,
        key: str,
        kernel: Any,
        line: int,
        block: int,
        *,
        packet: bool = False,
        schema: str = "",
        tags: Any = None,
        via: str = "Library",
        condition: str = "",
    ) -> None:
        """Keep one registration, unless what is followed was followed before.

        Args:
            kind: see `RegistrationKind`.
            operator: `ns::base.overload`; "" for a fallback.
            key: the dispatch key; "" for a definition.
            kernel: as a value of the file.
            line: 1-based, of the statement.
            block: the 1-based line of its `Library`; 0 where it has none.
            packet: it holds for all the operator's overloads.
            schema: of a definition, as written; "" where none is.
            tags: of a definition, as a value of the file.
            via: what `Registration.expression` is to say.
            condition: further than that a function has to run.
        """
        if self.repeats():
            return
        if schema:
            parsed = parsed_schema(schema)
            if isinstance(parsed, SchemaValue):
                self.schemas[operator] = parsed
        name, form = self.kernel(kernel)
        while isinstance(kernel, Partial):
            kernel = kernel.callee
        defined = kernel if isinstance(kernel, Function) and kernel.line else None
        listed = tags if isinstance(tags, (list, tuple)) else [tags]
        within = self.within()
        self.found.append(
            Registration(
                kind=kind,
                operator=operator,
                key=key,
                kernel=name,
                form=form,
                expression=via,
                scope=(self.module,),
                path=self.path,
                line=line,
                block_path=self._home if block and block != line else self.path,
                block_line=block or line,
                block_kind="torch.library",
                condition=", ".join(
                    filter(None, (f"when {within}() runs" if within else "", condition))
                ),
                origin="python",
                schema=schema,
                tags=tuple(t.path.rsplit(".", 1)[-1] for t in listed if isinstance(t, Ref)),
                all_overloads=packet,
                kernel_path=(defined.path or self._home) if defined else "",
                kernel_line=defined.line if defined else 0,
            )
        )

    def to_table(self, registry: Any, operator: Any, kernel: Any, line: int) -> None:
        """Keep an entry of a table that becomes Meta kernels (torch/_decomp/__init__.py, `_add_op_to_registry`).

        Args:
            registry: the table, as a value of the file; nothing is kept of what is none of them.
            operator: as a value of the file.
            kernel: as a value of the file.
            line: 1-based, of the statement.
        """
        if not isinstance(registry, Ref) or isinstance(operator, str):
            return
        found = GLOBAL_TABLE.match(registry.path)
        table = found[1] if found else DECOMPOSITION_TABLES.get(registry.path)
        named = operator_of(operator) or object_of(operator)
        if table and named is not None:
            self.emit(
                "impl", named[0], "Meta", kernel, line, 0, packet=named[1], via=f"table:{table}"
            )


def parsed_schema(schema: str) -> Any:
    """A schema's text as a value; UNKNOWN if it is none."""
    try:
        return SchemaValue(FunctionSchema.parse(schema))
    except SchemaError:
        return UNKNOWN
