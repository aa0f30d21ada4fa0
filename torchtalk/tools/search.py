"""search: operators and all else by name or part of a name, filtered by backend or kind."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import replace
from typing import NamedTuple

from indexer.words import split_words
from torchtalk.answers.base import Page, Place
from torchtalk.answers.search import Hit, SearchAnswer
from torchtalk.arguments import BadArgument
from torchtalk.counted import counted, few
from torchtalk.names import in_imported, resolve
from torchtalk.names.closest import closest, last_component, quoted
from torchtalk.names.initials import with_initials
from torchtalk.names.macros import macro_places
from torchtalk.names.meaning import Target
from torchtalk.names.operator_scopes import may_hold_operators
from torchtalk.names.options import options_called, said_of_options
from torchtalk.names.overloads import Overloads, named_overloads
from torchtalk.names.questions import reduced, with_most_words
from torchtalk.names.tests_called import tests_called
from torchtalk.names.written import plain
from torchtalk.testing.installed import is_installed
from torchtalk.tools import queries
from torchtalk.tools.kernels.serving import Serving, serving
from torchtalk.tools.searching.elsewhere import with_elsewhere
from torchtalk.tools.searching.inside import inside
from torchtalk.tools.searching.others import EXACT, OF_ITS_WORDS, WHY, others

_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 12
_NOTHING = quoted("")  # an empty phrase matches no row
_COMPOSITE = "Composite"
_SENTENCE = 4  # so many words are a text, not a name
_NO_TEXTS = (
    "texts of errors and comments are not in the index, names are: look for a text with grep, and ask for the "
    "function that it stands in by FILE:LINE"
)
_MOST_ALIKE = 6
_INITIALS = "initials of its name"
_IN_WORDS = re.compile(r"[a-z]+")
_FEW = 10  # names that are no operators, below the operators


def search(
    conn: sqlite3.Connection,
    query: str,
    backend: str = "",
    kind: str = "",
    limit: int = 20,
    offset: int = 0,
) -> SearchAnswer:
    """Find operators, and whatever else has such a name.

    Args:
        conn: an index.
        query: a name, parts of one, or several words; `torch.` and `aten::` may stand before it.
        backend: a dispatch key in any case, to keep operators that have an entry for it.
        kind: `operator` or one of `OTHER_KINDS`, to show (and page through) these alone.
        limit: most names to show.
        offset: how many to pass over.

    Raises:
        BadArgument: no operator has an entry for the backend; the message lists those there are.
    """
    if not backend and kind != "operator":
        contents = inside(conn, query, kind, limit, offset)
        if contents is not None:
            return contents
    answer = _search(conn, query, backend, kind, limit, offset)
    text: str | None = query
    bare = plain(query) if "(" in query or "<" in query else ""
    if not answer.found and bare and bare != query.strip():
        found = _search(conn, bare, backend, kind, limit, offset)
        answer = replace(found, query=query, notes=(f"taken as {bare}", *found.notes))
    if not answer.found and backend and (meant := with_initials(conn, query)):
        # What a composite operator calls serves the backend.
        found = _search(conn, meant[0], backend, kind, limit, offset)
        if found.found:
            taken = f"taken as {meant[0]}, of whose name it has the initials"
            return replace(found, query=query, notes=(taken, *found.notes))
    while not answer.found and text and (text := reduced(conn, text)):
        about = _search(conn, text, backend, kind, limit, offset)
        if about.found:
            # A word of many may be a mere word of what was pasted.
            said = () if not text.isalpha() else (n for n in answer.notes if n == _NO_TEXTS)
            notes = (f"nothing fits all words; taken as {text}", *said, *about.notes)
            return replace(about, query=query, notes=notes)
    is_open = not backend and not kind
    if is_open and not (answer := with_elsewhere(conn, query, answer, offset)).found:
        alike = (*with_most_words(conn, query), *answer.closest)
        answer = replace(answer, closest=tuple(dict.fromkeys(alike))[:_MOST_ALIKE])
    if is_open and (places := macro_places(conn, query)):
        macro = f"{query.strip()} is a macro, defined at {few(places, 4)} (impact follows the functions that use it)"
        told = tuple(note for note in answer.notes if note != _NO_TEXTS)
        answer = replace(answer, finding=f"{macro}; {answer.finding}", notes=told, closest=())
    if is_open and (option := said_of_options(conn, query)):
        is_called_so = any(row["name"] == query.strip() for row in options_called(conn, query))
        # What only ends so, or is a log's plain word, is told beside what is found.
        if is_called_so and not _IN_WORDS.fullmatch(query.strip()):
            answer = replace(answer, finding=f"{option}; {answer.finding}", closest=())
        else:
            answer = replace(answer, notes=(option, *answer.notes))
    tests = tests_called(conn, query) if is_open else ()
    is_name = not backend and kind in ("", "class") and "." not in query
    imported = tuple(
        f"{query.strip()} is what files of the tree import {name} as"
        for name in (in_imported(conn, query)[:1] if is_name else ())
    )
    before = (*tests, *imported)
    return replace(answer, notes=(*before, *answer.notes)) if before else answer


def _search(
    conn: sqlite3.Connection, query: str, backend: str, kind: str, limit: int, offset: int
) -> SearchAnswer:
    """What is found for a text as it is; the arguments are those of `search`, and so is what is raised."""
    key = _key(conn, backend.strip())
    if key and kind not in ("", "operator"):
        raise BadArgument(
            f"backend keeps operators, of which none is a {kind}; give only one of the two"
        )
    asked = _asked(conn, query, key, kind)
    if not asked.words:
        return SearchAnswer(query, "give a name or a part of one", backend=key)
    if kind and kind != "operator":
        return _of_kind(conn, asked, limit, offset)
    meant = _meant(conn, asked)
    if meant is not None and not key and not kind:
        # `thrust::copy` is no aten::copy, whatever its last part.
        answer = SearchAnswer(query, f"no operator fits {query!r}", _of_library(meant))
        answer = _with_others(conn, asked, answer, limit, offset)
        return answer if answer.found or answer.notes else _nothing(conn, asked, answer)
    answer = _operators(conn, asked, limit, offset)
    if not key and not kind:
        answer = _with_others(conn, asked, answer, limit, offset)
    return answer if answer.found else _nothing(conn, asked, answer)


class _Asked(NamedTuple):
    """What is looked for.

    Args:
        query: as it was asked.
        text: what of it names may have in them.
        words: of the text.
        key: the dispatch key that operators must have an entry for; empty for any.
        kind: `operator` or one of `OTHER_KINDS`; empty for all.
        named: the overloads that it names, where it does.
        is_foreign: what qualifies it is no namespace of operators.
        texts: what the statement `search` asks for.
    """

    query: str
    text: str
    words: list[str]
    key: str
    kind: str
    named: Overloads
    is_foreign: bool
    texts: dict[str, str]


def _asked(conn: sqlite3.Connection, query: str, key: str, kind: str) -> _Asked:
    text = query.strip()
    named = named_overloads(conn, text)
    if named.base:
        text = named.base
    elif not re.search(r"\s", text):
        text = last_component(text.rstrip(":."))  # `prim::` asks for what is in it
    words = _WORD.findall(text)[:_MOST_WORDS]
    texts = {
        "base": text,
        "words": _expression(words, ""),
        "beginnings": _expression(words, "*"),
        "part": quoted(text) if len(text) >= 3 else _NOTHING,
        "backend": key,
        **_in_namespace(conn, words),
    }
    is_foreign = not named.base and not may_hold_operators(conn, query.strip().rstrip(":"))
    return _Asked(query, text, words, key, kind, named, is_foreign, texts)


def _meant(conn: sqlite3.Connection, asked: _Asked) -> Target | None:
    """What a name means by whose qualifier no operator can be meant."""
    return resolve(conn, asked.query, near=False).target if asked.is_foreign else None


def _of_library(meant: Target) -> tuple[str, ...]:
    """What is said of a name that has no row of its own here."""
    is_library = meant.kind == "gpu_library"
    told = f"{meant.name} is a function of a library: cuda_kernels shows who calls it"
    return (told,) if is_library else ()


def _of_kind(conn: sqlite3.Connection, asked: _Asked, limit: int, offset: int) -> SearchAnswer:
    """The names of one kind that are no operators."""
    query, kind = asked.query, asked.kind
    found, page, kinds = others(conn, asked.texts, query, kind, limit, offset)
    return SearchAnswer(
        query,
        f"{_fitting(page.total, f'name of kind {kind}', f'names of kind {kind}')} {query!r}",
        () if page.total else _of_other_kinds(conn, asked.texts, query),
        closest=() if page.total else closest(conn, asked.text, (kind,)),
        kind=kind, others=found, others_page=page, kinds=kinds,
    )  # fmt: skip


def _operators(conn: sqlite3.Connection, asked: _Asked, limit: int, offset: int) -> SearchAnswer:
    """The operators that fit, those first that the text names or that do its work for the backend."""
    query, key = asked.query, asked.key
    notes, served = _composite(conn, asked.text, key)
    whys = _whys(conn, asked, served)
    namespace = query.strip() if query.strip().endswith("::") else ""
    # Of a namespace what stands in it, and not in `_c10d_functional`, comes first.
    shown = sorted(whys, key=lambda name: not name.startswith(namespace))[offset : offset + limit]
    hits = tuple(_hit(conn, name, whys[name], key) for name in shown)
    where = f" with an entry for {key}" if key else ""
    return SearchAnswer(
        query=query,
        finding=f"{_fitting(len(whys), 'operator', 'operators')} {query!r}{where}",
        notes=(*asked.named.missing, *notes),
        backend=key,
        kind=asked.kind,
        hits=hits,
        page=Page(len(whys), offset, len(hits)),
    )


def _whys(conn: sqlite3.Connection, asked: _Asked, served: list[Serving]) -> dict[str, str]:
    """The operators that fit, in order, each with the reason."""
    key = asked.key
    fitting = conn.execute(queries("search")["search"], asked.texts).fetchall()
    # What does the work comes first, then what is only called alike.
    whys = {f"aten::{s.base}": f"called by {' -> '.join(s.path[:-1])}" for s in served}
    fits = {row["operator"] for row in fitting}
    for operator in (*asked.named.overloads, *asked.named.packets):
        packet = operator.partition(".")[0]
        if packet in fits and (operator == packet or _has_entry(conn, operator, key)):
            whys.setdefault(operator, EXACT)
    if not any(WHY[row["tier"]] in OF_ITS_WORDS for row in fitting):
        for operator in with_initials(conn, asked.text):
            if _has_entry(conn, operator, key):
                whys.setdefault(operator, _INITIALS)
    for row in fitting:
        why = WHY[max(row["tier"], int(asked.is_foreign))]
        whys.setdefault(row["operator"], why)
    return whys


def _has_entry(conn: sqlite3.Connection, operator: str, key: str) -> bool:
    """Whether an operator has an entry for a key; for none all have."""
    return not key or key in _hit(conn, operator, "", key).keys


def _with_others(
    conn: sqlite3.Connection, asked: _Asked, answer: SearchAnswer, limit: int, offset: int
) -> SearchAnswer:
    """The same with other names: the best below the first operators, or pages of them where no operator fits."""
    has_operators = answer.page.total > 0
    most, first = limit, offset
    if has_operators:
        most, first = min(limit, _FEW) if offset == 0 else 0, 0
    whole = asked.query.strip().removeprefix("::") if asked.is_foreign else ""
    found, page, kinds = others(conn, asked.texts, asked.query, "", most, first, whole)
    if not page.total:
        return answer
    number = counted(page.total, "other name")
    if has_operators:
        also = f"{answer.finding}, and {number}"
    else:
        also = f"{answer.finding}; {number} {'does' if page.total == 1 else 'do'}"
    return replace(answer, finding=also, others=found, others_page=page, kinds=kinds)


def _nothing(conn: sqlite3.Connection, asked: _Asked, answer: SearchAnswer) -> SearchAnswer:
    """An answer without any name, with what there is instead."""
    query, texts, notes = asked.query, asked.texts, answer.notes
    if asked.key:
        without = {**texts, "backend": ""}
        notes = (*notes, *_of_other_kinds(conn, without, query, "without a backend"))
    elif asked.kind:
        notes = (*notes, *_of_other_kinds(conn, texts, query))
    if len(asked.words) >= _SENTENCE:
        notes = (*notes, _NO_TEXTS)
    kinds = ("operator",) if asked.key or asked.kind else ()
    return replace(answer, notes=notes, closest=closest(conn, asked.text, kinds))


def _of_other_kinds(
    conn: sqlite3.Connection, texts: dict[str, str], query: str, what: str = "of other kinds"
) -> tuple[str, ...]:
    """What fits where nothing of the kind or for the backend that is asked for does."""
    operators = len(conn.execute(queries("search")["search"], texts).fetchall())
    _, _, kinds = others(conn, texts, query, "", 0, 0)
    fitting = [*((("operator", operators),) if operators else ()), *kinds]
    listed = ", ".join(f"{number} {kind}" for kind, number in fitting)
    return (f"{what} there are {listed}",) if fitting else ()


def _fitting(number: int, one: str, several: str) -> str:
    verb = "fit" if number > 1 else "fits"
    return f"{counted(number, one, several) if number else f'no {one}'} {verb}"


def _expression(words: list[str], suffix: str) -> str:
    """An FTS5 expression: every word, whole or split as the index splits it."""
    terms = []
    for word in words:
        pieces = split_words(word).split()
        alternatives = quoted(word.lower()) + suffix
        if len(pieces) > 1:
            parts = " AND ".join(quoted(piece) for piece in pieces[:-1])
            alternatives = f"({alternatives} OR ({parts}))"
        terms.append(alternatives)
    return " AND ".join(terms)


def _in_namespace(conn: sqlite3.Connection, words: list[str]) -> dict[str, str]:
    """What is asked of the operators of a namespace: `quantized conv`, `vulkan prepack conv2d`.

    A namespace is no word of its operators in the index, since most are aten's.
    """
    namespaces = [row["namespace"] for row in conn.execute(queries("search")["namespaces"])]
    own = [word for word in words if any(word.lower() in n.lower().split("_") for n in namespaces)]
    others = [word for word in words if word not in own]
    if not own or not others:
        return {"within": "[]", "rest": _NOTHING, "rest_beginnings": _NOTHING}
    within = [n for n in namespaces if all(word.lower() in n.lower().split("_") for word in own)]
    return {
        "within": json.dumps(within),
        "rest": _expression(others, ""),
        "rest_beginnings": _expression(others, "*"),
    }


def _key(conn: sqlite3.Connection, backend: str) -> str:
    if not backend:
        return ""
    keys = [row["name"] for row in conn.execute(queries("search")["keys"])]
    for key in keys:
        if key.lower() == backend.lower():
            return str(key)
    raise BadArgument(
        f"no operator has an entry for {backend!r}; keys there are: {', '.join(keys)}"
    )


def _hit(conn: sqlite3.Connection, name: str, why: str, key: str) -> Hit:
    namespace, _, base = name.partition("::")
    base, _, overload = base.partition(".")
    packet = conn.execute(
        queries("search")["packet"],
        {"namespace": namespace, "base": base, "overload": overload or None, "backend": key},
    ).fetchone()
    return Hit(
        name=name,
        overloads=packet["overloads"],
        place=Place(packet["path"], packet["line"]),
        keys=tuple(sorted(packet["keys"].split(","))) if packet["keys"] else (),
        kernels=tuple(packet["kernels"].split(",")) if packet["kernels"] else (),
        why=why,
    )


def _composite(
    conn: sqlite3.Connection, base: str, key: str
) -> tuple[tuple[str, ...], list[Serving]]:
    """What to say when the operator of this very name has no entry for the backend, and what has."""
    if not key:
        return (), []
    rows = conn.execute(queries("search")["exact"], {"base": base}).fetchall()
    if not rows or any(row["dispatch_key"] == key for row in rows):
        return (), []
    name = rows[0]["operator"]
    own = [row for row in rows if row["operator"] == name]
    composite = min(
        (row for row in own if row["dispatch_key"].startswith(_COMPOSITE)),
        key=lambda row: bool(row["is_structured"]),
        default=None,
    )
    if composite is None or key.startswith(_COMPOSITE):
        keys = ", ".join(dict.fromkeys(row["dispatch_key"] for row in own))
        return (f"{name} itself has no {key} entry; it has {keys}",), []
    what = f"{name} itself has no {key} entry: it is {composite['dispatch_key']} ({composite['kernel']}), "
    served = serving(conn, name.partition("::")[2], key)
    if served:
        return (
            f"{what}so operators that it calls may serve {key}; which of them runs is decided at run time",
        ), served
    if composite["is_structured"]:
        # torchgen/dest/register_dispatch_key.py, StructuredRegisterDispatchKey.gen_one
        return (f"{what}which calls the out variant, and that has no {key} entry either",), []
    if is_installed(conn):
        return (f"{what}and what that calls an installed package does not have",), []
    return (f"{what}and no operator that it is known to call has one",), []
