"""Tests of one device, which run no code of another: test_mps.py none of CUDA's allocator.

The graph leads there by what all devices share: an allocator's virtual methods, an operator with a kernel for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from torchtalk.testing.subject import words_of

# Where the code of a device stands, and by which words its tests are called.
_PLACES = {
    "mps": re.compile(r"/mps/|\.mm$"),
    "vulkan": re.compile(r"/vulkan[/_]"),
    "metal": re.compile(r"/metal/"),
    "xpu": re.compile(r"/xpu/"),
    "cuda": re.compile(r"/cuda/|/cudnn/|/miopen/|/hip/|\.cuh?$"),
}
_WORDS = {
    "mps": frozenset(("mps", "metal")),
    "vulkan": frozenset(("vulkan",)),
    "metal": frozenset(("metal", "mps")),
    "xpu": frozenset(("xpu", "sycl")),
    "cuda": frozenset(("cuda", "cudnn", "cublas", "cusparse", "nccl", "rocm", "hip")),
}
# Other libraries' and accelerators' words: who has one of these runs none of the above.
_OTHERS = frozenset(("mkldnn", "onednn", "xnnpack", "qnnpack", "nnapi", "hpu", "mtia", "xla"))
_ALL = _OTHERS.union(*_WORDS.values())
# Machines with these are few: PyTorch's CI runs most of its tests on CPUs and CUDA's GPUs.
_RARE = frozenset(("mps", "metal", "vulkan", "xpu", "sycl", "hpu", "mtia", "xla"))


def device_of(path: str) -> str:
    """The one device that the code of a file is for, or nothing.

    Args:
        path: of the file.
    """
    # A header or a test may be for several.
    found = [name for name, form in _PLACES.items() if form.search(path)]
    return found[0] if len(found) == 1 and not path.startswith("test/") else ""


def runs_elsewhere(devices: Iterable[str], path: str, words: str) -> bool:
    """Whether a test is called like other devices than those of what changed, and like none of them.

    Args:
        devices: of what changed; with one that is unknown any test may run it.
        path: of the test's file.
        words: of its class and name, lower case, with spaces between.
    """
    names = frozenset(devices)
    if not names or "" in names:
        return False
    named = _ALL.intersection((*words_of(path, None), *words.split(" ")))
    return bool(named) and named.isdisjoint(frozenset().union(*(_WORDS[name] for name in names)))


def runs_on_few(way: Iterable[str], path: str, words: str) -> bool:
    """Whether a test is called like a device that few machines have, and nothing that led to it is.

    Args:
        way: what led to it: paths, names.
        path: of the test's file.
        words: of its class and name, lower case, with spaces between.
    """
    named = _RARE.intersection((*words_of(path, None), *words.split(" ")))
    return bool(named) and named.isdisjoint(word for one in way for word in words_of(one, None))
