"""What the next update of the semantic layer starts from, kept in the cache beside the parsed units."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from indexer.clang.again import Planned, save_plan
from indexer.scan.statfile import database_stamp
from indexer.write.clang_state import State, save_state


def state_path(folder: Path, target: Path) -> Path:
    """The file in the cache `folder` that the state of the index `target` is kept in."""
    return folder / f"{_name(target)}.state"


def plan_path(folder: Path, target: Path) -> Path:
    """The file in the cache `folder` that keeps what was parsed for the index `target`."""
    return folder / f"{_name(target)}.plan"


def _name(target: Path) -> str:
    return hashlib.sha256(os.fsencode(target.absolute())).hexdigest()[:24]


def keep(folder: Path, target: Path, plan: Planned | None, state: State) -> None:
    """Keep what the next update starts from.

    Args:
        folder: the cache.
        target: the database, in its place.
        plan: what was parsed.
        state: what was merged.
    """
    stamp = database_stamp(target)
    if plan is not None and stamp is not None:
        save_plan(plan_path(folder, target), plan)
        save_state(state_path(folder, target), [*stamp], state)
