"""The way of the data, as CONTRIBUTING.md has it: who may import whom."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from torchtalk.tools import all_tools

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("indexer", "torchtalk")


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _modules() -> dict[str, Path]:
    return {_name(path): path for package in PACKAGES for path in (ROOT / package).rglob("*.py")}


def _imports(nodes: list[ast.stmt], *, late: bool = False) -> Iterator[tuple[str, bool]]:
    """The modules that statements import, each with whether only a function's body does."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level and node.module, "imports are absolute"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from ((name, late) for name in names & _modules().keys() or {node.module})
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        else:
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for name in ("body", "orelse", "finalbody", "handlers"):
                inside = getattr(node, name, [])
                bodies = [each.body for each in inside] if name == "handlers" else [inside]
                for body in bodies:
                    yield from _imports(body, late=late or is_function)


@cache
def _imported() -> dict[str, frozenset[tuple[str, bool]]]:
    return {
        name: frozenset(_imports(ast.parse(path.read_text(encoding="utf-8")).body))
        for name, path in _modules().items()
    }


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _wrong(package: str, *forbidden: str) -> list[str]:
    return sorted(
        f"{name} imports {other}"
        for name, others in _imported().items()
        if _within(name, package)
        for other in {other for other, _ in others}
        if any(map(_within, [other] * len(forbidden), forbidden))
    )


@pytest.mark.slow
def test_no_module_needs_itself_to_be_loaded() -> None:
    graph = {
        name: {other for other, late in others if not late} & _modules().keys()
        for name, others in _imported().items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "forbidden"),
    [
        (
            "indexer.extract",
            ["sqlite3", "sqlite_utils", "indexer.write", "indexer.link", "indexer.update"],
        ),
        ("indexer.facts", ["sqlite3", "indexer.extract", "indexer.write", "indexer.link"]),
        ("indexer.scan", ["indexer.extract", "indexer.write", "indexer.link"]),
        ("indexer.write", ["indexer.link", "indexer.update"]),
        ("torchtalk.names", ["torchtalk.tools", "torchtalk.affected", "torchtalk.render"]),
        ("torchtalk.graph", ["torchtalk.tools", "torchtalk.affected", "torchtalk.render"]),
        ("torchtalk.testing", ["torchtalk.affected", "torchtalk.tools", "torchtalk.render"]),
        (
            "torchtalk.affected",
            ["torchtalk.tools", "torchtalk.render", "torchtalk.cli", "torchtalk.server"],
        ),
        ("torchtalk.tools", ["torchtalk.render", "torchtalk.cli", "torchtalk.server"]),
        ("torchtalk.answers", ["sqlite3", "torchtalk.tools", "torchtalk.render"]),
        (
            "torchtalk.render",
            ["sqlite3", "torchtalk.tools", "torchtalk.names", "torchtalk.graph", "indexer"],
        ),
        ("torchtalk.server", ["torchtalk.cli"]),
    ],
)
def test_each_step_knows_only_those_before_it(package: str, forbidden: list[str]) -> None:
    assert _wrong(package, *forbidden) == []


def test_the_indexer_knows_of_torchtalk_only_what_a_file_of_its_is() -> None:
    shared = {"torchtalk", "torchtalk.dbfile", "torchtalk.db", "torchtalk.counted"}
    wrong = _wrong("indexer", "torchtalk", "mcp", "click")
    assert [one for one in wrong if one.split()[-1] not in shared] == []


def test_each_stage_of_affected_asks_only_those_before_it() -> None:
    stages = [
        f"torchtalk.affected.{stage}" for stage in ("diff", "graph", "places", "texts", "choice")
    ]
    assert [
        wrong for at, stage in enumerate(stages) for wrong in _wrong(stage, *stages[at + 1 :])
    ] == []


def test_what_tools_are_made_of_knows_no_tool() -> None:
    tools = [f"torchtalk.tools.{name}" for name in all_tools()]
    families = sorted(
        name for name, at in _modules().items()
        if name.startswith("torchtalk.tools.") and at.name == "__init__.py"
    )  # fmt: skip
    assert families
    assert [wrong for family in families for wrong in _wrong(family, *tools)] == []


def test_every_package_is_among_the_rooms() -> None:
    rooms = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Working")[0]
    packages = sorted(
        name.replace(".", "/") for name, at in _modules().items()
        if at.name == "__init__.py" and name.count(".") == 1
    )  # fmt: skip
    assert [package for package in packages if f"`{package}/" not in rooms] == []
