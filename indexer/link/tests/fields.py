"""The fields of an entry: what it is given, and else what its class and those above it have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from indexer.extract.python.testing.fields import UNKNOWN_REST


class Fields:
    """Fields by class, worked out when they are asked for.

    Args:
        defaults: by class in full, the signs of its fields.
        bases: of classes, in full.
    """

    def __init__(self, defaults: Mapping[str, str], bases: Mapping[str, list[str]]) -> None:
        self._defaults = {name: dict(_pairs(text)) for name, text in defaults.items()}
        self._bases = bases
        self._known: dict[str, dict[str, str]] = {}

    def of(self, class_name: str, given: str, is_reference: bool) -> dict[str, str]:
        """The fields of one entry, by name; those of which nothing is known may be missing.

        Args:
            class_name: in full.
            given: the signs of what the constructor is given.
            is_reference: it takes what it is not given from another entry, and some of that is replaced
                (torch/testing/_internal/opinfo/refs.py, `_inherit_constructor_args`).
        """
        if is_reference:
            return {}
        own = dict(_pairs(given))
        of_class = self._class(class_name)
        found = {} if UNKNOWN_REST in given.split() else dict(of_class)
        for name, sign in own.items():
            if of_class.get(name) != "*":
                found[name] = sign
        return found

    def _class(self, name: str) -> dict[str, str]:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = {}
            own = self._defaults.get(name, {})
            for base in reversed(self._bases.get(name, [])):
                known.update(self._class(base))
            # What a class above gives another value, it does whatever this one has.
            known.update({field: sign for field, sign in own.items() if known.get(field) != "*"})
        return known


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for word in text.split():
        name, equals, sign = word.partition("=")
        if equals:
            yield name, sign[:1]  # behind it stand functions that it is made with
