"""Which files an agent reads its guides and servers from.

Claude Code: `.claude/skills|commands|agents` and `.mcp.json` of a project, `~/.claude` and
`~/.claude.json` of a user. Cursor: `.cursor/rules/*.mdc` and `.cursor/mcp.json`; a user's rules
are no files, so without a project only the server is entered.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchtalk.install.guides import Guide, guides

AGENTS = ("claude", "cursor")
SERVER = "torchtalk"


@dataclass(frozen=True)
class Target:
    """Where one agent's things go.

    Args:
        agent: claude or cursor.
        folder: its folder: `.claude` or `.cursor`, of a project or of the user.
        servers: the JSON file with its MCP servers.
        files: texts by path, to be written as files of their own.
    """

    agent: str
    folder: Path
    servers: Path
    files: dict[Path, str]


def target(agent: str, project: Path | None, home: Path) -> Target:
    """The places of an agent.

    Args:
        agent: one of `AGENTS`.
        project: the project's folder; None for the user's own settings.
        home: the user's home folder.
    """
    base = project if project is not None else home
    folder = base / f".{agent}"
    if agent == "claude":
        servers = base / (".mcp.json" if project is not None else ".claude.json")
        return Target(
            agent, folder, servers, {folder / guide.path: guide.text for guide in guides()}
        )
    rules = dict(_rules(folder)) if project is not None else {}
    return Target(agent, folder, folder / "mcp.json", rules)


def _rules(folder: Path) -> Iterator[tuple[Path, str]]:
    """Skills and agents as Cursor's rules, which have another front matter and one file each."""
    for guide in guides():
        kind, _, rest = guide.path.partition("/")
        if kind == "commands":
            yield folder / "commands" / f"torchtalk-{rest}", guide.body
            continue
        name = rest.removesuffix(".md").removesuffix("/SKILL").replace("/", "-")
        yield folder / "rules" / f"{name}.mdc", _rule(guide)


def _rule(guide: Guide) -> str:
    description = guide.description or "Tables that belong to the rule torch-compile-overview."
    return f"---\ndescription: {description}\nglobs:\nalwaysApply: false\n---\n\n{guide.body}"


def server_entry(source: Path | None) -> dict[str, Any]:
    """The MCP entry: this very installation's command, and the tree if it is named.

    Args:
        source: a PyTorch tree; None leaves it to `torchtalk init` and PYTORCH_SOURCE.
    """
    command = Path(sys.executable).with_name("torchtalk")
    arguments = ["mcp-serve"]
    if source is not None:
        arguments += ["--pytorch-source", str(source)]
    if command.exists():
        return {"type": "stdio", "command": str(command), "args": arguments}
    return {"type": "stdio", "command": sys.executable, "args": ["-m", "torchtalk", *arguments]}


def shown(entry: dict[str, Any]) -> str:
    """An entry as a shell would be given it."""
    return shlex.join([entry.get("command", "?"), *entry.get("args", ())])
