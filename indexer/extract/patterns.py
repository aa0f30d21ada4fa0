"""Regular expressions that never go back: what C++ and Python are both read with."""

from __future__ import annotations

import re
import sys
from typing import AnyStr


def never_back(pattern: AnyStr) -> re.Pattern[AnyStr]:
    """Compile an expression whose possessive quantifiers (`*+`, `++`) only save time: Python 3.10 has none of them.

    Args:
        pattern: that finds the same without them.
    """
    if sys.version_info < (3, 11):
        if isinstance(pattern, bytes):
            return re.compile(pattern.replace(b"*+", b"*").replace(b"++", b"+"))
        return re.compile(pattern.replace("*+", "*").replace("++", "+"))
    return re.compile(pattern)
