"""From a dispatch entry to the code: definitions, stubs' kernels and GPU kernels."""

from __future__ import annotations

import json
import sqlite3

from torchtalk.answers.base import Place
from torchtalk.answers.dispatch import Reached
from torchtalk.graph import devices
from torchtalk.tools.kernels import queries
from torchtalk.tools.kernels.branches import Branches, all_of
from torchtalk.tools.kernels.operator_calls import MOST_OVERRIDES

# A stub's kernels are registered for devices and for CPU capabilities; which of them an entry can
# reach follows from its key (aten/src/ATen/native/DispatchStub.h).
_ANY = "*"  # a Metal kernel's name of which nothing is known
_DEVICES = ("CUDA", "HIP", "MPS", "XPU", "HPU", "MTIA", "PrivateUse1")
# Keys of functionality, behind which the tensors' device decides (c10/core/DispatchKey.h); all devices of a composite.
_OF_ANY_DEVICE = ("Composite", "FuncTorch", "Batched", "VmapMode", "Functionalize")

# Where kernels of these devices stand (aten/src/ATen/native).
_FOLDERS = {"CUDA": ("/cuda/", "/cudnn/", "/hip/", "/miopen/"), "CPU": ("/cpu/",)}

# To a virtual method through kernels of the same file: `_c10d_functional::all_reduce` calls that of `all_reduce_`.
_TO_VIRTUAL = 2

# Calls to follow to a launch: those that `launching_functions` is made for, and others inside GPU files.
_CALLS, _FARTHER = 4, 10

# On the way from a virtual method to a stub: a quantizer's `dequantize` has one for its tensor, which calls another's.
_HELPERS = 1


def definitions(
    conn: sqlite3.Connection, entries: str
) -> dict[int, list[tuple[int | None, Place]]]:
    """The functions that dispatch entries end at: the id of one in C++, and where it stands.

    Args:
        conn: an index.
        entries: ids of the entries, a JSON list.
    """
    found: dict[int, list[tuple[int | None, Place]]] = {}
    for row in conn.execute(queries("entries")["definitions"], {"entries": entries}):
        place = Place(row["path"], row["line"])
        found.setdefault(row["dispatch_id"], []).append((row["id"], place))
    return found


def in_lambdas(conn: sqlite3.Connection, entries: str) -> dict[int, list[tuple[int, Reached]]]:
    """What lambdas call that are kernels of dispatch entries: the functions' ids, and what is said of them.

    Args:
        conn: an index.
        entries: ids of the entries, a JSON list.
    """
    found: dict[int, list[tuple[int, Reached]]] = {}
    for row in conn.execute(queries("entries")["lambdas"], {"entries": entries}):
        called = Reached(
            "lambda",
            "",
            row["name"],
            "",
            Place(row["path"], row["line"]),
            Place(row["call_path"], row["call_line"]),
        )
        found.setdefault(row["dispatch_id"], []).append((row["id"], called))
    return found


def replaced(conn: sqlite3.Connection, entries: str) -> dict[int, str]:
    """What Python registers in the place of the kernels of dispatch entries.

    Args:
        conn: an index.
        entries: ids in `dispatch`, as a JSON list.

    Returns:
        The function with its place by the entry's id, for those that have one.
    """
    rows = conn.execute(queries("entries")["replaced"], {"entries": entries})
    return {r["dispatch_id"]: f"{r['kernel']} {Place(r['path'], r['line'])}" for r in rows}


def constants_of(conn: sqlite3.Connection, function: int) -> str:
    """What the specialization of a class template is for that a method stands in, as far as constants tell.

    Args:
        conn: an index.
        function: id of the method.

    Returns:
        The constants among its arguments, as written: `CastPolicy::fp32` of at::autocast::WrapFunction_; empty of other
        functions.
    """
    row = conn.execute(queries("entries")["specialization"], {"id": function}).fetchone()
    arguments = json.loads(row["arguments"]) if row is not None else []
    return ", ".join(one for one in arguments if "::" in one and not set(one) & set("<>()*& "))


def inner_loops(
    conn: sqlite3.Connection, operator_id: int, keys: tuple[str, ...]
) -> tuple[Reached, ...]:
    """What is written of a ufunc's generated kernels: their inner loops, as a stub's kernels.

    Args:
        conn: an index.
        operator_id: of the overload.
        keys: dispatch keys that the loops serve.
    """
    wanted = {"operator_id": operator_id, "keys": json.dumps(keys)}
    return tuple(map(_of_stub, conn.execute(queries("entries")["inner_loops"], wanted)))


