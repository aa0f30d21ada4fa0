"""What libclang tells of one translation unit: functions by USR, calls between them, how well it was parsed.

A whole tree has more than a million calls, so a unit's facts are columns, and texts are numbered within the unit. They
are pure data: made in worker processes, kept in files of their own, and merged in the order of the units.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

CALL, VIRTUAL, CONSTRUCTOR, REFERENCE, CANDIDATE, STUB = range(6)
"""Kinds of edges, as numbered in `UnitFacts.kinds`."""

KINDS = ("call", "virtual", "constructor", "reference", "candidate", "stub")


class Symbol(NamedTuple):
    """A function, or a variable or field whose initialiser calls something, or a stub's variable.

    Args:
        usr: clang's unified symbol resolution; behind a space the file, where it has internal linkage.
        name: qualified, without template arguments, anonymous and inline namespaces.
        signature: result type and parameters, as clang prints them.
        kind: function, method, constructor, destructor, conversion, operator, variable, field.
        file: relative to the tree; in angle brackets for a header that is none of the tree's.
        line: of the name.
        end_line: of the closing bracket; 0 for what is only declared.
        is_definition: whether it has its body here.
    """

    usr: str
    name: str
    signature: str
    kind: str
    file: str
    line: int
    end_line: int
    is_definition: bool


class Override(NamedTuple):
    """A method, and one that it overrides; both are numbers of symbols of the unit.

    Args:
        method: that which overrides.
        overridden: that which it overrides.
    """

    method: int
    overridden: int


class StubKernel(NamedTuple):
    """A kernel that is registered for a DispatchStub.

    Args:
        stub: the stub's own name, from the registering variable.
        kernel: number of the symbol.
        form: the class or capability it is registered by: RegisterCUDADispatch, DEFAULT …
        file: where that stands.
        line: where that stands.
    """

    stub: str
    kernel: int
    form: str
    file: str
    line: int


class Problem(NamedTuple):
    """An error of the parser, for `coverage`.

    Args:
        file: where it is.
        line: 1-based.
        text: what the parser says.
    """

    file: str
    line: int
    text: str


class UnitFacts(NamedTuple):
    """Everything from one unit.

    Args:
        unit: the file that was parsed, relative to the tree.
        status: ok, partial, failed, crashed or timeout.
        detail: what fell short; of ok at most which options libclang does not know.
        symbols: functions that are defined, call, or are called here.
        callers: for each call the number of the symbol it stands in.
        callees: for each call the number of the symbol called.
        kinds: for each call one of `KINDS`, by number.
        lines: for each call its own line.
        overrides: of the methods defined here.
        stub_kernels: registrations of DispatchStubs.
        headers: files of the tree whose functions are among the symbols.
        seen: all files of the tree that were read.
        open_callers: for each call whose callee clang could not tell (dependent or in broken code) the number of the
            symbol it stands in.
        open_lines: for each of them its line.
        left_callers: for each line of a definition that is not parsed (`#if` leaves it out, or it is a launch's
            configuration) the number of its symbol.
        left_lines: for each of them the line.
        problems: the first errors.
        errors: how many there were.
        seconds: CPU time.
        memory: the worker's peak, in megabytes.
    """

    unit: str
    status: str
    detail: str
    symbols: list[Symbol]
    callers: array[int]
    callees: array[int]
    kinds: array[int]
    lines: array[int]
    overrides: list[Override]
    stub_kernels: list[StubKernel]
    headers: list[str]
    seen: list[str]
    open_callers: array[int]
    open_lines: array[int]
    left_callers: array[int]
    left_lines: array[int]
    problems: list[Problem]
    errors: int
    seconds: float
    memory: float


def without_facts(unit: str, status: str, detail: str) -> UnitFacts:
    """What is left of a unit that could not be read.

    Args:
        unit: as in `UnitFacts`.
        status: as in `UnitFacts`.
        detail: why.
    """
    return UnitFacts(
        unit, status, detail, [], array("I"), array("I"), array("B"), array("I"), [], [], [], [],
        array("I"), array("I"), array("I"), array("I"), [], 0, 0.0, 0.0,
    )  # fmt: skip
