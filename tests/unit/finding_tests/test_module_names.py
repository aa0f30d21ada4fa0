"""Tests that are named after a module whose operator is called like it: `test_GroupNorm_empty`."""

from __future__ import annotations

import pytest

from indexer.link.tests.operators import Bases

BASES = Bases(
    ["group_norm", "ctc_loss", "replication_pad3d", "data", "t", "softmax", "norm", "group", "mT"]
)


@pytest.mark.parametrize(
    ("name", "operators"),
    [
        ("_GroupNorm_empty", ["group_norm"]),
        ("_nondeterministic_alert_ReplicationPad3d", ["replication_pad3d"]),
        ("_CTCLoss_lengthchecks_cuda", ["ctc_loss"]),
        # One word of a name, or a name of one, is that of much else.
        ("_DistributedDataParallel", []),
        ("_studentT_sample", []),
        ("_LinearAndSoftmax", []),
        ("_Softmax", []),
        ("_mT", []),
    ],
)
def test_operators_of_modules(name: str, operators: list[str]) -> None:
    assert list(BASES.of_modules(name)) == operators
