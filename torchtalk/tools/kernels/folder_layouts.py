"""Which tensors is a kernel about that stands among those of a layout: aten/src/ATen/native/sparse, nested, quantized?

`at::native::_sparse_mm` is composite and has the operators that it calls run for sparse tensors, by kernels that these
have for the keys of that layout: `addmm` for SparseCUDA.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from torchtalk.answers.base import Place

_FOLDER = re.compile(r"(?:^|/)aten/src/ATen/native/(sparse|nested|quantized)/")
# How the keys of such tensors begin (C10_FORALL_FUNCTIONALITY_KEYS, c10/core/DispatchKey.h).
_KEYS = {"sparse": "Sparse", "nested": "NestedTensor", "quantized": "Quantized"}
_DEVICES = ("CPU", "CUDA")


def layout_of(places: Iterable[Place]) -> str:
    """How the dispatch keys begin of the tensors that a kernel is about; "" for what stands elsewhere.

    Args:
        places: of its definitions.
    """
    for place in places:
        if match := _FOLDER.search(place.file or ""):
            return _KEYS[match[1]]
    return ""


def is_for(layout: str, keys: Iterable[str]) -> bool:
    """Whether some dispatch keys are those of tensors of a layout on a CPU or on CUDA.

    Args:
        layout: as `layout_of` gives it.
        keys: of one kernel.
    """
    return layout != "" and any(key.startswith(layout) and key.endswith(_DEVICES) for key in keys)
