"""find_similar_tests: the tests of an operator, API, module, C++ function or concept."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.upward import Above, operators_above
from torchtalk.answers.base import Page
from torchtalk.answers.tests import SimilarTestsAnswer
from torchtalk.counted import counted, few
from torchtalk.graph import nodes
from torchtalk.names.closest import closest, last_component, quoted
from torchtalk.names.files import written
from torchtalk.names.questions import of_tests, reduced
from torchtalk.names.tests_called import tests_called
from torchtalk.sqlfile import listed
from torchtalk.testing.environment import Environments
from torchtalk.testing.filters import EntryFilters
from torchtalk.testing.installed import without_tests
from torchtalk.testing.subject import Subject, of_class, understand, words_of
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.documented import Documented, tests_of_documented
from torchtalk.tools.finding_tests.hits import paged, test_hits
from torchtalk.tools.finding_tests.instead import as_words, instead, like_words
from torchtalk.tools.finding_tests.opinfo_entries import (
    callers_entries,
    entries_of,
    forward_entries,
    generic_tests,
    runs,
)
from torchtalk.tools.finding_tests.option_tests import tests_of_option
from torchtalk.tools.finding_tests.other_tests import tests_of_file, tests_of_module
from torchtalk.tools.finding_tests.phrase_tests import tests_with_all
from torchtalk.tools.finding_tests.scoring import MOST_RANKED, Scored, score_tests, total_tests
from torchtalk.tools.finding_tests.wider import HELPER, farther, reached
from torchtalk.tools.walks.seeds import find

# So many tests of a backend or gradients come before the entries of the operator.
_MOST_FIRST = 10
_BLANK = re.compile(r"\s")
_QUALIFIED = re.compile(r"\w(?:::|\.)\w")
# Of a module that so few tests use those with its name in theirs follow.
_FEW = 20
# Of what has more tests of its own nobody needs to know who else runs it.
_FEW_OWN = 50
_BY_WORDS = 0.4
_FOLLOWED = "affected follows its callers to tests"


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
    asked, whole = of_tests(query.strip()), of_tests(query.strip(), whole=True)
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
    while not answer.page.total and text and (text := reduced(conn, text)):
        about = _tests_of(conn, text, limit, offset)
        if about.page.total:
            asked, answer = text, about
    if asked == query.strip():
        return replace(answer, query=query, notes=(*tests_called(conn, query), *answer.notes))
    return replace(answer, query=query, notes=(f"taken as {asked}", *answer.notes))


def _tests_of(conn: sqlite3.Connection, query: str, limit: int, offset: int) -> SimilarTestsAnswer:
    file = written(query.strip())
    is_place = file is not None and file.is_plain
    of_file = None if file is not None and file.first is not None else tests_of_file(conn, query)
    if of_file is not None:
        return _of_file(conn, query, *of_file, limit, offset)
    if is_place:
        return _of_place(conn, query, limit, offset)
    subject = understand(conn, query, near=False)
    is_unknown = subject.is_unknown
    entries = entries_of(conn, subject)
    meant = None if entries else of_class(conn, query)
    if meant is not None and (entries_of(conn, meant) or forward_entries(conn, meant, [])):
        subject, entries, is_unknown = meant, entries_of(conn, meant), False
    if not subject.is_name and not entries:
        option = tests_of_option(conn, query)
        if option is not None:
            return _of_file(conn, query, *option, limit, offset)
    last = last_component(query.strip())
    if is_unknown and entries and last != query.strip():
        # The entries are those of what has the end of the name: so are the tests.
        of_end = understand(conn, last, near=False)
        if of_end.bases:
            said = f"these are of {of_end.text}"
            subject = replace(of_end, notes=(said, *of_end.notes))
            entries = entries_of(conn, subject)
    notes = subject.notes
    above = Above((), ())
    most = offset + limit + MOST_RANKED
    # A class of C++ has tests of its own, or is known by what runs it.
    of_members = score_tests(conn, subject, most) if subject.cpp_class else {}
    if subject.cpp_class and all(one.score < HELPER for one in of_members.values()):
        of_members = {
            test: Scored(score, [why])
            for test, (score, why) in reached(Graph(conn), subject).items()
        }
    if (subject.cpp or subject.stub) and not of_members:
        above = operators_above(conn, subject.cpp, subject.stub, is_class=bool(subject.cpp_class))
    if above.operators and not entries and not subject.bases and _is_word(conn, query):
        too = f"{subject.text} is called so; these are tests that have the word in their names"
        subject, notes, above = as_words(subject, words_of(query)), (*notes, too), Above((), ())
    if not entries and not subject.bases and above.operators:
        run_by = ", ".join(above.operators)
        notes = (*notes, f"{subject.text} is run by {run_by}, whose tests these are")
        subject = replace(subject, bases=_bases(above.operators), names=(), above=above.operators)
        entries = entries_of(conn, subject)
    if not entries and subject.bases:
        entries = callers_entries(conn, subject)
    if subject.classes:
        entries += forward_entries(conn, subject, entries)
    scored = of_members or score_tests(conn, subject, most)
    if not subject.is_name:
        for test, (score, why) in tests_with_all(conn, query).items():
            scored.setdefault(test, Scored()).add(score, why)
    is_few = subject.words and not subject.is_name and len(scored) < _FEW
    documented = tests_of_documented(conn, subject.words) if is_few else Documented({}, "")
    called = subject.text if subject.cpp else ""
    whose = "of its own"
    is_known = bool(subject.bases or subject.functions or subject.classes)
    is_dotted = "::" not in subject.text
    if subject.is_name and is_dotted and not (scored or (entries and is_known)):
        # A module may be called like an entry.
        scored, said = tests_of_module(conn, subject)
        notes = (*notes, said) if scored else notes
        if 0 < len(scored) < _FEW:
            # What is bound in C++, or is run by a part of it, nobody calls by a name of the module.
            of_words = as_words(subject, words_of(last_component(subject.text)))
            for test, one in score_tests(conn, of_words, most).items():
                scored.setdefault(test, Scored(one.score * _BY_WORDS, one.why))
    if subject.is_name and not (scored or entries):
        itself = subject
        subject, said = instead(conn, subject)
        notes = notes[:-1] if above.operators else notes
        # Words of a function's name tell less of its tests than what calls it, or stands beside it.
        is_function = "::" in called and not subject.is_name
        reasons, by = farther(conn, itself) if is_function else ({}, "")
        if reasons:
            subject, whose, said = itself, by, f"no test calls {called}: {_FOLLOWED}"
            scored = {test: Scored(score, [why]) for test, (score, why) in reasons.items()}
        else:
            scored, entries = score_tests(conn, subject, most), entries_of(conn, subject)
            if called and not (scored or entries):
                said = f"no test calls {called} or is named like it: {_FOLLOWED}"
        notes = (*notes, said) if scored or entries or called else notes
    if subject.words and not (scored or entries or subject.is_name or called):
        scored, said_of_words = like_words(conn, query, subject)
        notes = (*notes, *said_of_words) if scored or not documented.tests else notes
    for test, (score, why) in documented.tests.items():
        scored.setdefault(test, Scored()).add(score, why)
    notes = (*notes, documented.said) if documented.tests else notes
    is_wrong = is_unknown and bool(_QUALIFIED.search(query)) and not _BLANK.search(query.strip())
    if is_wrong and (scored or entries):
        notes = (f"nothing in the index is called {query.strip()}", *notes)
    generic = generic_tests(conn, entries)
    ranked = sorted(scored.items(), key=lambda item: (-round(item[1].score, 3), item[0]))
    first: list[tuple[int, Scored]] = []
    if above.aspects and (about := _about(conn, above.aspects, scored)):
        first = [item for item in ranked if item[0] in about][:_MOST_FIRST]
        ranked = [*first, *(item for item in ranked if item not in first)]
        said = " and ".join(map(aspects.said, above.aspects))
        notes = (*notes, f"of {said}: the tests that are about it come first")
        fits = [aspects.Words(aspect).fit for aspect in above.aspects]
        generic.sort(key=lambda row: not any(fit(row["path"], "") for fit in fits))
    number = total_tests(conn, subject, scored)
    total = len(entries) + len(generic) + number
    if subject.bases and total and number < _FEW_OWN:
        notes = (*notes, *_run_by_others(conn, subject))
    filters, environments = EntryFilters(conn), Environments(conn)
    page = paged(
        (
            (len(first), lambda at, end: test_hits(conn, ranked[at:end], environments)),
            (len(entries), lambda at, end: [entry.hit for entry in entries[at:end]]),
            (
                len(generic),
                lambda at, end: [runs(row, entries, filters) for row in generic[at:end]],
            ),
            (
                len(ranked) - len(first),
                lambda at, end: test_hits(conn, ranked[len(first) :][at:end], environments),
            ),
        ),
        offset,
        limit,
    )
    listed_in = (
        f"{counted(len(entries), 'OpInfo-like entry', 'OpInfo-like entries')}, "
        f"run by generic tests in {counted(len(generic), 'file')}"
        if entries
        else "no OpInfo-like entry"
    )
    finding = (
        f"{subject.text}: {listed_in}; {counted(number, 'test')} {whose}"
        if total
        else f"no test was found for {query!r}"
        if query.strip()
        else "give an operator, API, module, C++ function, or words"
    )
    return SimilarTestsAnswer(
        query=query,
        finding=finding,
        notes=(*notes, *environments.notes(), *without_tests(conn)),
        closest=closest(conn, query.strip()) if is_unknown and (is_wrong or not total) else (),
        subject=subject.text,
        counts={"entries": len(entries), "generic": len(generic), "tests": number},
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
        else f"no test was found for {path}",
        notes=(said, *environments.notes(), *without_tests(conn)),
        closest=(),
        subject=path,
        counts={"entries": 0, "generic": 0, "tests": len(ranked)},
        hits=tuple(hits),
        page=Page(len(ranked), offset, len(hits)),
    )


def _is_word(conn: sqlite3.Connection, query: str) -> bool:
    """Whether a query is one plain word that tests have in their names: `hooks` is more than a function of C++."""
    words = words_of(query)
    if not query.strip().isidentifier() or len(words) != 1:
        return False
    of = {"words": quoted(words[0])}
    return conn.execute(queries("find_similar_tests")["is_named"], of).fetchone() is not None


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


def _bases(operators: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.partition("::")[2] for name in operators))
