"""Which functions does each dispatch entry end at? Those that none was found for become rows of coverage."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from indexer.extract.cpp.parameters import ANOTHER_NUMBER, mismatches, parameters_of
from indexer.facts.cpp import SOURCE_SUFFIXES
from indexer.workers import WorkerPool


class _Function(NamedTuple):
    id: int
    name: str
    signature: str
    path: str
    line: int
    length: int
    is_anonymous: bool


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Fill `dispatch_kernels` from the kernels' names, telling overloads apart by their parameters.

    Args:
        conn: the database, in a transaction.
    """
    functions = _functions(conn)
    arguments = _arguments(conn)
    rows: list[tuple[int, int, int]] = []
    entries = conn.execute(
        "SELECT d.id, d.operator_id, d.dispatch_key, d.kernel, d.via, f.path FROM dispatch AS d"
        " LEFT JOIN source_files AS f ON f.id = d.file_id"
        " WHERE d.kernel IS NOT NULL AND d.generated_by IS NULL ORDER BY d.id"
    ).fetchall()
    identities = dict(conn.execute("SELECT name, id FROM operators"))
    found: list[tuple[int, str, list[_Function]]] = []
    for dispatch_id, operator_id, key, kernel, via, path in entries:
        # A delegate's kernel has the parameters of the overload it is delegated to.
        wanted = arguments.get(identities.get(via, operator_id), [])
        found.append((dispatch_id, key, fitting(functions.get(kernel, []), wanted, path)))
    branches = _Branches(definitions for _, _, definitions in found)
    for dispatch_id, key, definitions in found:
        chosen = branches.real_first(definitions, key)
        rows.extend((dispatch_id, f.id, int(n == 0)) for n, f in enumerate(chosen))
    conn.executemany("INSERT INTO dispatch_kernels VALUES (?, ?, ?)", rows)
    _mark_view_copies(conn)
    _mark_operators(conn)
    _report(conn)


def fitting(
    candidates: list[_Function], arguments: list[str], named_in: str | None
) -> list[_Function]:
    """The definitions that fit a schema best, in the order of their files and lines.

    Args:
        candidates: definitions of one name.
        arguments: types of the schema's arguments.
        named_in: path of the file that names the kernel.
    """
    if len(candidates) < 2:
        return candidates
    own = [f for f in candidates if not _is_test(f.path)] or candidates
    own = [f for f in own if f.path == named_in or not _is_of_one_source(f)] or own
    scored = []
    for f in own:
        parameters = parameters_of(f.signature, f.name)
        scored.append((0 if parameters is None else mismatches(parameters, arguments), f))
    best = min(score for score, _ in scored)
    if best >= ANOTHER_NUMBER:
        # What the generator adds to a template is not in the tree: one of these functions fits.
        scored = [(score, f) for score, f in scored if "/templates/" not in f.path]
    found = [f for score, f in scored if score == best]
    # Of those that are called the same it is the one that stands before the name's use.
    return [f for f in found if f.path == named_in] or found


class _Branches:
    """Which of several definitions is not the stub that only raises, where the build lacks what the kernels need?

    Such stubs are a file's branch of an `#if`: of all names that the file defines as often they are the first, or the
    last, and together the shorter ones.

    Args:
        groups: definitions of one name and the same parameters each.
    """

    def __init__(self, groups: Iterable[list[_Function]]) -> None:
        self._lengths: Counter[tuple[str, int, int]] = Counter()
        for group in {tuple(group) for group in groups if len(group) > 1}:
            for function, branch in _branches(group).items():
                self._lengths[branch] += function.length

    def real_first(self, group: list[_Function], key: str) -> list[_Function]:
        """A group with the likeliest for a dispatch key at its head."""
        if len(group) < 2:
            return group
        branches = _branches(group)
        longest: Counter[str] = Counter()
        for f in group:
            longest[f.path] = max(longest[f.path], f.length)
        return sorted(
            group,
            key=lambda f: (
                -_suits(f.path, key), -longest[f.path], f.path, -self._lengths[branches[f]], -f.length, f.line,
            ),
        )  # fmt: skip


def _branches(group: Sequence[_Function]) -> dict[_Function, tuple[str, int, int]]:
    """The file of each definition, how many there are in it, and which of them it is."""
    counts = Counter(f.path for f in group)
    passed: Counter[str] = Counter()
    found: dict[_Function, tuple[str, int, int]] = {}
    for f in sorted(group, key=lambda f: (f.path, f.line)):
        found[f] = (f.path, counts[f.path], passed[f.path])
        passed[f.path] += 1
    return found


