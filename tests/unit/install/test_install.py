"""Installing the guides, taking them back, and leaving alone what is not ours."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from torchtalk.install import changes as plan
from torchtalk.install.command import install_command, uninstall_command
from torchtalk.install.guides import guides
from torchtalk.install.targets import AGENTS, Target, server_entry, target


def snapshot(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*")) if path.is_file()
    }  # fmt: skip


def put(place: Target) -> list[plan.Change]:
    entry = server_entry(None)
    changes = plan.installing(place, entry)
    plan.install(place, entry, changes)
    return changes


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("in_project", [True, False])
def test_install_and_uninstall_leave_nothing(tmp_path: Path, agent: str, in_project: bool) -> None:
    place = target(agent, tmp_path if in_project else None, tmp_path)
    assert {change.action for change in put(place)} == {"create"}
    servers = json.loads(place.servers.read_text(encoding="utf-8"))
    assert servers["mcpServers"]["torchtalk"]["args"][-1] == "mcp-serve"
    assert {change.action for change in put(place)} == {"keep"}
    plan.uninstall(place, plan.uninstalling(place))
    assert snapshot(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


def test_claude_gets_every_guide_where_it_looks(tmp_path: Path) -> None:
    put(target("claude", tmp_path, tmp_path))
    for guide in guides():
        assert (tmp_path / ".claude" / guide.path).read_text(encoding="utf-8") == guide.text


def test_cursor_gets_rules_of_its_own_format(tmp_path: Path) -> None:
    put(target("cursor", tmp_path, tmp_path))
    text = (tmp_path / ".cursor/rules/torchtalk-analyzer.mdc").read_text(encoding="utf-8")
    head = text.split("---\n")[1].splitlines()
    assert [line.partition(":")[0] for line in head] == ["description", "globs", "alwaysApply"]
    assert "\nname:" not in text.split("---\n")[1]
    assert "# Asking about PyTorch's source" in text


def test_what_is_there_already_is_left(tmp_path: Path) -> None:
    own = tmp_path / ".claude/skills/torchtalk-analyzer/SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    servers = tmp_path / ".mcp.json"
    servers.write_text(
        '{"mcpServers": {"torchtalk": {"command": "mine"}, "other": {"command": "x"}}, "more": 1}'
    )
    before = servers.read_text()
    place = target("claude", tmp_path, tmp_path)
    left = [change for change in put(place) if change.action == "leave"]
    assert {change.path for change in left} == {own, servers}
    assert own.read_text() == "mine"
    assert servers.read_text() == before
    plan.uninstall(place, plan.uninstalling(place))
    assert snapshot(tmp_path) == {
        ".claude/skills/torchtalk-analyzer/SKILL.md": "mine",
        ".mcp.json": before,
    }


def test_other_servers_stay(tmp_path: Path) -> None:
    servers = tmp_path / ".mcp.json"
    servers.write_text('{"mcpServers": {"other": {"command": "x"}}, "more": 1}')
    place = target("claude", tmp_path, tmp_path)
    put(place)
    found = json.loads(servers.read_text())
    assert set(found["mcpServers"]) == {"other", "torchtalk"}
    assert found["more"] == 1
    plan.uninstall(place, plan.uninstalling(place))
    assert json.loads(servers.read_text()) == {"mcpServers": {"other": {"command": "x"}}, "more": 1}


def test_a_guide_that_was_changed_since_stays(tmp_path: Path) -> None:
    place = target("claude", tmp_path, tmp_path)
    put(place)
    edited = tmp_path / ".claude/agents/pytorch-expert.md"
    edited.write_text(edited.read_text() + "\nAlso this.\n")
    assert ("leave", edited) in {(change.action, change.path) for change in put(place)}
    plan.uninstall(place, plan.uninstalling(place))
    assert list(snapshot(tmp_path)) == [".claude/agents/pytorch-expert.md"]


def test_an_older_guide_of_ours_is_brought_up_to_date(tmp_path: Path) -> None:
    place = target("claude", tmp_path, tmp_path)
    path = tmp_path / ".claude/agents/pytorch-expert.md"
    older = Target(place.agent, place.folder, place.servers, {**place.files, path: "older"})
    put(older)
    assert ("update", path) in {(change.action, change.path) for change in put(place)}
    assert path.read_text(encoding="utf-8") == place.files[path]


def test_settings_that_are_no_json_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text("{ not json")
    result = CliRunner().invoke(install_command, ["claude", "--project", str(tmp_path)])
    assert result.exit_code != 0
    assert (tmp_path / ".mcp.json").read_text() == "{ not json"
    assert not (tmp_path / ".claude").exists()


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        install_command, ["claude", "--project", str(tmp_path), "--dry-run"]
    )
    assert "create " in result.output
    assert "mcpServers.torchtalk" in result.output
    assert list(tmp_path.iterdir()) == []
    result = CliRunner().invoke(uninstall_command, ["claude", "--project", str(tmp_path)])
    assert "nothing of torchtalk's is there" in result.output


def test_the_tree_is_entered_where_it_is_named(tmp_path: Path) -> None:
    entry = server_entry(tmp_path)
    assert entry["args"][-2:] == ["--pytorch-source", str(tmp_path)]
    assert shutil.which(entry["command"]) or Path(entry["command"]).exists()


@pytest.mark.parametrize("agent", ["claude", "cursor"])
def test_the_commands_install_and_take_back(tmp_path: Path, agent: str) -> None:
    options = [agent, "--project", str(tmp_path)]
    done = CliRunner().invoke(install_command, options, standalone_mode=False)
    assert (done.return_value, done.exception) == (0, None)
    place = target(agent, tmp_path, tmp_path)
    assert set(map(str, place.files)) <= {str(tmp_path / path) for path in snapshot(tmp_path)}
    assert "torchtalk" in json.loads(place.servers.read_text(encoding="utf-8"))["mcpServers"]
    dry = CliRunner().invoke(uninstall_command, [*options, "--dry-run"], standalone_mode=False)
    assert (dry.return_value, set(map(Path.exists, place.files))) == (0, {True})
    back = CliRunner().invoke(uninstall_command, options, standalone_mode=False)
    assert (back.return_value, snapshot(tmp_path)) == (0, {})
    again = CliRunner().invoke(uninstall_command, options, standalone_mode=False)
    assert again.return_value == 1, "there is nothing of torchtalk's any more"
    assert "nothing of torchtalk's is there" in again.output
