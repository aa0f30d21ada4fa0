"""The headers that protoc makes from the tree's .proto files, as far as a parser must see them.

Written by the rules of protobuf's C++ generated code (https://protobuf.dev/reference/cpp/cpp-generated/) for what old
trees use of proto2: messages, enums, optional, required and repeated fields. Nothing of it can run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = "caffe2/proto"

_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|[\w.+-]+|[{}\[\]();=,<>]", re.DOTALL)
_SCALARS = {
    "double": "double", "float": "float", "bool": "bool", "string": "std::string", "bytes": "std::string",
    "int32": "::google::protobuf::int32", "sint32": "::google::protobuf::int32",
    "int64": "::google::protobuf::int64", "sint64": "::google::protobuf::int64",
    "uint32": "::google::protobuf::uint32", "fixed32": "::google::protobuf::uint32",
    "uint64": "::google::protobuf::uint64", "fixed64": "::google::protobuf::uint64",
}  # fmt: skip
_AHEAD = 4  # how far a statement is looked ahead in what may be cut off
_LABELS = ("optional", "required", "repeated")
_KEYWORDS = frozenset(
    (
        "class",
        "default",
        "delete",
        "export",
        "namespace",
        "operator",
        "private",
        "public",
        "template",
    )
)
_HEAD = """#pragma once
#include <string>
#include <google/protobuf/message.h>
#include <google/protobuf/repeated_field.h>
"""


@dataclass
class _Enum:
    name: str
    scope: tuple[str, ...]
    values: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class _Message:
    name: str
    scope: tuple[str, ...]
    fields: list[tuple[str, str, str]] = field(default_factory=list)
    enums: list[_Enum] = field(default_factory=list)
    messages: list[_Message] = field(default_factory=list)


def templates(root: Path) -> list[Path]:
    """The .proto files, sorted, of the tree `root` that its C++ includes the headers of."""
    return sorted((root / FOLDER).glob("*.proto"))


def write_headers(root: Path, target: Path) -> None:
    """Write the headers of a tree's .proto files below a folder.

    Args:
        root: the tree.
        target: the folder of generated headers.
    """
    for source in templates(root):
        text = source.read_text(encoding="utf-8", errors="replace")
        header = (target / source.relative_to(root)).with_suffix(".pb.h")
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(header_of(text), encoding="utf-8")


def header_of(text: str) -> str:
    """The header of one .proto file.

    Args:
        text: of the file; what is no message, enum, import or package is passed over.
    """
    tokens = [t for t in _TOKEN.findall(text) if not t.startswith(("//", "/*"))]
    tokens += [""] * _AHEAD
    top = _Message("", ())
    imports: list[str] = []
    package = ""
    position = 0
    while position < len(tokens) - _AHEAD:
        word = tokens[position]
        if word in ("message", "enum") and position + 2 < len(tokens):
            position = _block(tokens, position, top)
        else:
            end = _after(tokens, position, ";")
            if word == "import":
                imports.append(tokens[end - 2].strip('"'))
            elif word == "package":
                package = tokens[position + 1]
            position = end
    lines = [_HEAD.rstrip(), *(f'#include "{n.removesuffix(".proto")}.pb.h"' for n in imports)]
    spaces = package.split(".") if package else []
    lines += [f"namespace {space} {{" for space in spaces]
    every = list(_messages(top))
    lines += [f"class {_joined(m.scope, m.name)};" for m in every]
    for enum in [*top.enums, *(enum for m in every for enum in m.enums)]:
        lines += _enum(enum)
    known = {(*m.scope, m.name) for m in every}
    enums = {(*e.scope, e.name) for m in (top, *every) for e in m.enums}
    for message in reversed(every):
        lines += _class(message, known, enums)
    lines += ["}" for _ in spaces]
    return "\n".join(lines) + "\n"


def _after(tokens: list[str], position: int, end: str) -> int:
    """Behind the next token of a kind, outside of braces that open before it."""
    depth = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth <= 0:
                return position
        elif token == end and not depth:
            return position
    return position


def _block(tokens: list[str], position: int, outer: _Message) -> int:
    """Read a message or an enum; its place in the file's tokens is given and what follows it returned."""
    scope = (*outer.scope, outer.name) if outer.name else ()
    kind, name = tokens[position], tokens[position + 1]
    end = _after(tokens, position, "")
    at = position + 3
    if kind == "enum":
        enum = _Enum(name, scope)
        outer.enums.append(enum)
        while at < end - 1:
            if tokens[at + 1] == "=" and tokens[at] != "option":
                enum.values.append((tokens[at], tokens[at + 2]))
            at = _after(tokens, at, ";")
        return end
    message = _Message(name, scope)
    outer.messages.append(message)
    while at < end - 1:
        if tokens[at] in ("message", "enum"):
            at = _block(tokens, at, message)
            continue
        if tokens[at] in _LABELS and tokens[at + 3] == "=":
            message.fields.append((tokens[at], tokens[at + 1], tokens[at + 2]))
        at = _after(tokens, at, ";")
    return end


