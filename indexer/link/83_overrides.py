"""Which methods do others override, as far as the text says? A call of a virtual method may run each of them.

Declarations are not kept, and `virtual` and `override` often stand in these alone. So a method of a derived class with
the name, parameters, qualifiers and returned type of a base's is one that overrides it ([class.virtual]), unless one of
both is defined in its class and says nothing. What clang saw is known exactly, and made in step 80.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.cpp.parameters import OWN_NAME, name_and_bracket, parameters_of
from indexer.facts.edges import call_code
from indexer.link.cpp.made_classes import made_bases
from indexer.workers import WorkerPool

VIRTUAL = 43

# What has virtual methods is held by a pointer, and no template calls it as a functor: std::make_shared<Node>(…).
_NO_FUNCTORS = """
DELETE FROM edges
WHERE kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'template') AND target & 15 = 0
  AND (SELECT u.last = 'operator()' AND rtrim(substr(u.name, 1, length(u.name) - length(u.last)), ':') IN (
           SELECT rtrim(substr(m.name, 1, length(m.name) - length(m.last)), ':')
           FROM edges AS e JOIN functions AS m ON m.id = e.source >> 4
           WHERE e.source & 15 = 0 AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'virtual'))
       FROM functions AS u WHERE u.id = target >> 4)
"""

_SCOPE = re.compile(r"\w+::")
_SAYS = re.compile(r"\b(?:override|final)\b[^()]*$")
_OWNERS = re.compile(r"(?:\w+(?:<.*>)?::)+\s*$")
_ATTRIBUTE = re.compile(r"\[\[[^\]]*\]\]")
_CONST_VALUE = re.compile(r"^const\b(?!.*[&*])")
"""Of a parameter's type no part ([dcl.fct])."""
_UNTOLD = re.compile(r"\b(?:[A-Z0-9]+_[A-Z0-9_]+|inline|template ?<[^()]*>|typename)\s+|\w+::|\s")
"""What a head has beside the returned type, or writes in more than one way."""


class _Row(NamedTuple):
    """A method, as it stands in the table.

    Args:
        is_exact: clang saw it, and of what it overrides all that it could tell.
        is_untold: clang saw it, and nothing that it overrides: in a template a base may depend on the arguments.
        is_declared_virtual: clang saw a virtual one declared alone.
    """

    id: int
    name: str
    signature: str
    file_id: int
    line: int
    is_exact: int
    is_untold: int
    is_declared_virtual: int


class _Told(NamedTuple):
    """What a method's head tells.

    Args:
        says: that it is virtual.
        is_inside: it stands in its class, where all there is to say is said.
        is_template: itself, and not only its class: it overrides nothing.
        types: of its parameters, without white space and namespaces.
        qualifiers: whether it is const; None: clang does not write it of what is only declared.
        returned: the type it returns, likewise.
    """

    says: bool
    is_inside: bool
    is_template: bool
    types: tuple[str, ...]
    qualifiers: bool | None
    returned: str


