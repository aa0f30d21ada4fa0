"""What the patterns of a `match` bind, and what they say of what is matched.

`case OpaqueBase():` says of a name what `isinstance(name, OpaqueBase)` does, `case Tensor() as v:` also what v is, and
`case AttrToken(owner=x):` what an attribute of such an object is: Doc/reference/compound_stmts.rst, of `match`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from indexer.extract.python.scope import dotted
from indexer.extract.python.value_texts import element_of
from indexer.extract.python.values import Values


def as_condition(pattern: ast.pattern, name: str) -> ast.expr | None:
    """The condition on a name that holds wherever a pattern matches it: `isinstance(x, C)` of `case C(a=1) as y`.

    Args:
        pattern: of a `case`.
        name: what is matched.

    Returns:
        None where the pattern asks for no class, or for a class in one of several alternatives alone.
    """
    classes = list(_classes(pattern))
    if not name or not classes or None in classes:
        return None
    kinds = [kind for kind in classes if kind is not None]
    given = ast.Tuple(elts=kinds, ctx=ast.Load()) if len(kinds) > 1 else kinds[0]
    return ast.Call(
        func=ast.Name(id="isinstance", ctx=ast.Load()),
        args=[ast.Name(id=name, ctx=ast.Load()), given],
        keywords=[],
    )


def _classes(pattern: ast.pattern) -> Iterator[ast.expr | None]:
    """The class of each alternative of a pattern; None where one may match what is of any class."""
    if isinstance(pattern, ast.MatchClass):
        yield pattern.cls
    elif isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        yield from _classes(pattern.pattern)
    elif isinstance(pattern, ast.MatchOr):
        for alternative in pattern.patterns:
            yield from _classes(alternative)
    else:
        yield None


class Patterns(Values):
    """Reads the patterns of one function; made as `Known` is."""

    def _pattern(self, pattern: ast.pattern, value: str) -> None:
        """Read what a pattern compares with, and bind its names.

        Args:
            pattern: of a `case`, or within one.
            value: target of what is matched.
        """
        if isinstance(pattern, ast.MatchValue):
            self.value(pattern.value)
        elif isinstance(pattern, ast.MatchAs):
            if pattern.pattern is not None:
                self._pattern(pattern.pattern, value)
            if pattern.name is not None:
                names = self.names.names
                names[pattern.name] = value
                condition = as_condition(pattern, pattern.name)
                names.update(self._said(condition) if condition is not None else {})
        elif isinstance(pattern, ast.MatchOr):
            for alternative in pattern.patterns:
                self._pattern(alternative, value)
        elif isinstance(pattern, ast.MatchClass):
            self._class_pattern(pattern)
        elif isinstance(pattern, ast.MatchSequence):
            is_counted = not any(isinstance(part, ast.MatchStar) for part in pattern.patterns)
            for at, part in enumerate(pattern.patterns):
                inner = element_of(value, at if is_counted else None)
                self._pattern(part, value if isinstance(part, ast.MatchStar) else inner)
        elif isinstance(pattern, ast.MatchMapping):
            for key, part in zip(pattern.keys, pattern.patterns, strict=True):
                self.value(key)
                self._pattern(part, element_of(value) if value.startswith("dict(") else "")
            self._bind(pattern.rest, value)
        elif isinstance(pattern, ast.MatchStar):
            self._bind(pattern.name, value)

    def _class_pattern(self, pattern: ast.MatchClass) -> None:
        self.value(pattern.cls)
        owner = self._object([dotted(pattern.cls)])
        for part in pattern.patterns:
            self._pattern(part, "")  # which attribute it is `__match_args__` of the class says
        for attribute, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            self._pattern(part, f"{owner}.{attribute}" if owner else "")

    def _bind(self, name: str | None, value: str) -> None:
        if name is not None:
            self.names.names[name] = value
