"""What find_similar_tests, list_test_utils and test_file_info find."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import Answer, Page, Place

_NO_PAGE = Page(0, 0, 0)


@dataclass(frozen=True)
class TestHit:
    """An entry, a file of generic tests, or a test.

    Args:
        kind: opinfo, moduleinfo, optimizerinfo; generic: the tests of one file that run over such
            entries; test; gtest.
        name: `softmax`, `TestNN.test_linear_bias`, `FunctionalTest.Softmax`; of generic tests, how
            many there are.
        place: where it stands.
        why: the reasons, the best first.
        command: that runs it, from the root of the tree.
    """

    kind: str
    name: str
    place: Place
    why: tuple[str, ...]
    command: str


@dataclass(frozen=True)
class SimilarTestsAnswer(Answer):
    """Tests for a subject, the best first.

    Args:
        subject: what the query was understood as.
        counts: how many there are of each kind.
    """

    subject: str = ""
    counts: dict[str, int] | None = None
    hits: tuple[TestHit, ...] = ()
    page: Page = _NO_PAGE

    @property
    def found(self) -> bool:
        """Whether there is any, on this page or another."""
        return self.page.total > 0


@dataclass(frozen=True)
class UtilityLine:
    """Something that tests are written with.

    Args:
        name: in full.
        category: decorators, assertions, opinfo, devices and dtypes, or the module's name.
        signature: None for a class.
        doc: first paragraph.
        uses: calls, references and decorations in the tree.
        used_in: how many files have them.
    """

    name: str
    category: str
    place: Place
    signature: str | None
    doc: str | None
    uses: int
    used_in: int


@dataclass(frozen=True)
class CategoryLine:
    """A category of test utilities: how many there are, and the most used."""

    name: str
    utilities: int
    uses: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class TestUtilsAnswer(Answer):
    """Categories of test utilities, or the utilities of one, the most used first."""

    category: str = ""
    categories: tuple[CategoryLine, ...] = ()
    utilities: tuple[UtilityLine, ...] = ()
    page: Page = _NO_PAGE

    @property
    def found(self) -> bool:
        """Whether there is any category or utility."""
        return bool(self.categories) or self.page.total > 0


@dataclass(frozen=True)
class ClassLine:
    """A class of a test file.

    Args:
        role: test, mixin, template, pytest or suite (indexer's schema.sql, `test_classes`).
        bases: as far as they are known by name.
        tests: how many it defines itself.
        runs: how its tests are made: `for devices (only_for='cuda')`, `for parameters`.
    """

    name: str
    role: str
    line: int
    bases: tuple[str, ...]
    tests: int
    runs: tuple[str, ...]


@dataclass(frozen=True)
class ListLine:
    """A list of OpInfos that tests of the file run over.

    Args:
        name: of the list, or the expression that makes it.
        entries: how many are in it.
        tests: how many run over it.
        decorator: `ops`, `modules` or `optims`.
        is_certain: false where a condition that is not evaluated may leave some of them out.
    """

    name: str
    entries: int
    tests: int
    decorator: str
    is_certain: bool


@dataclass(frozen=True)
class TestFileAnswer(Answer):
    """One test file; without a path where none or several fit.

    Args:
        path: of the file.
        size: in bytes.
        tests: how many it has.
        doc: first paragraph of its docstring.
        classes: in their order.
        lists: OpInfo lists that its tests run over.
        operators: those that its tests call most, with the number of tests.
        imports: modules of the tree that it imports.
        decorators: the most used ones, with the number of uses.
        commands: how to run it.
        candidates: the files that a partial path fits.
    """

    path: str = ""
    size: int = 0
    tests: int = 0
    doc: str = ""
    classes: tuple[ClassLine, ...] = ()
    lists: tuple[ListLine, ...] = ()
    operators: tuple[tuple[str, int], ...] = ()
    imports: tuple[str, ...] = ()
    decorators: tuple[tuple[str, int], ...] = ()
    commands: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    page: Page = _NO_PAGE

    @property
    def found(self) -> bool:
        """Whether one file was meant."""
        return bool(self.path)
