"""Function schemas, as native_functions.yaml and TORCH_LIBRARY write them.

A parsed schema prints back to the text it was read from (white space between tokens
normalised), so nothing that stands in the source can be lost on the way to the tables.
The rules are those of `torchgen/model.py` (`FunctionSchema`, `Arguments`, `Argument`,
`Return`, `Annotation`); the accepted types are wider, since schemas of other namespaces use
all of the JIT's (`torch/csrc/jit/frontend/function_schema_parser.cpp`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

_OPENING = "([{"
_CLOSING = ")]}"
_ALIAS = re.compile(r"^(Tensor|[A-Za-z_][\w.]*)(.*?)\(([^()]*)\)(.*)$")
_IDENTIFIER = re.compile(r"^[A-Za-z_]\w*$")
_AUGMENTED = frozenset("add sub mul div mod pow lshift rshift and xor or".split())


class SchemaError(ValueError):
    """A text is no function schema; the message says what is wrong with it."""


class SchemaKind(Enum):
    """How a schema treats its arguments (`torchgen/model.py`, `FunctionSchema.kind`)."""

    FUNCTIONAL = "functional"
    INPLACE = "inplace"
    OUT = "out"
    MUTABLE = "mutable"
    SCRATCH = "scratch"


def _outside_quotes(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """The positions and characters that stand outside quoted strings."""
    quote = ""
    escaped = False
    for at in range(start, len(text)):
        char = text[at]
        if quote:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        else:
            yield at, char


def split_top_level(text: str, separator: str = ",") -> list[str]:
    """Split at separators that stand outside brackets and quotes.

    Args:
        text: any text; unbalanced closing brackets are taken as they come.
        separator: one character.

    Returns:
        The stripped parts; none for blank text.
    """
    parts: list[str] = []
    depth = start = 0
    for at, char in _outside_quotes(text):
        if char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == separator and depth <= 0:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    if last or parts:
        parts.append(last)
    return parts


@dataclass(frozen=True)
class AnnotatedType:
    """A type as written, with its alias annotation if it has one.

    Args:
        type: without the annotation: `Tensor[]?`.
        annotation: what stands in the parentheses: `a!`, `a -> *`, or None.
        suffix: how much of `type` stands behind the annotation: `Tensor(a!)[]` has `[]`.
    """

    type: str
    annotation: str | None = None
    suffix: str = ""

    @staticmethod
    def parse(text: str) -> AnnotatedType:
        """Read `text`: `Tensor(a!)?`. A parenthesised tuple or generic type has no annotation."""
        match = _ALIAS.match(text)
        if match is None or not _is_annotation(match[3]):
            return AnnotatedType(text)
        return AnnotatedType(match[1] + match[2] + match[4], match[3], match[4])

    def __str__(self) -> str:
        if self.annotation is None:
            return self.type
        head = self.type[: len(self.type) - len(self.suffix)] if self.suffix else self.type
        return f"{head}({self.annotation}){self.suffix}"

    @property
    def is_write(self) -> bool:
        """Whether the value is written to."""
        return self.annotation is not None and "!" in self.annotation

    @property
    def alias_set(self) -> tuple[str, ...]:
        """The alias names before an arrow: `a! -> b|c` has `a`."""
        if self.annotation is None:
            return ()
        return tuple(self.annotation.split("->")[0].replace("!", "").strip().split("|"))

    @property
    def base(self) -> str:
        """The innermost type: that of `SymInt[2]?` is `SymInt`."""
        return re.sub(r"(\[\d*\]|\?)+$", "", self.type)

    def plain(self) -> AnnotatedType:
        """The same type without its annotation."""
        return AnnotatedType(self.type)


def _is_annotation(text: str) -> bool:
    return re.fullmatch(r"(\*|\w(\|\w)*!?|\w!?\s*->\s*(\*|\w(\|\w)*))!?", text.strip()) is not None


@dataclass(frozen=True)
class Argument:
    """One argument of a schema, in schema order.

    Args:
        name: `...` for any number more.
        type: with its annotation.
        default: as written, or None.
        kwarg_only: it stands behind the `*`.
    """

    name: str
    type: AnnotatedType
    default: str | None = None
    kwarg_only: bool = False

    @staticmethod
    def parse(text: str, *, kwarg_only: bool = False) -> Argument:
        """Read an argument; the rules are those of `torchgen/model.py`, `Argument.parse`.

        Args:
            text: `Tensor(a!) self`, `float eps=1e-05` or `...`, on one line.
            kwarg_only: it stands behind the `*`.

        Raises:
            SchemaError: there is no type or no name.
        """
        if text == "...":
            return Argument("...", AnnotatedType(""), None, kwarg_only)
        declaration, default = _split_default(text)
        at = _last_space(declaration)
        if at < 0:
            raise SchemaError(f"argument without a type or a name: {text!r}")
        name = declaration[at + 1 :].strip()
        if not _IDENTIFIER.match(name):
            raise SchemaError(f"illegal argument name {name!r} in {text!r}")
        return Argument(name, AnnotatedType.parse(declaration[:at].strip()), default, kwarg_only)

    def __str__(self) -> str:
        if self.name == "...":
            return "..."
        default = "" if self.default is None else f"={self.default}"
        return f"{self.type} {self.name}{default}"

    @property
    def is_out(self) -> bool:
        """An out argument is keyword-only and written to (note [is_out_fn])."""
        return self.kwarg_only and self.type.is_write

    def plain(self) -> Argument:
        """The same argument without its alias annotation."""
        return replace(self, type=self.type.plain())


@dataclass(frozen=True)
class Return:
    """One return of a schema.

    Args:
        type: with its annotation.
        name: None where it has none.
    """

    type: AnnotatedType
    name: str | None = None

    @staticmethod
    def parse(text: str) -> Return:
        """Read `text`: `Tensor(a!)` or `Tensor values` (`torchgen/model.py`, `Return.parse`)."""
        at = _last_space(text)
        if at >= 0 and _IDENTIFIER.match(text[at + 1 :]):
            return Return(AnnotatedType.parse(text[:at].strip()), text[at + 1 :])
        return Return(AnnotatedType.parse(text))

    def __str__(self) -> str:
        return f"{self.type} {self.name}" if self.name else str(self.type)


def _split_default(text: str) -> tuple[str, str | None]:
    parts = split_top_level(text, "=")
    if len(parts) < 2:
        return text.strip(), None
    return parts[0], text[text.index("=", len(parts[0])) + 1 :].strip()


def _last_space(text: str) -> int:
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        char = text[at]
        if char in _CLOSING:
            depth += 1
        elif char in _OPENING:
            depth -= 1
        elif char.isspace() and depth == 0:
            return at
    return -1


@dataclass(frozen=True)
class FunctionSchema:
    """A whole schema: `add.out(Tensor self, …, *, Tensor(a!) out) -> Tensor(a!)`.

    Args:
        namespace: what stands before `::`, or an empty text.
        base: the operator's name without namespace and overload (`add_`).
        overload: behind the dot, or an empty text.
        arguments: in their order.
        returns: in their order.
    """

    namespace: str
    base: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]

    @staticmethod
    def parse(text: str) -> FunctionSchema:
        """Read a schema.

        Raises:
            SchemaError: the text has no `name(arguments) -> returns`, or an argument is wrong.
        """
        opening = text.find("(")
        closing = _matching_parenthesis(text, opening)
        arrow = text.find("->", closing) if closing >= 0 else -1
        if opening <= 0 or arrow < 0 or text[closing + 1 : arrow].strip():
            raise SchemaError(f"no `name(arguments) -> returns` in {text!r}")
        namespace, base, overload = parse_operator_name(text[:opening].strip())
        return FunctionSchema(
            namespace,
            base,
            overload,
            _parse_arguments(text[opening + 1 : closing]),
            _parse_returns(text[arrow + 2 :].strip()),
        )

    def __str__(self) -> str:
        returns = ", ".join(map(str, self.returns))
        if len(self.returns) != 1:
            returns = f"({returns})"
        return f"{self.qualified_name}({self.argument_text}) -> {returns}"

    @property
    def argument_text(self) -> str:
        """The arguments as they are printed, with the `*` before the keyword-only ones."""
        texts: list[str] = []
        for at, argument in enumerate(self.arguments):
            if argument.kwarg_only and (at == 0 or not self.arguments[at - 1].kwarg_only):
                texts.append("*")
            texts.append(str(argument))
        return ", ".join(texts)

    @property
    def name(self) -> str:
        """`add.out`; without a dot where the overload is empty."""
        return f"{self.base}.{self.overload}" if self.overload else self.base

    @property
    def qualified_name(self) -> str:
        """The name with its namespace, where the schema gave one."""
        return f"{self.namespace}::{self.name}" if self.namespace else self.name

    @property
    def out_arguments(self) -> tuple[Argument, ...]:
        """The keyword-only arguments that are written to."""
        return tuple(a for a in self.arguments if a.is_out)

    @cached_property
    def self_argument(self) -> Argument | None:
        """The first positional argument called `self`, or None."""
        return next((a for a in self.arguments if a.name == "self" and not a.kwarg_only), None)

    @property
    def is_inplace(self) -> bool:
        """Whether the name says so: `add_`, `__iadd__`."""
        dunder = re.match(r"^__([^_]+)__$", self.base)
        if dunder:
            return dunder[1][:1] == "i" and dunder[1][1:] in _AUGMENTED
        return self.base.endswith("_")

    @cached_property
    def kind(self) -> SchemaKind:
        """See `SchemaKind`; in-place and out come before mutable."""
        if self.is_inplace:
            return SchemaKind.INPLACE
        if self.out_arguments:
            scratch = any(a.name.startswith("_scratch_") for a in self.out_arguments)
            return SchemaKind.SCRATCH if scratch else SchemaKind.OUT
        writes = (a for a in self.arguments if not a.kwarg_only and a.type.is_write)
        if any(a is not self.self_argument for a in writes):
            return SchemaKind.MUTABLE
        return SchemaKind.FUNCTIONAL

    @property
    def has_symint(self) -> bool:
        """Whether an argument other than out takes a symbolic integer."""
        return any(a.type.base == "SymInt" for a in self.arguments if not a.is_out)


def _matching_parenthesis(text: str, opening: int) -> int:
    depth = 0
    for at, char in _outside_quotes(text, max(opening, 0)):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return at
    return -1


def parse_operator_name(text: str) -> tuple[str, str, str]:
    """Split `text` into namespace, base and overload, which may be empty but for the base: `aten::add.Tensor`.

    Raises:
        SchemaError: there is no base name, or white space or a bracket in it.
    """
    namespace, _, name = text.rpartition("::")
    base, _, overload = name.partition(".")
    if not base or re.search(r"[\s()]", text):
        raise SchemaError(f"no operator name: {text!r}")
    return namespace, base, overload


def _parse_arguments(text: str) -> tuple[Argument, ...]:
    arguments: list[Argument] = []
    kwarg_only = False
    for part in split_top_level(text):
        if part == "*":
            if kwarg_only:
                raise SchemaError("`*` stands twice among the arguments")
            kwarg_only = True
        else:
            arguments.append(Argument.parse(" ".join(part.split()), kwarg_only=kwarg_only))
    return tuple(arguments)


def _parse_returns(text: str) -> tuple[Return, ...]:
    if (
        text.startswith("(")
        and text.endswith(")")
        and _matching_parenthesis(text, 0) == (len(text) - 1)
    ):
        text = text[1:-1]
        if not text.strip():
            return ()
    if not text:
        raise SchemaError("nothing stands behind `->`")
    return tuple(Return.parse(" ".join(part.split())) for part in split_top_level(text))
