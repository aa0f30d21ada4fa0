"""The call graph of a real tree beside what another compiler says: LLVM IR of some units, kept in tests/data.

Compared are calls whose caller stands in the unit's own file. Of these, a call is *written* where the callee's name
stands in the caller's body; what no line shows is implicit: constructors, destructors and operators, range-for's begin
and end, the functions that TORCH_CHECK ends at.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

FACTS = Path(__file__).resolve().parent.parent / "data" / "llvm-calls-2.6.0.json.xz"
PROJECT = re.compile(r"(?:at|c10|torch|caffe2|functorch|c10d)::")

_STRUCTURED = re.compile(r"\bstructured_(\w+)::impl$")
_CONVERSION = re.compile(r"::operator (?!new|delete|[^\w]).*")
# Edges that IR has in another form, or none: indirect calls, addresses, launches.
_INDIRECT = frozenset(("virtual", "reference", "stub", "launch", "candidate"))


@dataclass
class Figures:
    """How much of the compiler's calls a graph has, and how many of its calls the compiler has.

    Args:
        written: calls that the text shows, in the compiler's output.
        called: those that the graph has as a call.
        possible: those it has as one of several candidates, or by the name of an operator.
        implicit: calls that the text does not show.
        implied: those that the graph has.
        shown: direct calls of the graph in functions that the compiler has; constructors and operators apart, since
            trivial ones have no code.
        right: those that the compiler has as well.
        missing: examples of what the graph lacks, and wrong: of what it has too much.
    """

    written: int = 0
    called: int = 0
    possible: int = 0
    implicit: int = 0
    implied: int = 0
    shown: int = 0
    right: int = 0
    missing: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def recall(self) -> float:
        """Of the written calls, those that the graph has in any form."""
        return (self.called + self.possible) / self.written

    @property
    def precision(self) -> float:
        """Of the graph's direct calls, those that the compiler has."""
        return self.right / self.shown


def truth() -> dict[str, dict[str, set[str]]]:
    """For each unit and caller what it calls; a structured kernel by its name inside `TORCH_IMPL_FUNC`."""
    kept: Mapping[str, Mapping[str, list[str]]] = json.loads(lzma.decompress(FACTS.read_bytes()))
    found: dict[str, dict[str, set[str]]] = {}
    for unit, callers in kept.items():
        named = found[unit] = {}
        for caller, callees in callers.items():
            named.setdefault(_STRUCTURED.sub(r"\1", caller), set()).update(callees)
    return found


def compare(conn: sqlite3.Connection, root: Path) -> Figures:
    """Compare an index with the compiler.

    Args:
        conn: of an index of the tree.
        root: of the tree.
    """
    figures = Figures()
    for unit, callers in truth().items():
        text = (root / unit).read_text(encoding="utf-8", errors="replace").split("\n")
        bodies: dict[str, str] = {}
        for name, line, end in conn.execute(
            "SELECT name, line, end_line FROM v_functions WHERE file = ?", (unit,)
        ):
            body = "\n".join(text[line - 1 : end])
            bodies[_plain(name)] = bodies.get(_plain(name), "") + "\n" + body
        graph = _graph(conn, unit)
        operators = _operators(conn, unit)
        for caller, callees in callers.items():
            if caller in bodies:
                ours = graph.get(caller, {})
                for callee in callees:
                    _find(
                        figures, caller, callee, bodies[caller], ours, operators.get(caller, set())
                    )
        for caller, found in graph.items():
            for callee, kinds in found.items():
                if caller == callee or caller not in callers or kinds <= _INDIRECT:
                    continue
                if PROJECT.match(callee) and not _is_implicit(callee, callee.rpartition("::")[2]):
                    is_right = callee in callers[caller]
                    figures.shown += 1
                    figures.right += is_right
                    if not is_right:
                        figures.wrong[caller, callee] += 1
    return figures


def _find(
    figures: Figures,
    caller: str,
    callee: str,
    body: str,
    ours: dict[str, set[str]],
    operators: set[str],
) -> None:
    last = callee.rpartition("::")[2]
    kinds = ours.get(callee)
    if _is_implicit(callee, last) or not re.search(rf"\b{re.escape(last)}\b", body):
        figures.implicit += 1
        figures.implied += kinds is not None
        return
    figures.written += 1
    if kinds is not None and not kinds <= {"candidate"}:
        figures.called += 1
    elif kinds is not None or last in operators:
        figures.possible += 1
    else:
        figures.missing[caller, callee] += 1


def _is_implicit(callee: str, last: str) -> bool:
    scope = callee.rpartition("::")[0]
    return last.startswith(("~", "operator")) or last == scope.rpartition("::")[2]


def _graph(conn: sqlite3.Connection, unit: str) -> dict[str, dict[str, set[str]]]:
    found: dict[str, dict[str, set[str]]] = {}
    rows = conn.execute("SELECT caller, callee, kind FROM v_calls WHERE file = ?", (unit,))
    for caller, callee, kind in rows:
        found.setdefault(_plain(caller), {}).setdefault(_plain(callee), set()).add(kind)
    return found


def _operators(conn: sqlite3.Connection, unit: str) -> dict[str, set[str]]:
    """Operators that functions call by name, where the function of the generated API is not known."""
    found: dict[str, set[str]] = {}
    for caller, callee in conn.execute(
        "SELECT u.name, o.callee FROM operator_calls AS o JOIN functions AS u ON u.id = o.caller_id"
        " JOIN source_files AS f ON f.id = u.file_id WHERE f.path = ?",
        (unit,),
    ):
        found.setdefault(_plain(caller), set()).add(callee.rpartition("::")[2])
    return found


def _plain(name: str) -> str:
    return _CONVERSION.sub("::operator conversion", name)


def main() -> None:
    """Print the figures of an index: python -m tests.real.llvm_calls DB TREE."""
    parser = argparse.ArgumentParser(prog="python -m tests.real.llvm_calls", description=__doc__)
    parser.add_argument("db", type=Path, help="an index of PyTorch 2.6.0")
    parser.add_argument("tree", type=Path, help="that it was made from")
    options = parser.parse_args()
    conn = sqlite3.connect(f"{options.db.absolute().as_uri()}?mode=ro", uri=True)
    figures = compare(conn, options.tree)
    print(
        f"written {figures.written}: called {figures.called}, possible {figures.possible}: {figures.recall:.3%}"
    )
    print(f"implicit {figures.implicit}: {figures.implied}")
    print(f"shown {figures.shown}: right {figures.right}: {figures.precision:.3%}")
    for what, counted in (("missing", figures.missing), ("wrong", figures.wrong)):
        for (caller, callee), _ in counted.most_common(40):
            print(f"  {what}: {caller} -> {callee}")


if __name__ == "__main__":
    main()