def _of_stub(row: sqlite3.Row) -> Reached:
    return Reached(
        "stub",
        row["stub"],
        row["kernel"],
        row["backend"],
        Place(row["kernel_file"], row["kernel_line"]),
        Place(row["registered_file"], row["registered_line"]),
    )


def reached(
    conn: sqlite3.Connection,
    functions: list[int],
    keys: tuple[str, ...],
    branches: Branches | None = None,
) -> tuple[Reached, ...]:
    """The stubs' kernels and GPU kernels behind some functions; where they have none, what overrides the virtual
    methods that they call, and what is behind that.

    Args:
        conn: an index.
        functions: ids of the kernels' definitions.
        keys: the dispatch keys they serve; kernels for other devices are left out.
        branches: of the tree's files, where more than one table is asked for.
    """
    branches = branches or Branches(conn)
    return _straight(conn, functions, keys, branches) or _of_device(
        _overrides(conn, functions, keys, branches), keys
    )


def _straight(
    conn: sqlite3.Connection,
    functions: list[int],
    keys: tuple[str, ...],
    branches: Branches,
    helpers: int = 0,
) -> tuple[Reached, ...]:
    """What functions reach without a virtual method; `helpers` tells how many of other files may be on the way to one
    that calls a stub.
    """
    sql = queries("entries")
    found: list[Reached] = []
    launching = {platform: list(functions) for platform in _platforms(keys)}
    for row in conn.execute(sql["stubs"], {"functions": json.dumps(functions), "helpers": helpers}):
        if not _runs(row, keys):
            continue
        # A composite kernel runs for every device: its stubs' kernels tell whose GPU kernels run.
        if row["function_id"] is not None:
            for platform in _platforms((row["backend"],)):
                launching.setdefault(platform, []).append(row["function_id"])
        found.append(_of_stub(row))
    for row in conn.execute(sql["tables"], {"functions": json.dumps(functions)}):
        found.append(
            Reached(
                "table",
                "",
                row["kernel"],
                "",
                Place(row["kernel_file"], row["kernel_line"]),
                Place(row["path"], row["line"]),
            )
        )
    for platform, launchers in launching.items():
        rows = _launches(conn, launchers, platform)
        if not rows:
            continue
        ways = branches.ways(launchers, _CALLS)
        # What looks up whatever name it is handed is on the way to the kernels that are known.
        known = [row for row in rows if row["kernel"] != _ANY]
        for row in known or rows:
            found.append(
                Reached(
                    "launch",
                    "",
                    row["kernel"],
                    row["platform"],
                    Place(row["kernel_file"], row["kernel_line"]),
                    Place(row["path"], row["line"]),
                    bool(row["is_open"]),
                    _one_of(row),
                    _condition(branches, ways(row["launcher_id"]), row),
                )
            )
    return tuple(dict.fromkeys(found))


def _overrides(
    conn: sqlite3.Connection, functions: list[int], keys: tuple[str, ...], branches: Branches
) -> list[Reached]:
    """What functions that call a virtual method hand their work to: a process group's backends, packed weights.

    A quantizer's method calls a stub: its kernels are behind the method.
    """
    wanted = {"functions": json.dumps(functions), "most": MOST_OVERRIDES, "calls": _TO_VIRTUAL}
    rows = conn.execute(queries("entries")["overrides"], wanted).fetchall()
    behind = {
        of: _straight(conn, [of], keys, branches, _HELPERS)
        for of in {row["function_id"] for row in rows}
    }
    return [
        Reached(
            "override",
            row["base"],
            row["kernel"],
            "",
            Place(row["kernel_file"], row["kernel_line"]),
            Place(row["path"], row["line"]),
            behind=behind[row["function_id"]],
        )
        for row in rows
    ]


def behind_overrides(
    conn: sqlite3.Connection, functions: list[int], keys: tuple[str, ...]
) -> list[int]:
    """The kernels that are registered in stubs for some devices, and that a virtual method leads functions to.

    Args:
        conn: an index.
        functions: ids of what calls the method.
        keys: dispatch keys of the devices.

    Returns:
        Ids of the kernels' functions.
    """
    sql = queries("entries")
    wanted = {"functions": json.dumps(functions), "most": MOST_OVERRIDES, "calls": _TO_VIRTUAL}
    methods = [row["function_id"] for row in conn.execute(sql["overrides"], wanted)]
    if not methods:
        return []
    rows = conn.execute(sql["stubs"], {"functions": json.dumps(methods), "helpers": _HELPERS})
    return [row["function_id"] for row in rows if row["function_id"] and _runs(row, keys)]


