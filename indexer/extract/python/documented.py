"""Parameters without annotation of which a docstring says that they are tensors.

`def tanh(input)` in torch/nn/functional.py is documented as `tanh(input) -> Tensor`, `dirac_(tensor)` in
torch/nn/init.py has "tensor: a {3, 4, 5}-dimensional `torch.Tensor`", and torch/nn/utils/prune.py
"mask (torch.Tensor): ...".
"""

from __future__ import annotations

import re

from indexer.extract.python.definitions import FunctionNode

# `name (Tensor): ...` or "name: a ... `torch.Tensor`", each on a line of its own.
_SAID = re.compile(
    r"^[ \t]*(\w+)(?: ?\((?:torch\.)?Tensor(?:, optional)?\)|: (?:an?|the) [^\n]*`(?:torch\.)?Tensor`)",
    re.MULTILINE,
)
# What a documented function calls `input` is a tensor where a tensor comes of it.
_SIGNATURE = re.compile(r"[\"']{3}\s*(\w+)\(input\b[^\n]*\) -> Tensor")
_OWN = frozenset(("self", "cls"))


def tensor_parameters(found: FunctionNode, text: str, start: int, end: int) -> list[str]:
    """The names of those parameters.

    Args:
        found: the function; its body need not be there.
        text: of the file.
        start: where its body begins.
        end: where it ends.
    """
    if text.find("Tensor", start, end) < 0:
        return []
    arguments = found.node.args
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    unknown = {parameter.arg for parameter in parameters if parameter.annotation is None} - _OWN
    if not unknown:
        return []
    said = {match[1] for match in _SAID.finditer(text, start, end)}
    signature = _SIGNATURE.search(text, start, end)
    if signature is not None and signature[1] == found.node.name:
        said.add("input")
    return sorted(unknown & said)
