"""Regular expressions that never go back: what C++ and Python are both read with."""

from __future__ import annotations

import re
import sys
from typing import AnyStr

_HAS_POSSESSIVE = sys.version_info >= (3, 11, 5)
"""Before 3.11.5 one around what can go back itself finds too little (CPython's issue 106052)."""


def never_back(pattern: AnyStr) -> re.Pattern[AnyStr]:
    """Compile an expression whose possessive quantifiers (`*+`, `++`) only save time: Python 3.10 has none of them.

    What Debian 12 has, 3.11.2, has them, and is taken for 3.10.

    Args:
        pattern: that finds the same without them.
    """
    if not _HAS_POSSESSIVE:
        if isinstance(pattern, bytes):
            return re.compile(pattern.replace(b"*+", b"*").replace(b"++", b"+"))
        return re.compile(pattern.replace("*+", "*").replace("++", "+"))
    return re.compile(pattern)
