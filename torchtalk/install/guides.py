"""The guides' files: where they stand here, and what an agent calls them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).resolve().parent
# A wheel carries them beside this package; a checkout has them at its root, as a plugin does.
_PLACES = (_HERE / "_guides", _HERE.parents[1])
_FOLDERS = ("skills", "commands", "agents")


@dataclass(frozen=True)
class Guide:
    """One file.

    Args:
        path: below the guides' root: `skills/x/SKILL.md`.
        text: its content.
    """

    path: str
    text: str

    @property
    def body(self) -> str:
        """The text without its front matter."""
        return (
            self.text.split("---\n", 2)[-1].lstrip("\n")
            if self.text.startswith("---\n")
            else self.text
        )

    @property
    def description(self) -> str:
        """What the front matter says it is for; empty where it says nothing."""
        if self.text.startswith("---\n"):
            for line in self.text.split("---\n", 2)[1].splitlines():
                if line.startswith("description:"):
                    return line.partition(":")[2].strip()
        return ""


def guides_root() -> Path:
    """The folder that holds `skills`, `commands` and `agents`.

    Raises:
        FileNotFoundError: this installation lacks them.
    """
    for place in _PLACES:
        if (place / "skills").is_dir():
            return place
    raise FileNotFoundError(
        "the guides are missing from this installation of torchtalk; reinstall it"
    )


def guides() -> list[Guide]:
    """Every guide, in the order of their paths."""
    root = guides_root()
    return [
        Guide(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
        for folder in _FOLDERS
        for path in sorted((root / folder).rglob("*.md"))
    ]
