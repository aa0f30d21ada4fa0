"""What a function of Inductor replaces in a program: of the tests that compile one with these operators the likeliest.

`@register_graph_pattern(CallFunction(aten.addmm, Arg(), Arg(), Arg()), pass_dict=…)` has a function called for a match,
`register_replacement(pattern, replacement, …)` describes one by a function (torch/_inductor/pattern_matcher.py). What
compiles the program calls neither, and hundreds of tests have a program with an addition in it: those with more of a
pattern's operators come first, and those whose names, or their file's, have words of the function's or its file's.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.nodes import Edge, Node, spread
from torchtalk.affected.graph.test_words import TestWords
from torchtalk.affected.path_words import bare, stem_of
from torchtalk.testing.words import words_of

_ALL = 0.48
_NAMES = 3  # by how much words of a name tell more than operators
_MOST = 24

# What stands elsewhere has words of it for other reasons: TestScheduleLowering, of pipelines.
_INDUCTOR = aspects.Words("lowering")
Rows = Callable[..., list[sqlite3.Row]]


def matched(rows: Rows, words: TestWords, node: Node) -> Iterator[Edge]:
    """To tests of Inductor that run programs a function of Python is there for.

    Args:
        rows: gives those of a statement of the graph, by its name and parameters.
        words: of the tests that have to do with operators.
        node: of the function.

    Returns:
        So many of them that they are few: what is called like the function's file counts more.
    """
    found: dict[int, set[str]] = {}
    names: dict[int, frozenset[str]] = {}
    rare: dict[str, float] = {}
    for base in [row["base"] for row in rows("pattern_operators", name=node.name)]:
        tests = [test for test in words.of(base) if _INDUCTOR.fit(test["path"], "")]
        rare[base] = spread(len(tests)) if tests else 0.0
        for test in tests:
            found.setdefault(test["id"], set()).add(base)
            of_test = (*test["words"].split(" "), *stem_of(test["path"]))
            names[test["id"]] = frozenset(map(bare, of_test))
    if not found:
        return
    own = map(bare, words_of(" ".join(node.name.split(".")[-2:]), None))
    tells = {word: spread(sum(word in name for name in names.values())) for word in own}
    whole = (sum(rare.values()), sum(tells.values()))
    weights: dict[int, float] = {}
    for identity, bases in found.items():
        told = sum(each for word, each in tells.items() if word in names[identity])
        has = sum(rare[base] for base in sorted(bases)) / whole[0]
        weights[identity] = (has + _NAMES * told / whole[1]) / (1 + _NAMES)
    for identity in sorted(weights, key=lambda one: (-weights[one], one))[:_MOST]:
        why = "runs in Inductor what it is for"
        yield Edge(Node("test", identity, ""), _ALL * weights[identity], why)
