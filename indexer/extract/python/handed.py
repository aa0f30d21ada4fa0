"""Functions that a body hands on by their name, without calling them: `register_hook(self._hook)`, `[torch.sin, f]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.python.definitions import Definitions
from indexer.extract.python.lexical import Span
from indexer.extract.python.scope import Scope

# A whole argument or element. Capitals are classes, mostly asked for a type; everybody calls torch.nn.functional `F`.
_ARGUMENT = re.compile(r"[(,=\[]\s*((?:[a-z_]|F\.)[\w.]*)(?=[,)\]])")
_BEFORE, _AFTER = "(,=[ \n", ",)]"
# How a name is bound inside a function by what is neither a call nor a definition.
_BINDINGS = (
    "    {} = ",
    "for {} ",
    "for {},",
    ", {} in ",
    ", {} = ",
    "    {}, ",
    "as {}:",
    "as {},",
    "lambda {}",
)
_PARAMETERS = re.compile(r"\bdef \w+\(([^()]*)")
_WORD = re.compile(r"\w+")


class HandedNames:
    """The names in one file that may be functions, where they stand as an argument or element.

    Args:
        code: the file's text, strings and comments blanked.
        definitions: what the file defines and imports.
        scope: what its names stand for.
    """

    def __init__(self, code: str, definitions: Definitions, scope: Scope) -> None:
        self._code = code
        self._scope = scope
        self._methods = {found.node.name for found in definitions.functions if found.scope}
        self._functions = {found.name for found in definitions.functions if not found.scope}
        self._functions.update(bound.name for bound in definitions.imports if bound.kind == "from")
        self._known: dict[str, bool] = {}

    def within(self, span: Span) -> Iterator[tuple[int, str]]:
        """Where a function's body hands something on, and its name; names that the body itself binds are left out."""
        code, known = self._code, self._known
        for name in dict.fromkeys(_ARGUMENT.findall(code, span.body, span.end)):
            wanted = known.get(name)
            if wanted is None:
                wanted = known[name] = self._may_be_function(name)
            if not wanted or ("." not in name and self._is_bound(name, span)):
                continue
            at = code.find(name, span.body, span.end)
            while at >= 0:
                end = at + len(name)
                if code[at - 1] in _BEFORE and code[end : end + 1] in _AFTER:
                    yield at, name
                at = code.find(name, end, span.end)

    def _may_be_function(self, name: str) -> bool:
        head, _, rest = name.partition(".")
        if head == "self":
            return rest in self._methods
        if not rest:
            return name in self._functions
        last = rest.rpartition(".")[2]
        return not last[:1].isupper() and bool(self._scope.target(name))

    def _is_bound(self, name: str, span: Span) -> bool:
        """Whether a body may bind a name itself; to miss a function is better than to name a wrong one."""
        code = self._code
        if any(code.find(form.format(name), span.body, span.end) >= 0 for form in _BINDINGS):
            return True
        inner = _PARAMETERS.findall(code, span.body, span.end)
        return any(name in _WORD.findall(parameters) for parameters in inner)
