"""What the functions of a file are given by those of its functions whose values are followed.

`_handle_no_batch_input(self, input)` in torch/nn/modules/instancenorm.py says nothing of its parameter, but `forward`,
which says `input: Tensor`, calls it with that. What only other files call is not known: a file is read by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.lexical import Span
from indexer.extract.python.value_texts import TENSOR

_OWN = ("self", "cls")


class GivenCall(NamedTuple):
    """A call, and what is handed over as far as the values are known.

    Args:
        callee: target.
        positional: targets of the arguments up to a starred one; an empty string for what is not known.
        named: the same of keywords.
    """

    callee: str
    positional: list[str]
    named: dict[str, str]


class Waiting(NamedTuple):
    """A function of which nothing but a call could tell what it works on.

    Args:
        position: among the functions of its file.
        found: the function.
        span: where its body is.
        is_followed: whether its values are followed even if nobody calls it.
    """

    position: int
    found: FunctionNode
    span: Span
    is_followed: bool


class WaitingFunctions:
    """The functions of one file that wait for a call that tells what their parameters are.

    Args:
        module: dotted name of the file's module.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._waiting: dict[str, list[Waiting]] = {}
        self._calls: list[GivenCall] = []

    def add(self, function: Waiting) -> None:
        """Let a function wait."""
        found = function.found
        owner = f"{self._module}.{found.scope}()" if found.scope else self._module
        self._waiting.setdefault(f"{owner}.{found.node.name}", []).append(function)

    def give(self, calls: Iterable[GivenCall]) -> None:
        """Take in what a function whose values were followed calls."""
        self._calls += calls

    def released(self) -> Iterator[tuple[Waiting, dict[str, str]]]:
        """The functions to follow, and what calls gave their parameters; `give` may be called meanwhile."""
        followed = [
            entry for known in self._waiting.values() for entry in known if entry.is_followed
        ]
        for function in (*followed, None):
            while self._calls:
                call = self._calls.pop(0)
                for called in list(self._waiting.get(call.callee, ())):
                    values = _parameters(called.found, call)
                    if any(map(_may_be_tensor, values.values())):
                        self._waiting[call.callee].remove(called)
                        yield called, values
            if function is not None and self._take(function):
                yield function, {}

    def _take(self, function: Waiting) -> bool:
        for known in self._waiting.values():
            if function in known:
                known.remove(function)
                return True
        return False

    def rest(self) -> Iterator[Waiting]:
        """Those that nobody has called."""
        for functions in self._waiting.values():
            yield from functions


def _may_be_tensor(target: str) -> bool:
    """Whether a value is a tensor, some of them, or what a function gives: `X()` is an object of a class."""
    last = target.rpartition(".")[2]
    return TENSOR in target or (last.endswith("()") and not last[:1].isupper())


def _parameters(found: FunctionNode, call: GivenCall) -> dict[str, str]:
    """What a call gives those parameters that have no annotation."""
    arguments = found.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if positional and positional[0].arg in _OWN:
        del positional[0]
    given = dict(zip((argument.arg for argument in positional), call.positional, strict=False))
    given |= call.named
    unknown = (*positional, *arguments.kwonlyargs)
    return {
        argument.arg: given[argument.arg]
        for argument in unknown
        if argument.annotation is None and given.get(argument.arg)
    }
