"""Python methods and types that tools/autograd/gen_python_functions.py generates, for each of its templates."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator

# gen_python_functions.py, gen(): which functions each template takes (is_py_variable_method and its neighbours).
RETURN_TYPES = "torch._C._return_types"
"""The module of the types of named results (tools/autograd/templates/python_return_types.cpp)."""
_TEMPLATE = re.compile(r"(?:^|/)python_(\w+?)_(methods|functions)\.cpp$")


def generated_methods(conn: sqlite3.Connection, file_id: int) -> Iterator[tuple[str, str]]:
    """The methods that stand for a template's `${py_method_defs}`: their name, and the C++ function's.

    Args:
        conn: the index being built; layer 1 is in it.
        file_id: the template's.
    """
    path = str(conn.execute("SELECT path FROM source_files WHERE id = ?", (file_id,)).fetchone()[0])
    match = _TEMPLATE.search(path)
    if match is None:
        return
    module, variant = match.group(1), "function"
    if match.group(2) == "methods":
        condition, variant = "o.python_module IS NULL", "method"
    elif module == "torch":
        condition = "o.python_module IS NULL"
    else:
        condition = "o.python_module = :module"
    is_left_out = _left_out(conn)
    rows = conn.execute(
        "SELECT o.base, o.schema, EXISTS (SELECT 1 FROM arguments AS a WHERE a.operator_id = o.id AND a.is_out)"
        f" FROM operators AS o WHERE o.origin = 'yaml' AND o.namespace = 'aten' AND {condition}"
        " AND instr(',' || replace(o.variants, ' ', '') || ',', ',' || :variant || ',') ORDER BY o.base, o.id",
        {"module": module, "variant": variant},
    ).fetchall()
    last = ""
    for base, schema, is_out in rows:
        name = f"{base}_out" if is_out else base
        if base == last or is_left_out(name, schema):
            continue
        last = base
        yield base, f"torch::autograd::THPVariable_{base}"


def generated_return_types(conn: sqlite3.Connection) -> list[str]:
    """The types that stand for `${py_return_types_registrations}`: those of several results that all have names.

    torchgen/api/python.py, structseq_fieldnames.

    Args:
        conn: the index being built; layer 1 is in it.
    """
    is_left_out = _left_out(conn)
    rows = conn.execute(
        "SELECT o.base || CASE o.kind WHEN 'out' THEN '_out' ELSE '' END, o.schema"
        " FROM operators AS o JOIN returns AS r ON r.operator_id = o.id"
        " WHERE o.origin = 'yaml' AND o.namespace = 'aten'"
        " GROUP BY o.id HAVING count(*) > 1 AND count(r.name) = count(*) ORDER BY o.id"
    ).fetchall()
    return sorted({name for name, schema in rows if not is_left_out(name, schema)})


def _left_out(conn: sqlite3.Connection) -> Callable[[str, str | None], bool]:
    """Whether the generator's rules leave out an operator, by its name and schema (should_generate_py_binding)."""
    rules = conn.execute("SELECT kind, value FROM python_binding_rules").fetchall()
    skipped = [re.compile(value) for kind, value in rules if kind == "skip_name"]
    signatures = {value for kind, value in rules if kind == "skip_signature"}

    def is_left_out(name: str, schema: str | None) -> bool:
        return any(pattern.fullmatch(name) for pattern in skipped) or (
            schema is not None and schema.partition("::")[2] in signatures
        )

    return is_left_out
