"""What is read off C++, CUDA and Objective-C++ files: definitions, classes, macros.

Scopes and names are qualified with `::`, without template arguments; anonymous and inline namespaces are left out.
Lines are 1-based, files relative to the tree.
"""

from __future__ import annotations

import re
import zlib
from array import array
from collections.abc import Iterable
from typing import NamedTuple

from indexer.facts.columns import pack_columns, unpack_columns, unpack_texts


class FunctionDefinition(NamedTuple):
    """A function with its body.

    Args:
        file: where it stands.
        number: its place among the file's definitions, from 0: what calls refer to. Definitions that a macro's
            use makes as a whole have numbers as well, behind the others.
        name: qualified (`at::native::add_sparse`); a structured kernel's is the one inside `TORCH_IMPL_FUNC`.
        signature: as written, white space folded; for one that a macro's use makes as a whole, as expanded.
        kind: function, method, constructor, destructor, conversion, operator, kernel (CUDA), lambda (held by a
            variable at namespace level), structured (a structured kernel or its meta function).
        line: that of the name, or of the macro's use.
        end_line: that of the closing bracket, or of the macro's use.
        is_anonymous: stands in an anonymous namespace.
        macro: the macro that makes it, "" where it is written out.
    """

    file: str
    number: int
    name: str
    signature: str
    kind: str
    line: int
    end_line: int
    is_anonymous: bool
    macro: str


class MacroHead(NamedTuple):
    """A function whose head is a macro's use and whose body is written out: `TORCH_IMPL_FUNC(f)(int n) {…}`.

    Args:
        file: where it stands.
        number: as of `FunctionDefinition`.
        text: the head, white space folded.
        scope: the namespaces and classes it stands in, qualified.
        class_name: the innermost class, "" at namespace level.
        line: that of the macro's use.
        end_line: that of the closing bracket.
        is_anonymous: stands in an anonymous namespace.
    """

    file: str
    number: int
    text: str
    scope: str
    class_name: str
    line: int
    end_line: int
    is_anonymous: bool


class MacroUse(NamedTuple):
    """A macro's use at namespace or class level, which may make definitions.

    Args:
        file: where it stands.
        name: of the macro.
        text: the whole use, as written.
        scope: the namespaces and classes it stands in, qualified.
        class_name: the innermost class, "" at namespace level.
        line: its first.
        is_anonymous: stands in an anonymous namespace.
    """

    file: str
    name: str
    text: str
    scope: str
    class_name: str
    line: int
    is_anonymous: bool


class ClassDefinition(NamedTuple):
    """A class, struct or union with its body.

    Args:
        file: where it stands.
        name: qualified.
        scope: the namespaces and classes it stands in, qualified.
        bases: names as written, without template arguments.
        line: its first.
        end_line: that of the closing bracket.
    """

    file: str
    name: str
    scope: str
    bases: tuple[str, ...]
    line: int
    end_line: int


class UsingDeclaration(NamedTuple):
    """A using-directive, using-declaration, alias or namespace alias at namespace or class level.

    Args:
        file: where it stands.
        keyword: `using` or `namespace`.
        text: what follows it, white space folded: `namespace at::native`, `at::Tensor`, `fs = std::filesystem`.
        scope: the namespace or class it stands in, qualified.
        line: its first.
    """

    file: str
    keyword: str
    text: str
    scope: str
    line: int


class MacroDefinition(NamedTuple):
    """One `#define`.

    Args:
        name: the macro's name.
        params: names of its parameters; None where it takes none (an object-like macro). A variadic macro's last
            one is `...`, or `name...` where the arguments have a name of their own (GNU).
        body: the replacement, on one line, without comments.
        file: where it is defined.
        line: that of the `#define`.
    """

    name: str
    params: tuple[str, ...] | None
    body: str
    file: str = ""
    line: int = 0