def _is_test(path: str) -> bool:
    return bool(re.search(r"(?:^|/)tests?/|^benchmarks/|^binaries/", path))


def _is_of_one_source(function: _Function) -> bool:
    """Whether no other file, and no generated one, can name a function."""
    return function.path.endswith(SOURCE_SUFFIXES) and (
        function.is_anonymous or function.signature.startswith("static ")
    )


def _suits(path: str, key: str) -> bool:
    """Whether a file's folder or ending is that of the key's backend."""
    backend = next(
        (b for b in ("CUDA", "MPS", "XPU", "HIP", "Vulkan", "Metal") if key.endswith(b)), "CPU"
    )
    folders = {"CUDA": ("/cuda/", "/cudnn/", "/miopen/"), "CPU": ("/cpu/",)}
    ends = path.endswith((".cu", ".cuh")) and backend == "CUDA"
    return ends or any(folder in path for folder in folders.get(backend, (f"/{backend.lower()}/",)))


def _functions(conn: sqlite3.Connection) -> dict[str, list[_Function]]:
    found: dict[str, list[_Function]] = defaultdict(list)
    for row in conn.execute(
        "SELECT u.id, u.name, u.signature, f.path, u.line, u.end_line - u.line, u.is_anonymous FROM functions AS u"
        " JOIN source_files AS f ON f.id = u.file_id"
        " WHERE u.name IN (SELECT kernel FROM dispatch WHERE generated_by IS NULL) ORDER BY u.id"
    ):
        found[row[1]].append(_Function(*row))
    return found


def _arguments(conn: sqlite3.Connection) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for operator_id, type_, _ in conn.execute(
        "SELECT operator_id, type, position FROM arguments ORDER BY operator_id, position"
    ):
        found[operator_id].append(type_)
    return found


def _mark_view_copies(conn: sqlite3.Connection) -> None:
    """Copying variants of views are generated from the view, unless a kernel of theirs is written.

    Rule: torchgen/gen_functionalization_type.py, gen_composite_view_copy_kernel: the pair is told by its names.
    """
    conn.execute(
        "UPDATE dispatch SET generated_by = 'torchgen (CompositeViewCopyKernels.cpp)'"
        " WHERE generated_by IS NULL AND kernel LIKE 'at::native::%'"
        " AND id NOT IN (SELECT dispatch_id FROM dispatch_kernels)"
        " AND EXISTS (SELECT 1 FROM operators AS o JOIN operators AS view"
        "  ON view.base || '_copy' = o.base AND view.overload = o.overload AND view.namespace = o.namespace"
        "  WHERE o.id = dispatch.operator_id AND o.kind = 'functional'"
        "  AND EXISTS (SELECT 1 FROM returns AS r WHERE r.operator_id = view.id AND r.alias_annotation IS NOT NULL))"
    )


def _mark_operators(conn: sqlite3.Connection) -> None:
    """What is registered by an operator's own C++ name (`at::Tensor::add_`, `at::eq`) is a generated function.

    Rule: torchgen/gen.py writes a method for each operator of variant method into TensorBody.h, and a function for
    each of variant function into Functions.h.
    """
    for variant, scope, header in (
        ("method", "at::Tensor::", "TensorBody.h"), ("function", "at::", "Functions.h"),
    ):  # fmt: skip
        conn.execute(
            "UPDATE dispatch SET generated_by = ?"
            " WHERE generated_by IS NULL AND kernel IN"
            "  (SELECT ? || base FROM operators WHERE origin <> 'library' AND instr(variants, ?))"
            " AND id NOT IN (SELECT dispatch_id FROM dispatch_kernels)",
            (f"torchgen ({header})", scope, variant),
        )


def _report(conn: sqlite3.Connection) -> None:
    # Step 51 knows of Python's own kernels.
    conn.execute(
        "INSERT INTO coverage (layer, file, status, detail)"
        " SELECT 'kernels', f.path, 'partial', o.name || ' ' || d.dispatch_key || ': ' || d.kernel || ': '"
        "  || CASE WHEN d.dispatch_key LIKE '%XPU' THEN 'not in the tree (third_party/torch-xpu-ops)'"
        "     ELSE 'no definition in the tree' END"
        " FROM dispatch AS d JOIN operators AS o ON o.id = d.operator_id"
        " LEFT JOIN source_files AS f ON f.id = d.file_id"
        " WHERE d.kernel IS NOT NULL AND d.generated_by IS NULL AND d.origin <> 'python'"
        " AND d.id NOT IN (SELECT dispatch_id FROM dispatch_kernels) ORDER BY d.id"
    )
