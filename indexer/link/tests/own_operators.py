"""Which operators a function that Python calls is about, of all that it runs.

`torch.nn.functional.softmax` is what people call softmax by. `flex_attention` runs searchsorted for nested tensors, in
a function that it calls, and a test of it is none of searchsorted. `torch.tensor`, which C++ binds by hand, ends in
set_, detach_ and lift_fresh (torch/csrc/utils/tensor_new.cpp), of which nearly every test would be.
"""

from __future__ import annotations

import functools
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

_WRAPPERS = ("torch.nn.functional.", "torch.Tensor.")
_PRIVATE = ("torch._C", "torch.ops")
# Who calls `torch.ops.quantized.linear` or `torch.distributed.scatter` (c10d::scatter_) is no test of aten's namesake.
_IS_MEANT = (
    "(o.namespace = 'aten' OR NOT EXISTS"
    " (SELECT 1 FROM operators AS p WHERE p.base = o.base AND p.namespace = 'aten'))"
)
# Behind the word stand the functions over which it comes to the operator.
_BY_PYTHON = "python"
# What so many call for want of a name (lift_fresh, slice, alias) none of them is about.
_MOST = 6
# Shorter beginnings are those of other words: `norm` of normalize.
_TELLS = 6


class Own(NamedTuple):
    """An operator that a name of Python is about.

    Args:
        id: of the function or of what C++ binds.
        base: of the operator.
        is_one_of: the name is about several, of which its arguments tell the one that runs.
    """

    id: int
    base: str
    is_one_of: bool


def native_operators(conn: sqlite3.Connection) -> Iterator[Own]:
    """Names that C++ binds and the operators that they are about.

    A name that ends at one operator, in place or not, is about it. Of several it is about those that are called like
    it (conj of conj and conj_physical), and about none where none is.

    Args:
        conn: an index of which the Python names are linked.
    """
    reached: dict[int, tuple[str, list[str]]] = {}
    for native_id, name, base in conn.execute(
        "SELECT DISTINCT n.id, n.name, o.base FROM python_native_operators AS x"
        " JOIN python_natives AS n ON n.id = x.native_id"
        f" JOIN operators AS o ON o.id = x.operator_id WHERE {_IS_MEANT} ORDER BY n.id, o.base"
    ):
        reached.setdefault(native_id, (name, []))[1].append(base)
    for native_id, (name, bases) in reached.items():
        last = name.rpartition(".")[2]
        is_one = len({base.rstrip("_") for base in bases}) == 1
        yield from _own(native_id, {last}, [base for base in bases if is_one or alike(last, base)])


def _own(identity: int, names: Collection[str], bases: list[str]) -> Iterator[Own]:
    """What a name is about: of several operators one whose name it is runs for certain, in place or not.

    `torch.functional.norm` calls norm, or frobenius_norm where its arguments say so; `interpolate` one of twelve, by
    its mode and the dimensions of what it is given (torch/nn/functional.py).
    """
    is_one = len({base.rstrip("_") for base in bases}) == 1
    for base in bases:
        yield Own(identity, base, not (is_one or base.rstrip("_") in names))


def own_operators(conn: sqlite3.Connection) -> Iterator[Own]:
    """Python functions and the operators that they are about.

    Those with the function's name in theirs, or theirs in its (`cross_entropy`, `cross_entropy_loss`), by whatever
    way it comes to them; and where no public name is like an operator's, of the few functions whose own bodies call
    it: `interpolate` is what there is of upsample_nearest2d (torch/nn/functional.py), `unfold` of im2col. What is made
    for tensors and calls one operator alone, in place or not, is another name of it: dropout2d of feature_dropout.

    Args:
        conn: an index of which the Python names are linked.
    """
    reached: dict[tuple[int, str], list[tuple[bool, bool]]] = {}
    called: dict[int, set[str]] = {}
    names: dict[int, set[str]] = {}
    wrappers: set[int] = set()
    named: set[str] = set()
    for function_id, base, api, via in conn.execute(
        "SELECT DISTINCT a.function_id, o.base, a.api, a.via FROM python_apis AS a"
        f" JOIN operators AS o ON o.id = a.operator_id WHERE {_IS_MEANT} ORDER BY a.function_id, o.base, a.id"
    ):
        last = api.rpartition(".")[2]
        is_like = alike(last, base)
        by_itself = not via.startswith(f"{_BY_PYTHON}:")
        if is_like and by_itself and not api.startswith(_PRIVATE):
            named.add(base)
        if function_id is not None:
            reached.setdefault((function_id, base), []).append((is_like, by_itself))
            called.setdefault(function_id, set()).add(base.rstrip("_"))
            names.setdefault(function_id, set()).add(last.rstrip("_"))
            if api.startswith(_WRAPPERS):
                wrappers.add(function_id)
    callers: Counter[str] = Counter(
        base for (_, base), ways in reached.items() if any(is_own for _, is_own in ways)
    )
    about: dict[int, list[str]] = {}
    for (function_id, base), ways in reached.items():
        is_alone = base not in named and callers[base] <= _MOST
        is_alone = is_alone or (function_id in wrappers and len(called[function_id]) == 1)
        if any(is_like or (is_own and is_alone) for is_like, is_own in ways):
            about.setdefault(function_id, []).append(base)
    for function_id, bases in about.items():
        yield from _own(function_id, names[function_id], bases)


@functools.cache
def alike(name: str, base: str) -> bool:
    """Whether one of two names has all words of the other, or begins with it wherever words end: grid_sample is called
    grid_sampler.

    Args:
        name: of a function: `all_reduce`.
        base: of an operator: `allreduce_`.
    """
    words, others = (frozenset(text.strip("_").split("_")) for text in (name, base))
    if words <= others or others <= words:
        return True
    short, long = sorted((name.replace("_", ""), base.replace("_", "")), key=len)
    return len(short) >= _TELLS and long.startswith(short)
