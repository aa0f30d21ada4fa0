"""One unit by `clang.cindex`, in a process of its own so that its memory can be told."""

from __future__ import annotations

import sys

from benchmarks.clang import plain

if __name__ == "__main__":
    print(*plain(sys.argv[1], sys.argv[2], sys.argv[3:]))
