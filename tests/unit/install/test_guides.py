"""The guides name nothing that does not exist."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from torchtalk import __version__
from torchtalk.install.guides import Guide, guides, guides_root
from torchtalk.install.reference import REFERENCE, outdated, reference
from torchtalk.tools import all_tools

_ROOT = guides_root()
_GUIDES = {guide.path: guide for guide in guides()}
_WRITTEN = [guide for guide in guides() if guide.path != REFERENCE]
_CODE = re.compile(r"`([^`\n]+)`")
# What guides put in backticks that is a name of Python's or of the compiler's own.
_NOT_OURS = {
    "add", "all_reduce", "clone", "contiguous", "core", "dynamo", "aot", "fallback", "forward", "inductor", "limit",
    "offset", "pointwise", "prims", "reduction", "scan", "template", "softmax", "softmax_cpu_out", "focus", "dispatch",
    "backend", "graph_break", "config", "torch_compile_debug",
}  # fmt: skip


def reference_names() -> set[str]:
    text = _GUIDES[REFERENCE].text
    return set(re.findall(r"^\| `([^`]+)`", text, re.MULTILINE))


@pytest.mark.parametrize("guide", _WRITTEN, ids=lambda guide: guide.path)
def test_front_matter(guide: Guide) -> None:
    assert guide.text.startswith("---\n")
    head = dict(line.split(": ", 1) for line in guide.text.split("---\n")[1].splitlines())
    assert len(head["description"]) < 400
    if "name" in head:
        assert head["name"] in guide.path
    assert guide.body.strip()


@pytest.mark.parametrize("guide", _WRITTEN, ids=lambda guide: guide.path)
def test_every_name_exists(guide: Guide) -> None:
    tools = all_tools()
    arguments = {p.name for tool in tools.values() for p in tool.parameters}
    choices = {c for tool in tools.values() for p in tool.parameters for c in p.choices}
    known = {*tools, *arguments, *choices, *reference_names(), *_NOT_OURS}
    known |= {Path(path).parent.name for path in _GUIDES}
    for name in _CODE.findall(guide.body):
        if re.fullmatch(r"[a-z_]+", name):
            assert name in known, f"{guide.path}: {name}"
        for variable in re.findall(r"\b(?:TORCH|AOT|PYTORCH)[A-Z_]+\b", name):
            assert variable in known, f"{guide.path}: {variable}"
        if match := re.match(r"TORCH_LOGS=(\S+)", name):
            assert set(match[1].split(",")) <= known


def test_artifacts_of_the_stages_exist() -> None:
    text = _GUIDES["skills/torch-compile-overview/SKILL.md"].text
    names = reference_names()
    rows = [
        row
        for row in text.splitlines()
        if row.startswith("| ") and row.count("|") == 6 and "`torch/_" in row
    ]
    assert len(rows) == 6
    for row in rows:
        for name in _CODE.findall(row.split("|")[-2]):
            assert name in names


def test_the_table_of_tools_is_up_to_date() -> None:
    assert {path.name for path in outdated(_ROOT, None)} == set()


def test_files_that_guides_name() -> None:
    for guide in _WRITTEN:
        for name in re.findall(r"`(\w+\.md)`", guide.text):
            assert (_ROOT / guide.path).with_name(name).exists()


def test_the_plugin_and_its_marketplace() -> None:
    plugin = json.loads((_ROOT / ".claude-plugin/plugin.json").read_text())
    market = json.loads((_ROOT / ".claude-plugin/marketplace.json").read_text())
    project = (_ROOT / "pyproject.toml").read_text()
    assert plugin["version"] == __version__
    assert f'license = "{plugin["license"]}"' in project
    assert f"\n## {__version__} " in (_ROOT / "CHANGELOG.md").read_text()
    (listed,) = market["plugins"]
    assert listed["name"] == plugin["name"] == "torchtalk"
    assert (_ROOT / listed["source"] / ".claude-plugin/plugin.json").exists()
    assert "torchtalk" in json.loads((_ROOT / ".mcp.json").read_text())["mcpServers"]


def test_guides_are_short() -> None:
    for guide in _WRITTEN:
        assert len(guide.text) < 8_000, guide.path


def test_the_reference_is_made_from_an_index(conn: sqlite3.Connection) -> None:
    made = reference(conn)
    for line in (
        "| `dynamo` | torch._dynamo, torch.fx.experimental.symbolic_shapes |",
        "| `breaks` | with its log | Says where and why tracing was given up. |",
        "| `trails` | by name only |  |",
        '| `TORCHINDUCTOR_FIXTURE_AUTOTUNE` | `"0"` | Try several kernels and keep the fastest. |',
        "| `limit` | `8` | kernels at most |",
    ):
        assert line in made.splitlines()
