"""An update: read what changed, link what that can have changed, leave the rest.

When in doubt a step runs again; what does not fit between the ids of its neighbours, or is of an unknown kind, ends in
`CannotUpdate` and a full build.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection

from indexer import link
from indexer.extract.plan import Extracted, batches, extract_batch
from indexer.layers import step_numbers
from indexer.progress import Progress
from indexer.scan.files import SourceFile, Unreadable
from indexer.scan.tree import SourceTree
from indexer.sql_lists import INSIDE, chosen
from indexer.update import coverage
from indexer.update.calls import Load
from indexer.update.changes import CannotUpdate, Changes, with_files
from indexer.update.differences import Differences
from indexer.update.kept import TABLES, keep
from indexer.update.relink import Relink
from indexer.update.steps import UNDO
from indexer.update.tables import put_in_order, remove_files, remove_operators
from indexer.workers import WorkerPool
from indexer.write.ids import NoRoom, between

_MOST = 0.25
"""Of the files: where more changed, reading all of them takes no longer."""

_FEW = 50
"""So many may always change, in a small tree too."""

_FEW_BYTES = 2_000_000
"""So much is read sooner than workers are started."""


def update(
    conn: sqlite3.Connection,
    tree: SourceTree,
    layers: Collection[str],
    listed: list[SourceFile | Unreadable],
    changes: Changes,
    pool: WorkerPool,
    write: Callable[[Extracted, int | None], None],
    progress: Progress,
    without: Collection[int] = (),
    load: Load | None = None,
) -> list[str]:
    """Bring a copy of an index up to date with its tree, all but `meta`.

    Args:
        conn: the copy, within a transaction.
        tree: that changed.
        layers: of the index.
        listed: the tree's files, in their order.
        changes: what changed.
        pool: for what is long.
        write: inserts what was extracted from a file, under the id given.
        progress: told what is being done.
        without: numbers of link steps that somebody else runs.
        load: has calls at hand of some callers and to some callees, where not all are.

    Returns:
        Names of the link steps that ran.

    Raises:
        CannotUpdate: a full build is needed.
    """
    if len(changes.read) + len(changes.removed) > max(_MOST * len(listed), _FEW):
        raise CannotUpdate("most files have changed")
    steps = link.steps(step_numbers(layers))
    unknown = [name for name, _ in steps if link.number_of(name) not in UNDO]
    if unknown:
        raise CannotUpdate(f"the link step {unknown[0]} cannot be repeated")
    special = {tree.native_functions, tree.derivatives, tree.tags, *tree.rules}
    special.update(
        path
        for path in (*(f.path for f in listed if isinstance(f, SourceFile)), *changes.removed)
        if tree.is_of_backend(path)
    )
    of_layer_1 = bool(special & {*(file.path for file in changes.read), *changes.removed})
    if of_layer_1:
        # Its tables are made of all these files at once.
        again = [f for f in listed if isinstance(f, SourceFile) and f.path in special]
        changes = with_files(changes, again)
    coverage.forget_unread(conn, [file.path for file in changes.added], are_kept=False)
    try:
        edit = _read(
            conn, tree, layers, listed, changes, pool, write, progress, of_layer_1
        )  # fmt: skip
    except NoRoom as error:
        raise CannotUpdate("there is no room for more ids between two files") from error
    progress.stage("link", len(steps))
    relink = Relink(conn, layers, edit, load)
    for name, step in steps:
        if link.number_of(name) not in without:
            relink.run(name, step, pool)
        progress.advance(1)
    relink.finish(pool)
    coverage.number_again(conn, listed)
    return relink.done


def _read(
    conn: sqlite3.Connection,
    tree: SourceTree,
    layers: Collection[str],
    listed: list[SourceFile | Unreadable],
    changes: Changes,
    pool: WorkerPool,
    write: Callable[[Extracted, int | None], None],
    progress: Progress,
    of_layer_1: bool,
) -> Differences:
    """Replace what was read from the files that changed, and tell what is another then."""
    ids: dict[str, int] = dict(conn.execute("SELECT path, id FROM source_files"))
    numbers = _numbers(conn, listed, changes, ids)
    old = {ids[path] for path in (*changes.removed, *(f.path for f in changes.edited))}
    edit = Differences(conn, of_layer_1, old, changes)
    touched = remove_files(conn, old, "tests" in layers)
    gone = (chosen(old),)
    for table in TABLES:
        if not table.is_temporary:
            conn.execute(f"DELETE FROM {table.name} WHERE file_id {INSIDE}", gone)
    if of_layer_1:
        remove_operators(conn)
    conn.execute(f"DELETE FROM source_files WHERE id {INSIDE}", gone)
    order = {entry.path: n for n, entry in enumerate(listed)}
    files = sorted(changes.read, key=lambda file: order[file.path])
    progress.stage("extract", len(files))
    few = sum(file.size for file in files) < _FEW_BYTES
    reading = WorkerPool(0) if few else pool
    for batch in reading.ordered_map(extract_batch, batches(tree, files, layers)):
        for extracted in batch:
            write(extracted, numbers[extracted.file.path])
        progress.advance(len(batch))
    read = set(numbers.values())
    keep(conn, read)
    put_in_order(conn, touched, read)
    edit.compare(read, touched)
    return edit


def _numbers(
    conn: sqlite3.Connection,
    listed: list[SourceFile | Unreadable],
    changes: Changes,
    ids: dict[str, int],
) -> dict[str, int]:
    """Ids of the files that are read: the ones they had, or some between their neighbours' that none had."""
    numbers = {file.path: ids[file.path] for file in changes.edited}
    added = {file.path for file in changes.added}
    waiting: list[str] = []
    before: int | None = None
    end = conn.execute(
        "SELECT min(id) FROM source_files WHERE kind IN ('generated', 'external')"
    ).fetchone()[0]
    gone = {ids[path] for path in changes.removed}
    there = [(e.path, ids.get(e.path)) for e in listed if isinstance(e, SourceFile)]
    for path, known in [*there, ("", end)]:
        if path in added:
            waiting.append(path)
        elif known is not None or not path:
            if known is not None and before is not None and known < before:
                raise NoRoom  # the order of the files is another
            new = between(before, known, len(waiting), gone)
            numbers.update(zip(waiting, new, strict=True))
            waiting.clear()
            before = known
    return numbers
