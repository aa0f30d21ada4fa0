"""What a question about tests is about: operators, Python functions and classes, or words."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass, replace
from itertools import chain

from torchtalk.counted import few
from torchtalk.graph import nodes
from torchtalk.names import operator_around, resolve
from torchtalk.names.bound_names import bound_as, bound_under
from torchtalk.names.closest import last_component
from torchtalk.names.meaning import Resolution
from torchtalk.names.methods import find_method
from torchtalk.sqlfile import listed
from torchtalk.testing import queries
from torchtalk.testing.words import MOST_WORDS, the_words, words_of, words_of_phrase

MOST_MEANT = 6
"""So many things of one name may all be meant."""

_MOST_BOUND = 2  # `x[i] = y` and `del x[i]` are one slot's
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

# Of what is in these modules entries may have the last part alone for their name (common_optimizers.py and hop_db.py in
# torch/testing/_internal/); of other functions and classes of Python they have the whole one behind `torch.`.
_BARE = ("torch.optim.", "torch._higher_order_ops.", "torch.nn.functional.")
_REFS = "_refs."


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
        words = words_of_phrase(text)[:MOST_WORDS]
        return Subject(the_words(words), words=words)
    meaning = _Meaning(conn, text, operator_around(conn, resolve(conn, text, near=near)))
    bound = meaning.bound()
    if bound:
        of_bound = understand(conn, bound, near=False)
        told = f"{meaning.name} is bound as {bound}, whose tests are looked for"
        return replace(of_bound, cpp=meaning.cpp, notes=(told, *of_bound.notes))
    meaning.take_native()
    bare = text if text.isidentifier() and len(words) > 1 else ""
    if meaning.what is not None:
        return meaning.subject(words, bare)
    candidates = meaning.resolution.candidates
    names = tuple(meaning.entry_names())
    if meant := _all_of(conn, candidates):
        # Of a name that several functions have the tests of all are those of the one that is meant, too.
        said = f"{text} could be: {few(candidates, 20)}; these are of all of them"
        return Subject(text, (), (), names, *meant, words=words, notes=(said,), bare=bare)
    return Subject(
        the_words(words), names=names, words=words,
        notes=(f"{text} could be: {few(candidates, 20)}",) if candidates else (),
        closest=meaning.resolution.closest,
        is_unknown=not near and meaning.target is None and not candidates,
    )  # fmt: skip


class _Meaning:
    """What a name means, as its tests are looked for: the operators, and the functions in Python and in C++.

    Args:
        conn: an index.
        text: the name.
        resolution: what it was resolved to.
    """

    def __init__(self, conn: sqlite3.Connection, text: str, resolution: Resolution) -> None:
        self.conn = conn
        self.text = text
        self.resolution = resolution
        self.target = resolution.target
        self.kind = self.target.kind if self.target is not None else ""
        self.name = self.target.name if self.target is not None else ""
        self.bases: dict[str, None] = {}
        self.operators: dict[str, None] = {}
        self.cpp: tuple[int, ...] = ()
        self.native = ""
        self._take_python()
        self.what = self.api
        if self.target is not None:
            self.what = self.what or resolution.api or self.name
            self._take_operators(self.target.overloads)
            self._take_functions()

    def _take_python(self) -> None:
        """Take the functions and classes of the name; else those by an import's name, or by the end of their own."""
        self.functions, self.classes, self.api = python_named(self.conn, self.text)
        if self.functions or self.classes or self.api is not None:
            return
        of_class = self.name if self.kind == "class" else ""
        self.functions, self.classes, api = python_named(self.conn, self.resolution.api or of_class)
        self.api = api if of_class else None

    def _take_operators(self, overloads: tuple[str, ...]) -> None:
        for overload in overloads:
            packet = overload.partition(".")[0]
            self.operators[packet] = None
            self.bases[packet.partition("::")[2]] = None
        if self.functions and self.resolution.api is not None:
            self.bases = _own(self.bases, self.resolution.api)

    def _take_functions(self) -> None:
        """Take the functions of C++ that stand for the thing, or those of Python by its full name."""
        if self.kind in _CPP:
            rows = self.conn.execute(queries("subject")[_CPP[self.kind]], {"name": self.name})
            self.cpp = tuple(row["id"] for row in rows)
            if not self.cpp and not self.functions:
                # A kernel that Python registers is a function of its own.
                self.functions = _named(self.conn, self.name)
                self.operators = self.operators if not self.functions else {}
        elif self.kind == "method":
            method = find_method(self.conn, self.text)
            # That of a class without a public name is found by its full name alone.
            self.functions = (method.function_id,) if method else _named(self.conn, self.name)
        elif self.kind == "internal":
            self.functions = _named(self.conn, self.name)

    def bound(self) -> str:
        """The name by which Python has a function of C++ without operators; empty for all else, and for many names."""
        if self.kind != "function" or not self.cpp or self.bases or self.functions:
            return ""
        bound = bound_as(self.conn, self.cpp)
        return bound[0] if 0 < len(bound) <= _MOST_BOUND else ""

    def take_native(self) -> None:
        """Take the name that C++ binds; of several operators only those that have the name in theirs."""
        api = self.resolution.api
        several = len({base.rstrip("_") for base in self.bases}) > 1
        if not self.functions and api is not None and several:
            own = _own(self.bases, api)
            self.native = "" if own else bound_under(api)
            if own or self.native:
                self.bases = own
        if self.kind == "binding":
            self.native = self.name.replace("torch._C._TensorBase.", "torch._C.TensorBase.")

    def entry_names(self) -> dict[str, None]:
        """How entries for it would be called, in the order in which they are looked for."""
        named = self.resolution.api or self.api
        if named is None and self.kind == "operator":
            # Of aten::softmax.int not `int`, which is an entry, too.
            named = self.name.partition(".")[0]
        elif named is None and self.name.startswith("torch::"):
            # The C++ API is called like the one in Python: torch::fft::fft.
            named = self.name
        is_its_own = self.target is not None and named in (None, self.name)
        if is_its_own and _is_of_another(self.conn, self.name):
            # c10::Scalar::conj is not the operator, by whose name entries are known.
            return {}
        names = dict.fromkeys(_entry_names(named or self.text))
        last = last_component(named or self.text)
        if (
            (self.functions or self.classes)
            and last != self.text
            and last not in self.bases
            and not (named or self.name).startswith(_BARE)
            and _of_torch(named or self.name) != last
        ):
            # DataParallel.scatter is not the operator, by whose name entries are known.
            names.pop(last, None)
        return names

    def subject(self, words: tuple[str, ...], bare: str) -> Subject:
        """The subject, where it is known what the name means.

        Args:
            words: of the name.
            bare: the name, where that is one identifier of several words; else empty.
        """
        names, bases = self.entry_names(), self.bases
        own = tuple(name for name in self.operators if name.partition("::")[2] in bases)
        others = _of_others(self.conn, own)
        if others:
            # quantized::conv2d is not conv2d, by whose name tests and entries are known.
            bases = dict.fromkeys(name.partition("::")[2] for name in own if name not in others)
            names = {name: None for name in names if "." in name}
        return Subject(
            self.what or "", tuple(bases), own, tuple(names), self.functions, self.classes, self.cpp,
            self.name if self.kind == "cpp_class" else "",
            words, is_name=True, notes=self.resolution.notes,
            stub=self.name if self.kind == "stub" else "", others=others,
            bare=bare, native=self.native,
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
    if not 1 < len(candidates) <= MOST_MEANT:
        return None
    found = [_called(conn, name) for name in candidates]
    if not all(map(any, found)):
        return None
    functions, classes = (
        tuple(dict.fromkeys(chain.from_iterable(ids))) for ids in zip(*found, strict=True)
    )
    return functions, classes


def _called(conn: sqlite3.Connection, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    functions, classes, _ = python_named(conn, name)
    # A method of a class without a public name is found by its full name alone.
    return functions if functions or classes else _named(conn, name), classes


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
    name = _of_torch(text)
    last = last_component(text)
    if name.startswith(_REFS):
        return name, name.removeprefix(_REFS), last
    return (name, last, f"{_REFS}{name}") if name != last else (last, f"{_REFS}{last}")


def _of_torch(text: str) -> str:
    name = text.replace("::", ".").removeprefix("torch.")
    # torch/_tensor.py has the methods of Tensor that are written in Python.
    return name.removeprefix("_tensor.").removeprefix("Tensor.")
