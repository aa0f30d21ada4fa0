"""What each link step makes, in one place: how it is undone before it runs again.

A step that stands here can run again on an index that it has been run on; one that does not cannot, and an index
of whose layers it is part is built as a whole.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from indexer.update.kept import put_back
from indexer.write.calls import MADE
from indexer.write.kept import removal

_GENERATED = ("CompositeViewCopyKernels.cpp", "TensorBody.h", "Functions.h")
"""Files that step 20 names in `dispatch.generated_by`."""


@dataclass(frozen=True)
class Undo:
    """How the traces of a step are removed.

    Args:
        statements: SQL that removes them.
        kept: tables to be put back as they were read.
    """

    statements: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    def run(self, conn: sqlite3.Connection) -> None:
        """Remove in the database `conn` what the step has written, and put back what it was made from."""
        for statement in self.statements:
            conn.execute(statement)
        for table in self.kept:
            put_back(conn, table)


def _emptied(*tables: str) -> tuple[str, ...]:
    return tuple(f"DELETE FROM {table}" for table in tables)


_OF_LIBRARIES = "operator_id IN (SELECT id FROM operators WHERE origin = 'library')"

UNDO = {
    # These add to what was read from YAML files, which is read again where one of them changed.
    10: Undo(),
    12: Undo(),
    14: Undo(),
    15: Undo(
        # Those that macros make as a whole have ids of their own: indexer/write/ids.py.
        (
            "DELETE FROM functions WHERE id >= 1 << 30 AND origin = 'macro'",
            removal(MADE),
        ),
        kept=("functions",),
    ),
    16: Undo(
        (
            *_emptied("dispatch_replacements", "dispatch_registrations", "registrations"),
            "DELETE FROM dispatch WHERE origin IN ('impl', 'macro', 'python')",
            *(f"DELETE FROM {table} WHERE {_OF_LIBRARIES}"
              for table in ("arguments", "returns", "operator_tags")),
            "DELETE FROM operators WHERE origin = 'library'",
        ),
        kept=("pending_blocks", "pending_python", "pending_helpers", "pending_names"),
    ),
    20: Undo(
        (
            *_emptied("dispatch_kernels"),
            *(f"UPDATE dispatch SET generated_by = NULL WHERE generated_by = 'torchgen ({name})'"
              for name in _GENERATED),
        )
    ),
    25: Undo(
        (
            *_emptied("calls", "operator_calls", "handed_classes"),
            removal("lost"),
            removal("lost made"),
        )
    ),
    30: Undo(),  # narrows what 20 makes
    40: Undo(kept=("stub_registrations", "stub_callers")),
    41: Undo(_emptied("launch_kernels"), kept=("kernels",)),
    42: Undo(_emptied("launch_kernels"), kept=("launches",)),
    43: Undo(
        (
            "DELETE FROM launch_kernels WHERE launch_id IN"
            " (SELECT id FROM launches WHERE handed_to IS NOT NULL) AND NOT EXISTS"
            " (SELECT 1 FROM launch_kernels AS o WHERE o.launch_id = launch_kernels.launch_id AND o.is_primary)",
        )
    ),
    44: Undo(kept=("bindings",)),
    46: Undo(),  # completes what 44 makes
    47: Undo(_emptied("ambiguous_calls")),
    48: Undo(_emptied("launching_functions", "stub_functions")),
    50: Undo(
        (
            *_emptied("python_calls", "python_resolutions", "python_targets", "python_apis"),
            *_emptied("python_native_operators", "python_natives", "python_aliases", "python_unfollowed"),
            *_emptied("python_decorators", "python_conforming"),
            "UPDATE python_bases SET name = CASE target WHEN '' THEN written ELSE target END,"
            " base_id = NULL",
            "UPDATE python_classes SET category = 'other', public_name = NULL, section = NULL,"
            " section_position = NULL",
        )
    ),
    51: Undo(),  # completes what 16 makes, and runs with it
    52: Undo(),  # completes what 50 makes
    60: Undo(
        _emptied(
            "test_operators", "test_lists", "opinfo_list_members", "opinfo_lists",
            "opinfo_operators", "tests", "test_classes", "test_sources",
        ),
        kept=("opinfos", "opinfo_list_parts", "test_instantiations"),
    ),
    62: Undo(_emptied("test_operators", "test_utilities"), kept=("python_body_methods",)),
    65: Undo(
        _emptied("compile_tables", "compile_entries"), kept=("graph_breaks", "graph_break_codes")
    ),
    # Each of these takes out its own edges, and leaves the others'.
    80: Undo(),
    81: Undo(),
    82: Undo(),
    83: Undo(),
    84: Undo(_emptied("library_functions")),
    85: Undo(_emptied("gpu_launching_functions")),
    90: Undo(_emptied("names", "dispatch_keys")),
}  # fmt: skip
"""By the number of the step."""
