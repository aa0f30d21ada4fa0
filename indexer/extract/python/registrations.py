"""Registrations in Python: torch.library, custom_op, py_impl, and the tables that become Meta kernels."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from indexer.extract.python.higher_order import HIGHER_ORDER_WORDS, higher_order
from indexer.extract.python.meta_activation import excluded_by_call, meta_activation
from indexer.extract.python.registrations_api import Api
from indexer.extract.python.registrations_eval import Interpreter
from indexer.extract.python.registrations_expressions import MAX_STEPS
from indexer.extract.python.registrations_helpers import helpers, use
from indexer.extract.python.registrations_record import HIGHER_ORDER
from indexer.extract.python.registrations_values import Ref
from indexer.extract.python.unit import Unparsable, parse
from indexer.facts.registrations import (
    HelperUse,
    MetaExclusion,
    MetaGuard,
    MetaLibrary,
    Registration,
    RegistrationHelper,
    UnreadRegistration,
)

_WORTH_READING = (
    b"torch.library", b"import library", b"Library(", b"custom_op(", b"register_fake", b"impl_abstract", b"py_impl(",
    b"register_decomposition(", b"_add_op_to_registry(", b"_make_prim(",
    b"register_op_override(", *HIGHER_ORDER_WORDS,
)  # fmt: skip
_CALLS = re.compile(
    rb"L(?<!\wL)ibrary\(|library\.(?:_?impl|define|custom_op|register_|impl_abstract|triton_op|_scoped_library)"
    rb"|@(?:_?impl|custom_op|triton_op|register_\w+)\(|r(?<!\wr)egister_(?:decomposition|fake|op_override)\("
    rb"|p(?<!\wp)y_impl\(|i(?<!\wi)mpl_abstract\(|_(?<!\w_)(?:add_op_to_registry|make_prim)\("
    rb"|H(?<!\wH)igherOrderOperator\b|P(?<!\wP)(?:rimHOPBase|yOperator)\b|B(?<!\wB)aseHOP\b"
)
# Each begins with one of a few bytes, which lets the search skip everything else.
_REGISTERS = re.compile(
    rb"(?:i(?<!\wi)mpl(?:_abstract)?|_(?<!\w_)(?:impl|register_\w+)|p(?<!\wp)y_impl|d(?<!\wd)efine|f(?<!\wf)allback"
    rb"|c(?<!\wc)ustom_op|t(?<!\wt)riton_op|r(?<!\wr)egister_\w+|L(?<!\wL)ibrary)\("
)
_TEST = re.compile(r"(?:^|/)tests?/|_test\.py$|(?:^|/)test_\w+\.py$")

PythonFact = (
    Registration | RegistrationHelper | HelperUse | MetaExclusion | MetaGuard | MetaLibrary
    | UnreadRegistration
)  # fmt: skip


def may_register(path: str) -> bool:
    """Whether what the Python file at `path` registers can be there without a test that is run."""
    return path.startswith("torch/") or _TEST.search(path) is None  # torch imports what it packages


def registrations(path: str, data: bytes) -> Iterator[PythonFact]:
    """Read what a Python file registers when it is imported, and what its functions would.

    Args:
        path: relative to the tree, with `/`.
        data: the file's bytes.

    Yields:
        registrations in the order in which they happen; one with a `condition` happens only when the function
        it names is called. `UnreadRegistration` for a file that is no valid Python.
    """
    if (
        not may_register(path)
        or not any(word in data for word in _WORTH_READING)
        or not _CALLS.search(data)
    ):
        return
    try:
        tree = parse(data)
    except Unparsable as error:
        yield UnreadRegistration(path, error.line, f"no valid Python: {error}")
        return
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    higher = list(higher_order(data, module))
    api = Api(path, module, {op.class_name.rpartition(".")[2]: op.name for op in higher})
    lines = _lines_of(_REGISTERS, data)
    interpreter = Interpreter(
        module,
        api,
        lambda first, last: bisect.bisect_left(lines, first) < bisect.bisect_right(lines, last),
    )
    api.within = lambda: interpreter.within
    api.nested = lambda: interpreter.site != 0
    api.repeats = lambda: interpreter.repeats
    try:
        interpreter.run(tree, package)
    except RecursionError:
        yield UnreadRegistration(path, 1, "nested too deeply to be followed")
    if interpreter.steps > MAX_STEPS:
        yield UnreadRegistration(path, 1, f"given up after {MAX_STEPS} steps")
    for operator in higher:
        api.emit(
            "def",
            f"{HIGHER_ORDER}::{operator.name}",
            "",
            Ref(operator.variable) if operator.variable else None,
            operator.line,
            0,
            via="HigherOrderOperator",
        )
    yield from without_placeholders(api.found)
    yield from helpers(tree, data.decode("utf-8", "replace"), module, path, interpreter.registers)
    for callee, arguments, keywords, applied, line in api.foreign:
        yield use(callee, arguments, keywords, applied, path, module, line)
    yield from excluded_by_call(api.without_meta)
    yield from meta_activation(tree, path, api.libraries, interpreter.globals)


def _lines_of(pattern: re.Pattern[bytes], data: bytes) -> list[int]:
    """The lines that an expression for parts of one line is found in."""
    ends = list(itertools.accumulate(map(len, data.splitlines(keepends=True))))
    return [bisect.bisect_right(ends, match.start()) + 1 for match in pattern.finditer(data)]


def without_placeholders(found: list[Registration]) -> Iterator[Registration]:
    """Leave out what is there twice: a custom operator's Meta and Autograd kernels once a function is given.

    Args:
        found: the registrations of a file, in the order in which they happen.

    Yields:
        those that stay, in the same order.
    """
    given = {
        (r.operator, r.key)
        for r in found
        if (r.kernel or r.form == "lambda") and not _is_placeholder(r)
    }
    seen: set[Registration] = set()
    for registration in found:
        bare = replace(registration, condition="")
        if bare in seen:
            continue  # followed twice: both branches of a condition, or a function and its caller
        seen.add(bare)
        if _is_placeholder(registration) and (registration.operator, registration.key) in given:
            continue
        yield registration


def _is_placeholder(registration: Registration) -> bool:
    """Whether it is a kernel that `custom_op` makes itself, in which others' functions are called."""
    return registration.expression == "custom_op" and registration.form == "unknown"
