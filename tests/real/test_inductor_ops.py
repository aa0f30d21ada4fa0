"""Inductor's calls of `ops.f(…)` and what runs for them, against what `ast` finds in its sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.conftest import Real

pytestmark = pytest.mark.real

_HANDLER = "torch._inductor.ops_handler.OpsHandler"


def _trees(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((root / "torch/_inductor").rglob("*.py")):
        yield path.relative_to(root).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def _methods(root: Path, file: str, name: str) -> set[str]:
    tree = ast.parse((root / "torch/_inductor" / file).read_text(encoding="utf-8"))
    found = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    return {node.name for node in found.body if isinstance(node, ast.FunctionDef)}


def _imports_ops(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and (node.module or "").endswith("virtualized")
        and any(alias.name == "ops" and alias.asname is None for alias in node.names)
        for node in tree.body
    )


def test_every_call_of_the_handler_that_ast_finds(new: Real) -> None:
    # What stands in the way has some itself.
    methods = _methods(new.root, "ops_handler.py", "OpsHandler")
    methods -= _methods(new.root, "virtualized.py", "OpsWrapper")
    called = {
        (path, node.func.lineno, node.func.attr)
        for path, tree in _trees(new.root)
        if _imports_ops(tree)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "ops"
        and node.func.attr in methods
    }
    known = {
        tuple(row)
        for row in new.conn.execute(
            "SELECT file, line, substr(target, ?) FROM v_edges WHERE target GLOB ? AND kind = 'python'",
            (len(_HANDLER) + 2, f"{_HANDLER}.*"),
        )
    }
    assert len(called) == 513
    assert called - known == set()


def test_what_is_said_to_stand_for_the_handler(new: Real) -> None:
    """`def _typecheck_X(h: X) -> OpsHandler[str]: return h`."""
    said = {
        ast.unparse(node.args.args[0].annotation).partition("[")[0]  # type: ignore[arg-type]
        for _, tree in _trees(new.root)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("_typecheck_")
        and "OpsHandler[" in ast.unparse(node.returns or ast.Constant(None))
    }
    rows = new.conn.execute(
        "SELECT k.last FROM python_conforming AS x JOIN python_classes AS k ON k.id = x.class_id"
        " JOIN python_classes AS p ON p.id = x.base_id WHERE p.name = ?",
        (_HANDLER,),
    )
    assert {last for (last,) in rows} == said
    assert len(said) == 13


def test_an_operator_reaches_each_generators_function(new: Real) -> None:
    rows = new.conn.execute(
        "SELECT target, file, line FROM v_edges WHERE source = ? AND kind = 'virtual' ORDER BY 1",
        (f"{_HANDLER}.sqrt",),
    )
    folder = "torch/_inductor/codegen"
    assert [tuple(row) for row in rows] == [
        ("torch._inductor.codegen.cpp.CppOverrides.sqrt", f"{folder}/cpp.py", 709),
        ("torch._inductor.codegen.halide.HalideOverrides.sqrt", f"{folder}/halide.py", 283),
        ("torch._inductor.codegen.triton.TritonOverrides.sqrt", f"{folder}/triton.py", 932),
    ]  # fmt: skip
    lowered = new.conn.execute(
        "SELECT file, line FROM v_edges WHERE source = 'aten::sqrt' AND target = ? AND kind = 'lowering'",
        (f"{_HANDLER}.sqrt",),
    )
    assert [tuple(row) for row in lowered] == [("torch/_inductor/lowering.py", 6004)]
