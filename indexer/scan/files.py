"""The files of a tree: which there are, of what kind, and whether they changed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from indexer.scan.foreign import Foreign, is_copy
from indexer.scan.stamps import Stamps
from indexer.scan.tree import SourceTree

MAX_BYTES = 16 * 1024 * 1024

_KINDS = {
    ".yaml": "yaml", ".yml": "yaml",
    ".py": "python", ".pyi": "python",
    ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".c": "cpp",
    ".h": "cpp", ".hpp": "cpp", ".hh": "cpp", ".inl": "cpp",
    ".cu": "cuda", ".cuh": "cuda", ".hip": "cuda",
    ".mm": "objc", ".m": "objc",
    ".metal": "metal",
    ".glsl": "glsl",
}  # fmt: skip

_SHADERS = "/glsl/"
"""A folder whose YAML files say what is made of the shaders beside them."""

SUFFIXES = frozenset(suffix[1:] for suffix in _KINDS)
"""The endings of the files that are read, without their dots."""

# Pages of the documentation that group what they list; older versions have .rst, newer ones .md.
_PAGES = {
    f"docs/source/{page}.{ending}": "documentation"
    for page in ("nn", "optim") for ending in ("rst", "md")
}  # fmt: skip
# Newer versions keep the messages of graph breaks in a file of their own.
_PAGES["torch/_dynamo/graph_break_registry.json"] = "graph breaks"

# Folders that hold no PyTorch source of their own, by name. They are matched against the path
# below the root only: a checkout may itself live in a folder of such a name.
_NOT_SOURCE = frozenset((".git", ".hg", "__pycache__", "node_modules", ".mypy_cache"))
# At the root only: other projects' sources, and what a build leaves behind.
_NOT_SOURCE_AT_ROOT = frozenset(("third_party", "build", "dist", ".venv", "venv"))


@dataclass(frozen=True)
class SourceFile:
    """One file to be read.

    Args:
        path: relative to the tree's root, with `/`.
        kind: python, cpp, cuda, objc, metal, glsl, yaml or documentation.
        size: in bytes, when it was listed.
        mtime_ns: time of its last change, in nanoseconds.
        ctime_ns: time of the last change of its inode, in nanoseconds.
        inode: its number in the file system.
    """

    path: str
    kind: str
    size: int
    mtime_ns: int
    ctime_ns: int = 0
    inode: int = 0


@dataclass(frozen=True)
class Unreadable:
    """Something that was passed over, and why.

    Args:
        path: relative to the tree.
        reason: why, as people read it.
    """

    path: str
    reason: str


def kind_of(path: str) -> str | None:
    """The kind of file that an extractor may want, by its path; None for others."""
    ending = path[path.rfind(".") :]
    kind = _KINDS.get(ending)
    if kind is None:
        return _PAGES.get(path)
    if kind == "yaml" and _SHADERS in path:
        kind = "glsl"
    # A name of dots and an ending alone has none, as `os.path.splitext` has it, which takes three times as long.
    return kind if path[: -len(ending)].rpartition("/")[2].strip(".") else None


def list_files(tree: SourceTree, stamps: Stamps | None = None) -> Iterator[SourceFile | Unreadable]:
    """Every source file of the tree, in the order of their paths.

    Args:
        tree: to be listed.
        stamps: where to note what the files were found in, and they themselves: as long as all that is the same,
            another listing would be, too.

    Symbolic links to folders are not followed, so that loops and links out of the tree do no
    harm; a link to a file is passed over where it leads out of the tree. So is what is not PyTorch's own source:
    submodules, other repositories and further worktrees beneath the tree, copies that a build has made, others' headers
    in an installed package.
    """
    stamps = Stamps() if stamps is None else stamps
    with contextlib.suppress(OSError):
        stamps.note(str(tree.root))  # where folders may come to be that are not there yet
    foreign = Foreign(tree, stamps)
    found: list[SourceFile | Unreadable] = []
    for name in tree.folders or ("",):
        if (tree.root / name).is_dir():
            _walk(tree, foreign, name, stamps, found)
    yield from found


def is_listed(path: str) -> bool:
    """Whether a file is among those of a checkout, by its path below the root."""
    folders = path.split("/")[:-1]
    passed_over = is_copy(path) or (folders[:1] and folders[0] in _NOT_SOURCE_AT_ROOT)
    return not passed_over and _NOT_SOURCE.isdisjoint(folders) and kind_of(path) is not None


def _walk(
    tree: SourceTree,
    foreign: Foreign,
    folder: str,
    stamps: Stamps,
    found: list[SourceFile | Unreadable],
) -> None:
    """Add the files below a folder, which is named as seen from the root; empty for the root itself.

    A server walks so every few seconds, and to hand each file on from folder to folder would be an eighth of the time.
    """
    place = f"{tree.root}/{folder}"
    try:
        stamps.note(place)
        with os.scandir(place) as listing:
            children = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        found.append(_passed_over(folder or ".", error.strerror or "unreadable folder"))
        return
    are_folders = {child.name: child.is_dir(follow_symlinks=False) for child in children}
    reason = foreign.why_not(folder, are_folders)
    if reason is not None:
        found.append(_passed_over(folder, reason))
        return
    others = foreign.passes_over(folder, are_folders)
    for child in children:
        # Text, since a tree has so many files that paths as objects are half of the time.
        path = f"{folder}/{child.name}" if folder else child.name
        is_folder = are_folders[child.name]
        if is_folder and (
            child.name in _NOT_SOURCE or (not folder and child.name in _NOT_SOURCE_AT_ROOT)
        ):
            continue
        if child.name in others and (is_folder or kind_of(path) is not None):
            found.append(_passed_over(path, others[child.name]))
        elif is_folder:
            _walk(tree, foreign, path, stamps, found)
        elif (kind := kind_of(path)) is not None:
            found.append(_file(tree, child, path, kind, stamps))


def _file(
    tree: SourceTree, entry: os.DirEntry[str], path: str, kind: str, stamps: Stamps
) -> SourceFile | Unreadable:
    try:
        if entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(tree.root):
            return _passed_over(path, "a link that leads out of the tree")
        status = entry.stat()
        stamps.note(entry.path, status)
        path.encode("utf-8")
    except (OSError, RuntimeError) as error:
        return _passed_over(path, getattr(error, "strerror", None) or str(error))
    except UnicodeEncodeError:
        return _passed_over(path, "a name that is not UTF-8")
    if not path.isprintable():
        # A line feed in a path would begin a line of an answer that no tool has written.
        return _passed_over(path, "a name that is no plain text")
    if not stat.S_ISREG(status.st_mode):
        return _passed_over(path, "not a regular file")
    if status.st_size > MAX_BYTES:
        return _passed_over(path, f"larger than {MAX_BYTES // 1024**2} MiB")
    return SourceFile(
        path, kind, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
    )


def _passed_over(path: str, reason: str) -> Unreadable:
    """What is said of a path that is not read; bytes that are no text are escaped in it."""
    plain, why = (
        "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
        for text in (path, reason)
    )
    return Unreadable(plain, why)


def blob_id(data: bytes) -> str:
    """Git's id, in hexadecimal digits, of a blob whose content is `data`."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
