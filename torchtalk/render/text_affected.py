"""The text of affected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from torchtalk.answers.affected import AffectedAnswer, AffectedTest
from torchtalk.render.text import lines_of

_MOST_CHANGED = 20
_FEWEST_SAME = 3


@lines_of.register
def _(answer: AffectedAnswer) -> Iterator[str]:
    if answer.form == "commands":
        yield from answer.commands
        return
    changed: list[str] = []
    for thing in answer.changed:
        place = f"  {thing.place}" if thing.place.file else ""
        lines = f"  {thing.lines} lines" if thing.lines > 1 else ""
        changed.append(f"changed: {thing.name}{place}{lines}")
    # Overloads that were only named, not changed in a diff, have no lines to tell them apart.
    counted = Counter(changed)
    for line, number in list(counted.items())[:_MOST_CHANGED]:
        yield f"{line} ({number} definitions)" if number > 1 else line
    if len(counted) > _MOST_CHANGED:
        yield f"… {_MOST_CHANGED} of {len(counted):,} changed things shown"
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
