"""What Dynamo has handlers for: what its variables are made for, register and ask for."""

from __future__ import annotations

import textwrap

from indexer.extract.python.compile.dynamo import dynamo


def _handled(source: str) -> dict[str, str]:
    path = "torch/_dynamo/variables/torch.py"
    rules = dynamo(path, textwrap.dedent(source).encode(), "torch._dynamo.variables.torch")
    return {rule.name: rule.target.rpartition(".")[2] for rule in rules if rule.kind == "handler"}


def test_handlers_of_what_a_list_a_table_or_a_function_holds() -> None:
    """As torch/_dynamo/variables/torch.py does for tracing states, dispatch keys and process groups."""
    assert _handled(
        """
        import torch
        import torch.pipes as pipes
        from ..create import build
        key_sets = {torch._C._keys, torch._C._include}
        few = [torch.thin]
        more = [torch.wide, *few] + [torch.tall]
        more = dict.fromkeys(more)
        class Variable:
            def _get_handlers():
                @register(*states())
                def handle_states(self): ...
                @register(*key_sets)
                def handle_keys(self): ...
                @register(*more)
                def handle_more(self): ...
                from torch.group import get_rank, size as group_size
                @register(get_rank, group_size, pipes.flow, build, torch.a.cached.__wrapped__)
                def handle_group(self): ...
                for each in few:
                    @register(each)
                    def handle_each(self): ...
        def states():
            return {torch.jit.is_odd: False, torch.is_even: True}
        """
    ) == {
        "torch.jit.is_odd": "handle_states",
        "torch.is_even": "handle_states",
        "torch._C._keys": "handle_keys",
        "torch._C._include": "handle_keys",
        "torch.wide": "handle_more",
        "torch.thin": "handle_more",
        "torch.tall": "handle_more",
        "torch.group.get_rank": "handle_group",
        "torch.group.size": "handle_group",
        "torch.pipes.flow": "handle_group",
        "torch._dynamo.create.build": "handle_group",
        "torch.a.cached": "handle_group",
    }


def test_what_a_class_of_variables_asks_its_object_for() -> None:
    """As `itertools.product` and `torch.no_grad`; what it asks elsewhere decides nothing of a call."""
    assert _handled(
        """
        import itertools
        import torch
        from torch.autograd import profiler as spy
        constant = [torch.thin]
        class Variable:
            def can_fold(self):
                if self.value is torch.folded:
                    return True
            def call_function(self, tx, args, kwargs):
                if self.value is itertools.product and not kwargs:
                    return 1
                elif self.value in (torch.wide, spy.profile):
                    if self.value == torch.tall:
                        return 2
                elif self.value in constant:
                    return 3
                elif self.value is not torch.other or not self.value is torch.another:
                    return 4
                elif self.value in self._known() or self.value is kwargs:
                    return 5
        """
    ) == dict.fromkeys(
        (
            "itertools.product",
            "torch.wide",
            "torch.autograd.profiler.profile",
            "torch.tall",
            "torch.thin",
        ),
        "call_function",
    )


def test_what_makes_variables_asks_which_object_it_has() -> None:
    """As `random.Random`, and by a function of another file torch.utils.checkpoint.checkpoint."""
    assert _handled(
        """
        import random
        import torch
        class Builder:
            def _wrap(self, value):
                if value is random.Random:
                    return 1
                elif value in (torch.wide, torch.tall) or is_thin(value):
                    return 2
            def wrap(self, value):
                if value is torch.other:
                    return 3
        def is_thin(obj):
            # Lazy import to avoid circular dependencies
            import torch.thin
            return obj is torch.thin.made
        def is_own(obj):
            return obj is not torch.another
        def is_any(obj, other):
            return obj is torch.any
        def is_kept(obj):
            return kept is torch.kept
        """
    ) == {
        "random.Random": "_wrap",
        "torch.wide": "_wrap",
        "torch.tall": "_wrap",
        "torch.thin.made": "is_thin",
    }