class CallColumns(NamedTuple):
    """Every call in the function bodies of one file, one column each: there are more than half a million.

    Args:
        texts: the distinct names that the columns number; the first is "".
        callers: `FunctionDefinition.number` of the function the call stands in.
        callees: the name called, as written, without template arguments.
        receivers: of a member call: the receiver's type as far as it is written in the function, `this`, or "";
            or an expression (`indexer.extract.cpp.receivers`), with `->` behind it where that calls the member;
            such a one begins with `.` where it is of a data member of the method's own class, or of a variable
            of a namespace around it.
        forms: `CALL`, `MEMBER`, `CONSTRUCT` or `LAUNCH`; `HANDED` where what may be a class is handed to a
            template, `NAMED` where what may be a function is named; these are not called. `MADE` is what the template
            in the place of its receiver may construct. `WITH_TEMPLATE_ARGUMENTS` is added where such are given.
        arguments: how many; 255 if not known.
        lines: that of the name called.
        usings: what using-directives, -declarations and aliases of the function's body hold there, one a line, as
            `keyword text` of a `UsingDeclaration`; "" for none.
    """

    texts: tuple[str, ...]
    callers: array[int]
    callees: array[int]
    receivers: array[int]
    forms: array[int]
    arguments: array[int]
    lines: array[int]
    usings: array[int]

    def packed(self) -> PackedCalls:
        """All of it as one value, of a tenth of the size."""
        return PackedCalls(pack_columns(self.texts, self[1:], _STEPS))

    def lasts(self) -> set[str]:
        """The last parts of all names in it, with those that aliases in bodies lead to."""
        found = {text.rpartition("::")[2] for text in self.texts}
        found.add(ARROW)
        for text in self.texts:
            if text[:6] == CONST_OBJECT:
                found.add(plain_object(text).rpartition("::")[2])
            if is_expression_text(text):
                found.update(_WORD.findall(text))
                if "[" in text:
                    found.update(ELEMENT_METHODS)
        for number in set(self.usings):
            for using in self.texts[number].split("\n"):
                target = using.partition(" ")[2].rpartition("=")[2].partition("<")[0]
                found.add(target.strip().rpartition("::")[2])
        return found


CONST_OBJECT, OPEN_OBJECT, LED_OBJECT, MOVED_OBJECT = "const ", "?", "*", "~"
"""What stands before a receiver: that its first object is constant, that nobody knows, that it leads to one by `->`;
that the whole of it is moved from."""

COPIED_OBJECT, VIEWED_OBJECT, NAMED_OBJECT = "=", "!", "&"
"""The same of what an `auto` variable is made from: that it has a copy of it, sees it as constant, or names it."""

OBJECT_SIGNS = frozenset(
    (
        OPEN_OBJECT,
        LED_OBJECT,
        MOVED_OBJECT,
        COPIED_OBJECT,
        VIEWED_OBJECT,
        NAMED_OBJECT,
        CONST_OBJECT[0],
    )
)
_SIGNS = re.compile(r"[=!&]?~?(?:[?*]|const )?")


def plain_object(receiver: str) -> str:
    """The text of `receiver`, what a member is called on, without what stands before it of being constant."""
    return receiver[_SIGNS.match(receiver).end() :]  # type: ignore[union-attr]


def is_expression_text(text: str) -> bool:
    """Whether `text`, what a member is called on, is an expression, and no type."""
    return text[-1:] in _EXPRESSION_ENDS or "." in text or "->" in text


ARROW = "operator->"
"""What an object may lead on to, this method of its class tells."""

ELEMENT_METHODS = ("begin", "operator*", "operator[]")
"""What an element of an expression is, these tell: of each of all, by what their iterator leads to."""

EMPLACING = frozenset(("emplace_back", "emplace_front", "emplace"))
"""What makes an object of its arguments in a container: the standard library's and those that are made like them."""

_EXPRESSION_ENDS = frozenset(")]>")
_WORD = re.compile(r"[A-Za-z_]\w*")
_STEPS = (True, False, False, False, False, True, False)  # callers and lines


