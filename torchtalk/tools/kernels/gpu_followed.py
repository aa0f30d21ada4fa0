"""What cuda_kernels follows to its launches: operators by their kernels and what these leave the work to, functions."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace

from torchtalk.answers.base import Place
from torchtalk.tools import queries
from torchtalk.tools.kernels.entries import behind_overrides
from torchtalk.tools.kernels.folder_layouts import is_for, layout_of
from torchtalk.tools.kernels.gpu_libraries import MPS, GpuWork, on_device
from torchtalk.tools.kernels.serving import serving

_MOST_SERVING = 24
_FURTHER = 3  # operators on the way from one to that which does its work
_DEVICES = ("CUDA", "MPS")
_LEAVING = ("operator", "stub")  # whose kernels may leave the work to operators (lstm_cudnn_stub's)


@dataclass(frozen=True)
class Followed:
    """Something whose launches are looked for.

    Args:
        name: `aten::roll`, or a kernel's.
        functions: ids of where the way to launches begins.
        kind: operator, kernel, stub or (another C++) function.
        keys: of an operator's functions that no dense tensor reaches: `SparseCUDA`.
        is_asked: what is asked for is about such tensors, as `_sparse_mm` is.
    """

    name: str
    functions: tuple[int, ...]
    kind: str = "operator"
    keys: str = ""
    is_asked: bool = False

    @property
    def is_aside(self) -> bool:
        """Whether only tensors reach it that are not asked for."""
        return bool(self.keys) and not self.is_asked

    def __str__(self) -> str:
        return f"{self.name} for {self.keys}" if self.keys else self.name


def of_function(conn: sqlite3.Connection, name: str, kind: str = "kernel") -> tuple[Followed, ...]:
    """A kernel, or another function, by its C++ name.

    Args:
        conn: an index.
        name: qualified.
        kind: what it is called in the answer.
    """
    rows = conn.execute(queries("cuda_kernels")["functions"], {"name": name})
    functions = tuple(row["function_id"] for row in rows)
    return (Followed(name, functions, kind),) if functions else ()


def of_stub(conn: sqlite3.Connection, name: str) -> tuple[Followed, ...]:
    """A DispatchStub, by the kernels that it has for a GPU.

    REGISTER_DISPATCH gives them to it (aten/src/ATen/native/DispatchStub.h).

    Args:
        conn: an index.
        name: of the stub, qualified.

    Returns:
        The stub; nothing where it has no such kernel.
    """
    rows = conn.execute(queries("cuda_kernels")["stub"], {"name": name})
    functions = tuple(row["function_id"] for row in rows)
    return (Followed(name, functions, "stub"),) if functions else ()


def of_operators(
    conn: sqlite3.Connection, overloads: tuple[str, ...], wanted: tuple[str, ...] = ("CUDA", "MPS")
) -> tuple[Followed, ...]:
    """Operators by their overloads; those without kernels for CUDA by what they call, too.

    Args:
        conn: an index.
        overloads: their full names.
        wanted: keys for which what is called is looked at.
    """
    sql = queries("cuda_kernels")
    found = {str(one): one for one in implementations(conn, overloads)}
    rows = conn.execute(sql["composite"], {"operators": json.dumps(overloads)}).fetchall()
    for row in rows:
        layout = _layout(conn, row["base"])
        keys = ("CUDA",) if row["has_mps"] else wanted
        # What runs for tensors of its layout comes first: `addmm` for SparseCUDA.
        keys = (*_keys_of(conn, layout), *keys)
        bases = dict.fromkeys(step.base for key in keys for step in serving(conn, row["base"], key))
        for base in list(bases)[:_MOST_SERVING]:
            names = tuple(o["name"] for o in conn.execute(sql["overloads"], {"base": base}))
            for one in implementations(conn, names):
                is_asked = is_for(layout, one.keys.split(", "))
                found.setdefault(str(one), replace(one, is_asked=is_asked))
    return tuple(found.values())


def _layout(conn: sqlite3.Connection, base: str) -> str:
    """How the keys begin of the tensors that a composite operator is about, by where its kernels stand."""
    rows = conn.execute(queries("cuda_kernels")["composite_places"], {"base": base})
    return layout_of(Place(row["path"], row["line"]) for row in rows)


def _keys_of(conn: sqlite3.Connection, layout: str) -> tuple[str, ...]:
    """The dispatch keys of tensors of a layout on CUDA that something is registered for."""
    if not layout:
        return ()
    rows = conn.execute(queries("cuda_kernels")["keys"], {"pattern": f"{layout}*CUDA"})
    return tuple(row["dispatch_key"] for row in rows)


def implementations(conn: sqlite3.Connection, overloads: tuple[str, ...]) -> tuple[Followed, ...]:
    """Operators by the kernels that overloads have on a GPU, those apart that no dense tensor reaches.

    Args:
        conn: an index.
        overloads: their full names.
    """
    found: dict[tuple[str, str], list[int]] = {(n.partition(".")[0], ""): [] for n in overloads}
    wanted = {"operators": json.dumps(overloads)}
    for row in conn.execute(queries("cuda_kernels")["implementations"], wanted):
        keys = (row["special"] or "").replace(",", ", ")
        found.setdefault((row["packet"], keys), []).append(row["function_id"])
    for functions in found.values():
        functions += behind_overrides(conn, functions, _DEVICES)
    return tuple(Followed(name, tuple(of), keys=keys) for (name, keys), of in found.items())


def and_further(
    conn: sqlite3.Connection, work: GpuWork, followed: tuple[Followed, ...]
) -> tuple[Followed, ...]:
    """What is followed, and what does the work of operators whose kernels for CUDA only call others.

    And so on: linalg_inv_ex is four operators above linalg_lu_factor_ex.

    Args:
        conn: an index.
        work: tells who does the work.
        followed: what is asked for.
    """
    found = {str(one): one for one in followed}
    waiting = [one for one in followed if one.kind in _LEAVING and not one.keys]
    for _ in range(_FURTHER):
        new = []
        for one in waiting[:_MOST_SERVING]:
            for base in work.further(of_cuda(conn, one)):
                names = tuple(
                    o["name"]
                    for o in conn.execute(queries("cuda_kernels")["overloads"], {"base": base})
                )
                for called in of_operators(conn, names, ("CUDA",)):
                    if found.setdefault(str(called), called) is called:
                        new.append(called)
        waiting = [one for one in new if not one.keys]
    return tuple(found.values())


def of_cuda(conn: sqlite3.Connection, one: Followed) -> tuple[int, ...]:
    """Where the way to CUDA begins: of an operator its kernels for that.

    Args:
        conn: an index.
        one: what is followed.
    """
    return on_device(conn, one.functions) if one.kind == "operator" else one.functions


def calling(
    conn: sqlite3.Connection, followed: tuple[Followed, ...]
) -> list[tuple[str, tuple[int, ...]]]:
    """What may end in a library on CUDA, and where the way there begins.

    Where an operator has kernels for dense tensors, those for others tell nothing of it, unless such tensors are asked
    for; `quantized::conv2d` has only one for QuantizedCUDA.

    Args:
        conn: an index.
        followed: what is asked for, and what does its work.
    """
    dense = [(one.name, of) for one in followed if not one.keys and (of := of_cuda(conn, one))]
    known = {one.name for one in followed if not one.keys and one.functions}
    others = [one for one in followed if "CUDA" in one.keys]
    asked = [(str(one), one.functions) for one in others if one.is_asked]
    return [
        *asked,
        *dense,
        *((str(one), one.functions) for one in others if not (one.is_asked or one.name in known)),
    ]


def calling_metal(
    conn: sqlite3.Connection, followed: tuple[Followed, ...]
) -> list[tuple[str, tuple[int, ...]]]:
    """What may end in a library of Apple's: operators, and their kernels for MPS.

    Args:
        conn: an index.
        followed: what is asked for, and what does its work.
    """
    operators = [one for one in followed if one.kind == "operator" and not one.keys]
    return [(one.name, of) for one in operators if (of := on_device(conn, one.functions, MPS))]


def called_alike(name: str, followed: tuple[Followed, ...]) -> frozenset[int]:
    """The positions of what has the name that is asked for in its own; all where none has.

    `F.embedding_bag` runs `_embedding_bag`, and `embedding_renorm_` before it where that is wanted.

    Args:
        name: that is asked for.
        followed: what it leads to.
    """
    _, colons, last = name.strip().lower().rpartition("::")
    last = (last.partition(".")[0] if colons else last.rpartition(".")[2]).strip("_")
    own = frozenset(
        at for at, one in enumerate(followed)
        if last and not one.keys and last in one.name.rpartition("::")[2].lower()
    )  # fmt: skip
    return own or frozenset(range(len(followed)))
