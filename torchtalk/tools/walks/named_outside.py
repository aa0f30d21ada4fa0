"""Where Python's own text names a function outside of functions: such code runs with the import and is no caller.

What a module or a class body calls, hands on, puts into a table or has for a default value runs when its file is
imported (Doc/reference/executionmodel.rst, Structure of a program). No function stands for it in the graph, or
everybody who imports the file would use what it calls; so it is said beside the callers. Decorators are told of
elsewhere.
"""

from __future__ import annotations

import ast
import re
import sqlite3
from bisect import bisect_right
from collections.abc import Iterator, Sequence, Set

from torchtalk.affected.sources import Source, Sources
from torchtalk.counted import few
from torchtalk.graph import nodes
from torchtalk.sqlfile import listed
from torchtalk.tools.walks import queries

_MOST_SHOWN = 4
_LONGEST = 100


def named_outside(conn: sqlite3.Connection, codes: Sequence[int], is_used: bool) -> str:
    """What to say of where a function is named outside of functions; an empty text where it is not.

    Args:
        conn: an index.
        codes: the nodes that are asked about; what is no one function of Python has no such places.
        is_used: whether callers of it are known. Then its own file alone is looked at, else those that import it, too.
    """
    functions = nodes.ids(codes, nodes.PYTHON)
    if len(functions) != 1 or len(codes) != 1:
        return ""
    row = conn.execute(queries("named_outside")["function"], {"id": functions[0]}).fetchone()
    if row is None:
        return ""
    module, name, file = row["module"], row["name"], row["file_id"]
    first, last = name.partition(".")[0], name.rpartition(".")[2]
    known = [(module, first)]
    if not is_used:
        of = {"module": module, "first": first}
        known = [tuple(each) for each in conn.execute(queries("named_outside")["names"], of)]
    heirs = [] if is_used or "." not in name else _heirs(conn, functions[0], last)
    modules = tuple(dict.fromkeys(each for each, _ in (*known, *heirs)))
    parts = (each.rpartition(".") for each in modules)
    imports = () if is_used else (*modules, *(f"{package}:{part}" for package, _, part in parts))
    files = conn.execute(
        queries("named_outside")["naming"],
        {"file": file, "modules": listed(modules), "imports": listed(imports)},
    ).fetchall()
    rest = name[len(first) :]
    paths = frozenset(f"{each}.{alias}{rest}" for each, alias in known)
    paths |= {f"{each}.{heir}.{last}" for each, heir in heirs}
    sources = Sources(conn)
    found = [
        place
        for source in sources.holding(files, (last,))
        if source.is_indexed and _may_name(conn, source, last)
        for place in _places(source, paths, last)
    ]
    if not found:
        return ""
    more = f" ({sources.shortfall})" if sources.shortfall else ""
    return f"the text names it outside of functions, where no call is followed, at {few(found, _MOST_SHOWN)}{more}"


def _heirs(conn: sqlite3.Connection, function: int, last: str) -> list[tuple[str, str]]:
    """The classes that inherit a method, by module and name there."""
    rows = conn.execute(queries("named_outside")["heirs"], {"id": function, "last": last})
    return [(row["module"], row["name"]) for row in rows]


def _may_name(conn: sqlite3.Connection, source: Source, last: str) -> bool:
    """Whether a name stands on a line outside of the bodies that the index knows: most files need not be parsed."""
    rows = conn.execute(queries("named_outside")["bodies"], {"file": source.id}).fetchall()
    starts = [row["line"] for row in rows]
    ends: list[int] = []
    for row in rows:
        ends.append(max(row["end_line"], ends[-1] if ends else 0))
    at, line = 0, 1
    for match in re.finditer(rf"\b{re.escape(last)}\b", source.text):
        line += source.text.count("\n", at, match.start())
        at = match.start()
        body = bisect_right(starts, line - 1) - 1
        if body < 0 or line > ends[body]:
            return True
    return False


def _places(source: Source, paths: Set[str], last: str) -> Iterator[str]:
    """Places and lines of a file that name a function outside of functions."""
    from indexer.extract.python import read_names
    from indexer.extract.python.unit import PyUnit, Unparsable

    unit = PyUnit(source.path, source.text.encode())
    try:
        reading = read_names(unit)
    except Unparsable:
        return
    lines = source.text.split("\n")
    seen = set()
    for node, owner in _named(unit.module, last, ""):
        target = reading.scope.target(_dotted(node))
        if owner and not target.startswith(f"{reading.scope.module}.{owner}"):
            own = f"{reading.scope.module}.{owner}.{_dotted(node)}"
            target = own if own in paths else target
        if target not in paths or node.lineno in seen:
            continue
        seen.add(node.lineno)
        written = " ".join(lines[node.lineno - 1].split())
        cut = written if len(written) <= _LONGEST else f"{written[:_LONGEST]} …"
        yield f"{source.path}:{node.lineno} `{cut}`"


def _named(node: ast.AST, last: str, owner: str) -> Iterator[tuple[ast.Name | ast.Attribute, str]]:
    """The uses of a name in a module and its classes, and the class that each stands in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for decorator in child.decorator_list:
                if isinstance(decorator, ast.Call):
                    for argument in (*decorator.args, *decorator.keywords):
                        yield from _named(ast.Expr(argument), last, owner)  # type: ignore[arg-type]
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for default in (*child.args.defaults, *child.args.kw_defaults):
                if default is not None:
                    yield from _named(ast.Expr(default), last, owner)
        elif isinstance(child, ast.ClassDef):
            within = f"{owner}.{child.name}" if owner else child.name
            yield from _named(ast.Module(child.body, []), last, within)
        elif isinstance(child, (ast.Name, ast.Attribute)) and isinstance(child.ctx, ast.Load):
            if last == (child.id if isinstance(child, ast.Name) else child.attr):
                yield child, owner
            else:
                yield from _named(child, last, owner)
        else:
            yield from _named(child, last, owner)


def _dotted(node: ast.expr) -> str:
    from indexer.extract.python.scope import dotted

    return dotted(node)
