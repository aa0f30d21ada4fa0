"""Python files: classes, functions, imports and calls, from one look at each file."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from indexer.extract.python import (
    asked_names,
    binding_rules,
    classes,
    decorator_tables,
    distributions,
    documented,
    generated_cpp,
    module_code,
    names_in_texts,
    stubs,
    template_texts,
)
from indexer.extract.python.argument_values import GivenCall, Waiting, WaitingFunctions
from indexer.extract.python.attribute_forwarding import conforming, forwarded
from indexer.extract.python.autograd_functions import is_given_tensors
from indexer.extract.python.calls import BodyReader
from indexer.extract.python.definitions import Definitions, FunctionNode, assignment_bindings
from indexer.extract.python.doc_lines import doc_lines
from indexer.extract.python.export_decorators import listed_by_decorators
from indexer.extract.python.flow import Flow
from indexer.extract.python.getattr_attributes import answered
from indexer.extract.python.lexical import Span, first_paragraph
from indexer.extract.python.local_classes import local_classes
from indexer.extract.python.made_classes import made_classes
from indexer.extract.python.made_names import add_made_names
from indexer.extract.python.module_aliases import add_module_aliases
from indexer.extract.python.return_values import returned, with_overloads
from indexer.extract.python.scope import Scope, dotted, module_name, one_of
from indexer.extract.python.taken_names import add_taken_names
from indexer.extract.python.tensor_parameters import FORWARDS, tensor_parameters
from indexer.extract.python.unit import PyUnit, Unparsable
from indexer.extract.python.value_texts import GIVING, TENSOR, first_known
from indexer.facts.operators import Shortfall
from indexer.facts.python import (
    BindingRule,
    NativeBinding,
    PythonBinding,
    PythonFile,
    PythonFunction,
    WrittenCall,
)

LAYER = "python"
_ASKING = re.compile(r"isinstance\(\w+, (?:torch\.)?Tensor\)")


class Reading(NamedTuple):
    """A file's definitions and names, for the extractors that share them.

    Args:
        unit: the file.
        definitions: what its statements define.
        scope: what its module-level names stand for.
        bindings: names that it imports from the tree, then those that it assigns.
    """

    unit: PyUnit
    definitions: Definitions
    scope: Scope
    bindings: list[PythonBinding]


def extract(
    path: str, data: bytes
) -> Iterable[PythonFile | BindingRule | NativeBinding | WrittenCall | Shortfall]:
    """What one Python file defines, imports, exports and calls.

    Args:
        path: relative to the source tree, with `/`; `.py`, or `.pyi`, of which only those of
            `torch._C` say something that no other file does.
        data: the file's bytes.

    Returns:
        One `PythonFile`, or a `Shortfall` that says where the file is no Python; from some files
        the rules of the generator of bindings and what the C++ calls that it writes, and a `Shortfall` for each class
        within a function.
    """
    if path.endswith(".pyi"):
        if stubs.wants(path):
            yield from stubs.extract(path, data)
        return
    unit = PyUnit(path, data)
    try:
        file = read_file(unit)
        yield file
    except Unparsable as error:
        yield Shortfall(LAYER, "failed", str(error))
        return
    if unit.is_packaged:
        yield from local_classes(unit, read_names(unit).definitions)
    if binding_rules.wants(path):
        yield from binding_rules.read(unit)
    if generated_cpp.wants(path):
        yield from generated_cpp.written_calls(unit, file, read_names(unit).definitions)


@functools.lru_cache(maxsize=1)  # the extractors of one file run one after the other
def read_names(unit: PyUnit) -> Reading:
    """The definitions of `unit`, one Python file, and what its names stand for.

    Raises:
        Unparsable: the file is no valid Python.
    """
    path = unit.path
    definitions = Definitions(module_name(path), path.endswith("/__init__.py"))
    definitions.read(unit.module.body)
    add_made_names(unit, definitions)
    add_taken_names(unit, definitions)
    add_module_aliases(unit, definitions)
    own: dict[str, set[str]] = {found.name: set() for found in definitions.classes}
    module = definitions.module
    scope = Scope(module)
    bindings = [binding for binding in definitions.imports if scope.add_import(binding)]
    for name in definitions.stood_in:
        paths = [b.target.replace(":", ".") for b in bindings if (b.scope, b.name) == ("", name)]
        if len(paths) == 2 and scope.names.get(name) in paths:
            scope.names[name] = one_of(paths[1], paths[0])  # handlers are read first
    # What comes with Python, in whose place something else stands where it is missing.
    brought = {b.name for b in definitions.imports if not (b.guarded or b.scope)} & {*scope.foreign}
    for found in definitions.classes:
        outer, _, name = found.name.rpartition(".")
        if outer:
            own[outer].add(name)
        elif not (found.guarded and name in brought):
            scope.names[name] = f"{module}.{name}"
    for function in definitions.functions:
        name = function.node.name
        if function.scope:
            own[function.scope].add(name)
        elif not (function.guarded and name in brought):
            scope.names[name] = f"{module}.{name}"
    for assignment in definitions.assignments:
        if assignment.scope:
            own[assignment.scope].add(assignment.name)
        elif not (assignment.guarded and assignment.name in brought):
            scope.names.setdefault(assignment.name, f"{module}.{assignment.name}")
    assigned = list(assignment_bindings(definitions.assignments, scope, own))
    made = classes.metaclasses(definitions.classes, scope)
    return Reading(unit, definitions, scope, [*bindings, *assigned, *made])


def read_file(unit: PyUnit) -> PythonFile:
    """All facts of `unit`, one Python file.

    Raises:
        Unparsable: the file is no valid Python.
    """
    reading = read_names(unit)
    definitions, scope = reading.definitions, reading.scope
    functions = [
        classes.read_function(unit, found, scope)
        for found in definitions.functions
        if found.node.lineno in unit.spans
    ]
    bodies = BodyReader(unit, definitions, scope)
    _read_bodies(reading, functions, bodies)
    if unit.is_packaged:
        gives = returned(unit, definitions.functions, scope)
        functions = [
            fact._replace(returns=first_known(gives[fact.line], fact.returns))
            if fact.line in gives and (not fact.returns or fact.returns.startswith(GIVING))
            else fact
            for fact in with_overloads(functions)
        ]
        decorator_tables.read(unit, definitions, scope, bodies.calls)
        asked_names.read(unit, definitions, bodies.names_of, bodies.calls)
        template_texts.read(unit, definitions, bodies.names_of, bodies.calls)
        bodies.attributes += answered(unit, definitions.functions, scope)
        bodies.attributes += forwarded(unit, definitions.functions, scope)
        bodies.attributes += conforming(unit, definitions.functions, scope)
    else:
        names_in_texts.read(unit, definitions, bodies.names_of, bodies.calls)
    if module_code.wants(unit.path):
        position = len(functions)
        has_any = module_code.read(unit, definitions, scope, bodies.calls, position)
        functions += module_code.function(has_any)
    ends: dict[str, int] = {}
    for function in functions:
        outer = function.scope
        while outer:
            ends[outer] = max(ends.get(outer, 0), function.end_line)
            outer = outer.rpartition(".")[0]
    found_classes = []
    names = {found.name for found in definitions.classes}
    for found in definitions.classes:
        fact = classes.read_class(unit, found, scope, definitions.docs.get(found.name), names)
        found_classes.append(fact._replace(end_line=max(fact.end_line, ends.get(fact.name, 0))))
    found_classes += made_classes(unit, definitions, scope)
    exports = definitions.exports
    if exports is not None:
        exports += listed_by_decorators(unit, definitions.functions)
    return PythonFile(
        unit.path,
        definitions.module,
        definitions.is_package,
        first_paragraph(_module_doc(unit)),
        None if exports is None else tuple(exports),
        tuple(reading.bindings) + tuple(dict.fromkeys(bodies.attributes)),
        tuple(found_classes),
        tuple(functions),
        bodies.calls.packed(),
        doc_lines(unit, functions),
    )


def _read_bodies(reading: Reading, functions: list[PythonFunction], bodies: BodyReader) -> None:
    unit = reading.unit
    stepping = {
        found.scope
        for found in reading.definitions.functions
        if found.node.name == "step" and any(a.arg == "closure" for a in found.node.args.args)
    } - {""}
    waiting = WaitingFunctions(reading.definitions.module)
    position = -1
    computes = distributions.is_of_distributions(unit.path)
    constrained: dict[str, set[str]] = {}
    if computes:
        for binding in distributions.parameters(reading.definitions):
            bodies.attributes.append(binding)
            constrained.setdefault(binding.scope, set()).add(binding.name)
        bodies.attributes += distributions.base_distributions(
            unit, reading.definitions, reading.scope
        )
    for found in reading.definitions.functions:
        span = unit.spans.get(found.node.lineno)
        if span is None:
            continue
        position += 1
        if not unit.is_packaged:
            bodies.read(position, found, span)
            continue
        is_own = found.scope in stepping
        is_typed = _handles_tensors(unit, found, span)
        known: dict[str, str] = {}
        if computes:
            own = frozenset(constrained.get(found.scope, ()))
            known = distributions.known_parameters(found, reading.scope, own)
        if functions[position].doc:
            said = documented.tensor_parameters(found, unit.text, span.body, span.end)
            known |= dict.fromkeys(said, TENSOR)
        is_followed = is_typed or is_own or computes or _asks(unit, span)
        function = Waiting(position, found, span, is_followed)
        if is_typed or known or (is_own and found.node.name == "step"):
            waiting.give(_follow(reading, functions, bodies, function, known, is_typed))
        else:
            waiting.add(function)
    for function, values in waiting.released():
        waiting.give(_follow(reading, functions, bodies, function, values, False))
    for position, found, span, _ in waiting.rest():
        bodies.read(position, found, span)


def _follow(
    reading: Reading,
    functions: list[PythonFunction],
    bodies: BodyReader,
    function: Waiting,
    values: dict[str, str],
    is_typed: bool,
) -> list[GivenCall]:
    """Read a body by its values; what it calls in its file, with those that it hands over."""
    unit, (position, found, span, _) = reading.unit, function
    node = unit.function(span)
    if node is None:
        bodies.read(position, found, span)
        return []
    # The attributes that it sets are read from the text as everywhere, by what is known of its parameters; and first,
    # for what it reads of them.
    names = bodies.parameters(found)
    names.names.update(values)
    bodies.read_locals(position, found, span, names)
    names = bodies.parameters(found)
    names.names.update(values)
    names.names.update(dict.fromkeys(tensor_parameters(node), TENSOR))
    offset = unit.line(span.start) - 2
    flow = Flow(position, names, reading.definitions, offset, bodies.calls, bodies.property_reads)
    flow.read(node.body)
    returns = functions[position].returns
    if not returns or (returns.startswith(GIVING) and flow.returned):
        functions[position] = functions[position]._replace(
            returns=first_known(flow.returned, returns)
        )
    bodies.read_handed(position, found, span, names)
    bodies.read_members(position, found, span, names)
    return flow.given


def _handles_tensors(unit: PyUnit, found: FunctionNode, span: Span) -> bool:
    """Whether what a function does with values is worth following.

    Its signature says `Tensor`, it or its decorator lets tensor-likes override it (torch/overrides.py), or it is the
    `forward` of a module or the gradient of an autograd function.
    """
    text = unit.text
    return (
        text.find("Tensor", span.name_end, span.body) >= 0
        or found.node.name in FORWARDS
        or text.find("_torch_function", span.body, span.end) >= 0
        or is_given_tensors(found)
        or any("_torch_function" in dotted(node) for node in found.node.decorator_list)
    )


def _asks(unit: PyUnit, span: Span) -> bool:
    """Whether a function asks if something is a tensor."""
    return _ASKING.search(unit.code, span.body, span.end) is not None


def _module_doc(unit: PyUnit) -> str:
    body = unit.module.body
    if body:
        value = getattr(body[0], "value", None)
        text = getattr(value, "value", None)
        if isinstance(text, str):
            return text
    return ""
