"""What torch.compile knows of operators, and the switches that people turn."""

from __future__ import annotations

from typing import Literal, NamedTuple

CompileRole = Literal["decomposition", "fake", "lowering", "fallback"]

WHERE_THERE = "if hasattr("
"""What the condition of a registration begins with that is made for what there is, and is no shortfall otherwise."""


class CompileRegistration(NamedTuple):
    """One function given to an operator for a stage of torch.compile.

    Args:
        role: what the function is for.
        operator: `aten::add.Tensor`; `aten::add` with `all_overloads` for a packet; for what is no
            operator of the dispatcher the dotted Python name (`torch.sym_sum`); empty where a
            predicate chooses.
        all_overloads: the operator is a packet: it holds for all its overloads.
        function: qualified name of the function, with its module; empty if not known.
        function_line: of its `def`, 0 where it is not in this file.
        table: the registry it goes to, by its dotted name.
        how: of the call that registers: register_lowering, make_fallback …
        kernels: what the function's text makes, comma-separated: Pointwise, Reduction, template …
        condition: `when f() runs`; for a predicate its text; empty if unconditional.
        line: of the statement.
    """

    role: CompileRole
    operator: str
    all_overloads: bool
    function: str
    function_line: int
    table: str
    how: str
    kernels: str
    condition: str
    line: int


class TableStep(NamedTuple):
    """One step in the making of a table of decompositions.

    Args:
        table: its dotted name; that of a function ends with `()`.
        action: `get`: those of the operators that have a decomposition; `merge`: all of another
            table; `remove`: the operators leave.
        source: the registry of a `get` (post_autograd …); the table of a `merge`.
        operator: of a `get` or `remove`.
        all_overloads: it is a packet.
        line: of the statement.
    """

    table: str
    action: Literal["get", "merge", "remove"]
    source: str
    operator: str
    all_overloads: bool
    line: int


class OperatorListing(NamedTuple):
    """An operator in a list that has a name: what the partitioner recomputes, for instance.

    Args:
        name: of the variable, qualified: `get_default_op_list.random_ops`.
        operator: as in `CompileRegistration`; `aten::<tag:pointwise>` for all that have a tag.
        all_overloads: it is a packet.
        line: of the list, 1-based.
    """

    name: str
    operator: str
    all_overloads: bool
    line: int


class NameEntry(NamedTuple):
    """A text in a module-level dictionary of records, from which other files make names.

    Args:
        table: dotted name of the dictionary.
        key: of the entry.
        field: of the record.
        value: the text.
        line: 1-based.
    """

    table: str
    key: str
    field: str
    value: str
    line: int


class HigherOrderOperator(NamedTuple):
    """An operator that takes functions, and the variable that holds it.

    Args:
        name: `cond`.
        variable: dotted name: `torch._higher_order_ops.cond.cond_op`; empty if there is none.
        class_name: dotted; empty where it has no class of its own.
        line: 1-based.
    """

    name: str
    variable: str
    class_name: str
    line: int


class GraphPattern(NamedTuple):
    """A pattern that a pass of Inductor looks for.

    Args:
        form: graph, lowering, replacement.
        function: what handles a match, qualified; of a replacement the function searched for.
        function_line: of its `def`; 0 where it is not in this file.
        replacement: the function put in its place, for a replacement.
        passes: the variable of the pass it is given to, dotted; empty if not known.
        operators: dotted names or operators that the pattern mentions, in order.
        line: 1-based.
    """

    form: str
    function: str
    function_line: int
    replacement: str
    passes: str
    operators: tuple[str, ...]
    line: int


class DynamoRule(NamedTuple):
    """What Dynamo does with a Python object.

    Args:
        kind: `rule` from trace_rules, `handler` of a variable class, `polyfill`.
        name: dotted: `torch.softmax`.
        target: the variable class of a rule; the function that handles or replaces it.
        target_line: of that function, 0 for a rule.
        line: 1-based.
    """

    kind: Literal["rule", "handler", "polyfill"]
    name: str
    target: str
    target_line: int
    line: int


class GraphBreak(NamedTuple):
    """A place where Dynamo gives up tracing.

    Args:
        code: of the registry, `GB0001`; empty where there is none.
        message: its text or type; parts that only a run tells are in `{}`.
        context: as written; empty if not given.
        explanation: as written.
        hints: one a line.
        function: that it stands in, qualified within the file.
    """

    code: str
    message: str
    context: str
    explanation: str
    hints: str
    function: str
    line: int


class CompileOption(NamedTuple):
    """Something that can be switched.

    Args:
        kind: log, artifact, config, env.
        name: in full for a config option: `torch._inductor.config.triton.cudagraphs`.
        default: its expression; empty if there is none.
        description: the comment or text beside it.
        environment: variables that set it, comma-separated.
        details: of an artifact `visible`, `off by default`; of a log the modules; of an
            environment variable the function that reads it.
        line: 1-based.
    """

    kind: Literal["log", "artifact", "config", "env"]
    name: str
    default: str
    description: str
    environment: str
    details: str
    line: int


class ArtifactUse(NamedTuple):
    """A file writes to an artifact of TORCH_LOGS.

    Args:
        artifact: its name.
        line: 1-based.
    """

    artifact: str
    line: int


class GraphBreakCode(NamedTuple):
    """A code of the registry of graph breaks, and the type it stands for.

    Args:
        code: `GB0001`.
        message: the type.
    """

    code: str
    message: str


class NestedFunction(NamedTuple):
    """A function defined in another one, or one that may decline.

    Args:
        name: qualified as Python does, with the module: `torch.a.outer.<locals>.inner`.
        declines: returns NotImplemented somewhere: a decomposition that leaves the operator alone.
        line: 1-based.
    """

    name: str
    declines: bool
    line: int
