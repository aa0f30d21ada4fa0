"""The text of find_similar_tests, list_test_utils and test_file_info."""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.answers.tests import SimilarTestsAnswer, TestFileAnswer, TestUtilsAnswer
from torchtalk.counted import counted
from torchtalk.render.pages import page_line, row
from torchtalk.render.text import lines_of


@lines_of.register
def _(answer: SimilarTestsAnswer) -> Iterator[str]:
    for hit in answer.hits:
        kind = f"{hit.kind} " if hit.kind not in ("test", "gtest", "generic") else ""
        yield from row(f"{kind}{hit.name}  {hit.place}  [{'; '.join(hit.why)}]")
        if hit.command:
            yield f"  $ {hit.command}"
    yield from page_line(answer.page, "entries, files and tests")


@lines_of.register
def _(answer: TestUtilsAnswer) -> Iterator[str]:
    for category in answer.categories:
        examples = ", ".join(category.examples)
        uses = counted(category.uses, "use")
        yield from row(f"{category.name}: {category.utilities} ({uses}), such as {examples}")
    for line in answer.utilities:
        doc = f"  {line.doc}" if line.doc else ""
        name = line.name if line.signature is None else line.name + _short(line.signature)
        yield from row(f"{name}  {line.place}  {_used(line.uses, line.used_in)}{doc}")
    yield from page_line(answer.page, "utilities" if answer.query.strip() else "categories")


def _used(uses: int, files: int) -> str:
    """How often, of the uses that are counted: a table of OpInfos that names a function is none."""
    if not uses:
        return "not called, decorated with or derived from"
    return f"{counted(uses, 'use')} in {counted(files, 'file')}"


def _short(signature: str) -> str:
    return signature if len(signature) <= 120 else f"{signature[:117]}...)"


@lines_of.register
def _(answer: TestFileAnswer) -> Iterator[str]:
    yield from answer.candidates
    if not answer.path:
        return
    if answer.doc:
        yield answer.doc
    for command in answer.commands:
        yield f"$ {command}"
    for line in answer.classes:
        bases = f"({', '.join(line.bases)})" if line.bases else ""
        runs = f"; {', '.join(line.runs)}" if line.runs else ""
        role = "" if line.role == "test" else f" [{line.role}]"
        tests = counted(line.tests, "test")
        yield from row(f"{line.name}{bases}{role}  {answer.path}:{line.line}  {tests}{runs}")
    yield from page_line(answer.page, "classes")
    for entry in answer.lists:
        entries = counted(entry.entries, "entry", "entries")
        if not entry.is_certain:
            entries = f"at most {entries} (its condition is not evaluated)"
        yield f"@{entry.decorator}({entry.name}): {entries}, {counted(entry.tests, 'test')}"
    if answer.operators:
        yield "operators by tests that call them: " + _counted(answer.operators)
    if answer.decorators:
        yield "decorators: " + _counted(answer.decorators)
    if answer.imports:
        yield f"imports: {', '.join(answer.imports)}"


def _counted(pairs: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{name} {number}" for name, number in pairs)
