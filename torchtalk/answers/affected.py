"""What affected finds."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import Answer, Place


@dataclass(frozen=True)
class ChangedThing:
    """Something that changed: a function, an operator's entry, an OpInfo, a class.

    Args:
        kind: cpp, kernel, operator, stub, python, class or opinfo.
        name: in full.
        lines: how many of its lines changed; 0 where it was only named.
        how: what it has to do with its place, where it does not stand there; behind the name, too.
    """

    kind: str
    name: str
    place: Place
    lines: int
    how: str = ""


@dataclass(frozen=True)
class ChangedGroup:
    """What changed in one file, or has one thing to do with lines of it.

    Args:
        file: where; None of what was only named.
        how: what they have to do with the lines, where they do not stand there.
        things: how many.
    """

    file: str | None
    how: str
    things: int


@dataclass(frozen=True)
class AffectedTest:
    """A test, the generic tests of a file for one OpInfo, or all of a file.

    Args:
        name: `TestNN.test_linear_bias`; of generic tests: `35 generic tests for softmax`; `all 12 tests`.
        kind: test, gtest, generic or file.
        weight: from 1, where it changed itself, down to 0.
        tests: how many tests it stands for.
        path: from what changed to the test, a reason each.
        command: that runs it, from the root of the tree.
    """

    name: str
    kind: str
    place: Place
    weight: float
    tests: int
    path: tuple[str, ...]
    command: str


@dataclass(frozen=True)
class AffectedAnswer(Answer):
    """The tests that a change touches, the best first.

    Args:
        form: text or commands.
        files: how many files changed.
        changed: what changed; of very much some of each file.
        groups: how much changed, by file.
        unseen: what the graph could not see.
        tests: within the budget.
        guesses: tests with words of a file's name in theirs, where not even a file of tests is called like it; they
            are not selected.
        selected: how many tests these stand for.
        by_name: how many of them are there for a name alone, or for what stands beside the change: the file that
            changed leads to none, or hardly to any.
        reached: how many the change reaches at all.
        total: how many tests the tree has; here and above a generic one counts once for each entry that it runs over.
        commands: that run the selected tests, one a file.
    """

    form: str = "text"
    files: int = 0
    changed: tuple[ChangedThing, ...] = ()
    groups: tuple[ChangedGroup, ...] = ()
    unseen: tuple[str, ...] = ()
    tests: tuple[AffectedTest, ...] = ()
    guesses: tuple[AffectedTest, ...] = ()
    selected: int = 0
    by_name: int = 0
    reached: int = 0
    total: int = 0
    commands: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether there is what was named. That a change needs no test is an answer, too: a CI job goes on."""
        return bool(self.changed or self.tests or self.files)


def nothing_changed(form: str) -> AffectedAnswer:
    """The answer for an empty diff; `form` is `text` or `commands`, as `affected` takes it."""
    finding = "# nothing changed" if form == "commands" else "nothing changed"
    return AffectedAnswer("an empty diff", finding, form=form, files=0)
