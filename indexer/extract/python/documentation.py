"""Pages of the documentation: what they list, and under which heading."""

from __future__ import annotations

import re
from collections.abc import Iterable

from indexer.facts.python import DocumentedName

_UNDERLINE = re.compile(r"^([-=~^\"'#*+.])\1{2,}\s*$")
_ENTRY = re.compile(r"^\s+~?!?([A-Za-z_][\w.]*)\s*$")
_DIRECTIVE = re.compile(r"^(?:\.\. |```\{|:::\{)(\w+)(?:::|\})\s*(\S*)")
_HEADING = re.compile(r"^#+\s+(.*?)\s*$")


def wants(path: str) -> bool:
    """Whether `path`, relative to the tree, is that of a page that groups modules or optimizers."""
    folder, _, name = path.rpartition("/")
    return (
        folder == "docs/source"
        and name.split(".")[0] in ("nn", "optim")
        and name.endswith((".rst", ".md"))
    )


def extract(path: str, data: bytes) -> Iterable[DocumentedName]:
    """The names in `autosummary` lists, in full by the `currentmodule` above them.

    Both shapes of the pages are read: reStructuredText, and the MyST that newer versions have.

    Args:
        path: relative to the source tree.
        data: the file's bytes.
    """
    module = section = ""
    listing = False
    previous = ""
    if not wants(path):
        return
    position = 0
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        if directive := _DIRECTIVE.match(line):
            kind, argument = directive.groups()
            listing = kind == "autosummary"
            if kind in ("currentmodule", "automodule"):
                module = argument
        elif _UNDERLINE.match(line) and previous.strip() and not previous.startswith((" ", "..")):
            section, listing = previous.strip(), False
        elif heading := _HEADING.match(line):
            section, listing = heading[1], False
        elif listing and (entry := _ENTRY.match(line) or _myst_entry(path, line)):
            yield DocumentedName(_full(module, entry[1]), section, position, number)
            position += 1
        elif line.startswith(("```", ":::")):
            listing = False
        elif kept := re.match(r"^(?:\.\. )?currentmodule:: (\S+)", line):
            module = kept[1]
        elif line.strip() and not line.startswith((" ", ":")):
            listing = False
        previous = line


def _myst_entry(path: str, line: str) -> re.Match[str] | None:
    return re.match(r"^~?([A-Za-z_][\w.]*)\s*$", line) if path.endswith(".md") else None


def _full(module: str, name: str) -> str:
    if name.startswith("torch.") or not module:
        return name
    return f"{module}.{name}"
