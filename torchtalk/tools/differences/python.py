"""Python in a diff: public names, modules, tests."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from torchtalk.answers.diff import Change
from torchtalk.tools.differences.importable import CLASS, Importable, alone, importable
from torchtalk.tools.differences.parameters import Difference, compare_signatures
from torchtalk.tools.differences.sections import Found, place, rows

_CHANGED = ("breaking", "other defaults", "compatible", "annotations only")
# Of names that one of the two does not list as public functions, though it can import them: there before, or now.
_UNLISTED = ("no longer listed", "listed now")
_OTHER_THING = ("now a class", "was a class")
_RENAMED = "renamed"  # the one imports it under the name that is public in the other


def is_public(name: str) -> bool:
    """Whether a dotted name is for users: no part begins with `_` but for `__add__` and its like."""
    if name.startswith(("torch.ops.", "torch.testing._internal.")):
        return False
    return all(
        not part.startswith("_") or (part.startswith("__") and part.endswith("__"))
        for part in name.split(".")
    )


def _depth(name: str) -> tuple[int, str]:
    """torch.x and Tensor's methods first, what lies deeper later, other packages last."""
    if not name.startswith("torch."):
        return 9, name
    return (1 if name.startswith("torch.Tensor.") else name.count(".")), name


def api(conn: sqlite3.Connection) -> Found:
    """Public names that are new or gone, or have other signatures or operators; `conn` has both indexes."""
    before = {row["api"]: row for row in rows(conn, "apis", "old") if is_public(row["api"])}
    after = {row["api"]: row for row in rows(conn, "apis", "new") if is_public(row["api"])}
    counts = dict.fromkeys(
        ("removed", *_CHANGED, "other operators", *_UNLISTED, *_OTHER_THING, "added"), 0
    )
    changes = []
    with alone(conn, "old") as first, alone(conn, "new") as second:
        for name in sorted(before.keys() | after.keys()):
            was, now = before.get(name), after.get(name)
            old = place(was["path"], was["line"]) if was else None
            new = place(now["path"], now["line"]) if now else None
            kind, details = _api(was, now)
            if now is None:
                there = importable(second, name)
                if there is not None:
                    kind, details, new = *_unlisted(was, there, 0), there.place
            elif was is None:
                there = importable(first, name)
                if there is not None:
                    kind, details, old = *_unlisted(now, there, 1), there.place
            if kind:
                counts[kind] += 1
                changes.append(Change(kind, name, (), details, old, new))
    order = (
        "removed", "breaking", _OTHER_THING[0], "added", "other defaults", "compatible",
        "other operators", *_UNLISTED, _OTHER_THING[1], "annotations only",
    )  # fmt: skip
    changes.sort(key=lambda change: (order.index(change.kind), _depth(change.name)))
    return Found(changes, counts)


def _api(was: sqlite3.Row | None, now: sqlite3.Row | None) -> tuple[str, tuple[str, ...]]:
    if was is None or now is None:
        return ("removed" if now is None else "added"), _ends(was or now)
    details: tuple[str, ...] = ()
    kind = ""
    if was["signature"] and now["signature"]:
        signatures = [now["signature"], *json.loads(now["registered"] or "[]")]
        # Which of those that take turns goes on with the old one? The one that differs least.
        difference = min(
            (compare_signatures(was["signature"], signature) for signature in signatures),
            key=lambda one: (one.is_breaking, len(one.details)),
        )
        details = difference.details
        if details:
            kind = _kind(difference)
    if was["operators"] != now["operators"]:
        old, new = (set((row["operators"] or "").split(", ")) - {""} for row in (was, now))
        ends = [f"+ ends at {', '.join(sorted(new - old))}"] if new - old else []
        ends += [f"- ends at {', '.join(sorted(old - new))}"] if old - new else []
        details = (*details, *ends)
        if kind in ("", "annotations only"):
            kind = "other operators"
    return kind, details


def _unlisted(
    row: sqlite3.Row | None, there: Importable, which: int
) -> tuple[str, tuple[str, ...]]:
    """What is said of a name that one index lists, and the other only imports.

    Args:
        row: of the index that lists it.
        there: what it is in the other one.
        which: of the words for it.
    """
    if there.kind == CLASS:
        return _OTHER_THING[which], ()
    if which == 0 and row is not None and row["operators"] and not there.has_calls:
        # torch.symeig since 2.0: «This function was deprecated since version 1.9 and is now removed.»
        return "breaking", (
            "can still be imported, and calls nothing",
            f"- ends at {row['operators']}",
        )
    said = ("can still be imported", "could be imported before")[which]
    if row is None or not row["signature"] or not there.signature:
        return _UNLISTED[which], (said,)
    pair = (row["signature"], there.signature)
    difference = compare_signatures(*(pair if which == 0 else reversed(pair)))
    kind = "breaking" if difference.is_breaking else _UNLISTED[which]
    return kind, (said, *difference.details)


def _ends(row: sqlite3.Row | None) -> tuple[str, ...]:
    if row is None:
        return ()
    ends = [f"ends at {row['operators']}"] if row["operators"] else []
    return (*ends, *filter(None, [row["signature"]]))


def _kind(difference: Difference) -> str:
    if difference.is_breaking:
        return "breaking"
    if difference.is_default:
        return "other defaults"
    return "annotations only" if difference.is_minor else "compatible"


