"""`torchtalk snapshot`: keep indexes, send them to other machines, start from the nearest one."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from torchtalk.cli import exits
from torchtalk.cli.options import source_and_database
from torchtalk.cli.run import Failure, write

if TYPE_CHECKING:
    from indexer.scan.tree import SourceTree
    from indexer.snapshot.manifest import Manifest
    from indexer.snapshot.store import Kept, Store

_store_option = click.option(
    "--store", "folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Where snapshots are kept.  [default: TORCHTALK_SNAPSHOTS, else a folder among the "
    "user's data]",
)  # fmt: skip
_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("snapshot", short_help="Keep, send and load finished indexes")
def command() -> None:
    """Keep finished indexes, send them to other machines, and start from the nearest one.

    A snapshot is one .tar.gz: a manifest and the database. Its paths are relative to the tree,
    so it answers for any checkout of the same content.
    """


@command.command("save", epilog=exits.SNAPSHOT_EPILOG, short_help="Keep the present index")
@click.argument("name", required=False)
@source_and_database
@_store_option
@_json_option
def save(
    name: str | None,
    database: Path | None,
    source: Path | None,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Keep the present index as NAME, by default its version and content.
    \f
    Args:
        name: NAME, or None.
        database: --db.
        source: --pytorch-source.
        folder: where snapshots are kept; None for the default.
        as_json: print JSON.
    """
    with _failures():
        path, tree = _places(database, source)
        _say("saved", _store(folder).save(path, tree, name), as_json)
    return exits.FOUND


@command.command("list", epilog=exits.SNAPSHOT_EPILOG, short_help="What is kept")
@_store_option
@_json_option
def list_(folder: Path | None, as_json: bool) -> int:
    """List the snapshots that are kept, with what each was made from.
    \f
    Args:
        folder: where snapshots are kept; None for the default.
        as_json: print JSON.
    """
    store = _store(folder)
    with _failures():
        kept = store.kept()
    if as_json:
        write(json.dumps([_as_json(each) for each in kept], indent=2))
    elif kept:
        write(f"{len(kept)} in {store.folder}\n" + "\n".join(map(_line, kept)))
    else:
        write(f"nothing is kept in {store.folder}; keep an index with: torchtalk snapshot save")
    return exits.FOUND if kept else exits.NOTHING_FOUND


@command.command("delete", epilog=exits.SNAPSHOT_EPILOG, short_help="Remove snapshots")
@click.argument("names", nargs=-1, required=True)
@_store_option
def delete(names: tuple[str, ...], folder: Path | None) -> int:
    """Remove the snapshots NAMES.
    \f
    Args:
        names: of snapshots that are kept.
        folder: where they are; None for the default.
    """
    with _failures():
        for name in names:
            _store(folder).delete(name)
            write(f"deleted {name}")
    return exits.FOUND


