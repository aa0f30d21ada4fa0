"""Aspects of an operator: its gradient, its kernels of one backend, what torch.compile makes of it.

A change in one of these is a change of the operator, but the tests that look at it come first: those whose file, class
or own name has its words. The words of a backend are those of its dispatch key, SparseCsrCPU's `sparse` and `csr`.
"""

from __future__ import annotations

import re
import sqlite3
from typing import NamedTuple

from torchtalk.testing.words import words_of

GRADIENT = "gradient"
COMPILED = "compiling"
ONNX = "onnx"
# Before the words of a part of PyTorch that has a function of its own for the operator: `in distributed tensor`.
_PART = "in "
# Of one that runs programs operator by operator, whatever these are made of: `node of static runtime`.
_NODE = "node of "

# What tests run on anyway, or what says nothing of what a test is about. The Meta function of a structured operator
# runs before the kernel of every backend.
_PLAIN = frozenset(
    "cpu cuda meta tensor composite implicit explicit non functional autograd other mode func torch".split()
)
# What else people call it; words with a _ between follow one another. Batching rules are those of vmap.
_FORMS = {
    GRADIENT: "grad gradient gradients grads gradcheck gradgrad gradgradcheck autograd backward derivative",
    "decomposition": "decomp decomps decompose decomposed decomposition decompositions",
    "meta": "meta metas fake",
    "ref": "ref refs",
    "prim": "prim prims",
    "lowering": "lowering lowerings inductor",
    # What runs any of these stages at all: the tests that trace, export or compile.
    COMPILED: "compile compiled compiler dynamo inductor export aot aotdispatch proxy fake",
    "batched": "vmap",
    # Functions, modules and calls are nested, too; a file that is called so is not about those.
    "nested": "nested_tensor nested_tensors nestedtensor nestedtensors njt jagged",
    "quantized": "quantized quantization quantize",
    "functionalize": "functionalize functionalized functionalization",
    # As one word: what is called after zeros is about others.
    "zero": "zerotensor zerotensors",
    "tracer": "tracer trace traced tracing",
}
_COMPILED = {
    "decomposition": ("is its decomposition", 0.85),
    "meta": ("is its meta function", 0.85),
    "fake": ("is its fake implementation", 0.85),
    "ref": ("is its reference", 0.6),
    "prim": ("is its primitive", 0.85),
    "lowering": ("is its lowering", 0.9),
}


# What registers a function as the export of operators, which it names: `onnx_symbolic("aten::relu")`
# (torch/onnx/_internal/registration.py), here mostly by a partial of it, and `onnx_impl((aten.relu.default, ...))`
# (torch/onnx/_internal/exporter/_torchlib/_torchlib_registry.py).
_EXPORTS = re.compile(r"_?(?:\w+\.)*_?(?P<how>onnx_symbolic|onnx_impl)\b")
_SYMBOLIC = re.compile(r"['\"](?P<namespace>\w+)::(?P<base>\w+)")
_OVERLOAD = re.compile(r"(?<![\w.])(?:torch\.ops\.)?(?P<namespace>[a-z]\w*)\.(?P<base>\w+)")


def exported(decorators: str) -> tuple[str, ...]:
    """The operators that a function is the export to ONNX of, by its decorators.

    Args:
        decorators: with newlines between.
    """
    found: dict[str, None] = {}
    for text in decorators.split("\n"):
        match = _EXPORTS.match(text)
        if match is None:
            continue
        given = text[match.end() :]
        if match["how"] == "onnx_impl":
            # Of a tuple all, otherwise the first; other arguments are no operators.
            given = given.partition(")" if given.startswith("((") else ",")[0]
        form = _SYMBOLIC if match["how"] == "onnx_symbolic" else _OVERLOAD
        for name in form.finditer(given):
            found[f"{name['namespace']}::{name['base']}"] = None
    return tuple(found)


class Role(NamedTuple):
    """What a function is to an operator in torch.compile.

    Args:
        why: as a reason.
        weight: of the edge to the operator.
    """

    why: str
    weight: float


def role(kind: str) -> Role:
    """Of a kind of edge."""
    return Role(*_COMPILED[kind])


def in_part(words: tuple[str, ...], *, is_node: bool = False) -> str:
    """The aspect of a part of PyTorch that has something of its own for an operator.

    Args:
        words: of the part.
        is_node: it has that where the operator itself stands in a program, and not where another one runs it.
    """
    return (_NODE if is_node else _PART) + " ".join(words)


def said(aspect: str) -> str:
    """An aspect for people."""
    return aspect.removeprefix(_PART).removeprefix(_NODE)


