"""What changed between two lists of parameters, and whether callers notice."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Param:
    """One parameter of an operator or of a Python function.

    Args:
        name: without stars.
        type: as written, or empty.
        default: as written; None where it must be given.
        kind: positional, keyword, `*` or `**`.
        alias: an operator's annotation: `a!`.
    """

    name: str
    type: str
    default: str | None
    kind: str = "positional"
    alias: str | None = None

    def __str__(self) -> str:
        text = f"{self.kind if '*' in self.kind else ''}{self.name}"
        text += f": {self.type}" if self.type else ""
        return text if self.default is None else f"{text} = {self.default}"

    @property
    def is_optional(self) -> bool:
        """Whether a call may leave it out."""
        return self.default is not None or "*" in self.kind


@dataclass(frozen=True)
class Difference:
    """What changed.

    Args:
        details: one fact each.
        is_breaking: a call that was right may now be wrong; of an operator also what a default
            means.
        is_minor: nothing but annotations, or int that became SymInt.
        is_default: a default changed.
    """

    details: tuple[str, ...]
    is_breaking: bool
    is_minor: bool
    is_default: bool = False


def compare(old: list[Param], new: list[Param], is_schema: bool) -> Difference:
    """Compare parameters by their names.

    The rules are PyTorch's own for operators (aten/src/ATen/core/function_schema.cpp,
    FunctionSchema::isBackwardCompatibleWith): names and order stay, types only widen, defaults
    stay, a parameter does not become keyword-only, and what is new has a default. SymInt counts as
    int there. A Python annotation binds nobody, so that another one breaks nothing.

    Args:
        old: of the first.
        new: of the second.
        is_schema: they are an operator's.
    """
    before = {p.name: p for p in old}
    after = {p.name: p for p in new}
    details: list[str] = []
    breaking = False
    major = False
    gone = [p for p in old if p.name not in after]
    come = [p for p in new if p.name not in before]
    for was in list(gone):
        now = next((p for p in come if new.index(p) == old.index(was) and p.type == was.type), None)
        if now is not None and now.kind == was.kind:
            details.append(f"{was.name} is now called {now.name}")
            gone.remove(was)
            come.remove(now)
            breaking = major = True
    if gone:
        details += [f"- {p}" for p in gone]
        breaking = breaking or any("*" not in p.kind for p in gone)
        major = True
    if come:
        displaced = {p.name: _displaced(p, old, new) for p in come}
        details += [f"+ {p}{_where(p, displaced[p.name])}" for p in come]
        breaking = breaking or any(not p.is_optional or displaced[p.name] for p in come)
        major = True
    types: list[str] = []
    defaults = False
    for name, was in before.items():
        if name in after:
            now = after[name]
            if was.type != now.type or was.alias != now.alias:
                types.append(f"{name}: {_typed(was)} → {_typed(now)}")
                if is_schema:
                    widened, same = _widens(was.type, now.type)
                    breaking = breaking or not widened or was.alias != now.alias
                    major = major or not same or was.alias != now.alias
            if not _equal(was.default, now.default):
                details.append(f"{name} = {_default(was)} → {_default(now)}")
                defaults = defaults or was.default is not None
                breaking = (
                    breaking or now.default is None or (is_schema and was.default is not None)
                )
                major = True
            if was.kind != now.kind:
                details.append(f"{name} is now {now.kind}")
                breaking = breaking or now.kind == "keyword"
                major = True
    kept_old = [p.name for p in old if p.name in after and p.kind == "positional"]
    kept_new = [p.name for p in new if p.name in before and p.kind == "positional"]
    kept_old = [name for name in kept_old if name in kept_new]
    if kept_old != [name for name in kept_new if name in kept_old]:
        details.append(f"order: {', '.join(kept_old)} → {', '.join(kept_new)}")
        breaking = major = True
    details += types  # last: of Python's there are many, and they bind nobody
    return Difference(tuple(details), breaking, bool(details) and not major, defaults)


def _displaced(added: Param, old: list[Param], new: list[Param]) -> str:
    """The first parameter that could be given by position and now stands one further."""
    if added.kind != "positional":
        return ""
    known = {p.name for p in old if p.kind == "positional"}
    behind = new[new.index(added) + 1 :]
    return next((p.name for p in behind if p.name in known and p.kind == "positional"), "")


def _where(added: Param, displaced: str) -> str:
    if displaced:
        return f" (before {displaced})"
    return " (keyword)" if added.kind == "keyword" else ""


def _equal(was: str | None, now: str | None) -> bool:
    """Whether two defaults are the same value: `0` and `0.0` are."""
    if was == now or was is None or now is None:
        return was == now
    try:
        return bool(ast.literal_eval(was) == ast.literal_eval(now))
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return False


def _typed(param: Param) -> str:
    text = param.type or "(no type)"
    return f"{text}({param.alias})" if param.alias else text


def _default(param: Param) -> str:
    return "(required)" if param.default is None else param.default


def _widens(was: str, now: str) -> tuple[bool, bool]:
    """Whether a schema's type takes all that it took, and whether only SymInt is new."""
    was = was.replace("SymInt", "int")
    now = now.replace("SymInt", "int")
    if was == now:
        return True, True
    # torch/csrc/jit/frontend/schema_type_parser.cpp makes an int of it.
    was = was.replace("DeviceIndex", "int")
    now = now.replace("DeviceIndex", "int")
    bare, other = was.removesuffix("?"), now.removesuffix("?")
    narrowed = was.endswith("?") and not now.endswith("?")
    same = bare == other or (bare in ("int", "float") and other == "Scalar")
    return same and not narrowed, False


def python_params(signature: str) -> list[Param] | None:
    """The parameters of a Python signature without self; None where it is not one."""
    try:
        tree = ast.parse(f"def f{signature}: pass")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    function = tree.body[0]
    if not isinstance(function, ast.FunctionDef):
        return None
    given = function.args
    found = []
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    for argument, default in zip(positional, defaults, strict=True):
        found.append(_python_param(argument, default, "positional"))
    if found and found[0].name in ("self", "cls"):
        found = found[1:]
    if given.vararg:
        found.append(_python_param(given.vararg, None, "*"))
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        found.append(_python_param(argument, default, "keyword"))
    if given.kwarg:
        found.append(_python_param(given.kwarg, None, "**"))
    return found


def _python_param(argument: ast.arg, default: ast.expr | None, kind: str) -> Param:
    annotation = "" if argument.annotation is None else ast.unparse(argument.annotation)
    return Param(argument.arg, annotation, None if default is None else ast.unparse(default), kind)


def compare_signatures(old: str, new: str) -> Difference:
    """Compare two Python signatures as they are written.

    Args:
        old: what stands behind the function's name before the change: `(self, x: int = 1) -> Tensor`.
        new: the same, after it.

    Returns:
        What differs; of what cannot be read both texts, where these are not the same.
    """
    before, after = python_params(old), python_params(new)
    if before is None or after is None:
        if " ".join(old.split()) == " ".join(new.split()):
            return Difference((), False, False)
        return Difference((f"{old} → {new}",), False, False)
    return compare(before, after, is_schema=False)
