"""What Dynamo does with Python names: its rules, its handlers, and what it traces in their place."""

from __future__ import annotations

import builtins
import json
import operator
import re
import sqlite3
from collections.abc import Iterable, Sequence

from torchtalk.answers.base import Place
from torchtalk.answers.compile_path import DynamoLine
from torchtalk.counted import few
from torchtalk.tools import queries

_MOST_RULES = 6
_MOST_CALLED = 6
_POLYFILL, _REWRITE = "polyfill", "rewrite"
_POLYFILLS = "torch._dynamo."
BUILTINS = "builtins."
"""Before the names of Python's own functions."""

_BARE = re.compile(r"torch\.(\w+)")
_TENSORS = "torch._dynamo.variables.tensor", "TensorVariable"
_BUILTINS = "torch._dynamo.variables.builtin", "BuiltinVariable"
_OF_TENSOR = re.compile(r"(?:torch\.Tensor|torch\._tensor\.Tensor|torch\._C\.TensorBase)\.(\w+)")
_OF_BUILTINS = (builtins, operator)
# What BuiltinVariable stands for: torch/_dynamo/trace_rules.py, _builtin_function_ids.
_BUILTIN = re.compile(r"(?:(?:builtins|operator)\.)?(\w+)|copy\.(deepcopy)|typing\.(cast)")
_OWN_NAMES = ("torch._C._VariableFunctions.", "torch._C._nn.")


def rules(conn: sqlite3.Connection, names: Iterable[str]) -> tuple[DynamoLine, ...]:
    """What Dynamo's tables say of names, handlers first.

    A polyfill is one of torch/_dynamo/polyfills; what is traced in the place of a collective
    (torch/_dynamo/variables/functions.py, CollectiveFunctionRewriteVariable) is called a rewrite.

    Args:
        conn: an index.
        names: dotted; each counts once.
    """
    wanted = json.dumps(list(dict.fromkeys(names)))
    return tuple(
        DynamoLine(
            row["name"],
            _REWRITE if _is_rewrite(row["kind"], row["target"]) else row["kind"],
            row["target"],
            Place(row["path"], row["target_line"] or row["line"]),
        )
        for row in conn.execute(queries("compile_path")["rules"], {"names": wanted})
    )


def _is_rewrite(kind: str, target: str) -> bool:
    return kind == _POLYFILL and not target.startswith(_POLYFILLS)


def rules_of(conn: sqlite3.Connection, *names: str | None) -> tuple[DynamoLine, ...]:
    """What Dynamo does with an object, as `rules` has it.

    Dynamo knows an object by its identity (torch/_dynamo/trace_rules.py, get_torch_obj_rule_map): what is said of
    `torch.distributed.distributed_c10d.all_reduce` holds for `torch.distributed.all_reduce`.

    Args:
        conn: an index.
        names: of the object, as it was asked for and as it was understood; what is None or empty counts for nothing.
    """
    given = [name.strip() for name in names if name]
    found = dict.fromkeys(given)
    for name in given:
        at = {"name": name, "last": name.rpartition(".")[2]}
        found.update(
            dict.fromkeys(row["name"] for row in conn.execute(queries("compile_path")["same"], at))
        )
        for owner in _OWN_NAMES:
            if name.startswith(owner):
                found[f"torch.{name.removeprefix(owner)}"] = None
    # torch/__init__.py takes in what torch._C has (`from torch._C import *`), then what _VariableFunctions has.
    behind = [f"torch._C.{bare[1]}" for bare in map(_BARE.fullmatch, found) if bare is not None]
    told = rules(conn, found) or rules(conn, behind)
    methods = dict.fromkeys(match[1] for match in map(_OF_TENSOR.fullmatch, found) if match)
    own = (line for method in methods for line in tensor_method(conn, method))
    return tuple(dict.fromkeys((*own, *told)))[:_MOST_RULES]


def tensor_method(conn: sqlite3.Connection, name: str) -> tuple[DynamoLine, ...]:
    """How Dynamo's variable for tensors handles a method or an attribute of theirs.

    `call_method` and `var_getattr` of torch/_dynamo/variables/tensor.py look for `method_…` and `method_attr_…`.

    Args:
        conn: an index.
        name: of the method: `tolist`.
    """
    found = _methods(conn, _TENSORS, (f"method_{name}", f"method_attr_{name}"))
    return tuple(DynamoLine(f"torch.Tensor.{name}", "method", *each) for each in found)