class PackedCalls(NamedTuple):
    """The calls of one file as they are kept.

    Args:
        data: as `CallColumns.packed` makes it.
    """

    data: bytes

    def unpacked(self) -> CallColumns:
        """The calls.

        Raises:
            ValueError: the value is damaged.
        """
        texts, columns = unpack_columns(self.data, _STEPS)
        return CallColumns(tuple(texts), *columns)

    def texts(self) -> list[str]:
        """Their names alone.

        Raises:
            ValueError: the value is damaged.
        """
        return unpack_texts(self.data)


SOURCE_SUFFIXES = (".cpp", ".cc", ".cxx", ".c", ".cu", ".mm", ".m")
"""Of files that no other includes."""

CALL, MEMBER, CONSTRUCT, LAUNCH, HANDED, NAMED, MADE = range(7)

WITH_TEMPLATE_ARGUMENTS = 8
"""Added to `CALL` and `MEMBER` where template arguments stand behind the name: `x.f<T>()` calls a template. To `NAMED`
where the function is an argument of the template that a name of the text is an alias of."""

MAKERS = frozenset(("make_shared", "make_unique", "make_intrusive"))
"""Template functions that construct what their first argument names, with what they are called with."""


FIELD_CONST, FIELD_OPEN = "!", "?"
FIELD_SIGNS = "!*&?"
"""What may stand behind the type of a data member."""

UNSURE = "?"
"""The type of a data member that one file declares with several."""


class ClassFields(NamedTuple):
    """The data members of one class, or the variables of one namespace, that may have methods.

    Args:
        class_name: qualified; "" for the global namespace.
        fields: name and type of each, the type as written without `const`, `&`, `*` and white space; behind it stands
            `FIELD_CONST` where it is constant, or what it points to, then `*`, `&` or `FIELD_OPEN`.
    """

    class_name: str
    fields: tuple[tuple[str, str], ...]


SLOT_MEMBER, SLOT_VALUE, SLOT_LIST, SLOTS_LIKE, SLOT_MAKER = "*", "=", "{", "&", "!"
"""What begins the `class_name` of what is kept of tables of function pointers (`indexer.extract.cpp.slots`): a class
with pointers to functions and their positions; a scope with members and what they are assigned; a scope with types,
positions in lists and what stands there; a class whose members are named like what they hold. And what there is of
templates that construct something (`indexer.extract.cpp.makers`): these, with what each hands its arguments to."""


class PackedSlots(NamedTuple):
    """What a file says of tables of function pointers and of makers, packed like the data members of classes."""

    data: bytes


class PackedFields(NamedTuple):
    """The data members of the classes of one file as they are kept.

    Args:
        data: as `pack_fields` makes it.
    """

    data: bytes

    def unpacked(self) -> list[ClassFields]:
        """The members.

        Raises:
            ValueError: the value is damaged.
        """
        try:
            lines = zlib.decompress(self.data).decode().split("\n")
        except zlib.error as error:
            raise ValueError(str(error)) from error
        found = []
        for line in lines:
            class_name, *texts = line.split(" ")
            pairs = zip(texts[::2], texts[1::2], strict=True)
            found.append(ClassFields(class_name, tuple(pairs)))
        return found


def pack_fields(classes: Iterable[ClassFields]) -> PackedFields:
    """The members of some classes as one value."""
    lines = (
        " ".join((of_class.class_name, *(text for pair in of_class.fields for text in pair)))
        for of_class in classes
    )
    return PackedFields(zlib.compress("\n".join(lines).encode(), 9))


class UnreadText(NamedTuple):
    """A place that could not be read, for `coverage`.

    Args:
        file: where it is.
        line: 1-based.
        detail: what there is to say of it.
    """

    file: str
    line: int
    detail: str


CppFact = (
    FunctionDefinition
    | MacroHead
    | MacroUse
    | ClassDefinition
    | UsingDeclaration
    | MacroDefinition
    | PackedCalls
    | PackedFields
    | UnreadText
)
