"""The text of affected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from torchtalk.answers.affected import AffectedAnswer, AffectedTest
from torchtalk.counted import counted
from torchtalk.render.text import lines_of

_MOST_CHANGED = 12
_EACH = 8
_FEWEST_SAME = 3


@lines_of.register
def _(answer: AffectedAnswer) -> Iterator[str]:
    if answer.form == "commands":
        yield from answer.commands
        return
    if sum(group.things for group in answer.groups) > _MOST_CHANGED:
        yield from _by_file(answer)
    else:
        yield from _one_by_one(answer)
    yield from _tests(answer)
    files = dict.fromkeys(guess.path[0] for guess in answer.guesses)
    for file in files:
        yield f"guesses {file}"
        for guess in answer.guesses:
            if guess.path[0] == file:
                yield f"  {guess.name}  {guess.place}  [{', '.join(guess.path[1:])}]"
    if answer.commands:
        number = len(answer.commands)
        run = "1 command runs them" if number == 1 else f"{number} commands run them"
        yield f"{run}; form=commands prints {'it' if number == 1 else 'them'}"


def _one_by_one(answer: AffectedAnswer) -> Iterator[str]:
    changed: list[str] = []
    for thing in answer.changed:
        place = f"  {thing.place}" if thing.place.file else ""
        lines = f"  {thing.lines} lines" if thing.lines > 1 else ""
        changed.append(f"changed: {thing.name}{place}{lines}")
    # Overloads that were only named, not changed in a diff, have no lines to tell them apart.
    for line, number in Counter(changed).items():
        yield f"{line} ({number} definitions)" if number > 1 else line


def _by_file(answer: AffectedAnswer) -> Iterator[str]:
    """A line for each file, with some of what changed in it; for much in one file this says as much as a line each."""
    named: dict[tuple[str | None, str], dict[str, None]] = {}
    for thing in answer.changed:
        name = thing.name.removesuffix(f" {thing.how}") if thing.how else thing.name
        line = f":{thing.place.line}" if thing.place.line and not thing.how else ""
        named.setdefault((thing.place.file, thing.how), {})[f"{name}{line}"] = None
    shown = sorted(answer.groups, key=lambda group: -group.things)[:_MOST_CHANGED]
    for group in shown:
        names = list(named.get((group.file, group.how), ()))[:_EACH]
        where = f" in {group.file}" if group.file else ""
        how = f", each {group.how}" if group.how else ""
        more = f" and {group.things - len(names):,} more" if group.things > len(names) else ""
        yield f"changed{where}{how}: {', '.join(names)}{more}"
    if len(shown) < len(answer.groups):
        left = sum(group.things for group in answer.groups) - sum(one.things for one in shown)
        yield f"… and {counted(left, 'more thing')} that changed"


def _tests(answer: AffectedAnswer) -> Iterator[str]:
    # Tests that are reached in the same way stand together, below the way.
    groups: dict[tuple[str, ...], list[AffectedTest]] = {}
    for test in answer.tests:
        groups.setdefault(test.path, []).append(test)
    above: tuple[str, ...] = ()
    for path, tests in groups.items():
        yield f"{tests[0].weight:.2f} {_way(path, above)}"
        above = path
        for test in tests:
            yield f"  {test.name}  {test.place}"


def _way(path: tuple[str, ...], above: tuple[str, ...]) -> str:
    """A path of reasons, without the steps that it has in common with the one above it: tests of a file share most."""
    same = 0
    for step, other in zip(path[:-1], above, strict=False):
        if step != other:
            break
        same += 1
    if same < _FEWEST_SAME:
        return " -> ".join(path)
    return " -> ".join([f"(as above for {same} steps)", *path[same:]])
