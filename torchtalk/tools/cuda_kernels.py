"""cuda_kernels: GPU kernels and launches by kernel, launcher, operator, module or file; without a name by folder."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import replace

from torchtalk.answers.base import Page, Place
from torchtalk.answers.cuda_kernels import (
    CudaKernelsAnswer,
    Folder,
    LaunchSite,
    UnlaunchedKernel,
)
from torchtalk.counted import counted, few
from torchtalk.graph import nodes
from torchtalk.graph.metal import launches_of
from torchtalk.names import resolve
from torchtalk.names.closest import closest
from torchtalk.names.files import Written, files_named, written
from torchtalk.names.operator_scopes import may_hold_operators
from torchtalk.names.written import plain
from torchtalk.testing.installed import is_installed
from torchtalk.tools import queries
from torchtalk.tools.kernels.gpu_followed import (
    Followed,
    and_further,
    called_alike,
    calling,
    calling_metal,
    implementations,
    of_function,
    of_operators,
    of_stub,
)
from torchtalk.tools.kernels.gpu_libraries import MPS, GpuWork
from torchtalk.tools.kernels.gpu_reach import ASIDE, BEHIND, Root, reached
from torchtalk.tools.trace_module import trace_module
from torchtalk.tools.walks.seeds import find

_MOST_OPERATORS = 200
_MOST_BEHIND = 3
_MOST_FOLLOWED = 5
_MOST_OF_MODULE = 40
_BRACKET = re.compile(r"[<(]")
_OF_CLASS = (
    "{} is a Python class: trace_module says at which operators it ends, and those can be asked for"
)
_GENERATED = (
    "torchgen writes {} when PyTorch is built: the tree has no launch of theirs, but for those of gpu_kernel, which a "
    "ufunc's calls; trace says more"
)
_BY_WORD = "only what this operator reaches is shown; search with kind=cuda finds kernels by a part of their names"


def cuda_kernels(
    conn: sqlite3.Connection, name: str = "", limit: int = 20, offset: int = 0
) -> CudaKernelsAnswer:
    """Find GPU kernels and what launches them.

    Args:
        conn: an index.
        name: of an operator, its kernel in any form, a module, a DispatchStub or another C++ function, for what these
            reach; of a GPU kernel, a launching function or a file, or a part of one; empty for an overview by folder.
        limit: most rows to show.
        offset: how many to pass over.
    """
    text = name.strip()
    if not text:
        return _overview(conn, name, limit, offset)
    # As a profiler has it, `void f<float, 4>(int, …)`, or an editor.
    bare = plain(text) if _BRACKET.search(text) else ""
    place = written(text)
    if place is not None and place.first is not None:
        found = _of_line(conn, text, place, limit, offset)
    elif bare and bare != text:
        found = _named(conn, name, bare, limit, offset)
        found = replace(found, notes=(f"taken as {bare}", *found.notes))
    else:
        found = _named(conn, name, text, limit, offset)
    told = (_NO_SOURCES,) if is_installed(conn) else ()
    if place is not None and not found.found and not files_named(conn, place.path)[0]:
        told = (f"no file of this index is called {place.path}", *told)
    return replace(found, query=name, notes=(*found.notes, *told))


def _named(
    conn: sqlite3.Connection, name: str, text: str, limit: int, offset: int
) -> CudaKernelsAnswer:
    """The launches of what has a name, given and as it is looked for."""
    target = resolve(conn, text).target
    if target is not None and target.overloads:
        # A bare word may be a kernel's name, too; in another form it is the operator's alone.
        kernel = text if text.isidentifier() and target.kind == "operator" else None
        followed = of_function(conn, target.name) if target.kind == "kernel" else ()
        followed = followed or of_operators(conn, target.overloads)
        notes = (*_generated(conn, target.overloads), *((_BY_WORD,) if kernel else ()))
        return _answer(conn, name, followed, None, kernel, limit, offset, notes)
    if target is not None and target.kind == "class":
        # What its forward or step ends at; a bare word may be in a kernel's name, too: LayerNorm.
        ends = trace_module(conn, target.name).operators[:_MOST_OF_MODULE]
        word = text if text.isidentifier() else None
        if ends or word is None:
            notes = () if ends else (f"{target.name} runs no operator that is known",)
            return _answer(conn, name, of_operators(conn, ends), word, None, limit, offset, notes)
    if target is not None and target.kind == "stub":
        stub = of_stub(conn, target.name)
        notes = () if stub else (f"{target.name} is a DispatchStub without a kernel for a GPU",)
        return _answer(conn, name, stub, None, None, limit, offset, notes)
    if target is not None and target.kind == "gpu_library":
        return _answer(conn, name, (), None, text, limit, offset)
    followed = _of_base(conn, text, is_known=target is not None)
    if target is not None and target.kind == "function":
        followed += of_function(conn, target.name, "function")
    if (
        "::" in text
        and conn.execute(queries("cuda_kernels")["launched"], {"kernel": text}).fetchone()
    ):
        # A name in full is no part of others: `thrust::copy` and not thrust::copy_n.
        found = _answer(conn, name, followed, None, text, limit, offset)
    else:
        found = _answer(conn, name, followed, text, None, limit, offset)
    if target is not None and target.kind == "class" and not (found.sites or found.unlaunched):
        return replace(found, notes=(_OF_CLASS.format(target.name),), closest=())
    return found


def _of_base(conn: sqlite3.Connection, text: str, *, is_known: bool) -> tuple[Followed, ...]:
    """The operators that have the last part of a name in theirs, where its qualifier may be theirs."""
    if not may_hold_operators(conn, text):
        return ()
    base = text.removeprefix("torch.").rsplit("::", 1)[-1]
    base = base if "/" in text or is_known else base.rsplit(".", 1)[-1]
    rows = conn.execute(queries("cuda_kernels")["operators"], {"name": base}).fetchall()
    return implementations(conn, tuple(row["name"] for row in rows[:_MOST_OPERATORS]))


def _of_line(
    conn: sqlite3.Connection, text: str, place: Written, limit: int, offset: int
) -> CudaKernelsAnswer:
    """The launches of what stands in a line of a file."""
    seeds = find(conn, text)
    names = [node.name for node in nodes.describe(conn, list(seeds.nodes[:1])).values()]
    what = names[0] if names else place.path
    found = _named(conn, what, what, limit, offset)
    said = f"{seeds.what} is in {what}" if names else f"taken as {what}"
    return replace(found, notes=(said, *seeds.notes, *found.notes))


_NO_SOURCES = "this is the index of an installed package: it has no .cu or .cpp file, and only the launches in headers"


def _answer(
    conn: sqlite3.Connection,
    name: str,
    followed: tuple[Followed, ...],
    word: str | None,
    kernel: str | None,
    limit: int,
    offset: int,
    notes: tuple[str, ...] = (),
) -> CudaKernelsAnswer:
    """The launch sites behind some operators, and those that a word is in the names of."""
    sql = queries("cuda_kernels")
    work = GpuWork(conn)
    followed = and_further(conn, work, followed)
    alike = called_alike(name, followed)
    values = {
        "reached": json.dumps(
            [
                (function, depth, json.dumps(roots), int(alike.isdisjoint(roots)))
                for function, depth, roots in reached(
                    conn, [Root(one.functions, one.is_aside) for one in followed]
                )
            ]
        ),
        "behind": BEHIND,
        "aside": ASIDE,
        "word": word,
        "pattern": word and re.sub(r"([\\%_])", r"\\\1", word.lower()),
        "kernel": kernel,
        "instances": json.dumps([one.launch for one in launches_of(conn, word or kernel or "")]),
    }
    rows = conn.execute(sql["sites"], {**values, "limit": limit, "offset": offset}).fetchall()
    first = rows or (
        offset and conn.execute(sql["sites"], {**values, "limit": 1, "offset": 0}).fetchall()
    )
    total = first[0]["total"] if first else 0
    unlaunched = conn.execute(sql["unlaunched"], {"name": word}).fetchall() if word else []
    names = tuple(dict.fromkeys(one.name for one in followed))
    libraries = (
        ()
        if offset
        else work.uses(calling(conn, followed)) + work.uses(calling_metal(conn, followed), MPS)
    )
    return CudaKernelsAnswer(
        query=name,
        finding=_finding(
            name.strip(),
            total,
            names,
            unlaunched[0]["total"] if unlaunched else 0,
            tuple(dict.fromkeys(use.library for use in libraries)),
        ),
        notes=notes,
        closest=closest(conn, word) if word and not (total or unlaunched or followed) else (),
        operators=names,
        libraries=libraries,
        sites=tuple(_site(row, followed) for row in rows),
        unlaunched=tuple(
            UnlaunchedKernel(row["name"], Place(row["path"], row["line"]), row["platform"])
            for row in unlaunched
        ),
        page=Page(total, offset, len(rows)),
    )


def _generated(conn: sqlite3.Connection, overloads: tuple[str, ...]) -> tuple[str, ...]:
    wanted = {"operators": json.dumps(overloads)}
    rows = conn.execute(queries("cuda_kernels")["generated"], wanted).fetchall()
    names = tuple(row["kernel"] for row in rows)
    return (_GENERATED.format(few(names, _MOST_BEHIND)),) if names else ()


def _finding(
    text: str, total: int, packets: tuple[str, ...], unlaunched: int, libraries: tuple[str, ...]
) -> str:
    behind = f"; followed: {few(packets, _MOST_FOLLOWED)}" if packets else ""
    idle = f", {counted(unlaunched, 'kernel')} of that name without a launch" if unlaunched else ""
    number = counted(total, "launch site") if total else "no launch site"
    called = f"; calls of {', '.join(libraries)}" if libraries else ""
    return f"{number} for {text!r}{idle}{called}{behind}"


def _site(row: sqlite3.Row, followed: tuple[Followed, ...]) -> LaunchSite:
    roots = [followed[at] for at in sorted(json.loads(row["roots"] or "[]"))]
    if any(not one.keys for one in roots):  # what dense tensors reach needs no word of others
        roots = [one for one in roots if not one.keys]
    # Where one thing is followed there is no question what it is behind.
    is_one = len({one.name for one in followed}) == 1 and not any(one.keys for one in roots)
    whom = f"the {followed[0].kind}" if is_one else few(tuple(map(str, roots)), _MOST_BEHIND)
    whys = (
        "one of the kernels that it may launch" if row["depth"] else "the kernel's name",
        f"behind {whom}, {counted(row['depth'], 'call')} on"
        if row["depth"]
        else "in the launcher's name"
        if whom == "the function"
        else f"behind {whom}",
        "in the kernel's name",
        "in the launcher's name",
        "in the file's path",
        "in the path of the kernel's file",
    )
    return LaunchSite(
        kernel=row["kernel"],
        kernel_place=Place(row["kernel_path"], row["kernel_line"]),
        launcher=row["launcher"] or None,
        place=Place(row["path"], row["line"]),
        kind=row["kind"],
        platform=row["platform"],
        grid=row["grid"],
        block=row["block"],
        why=whys[row["tier"]],
        behind=tuple(dict.fromkeys(one.name for one in roots)),
        launches=row["launches"],
        overloads=max(1, row["overloads"] or 0),
    )


def _overview(conn: sqlite3.Connection, name: str, limit: int, offset: int) -> CudaKernelsAnswer:
    sql = queries("cuda_kernels")["folders"]
    rows = conn.execute(sql, {"limit": limit, "offset": offset}).fetchall()
    first = rows[0] if rows else conn.execute(sql, {"limit": 1, "offset": 0}).fetchone()
    if first is None:
        return CudaKernelsAnswer(name, "this index has no GPU kernels")
    finding = (
        f"{first['all_kernels']} GPU kernels, {first['all_launches']} launches, "
        f"{first['all_others']} launches through helpers and libraries in {first['folders']} folders"
    )
    return CudaKernelsAnswer(
        query=name,
        finding=finding,
        folders=tuple(
            Folder(row["path"], row["kernels"], row["launches"], row["others"]) for row in rows
        ),
        page=Page(first["folders"], offset, len(rows)),
    )
