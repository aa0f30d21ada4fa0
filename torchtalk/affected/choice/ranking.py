"""What a test counts besides the way that leads to it: where it stands, what it is called, which device it is for."""

from __future__ import annotations

import json
import posixpath
import re
import sqlite3
from itertools import chain, takewhile

from torchtalk.affected import queries
from torchtalk.affected.choice.device_tests import DeviceTests
from torchtalk.affected.choice.elsewhere import (
    backend_of,
    device_of,
    is_made_elsewhere,
    is_of_backend,
    leads_elsewhere,
    names_of,
    runs_elsewhere,
    runs_on_few,
    runs_other_backend,
)
from torchtalk.affected.choice.home import NONE, OF_FILE, OF_WAY, Homes
from torchtalk.affected.choice.in_hand import InHand
from torchtalk.affected.choice.keywords import Keywords
from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.nodes import ITSELF, MAY_CALL, Node, operator, parts, place_of
from torchtalk.affected.graph.overrides import HAS_METHOD
from torchtalk.affected.graph.search import Found, generic_of
from torchtalk.affected.graph.variants import Fit, Variants
from torchtalk.affected.path_words import is_plain
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.testing.words import words_of

_NAMED = 1.2
# What compiles, traces or exports has programs with any operator in them: of two tests that call one, whose file is of
# that comes second.
_OF_PROGRAMS = 0.9
# instantiate_device_type_tests is there for "tests that run on multiple device types, multiple datatypes (dtypes), and
# for multiple operators" (torch/testing/_internal/common_device_type.py): what has an operator at hand to see another
# thing at work, as the sanitizer's or lazy tensors' tests do, is mostly not made so.
_FOR_DEVICES = 1.1
# Tests of a device that few have run what all share, too.
_OF_FEW = 0.7
# What runs an operator mostly runs another kernel of it than that of one backend.
_BESIDE_ASPECT = 0.5
# What leads to it by the code of one device, or of one backend of torch.distributed, leads to no test of another.
_ANOTHER_WAY = 0.4
# Tests of files without a word of a device run other kernels than those for it.
_WITHOUT_DEVICE = 0.3
# The tests of the backend that changed first: what leads there is mostly what all of them share.
_OF_BACKEND = 2.0
# What another part of PyTorch does with it comes after what its own part tests.
_ELSEWHERE = 0.7
_LEAST = 2  # words of a name that says more than that of many things
# One says it of what is called so, as the suite `Simplify` of IRSimplifier::simplify, less surely, and where it is no
# short one that many names have.
_NAMED_SO = 1.1
_LONG = 5
# Who only has its class in hand runs one method or another of it: rather this one where its name says so.
_METHOD_NAMED = 2.0
# A helper of tests has the class in hand for them: `setUp`, which makes all that they use.
_BY_HELPER = 1.8
# Of tests that are reached in ways as good as each other that which has a word of the function's own name first:
# test_sparse_gradients for `mark_variable_ready_sparse`. A short one is that of many things.
_WORD = 1.15
# A test of what an operator refuses hardly ever comes to its kernels (benchmarks/covered_native.py).
_OF_ERRORS = 0.6
_REFUSED = frozenset(
    "errors throw throws raise raises invalid illegal requires unsupported exception exceptions".split()
)
_CHECKING = frozenset("check checks checked valid validate verify assert error errors".split())
# One mode of a function, as interpolate's and pad's have operators of their own.
_OF_MODE = {Fit.OWN: 1.2, Fit.OPEN: 1.0, Fit.OTHER: 0.4}
_SIZE = re.compile(r"([123])d(?![a-z0-9])")
_FUNCTIONS = ("cpp", "python")
_PARTS = re.compile(r"::|\.")


