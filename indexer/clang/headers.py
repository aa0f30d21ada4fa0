"""What goes into a precompiled header: headers that many units of a group include, and that do no harm to others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from indexer.clang.includes import Includes

MIN_USERS = 7
"""How many units must include a header; found by trial: fewer cost more when the header is loaded than they save."""

_MIN_SHARE = 24
"""In a small group it is one unit of so many: what few include (torch/nn) is most of what these have to parse."""

_FEW_CHANGES, _PART = 8, 10
# Components that few builds have, and parts of headers that only their own includers may include.
_SPECIAL = re.compile(
    r"(?:^|[/_-])(?:hip|mps|mkldnn|vec|kineto|xpu|vulkan|metal|miopen|edge|tests?|nnapi|opencl|android|hexagon|"
    r"templates|legacy|qnnpack|xnnpack|fbgemm|onednn|standalone|inl|win32|nccl|gloo|ucc|mpi)(?=[/._-]|$)"
    r"|/vec\d|Legacy|MPS|HIP|Metal|kineto|^third_party/",
)
_CUDA_ONLY = re.compile(r"cuda|cudnn|cublas|\.cuh$", re.IGNORECASE)
# Foreign headers that may stand in a header that is precompiled: they are everywhere, or behind a condition.
_HARMLESS = re.compile(
    r"(?:sys/|pybind11/|fmt/|Python\.h|frameobject\.h|structseq\.h|structmember\.h|\w*intrin\.h|std\w+\.h|math\.h|errno\.h|"
    r"assert\.h|limits\.h|string\.h|unistd\.h|pthread\.h|omp\.h|cuda\w*\.h|hip/|arm_\w+\.h|altivec\.h|spe\.h|CL/|sycl/|ext/|"
    r"glog/|gflags/|thrust/|TargetConditionals|android/|ATen/selected_mobile_ops\.h|features\.h|vecintrin\.h|folly/|"
    r"[a-z_]+\Z)"
)
_NEEDS_PYTHON = re.compile(r"Python\.h|pybind11/")
_PYTHON = ("torch/csrc/python_headers.h", "torch/csrc/utils/pybind.h")
_FIRST = ("ATen/ATen.h", "ATen/NativeFunctions.h")
_OWN = ("ATen/", "c10/", "torch/", "caffe2/", "functorch/")
_LOWEST = ("c10/", "ATen/core/")


class Choice(NamedTuple):
    """What may be precompiled.

    Args:
        names: to include, in order.
        fit: all names that do no harm, however few units include them.
    """

    names: list[str]
    fit: frozenset[str]


def lowest(names: Iterable[str]) -> list[str]:
    """Of the names in a precompiled header those of the C++ library and of what all else stands on.

    They hold no operators, whose overloads and structures are what units collide with.

    Args:
        names: as they stand between the brackets of `#include <…>`.
    """
    return [name for name in names if not name.startswith(_OWN) or name.startswith(_LOWEST)]


def steadied(fresh: Choice, before: Sequence[str]) -> list[str]:
    """The names that were chosen before, unless the tree has become another one since.

    Units have to be parsed again when they see another header, so a header that one unit more or less includes must
    not change the choice.

    Args:
        fresh: what would be chosen now.
        before: the names of the last time.

    Returns:
        Either's names; they may be of headers that are gone.
    """
    if len(set(fresh.names) ^ set(before)) > max(_FEW_CHANGES, len(fresh.names) // _PART):
        return fresh.names
    return list(before)


def precompiled_headers(
    includes: Includes,
    units: Sequence[str],
    folders: Sequence[str],
    standard: Iterable[str],
    with_python: bool,
    is_device: bool = False,
) -> Choice:
    """The names to include.

    Args:
        includes: the graph.
        units: absolute paths of the group's units.
        folders: as `Includes` has them.
        standard: names of the C++ library's headers that are on the machine.
        is_device: device code, for which CUDA's parts are wanted too.
        with_python: whether Python.h and pybind11 are there; without them what includes them spoils the header.
    """
    users, foreign = includes.users(units)
    twice = includes.read_twice(units, users)
    stubs = Counter(name for header in users for name in set(includes.node(header).stubs))
    spoiled = includes.reaching(
        units,
        lambda node: (
            node.path in twice
            or any(stubs[name] > 1 for name in node.stubs)
            or (not with_python and any(map(_NEEDS_PYTHON.match, node.foreign)))
        ),
    )
    minimum = min(MIN_USERS, max(2, len(units) // _MIN_SHARE))
    names: dict[str, None] = {}
    fit: set[str] = set()
    if with_python:
        # Python's own header wants to be the first.
        python = (name for name in _PYTHON if users.get(includes.resolve(name) or "", 0) >= minimum)
        names.update(dict.fromkeys(python))
        fit.update(_PYTHON)
    names.update(dict.fromkeys(name for name in _FIRST if includes.resolve(name)))
    library = set(standard)
    names.update(dict.fromkeys(n for n in sorted(library) if foreign.get(n, 0) >= minimum))
    chosen = set()
    for header, count in users.items():
        node = includes.node(header)
        if not node.once or header in spoiled:
            continue
        if not all(_HARMLESS.match(name) for name in node.foreign):
            continue
        name = _short(header, folders)
        if name is None or _SPECIAL.search(name) or (not is_device and _CUDA_ONLY.search(name)):
            continue
        fit.add(name)
        if count >= minimum:
            chosen.add(name)
    names.update(dict.fromkeys(sorted(chosen)))
    return Choice(list(names), frozenset(fit | library | names.keys()))


def _short(header: str, folders: Sequence[str]) -> str | None:
    """The name by which the tree includes a header."""
    candidates = [
        header[len(folder) + 1 :] for folder in folders if header.startswith(folder + "/")
    ]
    own = [
        name
        for name in candidates
        if name.startswith(_OWN) and name.endswith((".h", ".hpp", ".cuh"))
    ]
    return min(own, key=len, default=None)
