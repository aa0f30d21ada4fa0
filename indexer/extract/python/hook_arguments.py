"""What the methods are given first that an object has itself run as hooks.

`self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)` of torch/nn/modules/lazy.py: a hook is called
with what it was registered on, which here is the object whose method it is: `hook(module, args)`,
`hook(module, grad_input, grad_output)`, `hook(module, state_dict, prefix, …)` (torch/nn/modules/module.py),
`hook(optimizer, args, kwargs)` (torch/optim/optimizer.py).
"""

from __future__ import annotations

import re

from indexer.extract.python.definitions import Definitions
from indexer.extract.python.unit import PyUnit

# The public ones: `_register_load_state_dict_pre_hook` gives no module unless it is asked for it.
_REGISTERED = re.compile(
    r"self(?<!\wself)\.register_(?:forward|forward_pre|backward|full_backward|full_backward_pre|step_pre|step_post"
    r"|(?:load_)?state_dict_(?:pre|post))_hook\(\s*self\.(\w+)(?=[,)\s])"
)


def first_parameters(unit: PyUnit, definitions: Definitions) -> dict[int, tuple[str, str]]:
    """The parameters of hooks that are the object whose method the hook is, where they do not say so.

    Args:
        unit: the file.
        definitions: its functions.

    Returns:
        by the line of the `def`: the parameter's name and its target.
    """
    hooks: set[tuple[str, str]] = set()
    if "self.register_" in unit.code:
        for found in definitions.functions:
            span = unit.spans.get(found.node.lineno)
            if found.scope and span is not None:
                named = _REGISTERED.findall(unit.code, span.body, span.end)
                hooks.update((found.scope, name) for name in named)
    first = {}
    for found in definitions.functions if hooks else ():
        parameters = [*found.node.args.posonlyargs, *found.node.args.args]
        is_method = len(parameters) > 1 and parameters[0].arg == "self"
        if (found.scope, found.node.name) in hooks and is_method:
            given = parameters[1]
            if given.annotation is None:
                target = f"{definitions.module}.{found.scope}()"
                first[found.node.lineno] = given.arg, target
    return first
