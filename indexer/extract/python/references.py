"""What a body hands on by its name, without calling it: `register_hook(self._hook)`, `[torch.sin, f]`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from indexer.extract.patterns import never_back
from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.lexical import Span
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit

# A whole argument or element. In packages names in capitals are left out: those are classes, mostly asked for a type.
# Everybody calls torch.nn.functional `F`.
_ARGUMENT = never_back(r"[(,=\[]\s*+((?:[a-z_]|F\.)[\w.]*+)(?=[,)\]])")
# Tests are written for classes as well, and hand them to what tries them.
_ANY_ARGUMENT = never_back(r"[(,=\[]\s*+([A-Za-z_][\w.]*+)(?=[,)\]])")
_BEFORE, _AFTER = "(,=[ \n", ",)]"
# How a name is bound inside a function by what is neither a call nor a definition.
_BINDINGS = (
    "    {} = ", ", {} = ", "for {} ", "for {},", ", {} in ", "as {}:", "as {},", "lambda {}",
)  # fmt: skip
# The first of several that are given something; else an argument on a line of its own begins so.
_FIRST, _SEVERAL = "    {}, ", re.compile(r"[\w, .*()\[\]]+ = ")
_PARAMETERS = re.compile(r"def \w+\(([^()]*)")
_WORD = re.compile(r"\w+")
# On a line before a name: something is asked whether it is one (`isinstance(`, `assertIsInstance(`, `issubclass(`).
_ASKED = ("nstance(", "subclass(")
# On a line before a class: it is derived from, or an annotation (`Optional[Tensor]`).
_AS_TYPE = re.compile(r"\bclass |->|: |\w\[$")
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


class HandedNames:
    """The names in one file that may be functions or classes, where they stand as an argument or element.

    Args:
        unit: the file.
        definitions: what it defines and imports.
        scope: what its names stand for.
    """

    def __init__(self, unit: PyUnit, definitions: Definitions, scope: Scope) -> None:
        self._code = unit.code
        self._scope = scope
        self._is_packaged = unit.is_packaged
        self._argument = _ARGUMENT if unit.is_packaged else _ANY_ARGUMENT
        self._methods = {found.node.name for found in definitions.functions if found.scope}
        self._names = {found.name for found in definitions.functions if not found.scope}
        self._names.update(found.name for found in definitions.classes)
        self._names.update(bound.name for bound in definitions.imports if bound.kind == "from")
        self._known: dict[str, bool] = {}

    def within(self, span: Span) -> Iterator[tuple[int, str]]:
        """Where a function's body hands something on; names that the body itself binds are left out.

        Args:
            span: of the function.

        Yields:
            offset of the name into the text, and the name as written.
        """
        code, known = self._code, self._known
        for name in dict.fromkeys(self._argument.findall(code, span.body, span.end)):
            wanted = known.get(name)
            if wanted is None:
                wanted = known[name] = self._is_of_interest(name)
            if not wanted or ("." not in name and self._is_bound(name, span)):
                continue
            is_class = _is_class(name)
            at = code.find(name, span.body, span.end)
            while at >= 0:
                end = at + len(name)
                if code[at - 1] in _BEFORE and code[end : end + 1] in _AFTER:
                    line = code.rfind("\n", 0, at) + 1
                    asked = any(code.find(form, line, at) >= 0 for form in _ASKED)
                    if not asked and not (is_class and _AS_TYPE.search(code, line, at)):
                        yield at, name
                at = code.find(name, end, span.end)

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
        if head == "self":
            return rest in self._methods
        if not rest and name not in self._names:
            return False
        if rest in _VALUES or (self._is_packaged and _is_class(name)):
            return False
        return bool(self._scope.target(name))

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
