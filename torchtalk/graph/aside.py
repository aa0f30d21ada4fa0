"""What of a tree stands beside the library: tests, benchmarks, examples and the tools that build it."""

from __future__ import annotations

import re

_FOLDERS = ("test/", "benchmarks/", "binaries/", "android/", "ios/", "docs/", "scripts/", "tools/")
_INSIDE = re.compile(r"/(?:tests?|examples?)/|_test\.\w+$")


def is_aside(path: str) -> bool:
    """Whether who asks what uses something wants to see this file's uses behind those of the library.

    Args:
        path: of a file, relative to the tree.
    """
    return path.startswith(_FOLDERS) or _INSIDE.search(path) is not None
