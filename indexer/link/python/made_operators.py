"""What the operators run that helpers of Python make: `rev = _make_prim(schema=…, meta=f, impl_aten=torch.flip)`.

The name is the operator's (torch/_prims/__init__.py, `_make_prim`), and its kernels are functions that the helper
makes, which call what it is handed. That the call's text alone tells; it is kept as what the target `X=` stands for.
"""

from __future__ import annotations

from collections.abc import Iterator

from indexer.facts.python import MADE_OF
from indexer.link.python.resolver import Resolver
from indexer.link.python.tables import Entity


def made_operators(resolver: Resolver) -> Iterator[tuple[str, list[Entity]]]:
    """Each operator that a helper makes of functions, and these.

    Args:
        resolver: of the names of modules.

    Returns:
        `torch.ops.prims.rev.default=`, and the functions and names bound in C++ that are handed over.
    """
    made = resolver.tables.made_operators
    for module_id in sorted({module_id for module_id, _ in made}):
        for bindings in resolver.tables.names.get((module_id, ""), {}).values():
            for binding in bindings:
                operator = resolver.operator_made(module_id, binding)
                given = resolver.handed_to(binding.target) if operator is not None else []
                if operator is not None and given:
                    yield f"{operator.path}{MADE_OF}", given
