"""Functions that an object is given by a name: `self.activation = _get_activation_fn(activation)`.

torch/nn/modules/transformer.py has `_get_activation_fn` return `F.relu` or `F.gelu` as a string says; the attribute is
one of these, or the parameter's default where it is given that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from indexer.extract.python.attribute_values import Held, default
from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.local_names import Locals
from indexer.facts.python import PythonBinding


class Chosen:
    """What the names and attributes that one function binds may be.

    Args:
        found: the function.
        held: for the functions of its file that choose.
        names: what the names within it stand for.
    """

    def __init__(self, found: FunctionNode, held: Held, names: Locals) -> None:
        self._found = found
        self._held = held
        self._names = names
        self._of: dict[str, list[str]] = {}

    def give(self, name: str, value: str, is_call: bool) -> None:
        """Take in `name = value` or `name = value(…)`.

        Args:
            name: as it is written: `f`, `self.activation`.
            value: as it is written, without the brackets.
            is_call: it is called.
        """
        given = self._held.chosen(value) if is_call else []
        targets = [target for target in map(self._names.target, given) if target]
        if not is_call:
            targets = self._of.get(value, [])
        if targets:
            known = default(self._found, name, self._names)
            self._of.setdefault(name, []).extend(filter(None, [*targets, known]))

    def among(self, own: Iterable[PythonBinding]) -> Iterator[PythonBinding]:
        """The attributes that a function sets, those that are chosen with all that they may be.

        Args:
            own: the attributes, each as often as it is set.

        Yields:
            the same in their order; one that is chosen once, its kind `call`.
        """
        if not self._of:
            yield from own
            return
        own = list(own)
        for name in dict.fromkeys(binding.name for binding in own):
            same = [binding for binding in own if binding.name == name]
            chosen = self._of.get(f"self.{name}")
            if chosen is None:
                yield from same
                continue
            plain = [binding.target for binding in same if "(" not in binding.target]
            # As where a wrapper is handed several functions: it is one of them.
            either = "|".join(["", *dict.fromkeys([*chosen, *plain])])
            yield same[-1]._replace(kind="call", target=either)
