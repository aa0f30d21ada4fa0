"""Names that torch.testing assigns for tests to use: `requires_cuda = unittest.skipUnless(…)`, `IS_WINDOWS = …`.

Who reads a name in its functions is not known: its uses are the files that import it, and the decorators that it stands
in, by itself or among their arguments.
"""

from __future__ import annotations

import re
import sqlite3

from indexer.facts.tests import ASSIGNED
from indexer.link.tests.names import Names
from indexer.link.tests.utilities import Row, category_of

# What stands in quotes, or before them or `=`, is no such name.
_NAME = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|(?<![\w.])([A-Za-z_][\w.]*)(?![\w.'\"]|\s*=[^=])")


class _Uses:
    """How often names decorate, stand in decorators at all, and are imported, and in which modules."""

    def __init__(self) -> None:
        self.decorates: dict[str, int] = {}
        self.number: dict[str, int] = {}
        self.modules: dict[str, set[str]] = {}

    def add(self, name: str, module: str, *, is_decorator: bool = False) -> None:
        self.number[name] = self.number.get(name, 0) + 1
        self.decorates[name] = self.decorates.get(name, 0) + is_decorator
        self.modules.setdefault(name, set()).add(module)


def assigned_utilities(conn: sqlite3.Connection, names: Names) -> list[Row]:
    """The names that any file imports or has in a decorator.

    Args:
        conn: the database, or a snapshot; tests must be linked.
        names: what its test machinery's names stand for.
    """
    found: dict[str, tuple[str, str, str, int, int]] = {}
    for uses, module, path, file_id in conn.execute(
        "SELECT u.uses, m.name, f.path, u.file_id FROM test_utility_uses AS u"
        " JOIN python_modules AS m ON m.file_id = u.file_id JOIN source_files AS f ON f.id = u.file_id"
        " WHERE instr(u.uses, :sign) ORDER BY m.id",
        {"sign": ASSIGNED},
    ):
        words = uses.split(" ")
        for name, line in zip(words[::2], words[1::2], strict=True):
            if name.startswith(ASSIGNED):
                last = name.removeprefix(ASSIGNED)
                found.setdefault(f"{module}.{last}", (last, module, path, file_id, int(line)))
    uses_of = _uses(conn, names, {last for last, *_ in found.values()}) if found else _Uses()
    rows: list[Row] = []
    for name, (last, module, path, file_id, line) in found.items():
        number = uses_of.number.get(name, 0)
        if number:
            category = category_of(module, path, last, uses_of.decorates[name] > 0)
            used_in = len(uses_of.modules[name])
            rows.append((name, last, category, None, None, number, used_in, file_id, line))
    return rows


def _uses(conn: sqlite3.Connection, names: Names, wanted: set[str]) -> _Uses:
    uses = _Uses()
    for module, target in conn.execute(
        "SELECT m.name, b.target FROM python_bindings AS b JOIN python_modules AS m ON m.id = b.module_id"
        " WHERE b.kind = 'from' AND b.target GLOB 'torch.testing*:*' ORDER BY b.id"
    ):
        if target.rpartition(":")[2] in wanted:
            uses.add(names.full(target.replace(":", ".")), module)
    known: dict[str, list[tuple[str, bool]]] = {}
    for module, text in conn.execute(
        "SELECT m.name, x.decorators FROM ("
        " SELECT module_id, decorators FROM python_functions WHERE decorators IS NOT NULL"
        " UNION ALL SELECT module_id, decorators FROM python_classes WHERE decorators IS NOT NULL) AS x"
        " JOIN python_modules AS m ON m.id = x.module_id WHERE m.name GLOB '*test*'"
    ):
        if text not in known:
            known[text] = [
                (match[1], match.start() == 0)
                for line in text.split("\n")
                for match in _NAME.finditer(line)
                if match[1] and match[1].rpartition(".")[2] in wanted
            ]
        for name, is_decorator in known[text]:
            uses.add(names.full(f"{module}.{name}"), module, is_decorator=is_decorator)
    return uses
