"""What decorators register without naming the table, against the functions that `ast` finds under them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.real.conftest import Real

pytestmark = pytest.mark.real

# By who looks them up: line, decorator, where the functions stand.
_TABLES = {
    "torch.onnx._internal.registration.SymbolicRegistry.get_function_group": (
        "_onnx_symbolic",
        "torch/onnx/symbolic_*.py",
        {"2.6.0": 254, "1.13.1": 253},
    ),
    "torch.nested._internal.ops.lookup_jagged": (
        "register_jagged_func",
        "torch/nested/_internal/ops.py",
        {"2.6.0": 233},
    ),
    "torch.onnx._internal.fx.diagnostics._format_argument": (
        "_format_argument.register",
        "torch/onnx/_internal/fx/diagnostics.py",
        {"2.6.0": 53},
    ),
}


def _decorated(real: Real, pattern: str, decorator: str) -> Iterator[tuple[str, int]]:
    for path in real.root.glob(pattern):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            for each in getattr(node, "decorator_list", ()):
                written = each.func if isinstance(each, ast.Call) else each
                if ast.unparse(written) == decorator and isinstance(node, ast.FunctionDef):
                    yield path.relative_to(real.root).as_posix(), node.lineno


@pytest.mark.parametrize("reader", _TABLES)
def test_all_that_is_registered_may_run_where_it_is_looked_up(real: Real, reader: str) -> None:
    decorator, pattern, lines = _TABLES[reader]
    rows = real.conn.execute(
        "SELECT t.path, p.line, e.line FROM edges AS e JOIN edge_kinds AS k ON k.id = e.kind_id"
        " JOIN python_functions AS p ON p.id = e.target >> 4 AND e.target & 15 = 4"
        " JOIN python_modules AS m ON m.id = p.module_id JOIN source_files AS t ON t.id = m.file_id"
        " JOIN python_functions AS s ON s.id = e.source >> 4 AND e.source & 15 = 4"
        " JOIN python_modules AS n ON n.id = s.module_id"
        " WHERE k.kind = 'candidate' AND s.name = substr(?, length(n.name) + 2) AND n.name || '.' || s.name = ?",
        (reader, reader),
    ).fetchall()
    expected = set(_decorated(real, pattern, decorator))
    assert {(path, line) for path, line, _ in rows} == expected
    assert {line for _, _, line in rows} == ({lines[real.version]} if expected else set())
