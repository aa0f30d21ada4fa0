"""Methods that are called on what nothing in the text tells the type of: `tx.output.add_graph_finalizer(f)`.

Where few classes of the tree have a method of such a name, it may be one of theirs
(indexer/link/python/few_methods.py). What comes with Python has too often such a method.
"""

from __future__ import annotations

import array
import collections
import concurrent.futures
import contextlib
import datetime
import io
import logging
import pathlib
import queue
import re
import subprocess
import threading
import types
from collections.abc import Iterable

from indexer.facts.python import UNKNOWN


def _public(kind: type) -> Iterable[str]:
    return (name for name in dir(kind) if name[0] != "_")


# Without those that begin with an underscore, which others do not call and each version of Python has anew.
_BROUGHT: frozenset[str] = frozenset().union(
    *map(
        _public,
        (
            *(str, bytes, bytearray, memoryview, int, float, complex, range, slice),
            *(list, tuple, dict, set, frozenset, array.array, collections.deque),
            *(collections.Counter, collections.OrderedDict, collections.defaultdict),
            *(types.GeneratorType, types.CoroutineType, types.MappingProxyType, types.CodeType),
            *(io.TextIOWrapper, io.BytesIO, io.StringIO, pathlib.Path, re.Pattern, re.Match),
            *(datetime.datetime, datetime.timedelta, logging.Logger, logging.LoggerAdapter),
            *(logging.Handler, contextlib.ExitStack, subprocess.Popen, queue.Queue),
            *(threading.Thread, threading.Event, threading.Condition, threading.Timer),
            *(type(threading.Lock()), concurrent.futures.Future, concurrent.futures.Executor),
        ),
    )
)


def untold(method: str, is_named: bool = False, owner: str = "") -> str:
    """Target of a method of something that the text tells nothing of.

    Args:
        method: its name.
        is_named: it is called on what has a name, not on what another call gives: a single word is otherwise too often
            what others call a method of theirs, as `render` of jinja2's templates.
        owner: the last name of what it is called on: the `graph` of `gm.graph.call_function`.

    Returns:
        An empty string where what comes with Python has such a method, and for such a word.
    """
    is_one_word = "_" not in method.strip("_") and method.islower()
    is_special = method.startswith("__")
    is_other = is_special or method in _BROUGHT or (is_one_word and not is_named)
    return "" if is_other else f"{UNKNOWN}{owner}.{method}"
