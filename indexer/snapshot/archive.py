"""The file that a snapshot is: a `.tar.gz` of a manifest and the database, in this order.

`tar xzf` opens it without torchtalk. It is written and read here block by block, since what comes
from elsewhere may be made to harm: no name in it is ever used as a path, nothing is read beyond
what the manifest announces, and that is bounded.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import shutil
import tarfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from indexer.replacing import leftovers, replacing
from indexer.snapshot.errors import CannotKeep, Refused
from indexer.snapshot.manifest import MAX_TEXT, Manifest, read_manifest

MANIFEST = "manifest.json"
DATABASE = "torchtalk.db"
ENDING = ".tar.gz"

_BLOCK = tarfile.BLOCKSIZE
_PIECE = 1 << 20
_LEVEL = 6
# A database packs to about a quarter of its size; gzip's own bound is a thousand.
_MOST_RATIO = 100
_STALE = 86_400  # seconds
_MOST_TAIL = 1 << 20  # bytes of zeros that tar may leave at the end


def write_archive(manifest: Manifest, database: IO[bytes], target: Path) -> None:
    """Write a snapshot's file; it gets its name when it is whole.

    Args:
        manifest: of the database.
        database: open at its beginning.
        target: where to; a file that is there is replaced.

    Raises:
        CannotKeep: it cannot be written; what was there stands as it was.
    """
    text = manifest.to_bytes()
    with kept_as(target) as temporary, temporary.open("wb") as file:
        # Neither a name nor a time in the header: the same index gives the same bytes.
        with gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as packed:
            packed.write(_header(MANIFEST, len(text)) + text + _padding(len(text)))
            packed.write(_header(DATABASE, manifest.size))
            left = manifest.size
            while left and (piece := database.read(min(left, _PIECE))):
                packed.write(piece)
                left -= len(piece)
            if left:
                raise CannotKeep("the index became shorter while it was read; try again")
            packed.write(_padding(manifest.size) + bytes(2 * _BLOCK))
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def kept_as(target: Path) -> Iterator[Path]:
    """A path beside `target` whose file takes its place when the block ends well.

    What a process left there that was killed is removed after a day: nobody writes one for so long.

    Raises:
        CannotKeep: the folder refuses; what was there stands as it was.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for left in leftovers(target):
            if left.stat().st_mtime < time.time() - _STALE:
                left.unlink()
        with replacing(target) as temporary:
            yield temporary
    except OSError as error:
        raise CannotKeep(
            f"cannot write {target}: {error.strerror or error}; nothing was changed"
        ) from error


def _header(name: str, size: int) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.size = size
    return entry.tobuf(tarfile.GNU_FORMAT)


def _padding(size: int) -> bytes:
    return bytes(-size % _BLOCK)


class Archive:
    """A snapshot's file that is being read; its manifest is known when it is open.

    Args:
        path: of the file.

    Raises:
        Refused: it is no snapshot, or its manifest does not hold.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise Refused(f"cannot read {path}: {error.strerror or error}") from error
        self._packed = gzip.GzipFile(fileobj=self._file)
        try:
            self.manifest = self._read_manifest()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._packed.close()
        self._file.close()

    def _read_manifest(self) -> Manifest:
        try:
            with self._read_errors():
                size = self._entry(MANIFEST)
                if size > MAX_TEXT:
                    raise Refused("its manifest is too long")
                manifest = read_manifest(self._exactly(size))
                self._exactly(-size % _BLOCK)
                if self._entry(DATABASE) != manifest.size:
                    raise Refused("its database is not as long as its manifest says")
                packed = os.fstat(self._file.fileno()).st_size
                if manifest.size > _MOST_RATIO * packed:
                    # The rest of a download is missing, or else somebody means harm.
                    raise Refused(
                        f"it ends too early, or would unpack to far more than an index can: {packed / 1e6:.1f} MB "
                        f"for a database of {manifest.size / 1e6:.1f} MB"
                    )
        except Refused as error:
            raise Refused(f"{self.path} is not a snapshot that can be used: {error}") from error
        return manifest

    def unpack(self, target: Path) -> None:
        """Write the database to a file and check it against the manifest; once for each archive.

        Args:
            target: is created, or overwritten; not in use by anybody.

        Raises:
            Refused: the archive is damaged.
            CannotKeep: there is no room for it.
            OSError: the file cannot be written.
        """
        digest = hashlib.sha256()
        left = self.manifest.size
        free = shutil.disk_usage(target.parent).free
        if left > free:
            raise CannotKeep(
                f"{target.parent} has {free / 1e6:.0f} MB left, and the index takes "
                f"{left / 1e6:.0f} MB"
            )
        try:
            with target.open("wb") as file:
                while left:
                    with self._read_errors():
                        piece = self._exactly(min(left, _PIECE))
                    file.write(piece)
                    digest.update(piece)
                    left -= len(piece)
                file.flush()
                os.fsync(file.fileno())
            with self._read_errors():
                self._end()
            if digest.hexdigest() != self.manifest.sha256:
                raise Refused("the checksum of its database is another one")
        except Refused as error:
            raise Refused(f"{self.path} is damaged: {error}") from error

    def _end(self) -> None:
        """Read up to gzip's own checksum: nothing but zeros, and not many."""
        self._exactly(-self.manifest.size % _BLOCK)
        tail = self._packed.read(_MOST_TAIL + 1)
        if len(tail) > _MOST_TAIL or tail.strip(b"\0"):
            raise Refused("something stands behind its database")

    def _entry(self, name: str) -> int:
        """The size of the next member, which must be a plain file of this name."""
        try:
            entry = tarfile.TarInfo.frombuf(self._exactly(_BLOCK), "ascii", "replace")
        except tarfile.TarError as error:
            raise Refused("it is no tar file") from error
        if entry.name != name or entry.type != tarfile.REGTYPE or entry.size < 0:
            raise Refused(f"{name} was expected, and {entry.name!r:.80} stands there")
        return entry.size

    def _exactly(self, size: int) -> bytes:
        data = self._packed.read(size)
        if len(data) < size:
            raise Refused("it ends too early")
        return data

    @contextlib.contextmanager
    def _read_errors(self) -> Iterator[None]:
        try:
            yield
        except EOFError as error:
            raise Refused("it ends too early") from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise Refused(f"it is not what gzip wrote ({error})") from error
        except OSError as error:
            raise Refused(f"it cannot be read ({error.strerror or error})") from error
