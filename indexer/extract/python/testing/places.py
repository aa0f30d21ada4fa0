"""Where PyTorch keeps its tests and what they are made with."""

from __future__ import annotations

import re

_TESTS = re.compile(r"(?:^|/)tests?/|(?:^|/)test_[^/]*\.py$|_test\.py$|(?:^|/)testing/")


def is_test_path(path: str) -> bool:
    """Whether the Python file at `path` may hold tests, or what tests are made with.

    By folder (`test`, `tests`, and `testing` for torch/testing) or by the file's name.
    """
    return _TESTS.search(path) is not None
