"""What the documentation names exists, and what it shows is what comes out."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import click
import pytest

from tests.docs.examples import DOCUMENTS, ROOT, Example, examples, run
from torchtalk.cli.group import cli as main
from torchtalk.tools import all_tools

QUERY = re.compile(r"^## `(?P<view>v_\w+)`$.*?```sql\n(?P<sql>.*?)```", re.MULTILINE | re.DOTALL)
COLUMNS = re.compile(r"^## `(v_\w+)`\n.*?^Columns: (.+?)\n\n", re.MULTILINE | re.DOTALL)

FIXTURE = [example for path in DOCUMENTS for example in examples(path) if example.fixture]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert "://" in target or (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_are_named_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for name in re.findall(
        r"`((?:indexer|torchtalk|tests|benchmarks|fixtures|docs)/[\w./]*)`", text
    ):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_and_options_exist(document: Path) -> None:
    context = click.Context(main)
    fenced = "".join(
        re.findall(
            r"^```(?:sh|console|yaml)\n.*?^```",
            document.read_text(encoding="utf-8"),
            re.MULTILINE | re.DOTALL,
        )
    )
    for line in re.findall(r"^(?:\$ | +- run: )?(torchtalk .+)$", fenced, re.MULTILINE):
        words = line.split()
        command = main.get_command(context, words[1])
        assert command is not None, line
        if isinstance(command, click.Group):
            command = command.get_command(context, words[2])
            assert command is not None, line
        known = {option for parameter in command.params for option in parameter.opts}
        for word in words[2:]:
            if word.startswith("--"):
                assert word.partition("=")[0] in known | {"--help"}, line
            elif word in ("|", ">", ";", "#"):
                break


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_make_targets_exist(document: Path) -> None:
    targets = set(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    for line in re.findall(
        r"^make ([a-z][^#\n]*)", document.read_text(encoding="utf-8"), re.MULTILINE
    ):
        # What has a `=` is a variable's value for the target.
        assert {word for word in line.split() if "=" not in word} <= targets, line


def test_the_readme_leads_to_every_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
    assert [page for page in pages if f"](docs/{page})" not in readme] == []


def test_every_tool_is_documented() -> None:
    text = (ROOT / "docs/tools.md").read_text(encoding="utf-8")
    for tool in all_tools().values():
        section = re.search(rf"^## `{tool.name}`$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        assert section, tool.name
        for parameter in tool.parameters:
            assert f"`{parameter.name}`" in section[1], (tool.name, parameter.name)


def test_every_view_is_documented_with_its_columns(conn: sqlite3.Connection) -> None:
    text = (ROOT / "docs/schema.md").read_text(encoding="utf-8")
    views = {
        name: [column[1] for column in conn.execute(f"PRAGMA table_info({name})")]
        for (name,) in conn.execute(
            "SELECT name FROM sqlite_master WHERE type = 'view' AND name LIKE 'v_%'"
        )
    }
    documented = {
        view: [name.strip(" `") for name in columns.replace("\n", " ").split(",")]
        for view, columns in COLUMNS.findall(text)
    }
    assert documented == views


def test_every_word_of_a_view_is_documented(conn: sqlite3.Connection) -> None:
    """What a column of a few words may say stands in the section of its view."""
    text = (ROOT / "docs/schema.md").read_text(encoding="utf-8")
    missing = []
    for view, section in re.findall(
        r"^## `(v_\w+)`$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    ):
        for column in ("kind", "origin", "role", "status", "category", "platform"):
            if f"`{column}`" in section:
                rows = conn.execute(
                    f"SELECT DISTINCT {column} FROM {view} WHERE {column} IS NOT NULL"
                )
                known = set(re.findall(r"\w+", section))
                missing += [f"{view}.{column}: {word}" for (word,) in rows if word not in known]
    assert missing == []


@pytest.mark.parametrize(
    ("view", "sql"), QUERY.findall((ROOT / "docs/schema.md").read_text(encoding="utf-8"))
)
def test_every_query_runs(conn: sqlite3.Connection, view: str, sql: str) -> None:
    assert view in sql
    conn.execute(sql).fetchall()


@pytest.mark.parametrize("example", FIXTURE, ids=lambda example: example.command)
def test_examples_on_the_fixture_tree(example: Example, fixture_db: Path) -> None:
    assert run(example.command, fixture_db) == example.answer