def builtin(conn: sqlite3.Connection, name: str) -> tuple[DynamoLine, ...]:
    """How Dynamo handles a function that Python has itself: by a method of its own, a polyfill, or as any such one.

    `BuiltinVariable._make_handler` (torch/_dynamo/variables/builtin.py) looks for `call_…`. What is callable in
    Python's `builtins` and `operator` is a BuiltinVariable (torch/_dynamo/trace_rules.py, _builtin_function_ids).

    Args:
        conn: an index.
        name: as it was asked for: `zip`, `builtins.zip`, `operator.contains`.
    """
    match = _BUILTIN.fullmatch(name.strip())
    bare = next(filter(None, match.groups()), "") if match is not None else ""
    if not bare or (bare == name.strip() and not hasattr(builtins, bare)):
        return ()
    found = _methods(conn, _BUILTINS, (f"call_{bare}",))
    written = f"{BUILTINS}{bare}" if bare == name.strip() else name.strip()
    if found:
        return tuple(DynamoLine(written, "handler", *each) for each in found)
    return rules(conn, (written,)) or _as_any_builtin(conn, written, bare)


def _as_any_builtin(conn: sqlite3.Connection, written: str, bare: str) -> tuple[DynamoLine, ...]:
    """What Dynamo makes of a function of Python's that nothing of its own is for: `print`, `operator.add`."""
    owner = next((each for each in _OF_BUILTINS if written == f"{each.__name__}.{bare}"), None)
    value = getattr(owner, bare, None)
    is_error = isinstance(value, type) and issubclass(value, BaseException)
    if not callable(value) or bare.startswith("_") or is_error:
        return ()
    module, name = _BUILTINS
    at = {"module": module, "name": name}
    return tuple(
        DynamoLine(written, "rule", name, Place(row["path"], row["line"]))
        for row in conn.execute(queries("compile_path")["class_of_dynamo"], at)
    )


def _methods(
    conn: sqlite3.Connection, owner: tuple[str, str], names: Iterable[str]
) -> list[tuple[str, Place]]:
    """The methods of a class of Dynamo that there are, with their places; `owner` is its module and its name."""
    module, of_class = owner
    wanted = json.dumps([f"{of_class}.{name}" for name in names])
    rows = conn.execute(queries("compile_path")["methods"], {"module": module, "names": wanted})
    return [(row["function"], Place(row["path"], row["line"])) for row in rows]


def rewrite_of(lines: Sequence[DynamoLine]) -> DynamoLine | None:
    """The function that is traced in the place of the one that `lines` are of, where a table says so."""
    return next((line for line in lines if line.kind == _REWRITE), None)


def rewritten_calls(conn: sqlite3.Connection, line: DynamoLine) -> tuple[str, ...]:
    """Packets that a function calls which is traced in the place of another, those of C++ alone too.

    Args:
        conn: an index.
        line: that names the function.
    """
    name = line.target.rpartition(".")[2]
    at = {"path": line.place.file, "line": line.place.line, "name": name, "named": True}
    rows = conn.execute(queries("compile_path")["python_calls"], at)
    return tuple(dict.fromkeys(row["packet"] for row in rows))


def said(lines: Sequence[DynamoLine]) -> str:
    """What Dynamo does with a name that is no operator's, as the end of a sentence; `lines` are some of it."""
    line = lines[0]
    if line.kind == "rule":
        return f"for Dynamo it is a {line.target}"
    if line.kind in ("handler", "method"):
        return f"Dynamo handles it by {line.target}"
    return f"Dynamo traces {line.target} in its place"


def rewritten(line: DynamoLine, packets: Sequence[str]) -> str:
    """What becomes of a function in whose place another is traced, as the end of a sentence.

    Args:
        line: that names the other.
        packets: which that calls.
    """
    calls = f", which calls {few(tuple(packets), _MOST_CALLED)}" if packets else ""
    return f"{said([line])}{calls}"
