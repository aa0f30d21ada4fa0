"""Where the text names a Python function or class that nothing is seen to use: on an unknown value, or as a type.

`register(x.set_value)` of an unannotated `x` is no edge, for any class may have such a method; where one class alone
has it, it is worth a look. Nor is a class one that only stands as a type, in annotations and questions. The tree's
files are read for it, as long as there is time: those nearest to the function first.
"""

from __future__ import annotations

import io
import re
import sqlite3
from collections.abc import Iterator
from itertools import islice

from torchtalk.affected.sources import Source, Sources
from torchtalk.answers.graph import Subject
from torchtalk.counted import few
from torchtalk.sqlfile import listed
from torchtalk.tools.walks import queries
from torchtalk.tools.walks.named_at import SHORTEST, written_at

_MOST_SHOWN = 4
_MOST_OF_FILE = 20
# What Python's own objects have is mostly theirs, whoever has a method of that name besides.
_OF_PYTHON = frozenset(
    name
    for kind in (dict, list, set, str, bytes, int, float, complex, type, BaseException, memoryview, io.TextIOWrapper)
    for name in dir(kind)
)  # fmt: skip
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(?:\([^)]*\)|[^\n]*)", re.MULTILINE
)
# What stands before a name that is used, and not defined or given a value to.
_USED = re.compile(
    r"(?:[=(\[{,:@+|&]|->|\b(?:return|yield|await|in|if|else|and|or|not|is|except|raise))[ \t]*\Z"
)
_METHOD = re.compile(r"[\w)\]\"'}][ \t]*\.[ \t]*\Z")
_CALLED = re.compile(r"[ \t]*\(")
_GIVEN = re.compile(r"[ \t]*(?::[^=\n]*)?=(?!=)")
_BEGINS = re.compile(r"(?:^|\n)[ \t]*\Z")
_DEFINED = re.compile(r"\b(?:def|class)[ \t]+\Z")


def named_in_python(conn: sqlite3.Connection, thing: Subject) -> tuple[str, ...]:
    """What to say of where a Python function or class is named; nothing where its name is another's as well.

    Of what makes the samples of OpInfos and their like: whose.

    Args:
        conn: an index.
        thing: a function, method or class of Python without a user.
    """
    made = conn.execute(queries("named_at")["samples_made"], {"name": thing.name}).fetchall()
    if made:
        infos = [f"{row['class']} {row['name']}" for row in made]
        return (f"tables of tests take samples from it: {few(infos, _MOST_SHOWN)}",)
    last = thing.name.rpartition(".")[2]
    if len(last) < SHORTEST or last in _OF_PYTHON or last.startswith("__"):
        return ()
    rows = conn.execute(queries("named_at")["python_namesakes"], {"last": last}).fetchall()
    if {row["name"] for row in rows} != {thing.name}:
        return ()
    is_method = any(row["is_method"] for row in rows)
    own = {(row["path"], row["line"]) for row in rows}
    sources = Sources(conn)
    near = conn.execute(
        queries("named_at")["files_near"], {"path": thing.place.file, "kinds": listed(("python",))}
    )
    found = []
    for source in sources.holding(near, (last,)):
        for text in islice(_uses(source, last, own, is_method=is_method), _MOST_OF_FILE):
            if not text:
                return ()
            found.append(text)
    more = f" ({sources.shortfall})" if sources.shortfall else ""
    if not found:
        return (
            (f"nothing was found that has to do with it in this direction{more}",) if more else ()
        )
    what = f"`.{last}`" if is_method else "it"
    return (
        f"the text names {what}, in no use that is known, at {few(list(dict.fromkeys(found)), _MOST_SHOWN)}{more}",
    )


def _uses(
    source: Source, last: str, own: set[tuple[str, int]], *, is_method: bool
) -> Iterator[str]:
    """Places and lines of a file that name a function otherwise than to define or import it.

    Of a method an empty text where an attribute of that name is given a value: then it is that one's name as well.
    """
    from indexer.extract.python.lexical import blank

    if not source.is_indexed:
        return
    code = blank(source.text)
    imports = [] if is_method else [match.span() for match in _IMPORT.finditer(code)]
    lines: list[str] = []
    for match in re.finditer(rf"(?<!\w){last}\b", code):
        start, end = match.span()
        before = code[max(0, start - 80) : start]
        if is_method:
            is_used = bool(_METHOD.search(before))
            if is_used and _GIVEN.match(code, end):
                yield ""
        else:
            is_used = not _DEFINED.search(before) and bool(
                _USED.search(before)
                or _METHOD.search(before)
                or (_BEGINS.search(before) and _CALLED.match(code, end))
            )
        line = code.count("\n", 0, start) + 1
        if not is_used or (source.path, line) in own or any(a <= start < b for a, b in imports):
            continue
        lines = lines or source.text.split("\n")
        yield written_at(source.path, line, lines[line - 1])
