"""The text of get_status."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.status import StatusAnswer
from torchtalk.render.text import lines_of


@lines_of.register
def _(answer: StatusAnswer) -> Iterator[str]:
    commit = f", commit {answer.git_commit[:12]}" if answer.git_commit else ""
    yield f"database: {answer.database} ({answer.size / 1e6:.1f} MB, schema {answer.schema_version})"
    ago = answer.compared_seconds_ago
    compared = f" (compared {ago} s ago)" if ago else ""
    yield f"built by {answer.built_by}{commit}; the tree is {answer.tree}{compared}"
    for layer in answer.layers:
        counts = ", ".join(f"{number:,} {name}" for name, number in layer.counts.items())
        counts = f"; {counts}" if any(layer.counts.values()) else ""
        short = ", ".join(f"{number:,} {status}" for status, number in layer.shortfalls.items())
        areas = ", ".join(f"{name} {number:,}" for name, number in layer.areas.items())
        where = f"v_coverage: {areas}" if areas else "v_coverage"
        gaps = f"; gaps: {short} (see {where})" if short else ""
        yield f"{layer.name}: {layer.status}{counts}{gaps}"
    if answer.unread:
        short = ", ".join(f"{number:,} {status}" for status, number in answer.unread.items())
        yield f"files that were not read: {short} (see v_coverage)"