def modules(conn: sqlite3.Connection) -> Found:
    """Modules, optimizers and schedulers: new, gone, or made or called in another way; `conn` has both indexes."""
    before, after = _classes(conn, "old"), _classes(conn, "new")
    old_methods, new_methods = _signatures(conn, "old"), _signatures(conn, "new")
    counts = dict.fromkeys(("removed", *_CHANGED, _RENAMED, "added"), 0)
    changes = []
    found_before = _imported(conn, "old", after.keys() - before.keys(), before)
    found_after = _imported(conn, "new", before.keys() - after.keys(), after)
    for name in sorted(before.keys() | after.keys()):
        was, now = before.get(name), after.get(name)
        other = found_before.get(name) or found_after.get(name)
        was, now = was or found_before.get(name), now or found_after.get(name)
        old = place(was["path"], was["line"]) if was else None
        new = place(now["path"], now["line"]) if now else None
        if was and now and other:
            # Where one of the two has it under another name, that is its public one there.
            kind, details = _methods(
                was["public_name"], now["public_name"], old_methods, new_methods
            )
            kind = kind if kind == "breaking" else _RENAMED
            details = (
                f"{'now' if name in found_after else 'was'} {other['public_name']}",
                *details,
            )
        elif was is None or now is None:
            kind = "removed" if now is None else "added"
            methods = old_methods if now is None else new_methods
            made = methods.get((name, "__init__"))
            details = (f"__init__{made}",) if made else ()
        else:
            kind, details = _methods(name, name, old_methods, new_methods)
        if kind:
            counts[kind] += 1
            changes.append(Change(kind, name, (), details, old, new))
    order = (
        "removed",
        "breaking",
        _RENAMED,
        "added",
        "other defaults",
        "compatible",
        "annotations only",
    )
    changes.sort(key=lambda change: (order.index(change.kind), _depth(change.name)))
    return Found(changes, counts)


def _classes(conn: sqlite3.Connection, which: str) -> dict[str, sqlite3.Row]:
    found = rows(conn, "classes", which)
    return {row["public_name"]: row for row in found if is_public(row["public_name"])}


def _imported(
    conn: sqlite3.Connection, which: str, names: Iterable[str], classes: dict[str, sqlite3.Row]
) -> dict[str, sqlite3.Row]:
    """Classes that an index has under another public name, by names that it only imports them under."""
    full = {row["name"]: row for row in classes.values()}
    found = {}
    with alone(conn, which) as one:
        for name in names:
            there = importable(one, name)
            if there is not None and there.name in full:
                found[name] = full[there.name]
    return found


def _signatures(conn: sqlite3.Connection, which: str) -> dict[tuple[str, str], str]:
    found = rows(conn, "signatures", which)
    return {(row["public_name"], row["method"]): row["signature"] for row in found}


def _methods(
    first: str, second: str, old: dict[tuple[str, str], str], new: dict[tuple[str, str], str]
) -> tuple[str, tuple[str, ...]]:
    """How a class differs that the two indexes have under these names."""
    kinds = []
    details: list[str] = []
    for method in ("__init__", "forward", "step"):
        was, now = old.get((first, method)), new.get((second, method))
        if was is not None and now is not None:
            difference = compare_signatures(was, now)
            if difference.details:
                kinds.append(_kind(difference))
                details += [f"{method}: {detail}" for detail in difference.details]
        elif was != now:
            # Whether the inherited one differs is told by the class that has it.
            kinds.append("compatible")
            details.append(f"{method}: now inherited" if now is None else f"{method}: now its own")
    kind = min(kinds, key=_CHANGED.index) if kinds else ""
    return kind, tuple(details)


def tests(conn: sqlite3.Connection) -> Found:
    """Tests that are new or gone, file by file; `conn` has both indexes."""
    files: dict[str, tuple[list[str], list[str]]] = {}
    there: dict[str, list[bool]] = {}
    gone, come = rows(conn, "only_tests", "old"), rows(conn, "only_tests", "new")
    for index, found in enumerate((come, gone)):
        for row in found:
            name = f"{row['class']}.{row['test']}" if row["class"] else row["test"]
            files.setdefault(row["file"], ([], []))[index].append(name)
            there.setdefault(row["file"], [True, True])[index] = bool(row["has_file"])
    changes = []
    counts = {"added": len(come), "removed": len(gone), "files added": 0, "files removed": 0}
    for file, (more, fewer) in files.items():
        was_there, is_there = there[file]
        kind = "changed" if was_there and is_there else "added" if is_there else "removed"
        if kind != "changed":
            counts[f"files {kind}"] += 1
        members = (*(f"- {name}" for name in fewer), *(f"+ {name}" for name in more))
        details = (f"+{len(more)} -{len(fewer)} tests",)
        at = place(file, None)
        changes.append(
            Change(kind, file, members, details,
                   None if kind == "added" else at, None if kind == "removed" else at)
        )  # fmt: skip
    moved = {(row["class"], row["test"]) for row in gone} & {(r["class"], r["test"]) for r in come}
    order = ("changed", "removed", "added")
    changes.sort(key=lambda c: (-len(c.members), order.index(c.kind), c.name))
    facts = (f"{len(moved)} of them are in another file now",) if moved else ()
    return Found(changes, counts, facts)
