"""Putting guides into an agent's folders and taking them out, and nothing that is not ours.

What was written stands in `torchtalk-install.json` beside it, with a hash for each file. A file that
is there already and not in that list, or that was changed since, belongs to its user: it is left
alone, both ways.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from indexer.replacing import replacing
from torchtalk.install.targets import SERVER, Target, shown

MANIFEST = "torchtalk-install.json"

Action = Literal["create", "update", "keep", "remove", "leave"]


class NotJson(ValueError):
    """A settings file that cannot be read; it is not touched."""


@dataclass(frozen=True)
class Change:
    """What happens to one file, or to the server's entry in a settings file.

    Args:
        action: create, update, keep (as it should be), remove, leave (not ours).
        path: the file.
        detail: the entry, or why it is left.
        text: the file's new content, where it gets one.
    """

    action: Action
    path: Path
    detail: str = ""
    text: str | None = None

    def __str__(self) -> str:
        return f"{self.action:7}{self.path}{f'  ({self.detail})' if self.detail else ''}"


def installing(target: Target, entry: dict[str, Any]) -> list[Change]:
    """What installing does.

    Args:
        target: where an agent has its guides and its servers.
        entry: of the MCP server, as it stands in the settings file.

    Raises:
        NotJson: a settings file is no JSON.
    """
    ours = _manifest(target)
    changes = [_file_change(path, text, ours) for path, text in target.files.items()]
    changes.append(_entry_change(target, entry, ours))
    return changes


def install(target: Target, entry: dict[str, Any], changes: list[Change]) -> None:
    """Carry out what `installing` said.

    Args:
        target: as it was given to that.
        entry: the same.
        changes: what it said.

    Raises:
        OSError: a file cannot be written.
    """
    ours = _manifest(target)
    for change in changes:
        if change.action in ("create", "update") and change.text is not None:
            _write(change.path, change.text)
        if change.path in target.files and change.action != "leave":
            ours["files"][_key(target, change.path)] = _hash(target.files[change.path])
        if change.path == target.servers and change.action != "leave":
            ours["server"] = entry
    _write(target.folder / MANIFEST, json.dumps(ours, indent=2, sort_keys=True) + "\n")


def uninstalling(target: Target) -> list[Change]:
    """What uninstalling from `target` does: only what was written by installing and is still so is removed.

    Raises:
        NotJson: a settings file is no JSON.
    """
    ours = _manifest(target)
    changes = []
    for key, digest in sorted(ours["files"].items()):
        path = target.folder / key
        if not path.exists():
            continue
        same = _hash(path.read_text(encoding="utf-8", errors="replace")) == digest
        changes.append(Change("remove", path) if same else Change("leave", path, "changed since"))
    servers = _json(target.servers)
    entry = servers.get("mcpServers", {}).get(SERVER)
    if entry is not None and entry == ours.get("server"):
        del servers["mcpServers"][SERVER]
        changes.append(Change("remove", target.servers, f"mcpServers.{SERVER}", _dumped(servers)))
    elif entry is not None:
        changes.append(Change("leave", target.servers, f"mcpServers.{SERVER} is not ours"))
    return changes


def uninstall(target: Target, changes: list[Change]) -> None:
    """Carry out what `uninstalling` said; folders that are left empty go too.

    Args:
        target: as it was given to that.
        changes: what it said.

    Raises:
        OSError: a file cannot be written or removed.
    """
    for change in changes:
        if change.action != "remove":
            continue
        if change.text is None:
            change.path.unlink()
            _prune(change.path.parent, target.folder)
        elif json.loads(change.text) in ({}, {"mcpServers": {}}):
            change.path.unlink()  # nothing else was in it
        else:
            _write(change.path, change.text)
    (target.folder / MANIFEST).unlink(missing_ok=True)
    _prune(target.folder, target.folder)


def _file_change(path: Path, text: str, ours: dict[str, Any]) -> Change:
    if not path.exists():
        return Change("create", path, text=text)
    there = path.read_text(encoding="utf-8", errors="replace")
    if there == text:
        return Change("keep", path)
    if _hash(there) in ours["files"].values():
        return Change("update", path, text=text)
    return Change("leave", path, "there already, and not written by torchtalk")


def _entry_change(target: Target, entry: dict[str, Any], ours: dict[str, Any]) -> Change:
    servers = _json(target.servers)
    there = servers.get("mcpServers", {}).get(SERVER)
    if there == entry:
        return Change("keep", target.servers, f"mcpServers.{SERVER}")
    if there is not None and there != ours.get("server"):
        return Change(
            "leave", target.servers, f"mcpServers.{SERVER} is there already: {shown(there)}"
        )
    servers.setdefault("mcpServers", {})[SERVER] = entry
    action: Action = "update" if target.servers.exists() else "create"
    return Change(action, target.servers, f"mcpServers.{SERVER}: {shown(entry)}", _dumped(servers))


def _manifest(target: Target) -> dict[str, Any]:
    found = _json(target.folder / MANIFEST)
    files = found.get("files")
    return {"files": dict(files) if isinstance(files, dict) else {}, "server": found.get("server")}


def _key(target: Target, path: Path) -> str:
    return path.relative_to(target.folder).as_posix()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _json(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    try:
        found = json.loads(text or "{}")
    except ValueError as error:
        raise NotJson(f"{path} is no valid JSON ({error}); nothing was changed") from error
    servers = found.get("mcpServers", {}) if isinstance(found, dict) else None
    if not isinstance(servers, dict):
        raise NotJson(f"{path} is not what it should be; nothing was changed")
    return dict(found)


def _dumped(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # A link stays a link; a reader sees the old file or the new one.
    real = path.resolve()
    with replacing(real) as temporary:
        temporary.write_text(text, encoding="utf-8")
        if real.exists():
            temporary.chmod(real.stat().st_mode & 0o777)


def _prune(folder: Path, top: Path) -> None:
    """Remove a folder and those around it, up to the agent's own, while they are empty."""
    for place in _upwards(folder, top):
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()
        else:
            return


def _upwards(folder: Path, top: Path) -> Iterator[Path]:
    while folder.is_relative_to(top):
        yield folder
        folder = folder.parent
