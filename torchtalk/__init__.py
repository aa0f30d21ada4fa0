"""torchtalk answers questions about PyTorch's own source from one SQLite file."""

from __future__ import annotations

__version__ = "0.1.0"
