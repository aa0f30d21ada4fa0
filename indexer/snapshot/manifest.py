"""What a snapshot says of itself: read from strangers, so every field is checked."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass
from typing import Any

from indexer.snapshot.errors import Refused

FORMAT = 1
"""Version of the archive's layout; the database's own is `schema_version`."""

MAX_TEXT = 16_384
"""Most bytes of a manifest."""

MAX_DATABASE = 2 << 30
"""Most bytes of a database; a whole PyTorch comes to some 200 MB."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_GIT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_MAX_FIELD = 500


@dataclass(frozen=True)
class Manifest:
    """A snapshot's description.

    Args:
        content: SHA-256 over the paths and contents of the files that were indexed.
        fingerprint: the same for people: `git:TREE`, `git:TREE+CHANGES` with uncommitted
            changes, or `content:…` outside a repository.
        git_commit: that was checked out, or None.
        git_tree: git's id of that commit's tree, or None.
        changed_files: how many of the indexed files differ from that commit; None if not known.
        torch_version: of the tree, or None.
        layers: names of the layers that were built, in order.
        schema_version: of the database.
        size: of the database, in bytes.
        sha256: of the database.
        built_at: when, in ISO 8601.
        built_by: which torchtalk.
    """

    content: str
    fingerprint: str
    git_commit: str | None
    git_tree: str | None
    changed_files: int | None
    torch_version: str | None
    layers: tuple[str, ...]
    schema_version: int
    size: int
    sha256: str
    built_at: str
    built_by: str

    @property
    def default_name(self) -> str:
        """What it is called in the store unless somebody gives it a name."""
        version = re.sub(r"[^A-Za-z0-9.]+", "-", self.torch_version or "").strip("-.") or "pytorch"
        return f"{version[:40]}-{self.content[:12]}"

    def to_bytes(self) -> bytes:
        """The manifest as JSON."""
        values = {"format": FORMAT, **dataclasses.asdict(self)}
        return (json.dumps(values, indent=1, ensure_ascii=True) + "\n").encode("ascii")


def read_manifest(data: bytes) -> Manifest:
    """Read a manifest.

    Args:
        data: its JSON, from wherever it came.

    Raises:
        Refused: it is not one, or of a newer format.
    """
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Refused("its manifest is not JSON") from error
    if not isinstance(values, dict) or not _is_number(values.get("format"), 1, 1 << 31):
        raise Refused("its manifest is not one of torchtalk's")
    if values["format"] > FORMAT:
        raise Refused(
            f"it was written by a newer torchtalk (format {values['format']}, this one reads "
            f"{FORMAT}); upgrade torchtalk"
        )
    fields = {name: values.get(name) for name in _CHECKS}
    for name, check in _CHECKS.items():
        if not check(fields[name]):
            raise Refused(f"its manifest has an impossible {name}: {fields[name]!r:.80}")
    layers: Any = fields["layers"]
    return Manifest(**{**fields, "layers": tuple(layers)})  # type: ignore[arg-type]


def _is_number(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _MAX_FIELD and value.isprintable()


def _is_sha256(value: object) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _is_git_id(value: object) -> bool:
    return value is None or (isinstance(value, str) and _GIT_ID.fullmatch(value) is not None)


def _are_names(value: object) -> bool:
    return isinstance(value, list) and len(value) <= 50 and all(map(_is_text, value))


_CHECKS = {
    "content": _is_sha256,
    "fingerprint": _is_text,
    "git_commit": _is_git_id,
    "git_tree": _is_git_id,
    "changed_files": lambda value: value is None or _is_number(value, 0, 1 << 40),
    "torch_version": lambda value: value is None or _is_text(value),
    "layers": _are_names,
    "schema_version": lambda value: _is_number(value, 1, 1 << 31),
    "size": lambda value: _is_number(value, 512, MAX_DATABASE),
    "sha256": _is_sha256,
    "built_at": _is_text,
    "built_by": _is_text,
}
