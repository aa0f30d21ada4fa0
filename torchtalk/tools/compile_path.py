"""compile_path: what becomes of an operator in Dynamo, AOTAutograd and Inductor."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Sequence

from torchtalk.answers.base import Place
from torchtalk.answers.compile_path import (
    CompilePathAnswer,
    DynamoLine,
    OperatorPath,
    PatternLine,
)
from torchtalk.counted import counted, few
from torchtalk.names import Resolution, operator_around, resolve
from torchtalk.names.closest import last_component
from torchtalk.names.files import no_name, said_of_folder
from torchtalk.tools import queries
from torchtalk.tools.compile_dynamo import (
    BUILTINS,
    builtin,
    rewrite_of,
    rewritten,
    rewritten_calls,
    rules,
    rules_of,
    said,
    tensor_method,
)
from torchtalk.tools.compile_steps import OperatorSteps
from torchtalk.tools.compile_words import said_of_python, said_of_words

_MOST_TOLD = 3
_MOST_GROUPS = 6
_MOST_BEHIND = 12
_MOST_PATTERNS = 8
_MOST_RULES = 6
_HIGHER = ("torch.ops.higher_order.", "higher_order::", "torch.")


def compile_path(conn: sqlite3.Connection, name: str) -> CompilePathAnswer:
    """Follow an operator through the stages of torch.compile.

    Args:
        conn: an index.
        name: in any form that `torchtalk.names` understands; higher-order operators too.
    """
    sql = queries("compile_path")
    resolution = operator_around(conn, resolve(conn, name))
    if not conn.execute(sql["built"]).fetchone()[0]:
        finding = "this index has nothing of torch.compile"
        return CompilePathAnswer(
            name, finding, (*resolution.notes, "`get_status` says what was read")
        )
    target = resolution.target
    own = rules_of(conn, name, resolution.api, target.name if target is not None else None)
    if target is None or not target.overloads:
        own = tuple(dict.fromkeys((*builtin(conn, name), *own)))
    replacing = rewrite_of(own)
    if replacing is not None:
        return _rewritten(conn, name, resolution, own, replacing)
    if target is None or not target.overloads:
        return _higher_order(conn, name, target is not None, own) or _nothing(
            conn, name, resolution, own
        )
    notes = list(resolution.notes)
    if not conn.execute(sql["has_inductor"]).fetchone()[0]:
        notes.append("this version has no Inductor: no lowerings, no fallbacks, no patterns")
    if not conn.execute(sql["has_core"]).fetchone()[0]:
        notes.append("this version has no Core ATen: tags.yaml has no tag `core`")
    rows = conn.execute(sql["overloads"], {"names": json.dumps(target.overloads)}).fetchall()
    wanted = _wanted(rows)
    left = [row["name"] for row in rows if row not in wanted]
    if left:
        notes.append(
            "functionalization replaces in-place and out overloads before the graph is lowered; "
            f"not shown: {', '.join(left[:8])}{' …' if len(left) > 8 else ''}"
        )
    if of_python := [
        line for line in builtin(conn, name) if line.name == f"{BUILTINS}{name.strip()}"
    ]:
        notes.append(f"Python's own {name.strip()} is another: {said(of_python)}")
    methods = _bound_methods(conn, resolution.api)
    paths = _grouped(
        [
            _run_by_method(OperatorSteps(conn, row).path(), methods.get(row["name"]))
            for row in wanted
        ]
    )
    if len(paths) > _MOST_GROUPS:
        notes.append(
            f"{_MOST_GROUPS} of {len(paths)} groups of overloads shown; ask for one overload"
        )
    base = str(wanted[0]["base"])
    patterns, total = _patterns(conn, base)
    return CompilePathAnswer(
        query=name,
        finding=_finding(resolution.api or target.name, paths, own),
        notes=tuple(notes),
        dynamo=_dynamo(conn, [row["name"] for row in rows], base, own, resolution.api),
        paths=tuple(paths[:_MOST_GROUPS]),
        behind=_behind(conn, paths),
        patterns=patterns,
        pattern_total=total,
        logs=_logs(conn),
    )


def _bound_methods(conn: sqlite3.Connection, api: str | None) -> dict[str, str]:
    """By operator the method of an object of C++ that alone leads there from a public name: `ProcessGroup.barrier`."""
    rows = conn.execute(queries("compile_path")["bound_methods"], {"api": api}) if api else ()
    return {row["operator"]: row["method"] for row in rows}


def _run_by_method(path: OperatorPath, method: str | None) -> OperatorPath:
    """The way of an operator that a method of C++ runs, at which Dynamo breaks the graph.

    It wraps no such object but knows some of its methods; `VariableTracker.call_method` gives up at all others
    (torch/_dynamo/variables/base.py; ProcessGroupVariable in torch/_dynamo/variables/distributed.py).
    """
    if method is None:
        return path
    outcome = (
        f"{method.removeprefix('torch._C.')} runs it, a method bound in C++ at which Dynamo breaks the graph: it is"
        " called eagerly"
    )
    return dataclasses.replace(path, outcome=outcome)


_KINDS = {
    "python": "Python function",
    "internal": "Python function",
    "value": "Python value",
    "attribute": "Python attribute",
    "module": "Python module",
    "class": "Python class",
    "binding": "C++ binding",
    "function": "C++ function",
    "cpp_class": "C++ class",
    "gpu_kernel": "GPU kernel",
    "gpu_library": "function of a GPU library",
}


def _wanted(rows: Sequence[sqlite3.Row]) -> list[sqlite3.Row]:
    """The overloads that are told of: of each operator those that write into nothing, or all where it has none such.

    `torch.distributed.all_to_all` runs `c10d::alltoall_`, and `view_as_real` of complex tensors before.
    """
    functional = {_of(row) for row in rows if row["kind"] == "functional"}
    return [row for row in rows if row["kind"] == "functional" or _of(row) not in functional]


def _of(row: sqlite3.Row) -> str:
    """The operator of an overload; `relu_` is `relu`, as torchgen pairs them (torchgen/model.py, BaseOperatorName)."""
    return str(row["name"]).partition(".")[0].removesuffix("_")


def _rewritten(
    conn: sqlite3.Connection,
    name: str,
    resolution: Resolution,
    own: tuple[DynamoLine, ...],
    line: DynamoLine,
) -> CompilePathAnswer:
    """The answer for a function in whose place that of `line` is traced, with the operators which that calls."""
    packets = rewritten_calls(conn, line)
    paths = _followed(conn, packets, _MOST_BEHIND)
    return CompilePathAnswer(
        query=name,
        finding=f"{resolution.api or name.strip()}: {rewritten(line, packets)}",
        dynamo=own,
        paths=tuple(paths[:_MOST_GROUPS]),
        behind=_behind(conn, paths),
        logs=_logs(conn),
    )


def _nothing(
    conn: sqlite3.Connection, name: str, resolution: Resolution, own: tuple[DynamoLine, ...]
) -> CompilePathAnswer:
    """The answer for what is no operator; `own` is what Dynamo does with it."""
    target = resolution.target
    is_other = bool(own) and target is not None and target.name == own[0].target
    # `isinstance` is Python's own, though torch.jit.isinstance is called so as well.
    is_builtin = bool(own) and own[0].name.startswith(BUILTINS)
    if own and (resolution.candidates or target is None or is_other or is_builtin):
        finding = f"{name.strip()} is no operator: {said(own)}"
        called_so = (target.name,) if target else resolution.candidates
        others = [f"also of this name: {few(called_so, _MOST_TOLD)}"] if called_so else []
        return CompilePathAnswer(name, finding, tuple(others if is_builtin else ()), dynamo=own)
    if target is None and (of_python := said_of_python(conn, name)):
        return CompilePathAnswer(name, of_python)
    if resolution.candidates:
        finding = f"{name} could be: {few(resolution.candidates, 20)}; ask for one of them"
    elif target is not None:
        kind = _KINDS.get(target.kind, target.kind)
        finding = f"{target.name} is a {kind}, no operator"
        if target.name.startswith("torch.ops."):
            finding = f"{target.name} is an operator that nothing in this index defines"
        if target.kind == "class":
            finding += ": trace_module says which operators it ends at"
        if own:
            finding = f"{target.name} is a {kind}, no operator: {said(own)}"
    else:
        finding = no_name(conn, name)
    closest = () if said_of_folder(conn, name) else resolution.closest
    words = said_of_words(conn, name) if target is None and not resolution.candidates else ()
    return CompilePathAnswer(name, finding, words or resolution.notes, closest, dynamo=own)


def _finding(what: str, paths: list[OperatorPath], own: tuple[DynamoLine, ...]) -> str:
    """What becomes of a name: of its overloads, or of the operators that a function of Python reaches.

    What Dynamo does with the name is `own`: where that is a method or a handler for it, no operator need be reached.
    """
    ways: dict[str, list[str]] = {}
    for path in paths:
        packets = ways.setdefault(path.outcome, [])
        packets += [name.partition(".")[0] for name in path.operators]
    packets = list(dict.fromkeys(packet for named in ways.values() for packet in named))
    is_own = "::" in what or last_component(what).strip("_") in packets[0]
    if len(packets) == 1 and is_own:
        first, *others = ways
        return f"{what}: {first}" + (
            f"; other overloads: {'; '.join(others[:2])}" if others else ""
        )
    told = [
        f"{few(tuple(dict.fromkeys(named)), _MOST_TOLD)}: {outcome}"
        for outcome, named in list(ways.items())[:_MOST_TOLD]
    ]
    rest = f"; {len(ways) - len(told)} other ways" if len(ways) > len(told) else ""
    reached = f"reaches {counted(len(packets), 'operator')}: {'; '.join(told)}{rest}"
    if own and own[0].kind in ("method", "handler"):
        return f"{what}: {said(own)}; without it {reached}"
    return f"{what} {reached}"


def _grouped(paths: list[OperatorPath]) -> list[OperatorPath]:
    """Overloads that go the same way together."""
    found: dict[tuple[object, ...], OperatorPath] = {}
    for path in paths:
        shared = (path.level, path.aot, path.inductor, path.outcome, path.lists)
        earlier = found.get(shared)
        if earlier is not None:
            path = dataclasses.replace(earlier, operators=(*earlier.operators, *path.operators))
        found[shared] = path
    return list(found.values())


def _behind(conn: sqlite3.Connection, paths: list[OperatorPath]) -> tuple[OperatorPath, ...]:
    """The operators that those asked for are decomposed into, and so on."""
    seen = {operator.partition(".")[0] for path in paths for operator in path.operators}
    waiting = [packet for path in paths for packet in path.becomes]
    found: list[OperatorPath] = []
    while waiting and len(found) < _MOST_BEHIND:
        packet = waiting.pop(0)
        if packet in seen:
            continue
        seen.add(packet)
        for path in _followed(conn, (packet,), 1):
            found.append(path)
            waiting.extend(path.becomes)
    return tuple(found)


def _followed(conn: sqlite3.Connection, packets: Sequence[str], most: int) -> list[OperatorPath]:
    """The ways of the default overloads of packets, of `most` of them; what the index does not know has none."""
    sql = queries("compile_path")
    found: list[OperatorPath] = []
    for packet in packets[:most]:
        namespace, _, base = packet.partition("::")
        names = [
            row["name"]
            for row in conn.execute(sql["packet"], {"namespace": namespace, "base": base})
        ]
        rows = conn.execute(sql["overloads"], {"names": json.dumps(names)}).fetchall()
        rows = [row for row in rows if row["kind"] == "functional"] or rows
        if rows:
            # `at::zeros(…)` is its default overload, though aten::zeros.names stands first in the YAML.
            row = min(rows, key=lambda row: (not row["is_core"], "." in row["name"]))
            found.append(OperatorSteps(conn, row).path())
    return found


def _dynamo(
    conn: sqlite3.Connection,
    names: list[str],
    base: str,
    own: tuple[DynamoLine, ...],
    api: str | None,
) -> tuple[DynamoLine, ...]:
    sql = queries("compile_path")
    apis = [row["api"] for row in conn.execute(sql["apis"], {"names": json.dumps(names)})]
    # Other public names may end here too; what Dynamo does with those is their own affair.
    apis = [found for found in apis if found.rpartition(".")[2].strip("_") == base.strip("_")]
    # quantized::linear is not what torch._C._nn.linear calls.
    is_aten = any(name.startswith("aten::") for name in names)
    bound = (f"torch.{base}", f"torch._C._nn.{base}") if is_aten else ()
    wanted = dict.fromkeys((*([api] if api else []), *bound, *apis))
    found = list(dict.fromkeys((*own, *rules(conn, wanted))))
    found += tensor_method(conn, base) if is_aten else ()
    return tuple(dict.fromkeys(found))[:_MOST_RULES]


def _patterns(conn: sqlite3.Connection, base: str) -> tuple[tuple[PatternLine, ...], int]:
    rows = conn.execute(queries("compile_path")["patterns"], {"base": base}).fetchall()
    shown = tuple(
        PatternLine(
            row["stage"], row["function"].rpartition(".")[2] if row["function"] else row["form"],
            row["replacement"].rpartition(".")[2], Place(row["path"], row["line"]),
        )
        for row in rows[:_MOST_PATTERNS]
    )  # fmt: skip
    return shown, len(rows)


def _logs(conn: sqlite3.Connection) -> tuple[tuple[str, str], ...]:
    found: dict[str, list[str]] = {}
    for row in conn.execute(queries("compile_path")["logs"]):
        found.setdefault(row["stage"], []).append(row["artifact"])
    return tuple(
        (stage, ",".join(found[stage])) for stage in ("Dynamo", "AOT", "Inductor") if stage in found
    )


def _higher_order(
    conn: sqlite3.Connection, name: str, is_known: bool, own: tuple[DynamoLine, ...]
) -> CompilePathAnswer | None:
    """The answer for a higher-order operator; `is_known` where the name is that of something else in Python.

    What Dynamo does with the name as it was asked for is `own`.
    """
    sql = queries("compile_path")
    bare = name.strip()
    for prefix in _HIGHER:
        bare = bare.removeprefix(prefix)
    row = (
        conn.execute(sql["higher_order"], {"name": bare}).fetchone()
        or conn.execute(sql["higher_order"], {"name": name.strip()}).fetchone()
    )
    if row is None:
        return None
    steps = OperatorSteps(
        conn, {"name": row["name"], "namespace": "higher_order", "kind": "functional", "is_core": 0,
               "is_composite": 0, "derivative": None, "path": row["path"], "line": row["line"]},
    )  # fmt: skip
    path = steps.path()
    what = row["variable"] or row["class_name"]
    notes = (f"{what} is the object",) if what else ()
    own_name = row["name"].replace("::", ".")
    if name.strip() == f"torch.{bare}":
        # `torch.wrap`: another name than the operator's, of which the package may know nothing.
        said = "" if is_known else f"nothing here is called {name.strip()}; "
        notes = (f"{said}taken as torch.ops.{own_name}", *notes)
    dynamo = own or rules(conn, [f"torch.ops.{own_name}"])
    return CompilePathAnswer(
        name, f"{row['name']}: {path.outcome}", notes, dynamo=dynamo, paths=(path,), logs=_logs(conn)
    )  # fmt: skip
