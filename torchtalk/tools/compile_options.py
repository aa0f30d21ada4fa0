"""compile_options: TORCH_LOGS, config options, environment variables and graph-break messages."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import re
import sqlite3

from torchtalk.answers.base import Page, Place
from torchtalk.answers.compile_options import CompileOptionsAnswer, OptionHit
from torchtalk.counted import counted
from torchtalk.layers import is_built
from torchtalk.names import resolve
from torchtalk.names.questions import the_name, without_asking
from torchtalk.tools import queries
from torchtalk.tools.catalog import OPTION_KINDS

_WORD = re.compile(r"[A-Za-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MOST_WORDS = 40
_MOST_PLACES = 3
_MOSTLY = 0.8
_RUN = re.compile(r"\{[^}]*\}")
_MOST_CLOSEST = 120
_FEW = 5
_ALIKE = 0.8
_LEAST_PART = 3

# As people set them, in a shell or in Python: `TORCH_LOGS="+dynamo" python x.py` is about TORCH_LOGS.
_ASSIGNED = re.compile(r"^(?:export\s+)?([A-Za-z_][\w.]*)\s*=(?!=)")
_RAISED = re.compile(r"^(?:[\w.]+\.)?Unsupported: ")
_NAME = re.compile(r"[A-Za-z_][\w.]*(?:\(\))?\Z")
_BREAKS = re.compile(r"\bgraph[ _-]?breaks?\b", re.IGNORECASE)
# What is asked with about graph breaks: `list` and `function` are what they may be of.
_ASKING = frozenset(
    "a an and any are at avoid by can cause causes did do does for from get gets how i if in into is it my of on or"
    " the there to what when where which who why will with you".split()
)


def compile_options(
    conn: sqlite3.Connection, query: str, kind: str = "", limit: int = 20, offset: int = 0
) -> CompileOptionsAnswer:
    """Find switches and messages.

    Args:
        conn: an index.
        query: a name, words of a name or description, or the text of a graph break; empty lists all.
        kind: one of `OPTION_KINDS`; empty for all.
        limit: most hits to show.
        offset: how many to pass over.
    """
    assigned = _ASSIGNED.match(query.strip())
    text = assigned[1] if assigned is not None else _RAISED.sub("", query.strip())
    words = _words(text)
    hits = [*_options(conn, kind), *_graph_breaks(conn, kind)]
    what_breaks = _what_breaks(text)
    said = _words(what_breaks)
    ranked = [
        (
            _rank(hit, what_breaks, said)
            if said and hit.kind == "graph_break"
            else _rank(hit, text, words),
            hit,
        )
        for hit in hits
    ]
    fitting = sorted(
        ((rank, hit) for rank, hit in ranked if rank is not None),
        key=lambda ranked_hit: (
            bool(said) and ranked_hit[1].kind != "graph_break",
            ranked_hit[0],
            OPTION_KINDS.index(ranked_hit[1].kind),
            ranked_hit[1].name,
        ),
    )
    shown = tuple(_with_uses(conn, hit) for _, hit in fitting[offset : offset + limit])
    what = f"{kind} " if kind else ""
    total = len(fitting)
    if total:
        entries = counted(total, f"{what}entry", f"{what}entries")
        fit = "fits" if total == 1 else "fit"
        finding = f"{entries} {fit} {query!r}" if words else entries
    elif name := the_name(text) or without_asking(text):
        name, sought = (what_breaks, "graph_break") if said else (name, kind)
        about = compile_options(conn, name, sought, limit, offset)
        dynamo = (f"compile_path says what Dynamo does with {name}",) if _NAME.match(name) else ()
        notes = (f"taken as {name}", *(dynamo if said and not about.hits else about.notes))
        return dataclasses.replace(about, query=query, notes=notes)
    elif not hits:
        why = ": the tree is older than torch.compile" if is_built(conn, "compile") else ""
        finding = f"this index has no {what}options{why}"
    else:
        finding = f"none of {len(hits):,} {what}entries fits {query!r}"
    notes = _notes(kind, words)
    if not total and words and _is_operator(conn, text):
        notes = (f"compile_path follows {text} through torch.compile", *notes)
    return CompileOptionsAnswer(
        query, finding, notes, () if total else _closest(hits, words), kind, shown,
        Page(total, offset, len(shown)),
    )  # fmt: skip


def _what_breaks(text: str) -> str:
    """What a question about graph breaks names, as no message says of itself: `setattr` of `graph break on setattr`."""
    rest = _BREAKS.sub(" ", text)
    kept = [word for word in rest.split() if word.lower().strip(",;?!'\"") not in _ASKING]
    return "" if rest == text else " ".join(kept).rstrip("?!. ")


def _notes(kind: str, words: list[str]) -> tuple[str, ...]:
    if words or kind:
        return ()
    return (f"kinds: {', '.join(k for k in OPTION_KINDS if k)}",)


def _is_operator(conn: sqlite3.Connection, text: str) -> bool:
    """Whether a name is that of an operator, or of what ends at some."""
    target = resolve(conn, text, near=False).target
    return target is not None and bool(target.overloads)


@functools.lru_cache(
    maxsize=8_192
)  # the names and descriptions of one index's options, for the next question
def _words(text: str) -> list[str]:
    found = (word.lower() for word in _WORD.findall(_CAMEL.sub(" ", text)))
    return list(dict.fromkeys(found))[:_MOST_WORDS]


def _options(conn: sqlite3.Connection, kind: str) -> list[OptionHit]:
    """Options; the places that read one environment variable together, of each file one first."""
    found: dict[tuple[str, str], OptionHit] = {}
    places: dict[tuple[str, str], list[Place]] = {}
    for row in conn.execute(queries("compile_options")["options"], {"kind": kind}):
        shared = (row["kind"], row["name"])
        place = Place(row["path"], row["line"])
        earlier = found.get(shared)
        places.setdefault(shared, []).append(place)
        if earlier is None:
            details = row["details"] if row["kind"] == "artifact" else ""
            default = ", ".join(part for part in (row["default_value"], details) if part)
            environment = "" if row["kind"] != "config" else row["environment"]
            found[shared] = OptionHit(
                row["kind"], row["name"], default, row["description"], environment, places=(place,)
            )
        else:
            found[shared] = dataclasses.replace(
                earlier,
                default=_either(earlier.default, row["default_value"]),
                description=earlier.description or row["description"],
            )
    for shared, all_places in places.items():
        if len(all_places) > 1:
            first = {place.file: place for place in reversed(all_places)}
            chosen = sorted(all_places, key=lambda place: place != first[place.file])[:_MOST_PLACES]
            found[shared] = dataclasses.replace(
                found[shared], places=tuple(chosen), more_places=len(all_places) - len(chosen)
            )
    return list(found.values())


def _either(default: str, other: str) -> str:
    """What readers of one variable take where it is not set; they may differ."""
    said = default.split(" | ") if default else []
    return " | ".join([*said, other]) if other and other not in said and len(said) < 3 else default


def _graph_breaks(conn: sqlite3.Connection, kind: str) -> list[OptionHit]:
    found: dict[str, OptionHit] = {}
    for row in conn.execute(queries("compile_options")["graph_breaks"], {"kind": kind}):
        place = Place(row["path"], row["line"])
        earlier = found.get(row["message"])
        if earlier is not None:
            if len(earlier.places) < _MOST_PLACES:
                found[row["message"]] = dataclasses.replace(
                    earlier, places=(*earlier.places, place)
                )
            else:
                more = earlier.more_places + 1
                found[row["message"]] = dataclasses.replace(earlier, more_places=more)
            continue
        explained = "; ".join(part for part in (row["explanation"], row["context"]) if part)
        found[row["message"]] = OptionHit(
            "graph_break", row["message"], row["code"], explained,
            hints=tuple(row["hints"].split("\n")) if row["hints"] else (), places=(place,),
        )  # fmt: skip
    return list(found.values())


def _rank(hit: OptionHit, query: str, words: list[str]) -> tuple[float, int] | None:
    """How well a hit fits, the less the better; None where it does not."""
    if not words:
        return (0, 0)
    name = hit.name.lower()
    text = query.lower()
    if (
        name == text
        or hit.default.lower() == text
        or (hit.kind == "config" and name.endswith(f".{text}"))
    ):
        return (0, 0)
    if text in name:
        return (1, len(name))
    in_name = set(_words(hit.name))
    matched = sum(word in in_name for word in words)
    if matched == len(words):
        return (2, len(name))
    if text in (hit.environment.lower(), hit.description.lower()):
        return (2, len(name))
    everywhere = in_name | set(_words(f"{hit.description} {hit.environment} {' '.join(hit.hints)}"))
    found = sum(word in everywhere for word in words)
    if found == len(words):
        return (3 - matched / (len(words) + 1), len(name))
    if hit.kind == "graph_break" and len(words) > 2:
        # A message that was pasted has words that only a run tells: what is fixed has to be in it.
        fixed = set(_words(_RUN.sub(" ", hit.name)))
        both = len(fixed & set(words))
        if len(fixed) > 2 and both / len(fixed) >= _MOSTLY:
            return (4 - both / (len(fixed | set(words))), len(name))
    return None


def _closest(hits: list[OptionHit], words: list[str]) -> tuple[str, ...]:
    """Those with most of the words, then those with parts of them or with words spelt nearly so.

    What many entries say (`torch`, `tensor`) tells nothing, nor does what a message puts in when it is raised.
    """
    named = [set(_words(_RUN.sub(" ", hit.name))) for hit in hits]
    said = [names | set(_words(hit.description)) for names, hit in zip(named, hits, strict=True)]
    most = max(_FEW, len(hits) // 20)
    telling = [word for word in words if sum(word in each for each in said) <= most]
    known = sorted(set().union(*named))
    alike = {
        word: {part for part in known if _is_part(word, part) or _is_part(part, word)}.union(
            difflib.get_close_matches(word, known, 3, _ALIKE)
        )
        for word in telling
    }
    scored = []
    for hit, names, every in zip(hits, named, said, strict=True):
        whole = sum(word in every for word in telling)
        number = sum(not alike[word].isdisjoint(names) for word in telling)
        if number or whole:
            scored.append((-whole, -number, len(hit.name), hit.name))
    shown = (name for *_, name in sorted(scored)[:5])
    return tuple(n if len(n) <= _MOST_CLOSEST else n[: _MOST_CLOSEST - 1] + "…" for n in shown)


def _is_part(part: str, word: str) -> bool:
    """Whether the better half of a word is in a text: `autotun` of `autotune`, not `max` of `softmax`."""
    return part in word and 2 * len(part) > len(word) and len(part) >= _LEAST_PART


def _with_uses(conn: sqlite3.Connection, hit: OptionHit) -> OptionHit:
    if hit.kind != "artifact":
        return hit
    rows = conn.execute(queries("compile_options")["uses"], {"name": hit.name})
    return dataclasses.replace(hit, used=tuple(Place(row["path"], row["line"]) for row in rows))
