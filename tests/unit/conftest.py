"""Where the databases of the fast tests stand."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_MEMORY = Path("/dev/shm")
_NEEDED = 2 << 30  # all databases of a run are a quarter of it

# A third of the time went into waiting for a disk to confirm six hundred small databases.
if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _NEEDED:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))
