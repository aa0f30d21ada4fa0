"""Which operators each operator runs directly, recorded while OpInfos' own samples run on the CPU.

Run with the interpreter of an installed torch, whose `op_db` has the samples:

    python tests/data/read_operator_calls.py tests/data/operator-calls-2.6.0.json.xz

Operators are told apart by name, not by overload: that is what torch's profiler knows.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import sys
import warnings
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile
from torch.testing._internal.common_methods_invocations import op_db

_SAMPLES = 15


def _record(found: dict[str, set[str]], info: object) -> None:
    samples = []
    with contextlib.suppress(Exception):  # a sample function may not support this build
        samples = list(info.sample_inputs("cpu", torch.float32, requires_grad=False))[:_SAMPLES]
    with profile(activities=[ProfilerActivity.CPU]) as recorded:
        for sample in samples:
            with contextlib.suppress(Exception):
                info.op(sample.input, *sample.args, **sample.kwargs)
    for event in recorded.events() or ():
        if event.name.startswith("aten::"):
            called = found.setdefault(event.name, set())
            called.update(c.name for c in event.cpu_children if c.name.startswith("aten::"))


def main(path: Path) -> None:
    """Write what is found.

    Args:
        path: of a compressed JSON file: by operator, the operators that it ran.
    """
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    found: dict[str, set[str]] = {}
    for info in op_db:
        _record(found, info)
    facts = {name: sorted(called) for name, called in sorted(found.items())}
    path.write_bytes(lzma.compress(json.dumps(facts, indent=0).encode()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
