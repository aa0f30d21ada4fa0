"""The command that runs a test, from the root of the tree."""

from __future__ import annotations

import posixpath
import shlex


def python_command(
    path: str, class_name: str | None, role: str | None, test: str, is_generated: bool
) -> str:
    """How to run one Python test.

    Args:
        path: of its file.
        class_name: of its class; None for a function of the module.
        role: of the class (`test_classes` in schema.sql).
        test: its name.
        is_generated: the class is instantiated for devices or parameters, so that the names of
            its tests and its own have more behind them.
    """
    if class_name is None or role == "pytest":
        return f"pytest {path}::{'::'.join(filter(None, (class_name, test)))}"
    if role in ("mixin", "template"):
        return f"pytest {path} -k {test}"
    if is_generated:
        return f"pytest {path} -k '{class_name} and {test}'"
    return f"python {path} {class_name}.{test}"


def filter_command(path: str, expression: str) -> str:
    """How to run what an expression selects of a file.

    Args:
        path: of the file.
        expression: as `-k` takes it.
    """
    return f"pytest {path} -k {shlex.quote(expression)}"


def gtest_command(path: str, suite: str, test: str) -> str:
    """How to run one googletest test; the program's name is that of PyTorch's CMake files."""
    return f"{gtest_program(path)} --gtest_filter='*{suite}*.{test}*'"


def gtest_program(path: str) -> str:
    """The program that a C++ test file is built into.

    aten/src/ATen/test/CMakeLists.txt and c10/test/CMakeLists.txt build one for each file,
    test/cpp/…/CMakeLists.txt one for each folder.
    """
    stem = posixpath.splitext(posixpath.basename(path))[0]
    parts = path.split("/")
    if path.startswith("test/cpp/") and len(parts) > 3:
        return f"build/bin/test_{parts[2]}"
    if path.startswith("c10/"):
        return f"build/bin/c10_{stem}"
    return f"build/bin/{stem}"
