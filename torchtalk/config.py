"""Which PyTorch tree and which database are meant: options, environment, saved settings."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.replacing import replacing, sync

if TYPE_CHECKING:
    from indexer.scan.tree import SourceTree

SOURCE_VARIABLE = "PYTORCH_SOURCE"
"""Environment variable that names the tree."""

DATABASE_VARIABLE = "TORCHTALK_DB"
"""Environment variable that names the index."""

_HOW = "give --pytorch-source DIR, set PYTORCH_SOURCE, or save one with: torchtalk init DIR"


class NoSource(Exception):
    """No tree is configured, or what is configured is none; the message says what to do."""


class SettingsError(Exception):
    """The saved settings cannot be read or written."""


def settings_file() -> Path:
    """Where `torchtalk init` saves."""
    from platformdirs import user_config_path

    return user_config_path("torchtalk", appauthor=False) / "settings.json"


def saved_source() -> Path | None:
    """The tree that was saved, or None.

    Raises:
        SettingsError: the file is there but is not what `save_source` writes.
    """
    path = settings_file()
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    source = settings.get("pytorch_source") if isinstance(settings, dict) else None
    if not isinstance(source, str) or not source:
        raise _unreadable(path, "it names no pytorch_source")
    return Path(source)


def save_source(root: Path) -> Path:
    """Save a tree for later commands.

    Args:
        root: of the tree.

    Returns:
        The file it was written to.

    Raises:
        SettingsError: the file cannot be written; the old one stands as it was.
    """
    path = settings_file()
    settings = json.dumps({"pytorch_source": str(root)}, indent=2)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            temporary.write_text(f"{settings}\n", encoding="utf-8")
            sync(temporary)
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def forget_source() -> bool:
    """Remove the saved settings; returns whether there were any.

    Raises:
        SettingsError: the file cannot be removed.
    """
    path = settings_file()
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise SettingsError(f"cannot remove {path}: {error.strerror or error}") from error
    return True


def find_tree(option: Path | None = None) -> SourceTree:
    """The tree that is meant: the option, PYTORCH_SOURCE, the saved one, the current folder.

    Args:
        option: what --pytorch-source says.

    Raises:
        NoSource: there is none, or the first that is named is no PyTorch tree.
        SettingsError: the saved settings cannot be read.
    """
    from indexer.scan.tree import NotAPyTorchTree, open_tree

    named = _named(option)
    if named is None:
        try:
            return open_tree(Path.cwd())
        except (NotAPyTorchTree, OSError) as error:
            raise NoSource(f"no PyTorch tree is known: {_HOW}") from error
    folder, origin = named
    try:
        return open_tree(folder)
    except NotAPyTorchTree as error:
        raise NoSource(f"{origin}: {error}; {_HOW}") from error


def _named(option: Path | None) -> tuple[Path, str] | None:
    if option is not None:
        return option, "--pytorch-source"
    variable = os.environ.get(SOURCE_VARIABLE)
    if variable:
        return Path(variable), SOURCE_VARIABLE
    saved = saved_source()
    return None if saved is None else (saved, f"saved in {settings_file()}")


def default_database(root: Path) -> Path:
    """Where the index of the tree at `root` is kept unless --db says otherwise: one file for each tree."""
    from platformdirs import user_cache_path

    # Two trees may have the same last folder; the digest of the whole path tells them apart.
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:12]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.name).strip(".-")[:60] or "pytorch"
    return user_cache_path("torchtalk", appauthor=False) / f"{name}-{digest}.db"


def named_database(database: Path) -> Path:
    """Where the index is that an option names. A link stays a link: the file that it leads to is what is replaced.

    Args:
        database: what --db says.
    """
    path = database.expanduser().absolute()
    return path.resolve() if path.is_symlink() else path


def find_database(database: Path | None = None, source: Path | None = None) -> Path:
    """The index that is meant: --db or TORCHTALK_DB, or the default place of the tree that is meant.

    Args:
        database: what --db says.
        source: what --pytorch-source says.

    Raises:
        NoSource: no --db is given and there is no tree either.
        SettingsError: the saved settings cannot be read.
    """
    if database is not None:
        return named_database(database)
    return default_database(find_tree(source).root)


def index_command(database: Path | None, source: Path | None) -> str:
    """The command that builds an index: with the options that named it, or it would build another one.

    Args:
        database: what --db says.
        source: what --pytorch-source says.
    """
    tree = f" --pytorch-source {shlex.quote(str(source))}" if source is not None else ""
    file = f" --db {shlex.quote(str(database))}" if database is not None else ""
    return f"torchtalk index{tree}{file}"


def _unreadable(path: Path, why: object) -> SettingsError:
    return SettingsError(
        f"cannot read the settings in {path} ({why}); remove them with: torchtalk init --forget"
    )
