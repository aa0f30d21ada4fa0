"""Attributes that are asked for by a name which is put together: `getattr(self, "build_" + type(node).__name__)`.

Any whose name begins, and ends, as the text says may be meant: the methods that torch/_dynamo/variables/tensor.py has
for those of tensors (`method_{name}`), and torch/jit/frontend.py for kinds of nodes, are called in no other way. Nor
are those for instructions of Python's bytecode (`LOAD_CONST` of torch/_dynamo/symbolic_convert.py), which are looked up
by what `dis.Instruction` calls its operation. Of a class that the
function names itself, and of an object that it makes, any method may be meant that is called on the spot by a name of
which nothing is known: `getattr(SymPyOps, name)(*args)`. Names that stand in tables are those of asked_tables.py.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from indexer.extract.python import asked_tables
from indexer.extract.python.brackets import closing
from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import INSTRUCTION, MADE_NAME, REGISTERED, PythonCalls

# The parts of a name around what is put in: `f"visit_{kind}"`, `"visit_" + kind`, `"visit_%s" % kind` and
# `"visit_{}".format(kind)`.
_PUT_TOGETHER = (
    r"(?:f(?P<f>[\"'])(?P<of_f>\w+)\{[^{}\"'\n]+\}(?P<f_end>\w*)(?P=f)"
    r"|(?P<q>[\"'])(?P<of_q>\w+)"
    r"(?:%s(?P<percent_end>\w*)(?P=q)\s*%|\{\d?\}(?P<format_end>\w*)(?P=q)\.format\(|(?P=q)\s*\+))"
)
_ASKED = re.compile(
    rf"(?<![\w.])getattr\(\s*(?P<owner>\w+(?:\.\w+)*),\s*(?:{_PUT_TOGETHER}|(?P<variable>\w+)\s*[,)])"
)
_GIVEN = re.compile(rf"\n[ \t]+(?P<name>\w+)(?:: *str)? = {_PUT_TOGETHER}")
# `self.dispatch_table[inst.opcode](self, inst)`, or before PyTorch 2.3 `getattr(self, inst.opname)(inst)`.
_BY_INSTRUCTION = re.compile(
    r"(?<![\w.])(?:self\.\w+\[\w+\.opcode\]\(|getattr\(self, \w+\.opname\)\()"
)
_OF_INSTRUCTION = re.compile(r"\.op(?:code\]|name\))\(")
_RETURNED = re.compile(rf"\n[ \t]+return {_PUT_TOGETHER}")
# Shorter beginnings are those of names of many kinds.
_LEAST = 3


def read(
    unit: PyUnit,
    definitions: Definitions,
    names_of: Callable[[FunctionNode, Span], Locals],
    calls: PythonCalls,
) -> None:
    """Add what a file's functions ask for by such names.

    Args:
        unit: the file.
        definitions: its functions.
        names_of: what the names inside a function stand for, which stands at a place of the text.
        calls: where it is added.
    """
    by_instruction = (
        [match.start() for match in _BY_INSTRUCTION.finditer(unit.code)]
        if _OF_INSTRUCTION.search(unit.code)
        else []
    )
    if "getattr(" not in unit.code and not by_instruction:
        return
    functions = [f for f in definitions.functions if f.node.lineno in unit.spans]
    spans = [unit.spans[found.node.lineno] for found in functions]
    order = sorted(range(len(functions)), key=lambda position: spans[position].body)
    bodies = [spans[position].body for position in order]

    def within(at: int) -> int | None:
        """The function of the module or of a class that a place is in, if any."""
        last = bisect_right(bodies, at) - 1
        return order[last] if last >= 0 and at < spans[order[last]].end else None

    for at in by_instruction:
        position = within(at)
        if position is not None:
            names = names_of(functions[position], spans[position])
            if target := names.target(f"self.{INSTRUCTION}"):
                calls.add(position, target, REGISTERED, unit.line(at))
    tables: list[tuple[int, re.Match[str]]] = []
    for match in _asked(unit):
        at = match.start()
        position = within(at)
        if position is None:
            continue
        name = _name(match)
        if match["variable"]:
            given = [
                _name(each)
                for each in _GIVEN.finditer(unit.text, spans[position].body, at)
                if each["name"] == match["variable"]
            ]
            name = given[-1] if given else _made_by(unit, functions, spans, match, position)
            if not name:
                tables.append((position, match))
                is_made = _is_made(unit, spans[position], match["owner"], at)
                if not is_made or not _is_called(unit, at):
                    continue
                name = MADE_NAME
        if name != MADE_NAME and len(name.partition(MADE_NAME)[0]) < _LEAST:
            continue
        names = names_of(functions[position], spans[position])
        target = names.target(f"{match['owner']}.{name}")
        if target:
            calls.add(position, target, REGISTERED, unit.line(at))
    asked_tables.read(unit, functions, spans, tables, calls)


def _is_made(unit: PyUnit, span: Span, owner: str, at: int) -> bool:
    """Whether a name is a class's, or an object's that is made there: those of others are mostly for more than this."""
    made = rf"\n[ \t]+{re.escape(owner)} = (?:\w+\.)*[A-Z]\w*\("
    return owner.rpartition(".")[2][:1].isupper() or bool(
        re.search(made, unit.code[span.body : at])
    )


def _is_called(unit: PyUnit, at: int) -> bool:
    """Whether what is asked for is called on the spot."""
    end = closing(unit.code, at + len("getattr"))
    return end > 0 and unit.code.startswith("(", end)


def _made_by(
    unit: PyUnit,
    functions: Sequence[FunctionNode],
    spans: Sequence[Span],
    match: re.Match[str],
    position: int,
) -> str:
    """What is known of a name that another function of the file puts together: `name = name_of(kind)`."""
    given = re.search(
        rf"\n[ \t]+{match['variable']} = (\w+)\(",
        unit.code[spans[position].body : match.start()],
    )
    for found, span in zip(functions, spans, strict=True) if given else ():
        if given and found.name == given[1] and not found.scope:
            made = {_name(each) for each in _RETURNED.finditer(unit.text, span.body, span.end)}
            return made.pop() if len(made) == 1 else ""
    return ""


def _asked(unit: PyUnit) -> Iterator[re.Match[str]]:
    """Where something is asked for a name; the search for a plain text is many times faster than the expression."""
    at = unit.code.find("getattr(")  # not in a string or comment
    while at >= 0:
        match = _ASKED.match(unit.text, at)
        if match:
            yield match
        at = unit.code.find("getattr(", at + 1)


def _name(match: re.Match[str]) -> str:
    """What is known of a name, with a sign for what is put in; an empty string where it is in a variable."""
    if match["of_f"]:
        return f"{match['of_f']}{MADE_NAME}{match['f_end']}"
    end = match["percent_end"] or match["format_end"] or ""
    return f"{match['of_q']}{MADE_NAME}{end}" if match["of_q"] else ""
