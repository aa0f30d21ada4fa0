"""An operator's way through torch.compile."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import Answer, Place


@dataclass(frozen=True)
class Step:
    """One thing that happens to an operator.

    Args:
        what: `decomposition`, `meta`, `lowering` …, as v_compile has it, with its table.
        function: that does it; None where none is known.
        place: of its definition.
        registered: of the statement that gives it to the operator.
        detail: what is to be known of it: the kind of kernel, a condition.
    """

    what: str
    function: str | None
    place: Place
    registered: Place
    detail: str = ""


@dataclass(frozen=True)
class OperatorPath:
    """One overload, or several that go the same way.

    Args:
        operators: their names.
        place: where the first is declared.
        level: its IR level: Core ATen, composite, prim …
        aot: what AOTAutograd does: decompositions, meta and fake kernels, the gradient.
        inductor: what Inductor does.
        outcome: in one line, what is left of it.
        becomes: operators that it is decomposed into, by packet.
        lists: named lists of the partitioner and others that it stands in.
    """

    operators: tuple[str, ...]
    place: Place
    level: str
    aot: tuple[Step, ...]
    inductor: tuple[Step, ...]
    outcome: str
    becomes: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()


@dataclass(frozen=True)
class DynamoLine:
    """What Dynamo does with a Python name.

    Args:
        name: `torch.softmax`.
        kind: rule, handler, polyfill, method, or rewrite: the target is traced in its place.
        target: the variable class or the function.
        place: of the rule or the function.
    """

    name: str
    kind: str
    target: str
    place: Place


@dataclass(frozen=True)
class PatternLine:
    """A pattern of Inductor that looks for the operator."""

    stage: str
    function: str
    replacement: str
    place: Place


@dataclass(frozen=True)
class CompilePathAnswer(Answer):
    """Dynamo, AOTAutograd and Inductor, one after the other.

    Args:
        dynamo: what is known of the Python names that reach the operators.
        paths: of the operators asked for.
        behind: of the operators that those are decomposed into.
        patterns: that Inductor looks for, the first of them.
        pattern_total: how many there are.
        logs: artifacts of TORCH_LOGS by stage.
    """

    dynamo: tuple[DynamoLine, ...] = ()
    paths: tuple[OperatorPath, ...] = ()
    behind: tuple[OperatorPath, ...] = ()
    patterns: tuple[PatternLine, ...] = ()
    pattern_total: int = 0
    logs: tuple[tuple[str, str], ...] = ()

    @property
    def found(self) -> bool:
        """Whether the name means an operator, or Dynamo has a rule for it."""
        return bool(self.paths or self.dynamo)
