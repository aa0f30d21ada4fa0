"""Which Python object a C++ variable stands for, within one function: modules, classes, parameters."""

from __future__ import annotations

import re

from indexer.extract.cpp.lexical import arguments, next_code, squeezed
from indexer.extract.cpp.scopes import Scope

_CAST = re.compile(
    rb"\s*(?:(?:py|pybind11)::)?(?:handle|cast\s*<[^;()]*>|reinterpret_borrow\s*<[^;()]*>|reinterpret_steal\s*<[^;()]*>"
    rb"|THPObjectPtr|object|module_?|static_cast\s*<[^;()]*>|\(\s*PyObject\s*\*\s*\))\s*[({]?\s*(?P<inner>[A-Za-z_]\w*)\s*(?:\.ptr\(\))?\s*[)},;.]"
)
_IMPORT = re.compile(
    rb'(?:import_?|PyImport_ImportModule|PyImport_AddModule|PyModule_New)\s*\(\s*"'
)
_CREATE = re.compile(rb"PyModule_Create\w*\s*\(\s*&?\s*([\w:]+)")
_SUBMODULE = re.compile(rb"\s*([A-Za-z_]\w*)\s*\.\s*def_submodule\s*\(")
_CALL = re.compile(rb"\s*([A-Za-z_][\w:]*)\s*\(\s*\)\s*;")
LAST_WORD = re.compile(rb"([A-Za-z_]\w*)\s*(?:=.*)?$", re.DOTALL)
"""The name of a parameter, whose default may stand behind it."""
_MACRO = re.compile(rb"[A-Za-z_]\w*")
_LITERAL = re.compile(rb'"((?:[^"\\\n]|\\.)*)"')
_PLAIN = re.compile(rb"\s*([A-Za-z_]\w*)\s*(?:\.ptr\(\))?\s*;")


class Variables:
    """The variables of a file's functions, in the order of the text.

    Args:
        path: of the file.
        data: the file's bytes.
        text: the same, blanked.
    """

    def __init__(self, path: str, data: bytes, text: bytes) -> None:
        self.path = path
        self.data = data
        self.text = text
        self._known: dict[tuple[int, str], str] = {}
        self._parameters: dict[int, list[bytes]] = {}

    def assign(self, scope: Scope, name: str, node: str) -> None:
        """From here on, a variable is what a node names.

        Args:
            scope: of the place; what is assigned is known in its function alone, or outside of all functions.
            name: of the variable.
            node: as `node` gives it.
        """
        self._known[(scope.function_open, name)] = node

    def parameters(self, scope: Scope) -> list[str]:
        """The names of the parameters of the function around `scope`; "" for those without one.

        Of a macro's use (`TORCH_LIBRARY(ns, m)`) its arguments as they are written; an empty list outside of functions.
        """
        if "(" in scope.function:  # a macro's use: its arguments are the only names
            return [squeezed(declared) for declared in self.declarations(scope)]
        words = (LAST_WORD.search(declared) for declared in self.declarations(scope))
        return [word.group(1).decode() if word else "" for word in words]

    def declarations(self, scope: Scope) -> list[bytes]:
        """The parameters of the function around `scope`, as declared; an empty list outside of functions."""
        if scope.function_start < 0:
            return []
        if scope.function_open not in self._parameters:
            self._parameters[scope.function_open] = self._read_parameters(scope)
        return self._parameters[scope.function_open]

    def _read_parameters(self, scope: Scope) -> list[bytes]:
        head = self.text[scope.function_start : scope.function_open]
        name = scope.function.split("(")[0].rsplit("::", 1)[-1].encode()
        at = head.find(name)
        while at >= 0:
            opening = next_code(head, at + len(name))
            before = head[at - 1 : at]
            if head[opening : opening + 1] == b"(" and not before.isalnum() and before != b"_":
                listed = arguments(self.text, scope.function_start + opening)
                return [self.text[item.start : item.end] for item in listed]
            at = head.find(name, at + 1)
        return []

    def node(self, scope: Scope, name: str) -> str:
        """What a variable stands for at this point of the reading.

        Args:
            scope: of the place.
            name: of the variable.

        Returns:
            `py:` and a module of Python; `library:` and a namespace; `arg:` and a function's qualified name with the
            0-based number of its parameter behind a `#`; `def:` with path and name of a module's definition; `call:`
            and a function; each with a member's dotted rest behind it. "" where that is not known.
        """
        known = self._known.get((scope.function_open, name))
        if known is not None:
            return known
        parameters = self.parameters(scope)
        if name in parameters and name:
            if scope.function.startswith("PYBIND11_MODULE("):
                return f"py:{parameters[0]}" if parameters.index(name) else ""
            if scope.function.startswith(("TORCH_LIBRARY", "STABLE_TORCH_LIBRARY")):
                return f"library:{parameters[0]}"
            return f"arg:{scope.qualified}#{parameters.index(name)}"
        return self._known.get((-1, name), "")

    def literal(self, at: int, *, with_macros: bool = False) -> str:
        """The string literal that starts at or after `at`, with those that directly follow it.

        Args:
            at: offset in the file.
            with_macros: a macro's name that follows one is kept, in braces: `"torch._C." THPStorageBaseStr`.
        """
        pieces: list[bytes] = []
        while True:
            at = next_code(self.text, at)  # a comment may stand before it
            match = _LITERAL.match(self.data, at) if self.text[at : at + 1] == b'"' else None
            if match is not None:
                pieces.append(match.group(1))
            elif with_macros and pieces and (match := _MACRO.match(self.text, at)) is not None:
                pieces.append(b"{%b}" % match.group())
            else:
                return b"".join(pieces).decode("utf-8", "replace")
            at = match.end()

    def expression(self, scope: Scope, at: int) -> str:
        """The node that an initialiser makes.

        Args:
            scope: of the place.
            at: offset where the expression begins.

        Returns:
            As `node`; "" where it makes none.
        """
        text = self.text
        if (submodule := _SUBMODULE.match(text, at)) is not None:
            parent = self.node(scope, submodule.group(1).decode())
            name = self.literal(submodule.end())
            return joined(parent, name) if parent and name else ""
        end = text.find(b";", at)
        if end < 0:
            end = len(text)
        if (imported := _IMPORT.search(text, at, end)) is not None:
            return f"py:{self.literal(imported.end() - 1)}"
        if (created := _CREATE.search(text, at, end)) is not None:
            return f"def:{self.path}:{created.group(1).decode()}"
        if (cast := _CAST.match(text, at, end + 1)) is not None:
            return self.node(scope, cast.group("inner").decode())
        if (plain := _PLAIN.match(text, at, end + 1)) is not None:
            return self.node(scope, plain.group(1).decode())
        if (call := _CALL.match(text, at, end + 1)) is not None:
            return f"call:{call.group(1).decode()}"
        return ""


def joined(node: str, name: str) -> str:
    """The node of a member, or of a submodule: other nodes than Python's carry the dotted rest behind a `|`.

    Args:
        node: of its owner, as `Variables.node` gives it.
        name: of the member.
    """
    return f"{node}.{name}" if "|" in node or node.startswith("py:") else f"{node}|{name}"
