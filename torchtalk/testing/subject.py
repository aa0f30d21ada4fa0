"""What a question about tests is about: operators, Python functions and classes, or words."""

from __future__ import annotations

import functools
import re
import sqlite3
import unicodedata
from dataclasses import dataclass, replace
from itertools import chain

from torchtalk.counted import few
from torchtalk.graph import nodes
from torchtalk.names import operator_around, resolve
from torchtalk.names.bound_names import bound_as, bound_under
from torchtalk.names.closest import last_component
from torchtalk.names.methods import find_method
from torchtalk.sqlfile import listed
from torchtalk.testing import queries

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MOST_WORDS = 8
_MOST_CANDIDATES = 6
_MOST_BOUND = 2  # `x[i] = y` and `del x[i]` are one slot's
ENDING = re.compile(r"(?:ations?|ating|ated|ates?|ions?|ings?|ers?|ed|es|e|s)$")
"""What English puts behind a word: accumulate, accumulation; fuse, fused; hook, hooks."""

# Before a name in a phrase: tests of `torch.compile dynamic shapes` have its last part in their names alone.
_NAMESPACES = re.compile(
    r"(?<![\w./:])(?:torch|nn|F|Tensor|optim|at|aten|c10)(?:\.|::)(?:[A-Za-z_]\w*(?:\.|::))*(?=[A-Za-z_])"
)
# The C++ functions that stand for something, by what it is.
_CPP = {
    "function": "cpp_functions",
    "kernel": "cpp_functions",
    "cpp_class": "cpp_members",
    "binding": "bound_functions",
}
# Their methods are called like operators (torchgen/gen.py, TensorBody.h).
_TENSORS = ("at::Tensor", "at::TensorBase")
# Those of vectors are what kernels of operators of the same name are made of (aten/src/ATen/cpu/vec/functional.h).
_VECTORS = "at::vec"
# How people write them to what the index has: the first parts of public names.
_SHORT = {
    "F": "torch.nn.functional",
    "nn": "torch.nn",
    "optim": "torch.optim",
    "Tensor": "torch.Tensor",
}


@dataclass(frozen=True)
class Subject:
    """What a query was understood as.

    Args:
        text: for people.
        bases: of operators: `softmax`, `linalg_det`.
        operators: the same, with their namespaces: `aten::softmax`.
        names: of OpInfos and their like: `nn.functional.softmax`, `nn.Linear`.
        functions: ids of Python functions.
        classes: ids of Python classes.
        cpp: ids of C++ functions.
        cpp_class: name of the C++ class that they are the members of, or empty.
        stub: name of the DispatchStub that it is, or empty.
        is_unknown: nothing is called so, and names that are like it were not looked for.
        bare: the name as it was asked for, where that is one identifier of several words: `save_for_backward`.
        others: those operators of other namespaces whose bases are aten's as well, which `bases` leaves out.
        native: name that C++ binds, of what runs no operator, or several and is about none: `torch.tensor`.
        above: the operators that `bases` are of, where these only run what it is.
        words: of the query, lower case.
        is_name: it names something; otherwise it is only words.
        notes: how the name was understood, where that is not plain.
        closest: names like it, where it is not known.
    """

    text: str
    bases: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    functions: tuple[int, ...] = ()
    classes: tuple[int, ...] = ()
    cpp: tuple[int, ...] = ()
    cpp_class: str = ""
    words: tuple[str, ...] = ()
    is_name: bool = False
    notes: tuple[str, ...] = ()
    closest: tuple[str, ...] = ()
    stub: str = ""
    above: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    is_unknown: bool = False
    bare: str = ""
    native: str = ""


