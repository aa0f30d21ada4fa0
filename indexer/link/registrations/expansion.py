"""From the blocks as they stand to the registering calls in them: macros expanded, helper functions followed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from indexer.extract.cpp.preprocess import MacroDefinition, MacroTable, expand
from indexer.extract.cpp.registrations_blocks import CONSTRUCT, read_construct
from indexer.extract.cpp.registrations_text import split_arguments, split_statements
from indexer.extract.cpp.tokens import closing
from indexer.facts.registrations import (
    DispatchKeyAlias,
    Registration,
    RegistrationBlock,
    RegistrationStatement,
    UnreadRegistration,
)
from indexer.link.registrations.calls import CallReader, Use
from indexer.workers import Shared, WorkerPool

# The API's own words: the reader knows what they mean and need not see what they are made of.
_API = (
    "TORCH_LIBRARY", "TORCH_LIBRARY_FRAGMENT", "TORCH_LIBRARY_IMPL", "MAKE_TORCH_LIBRARY", "MAKE_TORCH_LIBRARY_IMPL",
    "STABLE_TORCH_LIBRARY", "STABLE_TORCH_LIBRARY_FRAGMENT", "STABLE_TORCH_LIBRARY_IMPL",
    "TORCH_FN", "TORCH_FN_TYPE", "TORCH_BOX", "TORCH_SELECTIVE_NAME", "TORCH_SELECTIVE_SCHEMA",
)  # fmt: skip
_KEEP = {word: MacroDefinition(word, None, word) for word in _API}
_WORD = re.compile(r"[A-Za-z_]\w*")
_CHAINED = re.compile(r"\s*\.\s*([A-Za-z_]\w*)\s*\(")
_OPERATOR = re.compile(r"\b(?:Operator(?:Generator(?:Args)?)?|op)\s*\(")
# What torch::Library's methods return the library from (torch/library.h), so that a chain goes on.
_LIBRARY_METHODS = frozenset(
    ("def", "impl", "fallback", "set_python_module", "impl_abstract_pystub")
)
_MAX_DEPTH = 8


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
        self.call_reader = CallReader(aliases)
        self.functions = functions

    def read(self, block: RegistrationBlock) -> Iterator[Registration | UnreadRegistration]:
        """The registrations that a block makes, in the order of its statements."""
        if block.kind == "function":
            return  # read where it is called
        variable = block.variable
        for statement in block.statements:
            condition = " && ".join(c for c in (block.condition, statement.condition) if c)
            use = Use(
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

    def _expand(self, text: str, use: Use) -> str:
        if not any(word in self.macros and word not in _KEEP for word in _WORD.findall(text)):
            return text
        return expand(text, self.macros, use.path, use.line, _KEEP)

    def _blocks(
        self, statement: RegistrationStatement, use: Use
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

    def _statement(self, text: str, use: Use) -> Iterator[Registration | UnreadRegistration]:
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
        self, text: str, use: Use, receiver: re.Pattern[str], passed: re.Pattern[str]
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
                yield self.call_reader.library(
                    found[1], split_arguments(text[found.end() : stop]), use
                )
            following = _CHAINED.match(text, stop + 1) if found[1] in _LIBRARY_METHODS else None
            found = following if following is not None else receiver.search(text, stop)

    def _function(
        self, block: RegistrationBlock, use: Use
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

    def _operators(
        self, statement: RegistrationStatement, use: Use
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
                yield self.call_reader.torchscript(arguments, use)
            else:
                yield from self.call_reader.op(arguments, use)


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
    """In a worker: what some blocks register.

    Args:
        task: the reader, and the blocks.
    """
    shared, blocks = task
    reader = shared.get()
    return [found for block in blocks for found in reader.read(block)]
