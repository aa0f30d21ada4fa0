"""Which operators torch's modules and optimizers call directly, recorded while their own samples run.

Run with the interpreter of an installed torch, whose `module_db` and `optim_db` have the samples:

    python tests/data/read_module_operators.py tests/data/modules-2.6.0.json.xz

An operator is called directly if no other one runs around it.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch.autograd.profiler import record_function
from torch.profiler import ProfilerActivity, profile
from torch.testing._internal.common_modules import module_db
from torch.testing._internal.common_optimizers import optim_db

_MARK = "api::run"
_SAMPLES = 30


def _direct(work: Callable[[], object]) -> set[str]:
    with profile(activities=[ProfilerActivity.CPU]) as recorded, record_function(_MARK):
        work()
    found = set()
    for event in recorded.events() or ():
        parent = event.cpu_parent
        while parent is not None and "::" not in parent.name:
            parent = parent.cpu_parent
        if "::" in event.name and parent is not None and parent.name == _MARK:
            found.add(event.name)
    return found


def _modules() -> Iterator[tuple[type, Callable[[], object]]]:
    for info in module_db:
        for training in (True, False):
            inputs: list[Any] = []
            with contextlib.suppress(Exception):  # a sample function may not support this build
                inputs = info.module_inputs_func(
                    info, device="cpu", dtype=torch.float32, requires_grad=False, training=training
                )
            for sample in inputs[:_SAMPLES]:
                made, given = sample.constructor_input, sample.forward_input
                with contextlib.suppress(Exception):
                    module = info.module_cls(*made.args, **made.kwargs).train(training)
                    if given is not None:
                        yield info.module_cls, lambda m=module, g=given: m(*g.args, **g.kwargs)


def _optimizers() -> Iterator[tuple[type, Callable[[], object]]]:
    for info in optim_db:
        is_sparse = info.optim_cls.__name__ == "SparseAdam"
        for sample in info.optim_inputs_func(device="cpu"):
            for way in ({},) if is_sparse else ({}, {"foreach": True}, {"fused": True}):
                values = [torch.nn.Parameter(torch.randn(3, 4))]
                for value in values:
                    value.grad = torch.randn(3, 4).to_sparse() if is_sparse else torch.randn(3, 4)
                with contextlib.suppress(Exception):
                    optimizer = info.optim_cls(values, **{**sample.kwargs, **way})
                    closure = (lambda: torch.tensor(1.0),) * (info.optim_cls is torch.optim.LBFGS)
                    optimizer.step(*closure)
                    yield info.optim_cls, lambda o=optimizer, c=closure: o.step(*c)


def main() -> None:
    """Write the facts."""
    warnings.simplefilter("ignore")
    found: dict[str, set[str]] = {}
    for cls, work in (*_modules(), *_optimizers()):
        with contextlib.suppress(Exception):
            found.setdefault(f"{cls.__module__}.{cls.__qualname__}", set()).update(_direct(work))
    text = json.dumps({name: sorted(found[name]) for name in sorted(found) if found[name]})
    Path(sys.argv[1]).write_bytes(lzma.compress(text.encode(), preset=9))


if __name__ == "__main__":
    main()
