"""What encloses an offset of a C++ file: namespaces, classes, the function, the macro definition.

Only brackets are counted, not a grammar followed, so that macros, Objective-C and CUDA do not matter. Where the
branches of an `#if` each open the same bracket, every branch starts from the state before the `#if`.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from typing import NamedTuple

from indexer.extract.cpp.characters import OPENING_BRACE
from indexer.extract.cpp.lexical import blanked, closing, template_end

_LONGEST_HEAD = 8_000  # bytes of a declaration
_TOKEN = re.compile(rb"\{|\}|#[ \t]*(\w*)[^\\\n]*(?:\\.[^\\\n]*)*", re.DOTALL)
_DIRECTIVE = re.compile(rb"^[ \t]*#[^\\\n]*(?:\\.[^\\\n]*)*", re.MULTILINE | re.DOTALL)
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)(\([^)]*\))?")
_NAMESPACE = re.compile(
    rb"\bnamespace\b\s*(?:\[\[[^\]]*\]\]\s*)?(?:[A-Z_]+\([^)]*\)\s*)?([\w:\s]*)$"
)
_CLASS = re.compile(rb"\b(?:class|struct|union|@interface|@implementation|@protocol)\b(?!\s*[,>])")
_WORDS_AFTER_PARAMETERS = re.compile(
    rb"\s*(?:$|const\b|volatile\b|noexcept\b|override\b|final\b|->|:(?!:)|&|try\b|requires\b|mutable\b|throw\b|\()"
)
_GROUP = re.compile(  # a (qualified) name with a `(` behind it
    # White space is matched in one place alone at a time: in two, a long run of it is tried in every division.
    rb"((?:::\s*)?(?:~?[A-Za-z_]\w*(?:\s*<[^<>();]*(?:<[^<>();]*>[^<>();]*)*>)?\s*::\s*)*"
    rb"(?:operator\s*(?:\(\s*\)|\[\s*\]|[^\s\w(]+|[\w:]+[\s*&]*)|~?[A-Za-z_]\w*))(?:\s*(<[^();]*>))?\s*\("
)
_ATTRIBUTE = re.compile(
    rb"^(?:__(?:launch_bounds|attribute|cluster_dims|maxnreg|align)\w*|__declspec|alignas|decltype|noexcept|throw"
    rb"|requires|explicit|sizeof|[A-Z0-9_]*LAUNCH_BOUNDS[A-Z0-9_]*|[A-Z0-9_]*ATTRIBUTE[A-Z0-9_]*)$"
)
_OBJECTIVE_C_METHOD = re.compile(rb"(?:^|\n)[-+][ \t]*\([^)]*\)\s*(\w+)")
_CONTROL = frozenset(
    (b"if", b"for", b"while", b"switch", b"catch", b"return", b"constexpr", b"defined")
)


class Scope(NamedTuple):
    """Where an offset stands.

    Args:
        namespaces: names from outside in; those without a name and `extern "C"` are left out.
        classes: the classes inside them.
        function: the enclosing function as declared (`f`, `C::f`), a macro's use that makes one (`TEST(a, b)`) as
            written, "" at namespace level.
        function_start: offset at which the text of its declaration starts, -1 without one.
        function_open: offset of its `{`, -1 without one.
        macro: name of the `#define` whose body the offset stands in, else "".
    """

    namespaces: tuple[str, ...]
    classes: tuple[str, ...]
    function: str
    function_start: int
    function_open: int
    macro: str

    @property
    def prefix(self) -> str:
        """Namespaces and classes, joined by `::`."""
        return "::".join((*self.namespaces, *self.classes))

    @property
    def qualified(self) -> str:
        """The function's qualified name; "" without a function."""
        if not self.function:
            return ""
        return f"{self.prefix}::{self.function}" if self.prefix else self.function


class Define(NamedTuple):
    """A `#define`'s extent and name; `body` is where its replacement starts."""

    start: int
    end: int
    name: str
    body: int