def _messages(top: _Message) -> Iterator[_Message]:
    for message in top.messages:
        yield message
        yield from _messages(message)


def _joined(scope: tuple[str, ...], name: str) -> str:
    return "_".join((*scope, name))


def _enum(enum: _Enum) -> Iterator[str]:
    name = _joined(enum.scope, enum.name)
    prefix = f"{name}_" if enum.scope else ""
    values = ", ".join(f"{prefix}{value} = {number}" for value, number in enum.values)
    yield f"enum {name} : int {{ {values} }};"
    if enum.values:
        yield f"constexpr {name} {name}_MIN = {prefix}{enum.values[0][0]}, {name}_MAX = {prefix}{enum.values[-1][0]};"
    yield f"constexpr int {name}_ARRAYSIZE = {len(enum.values)};"
    yield f"bool {name}_IsValid(int value); const std::string& {name}_Name(int value);"
    yield f"bool {name}_Parse(const std::string& text, {name}* value);"


def _class(
    message: _Message, known: set[tuple[str, ...]], enums: set[tuple[str, ...]]
) -> Iterator[str]:
    name = _joined(message.scope, message.name)
    yield f"class {name} : public ::google::protobuf::Message {{"
    yield " public:"
    yield f"  static const {name}& default_instance(); void Swap({name}*);"
    yield f"  void CopyFrom(const {name}&); void MergeFrom(const {name}&);"
    own = (*message.scope, message.name)
    for inner in message.messages:
        yield f"  typedef {_joined(inner.scope, inner.name)} {inner.name};"
    for enum in message.enums:
        full = _joined(enum.scope, enum.name)
        yield f"  typedef {full} {enum.name};"
        for value, _ in enum.values:
            yield f"  static constexpr {enum.name} {value} = {full}_{value};"
        yield f"  static bool {enum.name}_IsValid(int value); static const std::string& {enum.name}_Name(int value);"
        yield f"  static bool {enum.name}_Parse(const std::string& text, {enum.name}* value);"
        yield f"  static constexpr int {enum.name}_ARRAYSIZE = {len(enum.values)};"
    for label, type_, field_ in message.fields:
        shown = field_.lower() + ("_" if field_ in _KEYWORDS else "")
        yield "  " + _accessors(label, type_, shown, own, known, enums)
    yield "};"


def _accessors(
    label: str,
    type_: str,
    name: str,
    scope: tuple[str, ...],
    known: set[tuple[str, ...]],
    enums: set[tuple[str, ...]],
) -> str:
    written = tuple(type_.split("."))
    around = next(
        (scope[:n] for n in range(len(scope), -1, -1) if (*scope[:n], *written) in known | enums),
        None,
    )
    if type_ in _SCALARS:
        cpp, is_message = _SCALARS[type_], False
    elif around is not None:
        cpp = "_".join((*around, *written))
        is_message = (*around, *written) in known
    else:  # Of another file: a message, of the same package unless it says so.
        cpp, is_message = "::".join(written), True
    clear = f"void clear_{name}();"
    if label == "repeated":
        wide = is_message or cpp == "std::string"
        held = cpp if wide or type_ in _SCALARS else "int"
        list_ = f"::google::protobuf::Repeated{'Ptr' if wide else ''}Field<{held}>"
        both = f"const {list_}& {name}() const; {list_}* mutable_{name}(); int {name}_size() const; {clear}"
        if is_message:
            return f"{both} const {cpp}& {name}(int) const; {cpp}* mutable_{name}(int); {cpp}* add_{name}();"
        if wide:
            return (
                f"{both} const {cpp}& {name}(int) const; {cpp}* mutable_{name}(int); {cpp}* add_{name}();"
                f" template <class... T> void add_{name}(T&&...); template <class... T> void set_{name}(int, T&&...);"
            )
        return (
            f"{both} {cpp} {name}(int) const; void set_{name}(int, {cpp}); void add_{name}({cpp});"
        )
    one = f"bool has_{name}() const; {clear}"
    if is_message:
        return (
            f"{one} const {cpp}& {name}() const; {cpp}* mutable_{name}(); {cpp}* release_{name}();"
            f" void set_allocated_{name}({cpp}*);"
        )
    if cpp == "std::string":
        return (
            f"{one} const {cpp}& {name}() const; {cpp}* mutable_{name}(); {cpp}* release_{name}();"
            f" template <class... T> void set_{name}(T&&...); void set_allocated_{name}({cpp}*);"
        )
    return f"{one} {cpp} {name}() const; void set_{name}({cpp});"