_Methods = dict[str, dict[str, list[_Row]]]


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Add an edge from each method to those that override it directly, and take out what that rules out.

    Args:
        conn: the database, in a transaction.
    """
    conn.execute("DELETE FROM edges WHERE kind_id = ?", (VIRTUAL,))
    bases = _bases(conn)
    related = {*bases, *(base for nearest in bases.values() for base in nearest)}
    methods: _Methods = defaultdict(dict)
    for row in conn.execute(
        "SELECT u.id, u.name, u.signature, u.file_id, u.line, u.origin = 'clang',"
        " u.origin = 'clang' AND NOT EXISTS (SELECT 1 FROM function_overrides AS x WHERE x.function_id = u.id),"
        " q.is_definition = 0 AND ("
        "  EXISTS (SELECT 1 FROM function_overrides AS x WHERE x.overridden_id = u.id)"
        "  OR EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = u.id AND c.code = ?))"
        " FROM functions AS u LEFT JOIN function_usrs AS q ON q.function_id = u.id"
        " WHERE u.kind IN ('method', 'operator') AND u.name NOT GLOB '*::operator=' ORDER BY u.id",
        (call_code("virtual", "clang"),),
    ):
        owner, _, last = row[1].rpartition("::")
        if owner in related:
            methods[owner].setdefault(last, []).append(_Row(*row))
    conn.executemany(
        "INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps) VALUES (?, ?, ?, ?, ?, 0)",
        sorted(
            (method.id * 16, base.id * 16, VIRTUAL, method.file_id, method.line)
            for base, method in _overriding(bases, methods)
        ),
    )
    conn.execute(_NO_FUNCTORS)


def _bases(conn: sqlite3.Connection) -> dict[str, list[str]]:
    """All bases of each class that has some, the nearest first."""
    written: dict[str, list[str]] = {}
    for name, base in conn.execute(
        "SELECT c.name, b.base FROM cpp_bases AS b JOIN cpp_classes AS c ON c.id = b.class_id"
        " ORDER BY b.class_id, b.position"
    ):
        written.setdefault(name, []).append(base)
    for name, made in made_bases(conn).items():
        written.setdefault(name, made)
    known: dict[str, list[str]] = {}  # by the last part of their names
    for (name,) in conn.execute("SELECT DISTINCT name FROM cpp_classes ORDER BY name"):
        known.setdefault(name.rpartition("::")[2], []).append(name)
    direct = {
        name: [named for base in bases if (named := _named(base, name, known)) is not None]
        for name, bases in written.items()
    }
    every: dict[str, list[str]] = {}
    for name, nearest in direct.items():
        found: list[str] = []
        waiting = [*nearest]
        while waiting:
            base = waiting.pop(0)
            if base != name and base not in found:
                found.append(base)
                waiting += direct.get(base, ())
        if found:
            every[name] = found
    return every


def _named(written: str, name: str, known: dict[str, list[str]]) -> str | None:
    """The base that a class names: seen from where it stands, or the only class of that name."""
    alike = known.get(written.rpartition("::")[2], [])
    plain = written.removeprefix("::")
    scope = "" if plain != written else name.rpartition("::")[0]
    while True:
        whole = f"{scope}::{plain}" if scope else plain
        if whole in alike and whole != name:
            return whole
        if not scope:
            break
        scope = scope.rpartition("::")[0]
    ending = [other for other in alike if other.endswith(f"::{plain}")] or alike
    return ending[0] if len(ending) == 1 else None


def _overriding(bases: dict[str, list[str]], methods: _Methods) -> Iterator[tuple[_Row, _Row]]:
    """Methods of bases, each with one that overrides it and nothing nearer."""
    known: dict[int, _Told] = {}

    def told(method: _Row) -> _Told:
        found = known.get(method.id)
        if found is None:
            found = known[method.id] = _read(method)
        return found

    for name, nearest in bases.items():
        for last, derived in methods.get(name, {}).items():
            waiting = [method for method in derived if not method.is_exact or _is_left(method)]
            for base in nearest if waiting else ():
                others = methods.get(base, {}).get(last)
                if others is None:
                    continue
                tolds = [(other, told(other)) for other in others]
                found = [
                    (other, method)
                    for method in waiting
                    for other, of_other in tolds
                    if _overrides(told(method), of_other, len(others))
                ]
                yield from found
                if found:
                    break


def _is_left(method: _Row) -> bool:
    """Whether a method that clang saw says that it overrides one, which clang did not see."""
    return bool(method.is_untold) and _SAYS.search(method.signature) is not None


def _overrides(method: _Told, base: _Told, overloaded: int) -> bool:
    """Whether a method overrides one of a base's that has its name.

    Args:
        method: of the derived class.
        base: the other.
        overloaded: how many of that name the base has.
    """
    if not base.says and (base.is_inside or (method.is_inside and not method.says)):
        return False
    if base.qualifiers not in (None, method.qualifiers) or len(method.types) != len(base.types):
        return False
    if method.says and overloaded == 1:
        return True  # types have more than one spelling
    if method.types != base.types:
        return False
    if method.says or base.says:
        return True
    return not (method.is_template or base.is_template) and method.returned == base.returned


def _read(method: _Row) -> _Told:
    """Take a head apart."""
    signature, last = method.signature, method.name.rpartition("::")[2]
    if method.is_declared_virtual:
        signature = f"virtual {signature}"
    tail = signature.rpartition(")")[2]
    found = name_and_bracket(signature, last)
    head = signature[: found[0]] if found is not None else ""
    returned = _OWNERS.sub("", head)
    is_inside = found is not None and returned == head
    if returned.strip() == "auto" and "->" in tail:
        returned = tail.rpartition("->")[2]
    # `void Impl<D>::f(`: the class is the template.
    is_template = head.startswith("template") and not head.rstrip().endswith(">::")
    parameters = parameters_of(signature, method.name) or []
    return _Told(
        signature.startswith("virtual ") or " override" in tail or " final" in tail,
        is_inside,
        is_template,
        tuple(_type(parameter) for parameter in parameters),
        None if method.is_declared_virtual else "const" in tail,
        _UNTOLD.sub("", returned),
    )


def _type(parameter: str) -> str:
    """A parameter's type, in the one spelling that those of a method and of one that overrides it have."""
    text = _CONST_VALUE.sub("", _ATTRIBUTE.sub("", parameter).strip()).strip()
    # The namespace before white space goes: in `constat::Device&` it has no beginning.
    return "".join(_SCOPE.sub("", OWN_NAME.sub(r"\1", text)).split())
