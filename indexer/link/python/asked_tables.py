"""Whose methods run where a function asks what it is handed for names out of a table.

    return sympy_interp(PythonReferenceAnalysis, env, expr)

hands on the class whose methods torch/utils/_sympy/interp.py looks up by its tables of texts. Which of what a caller
names is meant is told by its methods: the class has most of those that are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from indexer.link.python.meanings import CalledRow
from indexer.link.python.resolver import Resolver
from indexer.link.python.tables import Entity

_TESTING = "torch.testing."
_LEAST = 5  # names that a class has to have: fewer may be another's by chance


def handing(
    asking: Mapping[int, Sequence[str]],
    sites: Mapping[int, Sequence[tuple[int, int, int]]],
    meanings: Mapping[int, Sequence[CalledRow]],
    resolver: Resolver,
) -> Iterator[tuple[int, int, str, list[int]]]:
    """Who hands a class to a function that asks for names.

    Args:
        asking: by function, the names that it asks an argument for.
        sites: by function, target, line and kind of each of its calls.
        meanings: by target.
        resolver: for the methods of classes.

    Yields:
        the caller, the 1-based line of its call, a name for what is meant, and the methods that may run.
    """
    asked = {
        number: row.function_id
        for number, rows in meanings.items()
        for row in rows
        if row.function_id in asking
    }
    if not asked:
        return
    tables = resolver.tables
    found = []
    for caller, calls in sites.items():
        module = tables.modules[tables.functions[caller].module_id].name
        if caller in asking or not module.startswith("torch.") or module.startswith(_TESTING):
            continue
        lines = sorted((line, asked[number]) for number, line, _ in calls if number in asked)
        for line, function in lines[:1]:
            classes = {
                row.class_id
                for number, *_ in calls
                for row in meanings.get(number, ())
                if row.class_id
            }
            found += [(caller, line, function, each) for each in sorted(classes)]
    for caller, line, function, class_id in sorted(found):
        names = asking[function or 0]
        of_class = (resolver.attribute(Entity("class", class_id), name) for name in names)
        run = [each.id for each in of_class if each is not None and each.kind == "function"]
        if len(run) >= max(_LEAST, len(names) / 2):
            row = tables.classes[class_id]
            yield caller, line, f"{row.name}.~{tables.functions[function or 0].name}", run
