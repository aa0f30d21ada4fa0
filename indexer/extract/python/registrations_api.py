"""What calls of torch.library and its relatives mean.

The rules are those of `torch/library.py`, `torch/_library/custom_ops.py`, `torch/_library/fake_impl.py` and
`torch/_ops.py` (`OperatorBase.py_impl`).
"""

from __future__ import annotations

import re
from typing import Any

from indexer.extract.python.registrations_record import (
    OPS,
    device_key,
    operator_of,
    parsed_schema,
)
from indexer.extract.python.registrations_tables import TABLES, OperatorTables, is_higher_order
from indexer.extract.python.registrations_values import (
    UNKNOWN,
    Bound,
    CustomOp,
    Function,
    LibraryValue,
    Pending,
    Ref,
    SchemaValue,
)

_LIBRARY = ("torch.library.Library", "torch.library._scoped_library")
_FUNCTIONS = frozenset(
    [
        "define",
        "impl",
        "_impl",
        "impl_abstract",
        "register_fake",
        "register_kernel",
        "register_autograd",
        "register_torch_dispatch",
        "register_vmap",
        "custom_op",
        "triton_op",
    ]
)
_DECOMPOSE = "torch._decomp.register_decomposition"
_ADD_TO_REGISTRY = "torch._decomp._add_op_to_registry"
_IMPLICIT = "CompositeImplicitAutograd"
_SCHEMA = re.compile(r"[\w:.]+\(.*\)\s*->", re.DOTALL)


