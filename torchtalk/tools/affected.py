"""affected: which tests a change needs, with the reason for each."""

from __future__ import annotations

import sqlite3

from torchtalk.affected.commands import MOST_NAMES, Selected, commands
from torchtalk.affected.diffs import MAX_DIFF, parse_diff
from torchtalk.affected.graph import Graph, Node
from torchtalk.affected.places import Changes, from_diff, from_names
from torchtalk.affected.search import Found, search, within
from torchtalk.answers.affected import AffectedAnswer, AffectedTest, ChangedThing
from torchtalk.answers.base import Place
from torchtalk.counted import counted
from torchtalk.tools import queries
from torchtalk.tools.find_similar_tests import test_hit
from torchtalk.tools.spec import BadArgument, Parameter, Tool
from torchtalk.tools.testfilters import EntryFilters
from torchtalk.tools.testsubject import listed

FORMS = ("text", "commands")
_MOST_SHOWN = 40


def affected(
    conn: sqlite3.Connection,
    names: str = "",
    diff: str = "",
    max_tests: int = 50,
    form: str = "text",
) -> AffectedAnswer:
    """Choose the tests for a change.

    Args:
        conn: an index.
        names: functions, operators, classes or files, separated by commas or white space.
        diff: a unified diff.
        max_tests: the budget.
        form: `text`, with the reasons; `commands`, to be run.

    Raises:
        BadArgument: neither names nor a diff are given.
    """
    if not names.strip() and not diff.strip():
        raise BadArgument("give names or a diff: what changed is not known")
    changes = Changes()
    from_names(conn, names, changes)
    files = parse_diff(diff)
    if diff.strip() and not files:
        raise BadArgument("the diff has no file in it: a unified diff is wanted")
    from_diff(conn, files, changes)
    reach = search(Graph(conn), [(seed.node, seed.weight) for seed in changes.seeds.values()])
    files_of = {
        row["id"]: row["file_id"] for row in conn.execute(queries("affected")["test_files"])
    }
    chosen = within(reach.found, max_tests, lambda one: _file(one, files_of))
    total = conn.execute(queries("affected")["test_total"]).fetchone()["tests"]
    tests, selected = _tests(conn, chosen)
    number = sum(one.tests for one in chosen)
    reached = sum(one.tests for one in reach.found)
    finding = _finding(changes, number, reached, total)
    notes = [f"not seen by the graph: {text}" for text in changes.unseen]
    if reach.cut:
        notes.append(
            f"the search ended after {reach.nodes} nodes; more tests may be reached weakly"
        )
    if form == "commands":
        # What is printed is a script: all but the commands is a comment in it.
        finding, notes = "\n".join(f"# {line}" for line in (finding, *notes)), []
    return AffectedAnswer(
        query=names or f"a diff of {len(files)} files",
        finding=finding,
        notes=tuple(notes),
        form=form,
        changed=tuple(
            ChangedThing(seed.node.kind, _label(seed.node), seed.place, seed.lines)
            for seed in list(changes.seeds.values())[:_MOST_SHOWN]
        ),
        unseen=tuple(changes.unseen),
        tests=tests,
        selected=number,
        reached=reached,
        total=total,
        commands=commands(selected),
    )


def _file(found: Found, files: dict[int, int]) -> object:
    """What tells the file of a test from another's; for generic tests its path will do."""
    key = found.node.key
    return key.partition("\t")[2] if isinstance(key, str) else files[key]


def _finding(changes: Changes, number: int, reached: int, total: int) -> str:
    what = f"{counted(len(changes.seeds), 'thing')} changed"
    where = f" in {changes.files} files" if changes.files > 1 else ""
    if not number:
        return f"{what}{where}; no test is known to be reached"
    cut = f" of {reached} that are reached" if reached > number else ""
    share = f"{100 * number / total:.1f} %" if number >= total / 1000 else "less than 0.1 %"
    return f"{what}{where}: {counted(number, 'test')}{cut} ({share} of {total})"


def _tests(
    conn: sqlite3.Connection, chosen: tuple[Found, ...]
) -> tuple[tuple[AffectedTest, ...], list[Selected]]:
    ids = tuple(found.node.key for found in chosen if found.node.kind == "test")
    rows = {
        row["id"]: row
        for row in conn.execute(queries("affected")["details"], {"tests": listed(ids)})
    }
    tests: list[AffectedTest] = []
    selected: list[Selected] = []
    filters = EntryFilters(conn)
    for found in chosen:
        if found.node.kind == "generic":
            name, _, path = str(found.node.key).partition("\t")
            label = f"{counted(found.tests, 'generic test')} for {name}"
            place, kind = Place(path, None), "generic"
            # A test for an entry is called after both; all of a file for one are by the entry's name. So are those
            # that are too many to be named: the whole file is more than these.
            named = found.generic if found.is_part and len(found.generic) <= MOST_NAMES else ()
            if found.is_part:
                label = f"the first {label}"
            selected.append(Selected(path, kind, None, filters.expression(path, [name], named)))
            (command,) = commands(selected[-1:])
        else:
            row = rows[found.node.key]
            hit = test_hit(row, ())
            label, place, kind, command = hit.name, hit.place, hit.kind, hit.command
            # What no file is known to run is shown, and not among the commands.
            if command:
                path = row["run_by"] or row["path"]
                selected.append(Selected(path, kind, row["class"], row["name"]))
        tests.append(
            AffectedTest(
                label, kind, place, round(found.weight, 3), found.tests, _reasons(found), command
            )
        )
    return tuple(tests), selected


def _reasons(found: Found) -> tuple[str, ...]:
    """`at::native::f`, `aten::g: is its kernel for CPU` …: each step names what depends, and how."""
    steps = []
    for at, (node, why) in enumerate(found.path):
        if at == 0:
            steps.append(_label(node))
        elif node.kind in ("test", "generic"):
            steps.append(why)
        elif why.startswith("is its"):
            # Said of what comes before: the function is the operator's kernel.
            steps.append(f"{why[3:]}: {_label(node)}")
        else:
            steps.append(f"{_label(node)} {why}")
    return tuple(steps)


def _label(node: Node) -> str:
    return f"OpInfo {node.name}" if node.kind == "opinfo" else node.name


TOOL = Tool(
    name="affected",
    title="Tests for a change",
    description="Which tests a change needs: from function, operator or file names, or a diff, "
    "over the joined graph to tests, ranked and cut to a budget, each with its path of reasons.",
    parameters=(
        Parameter("names", str, "functions, operators, classes or files", "", maximum=20_000),
        Parameter("diff", str, "a unified diff", "", maximum=MAX_DIFF),
        Parameter(
            "max_tests",
            int,
            "how many tests at most; one for many devices and dtypes counts once",
            50,
            minimum=1,
            maximum=20_000,
        ),
        Parameter("form", str, "text, or commands to run", "text", choices=FORMS),
    ),
    run=affected,
    examples=({"names": "softmax_cpu_out"}, {"names": "aten::relu", "form": "commands"}),
)
