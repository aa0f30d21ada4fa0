"""The parts of the guides that are made from the registry of tools and from an index.

Run as `python -m torchtalk.install.reference --db FILE [--check]`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from torchtalk.db import connect
from torchtalk.install.guides import guides_root
from torchtalk.tools import all_tools

TOOLS_GUIDE = "skills/torchtalk-analyzer/SKILL.md"
REFERENCE = "skills/torch-compile-overview/reference.md"
_MARKED = re.compile(r"(<!-- torchtalk: tools -->\n).*?(<!-- torchtalk: end -->)", re.DOTALL)
_FOLDERS = (
    "torch/_dynamo/",
    "torch/_inductor/",
    "torch/_functorch/",
    "torch/_logging/",
    "torch/compiler/",
)
_MOST = 160
_SENTENCE = re.compile(r"(?<=[a-z0-9)`'\"])\. ")


def with_tools(text: str) -> str:
    """A guide, `text`, with its table of tools brought up to date; as it was where it has no such table."""
    rows = [(f"`{tool.name}`", tool.description) for tool in all_tools().values()]
    table = "\n".join(_table(("tool", "answers"), rows))
    return _MARKED.sub(lambda match: f"{match[1]}{table}\n{match[2]}", text)


def reference(conn: sqlite3.Connection) -> str:
    """The reference of torch.compile's logs, artifacts, variables and options.

    Args:
        conn: an index of the version that it is to describe.
    """
    version = conn.execute("SELECT value FROM meta WHERE key = 'torch_version'").fetchone()
    lines = [
        "# What torch.compile can be told",
        "",
        f"Made from the index of PyTorch {version[0] if version else '?'} by"
        " `python -m torchtalk.install.reference`; do not edit. Other versions differ: ask"
        " `compile_options` for what the indexed one has, with places and whole descriptions.",
        "",
        "## Logs (`TORCH_LOGS`)",
        "",
        *_table(("name", "messages of"), _rows(conn, "log", "details")),
        "",
        "## Artifacts (`TORCH_LOGS`)",
        "",
        *_table(("name", "on", "what"), _artifacts(conn)),
        "",
        "## Environment variables",
        "",
        *_table(("name", "default", "what"), _variables(conn)),
    ]
    for module, rows in _options(conn).items():
        lines += ["", f"## `{module}`", "", *_table(("option", "default", "what"), rows)]
    return "\n".join(lines) + "\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def _first(text: str | None) -> str:
    """The first sentence, of bounded length."""
    sentence = _SENTENCE.split(" ".join((text or "").split()), maxsplit=1)[0]
    return sentence if len(sentence) <= _MOST else sentence[: _MOST - 1] + "…"


def _code(text: str | None) -> str:
    text = _first(text).replace("`", "'")
    return f"`{text}`" if text else ""


def _rows(conn: sqlite3.Connection, kind: str, column: str) -> Iterator[tuple[str, ...]]:
    rows = conn.execute(
        f"SELECT name, {column} FROM compile_options WHERE kind = ? ORDER BY name, id",
        (kind,),
    )
    for name, text in rows:
        yield f"`{name}`", _first(text)


def _artifacts(conn: sqlite3.Connection) -> Iterator[tuple[str, ...]]:
    rows = conn.execute(
        "SELECT name, default_value, description FROM compile_options WHERE kind = 'artifact' ORDER BY name, id"
    )
    for name, on, text in rows:
        yield f"`{name}`", "by name only" if on == "off" else "with its log", _first(text)


def _variables(conn: sqlite3.Connection) -> Iterator[tuple[str, ...]]:
    rows = conn.execute(
        "SELECT name, file, default_value, description FROM v_compile_options"
        " WHERE kind = 'env' ORDER BY name, file, line"
    )
    seen: set[str] = set()
    for name, file, default, text in rows:
        if (
            file.startswith(_FOLDERS)
            and name.startswith(("TORCH", "PYTORCH", "AOT"))
            and name not in seen
        ):
            seen.add(name)
            yield f"`{name}`", _code(default), _first(text)


def _options(conn: sqlite3.Connection) -> dict[str, list[tuple[str, ...]]]:
    rows = conn.execute(
        "SELECT name, file, default_value, description FROM v_compile_options WHERE kind = 'config' ORDER BY name"
    )
    found: dict[str, list[tuple[str, ...]]] = {}
    for name, file, default, text in rows:
        module = file.removesuffix(".py").replace("/", ".")
        option = name.removeprefix(f"{module}.")
        if file.startswith(_FOLDERS) and not option.startswith("_"):
            found.setdefault(module, []).append((f"`{option}`", _code(default), _first(text)))
    return found


def outdated(root: Path, conn: sqlite3.Connection | None) -> dict[Path, str]:
    """Files of the guides whose made parts are not as they should be, with what they should be.

    Args:
        root: the folder that holds the guides.
        conn: an index; without one only the table of tools is looked at.
    """
    guide = root / TOOLS_GUIDE
    wanted = {guide: with_tools(guide.read_text(encoding="utf-8"))}
    if conn is not None:
        wanted[root / REFERENCE] = reference(conn)
    return {
        path: text for path, text in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }  # fmt: skip


@click.command()
@click.option(
    "--db",
    type=click.Path(path_type=Path, exists=True),
    help="An index of the version to describe.",
)
@click.option("--check", is_flag=True, help="Change nothing; fail if something would change.")
def main(db: Path | None, check: bool) -> None:
    """Bring the guides' tables up to date.
    \f
    Args:
        db: an index of the version to describe; None to leave the reference as it is.
        check: change nothing.

    Raises:
        SystemExit: with code 1, where something would change and `check` is asked for.
    """
    root = guides_root()
    changed = outdated(root, connect(db) if db is not None else None)
    for path, text in changed.items():
        click.echo(f"{'outdated' if check else 'written'}: {path.relative_to(root)}")
        if not check:
            path.write_text(text, encoding="utf-8")
    if check and changed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