class Api(OperatorTables):
    """Collects what the calls of one file register; see `OperatorTables` for the arguments."""

    def call(
        self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """What a call gives, after what it registers was kept; see `registrations_eval.Calls.call`.

        Args:
            callee: what is called, as a value of the file.
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the outermost call that is followed.

        Returns:
            UNKNOWN where it is none that matters.
        """
        if isinstance(callee, Pending):
            return self.complete(callee, arguments)
        if isinstance(callee, Ref):
            return self._call_ref(callee.path, arguments, keywords, line)
        if isinstance(callee, Bound):
            if isinstance(callee.owner, LibraryValue):
                return self._call_library(callee.owner, callee.name, arguments, keywords, line)
            if isinstance(callee.owner, CustomOp):
                return self._call_custom_op(callee.owner, callee.name, arguments, keywords, line)
        return UNKNOWN

    def schema(self, operator: Ref) -> Any:
        """The schema of `operator`, if it was defined in this file; UNKNOWN for others."""
        named = operator_of(operator)
        return self.schemas.get(named[0], UNKNOWN) if named is not None else UNKNOWN

    # Calls by name

    def _call_ref(
        self, path: str, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        if path in _LIBRARY:
            return self._library(arguments, keywords, line)
        module, _, last = path.rpartition(".")
        if module == "torch.library" and last in _FUNCTIONS:
            return self._function(last, arguments, keywords, line)
        if path.startswith("torch._library.custom_ops.custom_op"):
            return self._function("custom_op", arguments, keywords, line)
        if path == _DECOMPOSE:
            return self._decompose(arguments, keywords, line)
        if path == _ADD_TO_REGISTRY and len(arguments) == 3:
            self.to_table(arguments[0], arguments[1], arguments[2], line)
            return None
        if last == "register_op_override" and module.startswith("torch._native"):
            return self.override(module, arguments, keywords, line)
        if last == "get_aten_op" and len(arguments) == 2 and isinstance(arguments[1], str):
            return self._aten_op(arguments[0], arguments[1])
        if last in TABLES:
            return self.into_tables(module, last, arguments, line)
        made = self.made_operator(path, arguments)
        if made is not None:
            return made
        if last == "name" and not arguments and module.startswith(OPS):
            operator = operator_of(Ref(module))
            return operator[0] if operator is not None else UNKNOWN
        if last == "_convert_out_params" and arguments:
            return arguments[0]
        if last == "parse_schema" and arguments and isinstance(arguments[0], str):
            return parsed_schema(arguments[0])
        if last == "is_functional_schema" and arguments and isinstance(arguments[0], SchemaValue):
            return arguments[0].is_functional
        if last == "contains_tensor_types" and arguments and isinstance(arguments[0], str):
            return "Tensor" in arguments[0]  # torch/_subclasses/fake_tensor.py
        return self._foreign(path, arguments, keywords, line)

    def _foreign(
        self, path: str, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """A call of another file's function: perhaps a helper that registers, or a decorator.

        What is given a schema is followed, also where a function of this file hands it on (`make_prim` of
        torch/_inductor/inductor_prims.py to `_make_prim` of torch/_prims/__init__.py); what else is
        called within functions is not, since most of it registers nothing.
        """
        if path.startswith("torch.") and arguments and is_higher_order(arguments[0]):
            # It registers for the operator (redirect_to_mode), or makes a kernel (autograd_not_implemented).
            self.foreign.append((path, arguments, keywords, None, line))
            return Pending("foreign", (path, arguments), keywords, line)
        if self.within() or not path.startswith("torch."):
            return UNKNOWN
        if any(map(_is_schema, (*arguments, *keywords.values()))):
            self.foreign.append((path, arguments, keywords, None, line))
            return UNKNOWN
        if self.nested():
            return UNKNOWN
        if len(arguments) == 1 and not keywords and isinstance(arguments[0], Function):
            self.foreign.append((path, arguments, keywords, None, line))
            return UNKNOWN
        return Pending("foreign", (path, arguments), keywords, line)

    def _aten_op(self, function: Any, name: str) -> Ref:
        """The operator of a reference: `torch._refs.special.i0` is aten's `special_i0`.

        The rule is that of `torch/_prims_common/__init__.py`, `get_aten_op`.
        """
        module = (function.module if isinstance(function, Function) else "") or self.module
        inside = module.removeprefix("torch._refs").lstrip(".").replace(".", "_")
        prefix = f"{inside}_" if inside and module.startswith("torch._refs") else ""
        return Ref(f"{OPS}aten.{prefix}{name}")

    def _library(self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int) -> Any:
        values = list(arguments)
        for name in ("ns", "kind", "dispatch_key")[len(values) :]:
            values.append(keywords.get(name, ""))
        namespace, kind, key = values[:3]
        if not isinstance(namespace, str) or not isinstance(kind, str):
            return UNKNOWN
        library = LibraryValue(namespace, kind, key if isinstance(key, str) else "", line)
        self.libraries.append(library)
        return library

    def _function(
        self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        if name in ("custom_op", "triton_op"):
            return self._custom_op(arguments, keywords, line)
        if not arguments:
            return UNKNOWN
        library = arguments[0] if isinstance(arguments[0], LibraryValue) else keywords.get("lib")
        block = library.line if isinstance(library, LibraryValue) else line
        if name == "define":
            return self._define(arguments, keywords, line, block)
        if name in ("impl", "_impl"):
            return self._impl(arguments, keywords, line, block)
        function = {"impl_abstract": "register_fake"}.get(name, name)
        position = {"register_kernel": 2, "register_torch_dispatch": 2}.get(function, 1)
        key_word = {"register_autograd": "backward"}.get(function, "func")
        kernel = arguments[position] if len(arguments) > position else keywords.get(key_word)
        device = (
            arguments[1]
            if function == "register_kernel" and len(arguments) > 1
            else keywords.get("device_types")
        )
        pending = Pending(function, (arguments[0], device, block), {}, line)
        return pending if kernel is None else self.complete(pending, (kernel,))

    def _define(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int, block: int
    ) -> Any:
        if isinstance(arguments[0], LibraryValue):
            # A decorator that defines and implements: define(lib, schema).
            if len(arguments) > 1 and isinstance(arguments[1], str):
                library, schema = arguments[0], arguments[1]
                self._define_in(library, schema, keywords, line)
                name = schema.split("(")[0].strip()
                return Pending(
                    "impl",
                    (f"{library.namespace}::{name}", False, _IMPLICIT, library.line),
                    {},
                    line,
                )
            return UNKNOWN
        text = arguments[1] if len(arguments) > 1 else keywords.get("schema")
        if isinstance(arguments[0], str) and isinstance(text, str):
            self.emit(
                "def",
                arguments[0],
                "",
                None,
                line,
                block,
                schema=arguments[0] + text,
                tags=keywords.get("tags"),
            )
        return None

    def _impl(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int, block: int
    ) -> Any:
        if isinstance(arguments[0], LibraryValue):
            library = arguments[0]
            name = arguments[1] if len(arguments) > 1 else keywords.get("name")
            key = arguments[2] if len(arguments) > 2 else keywords.get("dispatch_key", "")
            operator = self._in_library(library, name)
            key = self.key(key) or library.key or _IMPLICIT
            return (
                Pending("impl", (*operator, key, library.line), {}, line) if operator else UNKNOWN
            )
        types = arguments[1] if len(arguments) > 1 else keywords.get("types")
        operator = operator_of(arguments[0])
        if operator is None or types is None:
            return UNKNOWN
        devices = (
            [types] if isinstance(types, str) else types if isinstance(types, (list, tuple)) else []
        )
        keys = [k for d in devices if isinstance(d, str) for k in [self._device_or_key(d)]]
        kernel = arguments[2] if len(arguments) > 2 else keywords.get("func")
        pending = Pending("impl_keys", (*operator, tuple(keys), block), {}, line)
        return pending if kernel is None else self.complete(pending, (kernel,))

    @staticmethod
    def _device_or_key(name: str) -> str:
        """`impl` takes device types; names with capitals are keys already (`torch/library.py`, `_impl`)."""
        return device_key(name) if name == name.lower() else name

    def _custom_op(self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int) -> Any:
        name = arguments[0] if arguments else keywords.get("name")
        if not isinstance(name, str) or "::" not in name:
            return UNKNOWN
        schema = keywords.get("schema")
        text = name + schema.strip() if isinstance(schema, str) else ""
        pending = Pending(
            "custom_op",
            (name, text, keywords.get("device_types")),
            {"tags": keywords.get("tags")},
            line,
        )
        kernel = arguments[1] if len(arguments) > 1 else keywords.get("fn")
        return pending if kernel is None else self.complete(pending, (kernel,))

    def _decompose(self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int) -> Any:
        registry = arguments[1] if len(arguments) > 1 else keywords.get("registry")
        if registry is not None or not arguments:
            # A table of somebody's own: no kernel of the dispatcher comes of it.
            return Pending("ignored", (), {}, line)
        if keywords.get("disable_meta") is True:
            self.without_meta.append(arguments[0])
        table = keywords.get("type", "post_autograd")
        return Pending("decomposition", (arguments[0], table), {}, line)

    # Methods

    def _in_library(self, library: LibraryValue, name: Any) -> tuple[str, bool] | None:
        if isinstance(name, str):
            return (name if "::" in name else f"{library.namespace}::{name}"), False
        named = operator_of(name)
        # An OpOverload's own name counts; Library.impl takes no packets.
        return (named[0], False) if named is not None else None

    def _define_in(
        self, library: LibraryValue, schema: str, keywords: dict[str, Any], line: int
    ) -> None:
        name = schema.split("(")[0].strip()
        full = schema.strip() if "::" in name else f"{library.namespace}::{schema.strip()}"
        operator = full.split("(")[0].strip()
        self.emit(
            "def", operator, "", None, line, library.line, schema=full, tags=keywords.get("tags")
        )

    def _define_like(
        self, library: LibraryValue, schema: Ref, keywords: dict[str, Any], line: int
    ) -> None:
        """`lib.define(torch.ops.prims.sin.schema)`: an operator with the name and schema of another.

        torch/_prims/__init__.py of 1.13, `_make_prim`, keeps the schema in that attribute; nvfuser_prims.py defines
        each of its own so.
        """
        owner, _, attribute = schema.path.rpartition(".")
        like = operator_of(Ref(owner)) if attribute == "schema" else None
        if like is not None:
            name = like[0].partition("::")[2]
            self.emit(
                "def", f"{library.namespace}::{name}", "", None, line, library.line,
                schema=f"= {like[0]}", tags=keywords.get("tags"),
            )  # fmt: skip

    def _call_library(
        self,
        library: LibraryValue,
        name: str,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        line: int,
    ) -> Any:
        if name == "define" and arguments and isinstance(arguments[0], str):
            self._define_in(library, arguments[0], keywords, line)
            return arguments[0].split("(")[0]
        if name == "define" and arguments and isinstance(arguments[0], Ref):
            self._define_like(library, arguments[0], keywords, line)
        if name in ("impl", "_register_fake"):
            operator = self._in_library(
                library, arguments[0] if arguments else keywords.get("op_name")
            )
            kernel = arguments[1] if len(arguments) > 1 else keywords.get("fn")
            written = arguments[2] if len(arguments) > 2 else keywords.get("dispatch_key", "")
            key = (
                "Meta"
                if name == "_register_fake"
                else self.key(written) or library.key or _IMPLICIT
            )
            if operator is not None:
                self.emit("impl", operator[0], key, kernel, line, library.line, via="Library")
        elif name == "fallback":
            kernel = arguments[0] if arguments else keywords.get("fn")
            written = arguments[1] if len(arguments) > 1 else keywords.get("dispatch_key", "")
            key = self.key(written) or library.key
            self.emit("fallback", "", key, kernel, line, library.line, via="Library")
        return None

    def _call_custom_op(
        self,
        op: CustomOp,
        name: str,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        line: int,
    ) -> Any:
        if name == "register_kernel":
            device = arguments[0] if arguments else keywords.get("device_types")
            kernel = arguments[1] if len(arguments) > 1 else keywords.get("fn")
            pending = Pending("register_kernel", (op, device, op.line), {}, line)
            return pending if kernel is None else self.complete(pending, (kernel,))
        if name in ("register_fake", "register_autograd", "register_vmap", "impl_abstract"):
            kernel = arguments[0] if arguments else keywords.get("backward", keywords.get("fn"))
            call = "register_fake" if name == "impl_abstract" else name
            pending = Pending(call, (op, None, op.line), {}, line)
            return pending if kernel is None else self.complete(pending, (kernel,))
        return UNKNOWN


def _is_schema(value: Any) -> bool:
    return isinstance(value, str) and _SCHEMA.match(value) is not None
