"""What a worker does with a task: parse, walk, write the result."""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import sys
import time
from pathlib import Path

from indexer.clang.cuda import configuration_lines, without_launch_configurations
from indexer.clang.jumbo import JUMBO_PATH, jumbo_text
from indexer.clang.library import Libclang
from indexer.clang.parse import WITHOUT_BODIES, Parsed, ParseError, ParserCrash
from indexer.clang.parting import parted
from indexer.clang.results import write_result
from indexer.clang.setup import HEADERS, JUMBO, PRECOMPILE, UNIT, Outcome, Setup, Task
from indexer.clang.visitor import walk
from indexer.facts.clang import Problem, UnitFacts
from indexer.replacing import replace_file, replacing

# What a precompiled header does to units that were not written for its company.
_COLLISION = re.compile(
    r"redefinition|redeclar|(?:reference|call) to .* is ambiguous|different type|conflicting|already been"
)
# Overloads and specializations that depend on what was instantiated before. One or two calls of a large unit are not
# worth a second parse, which takes three times as long without what is precompiled.
_ORDER = re.compile(r"no matching function for call|explicit specialization")
_LARGE = 400_000
_PRECOMPILED = ("-Xclang", "-fno-validate-pch")
_MOST_PROBLEMS = 5
_HEADER_ROUNDS = 3
_COLLECT_EVERY = 20

_Blanked = tuple[bytes, list[tuple[int, int]]]
"""A text without launch configurations, and the first and last lines of these."""


