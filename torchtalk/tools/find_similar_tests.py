"""find_similar_tests: the tests of an operator, API, module, C++ function or concept."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from torchtalk.affected.graph import aspects
from torchtalk.answers.base import Page
from torchtalk.answers.tests import SimilarTestsAnswer, TestHit
from torchtalk.counted import counted, few
from torchtalk.graph import nodes
from torchtalk.names.closest import closest
from torchtalk.names.files import files_named, said_of_folder, written
from torchtalk.names.questions import is_about_several, of_tests, reduced
from torchtalk.names.tests_called import tests_called
from torchtalk.sqlfile import listed
from torchtalk.testing.environment import Environments
from torchtalk.testing.filters import EntryFilters
from torchtalk.testing.installed import without_tests
from torchtalk.testing.subject import Subject, of_class, understand
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.gathering import Gathering
from torchtalk.tools.finding_tests.hits import paged, test_hits
from torchtalk.tools.finding_tests.opinfo_entries import (
    Entry,
    entries_of,
    forward_entries,
    generic_tests,
    runs,
)
from torchtalk.tools.finding_tests.option_tests import tests_of_option
from torchtalk.tools.finding_tests.other_tests import tests_of_file
from torchtalk.tools.finding_tests.scored import Scored
from torchtalk.tools.finding_tests.scoring import MOST_RANKED, total_tests
from torchtalk.tools.walks.seeds import find

# So many tests of a backend or gradients come before the entries of the operator.
_MOST_FIRST = 10
# Of what has more tests of its own nobody needs to know who else runs it.
_FEW_OWN = 50
_TEST = "test_"


def find_similar_tests(
    conn: sqlite3.Connection, query: str, limit: int = 20, offset: int = 0
) -> SimilarTestsAnswer:
    """Find tests.

    Args:
        conn: an index.
        query: an operator, API, module or C++ function by any name that is understood
            elsewhere, or words: `channels last`.
        limit: most entries, files and tests to show.
        offset: how many to pass over.
    """
    test = _of_class(conn, query.strip())
    asked, whole = of_tests(test or query.strip()), of_tests(test or query.strip(), whole=True)
    if asked == whole or understand(conn, asked, near=False).is_name:
        answer = _tests_of(conn, asked, limit, offset)
    else:
        # `lr` alone is no name; `lr scheduler` may be words of tests.
        answer = _tests_of(conn, whole, limit, offset)
        if answer.page.total:
            asked = whole
        else:
            answer = _tests_of(conn, asked, limit, offset)
    text: str | None = asked
    is_name = False
    while not answer.page.total and text and (text := reduced(conn, text)):
        is_part = len(text.split()) == 1 and text != "_".join(asked.split())
        if not is_name and is_part and is_about_several(asked):
            # The one name that is left is not all that was asked for.
            is_name = True
            loose = _tests_of(conn, asked, limit, offset, loosely=True)
            if loose.page.total:
                answer = loose
                break
        about = _tests_of(conn, text, limit, offset)
        if about.page.total:
            asked, answer = text, about
    if not answer.page.total and not is_name and len(asked.split()) > 1:
        answer = _tests_of(conn, asked, limit, offset, loosely=True)
    if not answer.page.total and asked.isidentifier() and asked.startswith(_TEST):
        # A test of another version, or one that is to be written.
        words = asked.removeprefix(_TEST).replace("_", " ")
        loose = _tests_of(conn, words, limit, offset, loosely=True)
        if loose.page.total:
            asked, answer = words, loose
    if asked == query.strip():
        return replace(answer, query=query, notes=(*tests_called(conn, query), *answer.notes))
    return replace(answer, query=query, notes=(f"taken as {asked}", *answer.notes))


def _of_class(conn: sqlite3.Connection, query: str) -> str:
    """`TestAutograd.test_hooks` of the `TestAutograd::test_hooks` that pytest writes, if there is one; else nothing."""
    if "::" not in query or not query.rpartition("::")[2].startswith(_TEST):
        return ""
    dotted = query.replace("::", ".")
    return dotted if understand(conn, dotted, near=False).is_name else ""


def _tests_of(
    conn: sqlite3.Connection, query: str, limit: int, offset: int, *, loosely: bool = False
) -> SimilarTestsAnswer:
    """What is found for a text as it is, or `loosely` for some of its words.

    The other arguments are those of `find_similar_tests`.
    """
    file = written(query.strip())
    is_place = file is not None and file.is_plain
    of_file = None if file is not None and file.first is not None else tests_of_file(conn, query)
    if of_file is not None:
        return _of_file(conn, query, *of_file, limit, offset)
    if is_place or (file is not None and files_named(conn, file.path)[0]):
        return _of_place(conn, query, limit, offset)
    subject = understand(conn, query, near=False)
    is_unknown = subject.is_unknown
    if file is not None and is_unknown:
        stem = file.path.rpartition(".")[0]
        answer = _tests_of(conn, stem, limit, offset, loosely=loosely)
        note = f"no file is called {file.path}: taken as {stem}"
        return replace(answer, query=query, notes=(note, *answer.notes))
    entries = entries_of(conn, subject)
    meant = None if entries else of_class(conn, query)
    if meant is not None and (entries_of(conn, meant) or forward_entries(conn, meant, [])):
        subject, entries, is_unknown = meant, entries_of(conn, meant), False
    if not subject.is_name and not entries:
        option = tests_of_option(conn, query)
        if option is not None:
            return _of_file(conn, query, *option, limit, offset)
    most = offset + limit + MOST_RANKED
    found = Gathering(conn, query, subject, entries, most, is_unknown=is_unknown, loosely=loosely)
    found.gather()
    return _of_subject(conn, found, limit, offset)


class _Sections(NamedTuple):
    """What is found, as it is shown.

    Args:
        first: tests that come before the entries: those about the backend or the gradients that are asked for.
        entries: OpInfos and their like.
        generic: files whose tests run over the entries, a row each.
        rest: the other tests.
        notes: what is said of this order.
    """

    first: list[tuple[int, Scored]]
    entries: list[Entry]
    generic: list[sqlite3.Row]
    rest: list[tuple[int, Scored]]
    notes: tuple[str, ...]

    def page(
        self, conn: sqlite3.Connection, environments: Environments, limit: int, offset: int
    ) -> list[TestHit]:
        """What of all sections stands on one page.

        Args:
            conn: an index.
            environments: takes up what the shown tests' files want.
            limit: most entries, files and tests.
            offset: how many to pass over.
        """
        filters = EntryFilters(conn)
        first, entries, generic, rest, _ = self
        return paged(
            (
                (len(first), lambda at, end: test_hits(conn, first[at:end], environments)),
                (len(entries), lambda at, end: [entry.hit for entry in entries[at:end]]),
                (
                    len(generic),
                    lambda at, end: [runs(row, entries, filters) for row in generic[at:end]],
                ),
                (len(rest), lambda at, end: test_hits(conn, rest[at:end], environments)),
            ),
            offset,
            limit,
        )


def _sections(conn: sqlite3.Connection, found: Gathering) -> _Sections:
    generic = generic_tests(conn, found.entries)
    ranked = sorted(found.scored.items(), key=lambda item: (-round(item[1].score, 3), item[0]))
    is_unsure = found.subject.functions and found.entries
    if is_unsure and all(one.reaches and not one.is_likely for one in found.entries):
        # Whether these come to a function of Python nobody knows, of which its own tests leave no doubt.
        return _Sections(ranked, found.entries, generic, [], ())
    if found.direct and found.above.operators:
        # Of a kernel those that call it themselves come before all that its operators are run by.
        first = [item for item in ranked if item[0] in found.direct][:_MOST_FIRST]
        rest = [item for item in ranked if item not in first]
        return _Sections(first, found.entries, generic, rest, ())
    asked = found.above.aspects
    about = _about(conn, asked, found.scored) if asked else frozenset()
    if not about:
        return _Sections([], found.entries, generic, ranked, ())
    first = [item for item in ranked if item[0] in about][:_MOST_FIRST]
    rest = [item for item in ranked if item not in first]
    said = " and ".join(map(aspects.said, asked))
    fits = [aspects.Words(aspect).fit for aspect in asked]
    generic.sort(key=lambda row: not any(fit(row["path"], "") for fit in fits))
    note = f"of {said}: the tests that are about it come first"
    return _Sections(first, found.entries, generic, rest, (note,))


def _of_subject(
    conn: sqlite3.Connection, found: Gathering, limit: int, offset: int
) -> SimilarTestsAnswer:
    """The answer for what was gathered."""
    subject, query = found.subject, found.query
    sections = _sections(conn, found)
    entries, generic = len(sections.entries), len(sections.generic)
    number = total_tests(conn, subject, found.scored)
    total = entries + generic + number
    notes = (*found.notes, *sections.notes)
    if subject.bases and total and number < _FEW_OWN:
        notes = (*notes, *_run_by_others(conn, subject))
    environments = Environments(conn)
    page = sections.page(conn, environments, limit, offset)
    if total:
        listed_in = "no OpInfo-like entry"
        if entries:
            listed_in = (
                f"{counted(entries, 'OpInfo-like entry', 'OpInfo-like entries')}, "
                f"run by generic tests in {counted(generic, 'file')}"
            )
        finding = f"{subject.text}: {listed_in}; {counted(number, 'test')} {found.whose}"
    elif found.text:
        finding = said_of_folder(conn, query) or f"no test was found for {query!r}"
    else:
        finding = "give an operator, API, module, C++ function, or words"
    is_not_called_so = found.is_unknown and (found.is_wrong or not total)
    return SimilarTestsAnswer(
        query=query,
        finding=finding,
        notes=(*notes, *environments.notes(), *without_tests(conn)),
        closest=closest(conn, found.text) if is_not_called_so else (),
        subject=subject.text,
        counts={"entries": entries, "generic": generic, "tests": number},
        hits=tuple(page),
        page=Page(total, offset, len(page)),
    )


def _of_place(conn: sqlite3.Connection, query: str, limit: int, offset: int) -> SimilarTestsAnswer:
    """The tests of what stands in a line; of a file `affected` tells, which weighs what stands in it."""
    seeds = find(conn, query)
    names = [node.name for node in nodes.describe(conn, list(seeds.nodes[:1])).values()]
    file = written(query.strip())
    if names and file is not None and file.first is not None:
        answer = find_similar_tests(conn, names[0], limit, offset)
        note = f"{seeds.what} is in {names[0]}, whose tests these are"
        return replace(answer, query=query, notes=(note, *seeds.notes, *answer.notes))
    if seeds.candidates:
        finding = f"{query} could be: {few(seeds.candidates, 12)}; ask for one of them"
    elif seeds.what:
        finding = f"{seeds.what} is a file: ask affected for the tests of what stands in it, test_file_info for its own"
    else:
        finding = f"no test was found for {query!r}"
    return SimilarTestsAnswer(query, finding, seeds.notes)


def _of_file(
    conn: sqlite3.Connection,
    query: str,
    path: str,
    scored: dict[int, Scored],
    said: str,
    limit: int,
    offset: int,
) -> SimilarTestsAnswer:
    """The tests of a file, or those that are called like it."""
    ranked = sorted(scored.items(), key=lambda item: (-round(item[1].score, 6), item[0]))
    environments = Environments(conn)
    hits = test_hits(conn, ranked[offset : offset + limit], environments)
    return SimilarTestsAnswer(
        query=query,
        finding=f"{path}: {counted(len(ranked), 'test')}"
        if ranked
        else f"no test was found {'that stands in' if '/' in path else 'for'} {path}",
        notes=(said, *environments.notes(), *without_tests(conn)),
        closest=(),
        subject=path,
        counts={"entries": 0, "generic": 0, "tests": len(ranked)},
        hits=tuple(hits),
        page=Page(len(ranked), offset, len(hits)),
    )


def _about(
    conn: sqlite3.Connection, of: tuple[str, ...], scored: dict[int, Scored]
) -> frozenset[int]:
    """Those tests that are about one of the aspects."""
    words = [aspects.Words(aspect) for aspect in of]
    rows = conn.execute(
        queries("find_similar_tests")["about"], {"tests": listed(tuple(scored))}
    ).fetchall()
    return frozenset(row["id"] for row in rows if any(one.fit_row(row) for one in words))


def _run_by_others(conn: sqlite3.Connection, subject: Subject) -> Iterator[str]:
    """Which functions of Python, that many more tests call, run the operators besides: these tests are not theirs."""
    of = {"bases": listed(subject.bases)}
    rows = conn.execute(queries("find_similar_tests")["operator_runners"], of).fetchall()
    told = [f"{row['api']} ({counted(row['tests'], 'test')})" for row in rows]
    if told:
        yield f"not counted: tests of functions that run it among other things: {', '.join(told)}"
