"""Macro definitions: read from a file, kept by name; `preprocess.py` expands them."""

from __future__ import annotations

import re
from collections.abc import Iterable, KeysView

from indexer.facts.cpp import SOURCE_SUFFIXES, MacroDefinition

_DEFINE = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)(\(([^()\n]*(?:\\\r?\n[^()\n]*)*)\))?")
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|R"(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)"'
    r'|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\''
    r"|[A-Za-z_]\w*|\.?[0-9](?:[eEpP][+-]|[\w.]|'[0-9a-fA-F])*"
    r"|\s+|<<<|>>>|::|->\*?|\.\.\.|[-+*/%&|^!=<>]=|&&|\|\||\+\+|--|##|.",
    re.DOTALL,
)
SPACE = " "


def tokenize(text: str) -> list[str]:
    """Split C++ text into preprocessing tokens.

    Args:
        text: without directives, comments or not.

    Returns:
        The tokens, with one `SPACE` for comments and white space between two of them, and none at the end.
    """
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token.isspace() or token.startswith(("//", "/*")):
            if tokens and tokens[-1] != SPACE:
                tokens.append(SPACE)
        else:
            tokens.append(token)
    if tokens and tokens[-1] == SPACE:
        tokens.pop()
    return tokens


def _in_line_comment(data: bytes, at: int) -> bool:
    """Whether what stands before `at` on its line is anything but white space."""
    start = data.rfind(b"\n", 0, at) + 1
    return bool(data[start:at].strip())


def parse_defines(data: bytes, path: str = "") -> list[MacroDefinition]:
    """Read every `#define` of a file, in order, whatever `#if` it stands under.

    Args:
        data: the file's bytes.
        path: what `MacroDefinition.file` becomes.
    """
    found: list[MacroDefinition] = []
    line = 1
    counted = 0
    for match in _DEFINE.finditer(data):
        start = match.start()
        if start < counted or _in_line_comment(data, start):
            continue
        line += data.count(b"\n", counted, start)
        counted = start
        end = match.end()
        stop = end
        while True:
            stop = data.find(b"\n", stop)
            if stop < 0:
                stop = len(data)
                break
            if not data[end:stop].rstrip(b"\r").endswith(b"\\"):
                break
            stop += 1
        body = data[end:stop].decode("utf-8", "replace").replace("\r\n", "\n").replace("\\\n", "\n")
        params: tuple[str, ...] | None = None
        if match.group(2) is not None:
            names = match.group(3).decode("utf-8", "replace").replace("\\", " ")
            listed = [re.sub(r"\s+", "", name) for name in names.split(",")]
            params = tuple(listed) if listed != [""] else ()
        # Without comments and literals only white space is not kept as it is.
        is_plain = "/" not in body and '"' not in body and "'" not in body
        text = " ".join(body.split()) if is_plain else "".join(tokenize(body)).strip()
        found.append(MacroDefinition(match.group(1).decode(), params, text, path, line))
    return found


_DISABLED = "DISABLED_"


class MacroTable:
    """Every known macro by its name, and which definition a use sees.

    A use sees the last definition before it in its own file; else one of a header (a source file's macros are its
    own). Of several headers the one whose folder is nearest to the use's is taken; an empty replacement (`#define
    X(...)` for another platform) only where there is no other, nor one that makes googletest leave a test out on some
    platform (`DISABLED_##x`, googletest's docs/advanced.md: Temporarily Disabling Tests).

    Args:
        definitions: in any order; the table's answers do not depend on it.
    """

    def __init__(self, definitions: Iterable[MacroDefinition]) -> None:
        self._by_name: dict[str, list[MacroDefinition]] = {}
        for definition in definitions:
            self._by_name.setdefault(definition.name, []).append(definition)
        for found in self._by_name.values():
            found.sort(key=lambda d: (d.file, d.line))
        self._seen: dict[tuple[str, str], list[MacroDefinition]] = {}
        self._tokens: dict[MacroDefinition, list[str]] = {}

    @property
    def names(self) -> KeysView[str]:
        """Of all macros."""
        return self._by_name.keys()

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __len__(self) -> int:
        return len(self._by_name)

    def definitions(self, name: str) -> list[MacroDefinition]:
        """All definitions of the macro `name`, in the order of files and lines; an empty list where there is none."""
        return self._by_name.get(name, [])

    def variants(self, name: str, file: str = "", line: int = 0) -> list[MacroDefinition]:
        """All definitions of a macro that a use may see, the likeliest first; an empty list where there is none.

        Args:
            name: the macro's name.
            file: path of the file where it is used, relative to the tree; "" if that is not known.
            line: 1-based line where it is used; 0 for the end of the file.
        """
        definitions = self._by_name.get(name)
        if definitions is None:
            return []
        own = [d for d in definitions if d.file == file and (not line or d.line <= line)]
        if own:
            return sorted(own, key=lambda d: (not d.body, -d.line))
        key = (name, file)
        found = self._seen.get(key)
        if found is None:
            found = [
                d for d in definitions if d.file != file and not d.file.endswith(SOURCE_SUFFIXES)
            ]
            if not found and not file.endswith(SOURCE_SUFFIXES):
                found = definitions.copy()  # a header may leave a macro to those who include it
            found.sort(
                key=lambda d: (
                    not d.body, -_shared_folders(d.file, file), d.file, d.body.startswith(_DISABLED), d.line,
                )
            )  # fmt: skip
            self._seen[key] = found
        return found

    def lookup(self, name: str, file: str = "", line: int = 0) -> MacroDefinition | None:
        """The definition that a use most likely sees, the first of `variants`; None where there is none.

        Args:
            name: the macro's name.
            file: path of the file where it is used, relative to the tree; "" if that is not known.
            line: 1-based line where it is used; 0 for the end of the file.
        """
        found = self.variants(name, file, line)
        return found[0] if found else None

    def body_tokens(self, definition: MacroDefinition) -> list[str]:
        """The tokens of the replacement of `definition`; the list is kept, since a macro is used many times."""
        tokens = self._tokens.get(definition)
        if tokens is None:
            tokens = self._tokens[definition] = tokenize(definition.body)
        return tokens


def _shared_folders(left: str, right: str) -> int:
    """How many leading folders two paths share."""
    shared = 0
    for a, b in zip(left.split("/")[:-1], right.split("/")[:-1], strict=False):
        if a != b:
            break
        shared += 1
    return shared
