"""The text of affected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from torchtalk.answers.affected import AffectedAnswer, AffectedTest
from torchtalk.render.text import lines_of


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
    for line, number in Counter(changed).items():
        yield f"{line} ({number} definitions)" if number > 1 else line
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
    for path, tests in groups.items():
        yield f"{tests[0].weight:.2f} {' -> '.join(path)}"
        for test in tests:
            yield f"  {test.name}  {test.place}"
