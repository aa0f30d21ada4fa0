"""Functions and classes that only a diff has, by its text: which kernels of the same diff's operators are new."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from torchtalk.affected.diff.diffs import FileChange
from torchtalk.affected.places.changes import Loose
from torchtalk.affected.places.dispatched import kernel_on
from torchtalk.counted import counted

_PLAIN = "[^<>;={}]*"
TEMPLATE = f"<{_PLAIN}(?:<{_PLAIN}(?:<{_PLAIN}>{_PLAIN})*>{_PLAIN})*>"
"""Template arguments, whose brackets are told apart: if any `>` may end them, a text can be read in very many ways."""

_PYTHON = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
# A type, a name, what is in brackets, and a body; or a macro that makes a kernel's head (ATen/native/TensorMeta.h).
# What may run over lines is bounded: it is looked for at each of them.
_CPP = re.compile(
    r"^[ \t]*(?!return\b|else\b|if\b|for\b|while\b|switch\b)"
    rf"(?:[\w:]+(?:{TEMPLATE})?[\s*&]+){{1,12}}(?:\w+::)*(~?\w+)\s*(?P<behind>\([^;{{}}]{{0,3000}})\{{"
    r"|^TORCH_(?:IMPL|META)_FUNC2?\s*\(\s*(\w+)"
    r"|^(?:class|struct)\s+(?:\w+\s+){0,4}?(\w+)\s*(?:final\s*)?(?::[^;{]{0,1000})?\{",
    re.MULTILINE,
)
_HEAD_ENDS = re.compile(r"\)(?:\s|const|noexcept|override)*\Z")
_FUNC = re.compile(r"^- func:\s*([\w:.]+)\(")
_MOST_NAMED = 6


def defined(loose: Loose) -> tuple[str, ...]:
    """What lines define that are only inserted; nothing of those that change others.

    Args:
        loose: lines of which no function is known.
    """
    span = loose.span
    if span.removed or not span.added or loose.unseen:
        return ()
    text = "\n".join(span.added)
    if loose.file["kind"] == "python":
        return tuple(dict.fromkeys(_PYTHON.findall(text)))
    names = [
        match[1] or match[3] or match[4]
        for match in _CPP.finditer(text)
        if match["behind"] is None or _HEAD_ENDS.search(match["behind"])
    ]
    return tuple(dict.fromkeys(names))


def kernels_named(files: Iterable[FileChange]) -> dict[str, str]:
    """Kernels that added lines of native_functions.yaml name, each with whose it is.

    Args:
        files: what a diff changes.
    """
    found: dict[str, str] = {}
    for change in files:
        for span in change.new if change.path.endswith("native_functions.yaml") else ():
            operator = ""
            for text in span.added:
                if match := _FUNC.match(text):
                    operator = match[1] if "::" in match[1] else f"aten::{match[1]}"
                elif named := kernel_on(text):
                    of = f" of {operator}" if operator else ""
                    keys, kernel = named
                    found[kernel.rpartition("::")[2]] = f"kernel{of} for {', '.join(keys)}"
    return found


def told(path: str, loose: Iterable[Loose], kernels: dict[str, str]) -> Iterator[tuple[Loose, str]]:
    """Lines that are new definitions, the first of them with what is to be said of them all.

    Args:
        path: of the file.
        loose: its lines of which no function is known.
        kernels: what `kernels_named` gives.
    """
    names: dict[str, None] = {}
    of_it = [(one, own) for one in loose if (own := defined(one))]
    for _, own in of_it:
        names.update(dict.fromkeys(own))
    shown = [f"{name} ({kernels[name]})" if name in kernels else name for name in names]
    more = f" and {len(shown) - _MOST_NAMED} more" if len(shown) > _MOST_NAMED else ""
    text = (
        f"{path}: {counted(len(shown), 'new definition')}: {', '.join(shown[:_MOST_NAMED])}{more}"
    )
    for at, (one, _) in enumerate(of_it):
        yield one, "" if at else text
