"""Which files of tests have nothing to do with torch: `names.split(",")` in a test of a script is no operator's.

caffe2/python/operator_test/softmax_ops_test.py of older versions tests operators of Caffe2, which are called as aten's.
In C++ these are tests of what stands below ATen: `k_eq_4` and `with_y_min` of QNNPACK's are no tests of eq and min.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from indexer.extract.python.beside import outer

_HAS_TORCH = (
    "(b.target IN ('torch', 'functorch')"
    " OR b.target GLOB 'torch[.:]*' OR b.target GLOB 'functorch[.:]*')"
)
_OF_TORCH = ("torch", "functorch")
_PACKAGE = re.compile(r"(?:torch|functorch)(?![^.:])")
_IMPORTS = "b.kind IN ('from', 'import', 'star')"


def files_without_torch(conn: sqlite3.Connection) -> frozenset[int]:
    """The ids of the files with Python tests that import nothing of torch, nor anything that does, nor call it.

    What packages outside of the tree import is not known, and does not count (expecttest, numpy). torchgen makes code
    and is none of torch.

    Args:
        conn: an index of which Python's names and the tests are linked.
    """
    imports = _Imports(conn)
    tests = conn.execute(
        "SELECT id, file_id FROM python_modules WHERE file_id IN"
        " (SELECT file_id FROM tests WHERE kind = 'python') ORDER BY id"
    ).fetchall()
    return frozenset(
        file_id for module_id, file_id in tests
        if not imports.lead_to_torch(module_id) and not _calls_torch(conn, module_id)
    )  # fmt: skip


def gtest_files_without_operators(conn: sqlite3.Connection) -> frozenset[int]:
    """The ids of the files with tests in C++ none of whose functions calls what is called like an operator.

    Args:
        conn: an index of which the calls in C++ are written.
    """
    rows = conn.execute(
        "SELECT DISTINCT t.file_id FROM tests AS t WHERE t.kind = 'gtest' AND NOT EXISTS"
        " (SELECT 1 FROM functions AS u JOIN operator_calls AS c ON c.caller_id = u.id"
        "  WHERE u.file_id = t.file_id)"
    )
    return frozenset(file_id for (file_id,) in rows)


class _Imports:
    """What modules import that import nothing of torch themselves.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._names: dict[int, str] = dict(
            conn.execute("SELECT id, name FROM python_modules ORDER BY id")
        )
        self._ids = {name: module_id for module_id, name in self._names.items()}
        self._having: set[int] = set()
        self._targets: dict[int, list[str]] = {}
        for module_id, target in conn.execute(
            f"SELECT b.module_id, b.target FROM python_bindings AS b WHERE {_IMPORTS}"
            " UNION ALL SELECT m.id, i.target FROM test_imports AS i"
            " JOIN python_modules AS m ON m.file_id = i.file_id WHERE i.target NOT GLOB '*=*'"
        ):
            if module_id in self._having:
                continue
            if target.startswith(_OF_TORCH) and _PACKAGE.match(target):
                self._having.add(module_id)
            else:
                self._targets.setdefault(module_id, []).append(target)

    def lead_to_torch(self, module_id: int) -> bool:
        """Whether a module's imports come to one of torch, by however many steps.

        Args:
            module_id: of the module.
        """
        if module_id in self._having:
            return True
        seen, left = {module_id}, [module_id]
        while left:
            at = left.pop()
            beside = self._names[at].rpartition(".")[0]
            for target in self._targets.get(at, ()):
                for name in _meant(target, beside):
                    found = self._ids.get(name)
                    if found in self._having:
                        return True
                    if found is not None and found not in seen:
                        seen.add(found)
                        left.append(found)
        return False


def _meant(target: str, beside: str) -> Iterator[str]:
    """The modules that an import may mean: tests import what stands beside them, or in test/, without its folder."""
    origin, _, name = target.partition(":")
    for module in (origin, f"{origin}.{name}") if name else (origin,):
        yield from (module, f"{beside}.{module}", f"test.{module}", *outer(module))


def _calls_torch(conn: sqlite3.Connection, module_id: int) -> bool:
    """Whether one of a module's functions calls something of torch: it may import it itself."""
    row = conn.execute(
        "SELECT 1 FROM python_functions AS p JOIN python_calls AS c ON c.caller_id = p.id"
        " JOIN python_targets AS b ON b.id = c.target_id"
        f" WHERE p.module_id = ? AND {_HAS_TORCH} LIMIT 1",
        (module_id,),
    ).fetchone()
    return row is not None
