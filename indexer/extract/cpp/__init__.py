"""C++, CUDA and Objective-C++: one reading of a file, shared by everything that is taken from it."""

from __future__ import annotations

from collections.abc import Iterator


def extract(path: str, data: bytes) -> Iterator[object]:
    """Yield every fact of a C++, CUDA, Objective-C++ or Metal file.

    Args:
        path: relative to the source tree, with `/`.
        data: the file's bytes.
    """
    # Loaded where a file is read: tools need but the lexer, and all the readers take longer than an answer.
    from indexer.extract.cpp import every

    return every.extract(path, data)


def native(path: str, data: bytes) -> Iterator[object]:
    """Yield every fact but the calls: they take longest, and not everybody wants them.

    Args:
        path: relative to the source tree, with `/`.
        data: the file's bytes.
    """
    from indexer.extract.cpp import every

    return every.native(path, data)
