"""Reference implementations (torch/_refs) and primitive operators (torch/_prims)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from indexer.link.compile.entry import Entry
from indexer.link.compile.operators import Places


def references(conn: sqlite3.Connection, places: Places) -> Iterator[Entry]:
    """Reference implementations: decompositions in torch/_refs, and those found by name.

    By name as `torch_to_refs_map` (torch/_prims/context.py) has it: `torch._refs.x` stands for
    `torch.x` and `torch.Tensor.x`, `torch._refs.fft.x` for `torch.fft.x`.

    Args:
        conn: the database; its Python layer must be linked.
        places: where its Python functions stand.
    """
    seen: set[tuple[str, str]] = set()
    rows = conn.execute(
        "SELECT DISTINCT o.name, r.kernel, r.file_id, r.line FROM registrations AS r JOIN operators AS o"
        " ON o.name = r.operator OR (r.all_overloads AND o.namespace || '::' || o.base = r.operator)"
        " WHERE r.via = 'table:post_autograd' AND r.kernel LIKE 'torch.\\_refs.%' ESCAPE '\\' ORDER BY r.id, o.id"
    ).fetchall()
    for name, kernel, file_id, line in rows:
        seen.add((name, kernel))
        file, at = places.place(kernel, file_id, line) or (file_id, line)
        yield Entry(
            name,
            "ref",
            None,
            kernel,
            file,
            at,
            "register_decomposition",
            None,
            None,
            False,
            file_id,
            line,
        )
    rows = conn.execute(
        "SELECT m.name, x.name, m.file_id FROM python_modules AS m JOIN python_exports AS x ON x.module_id = m.id"
        " WHERE m.name = 'torch._refs' OR m.name LIKE 'torch.\\_refs.%' ESCAPE '\\' ORDER BY m.id, x.position"
    ).fetchall()
    for module, export, file_id in rows:
        if "*" in export:
            continue
        function = f"{module}.{export}"
        public = "torch" + module.removeprefix("torch._refs")
        apis = [f"{public}.{export}", *([f"torch.Tensor.{export}"] if public == "torch" else [])]
        place = places.place(function, file_id, 0)
        for (name,) in conn.execute(
            "SELECT DISTINCT o.name FROM python_apis AS a JOIN operators AS o ON o.id = a.operator_id"
            " WHERE a.api IN (?, ?) AND (a.via NOT LIKE 'python%' OR o.base = ?) ORDER BY o.id",
            (apis[0], apis[-1], export),
        ):
            if (name, function) not in seen and place is not None:
                seen.add((name, function))
                file, at = place
                yield Entry(
                    name, "ref", None, function, file, at, "torch_to_refs_map", None, None, False, None, None
                )  # fmt: skip


def prims(conn: sqlite3.Connection, places: Places) -> Iterator[Entry]:
    """Primitive operators (torch/_prims): each with the function that runs it.

    Args:
        conn: the database; its dispatch must be linked.
        places: where its Python functions stand.
    """
    rows = conn.execute(
        "SELECT o.name, d.kernel, o.file_id, o.line, d.file_id, d.line FROM operators AS o"
        " LEFT JOIN dispatch AS d ON d.operator_id = o.id AND d.origin = 'python'"
        " AND d.dispatch_key IN ('CompositeExplicitAutograd', 'BackendSelect')"
        " WHERE o.namespace = 'prims' GROUP BY o.id ORDER BY o.id"
    ).fetchall()
    for name, kernel, file_id, line, kernel_file, kernel_line in rows:
        place = places.place(kernel, kernel_file or file_id, kernel_line or line) or (file_id, line)
        file, at = place
        yield Entry(name, "prim", None, kernel, file, at, "prims", None, None, False, file_id, line)
