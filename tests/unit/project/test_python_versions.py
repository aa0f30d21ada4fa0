"""What the oldest and the newest Python that are supported do not have."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

# Possessive quantifiers and atomic groups came with Python 3.11; one of them in any module, and nothing starts on 3.10.
_LOOK = """
import importlib, pkgutil, re, sys
parser = importlib.import_module("re._parser")
compiled = re.compile

def has(items):
    for code, value in items:
        if str(code) in ("POSSESSIVE_REPEAT", "ATOMIC_GROUP"):
            return True
        if any(has(part) for part in parts(value)):
            return True
    return False

def parts(value):
    if isinstance(value, parser.SubPattern):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from parts(one)

def watched(pattern, flags=0):
    frame = sys._getframe(1)
    ours = frame.f_globals.get("__name__", "").partition(".")[0] in ("indexer", "torchtalk")
    if ours and frame.f_code.co_name != "never_back" and isinstance(pattern, (str, bytes)):
        if has(parser.parse(pattern, flags)):
            print(frame.f_globals["__name__"], pattern)
    return compiled(pattern, flags)

re.compile = watched
import indexer, torchtalk
for package in (indexer, torchtalk):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
"""


@pytest.mark.slow
def test_expressions_have_nothing_that_python_3_10_lacks() -> None:
    if sys.version_info < (3, 11):
        return  # there it would not even have been collected
    done = subprocess.run(
        [sys.executable, "-c", _LOOK], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_no_statement_numbers_its_values() -> None:
    """Python 3.14 takes `?1` for a name, and refuses a sequence of values for it."""
    numbered = re.compile(r"[\s=(,]\?[0-9]+\b")
    sources = [
        path
        for folder in ("indexer", "torchtalk")
        for form in ("*.py", "*.sql")
        for path in (ROOT / folder).rglob(form)
    ]
    assert len(sources) > 100
    found = [path.name for path in sources if numbered.search(path.read_text(encoding="utf-8"))]
    assert found == []