def strip_template(head: bytes) -> bytes:
    """A declaration without its `template <…>` and what stands before that.

    Args:
        head: of the declaration, comments and literals blanked; where a `<` does not close, it comes back as it is.
    """
    while True:
        at = head.find(b"template")
        if at < 0 or (at and (head[at - 1 : at].isalnum() or head[at - 1 : at] == b"_")):
            return head
        opening = at + 8
        while opening < len(head) and head[opening] in b" \t\r\n":
            opening += 1
        if head[opening : opening + 1] != b"<":
            return head[at + 8 :] if not head[:at].strip() else head
        end = template_end(head, opening, len(head))
        if end < 0:
            return head
        head = head[end + 1 :]


def declared_name(head: bytes) -> str:
    """The name that a function's declaration declares, as written (`f`, `C::f`, `operator()`), or "".

    Args:
        head: blanked text up to the `{` or `;`. A macro's use that makes the function gives its one argument
            (`f` for `TORCH_IMPL_FUNC(f)(…)`), or the use as written (`TEST(a, b)`).
    """
    head = strip_template(_DIRECTIVE.sub(b"", head))
    if len(head) > _LONGEST_HEAD and sum(map(len, head.split())) > _LONGEST_HEAD:
        return ""
    fallback = ""
    at = 0
    while (group := _GROUP.search(head, at)) is not None:
        opening = group.end() - 1
        end = closing(head, opening)
        if end < 0:
            break
        name = (
            b"".join(group.group(1).split())
            if b"operator" not in group.group(1)
            else group.group(1).strip()
        )
        word = name.rsplit(b"::", 1)[-1]
        at = end + 1
        if word in _CONTROL:
            return fallback
        if _ATTRIBUTE.match(word):
            continue
        rest = head[end + 1 :]
        if not _WORDS_AFTER_PARAMETERS.match(rest):
            fallback = fallback or name.decode("utf-8", "replace")
            continue
        text = re.sub(r"<.*>(?=::)", "", name.decode("utf-8", "replace"))
        before = head[: group.start()].strip()
        made = rest.lstrip()[:1] == b"(" and not text.endswith("operator()")
        if made or (not before and text.isupper() and not rest.strip()):
            inner = b" ".join(head[opening + 1 : end].split()).decode("utf-8", "replace")
            return inner if made and inner.isidentifier() else f"{text}({inner})"
        return text
    return fallback