def understand(conn: sqlite3.Connection, query: str, *, near: bool = True) -> Subject:
    """Find what a query is about.

    Args:
        conn: an index.
        query: an operator, API, module, C++ function, or words.
        near: look for names that are like one that is not known.
    """
    text = query.strip()
    words = words_of(text)
    if re.search(r"\s", text):
        words = words_of(_NAMESPACES.sub("", text))
        return Subject(the_words(words), words=words)
    functions, classes, api = python_named(conn, text)
    resolution = operator_around(conn, resolve(conn, text, near=near))
    target = resolution.target
    if not functions and not classes and api is None:
        # By an import's name, or by the end of its own.
        of_class = target.name if target is not None and target.kind == "class" else ""
        functions, classes, api = python_named(conn, resolution.api or of_class)
        api = api if of_class else None
    bases: dict[str, None] = {}
    operators: dict[str, None] = {}
    cpp: tuple[int, ...] = ()
    what = api
    if target is not None:
        for overload in target.overloads:
            packet = overload.partition(".")[0]
            operators[packet] = None
            bases[packet.partition("::")[2]] = None
        if functions and resolution.api is not None:
            bases = _own(bases, resolution.api)
        what = what or resolution.api or target.name
        if target.kind in _CPP:
            rows = conn.execute(queries("subject")[_CPP[target.kind]], {"name": target.name})
            cpp = tuple(row["id"] for row in rows)
            if not cpp and not functions:
                # A kernel that Python registers is a function of its own.
                functions = _named(conn, target.name)
                operators = operators if not functions else {}
    if target is not None and target.kind == "method":
        method = find_method(conn, text)
        functions = (method.function_id,) if method else ()
    if target is not None and target.kind == "internal":
        functions = _named(conn, target.name)
    if target is not None and target.kind == "function" and cpp and not bases and not functions:
        bound = bound_as(conn, cpp)
        if 0 < len(bound) <= _MOST_BOUND:
            of_bound = understand(conn, bound[0], near=False)
            told = f"{target.name} is bound as {bound[0]}, whose tests are looked for"
            return replace(of_bound, cpp=cpp, notes=(told, *of_bound.notes))
    native = ""
    if not functions and resolution.api is not None and len({b.rstrip("_") for b in bases}) > 1:
        own_bases = _own(bases, resolution.api)
        native = "" if own_bases else bound_under(resolution.api)
        if own_bases or native:
            bases = own_bases
    if target is not None and target.kind == "binding":
        native = target.name.replace("torch._C._TensorBase.", "torch._C.TensorBase.")
    named = resolution.api or api
    if named is None and target is not None:
        if target.kind == "operator":
            # Of aten::softmax.int not `int`, which is an entry, too.
            named = target.name.partition(".")[0]
        elif target.name.startswith("torch::"):
            # The C++ API is called like the one in Python: torch::fft::fft.
            named = target.name
    names = dict.fromkeys(_entry_names(named or text))
    is_its_own = target is not None and named in (None, target.name)
    if is_its_own and target is not None and _is_of_another(conn, target.name):
        # c10::Scalar::conj is not the operator, by whose name entries are known.
        names = {}
    bare = text if text.isidentifier() and len(words) > 1 else ""
    if what is None and (meant := _all_of(conn, resolution.candidates)):
        # Of a name that several functions have the tests of all are those of the one that is meant, too.
        said = f"{text} could be: {few(resolution.candidates, 20)}; these are of all of them"
        return Subject(text, (), (), tuple(names), *meant, words=words, notes=(said,), bare=bare)
    if what is None:
        note = (
            (f"{text} could be: {few(resolution.candidates, 20)}",) if resolution.candidates else ()
        )
        return Subject(
            the_words(words), names=tuple(names), words=words,
            notes=note, closest=resolution.closest,
            is_unknown=not near and target is None and not resolution.candidates,
        )  # fmt: skip
    own = tuple(name for name in operators if name.partition("::")[2] in bases)
    others = _of_others(conn, own)
    if others:
        # quantized::conv2d is not conv2d, by whose name tests and entries are known.
        bases = dict.fromkeys(name.partition("::")[2] for name in own if name not in others)
        names = {name: None for name in names if "." in name}
    return Subject(
        what, tuple(bases), own, tuple(names), functions, classes, cpp,
        target.name if target is not None and target.kind == "cpp_class" else "",
        words, is_name=True, notes=resolution.notes,
        stub=target.name if target is not None and target.kind == "stub" else "", others=others,
        bare=bare, native=native,
    )  # fmt: skip


def _is_of_another(conn: sqlite3.Connection, name: str) -> bool:
    """Whether a name is that of a method in C++, of a class that is no tensor."""
    owner = name.rpartition("::")[0]
    if not owner or owner in _TENSORS or owner.startswith(_VECTORS):
        return False
    return conn.execute(queries("subject")["is_method"], {"name": name}).fetchone() is not None


