"""How a path of reasons reads: each step says whose it is, and not that of what stands before."""

from __future__ import annotations

import sqlite3

import pytest

from torchtalk.tools import all_tools


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        (
            "at::native::softcap_kernel_impl",
            (
                "at::native::softcap_kernel_impl", "CPU kernel of at::native::softcap_stub",
                "at::native::softcap_cpu_out calls this stub", "kernel for CPU of aten::_softcap",
            ),
        ),
        (
            "scale_backward",
            (
                "torch::autograd::generated::details::scale_backward",
                "the gradient of aten::scale_add calls it",
            ),
        ),
    ],
    ids=["kernel of a stub", "formula's function"],
)  # fmt: skip
def test_whose_it_is(conn: sqlite3.Connection, name: str, steps: tuple[str, ...]) -> None:
    first = all_tools()["affected"].ask(conn, names=name).tests[0]
    assert first.path[: len(steps)] == steps
