"""Changed lines that import or include: which names a module has no longer, and what is said of the rest."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.diff.quiet import says_nothing
from torchtalk.affected.places.changes import Loose
from torchtalk.counted import counted, few

IMPORT = re.compile(r"\s*(?:from|import)\b")
"""What a statement begins with that imports."""

_FROM = re.compile(r"\s*(?:from\s+(?P<module>[\w.]+)\s+)?import\b(?P<names>.*)")
# An import has no texts.
_LISTED = re.compile(r"[\"'](\w+)[\"']")
_INCLUDE = re.compile(r"\s*#[ \t]*(?:include|import)[ \t]*[<\"](?P<path>[^>\"]+)[>\"]")
_MOST_NAMED = 4


class Imports(NamedTuple):
    """What changed of the names that lines import, or list in `__all__`.

    Args:
        gone: names that only the lines before have, or have as something else: of another module, or another name's.
        new: names that only those after have.
    """

    gone: tuple[str, ...]
    new: tuple[str, ...]


def changed(span: Span) -> Imports:
    """Find the names that changed lines bind, or list.

    Args:
        span: the lines, all of them parts of statements that import, or of an `__all__`.
    """
    before, after = dict(_bound(span.removed)), dict(_bound(span.added))
    return Imports(
        tuple(
            name
            for name, meant in before.items()
            if name not in after or _is_another(meant, after[name])
        ),
        tuple(name for name in after if name not in before),
    )


class _Meant(NamedTuple):
    """What an imported name is; of a line within brackets the module is not known."""

    module: str
    name: str


def _is_another(before: _Meant, after: _Meant) -> bool:
    """Whether a name that is imported as before means something else."""
    if before.name != after.name:
        return True
    # `Generator` is the same in typing and in collections.abc.
    is_pythons = {*map(_root, (before.module, after.module))} <= sys.stdlib_module_names
    return (
        "" not in (before.module, after.module) and before.module != after.module and not is_pythons
    )


def _root(module: str) -> str:
    return module.partition(".")[0]


def _bound(lines: Iterable[str]) -> Iterator[tuple[str, _Meant]]:
    """The names that lines bind or list, each with what it means."""
    for line in lines:
        text = line.partition("#")[0]
        if listed := _LISTED.findall(text):
            yield from ((name, _Meant("", name)) for name in listed)
            continue
        begun = _FROM.match(text)
        for item in (begun["names"] if begun else text).split(","):
            words = item.strip(" \t()[]\\\r").split()
            name = words[-1] if len(words) in (1, 3) else ""
            # `import torch.nn` binds `torch`.
            name = name.partition(".")[0] if begun else name
            if name.isidentifier():
                yield name, _Meant((begun and begun["module"]) or "", words[0])


def are_imports(span: Span) -> bool:
    """Whether lines are imports alone, by what each begins with.

    Args:
        span: the lines.
    """
    texts = [text for text in (*span.removed, *span.added) if not says_nothing(text, "python")]
    return bool(texts) and all(IMPORT.match(text) for text in texts)


def told(
    path: str, loose: Iterable[Loose], is_import: Callable[[Span], bool]
) -> Iterator[tuple[Loose, str]]:
    """Lines that only import or include, the first of them with what is to be said of them all.

    Args:
        path: of the file.
        loose: its lines of which no function is known.
        is_import: whether lines of Python are of what imports.
    """
    found: list[Loose] = []
    names: dict[str, None] = {}
    for one in loose:
        texts = [*one.span.removed, *one.span.added]
        if one.unseen or not texts:
            continue
        if one.file["kind"] == "python":
            if not is_import(one.span):
                continue
            gone, new = changed(one.span)
            names.update(dict.fromkeys((*gone, *new)))
        else:
            included = [_INCLUDE.match(text) for text in texts if not says_nothing(text, "cpp")]
            if not included or None in included:
                continue
            names.update(dict.fromkeys(match["path"] for match in included if match is not None))
        found.append(one)
    lines = sum(one.span.lines for one in found)
    is_python = path.endswith((".py", ".pyi"))
    what = "imports or `__all__`" if is_python else "includes"
    which = f" ({few(list(names), _MOST_NAMED)})" if names else ""
    for at, one in enumerate(found):
        yield one, "" if at else f"{path}: {counted(lines, 'changed line')} of its {what}{which}"
