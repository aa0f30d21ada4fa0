"""The folder where snapshots are kept: one file each, named by its snapshot."""

from __future__ import annotations

import glob
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from indexer.scan.tree import SourceTree
from indexer.snapshot.archive import ENDING, Archive, kept_as, write_archive
from indexer.snapshot.databases import check_and_upgrade, describe, move_to_tree, opened
from indexer.snapshot.errors import CannotKeep, NoSuchSnapshot, Refused, SnapshotError
from indexer.snapshot.manifest import Manifest
from indexer.target import building_lock, is_foreign, sweep

STORE_VARIABLE = "TORCHTALK_SNAPSHOTS"
"""Environment variable that names another store."""

# No separators and no leading dot: a name is never a path.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")


@dataclass(frozen=True)
class Kept:
    """A snapshot of the store.

    Args:
        name: in the store.
        path: of its file.
        size: of the file, in bytes.
        manifest: None where the file cannot be used; `problem` says why.
        problem: empty where all is well.
        replaced: whether it has just taken the place of another of this name.
    """

    name: str
    path: Path
    size: int
    manifest: Manifest | None
    problem: str = ""
    replaced: bool = False


def default_store() -> Path:
    """TORCHTALK_SNAPSHOTS, or a folder among the user's data."""
    from platformdirs import user_data_path

    named = os.environ.get(STORE_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    return user_data_path("torchtalk", appauthor=False) / "snapshots"


class Store:
    """Snapshots in a folder.

    Args:
        folder: need not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Where a snapshot of this name is kept.

        Raises:
            NoSuchSnapshot: the name cannot be one.
        """
        if _NAME.fullmatch(name) is None:
            raise NoSuchSnapshot(
                f"{name[:120]!r} cannot be a snapshot's name: letters, digits and . _ + - only, "
                "at most 100"
            )
        return self.folder / f"{name}{ENDING}"

    def kept(self) -> list[Kept]:
        """What is kept, by name; a file that cannot be used is listed with its problem."""
        found = []
        for path in sorted(self.folder.glob(f"*{ENDING}")):
            name = path.name.removesuffix(ENDING)
            if _NAME.fullmatch(name) is None:
                continue
            try:
                size = path.stat().st_size
                with Archive(path) as archive:
                    found.append(Kept(name, path, size, archive.manifest))
            except FileNotFoundError:
                continue  # deleted meanwhile
            except SnapshotError as error:
                found.append(Kept(name, path, 0, None, str(error)))
        return found

    def save(self, database: Path, tree: SourceTree | None, name: str | None = None) -> Kept:
        """Keep an index as it is now.

        Args:
            database: the index.
            tree: that it was made from, if it is here.
            name: None makes one of the version and the content.

        Raises:
            SnapshotError: the index cannot be read, or the store not be written.
        """
        with opened(database) as (conn, file):
            manifest = describe(conn, file, tree)
            name = manifest.default_name if name is None else name
            target = self.path(name)
            replaced = target.exists()
            write_archive(manifest, file, target)
        return Kept(name, target, target.stat().st_size, manifest, replaced=replaced)

    def take_in(self, source: Path, name: str | None = None) -> Kept:
        """Keep a snapshot that came as a file, once it has been checked in full.

        Args:
            source: the file.
            name: what to call it; None for its version and content.

        Raises:
            SnapshotError: it cannot be used, or the store not be written.
        """
        with Archive(source) as archive:
            manifest = archive.manifest
            name = manifest.default_name if name is None else name
            target = self.path(name)
            replaced = target.exists()
            with kept_as(target) as copy:
                self._check(archive, copy.with_name(f"{copy.name}.db"))
                shutil.copyfile(source, copy)
                # What was checked is what was copied, though the source may change.
                with Archive(copy) as again:
                    if again.manifest != manifest:
                        raise Refused(f"{source} changed while it was read; try again")
        return Kept(name, target, target.stat().st_size, manifest, replaced=replaced)

    def delete(self, name: str) -> None:
        """Remove a snapshot.

        Args:
            name: of the snapshot.

        Raises:
            NoSuchSnapshot: there is none.
            CannotKeep: the folder refuses.
        """
        path = self.path(name)
        try:
            path.unlink()
        except FileNotFoundError as error:
            raise NoSuchSnapshot(self.none(name)) from error
        except OSError as error:
            raise CannotKeep(f"cannot remove {path}: {error.strerror or error}") from error

    def load(self, name: str, target: Path, tree: SourceTree | None) -> tuple[Manifest, list[str]]:
        """Put a snapshot's index in its place; readers see the old file or the new one.

        Args:
            name: of the snapshot.
            target: the database's place; another file there is left alone.
            tree: that it will answer for on this machine.

        Returns:
            The manifest, and the migrations that were applied.

        Raises:
            SnapshotError: it cannot be used, or the place not be written.
            BusyError: an index is being built there.
        """
        path = self.path(name)
        if not path.is_file():
            raise NoSuchSnapshot(self.none(name))
        with Archive(path) as archive, building_lock(target):
            refuse_other_files(target)
            sweep(target)
            with kept_as(target) as temporary:
                archive.unpack(temporary)
                applied = self._checked(archive, temporary)
                if tree is not None:
                    move_to_tree(temporary, tree)
            return archive.manifest, applied

    def _check(self, archive: Archive, place: Path) -> None:
        """Unpack an archive's database to see whether it can be used."""
        try:
            archive.unpack(place)
            self._checked(archive, place)
        finally:
            for left in self.folder.glob(f"{glob.escape(place.name)}*"):
                left.unlink(missing_ok=True)

    @staticmethod
    def _checked(archive: Archive, place: Path) -> list[str]:
        try:
            return check_and_upgrade(place, archive.manifest)
        except Refused as error:
            raise Refused(f"{archive.path} cannot be used: {error}") from error

    def none(self, name: str) -> str:
        """What to say where there is no snapshot of a name."""
        names = [kept.name for kept in self.kept()]
        there = f"there are: {', '.join(names[:20])}" if names else "there are none"
        return f"there is no snapshot {name!r} in {self.folder}; {there}"


def refuse_other_files(target: Path) -> None:
    """Leave alone what is not an index of ours.

    Args:
        target: where an index is about to be put.

    Raises:
        CannotKeep: another file, or a folder, stands there.
    """
    if target.is_dir():
        raise CannotKeep(f"cannot replace {target}: it is a folder")
    if is_foreign(target):
        raise CannotKeep(
            f"{target} is not a torchtalk index and was left alone; remove it, or give another --db"
        )
