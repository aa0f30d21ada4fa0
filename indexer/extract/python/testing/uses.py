"""Names in the bodies of tests: methods of values whose type the text does not tell, and all others."""

from __future__ import annotations

import builtins
import re
from collections import OrderedDict, deque
from collections.abc import Iterator

from indexer.extract.patterns import never_back
from indexer.extract.python.scope import Scope
from indexer.extract.python.unit import PyUnit
from indexer.facts.tests import ALONE, CAPITALS, UNSURE, BodyNames

# On reversed text, where the bracket is what `re` finds fastest: the name that is called, then the
# names and dots before it. A dot alone stands behind the end of a call or subscript; of a call that has no other in its
# brackets the name is told as well: `Tracer().trace(`.
_CALLED = re.compile(r"\((\w+)(\.(?:(?=\)[^()]*\((\w+))|[\w.]*))?")
# The name of a class, of which objects are no tensors, on reversed text: no LongTensor, nor a function like `T`.
_CLASS = re.compile(r"(?!rosneT)\w*[a-z]\w*[A-Z]_*")
# What a class within the function defines is taken from its objects, and may override another's.
_DEFINED = re.compile(r"\bdef (\w+)\(\s*(self\b|cls\b)?")
_ATTRIBUTE = re.compile(r"\.([^\W\d]\w\w+)")
# What a name is given, by how that begins, and what `with` gives it: two patterns, which `re` finds by their first
# characters.
_GIVEN = never_back(r"\n[ \t]*+(\w++) = ([\w.]++\(?|[\[{\"'])")
_ENTERED = re.compile(r" as (\w+)(?=[,:)])")
# Nothing of these is a tensor.
_NOT_TENSORS = frozenset(("self", "cls", "np", "numpy", "os", "sys", "math", "unittest", "super"))
_BUILT_IN = frozenset(dir(builtins))
_CONTAINERS = (set, list, dict, str, bytes, tuple, deque, OrderedDict)
_MAKES_NONE = frozenset(f"{kind.__name__}(" for kind in _CONTAINERS) | frozenset("[{\"'")
# Methods that containers and texts have too: without a hint of what they are called on, it may be one of those.
_COMMON = frozenset(name for kind in _CONTAINERS for name in dir(kind) if not name.startswith("_"))


def read_names(unit: PyUnit, scope: Scope) -> Iterator[BodyNames]:
    """The names in each function of a file that has any.

    Args:
        unit: the file.
        scope: its module-level names: methods of imported things are none of a value.
    """
    imported = _NOT_TENSORS.union(scope.names, scope.foreign)
    code, reversed_code = unit.code, unit.reversed_code
    total, is_star = len(code), scope.has_star
    heads: dict[str, str] = {}
    for line, span in unit.spans.items():
        methods: dict[str, None] = {}
        given: dict[str, bool] | None = None
        names = dict.fromkeys(_ATTRIBUTE.findall(code, span.body, span.end))
        alone: set[str] = set()
        for name, owner, maker in _CALLED.findall(
            reversed_code, total - span.end, total - span.body
        ):
            called = name[::-1]
            if called not in names:
                names[called] = None
                alone.add(called)
            if owner:
                alone.discard(called)
            if not owner or called in methods:
                continue
            if maker and _CLASS.fullmatch(maker):
                continue
            head = heads.get(owner)
            if head is None:
                head = heads[owner] = owner[:0:-1].partition(".")[0]
            if head in imported:
                continue
            known = None
            # What an attribute of something is, its class does not tell, nor what a call gives.
            if head and owner.count(".") == 1:
                if given is None:
                    given = _given(code, span.body, span.end)
                known = given.get(head)
            if known or (known is None and called not in _COMMON):
                methods[called] = None
                methods.pop(UNSURE + called, None)
            elif known is None:
                methods[UNSURE + called] = None
        if names:
            if alone:
                is_any = any("_" in name for name in alone)
                defined = dict(_DEFINED.findall(code, span.body, span.end) if is_any else ())
                alone = {
                    name for name in alone if not defined.get(name, is_star or name in imported)
                }
            told = (_told(name, is_alone=name in alone) for name in names)
            yield BodyNames(line, " ".join(methods), " ".join(told))


def _told(name: str, *, is_alone: bool) -> str:
    """A name with the mark of how it is there, of those of which that tells something: one word may be anything's.

    But `zip(a, b)` is Python's own, and `pipe.zip(b)` is not.
    """
    if is_alone and name in _BUILT_IN:
        return f"{ALONE}{name}"
    if "_" not in name.strip("_"):
        return name
    return f"{ALONE}{name}" if is_alone else f"{CAPITALS}{name}" if name != name.lower() else name


def _given(code: str, start: int, end: int) -> dict[str, bool]:
    """By name: whether what it is given may be a tensor, of those where the text has a hint of it."""
    found = dict.fromkeys(_ENTERED.findall(code, start, end), False)
    for name, value in _GIVEN.findall(code, start, end):
        owner, _, last = value.rpartition(".")
        if value in _MAKES_NONE or (value[-1:] == "(" and last[:1].isupper()):
            found.setdefault(name, False)
        elif owner == "torch" and last[-1:] == "(":
            found[name] = True
        else:
            # Something else is given to the same name: nothing is sure.
            if found.get(name) is False:
                del found[name]
    return found