def has_runners(aspect: str) -> bool:
    """Whether the tests of what runs the operator may be of the aspect, too."""
    return aspect != COMPILED and not aspect.startswith(_NODE)


def is_apart(aspect: str) -> bool:
    """Whether what runs the operator itself does not run the aspect: an export of it, a rule of another part."""
    return aspect == ONNX or aspect.startswith((_PART, _NODE))


def is_compiled(aspect: str) -> bool:
    """Whether `aspect` is a stage of torch.compile, or all of them, which tests of the operator do not run."""
    return aspect in _COMPILED or aspect == COMPILED


def of_keys(keys: list[str]) -> tuple[str, ...]:
    """The aspects that kernels for some dispatch keys are; empty where one of them is for any test."""
    found: dict[str, None] = {}
    for key in keys:
        words = [word for word in words_of(key, None) if word not in _PLAIN]
        if not words:
            return ()
        found[" ".join(words)] = None
    return tuple(found)


# Files of what records a program, or of what is made of one. That an operator is in it is mostly chance.
_OF_PROGRAMS = frozenset((*_FORMS[COMPILED].split(), ONNX, "fx", "jit"))


def is_of_programs(path: str) -> bool:
    """Whether a file is, by the words of its path, of what traces, compiles or exports programs.

    Args:
        path: of a source or a test.
    """
    return not _OF_PROGRAMS.isdisjoint(words_of(path, None))


# Where the code of a device stands; none of it runs the kernels of another.
_DEVICES = {
    "mps": r"/mps/|\.mm$", "vulkan": "/vulkan[/_]", "metal": "/metal/", "xpu": "/xpu/",
    "cuda": r"/cuda/|/cudnn/|/miopen/|/hip/|\.cuh?$",
}  # fmt: skip
_OF_DEVICE = {name: re.compile(form) for name, form in _DEVICES.items()}


APART = frozenset(("metal", "vulkan"))
"""Devices that no test is made for which is made for each (get_device_type_test_bases of
torch/testing/_internal/common_device_type.py): what says nothing of them runs none of their kernels."""


def devices(aspect: str) -> frozenset[str]:
    """The devices that an aspect names."""
    return frozenset(_OF_DEVICE.keys() & aspect.split(" "))


def runs_elsewhere(own: frozenset[str], path: str) -> bool:
    """Whether the code of a file runs on other devices than some.

    Args:
        own: these.
        path: of a C++ file.
    """
    there = [name for name, form in _OF_DEVICE.items() if form.search(path)]
    return bool(there) and own.isdisjoint(there)


class _Form(NamedTuple):
    """The words of which a test has to have one.

    Args:
        words: of its name or its class's.
        phrases: words that follow one another there, with spaces around.
        of_path: words of its file's path.
    """

    words: frozenset[str]
    phrases: tuple[str, ...]
    of_path: frozenset[str]

    def fit(self, own: list[str], text: str) -> bool:
        """Whether a test has one of them in its name or its class's.

        Args:
            own: the words.
            text: the same, with spaces between.
        """
        if not self.words.isdisjoint(own):
            return True
        return bool(self.phrases) and any(phrase in f" {text} " for phrase in self.phrases)


def _form(word: str) -> _Form:
    forms = _FORMS.get(word, word).split()
    words = frozenset(form for form in forms if "_" not in form)
    phrases = [form.split("_") for form in forms if "_" in form]
    return _Form(
        words,
        tuple(f" {' '.join(parts)} " for parts in phrases),
        words.union(parts[0] for parts in phrases),
    )


class Words:
    """Whether tests have an aspect's words.

    Args:
        aspect: its words, with spaces between.
    """

    def __init__(self, aspect: str) -> None:
        self._needed = [_form(word) for word in said(aspect).split(" ")]
        self._left: dict[str, list[_Form]] = {}
        self._known: dict[int, bool] = {}

    def fit_row(self, row: sqlite3.Row) -> bool:
        """Whether a test is about the aspect, by a row with its id, path and words."""
        identity = row["id"]
        known = self._known.get(identity)
        if known is None:
            known = self._known[identity] = self.fit(row["path"], row["words"])
        return known

    def fit(self, path: str, words: str) -> bool:
        """Whether a test is about the aspect.

        Args:
            path: of its file.
            words: of its class and name, lower case, with spaces between.
        """
        left = self._left.get(path)
        if left is None:
            of_path = frozenset(words_of(path, None))
            left = [form for form in self._needed if of_path.isdisjoint(form.of_path)]
            self._left[path] = left
        if not left:
            return True
        own = words.split(" ")
        return all(form.fit(own, words) for form in left)
