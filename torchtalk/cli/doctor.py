"""`torchtalk doctor`: is all well, and what is to be done?"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchtalk.cli import exits
from torchtalk.cli.options import source_and_database
from torchtalk.cli.run import write

if TYPE_CHECKING:
    from torchtalk.doctor.findings import Finding

_EPILOG = """\b
Exit codes:
  0    nothing fails; a warning names something that one can do without
  1    something fails: the line below it says what to do
  2    a wrong option
"""


@click.command("doctor", epilog=_EPILOG, short_help="Check that all is well, and say what to do")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@source_and_database
def command(database: Path | None, source: Path | None, as_json: bool) -> int:
    """Check Python, SQLite, libclang, the tree, the index and the MCP server.

    Each line says ok, warn or fail, and what to do.
    \f
    Args:
        database: --db.
        source: --pytorch-source.
        as_json: print all findings at the end, as JSON.

    Returns:
        The exit code: `exits.UNWELL` where something fails.
    """
    findings = []
    for finding in _findings(database, source):
        findings.append(finding)
        if not as_json:
            write(str(finding))
    counts = {
        status: sum(finding.status == status for finding in findings)
        for status in ("ok", "warn", "fail")
    }
    if as_json:
        found = [dataclasses.asdict(finding) for finding in findings]
        write(json.dumps({"findings": found, **counts}, indent=2, ensure_ascii=False))
    else:
        write(", ".join(f"{number} {status}" for status, number in counts.items()))
    return exits.UNWELL if counts["fail"] else exits.FOUND


def _findings(database: Path | None, source: Path | None) -> Iterator[Finding]:
    from torchtalk.doctor.findings import FAIL
    from torchtalk.doctor.handshake import handshake
    from torchtalk.doctor.index import index, tree
    from torchtalk.doctor.machine import machine

    yield from machine()
    yield tree(source, database)
    readable = True
    for finding in index(database, source):
        readable = readable and not (finding.name == "database" and finding.status == FAIL)
        yield finding
    from torchtalk.config import find_database

    yield handshake(find_database(database, source) if readable else None)
