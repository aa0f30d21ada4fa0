"""What a body hands on by its name, without calling it: `register_hook(self._hook)`, `{nn.LSTM: lstm_weight}`."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from indexer.extract.patterns import never_back
from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit

# Names in capitals are classes, in packages mostly asked for a type: these hand one on only in some of the places
# (`_hands_class`). Tests are written for classes, and hand them to what tries them.
_NAMED = r"([A-Za-z_][\w.]*+)"
# A whole argument or element, the value of a key, and what is one of these where something holds; what is given
# otherwise, and what is returned, alone or first of several.
_PLACES = (
    r"[(,=\[{{:]\s*+{}(?=\s*+[,)\]}}]|\s++if )",
    r" else\s++{}(?= *+[,)\]}}\n])",
    r" return {}(?= *+[,\n])",
)
_HANDING = tuple(never_back(place.format(_NAMED)) for place in _PLACES)
# A class is the first argument or one by name, what something is where a condition holds, or what is returned.
_FIRST_ARGUMENT = re.compile(r"\w\(\s*\Z")
_OF_TYPES = re.compile(r"(?:super|cast|fields|TypeVar|NewType)\(\s*\Z")
_CALLEE = 60  # characters
# What is raised by its name alone is made all the same (the language reference, section 7.8).
_RAISED = re.compile(r"raise (?<!\wraise )([A-Za-z_][\w.]*)(?![\w.])(?=[ \t]*(?:\n|from\b))")
_IMPORT = re.compile(r"import (?:\([^()]*\)|[^\n(]*)")
# How a name is bound inside a function; a definition may stand in another one.
_BINDINGS = (
    "    {} = ", ", {} = ", "for {} ", "for {},", ", {} in ", "as {}:", "as {},", "lambda {}", "def {}(",
)  # fmt: skip
# The first of several that are given something; else an argument on a line of its own begins so.
_FIRST, _SEVERAL = "    {}, ", re.compile(r"[\w, .*()\[\]]+ = ")
_PARAMETERS = re.compile(r"def \w+\(([^()]*)")
_WORD = re.compile(r"\w+")
_OBJECTS = ("self", "cls")
# Before a name, on its line or on that which opens the brackets: something is asked whether it is one, or has one
# (`isinstance(`, `assertIsInstance(`, `issubclass(`).
_ASKED = ("isinstance(", "IsInstance(", "subclass(", "hasattr(")
# On a line before a class: it is derived from, or an annotation (`Optional[Tensor]`).
_AS_TYPE = re.compile(r"\bclass |->|: |\w\[$")
# The same of what is called like a function: `stash: List[_Replicator]`, `Dict[torch.device, Tensor]`.
_IN_TYPE = re.compile(r"[^{\n]*(?:: |-> )[\w.\[\], ]*\w\[[\w., ]*$")
# Half of what stands as an argument: dtypes, layouts and memory formats (torch/csrc/utils/tensor_dtypes.cpp,
# tensor_layouts.cpp, tensor_memoryformats.cpp), which are no functions.
_VALUES = frozenset(
    (
        "uint8 int8 int16 int32 int64 float16 float32 float64 bfloat16 complex32 complex64 complex128 bool half float"
        " double short int long chalf cfloat cdouble quint8 qint8 qint32 strided sparse_coo sparse_csr"
        " contiguous_format channels_last channels_last_3d preserve_format"
    ).split()
)
# What runs a test once for each of its arguments (torch/testing/_internal/common_utils.py, parametrize).
_PARAMETRIZE = "parametrize"
_TESTING = "torch/testing/"


class HandedNames:
    """The names in one file that may be functions or classes, where they stand as an argument or element.

    Args:
        unit: the file.
        definitions: what it defines and imports.
        scope: what its names stand for.
    """

    def __init__(self, unit: PyUnit, definitions: Definitions, scope: Scope) -> None:
        self._code = code = unit.code
        self._scope = scope
        self._is_packaged = unit.is_packaged
        self._is_followed = unit.is_packaged and not unit.path.startswith(_TESTING)
        properties = definitions.properties
        self._properties = {name.rpartition(".")[2] for name in properties}
        self._methods = {
            found.node.name
            for found in definitions.functions
            if found.scope and found.name not in properties
        }
        self._names = {found.name for found in definitions.functions if not found.scope}
        self._names.update(found.name for found in definitions.classes)
        self._names.update(bound.name for bound in definitions.imports if bound.kind == "from")
        # Of those within functions and classes.
        self._imports = [
            match.span()
            for match in _IMPORT.finditer(code)
            if code[code.rfind("\n", 0, match.start()) + 1] in " \t"
        ]
        self._imported = {
            name for start, end in self._imports for name in _WORD.findall(code, start, end)
        }
        self.of_objects: set[str] = set()
        """Those of objects that a body may hold, whose class may be of another file: `planner.resolve_data`."""
        self._found = self._of_interest()

    def _of_interest(self) -> list[tuple[int, str]]:
        """Offset and name of all that may be handed on in the file, in order."""
        known: dict[str, bool] = {}
        found: list[tuple[int, str]] = []
        for place in _HANDING:
            for match in place.finditer(self._code):
                name = match[1]
                wanted = known.get(name)
                if wanted is None:
                    wanted = known[name] = self._is_of_interest(name)
                if wanted and (not self._is_packaged or self._may_hand(match)):
                    found.append((match.start(1), name))
        for match in _RAISED.finditer(self._code):
            if _is_class(match[1]) and self._scope.target(match[1]):
                found.append((match.start(1), match[1]))
        return sorted(found)

    def _may_hand(self, match: re.Match[str]) -> bool:
        """Whether a name stands where it would be handed on if it is a class's; everybody calls functional `F`."""
        name, code = match[1], self._code
        if name.startswith(("self.", "cls.")):
            return True
        if not _is_class(name):
            return not name[0].isupper() or name.startswith("F.")
        sign = code[match.start()]
        if sign == "(":
            before = code[max(0, match.start() - _CALLEE) : match.start(1)]
            is_first = _FIRST_ARGUMENT.search(before) and code.startswith(",", match.end())
            return bool(is_first) and not _OF_TYPES.search(before)
        return (
            sign in "= " and code[match.start() - 1] not in "=!"
        )  # what is compared is asked for its type

    def within(self, span: Span, names: Locals) -> Iterator[tuple[int, str]]:
        """Where a function hands something on, as a default of its own, too.

        Names that its body itself binds are left out.

        Args:
            span: of the function.
            names: what the names inside it stand for.

        Yields:
            offset of the name into the text, and the name as written.
        """
        code, of_objects = self._code, self.of_objects
        own: dict[str, bool] = {}
        first = bisect_left(self._found, (span.name_end,))
        for at, name in self._found[first : bisect_left(self._found, (span.end,), first)]:
            if at < span.body and not code[span.name_end : at].rstrip().endswith("="):
                continue
            if name in of_objects:
                if not names.local(name[: name.index(".")]):
                    continue
            elif "." not in name:
                if name not in own:
                    own[name] = self._is_bound(name, span)
                # A default is what the name is outside: `def memory(snapshot, format=format)`.
                if (own[name] and at >= span.body) or self._is_imported_at(at):
                    continue
            line = code.rfind("\n", 0, at) + 1
            opened = line if "(" in code[line:at] else code.rfind("\n", 0, line - 1) + 1
            asked = any(code.find(form, opened, at) >= 0 for form in _ASKED)
            if asked:
                continue
            if _is_class(name):
                is_type = _AS_TYPE.search(code, line, at)
            else:
                is_type = _IN_TYPE.match(code, line, at) if code.find("[", line, at) > 0 else None
            if not is_type:
                yield at, name

    def _is_imported_at(self, at: int) -> bool:
        """Whether the name that begins at an offset is what an import within a function binds."""
        before = bisect_right(self._imports, (at,)) - 1
        return before >= 0 and at < self._imports[before][1]

    def of_parameters(self, found: FunctionNode) -> Iterator[tuple[int, str]]:
        """The 1-based line and dotted name of what a test is run for each of, by the decorators of `found`.

        Nothing in files that are packaged: they have no tests.
        """
        for decorator in found.node.decorator_list if not self._is_packaged else ():
            if isinstance(decorator, ast.Call) and dotted(decorator.func).endswith(_PARAMETRIZE):
                waiting: list[ast.AST] = [*decorator.args[1:]]
                while waiting:
                    node = waiting.pop()
                    name = dotted(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
                    if isinstance(node, ast.Call) and not _is_class(dotted(node.func)):
                        # What makes the parameter is no parameter: partial(F.relu, …).
                        waiting += [*node.args, *(keyword.value for keyword in node.keywords)]
                    elif not name:
                        waiting += ast.iter_child_nodes(node)
                    elif self._is_of_interest(name):
                        yield node.lineno, name  # type: ignore[attr-defined]

    def _is_of_interest(self, name: str) -> bool:
        head, _, rest = name.partition(".")
        last = rest.rpartition(".")[2]
        if head in _OBJECTS:
            return last in self._methods
        if last in self._properties:
            return False  # who reads it runs it: indexer/extract/python/property_reads.py
        if not rest and name not in self._names and name not in self._imported:
            return False
        is_constant = _is_class(name) and name.rpartition(".")[2].isupper()
        if rest in _VALUES or (self._is_packaged and is_constant):
            return False
        if head in self._imported or last in self._methods or self._scope.target(name):
            return True
        if rest and self._is_followed and not self._scope.has(head) and not _is_class(name):
            self.of_objects.add(name)
            return True
        return False

    def _is_bound(self, name: str, span: Span) -> bool:
        """Whether a body may bind a name itself; to miss a function is better than to name a wrong one."""
        code = self._code
        if any(code.find(form.format(name), span.body, span.end) >= 0 for form in _BINDINGS):
            return True
        first = _FIRST.format(name)
        at = code.find(first, span.body, span.end)
        while at >= 0:
            if _SEVERAL.match(code, at + len(first)):
                return True
            at = code.find(first, at + len(first), span.end)
        inner = _PARAMETERS.findall(code, span.body, span.end)
        return any(name in _WORD.findall(parameters) for parameters in inner)


def _is_class(name: str) -> bool:
    return name.rpartition(".")[2][:1].isupper()
