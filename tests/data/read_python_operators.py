"""Which operators torch's public functions call directly, recorded while op_db's samples run.

Used by read_python_truth.py; see there for what «directly» means.

Two ways, joined. Under a TorchFunctionMode the outermost torch function of each call is known by
the name that torch.overrides gives it, and runs inside a record_function of that name with the
mode switched off. Functions in Python that tensors cannot override are not seen by the mode: an
OpInfo whose `op` is the very object that `torch.<name>` is runs inside a record_function too.
The profiler's events whose nearest recorded parent is that record_function are the operators that
the function called directly.
"""

from __future__ import annotations

import contextlib
import io
import operator
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.autograd.profiler import record_function
from torch.overrides import TorchFunctionMode, resolve_name
from torch.profiler import ProfilerActivity, _ExperimentalConfig, profile

_MARK = "api::"
_DTYPES = (torch.float32, torch.complex64, torch.int64, torch.bool)
_SAMPLES = 40


class _Marking(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = resolve_name(func)
        if name is None:
            return func(*args, **(kwargs or {}))
        with record_function(_MARK + name):
            return func(*args, **(kwargs or {}))


def _config() -> Any:
    if "capture_overload_names" in str(_ExperimentalConfig.__init__.__doc__):
        return _ExperimentalConfig(capture_overload_names=True)
    return None


def _record(work: Callable[[], None], found: dict[str, set[str]]) -> None:
    with profile(activities=[ProfilerActivity.CPU], experimental_config=_config()) as recorded:
        work()
    for event in recorded.events() or ():
        if "::" not in event.name or event.name.startswith(_MARK):
            continue
        parent = event.cpu_parent
        if parent is not None and parent.name.startswith(_MARK):
            overload = getattr(event, "overload_name", "") or ""
            name = f"{event.name}.{overload}" if overload else event.name
            found[parent.name[len(_MARK) :]].add(name)


def _samples(op: Any) -> Iterator[tuple[Any, Any]]:
    for dtype in _DTYPES:
        if dtype not in op.supported_dtypes("cpu"):
            continue
        # A sample function may not support this build.
        with contextlib.suppress(Exception):
            for at, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=False)):
                if at >= _SAMPLES:
                    break
                yield dtype, sample


def _public(op: Any) -> str | None:
    """`torch.<name>` where that is the function that the OpInfo runs."""
    for name in (f"torch.{op.name}", f"torch.{op.name.replace('ops.', 'ops.', 1)}"):
        with contextlib.suppress(AttributeError):
            if operator.attrgetter(name[6:])(torch) is op.op:
                return name
    return None


def _run(op: Any, found: dict[str, set[str]]) -> None:
    public = _public(op)
    samples = list(_samples(op))

    def call(function: Any, sample: Any) -> None:
        with contextlib.suppress(Exception):  # a sample that this build cannot run
            function(sample.input, *sample.args, **sample.kwargs)

    def marked() -> None:
        for _, sample in samples:
            for function in (op.op, op.method_variant):
                if function is not None:
                    with _Marking():
                        call(function, sample)

    _record(marked, found)
    if public is not None:

        def plain() -> None:
            for _, sample in samples:
                with record_function(_MARK + public):
                    call(op.op, sample)

        _record(plain, found)


def read_operators() -> dict[str, Any]:
    """For each API that op_db's samples reach, the operators it called directly."""
    from torch.testing._internal.common_methods_invocations import op_db

    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    found: dict[str, set[str]] = defaultdict(set)
    listed: dict[str, str | None] = {}
    for op in op_db:
        name = f"{op.name}/{op.variant_test_name}".rstrip("/")
        listed[name] = _public(op)
        quiet = io.StringIO()
        with (
            contextlib.redirect_stdout(quiet),
            contextlib.redirect_stderr(quiet),
            contextlib.suppress(RuntimeError),
        ):
            _run(op, found)
    return {
        "op_db": listed,
        "has_overloads": _config() is not None,
        "direct": {name: sorted(operators) for name, operators in sorted(found.items())},
    }