class Scopes:
    """The bracket structure of one file, asked by offset.

    Args:
        text: blanked text.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.defines: list[Define] = []
        self._parents: list[int] = [-1]
        self._opens: list[int] = [-1]
        self._starts: list[int] = [0]
        self._event_offsets: list[int] = [0]
        self._event_nodes: list[int] = [0]
        self._kinds: dict[int, tuple[str, str]] = {}
        self._known = {0: Scope((), (), "", -1, -1, "")}
        self._scan()

    def _scan(self) -> None:
        text, node, conditions, last = self.text, 0, [0], 0
        for match in _TOKEN.finditer(text):
            at, word = match.start(), match.group(1)
            if word is None:
                if text[at] == OPENING_BRACE:
                    self._parents.append(node)
                    self._opens.append(at)
                    self._starts.append(last)
                    node = len(self._opens) - 1
                elif node:
                    node = self._parents[node]
                last = at + 1
            elif text[text.rfind(b"\n", 0, at) + 1 : at].strip():
                continue  # not a directive; what it swallowed was its own line
            elif word in (b"if", b"ifdef", b"ifndef"):
                conditions.append(node)
                continue
            elif word in (b"else", b"elif"):
                node = conditions[-1]
            elif word == b"endif":
                if len(conditions) > 1:
                    conditions.pop()
                continue
            else:
                if word == b"define" and (name := _DEFINE.match(text, at)) is not None:
                    self.defines.append(Define(at, match.end(), name.group(1).decode(), name.end()))
                    last = match.end()
                continue
            self._event_offsets.append(at + 1)
            self._event_nodes.append(node)

    def define_at(self, offset: int) -> Define | None:
        """The `#define` that the byte `offset` stands in; None outside of all."""
        index = bisect_right(self.defines, offset, key=lambda d: d.start) - 1
        if index >= 0 and offset < self.defines[index].end:
            return self.defines[index]
        return None

    def head_start(self, node: int) -> int:
        """The offset where the declaration in front of a brace starts, behind the last `;` or brace before it.

        Args:
            node: number of the brace among those that open, from 1.
        """
        start, opening = self._starts[node], self._opens[node]
        start = max(start, self.text.rfind(b";", start, opening) + 1)
        while start < opening and self.text[start] in b" \t\r\n":
            start += 1
        return start

    def _kind(self, node: int) -> tuple[str, str]:
        known = self._kinds.get(node)
        if known is None:
            head = _DIRECTIVE.sub(b"", self.text[self.head_start(node) : self._opens[node]])
            known = self._kinds[node] = _classify(head)
        return known

    def at(self, offset: int) -> Scope:
        """What encloses the byte `offset`."""
        scope = self._scope(self._event_nodes[bisect_right(self._event_offsets, offset) - 1])
        define = self.define_at(offset)
        return scope if define is None else scope._replace(macro=define.name)

    def _scope(self, node: int) -> Scope:
        """What a bracket encloses; each is asked once, however deep it stands."""
        missing = []
        while node not in self._known:
            missing.append(node)
            node = self._parents[node]
        scope = self._known[node]
        for inner in reversed(missing):
            if scope.function_open < 0:
                kind, name = self._kind(inner)
                if kind == "namespace":
                    parts = [part for part in name.split("::") if part]
                    scope = scope._replace(namespaces=(*scope.namespaces, *parts))
                elif kind == "class":
                    scope = scope._replace(classes=(*scope.classes, name))
                elif kind == "function":
                    scope = scope._replace(
                        function=name,
                        function_start=self.head_start(inner),
                        function_open=self._opens[inner],
                    )
            self._known[inner] = scope
        return scope


def _classify(head: bytes) -> tuple[str, str]:
    head = head.strip()
    match = _NAMESPACE.search(head)
    if match is not None:
        # Names in an inline namespace are those of the one around it (CPU_CAPABILITY in ATen/native/cpu).
        inline = head[: match.start()].rstrip().endswith(b"inline")
        parts = match.group(1).split(b"::")
        kept = [part.strip() for part in parts if not part.strip().startswith(b"inline ")]
        return "namespace", "" if inline else b"::".join(kept).decode()
    if re.search(rb'\bextern\s*"\s*"$', head):
        return "transparent", ""
    bare = strip_template(head)
    word = _CLASS.search(bare)
    if word is not None:
        after = re.split(rb"(?<!:):(?!:)", bare[word.end() :], maxsplit=1)[0]
        plain = re.sub(rb"\b(?:__\w+__|alignas|[A-Z_]+)\s*\((?:[^()]|\([^()]*\))*\)", b"", after)
        if b"(" not in plain.split(b"<", 1)[0]:
            names = re.findall(rb"[A-Za-z_][\w:]*", plain.split(b"<", 1)[0])
            names = [name for name in names if name != b"final"]
            return "class", names[-1].decode() if names else ""
    if re.search(rb"\benum\b[^()]*$", bare) and b"(" not in bare:
        return "block", ""
    if (method := _OBJECTIVE_C_METHOD.search(bare)) is not None:
        return "function", method.group(1).decode()
    if b"(" in bare and not bare.endswith((b"=", b",", b"(")):
        name = declared_name(head)
        if name:
            return "function", name
    return "block", ""


@functools.lru_cache(maxsize=2)
def scopes_of(data: bytes) -> Scopes:
    """The scopes of a file's bytes, `data` (kept for the extractors that read the same file one after another)."""
    return Scopes(blanked(data))
