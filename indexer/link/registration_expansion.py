"""From the blocks as they stand to the registrations they make: macros expanded, names and kernels read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from indexer.extract.cpp.preprocess import MacroDefinition, MacroTable, expand
from indexer.extract.cpp.registrations_blocks import CONSTRUCT, read_construct
from indexer.extract.cpp.registrations_text import (
    closing,
    split_arguments,
    split_statements,
    string_value,
    template_end,
)
from indexer.facts.registrations import (
    DispatchKeyAlias,
    Origin,
    Registration,
    RegistrationBlock,
    RegistrationKind,
    RegistrationStatement,
    UnreadRegistration,
)
from indexer.link.registration_kernels import Kernel, read_kernel
from indexer.workers import Shared, WorkerPool

# The API's own words: the reader knows what they mean and need not see what they are made of.
_API = (
    "TORCH_LIBRARY", "TORCH_LIBRARY_FRAGMENT", "TORCH_LIBRARY_IMPL", "MAKE_TORCH_LIBRARY", "MAKE_TORCH_LIBRARY_IMPL",
    "TORCH_FN", "TORCH_FN_TYPE", "TORCH_BOX", "TORCH_SELECTIVE_NAME", "TORCH_SELECTIVE_SCHEMA",
)  # fmt: skip
_KEEP = {word: MacroDefinition(word, None, word) for word in _API}
_WORD = re.compile(r"[A-Za-z_]\w*")
_CHAINED = re.compile(r"\s*\.\s*([A-Za-z_]\w*)\s*\(")
_OPERATOR = re.compile(r"\b(?:Operator(?:Generator(?:Args)?)?|op)\s*\(")
_SELECTIVE = re.compile(r"\bTORCH_SELECTIVE_SCHEMA\s*\(")
_CATCH_ALL = "CompositeImplicitAutograd"
# What torch::Library's methods return the library from (torch/library.h), so that a chain goes on.
_LIBRARY_METHODS = frozenset(
    ("def", "impl", "fallback", "set_python_module", "impl_abstract_pystub")
)
_MAX_DEPTH = 8
_NO_KERNEL = Kernel("", "unknown")


class _Use(NamedTuple):
    """What a statement is read with."""

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


class RegistrationReader:
    """Reads blocks into registrations.

    Args:
        macros: every macro of the tree.
        aliases: second names of dispatch keys.
        functions: the blocks of kind "function", by the function's name.
    """

    def __init__(
        self,
        macros: MacroTable,
        aliases: Mapping[str, str],
        functions: Mapping[str, RegistrationBlock],
    ) -> None:
        self.macros = macros
        self.aliases = aliases
        self.functions = functions

    def key(self, written: str) -> str:
        """The runtime's name of a key.

        `CatchAll` is no key of its own: `Library` turns it into none (aten/src/ATen/core/library.cpp), and what
        is registered without a key is registered for the alias CompositeImplicitAutograd
        (aten/src/ATen/core/dispatch/OperatorEntry.cpp, `registerKernel`).
        """
        if written in ("", "CatchAll"):
            return _CATCH_ALL
        return self.aliases.get(written, written)

    def read(self, block: RegistrationBlock) -> Iterator[Registration | UnreadRegistration]:
        """The registrations that a block makes, in the order of its statements."""
        if block.kind == "function":
            return  # read where it is called
        variable = block.variable
        for statement in block.statements:
            condition = " && ".join(c for c in (block.condition, statement.condition) if c)
            use = _Use(
                block,
                block.namespace,
                block.key,
                variable,
                statement.line,
                block.path,
                condition,
                "impl",
                0,
            )
            if block.kind == "macro":
                yield from self._blocks(statement, use)
            elif block.kind == "RegisterOperators":
                yield from self._operators(statement, use)
            else:
                yield from self._statement(statement.text, use)

    def _expand(self, text: str, use: _Use) -> str:
        if not any(word in self.macros and word not in _KEEP for word in _WORD.findall(text)):
            return text
        return expand(text, self.macros, use.path, use.line, _KEEP)

    def _blocks(
        self, statement: RegistrationStatement, use: _Use
    ) -> Iterator[Registration | UnreadRegistration]:
        """Whole blocks made by a macro's use."""
        text = self._expand(statement.text, use)
        read_to = 0
        for found in CONSTRUCT.finditer(text):
            if found.start() < read_to:
                continue
            construct = read_construct(text, found, use.line)
            if construct is None:
                continue
            read_to = construct.end
            inner = use._replace(
                namespace=construct.namespace,
                key=construct.key,
                variable=construct.variable,
                origin="macro",
                depth=use.depth + 1,
            )
            for each in construct.statements:
                if construct.kind == "RegisterOperators":
                    yield from self._operators(each, inner)
                else:
                    yield from self._statement(each.text, inner)

    def _statement(self, text: str, use: _Use) -> Iterator[Registration | UnreadRegistration]:
        """The registrations of one statement: calls on the library, or a macro that makes them."""
        variable = re.escape(use.variable)
        receiver = re.compile(rf"(?<![\w.>]){variable}\s*\.\s*([A-Za-z_]\w*)\s*(?:<[^;(]*>)?\s*\(")
        passed = re.compile(rf"(?<![\w.>:])((?:\w+::)*)(\w+)\s*\([^;]*\b{variable}\b")
        expanded = self._expand(text, use)
        if receiver.search(text) is None and expanded != text and use.depth < _MAX_DEPTH:
            inner = use._replace(origin="macro", depth=use.depth + 1)
            for each in split_statements(expanded, use.line):
                yield from self._calls(each.text, inner, receiver, passed)
            return
        yield from self._calls(expanded, use, receiver, passed)

    def _calls(
        self, text: str, use: _Use, receiver: re.Pattern[str], passed: re.Pattern[str]
    ) -> Iterator[Registration | UnreadRegistration]:
        found = receiver.search(text)
        if found is None:
            function = passed.search(text)
            if function is not None and function[2] in self.functions and use.depth < _MAX_DEPTH:
                yield from self._function(self.functions[function[2]], use)
            elif "registerOperator" in text:
                yield from self._operators(RegistrationStatement(use.line, text, ""), use)
            return
        while found is not None:
            stop = closing(text, found.end() - 1)
            if found[1] in ("def", "impl", "fallback"):
                yield self._call(found[1], split_arguments(text[found.end() : stop]), use)
            following = _CHAINED.match(text, stop + 1) if found[1] in _LIBRARY_METHODS else None
            found = following if following is not None else receiver.search(text, stop)

    def _function(
        self, block: RegistrationBlock, use: _Use
    ) -> Iterator[Registration | UnreadRegistration]:
        variable = block.variable.partition(":")[2]
        for statement in block.statements:
            condition = " && ".join(c for c in (use.condition, statement.condition) if c)
            inner = use._replace(
                variable=variable,
                line=statement.line,
                path=block.path,
                condition=condition,
                depth=use.depth + 1,
            )
            yield from self._statement(statement.text, inner)

    @staticmethod
    def _make(
        use: _Use,
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

    def _call(
        self, method: str, arguments: list[str], use: _Use
    ) -> Registration | UnreadRegistration:
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

    def _definition(self, text: str, rest: list[str], use: _Use) -> Registration:
        """`def("schema")`, `def("schema", kernel)`, `def("name", kernel)`, each with tags or without."""
        tags: list[str] = []
        expression = ""
        for argument in rest:
            if argument.startswith("{") or re.fullmatch(r"(?:at::)?Tag::\w+|tags\w*", argument):
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

    def _operators(
        self, statement: RegistrationStatement, use: _Use
    ) -> Iterator[Registration | UnreadRegistration]:
        """`op(…)` of RegisterOperators and the elements of TorchScript's lists."""
        direct = _OPERATOR.match(statement.text) is not None
        text = self._expand(statement.text, use)
        use = use if direct else use._replace(origin="macro")
        read_to = -1
        for found in _OPERATOR.finditer(text):
            if found.start() < read_to:
                continue
            read_to = stop = closing(text, found.end() - 1)
            arguments = split_arguments(text[found.end() : stop])
            if not arguments:
                continue
            if found.group().startswith("Operator"):
                yield self._jit(arguments, use)
            else:
                yield from self._op(arguments, use)

    def _jit(self, arguments: list[str], use: _Use) -> Registration | UnreadRegistration:
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

    def _op(self, arguments: list[str], use: _Use) -> Iterator[Registration | UnreadRegistration]:
        """`.op("schema", options or kernel)`, `.op(options().schema("…").kernel<…>(key))`."""
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


def read_registrations(
    blocks: Iterable[RegistrationBlock],
    macros: Sequence[MacroDefinition],
    aliases: Iterable[DispatchKeyAlias],
    pool: WorkerPool,
) -> Iterator[Registration | UnreadRegistration]:
    """Everything that a tree's blocks register.

    Args:
        blocks: of all files.
        macros: of all files.
        aliases: of the dispatch keys.
        pool: whose processes expand the macros.

    Yields:
        in the order of file and line of the blocks.
    """
    ordered = sorted(blocks, key=lambda block: (block.path, block.line))
    functions: dict[str, RegistrationBlock] = {}
    for block in ordered:
        if block.kind == "function":
            functions.setdefault(block.variable.partition(":")[0], block)
    reader = pool.share(
        RegistrationReader(MacroTable(macros), {a.alias: a.key for a in aliases}, functions)
    )
    for found in pool.ordered_map(read_blocks, ((reader, chunk) for chunk in pool.chunks(ordered))):
        yield from found


def read_blocks(
    task: tuple[Shared[RegistrationReader], Sequence[RegistrationBlock]],
) -> list[Registration | UnreadRegistration]:
    """In a worker: what some blocks register."""
    shared, blocks = task
    reader = shared.get()
    return [found for block in blocks for found in reader.read(block)]