class Nearer:
    """Weighs the tests that a search has reached.

    Args:
        conn: an index.
        changes: with what changed.
        keywords: the parameters that it changes.
    """

    def __init__(self, conn: sqlite3.Connection, changes: Changes, keywords: Keywords) -> None:
        self._conn = conn
        self._changes = changes
        self._keywords = keywords
        self._homes = Homes(conn)
        self._in_hand = InHand(conn)
        self._device_tests = DeviceTests(conn)
        self._variants = Variants(conn)
        self._phrases: dict[Node, tuple[tuple[str, float], ...]] = {}
        self._telling: dict[Node, frozenset[str]] = {}
        self._programs: dict[Node, bool] = {}
        self._of_aspects: dict[str, aspects.Words] = {}
        files = {seed.file or "" for seed in changes.seeds.values()}
        self._devices, self._backends = {*map(device_of, files)}, {*map(backend_of, files)}

    def __call__(self, found: Found) -> Found:
        """The test with another weight; with none where it runs nothing of what changed.

        Args:
            found: as the graph leads to it.
        """
        found = self._keywords.nearer(found)
        if not found.distance:
            return found
        seed = self._changes.seeds[found.path[0][0]]
        path, words, name, is_never_run, made_for = self._test(found)
        called = names_of(path, words)
        if (
            (is_never_run and found.path[1][1] != ITSELF)
            or runs_elsewhere(self._devices, called)
            or is_made_elsewhere(self._devices, made_for)
            or runs_other_backend(self._backends, called)
        ):
            return found._replace(weight=0.0)
        mode = self._mode(found, seed, words)
        if mode is Fit.OPEN:
            mode = self._of_size(found, name or generic_of(found.node)[0])
        of_mode = _OF_MODE[mode]
        weight = found.weight * min(of_mode, 1.0)
        way = (text for node, _ in found.path[:-1] for text in (str(node.key), node.name))
        if runs_on_few(chain(way, (seed.file or "",)), called):
            weight *= _OF_FEW
        if self._is_refused(found, seed.node, called):
            weight *= _OF_ERRORS
        if self._is_beside_aspect(found, path, words):
            weight *= _BESIDE_ASPECT
        if self._device_tests.never_runs(path, seed.file):
            weight *= _WITHOUT_DEVICE
        files = (self._homes.path_of(node) for node, _ in found.path[1:-1])
        if leads_elsewhere(files, path, called):
            weight *= _ANOTHER_WAY
        in_hand = self._in_hand.factor(found)
        weight *= min(in_hand, 1.0)
        factor, home = NONE, ""
        if (at := seed.file) is not None:
            factor = self._homes.factor(at, path) if path != at else NONE
            home = at if factor == OF_FILE else ""
            # What one of several functions may be called by is no way to be sure of.
            sure = takewhile(lambda step: step[1] != MAY_CALL, found.path[1:-1])
            between = (node for node, _ in sure)
            if not home and (of_way := self._homes.on_the_way(between, path)):
                factor, home = max(factor, OF_WAY), of_way
            if (
                not home
                and not at.startswith("torch/testing/")
                and self._homes.is_elsewhere(at, path)
            ):
                weight *= _ELSEWHERE
        if is_of_backend(self._backends, called):
            factor *= _OF_BACKEND
        text = f" {words} "
        shared = _WORD if self._shares(name, seed.node) else 1.0
        factor *= max(
            (more for phrase, more in self._named(seed.node) if phrase in text), default=shared
        )
        factor *= max(of_mode, 1.0) * max(in_hand, 1.0)
        if found.path[1][1] == HAS_METHOD:
            factor *= _METHOD_NAMED if _says(name, seed.node) else 1.0
            factor *= _BY_HELPER if self._is_helper(found.path[2][0]) else 1.0
        is_of_programs = aspects.is_of_programs(path)
        if made_for and found.path[-2][0].kind == "operator" and not is_of_programs:
            factor *= _FOR_DEVICES
        if factor <= NONE and is_of_programs and not self._is_of_programs(found):
            return found._replace(weight=weight * _OF_PROGRAMS)
        if factor == NONE:
            return found._replace(weight=weight)
        # Never over 1, and of two that are nearly there still one before the other.
        return found._replace(weight=min(weight * factor, 1 - (1 - weight) / factor), home=home)

    def _is_refused(self, found: Found, seed: Node, called: frozenset[str]) -> bool:
        """Whether a test is called like what an operator refuses, and what changed is a kernel that checks nothing."""
        return (
            seed.kind in ("cpp", "kernel")
            and not _REFUSED.isdisjoint(called)
            and any(node.kind in ("operator", "aspect") for node, _ in found.path)
            and _CHECKING.isdisjoint(words_of(_PARTS.split(seed.name)[-1], None))
        )

    def _is_beside_aspect(self, found: Found, path: str, words: str) -> bool:
        """Whether a test uses what runs an operator of which the kernel for some backend changed, and is not of that.

        Those that call the operator itself count so already.
        """
        steps = [node for node, _ in found.path[:-1]]
        at = next((at for at, node in enumerate(steps) if node.kind == "aspect"), len(steps))
        if at + 1 >= len(steps) or steps[at + 1].kind == "opinfo":
            return False
        of = str(steps[at].key).partition("\t")[2]
        if aspects.is_compiled(of) or aspects.is_apart(of) or of.endswith(aspects.GRADIENT):
            return False
        if of not in self._of_aspects:
            self._of_aspects[of] = aspects.Words(of)
        return not self._of_aspects[of].fit(path, words)

    def _mode(self, found: Found, seed: Seed, words: str) -> Fit:
        """Whether an entry, or a test by its name, is of the mode that what changed is of, by its name or its file's.

        An entry that changed itself is what its tests are for.
        """
        if isinstance(found.node.key, str):
            if seed.node.kind == "opinfo":
                return Fit.OPEN
            entry = generic_of(found.node)[0]
            fit = self._variants.of_full_name(entry, seed.node.name)
            if fit is Fit.OPEN and seed.file:
                fit = self._variants.of_full_name(entry, posixpath.basename(seed.file))
            return fit
        above = found.path[-2][0]
        if above.kind not in ("operator", "aspect"):
            return Fit.OPEN
        return self._variants.of_test(parts(operator(above.name))[1], words)

    def _of_size(self, found: Found, name: str) -> Fit:
        """Whether an entry, or a test by its own name, is of as many dimensions as the operator that changed.

        What runs slow_conv3d runs the convolutions of all sizes. Those of one dimension are run as of two (view4d in
        aten/src/ATen/native/Convolution.cpp).
        """
        bases = (
            parts(operator(node.name))[1]
            for node, _ in found.path[:-1]
            if node.kind in ("operator", "aspect")
        )
        wanted = set(_SIZE.findall(next(bases, "").lower()))
        own = set(_SIZE.findall(name.lower()))
        if len(wanted) != 1 or not own or (wanted == {"2"} and "1" in own):
            return Fit.OPEN
        return Fit.OWN if wanted <= own else Fit.OTHER

    def _shares(self, name: str, node: Node) -> bool:
        """Whether a test's own name has a word of a function's, of several words, that says something."""
        if node not in self._telling:
            words = words_of(_PARTS.split(node.name)[-1], None) if node.kind in _FUNCTIONS else ()
            telling = (word for word in words if len(word) >= _LONG and not is_plain(word))
            self._telling[node] = frozenset(telling if len(words) >= _LEAST else ())
        return not self._telling[node].isdisjoint(words_of(name, None))

    def _is_helper(self, node: Node) -> bool:
        """Whether a function of Python is what tests are made of."""
        at = place_of(self._conn, node) if node.kind == "python" else ""
        return at.startswith(("test/", "torch/testing/"))

    def _is_of_programs(self, found: Found) -> bool:
        """Whether anything on the way to a test is of what compiles, traces or exports."""
        for node, _ in found.path[:-1]:
            if node not in self._programs:
                seed = self._changes.seeds.get(node)
                # An aspect has its own words behind the operator's.
                at = (seed.file if seed else None) or place_of(self._conn, node)
                at = at or (str(node.key).partition("\t")[2] if node.kind == "aspect" else "")
                is_stage = node.kind == "aspect" and aspects.is_compiled(at)
                self._programs[node] = is_stage or aspects.is_of_programs(at)
            if self._programs[node]:
                return True
        return False

    def _test(self, found: Found) -> tuple[str, str, str, bool, tuple[str, ...]]:
        """The path of a test's file, its name's words and itself, whether it is never run, and with which arguments it
        is made for devices.

        GoogleTest leaves out what is called DISABLED_, unittest what `@unittest.skip` stands over. Generic tests have
        the path in themselves.
        """
        key = found.node.key
        if isinstance(key, str):
            return generic_of(found.node)[1], "", "", False, ()
        row = self._conn.execute(queries("places")["words_of_test"], {"test": key}).fetchone()
        made_for = tuple(json.loads(row["made_for"]))
        return row["path"], row["words"], row["name"], bool(row["is_never_run"]), made_for

    def _named(self, node: Node) -> tuple[tuple[str, float], ...]:
        """The words of what changed, and of its class, as tests that are called so have them in their names.

        Returns:
            With each what a test counts more for having them.
        """
        if node not in self._phrases:
            pair = _PARTS.split(node.name)[-2:]
            words = [words_of(name.strip("_"), None) for name in pair]
            told = [(few, _NAMED) for few in words if len(few) >= _LEAST]
            if words and len(words[-1]) == 1 and len(words[-1][0]) >= _LONG:
                told.append((words[-1], _NAMED_SO))
            self._phrases[node] = tuple((f" {' '.join(few)} ", more) for few, more in told)
        return self._phrases[node]


def _says(name: str, node: Node) -> bool:
    """Whether a test's own name has that of a method, which is no special one, as words of its own."""
    last = node.name.rpartition(".")[2]
    return not last.startswith("__") and f"_{last.strip('_')}_".lower() in f"_{name}_".lower()