def _all_of(
    conn: sqlite3.Connection, candidates: tuple[str, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The functions and classes of Python that a name could be; nothing where it could be anything else."""
    found = [python_named(conn, name)[:2] for name in candidates[:_MOST_CANDIDATES]]
    if not 1 < len(candidates) <= _MOST_CANDIDATES or not all(map(any, found)):
        return None
    functions, classes = (
        tuple(dict.fromkeys(chain.from_iterable(ids))) for ids in zip(*found, strict=True)
    )
    return functions, classes


def of_class(conn: sqlite3.Connection, query: str) -> Subject | None:
    """The public class that a word in lower case means: `layernorm` is LayerNorm.

    Args:
        conn: an index.
        query: of any form.
    """
    word = query.strip()
    if not word.isidentifier() or word != word.lower():
        return None
    row = conn.execute(queries("subject")["class_named"], {"name": word}).fetchone()
    return understand(conn, row["name"], near=False) if row is not None else None


def _of_others(conn: sqlite3.Connection, operators: tuple[str, ...]) -> tuple[str, ...]:
    """Those that are not aten's, where aten has one of the same base."""
    foreign = {name: name.partition("::")[2] for name in operators if not name.startswith("aten::")}
    if not foreign:
        return ()
    of = {"bases": listed(tuple(foreign.values()))}
    known = {row["base"] for row in conn.execute(queries("subject")["also_aten"], of)}
    return tuple(name for name, base in foreign.items() if base in known)


def _named(conn: sqlite3.Connection, name: str) -> tuple[int, ...]:
    """The Python functions of a full name."""
    found = conn.execute(nodes.sql()["python_named"], {"name": name})
    return tuple(nodes.ids((row["node"] for row in found), nodes.PYTHON))


def _own(bases: dict[str, None], api: str) -> dict[str, None]:
    """The operators that a Python function is about, not all that it happens to call: those with its name in theirs."""
    last = api.rpartition(".")[2].strip("_")
    return {base: None for base in bases if last and last in base}


def the_words(words: tuple[str, ...]) -> str:
    """Words as what a question is about, for people."""
    return f"the word{'' if len(words) == 1 else 's'} {', '.join(words)}"


@functools.lru_cache(maxsize=16_384)
def words_of(text: str, most: int | None = _MOST_WORDS) -> tuple[str, ...]:
    """The first words of a text, split at camelCase and snake_case, in lower case and without marks on letters.

    The full-text tables of the index, unicode61, have no marks either: Grün is found as grun, and said so.

    Args:
        text: as people write it.
        most: words at most; None takes all.
    """
    if not text.isascii():
        text = "".join(
            c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)
        )
    pieces = [piece.lower() for word in _WORD.findall(text) for piece in _CAMEL.split(word)]
    return tuple(dict.fromkeys(piece for piece in pieces if piece))[:most]


def python_named(
    conn: sqlite3.Connection, text: str
) -> tuple[tuple[int, ...], tuple[int, ...], str | None]:
    """Functions and classes of a public or full name, and that name.

    Args:
        conn: an index.
        text: the name; of a class also its last part.
    """
    head, dot, rest = text.partition(".")
    name = f"{_SHORT[head]}{dot}{rest}" if dot and head in _SHORT else text
    sql = queries("subject")
    rows = conn.execute(sql["python_subjects"], {"name": name}).fetchall() if "." in name else []
    if not rows and text.isidentifier() and text != text.lower():
        rows = [
            {"kind": "class", **dict(row)}
            for row in conn.execute(sql["class_named"], {"name": text})
        ][:1]
    functions = tuple(dict.fromkeys(row["id"] for row in rows if row["kind"] == "function"))
    classes = tuple(dict.fromkeys(row["id"] for row in rows if row["kind"] == "class"))
    return functions, classes, str(rows[0]["name"]) if rows else None


def _entry_names(text: str) -> tuple[str, ...]:
    """How an OpInfo or its like would be called: `nn.functional.softmax`, `linalg.det`."""
    name = text.replace("::", ".").removeprefix("torch.").removeprefix("Tensor.")
    last = last_component(text)
    return (name, last, f"_refs.{name}") if name != last else (last, f"_refs.{last}")
