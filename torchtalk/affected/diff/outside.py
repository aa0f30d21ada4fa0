"""Files without code of PyTorch's that tests run: documentation, how it is built, what others wrote, type stubs."""

from __future__ import annotations

import posixpath
import re
from typing import NamedTuple


class Outside(NamedTuple):
    """What a file is that tests do not run.

    Args:
        what: for people.
        needs_no_test: whatever changes there changes nothing that runs.
        tests: files whose tests look at it.
    """

    what: str
    needs_no_test: bool = False
    tests: tuple[str, ...] = ()


_DOCUMENTATION = Outside("documentation", needs_no_test=True)
_CI = Outside("how PyTorch is tested and released, which no test is about")
_BUILD = Outside("how PyTorch is built: any test may notice, and none is known to be about it")
_THIRD_PARTY = Outside("code of others: which tests depend on it is not known")
# These let mypy read what the stubs say.
_STUBS = Outside(
    "types for type checkers, which nothing runs",
    tests=("test/test_typing.py", "test/test_type_hints.py"),
)
_RULES = (
    # A file of others may be documented, too.
    (re.compile(r"third_party/|.*/third[-_]party/"), _THIRD_PARTY),
    (re.compile(r"\.(?:github|ci|circleci|devcontainer)/|\.[\w.-]+$|scripts/"), _CI),
    (re.compile(r".*\.pyi(?:\.in)?$"), _STUBS),
    (
        re.compile(
            r"(?:.*/)?(?:CMakeLists\.txt|Makefile|Dockerfile|WORKSPACE|BUILD(?:\.bazel)?|BUCK(?:\.\w+)?|setup\.(?:py|cfg)"
            r"|pyproject\.toml|requirements[\w-]*\.txt|version\.txt|MANIFEST\.in|.*\.(?:cmake|cmake\.in|bzl|bazel|gn|mk))$"
            r"|cmake/|tools/setup_helpers/"
        ),
        _BUILD,
    ),
    (
        re.compile(
            r"docs/|(?:.*/)?(?:LICENSE|NOTICE|CODEOWNERS|CITATION\.cff|OWNERS)[\w.]*$"
            r"|.*\.(?:md|rst|svg|png|jpe?g|gif|bib|ipynb)$"
        ),
        _DOCUMENTATION,
    ),
)


# What runs when PyTorch is built, by its CMake and Bazel files, and writes C++ and Python from templates and tables.
_GENERATORS = (
    "aten/src/ATen/templates/",
    "torchgen/",
    "tools/autograd/",
    "tools/jit/",
    "tools/lite_interpreter/",
    "tools/pyi/",
)


def is_generator(path: str) -> bool:
    """Whether a file makes code when PyTorch is built.

    Args:
        path: of the file.
    """
    return path.startswith(_GENERATORS) and "/test/" not in path


def what_is(path: str) -> Outside | None:
    """What a file is by its path; None where tests may run it, as far as that tells.

    Args:
        path: of the file.
    """
    of_tests = posixpath.basename(path).startswith("test_") or "/test/" in f"/{path}"
    return next(
        (
            found
            for form, found in _RULES
            if form.match(path) and (found is _DOCUMENTATION or not of_tests)
        ),
        None,
    )
