"""How a file hands on others' tests without importing them by name: modules that it loads, and lists of classes.

test/inductor/test_compiled_autograd.py makes classes of its own of those of `load_test_module("test_autograd")`.

A list hands on the classes in it: `GENERIC_TESTS = [RpcTest, DistAutogradTest]`. A file that imports such a list makes
classes of what is in it (torch/testing/_internal/distributed/rpc_utils.py, `generate_tests`), and none of what other
lists have.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from indexer.extract.patterns import never_back
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonBinding
from indexer.facts.tests import TestImport

_LIST = re.compile(rb"^\w+ = \[\s*[A-Z]\w*Test\w*\s*[,\]]", re.MULTILINE)

# Behind the end of a line, which is what `re` finds fastest.
_LOADED = never_back(r"\n\w++ = \w*load\w*_module\(\s*[\"']([A-Za-z_][\w.]*)[\"']\s*\)")


def read_loaded(unit: PyUnit) -> Iterator[TestImport]:
    """The modules that `unit`, a file, loads by their names, each with its 1-based line."""
    # With a line before the first, that begins where a match begins and ends where its line begins.
    for match in _LOADED.finditer("\n" + unit.text) if b"_module(" in unit.data else ():
        yield TestImport(match[1], unit.line(match.start()))


def is_worth_reading(unit: PyUnit) -> bool:
    """Whether the file `unit` may have such lists: only what has no place among the tests hands on."""
    return unit.is_packaged and b"Test," in unit.data and _LIST.search(unit.data) is not None


def read_lists(body: Iterable[ast.stmt], imports: Iterable[PythonBinding]) -> Iterator[TestImport]:
    """The classes of each list of nothing else.

    Args:
        body: the statements of a module.
        imports: what it imports.
    """
    targets = {
        one.name: one.target
        for one in imports
        if one.kind == "from" and not one.scope and "test" in one.target
    }
    for node in body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.List):
            continue
        names = [one.id if isinstance(one, ast.Name) else "" for one in node.value.elts]
        if not names or not all(name in targets for name in names):
            continue
        for target in node.targets:
            if isinstance(target, ast.Name):
                for name in names:
                    yield TestImport(f"{target.id}={targets[name]}", node.lineno)