def _of_device(overrides: list[Reached], keys: tuple[str, ...]) -> tuple[Reached, ...]:
    """Without what stands in a folder of another device, where something else is left of the same call.

    `quantized::conv2d` has a kernel for CPU and one for CUDA, and packed weights in `quantized/cpu` and
    `quantized/cudnn`, which each device makes of its own (`quantized::conv2d_prepack`).
    """
    devices = {"CUDA" if "CUDA" in key else "CPU" if "CPU" in key else "" for key in keys}
    if devices not in ({"CPU"}, {"CUDA"}):
        return tuple(dict.fromkeys(overrides))
    (foreign,) = (_FOLDERS[device] for device in _FOLDERS.keys() - devices)
    own = [one for one in overrides if not any(f in f"/{one.definition.file}" for f in foreign)]
    left = {one.place for one in own}
    return tuple(dict.fromkeys(o for o in overrides if o in own or o.place not in left))


def _launches(conn: sqlite3.Connection, functions: list[int], platform: str) -> list[sqlite3.Row]:
    """What functions launch, the nearest first. That a kernel is near says nothing against farther ones:
    `_flash_attention_forward` has splitkv kernels five calls away, and another one six.
    """
    sql = queries("entries")
    wanted = {
        "functions": json.dumps(functions),
        "platform": platform,
        "is_open": 0,
        "calls": _CALLS,
    }
    found = conn.execute(sql["launches"], wanted).fetchall()
    near = {row["launcher_id"] for row in found}
    for row in conn.execute(sql["farther"], {**wanted, "calls": _FARTHER}).fetchall():
        if row["id"] in near:
            continue
        wanted.update(functions=json.dumps([row["id"]]), is_open=row["is_open"], calls=0)
        found += conn.execute(sql["launches"], wanted).fetchall()
    return found


def _condition(branches: Branches, way: tuple[str, ...], row: sqlite3.Row) -> str:
    """What a launch stands under: on the way to its function, and there."""
    if row["begin"] is None:
        return all_of(way)
    own = branches.of(row["path"], row["begin"], (row["line"],))[0]
    return all_of(tuple(dict.fromkeys((*way, *own))))


def _one_of(row: sqlite3.Row) -> str:
    """Of which kernels the launch of a lambda's parameter is one."""
    if not row["candidates"]:
        return ""
    return (
        f"one of {row['candidates']} kernels that {row['handed_to']} calls the lambda with;"
        f" the first is {row['known_kernel']}"
    )


def _platforms(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Whose GPU kernels can run behind these keys; what a composite kernel launches, if anything,
    it does not launch itself.
    """
    found = []
    if any("CUDA" in key or key == "HIP" for key in keys):
        found.append("cuda")
    if any("MPS" in key or "Metal" in key for key in keys):
        found.append("metal")
    if any("Vulkan" in key for key in keys):
        found.append("vulkan")
    return tuple(found)


def is_of_device(backend: str) -> bool:
    """Whether a stub's kernel for `backend` is for a device, and not for the CPU or one of its capabilities."""
    return backend.upper() in (device.upper() for device in _DEVICES)


def _runs(row: sqlite3.Row, keys: tuple[str, ...]) -> bool:
    """Whether a stub's kernel can run behind one of the keys: if every call of the stub names its device
    (`_fused_sdp_choice_meta`), the kernels for these alone, and of what is for no device whichever they are.
    """
    asked = [devices.named(device) for device in row["devices"].split("\n")]
    if not all(asked):
        return _serves(row["backend"], keys)
    of_none = not any(device in key for key in keys for device in (*_DEVICES, "CPU"))
    return devices.device_of(row["backend"]) in frozenset().union(*asked) and (
        of_none or _serves(row["backend"], keys)
    )


def _serves(backend: str, keys: tuple[str, ...]) -> bool:
    """Whether a kernel for this backend can run behind one of the keys."""
    if any(key.startswith(_OF_ANY_DEVICE) for key in keys):
        return True
    wanted = [device for device in _DEVICES if any(device in key for key in keys)]
    if is_of_device(backend):
        same = backend.upper() in (device.upper() for device in wanted)
        return same or (backend.upper() == "HIP" and "CUDA" in wanted)
    # What is no device is the CPU or one of its capabilities.
    return any("CPU" in key for key in keys) or not wanted
