"""Tests of one device, which run no code of another: test_mps.py none of CUDA's allocator.

The graph leads there by what all devices share: an allocator's virtual methods, an operator with a kernel for each. The
same holds for what processes talk by: test_c10d_nccl.py runs no ProcessGroupGloo, which c10d's operators may run.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterable
from itertools import chain

from torchtalk.testing.filters import devices_in
from torchtalk.testing.words import words_of

# Where the code of a device stands, and by which words its tests are called.
_PLACES = {
    "mps": re.compile(r"/mps/|\.mm$"),
    "vulkan": re.compile(r"/vulkan[/_]"),
    "metal": re.compile(r"/metal/"),
    "xpu": re.compile(r"/xpu/"),
    "cuda": re.compile(r"/cuda/|/cudnn/|/miopen/|/hip/|\.cuh?$"),
    "cpu": re.compile(r"/cpu/|/mkldnn/(?!xpu/)"),
}
_WORDS = {
    "mps": frozenset(("mps", "metal")),
    "vulkan": frozenset(("vulkan",)),
    "metal": frozenset(("metal", "mps")),
    "xpu": frozenset(("xpu", "sycl")),
    "cuda": frozenset(("cuda", "cudnn", "cublas", "cusparse", "nccl", "rocm", "hip")),
    "cpu": frozenset(("cpu", "mkldnn", "onednn", "xnnpack", "qnnpack", "nnapi")),
}
# Other libraries' and accelerators' words: who has one of these runs none of the GPUs above.
_OTHERS = frozenset(("mkldnn", "onednn", "xnnpack", "qnnpack", "nnapi", "hpu", "mtia", "xla"))
# What is called after the CPU may as well be about the way from there to another device.
_ALL = _OTHERS.union(*_WORDS.values()) - {"cpu"}
# What the backends of torch.distributed are called, in the names of their files as in those of their tests.
_BACKENDS = frozenset(("gloo", "nccl", "ucc", "mpi"))
_TELLING = _ALL | _BACKENDS
# Machines with these are few: PyTorch's CI runs most of its tests on CPUs and CUDA's GPUs.
_RARE = frozenset(("mps", "metal", "vulkan", "xpu", "sycl", "hpu", "mtia", "xla"))
# One question asks for the same files as often as it finds tests: ten thousand times.
_MOST_KNOWN = 4_096


def names_of(path: str, words: str) -> frozenset[str]:
    """The words by which a test is called, with those of its file.

    Args:
        path: of the test's file.
        words: of its class and name, lower case, with spaces between.
    """
    return _words(path).union(words.split(" "))


@functools.lru_cache(_MOST_KNOWN)
def _words(text: str) -> frozenset[str]:
    return frozenset(words_of(text, None))


@functools.lru_cache(_MOST_KNOWN)
def device_of(path: str) -> str:
    """The one device that the code of a file is for, or nothing.

    Args:
        path: of the file.
    """
    # A header or a test may be for several.
    found = [name for name, form in _PLACES.items() if form.search(path)]
    return found[0] if len(found) == 1 and not path.startswith("test/") else ""


@functools.lru_cache(_MOST_KNOWN)
def backend_of(path: str) -> str:
    """The one backend of torch.distributed that the code of a file is for, or nothing.

    Args:
        path: of the file.
    """
    found = _BACKENDS.intersection(words_of(posixpath.basename(path), None))
    return next(iter(found)) if len(found) == 1 and not path.startswith("test/") else ""


def runs_elsewhere(devices: Iterable[str], test: frozenset[str]) -> bool:
    """Whether a test is called like other devices than those of what changed, and like none of them.

    Args:
        devices: of what changed; with one that is unknown any test may run it.
        test: the words by which it is called.
    """
    names = frozenset(devices)
    if not names or "" in names:
        return False
    return _is_other(_ALL, frozenset().union(*(_WORDS[name] for name in names)), test)


def is_made_elsewhere(devices: Iterable[str], made_for: Iterable[str]) -> bool:
    """Whether a test is made for other devices alone than those of what changed (`only_for="cpu"`).

    Args:
        devices: of what changed; with one that is unknown any test may run it.
        made_for: the arguments of each `instantiate_device_type_tests` of its class.
    """
    names = frozenset(devices)
    if not names or "" in names:
        return False
    only = [devices_in(arguments) for arguments in made_for]
    return bool(only) and all(only) and names.isdisjoint(chain.from_iterable(only))


def runs_other_backend(backends: Iterable[str], test: frozenset[str]) -> bool:
    """The same of backends of torch.distributed.

    Args:
        backends: of what changed; with one that is unknown any test may run it.
        test: the words by which it is called.
    """
    names = frozenset(backends)
    return bool(names) and "" not in names and _is_other(_BACKENDS, names, test)


def is_of_backend(backends: Iterable[str], test: frozenset[str]) -> bool:
    """Whether a test is called like all backends of torch.distributed that changed.

    Args:
        backends: of what changed; with one that is unknown none is.
        test: the words by which it is called.
    """
    names = frozenset(backends)
    return bool(names) and "" not in names and names <= test


def leads_elsewhere(way: Iterable[str], path: str, test: frozenset[str]) -> bool:
    """Whether a test is called like other devices, or other backends, than those of what led to it.

    Args:
        way: paths of the files of what led to it.
        path: of the test's file.
        test: the words by which it is called.
    """
    if test.isdisjoint(_TELLING):
        return False  # as most tests are; ways are long
    # The body of a test in C++ is on the way, too.
    paths = [one for one in way if one != path]
    return runs_elsewhere(filter(None, map(device_of, paths)), test) or runs_other_backend(
        filter(None, map(backend_of, paths)), test
    )


def _is_other(every: frozenset[str], own: frozenset[str], test: frozenset[str]) -> bool:
    """Whether a test has some words of a kind in its names, and none of its own."""
    return test.isdisjoint(own) and not test.isdisjoint(every)


def runs_on_few(way: Iterable[str], test: frozenset[str]) -> bool:
    """Whether a test is called like a device that few machines have, and nothing that led to it is.

    Args:
        way: what led to it: paths, names.
        test: the words by which it is called.
    """
    named = _RARE & test
    return bool(named) and named.isdisjoint(word for one in way for word in words_of(one, None))
