"""What one registering call says: the operator, key, kernel and schema of its arguments.

The calls are `def`, `impl` and `fallback` of `torch::Library`, `.op(…)` of `RegisterOperators`, and TorchScript's
`Operator(…)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from indexer.extract.cpp.registrations_text import split_arguments, string_value, template_end
from indexer.extract.cpp.tokens import closing
from indexer.facts.registrations import (
    Origin,
    Registration,
    RegistrationBlock,
    RegistrationKind,
    UnreadRegistration,
)
from indexer.link.registrations.kernels import Kernel, read_kernel

_CATCH_ALL = "CompositeImplicitAutograd"
_NO_KERNEL = Kernel("", "unknown")

# One tag, a list, or what holds one: `{at::Tag::core}`, `std::vector<at::Tag>{…}` (torch/csrc/stable/library.h).
_TAGS = re.compile(r"\{|(?:at::)?Tag::\w+$|tags\w*$|(?:std::)?vector\s*<\s*(?:at::)?Tag\s*>")


class Use(NamedTuple):
    """What a statement is read with.

    Args:
        block: that it stands in.
        namespace: of the operators, as in `RegistrationBlock`.
        key: the dispatch key, as there.
        variable: what the library is called, as there.
        line: of the statement, 1-based.
        path: of its file.
        condition: of the `#if`s around it.
        origin: macro, where an expansion has it.
        depth: how many macros and functions have led here.
    """

    block: RegistrationBlock
    namespace: str
    key: str
    variable: str
    line: int
    path: str
    condition: str
    origin: Origin
    depth: int


def qualified(namespace: str, name: str) -> str:
    """`ns::name`, unless the name says its namespace itself."""
    return name if "::" in name or not namespace else f"{namespace}::{name}"


class CallReader:
    """Reads the arguments of calls into registrations.

    Args:
        aliases: second names of dispatch keys.
    """

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self.aliases = aliases

    def key(self, written: str) -> str:
        """The runtime's name of the key `written`.

        `CatchAll` is no key of its own: `Library` turns it into none (aten/src/ATen/core/library.cpp), and what
        is registered without a key is registered for the alias CompositeImplicitAutograd
        (aten/src/ATen/core/dispatch/OperatorEntry.cpp, `registerKernel`). A device stands for its key, `c10::kCUDA`
        too (torch/library.h, `dispatch`).
        """
        if written in ("", "CatchAll"):
            return _CATCH_ALL
        if written[0] == "k" and written[1:2].isupper():
            written = written[1:]
        return self.aliases.get(written, written)

    @staticmethod
    def _make(
        use: Use,
        kind: RegistrationKind,
        operator: str,
        key: str,
        kernel: Kernel = _NO_KERNEL,
        expression: str = "",
        schema: str = "",
        tags: tuple[str, ...] = (),
    ) -> Registration:
        return Registration(
            kind=kind,
            operator=operator,
            key=key,
            kernel=kernel.name,
            form=kernel.form,
            expression=expression,
            scope=use.block.scope,
            path=use.path,
            line=use.line,
            block_path=use.block.path,
            block_line=use.block.line,
            block_kind=use.block.kind,
            condition=use.condition,
            origin=use.origin,
            schema=schema,
            tags=tags,
        )

    def library(
        self, method: str, arguments: list[str], use: Use
    ) -> Registration | UnreadRegistration:
        """`m.def(…)`, `m.impl(…)`, `m.fallback(…)`.

        Args:
            method: which of these.
            arguments: as written, macros expanded.
            use: the statement that it is.
        """
        if method == "fallback":
            expression = arguments[0] if arguments else ""
            kernel = read_kernel(expression)
            key = self.key(kernel.key or use.key)
            return self._make(
                use, "fallback", operator="", key=key, kernel=kernel, expression=expression
            )
        text = string_value(arguments[0]) if arguments else None
        if text is None:
            shown = arguments[0] if arguments else ""
            return UnreadRegistration(
                use.path, use.line, f"{method} of a computed name: {shown[:120]}"
            )
        if method == "def":
            return self._definition(text, arguments[1:], use)
        expression = arguments[-1] if len(arguments) > 1 else ""
        kernel = read_kernel(expression)
        written = kernel.key or (arguments[1] if len(arguments) > 2 else "") or use.key
        return self._make(
            use,
            "impl",
            operator=qualified(use.namespace, text.strip()),
            key=self.key(written.rsplit("::", 1)[-1].strip(") ")),
            kernel=kernel,
            expression=expression,
        )

    def _definition(self, text: str, rest: list[str], use: Use) -> Registration:
        """`def("schema")`, `def("schema", kernel)`, `def("name", kernel)`, each with tags or without."""
        tags: list[str] = []
        expression = ""
        for argument in rest:
            if _TAGS.match(argument):
                tags.extend(re.findall(r"Tag::(\w+)", argument))
            elif not expression:
                expression = argument
        schema = text.strip() if "(" in text else ""
        operator = qualified(use.namespace, text.split("(")[0].strip())
        if schema:
            schema = operator + schema[schema.index("(") :]
        kernel = read_kernel(expression) if expression else _NO_KERNEL
        return self._make(
            use,
            "def",
            operator=operator,
            key=self.key(kernel.key or use.key) if expression else "",
            kernel=kernel,
            expression=expression,
            schema=schema,
            tags=tuple(tags),
        )

    def torchscript(self, arguments: list[str], use: Use) -> Registration | UnreadRegistration:
        """`Operator(…)`, `OperatorGenerator(…)`, `OperatorGeneratorArgs(…)`: schema or symbol, then the kernel.

        Args:
            arguments: as written, macros expanded; one at least.
            use: the statement that it is.
        """
        first = arguments[0]
        symbol = re.fullmatch(r"(?:c10::|jit::)?((?:prim|aten|onnx|fb|attr)::\w+)", first)
        text = symbol[1] if symbol else string_value(first)
        if text is None:
            return UnreadRegistration(
                use.path, use.line, f"operator of a computed name: {first[:120]}"
            )
        kernel = read_kernel(arguments[1]) if len(arguments) > 1 else _NO_KERNEL
        return self._make(
            use,
            "jit",
            operator=text.split("(")[0].strip(),
            key="",
            kernel=kernel,
            expression=arguments[1] if len(arguments) > 1 else "",
            schema=text.strip() if "(" in text else "",
        )

    def op(self, arguments: list[str], use: Use) -> Iterator[Registration | UnreadRegistration]:
        """`.op("schema", options or kernel)`, `.op(options().schema("…").kernel<…>(key))`.

        Args:
            arguments: as written, macros expanded; one at least.
            use: the statement that it is.
        """
        text = (
            string_value(arguments[0])
            if arguments[0].lstrip().startswith(('"', "R", "TORCH"))
            else None
        )
        options = arguments[1] if len(arguments) > 1 else ""
        if text is None:
            options = arguments[0]
            found = re.search(r"\.\s*schema\s*\(", options)
            if found is not None:
                text = string_value(options[found.end() : closing(options, found.end() - 1)])
        if text is None:
            yield UnreadRegistration(
                use.path, use.line, f"op of a computed name: {arguments[0][:120]}"
            )
            return
        schema = text.strip() if "(" in text else ""
        operator = text.split("(")[0].strip()
        yield self._make(use, "def", operator=operator, key="", schema=schema)
        position, chained = 0, False
        kernel_call = re.compile(r"\.\s*((?:catchAll)?[kK]ernel)\b")
        while (found := kernel_call.search(options, position)) is not None:
            chained = True
            opening = options.find("(", found.end())
            # `kernel<decltype(f), &f>(key)`: the bracket that counts is behind the template's.
            angle = options.find("<", found.end())
            template = ""
            if angle >= 0 and not options[found.end() : angle].strip():
                end = template_end(options, angle)
                if end < 0:
                    break
                template = options[angle + 1 : end]
                opening = options.find("(", end)
            if opening < 0:
                break
            position = closing(options, opening)
            call = split_arguments(options[opening + 1 : position])
            key = call.pop(0).rsplit("::", 1)[-1] if found[1] == "kernel" and call else ""
            expression = call[0] if call and not template else template
            if template:
                parts = split_arguments(template)
                expression = next(
                    (p for p in reversed(parts) if p.startswith("&")), parts[0] if parts else ""
                )
            yield self._make(
                use, "impl", operator=operator, key=self.key(key), kernel=read_kernel(expression),
                expression=expression,
            )  # fmt: skip
        if options and not chained and "options" not in options:
            yield self._make(
                use, "impl", operator=operator, key=_CATCH_ALL, kernel=read_kernel(options),
                expression=options,
            )  # fmt: skip