class Worker:
    """One process's libclang and what it was set up with.

    Args:
        setup: shared by all tasks.

    Raises:
        LibclangMissing: the library cannot be loaded.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._lib = Libclang(Path(setup.library))
        self._skipped: dict[str, frozenset[str]] = {}
        self._blanked: dict[str, _Blanked] | None = None
        self._done = 0
        # Facts hold no cycles; looking for some among a million tuples costs more than it frees.
        gc.disable()

    def run(self, task: Task) -> Outcome:
        """Do the task `task`: parse, and write what comes of it where the task says.

        What goes wrong with its file, or with writing, is told in the outcome, and nothing is raised.
        """
        started = time.process_time()
        try:
            if task.kind == JUMBO:
                return self._jumbo(task, started)
            if task.kind == PRECOMPILE:
                status, detail = self._precompile(task)
            else:
                facts = self._headers(task) if task.kind == HEADERS else self._unit(task)
                seconds = time.process_time() - started
                write_result(task.result, facts._replace(seconds=seconds, memory=_peak()))
                status, detail = facts.status, facts.detail
        except (ParseError, OSError) as error:
            status = "crashed" if isinstance(error, ParserCrash) else "failed"
            detail = str(error)
        self._done += 1
        if self._done % _COLLECT_EVERY == 0:
            gc.collect()
        return Outcome(task.number, status, detail, time.process_time() - started, _peak())

    def _precompile(self, task: Task) -> tuple[str, str]:
        """Make a group's precompiled header, and beside it the list of what it holds.

        A header that gives errors in this company is left out.
        """
        source, target = self._setup.sources[task.group], self._setup.precompiled[task.group]
        index = self._lib.createIndex(0, 0)
        dropped: list[str] = []
        try:
            for _ in range(_HEADER_ROUNDS):
                flags, unsaved = self._flags(task.group, header=True), self._unsaved(task)
                with Parsed(self._lib, index, source, flags, unsaved, WITHOUT_BODIES) as parsed:
                    count, problems = parsed.problems(50)
                    faulty = self._faulty(source, problems) if count else []
                    if not faulty or not _drop(source, faulty):
                        with replacing(Path(target)) as temporary:
                            if not parsed.save(str(temporary)):
                                raise ParseError("the precompiled header could not be written")
                            held = [self._setup.shorten(path) for path in parsed.inclusions()]
                            listed = json.dumps([path for path, _ in held])
                            # A header without its list counts as none.
                            replace_file(Path(f"{target}.json"), listed.encode())
                        break
                    dropped += faulty
        finally:
            self._lib.disposeIndex(index)
        detail = f"left out: {', '.join(dropped)}" if dropped else ""
        return "ok", detail

    def _faulty(self, source: str, problems: list[Problem]) -> list[str]:
        names = re.findall(r"#include <(.+)>", Path(source).read_text(encoding="utf-8"))
        return [name for name in names if any(p.file.endswith("/" + name) for p in problems)]

    def _headers(self, task: Task) -> UnitFacts:
        """Collect the functions of everything that is precompiled, this time with their bodies."""
        if task.over and os.path.exists(self._setup.precompiled[task.over]):
            return self._parse(task, self._setup.precompiled[task.over])
        skipped = frozenset[str]().union(*(self._held(group) for group in task.needs))
        index = self._lib.createIndex(0, 0)
        try:
            flags, unsaved = self._flags(task.group), self._unsaved(task)
            with Parsed(self._lib, index, task.file, flags, unsaved) as parsed:
                return self._facts(task, parsed, skipped)
        finally:
            self._lib.disposeIndex(index)

    def _unit(self, task: Task) -> UnitFacts:
        header = self._setup.precompiled.get(task.group)
        usable = header is not None and os.path.exists(header)
        if not usable:
            return self._parse(task, None, self._held(task.group))
        try:
            facts = self._parse(task, header)
        except ParserCrash:
            raise
        except ParseError:
            return self._parse(task, None, self._held(task.group))
        size = os.path.getsize(task.file)
        others = [self._setup.precompiled[name] for name in self._setup.instead.get(task.group, ())]
        for other in (*others, None):
            if not facts.errors or not _may_be_company(facts, size):
                break
            if other is None or os.path.exists(other):
                # What the group's own header holds is collected once, whether this one holds it or not.
                again = self._parse(task, other, self._held(task.group))
                if again.errors < facts.errors:
                    facts = again
        return facts

    def _jumbo(self, task: Task, started: float) -> Outcome:
        """Parse units as one, and write the facts of those that say what they would say alone."""
        header = self._setup.precompiled.get(task.group, "")
        if not os.path.exists(header):
            return Outcome(task.number, "failed", "there is no precompiled header")
        setup = self._setup
        texts = [(member.file, Path(member.file).read_bytes()) for member in task.members]
        members = {setup.shorten(path)[0]: text for path, text in texts}
        arguments = [*self._flags(task.group), "-include-pch", header, *_PRECOMPILED]
        launching = self._launching(task)
        unsaved = [(path, text) for path, (text, _) in launching.items()]
        unread = {setup.shorten(path)[0]: lines for path, (_, lines) in launching.items()}
        index = self._lib.createIndex(1, 0)
        try:
            with Parsed(
                self._lib, index, JUMBO_PATH, arguments, [*unsaved, (JUMBO_PATH, jumbo_text(texts))]
            ) as parsed:
                _, problems = parsed.problems(sys.maxsize)
                refused = parsed.refused()
                walked = walk(
                    self._lib, parsed.unit, setup.shorten, frozenset(), unread, frozenset(members)
                )
                entered = [setup.shorten(path)[0] for path in parsed.inclusions()]
        finally:
            self._lib.disposeIndex(index)
        # An error that stands nowhere may be anybody's.
        faulty = {setup.shorten(problem.file or JUMBO_PATH)[0] for problem in problems}
        parts = parted(walked, members, entered, self._held(task.group), faulty)
        detail = f"left out: {', '.join(refused)}"[:300] if refused else ""
        used = time.process_time() - started
        size = sum(m.size for m, path in zip(task.members, members, strict=True) if path in parts)
        outcomes = []
        for number, (member, path) in enumerate(zip(task.members, members, strict=True)):
            if (part := parts.get(path)) is None:
                continue
            # What was spent on those that are parsed again is spent, too.
            share = used * member.size / max(1, size)
            facts = part._replace(unit=member.path, detail=detail, seconds=share, memory=_peak())
            write_result(member.result, facts)
            outcomes.append(Outcome(number, "ok", detail, share, _peak()))
        apart = tuple(number for number, path in enumerate(members) if path in faulty)
        return Outcome(task.number, "ok", "", used, _peak(), tuple(outcomes), apart)

    def _unsaved(self, task: Task) -> list[tuple[str, bytes]]:
        """What is read instead of files: device code without launch configurations."""
        return [(path, text) for path, (text, _) in self._launching(task).items()]

    def _launching(self, task: Task) -> dict[str, _Blanked]:
        """Files of device code, as they are read."""
        if task.group not in self._setup.device:
            return {}
        if self._blanked is None:
            self._blanked = {path: _blanked(path) for path in self._setup.launching}
        own = [m.file for m in task.members] or ([task.file] if task.kind == UNIT else [])
        return {**{path: _blanked(path) for path in own}, **self._blanked}

    def _parse(
        self, task: Task, header: str | None, skipped: frozenset[str] = frozenset()
    ) -> UnitFacts:
        arguments = self._flags(task.group)
        if header is not None:
            arguments += ["-include-pch", header, *_PRECOMPILED]
        # An index for each unit: what one leaves behind in it would add up.
        index = self._lib.createIndex(1, 0)
        try:
            with Parsed(self._lib, index, task.file, arguments, self._unsaved(task)) as parsed:
                return self._facts(task, parsed, skipped)
        finally:
            self._lib.disposeIndex(index)

    def _facts(self, task: Task, parsed: Parsed, skipped: frozenset[str]) -> UnitFacts:
        setup = self._setup
        unread = {
            setup.shorten(path)[0]: lines for path, (_, lines) in self._launching(task).items()
        }
        walked = walk(self._lib, parsed.unit, setup.shorten, skipped, unread)
        errors, problems = parsed.problems(_MOST_PROBLEMS)
        problems = [p._replace(file=setup.shorten(p.file)[0]) for p in problems]
        said = []
        if errors:
            first = problems[0]
            said.append(f"{errors} errors; first: {first.file}:{first.line}: {first.text}"[:300])
        if refused := parsed.refused():
            said.append(f"left out: {', '.join(refused)}"[:300])
        detail = "; ".join(said)
        seen = [path for path, is_own in map(setup.shorten, parsed.inclusions()) if is_own]
        return UnitFacts(
            task.path, "partial" if errors else "ok", detail, walked.symbols.found, walked.callers, walked.callees,
            walked.kinds, walked.lines, walked.overrides, walked.stub_kernels, walked.headers, sorted(set(seen)),
            walked.open_callers, walked.open_lines, walked.left_callers, walked.left_lines,
            problems, errors, 0.0, 0.0,
        )  # fmt: skip

    def _flags(self, group: str, *, header: bool = False) -> list[str]:
        flags = list(self._setup.flags[group])
        if header:
            flags[flags.index("-x") + 1] = "c++-header"
        return flags

    def _held(self, group: str) -> frozenset[str]:
        """The headers of the tree that a group's precompiled header holds."""
        if group not in self._skipped:
            target = self._setup.precompiled.get(group)
            try:
                text = Path(f"{target}.json").read_text(encoding="utf-8")
            except OSError:
                text = "[]"
            self._skipped[group] = frozenset(json.loads(text))
        return self._skipped[group]


def _may_be_company(facts: UnitFacts, size: int) -> bool:
    """Whether it may be the company of what is precompiled that a unit's errors come from."""
    if any(_COLLISION.search(problem.text) for problem in facts.problems):
        return True
    return size < _LARGE and any(_ORDER.search(problem.text) for problem in facts.problems)


def _drop(source: str, names: list[str]) -> bool:
    """Take headers out of the text that is precompiled; whether any was in it."""
    path = Path(source)
    lines = path.read_text(encoding="utf-8").splitlines()
    left = [line for line in lines if line not in {f"#include <{name}>" for name in names}]
    path.write_text("\n".join(left) + "\n", encoding="utf-8")
    return len(left) < len(lines)


def _blanked(path: str) -> _Blanked:
    data = Path(path).read_bytes()
    return without_launch_configurations(data), configuration_lines(data)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def limit_memory(bytes_: int) -> None:
    """Bound what this process may allocate; libclang then dies of one file instead of the machine of all.

    Args:
        bytes_: the bound; 0 for none. One that holds already is never raised.
    """
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if bytes_ and (hard == resource.RLIM_INFINITY or hard > bytes_):
        resource.setrlimit(resource.RLIMIT_DATA, (bytes_, bytes_))
