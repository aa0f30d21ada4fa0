"""The examples in the documentation: found, run, and brought up to date.

    python -m tests.docs.examples --db FILE docs/tools.md …    rewrites the answers from an index

An example is a `console` block whose first line is `$ torchtalk …`; `| head -n N` may follow.
A comment `<!-- fixture -->` before it says that it is asked of the embedded tree; others are
asked of PyTorch 2.6.0.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from torchtalk.cli.group import cli as main

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])

_BLOCK = re.compile(
    r"(?P<mark><!-- fixture -->\n)?```console\n\$ (?P<command>[^\n]+)\n(?P<answer>.*?)```",
    re.DOTALL,
)


@dataclass(frozen=True)
class Example:
    """One example.

    Args:
        document: its file.
        command: what stands behind the `$`.
        answer: what the document shows.
        fixture: whether it is asked of the embedded tree.
    """

    document: Path
    command: str
    answer: str
    fixture: bool


def examples(document: Path) -> Iterator[Example]:
    """The examples of a document, in order."""
    for match in _BLOCK.finditer(document.read_text(encoding="utf-8")):
        yield Example(document, match["command"], match["answer"], match["mark"] is not None)


def run(command: str, db: Path) -> str:
    """What a command prints when it is asked of an index.

    Args:
        command: `torchtalk …`, behind which `| head -n N` may stand.
        db: file of the index.

    Raises:
        Exception: whatever the command raises, but for its exit code.
    """
    text, _, pipe = command.partition(" | head -n ")
    words = shlex.split(text)
    assert words[0] == "torchtalk", command
    result = CliRunner().invoke(main, [*words[1:], "--db", str(db)], prog_name="torchtalk")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    lines = result.output.splitlines()
    if pipe:
        lines = lines[: int(pipe)]
    return "".join(f"{line}\n" for line in lines)


def refresh(document: Path, db: Path) -> None:
    """Rewrite the answers of the examples that are asked of PyTorch.

    Args:
        document: file with the examples.
        db: file of an index of PyTorch.
    """

    def answer(match: re.Match[str]) -> str:
        if match["mark"]:
            return match[0]
        return f"```console\n$ {match['command']}\n{run(match['command'], db)}```"

    text = document.read_text(encoding="utf-8")
    document.write_text(_BLOCK.sub(answer, text), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, required=True)
    parser.add_argument("documents", type=Path, nargs="+")
    arguments = parser.parse_args()
    for path in arguments.documents:
        refresh(path, arguments.db)
