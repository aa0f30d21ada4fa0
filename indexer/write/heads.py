"""The column `functions.head`: a signature without the name, which stands in another column already.

A sixth of what signatures would take, two megabytes of a whole index; `functions.signature` puts the name back.
"""

from __future__ import annotations

_NAME = "\x01"
"""In the place of the name; no text of a source that compiles has it (schema.sql: `char(1)`)."""


def head_of(name: str, signature: str) -> str:
    """What is stored of a signature.

    Args:
        name: of the function, qualified.
        signature: as it is to be read.
    """
    last = name.rpartition(":")[2]
    return signature.replace(last, _NAME, 1) if last else signature