@command.command("export", epilog=exits.SNAPSHOT_EPILOG, short_help="Write one file to send")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--snapshot", "name", metavar="NAME", help="One that is kept, not the present index.")
@source_and_database
@_store_option
@_json_option
def export(
    file: Path,
    name: str | None,
    database: Path | None,
    source: Path | None,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Write the present index, or a snapshot that is kept, to FILE (.tar.gz).
    \f
    Args:
        file: to be written.
        name: of a snapshot that is kept; None for the present index.
        database: --db.
        source: --pytorch-source.
        folder: where snapshots are kept; None for the default.
        as_json: print JSON.
    """
    from indexer.snapshot.send import export_index, export_kept

    with _failures():
        file = file.absolute()
        if name is not None:
            manifest = export_kept(_store(folder), name, file)
        else:
            path, tree = _places(database, source)
            manifest = export_index(path, tree, file)
        _say_file("exported", file, manifest, as_json)
    return exits.FOUND


@command.command("import", epilog=exits.SNAPSHOT_EPILOG, short_help="Check a file and keep it")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--name", help="What to call it.  [default: its version and content]")
@_store_option
@_json_option
def import_(file: Path, name: str | None, folder: Path | None, as_json: bool) -> int:
    """Check FILE in full and keep it; `torchtalk snapshot load` puts it to use.
    \f
    Args:
        file: a snapshot.
        name: to keep it under; None for its own.
        folder: where snapshots are kept; None for the default.
        as_json: print JSON.
    """
    with _failures():
        _say("imported", _store(folder).take_in(file.absolute(), name), as_json)
    return exits.FOUND


@command.command("load", epilog=exits.SNAPSHOT_EPILOG, short_help="Put a snapshot to use")
@click.argument("name", required=False)
@click.option(
    "--nearest", "is_nearest", is_flag=True,
    help="The one with the tree's content, else its commit, else the nearest ancestor's; then "
    "update it to the tree.",
)  # fmt: skip
@click.option("--no-update", is_flag=True, help="Leave the nearest one as it is.")
@click.option(
    "--workers", type=click.IntRange(0, 256), metavar="N",
    help="For the update, as for `torchtalk index`.",
)  # fmt: skip
@source_and_database
@_store_option
def load(
    name: str | None,
    is_nearest: bool,
    no_update: bool,
    workers: int | None,
    database: Path | None,
    source: Path | None,
    folder: Path | None,
) -> int:
    """Make the snapshot NAME, or the nearest one, the index that is asked.

    It takes the place of the index that is there; whoever asks meanwhile gets answers from the
    old one.
    \f
    Args:
        name: of a snapshot that is kept; None with --nearest.
        is_nearest: take that with the tree's content, else of its commit, else of the nearest ancestor's.
        no_update: leave the nearest one as it is, instead of bringing it up to date.
        workers: processes that bring it up to date; None for one a core.
        database: --db.
        source: --pytorch-source.
        folder: where snapshots are kept; None for the default.

    Raises:
        click.UsageError: both a name and --nearest are given, or neither.
    """
    if (name is not None) == is_nearest:
        raise click.UsageError("give a NAME, or --nearest")
    store = _store(folder)
    with _failures():
        if name is not None:
            path, tree = _places(database, source)
            # A tree that is only configured need not be the one that --db is about.
            own = tree if database is None or source is not None else None
            manifest, applied = store.load(name, path, own)
            write("\n".join(_loaded(name, path, manifest, applied)))
            return exits.FOUND
        return _load_nearest(store, database, source, no_update, workers)


def _load_nearest(
    store: Store,
    database: Path | None,
    source: Path | None,
    no_update: bool,
    workers: int | None,
) -> int:
    from indexer.snapshot.nearest import nearest
    from torchtalk.config import default_database, find_tree, named_database

    tree = find_tree(source)
    path = default_database(tree.root) if database is None else named_database(database)
    chosen = nearest(store.kept(), tree)
    manifest, applied = store.load(chosen.kept.name, path, tree)
    lines = _loaded(chosen.kept.name, path, manifest, applied)
    how = {
        "content": "it has exactly the tree's content",
        "commit": "it is of the tree's commit, and files differ from it",
        "ancestor": f"it is of the nearest ancestor, {chosen.commits} commits before the tree's",
    }[chosen.how]
    write("\n".join([*lines, f"  nearest:  {how}"]))
    if chosen.how == "content" or no_update:
        return exits.FOUND
    return _update(tree, path, manifest.layers, workers)


def _update(tree: SourceTree, path: Path, layers: tuple[str, ...], workers: int | None) -> int:
    from torchtalk.cli.index import command as index_command

    arguments = ["--pytorch-source", str(tree.root), "--db", str(path)]
    # Other layers would mean a full build.
    if layers:
        arguments += ["--layers", ",".join(layers)]
    if workers is not None:
        arguments += ["--workers", str(workers)]
    result = index_command.main(arguments, prog_name="torchtalk index", standalone_mode=False)
    return int(result or 0)


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    """Every ending that was thought of is one line and an exit code."""
    from indexer.errors import BuildError
    from indexer.snapshot.errors import SnapshotError
    from torchtalk.config import NoSource, SettingsError
    from torchtalk.dbfile import SqliteTooOld

    try:
        yield
    except (NoSource, SettingsError) as error:
        raise Failure(error, exits.NO_SOURCE) from error
    except SqliteTooOld as error:
        raise Failure(error, exits.NO_INDEX) from error
    except (SnapshotError, BuildError) as error:
        raise Failure(error, error.exit_code) from error


def _store(folder: Path | None) -> Store:
    from indexer.snapshot.store import Store, default_store

    return Store(default_store() if folder is None else folder.expanduser().absolute())


def _places(database: Path | None, source: Path | None) -> tuple[Path, SourceTree | None]:
    """The index that is meant, and the tree if one is known; --db alone needs none."""
    from torchtalk.config import NoSource, default_database, find_tree, named_database

    try:
        tree = find_tree(source)
    except NoSource:
        if database is None or source is not None:
            raise
        return named_database(database), None
    if database is None:
        return default_database(tree.root), tree
    return named_database(database), tree


def _say(done: str, kept: Kept, as_json: bool) -> None:
    if as_json:
        write(json.dumps(_as_json(kept), indent=2))
    else:
        instead = ", in place of the one that was kept by this name" if kept.replaced else ""
        write(f"{done} {kept.name}{instead}\n  file:     {kept.path}\n{_line(kept)}")


def _say_file(done: str, file: Path, manifest: Manifest, as_json: bool) -> None:
    from indexer.snapshot.store import Kept

    kept = Kept(manifest.default_name, file, file.stat().st_size, manifest)
    if as_json:
        write(json.dumps(_as_json(kept), indent=2))
    else:
        write(f"{done} {file}\n{_line(kept)}")


def _as_json(kept: Kept) -> dict[str, Any]:
    return {**dataclasses.asdict(kept), "path": str(kept.path)}


def _line(kept: Kept) -> str:
    manifest = kept.manifest
    if manifest is None:
        return f"  {kept.name}: cannot be used: {kept.problem}"
    origin = manifest.fingerprint[:16]
    if manifest.git_commit:
        origin = f"commit {manifest.git_commit[:12]}"
        if manifest.changed_files:
            origin += f" and {manifest.changed_files} changed files"
    return (
        f"  {kept.name}: PyTorch {manifest.torch_version or 'of unknown version'}, {origin}, "
        f"{manifest.built_at}, {kept.size / 1e6:.1f} MB, schema {manifest.schema_version}, "
        f"{', '.join(manifest.layers)}"
    )


def _loaded(name: str, path: Path, manifest: Manifest, applied: list[str]) -> list[str]:
    version = manifest.torch_version or "of unknown version"
    lines = [
        f"loaded {name}: PyTorch {version}, {manifest.fingerprint}",
        f"  database: {path}",
    ]
    if applied:
        lines.append(f"  upgraded: {', '.join(applied)}")
    return lines
