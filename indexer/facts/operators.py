"""Facts of layer 1: what native_functions.yaml, tags.yaml and derivatives.yaml say."""

from __future__ import annotations

from dataclasses import dataclass, field

from indexer.facts.schema import FunctionSchema


@dataclass(frozen=True)
class DispatchEntry:
    """One key of an operator's `dispatch:`; `CPU, CUDA: f` makes two.

    Args:
        key: the dispatch key, in the runtime's spelling.
        kernel: the C++ name as written, perhaps with a namespace.
        line: 1-based, of the YAML line.
    """

    key: str
    kernel: str
    line: int

    @property
    def qualified_kernel(self) -> str:
        """The kernel with its namespace (`torchgen/model.py`, `NativeFunction.from_yaml`).

        A namespace given in the YAML gets `native` behind it; without one it is `at`.
        """
        namespace, _, name = self.kernel.rpartition("::")
        return f"{namespace or 'at'}::native::{name}"


@dataclass(frozen=True)
class UfuncInnerLoop:
    """One line of `ufunc_inner_loop:`, from which CPU and CUDA kernels are generated.

    Args:
        key: `Generic`, `ScalarOnly` and so on (`torchgen/model.py`, `UfuncKey`).
        name: of the function in the loop.
        dtypes: that it is made for, as written between the brackets.
    """

    key: str
    name: str
    dtypes: str


@dataclass(frozen=True)
class Precomputed:
    """One line of `precomputed:`.

    Args:
        replaces: the kernel argument that is replaced; None for one that is added.
        arguments: the declarations that stand in its place, as written.
    """

    replaces: str | None
    arguments: str


@dataclass(frozen=True)
class Operator:
    """One overload of native_functions.yaml, with every field of its entry.

    Those that are not listed here are the entry's, as `torchgen/model.py`, `NativeFunction`, describes them; where
    one is not written it has the value that `NativeFunction.from_yaml` gives it.

    Args:
        schema: parsed; prints back to the text of `func:`.
        func: that text.
        signature: what all variants of one function share; see `indexer.facts.signature`.
        line: 1-based, of the entry's `- func:`.
        generated_from: name of the overload whose `autogen:` made this one, or None.
        dispatch: None where none is written; an empty one means that there is no kernel at all.
    """

    schema: FunctionSchema
    func: str
    signature: str
    line: int
    generated_from: str | None = None
    variants: str = "function"
    structured: bool = False
    structured_delegate: str | None = None
    structured_inherits: str | None = None
    python_module: str | None = None
    category_override: str | None = None
    device_check: str = "ExactSame"
    device_guard: bool = True
    manual_kernel_registration: bool = False
    manual_cpp_binding: bool = False
    use_const_ref_for_mutable_tensors: bool = False
    cpp_no_default_args: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    autogen: tuple[str, ...] = ()
    dispatch: tuple[DispatchEntry, ...] | None = None
    ufunc_inner_loop: tuple[UfuncInnerLoop, ...] = ()
    precomputed: tuple[Precomputed, ...] = ()

    def __post_init__(self) -> None:
        if self.structured and self.structured_delegate:
            raise ValueError("structured and structured_delegate exclude each other")

    @property
    def namespace(self) -> str:
        """Namespace of the operator; `aten` where the YAML gives none."""
        return self.schema.namespace or "aten"

    @property
    def qualified_name(self) -> str:
        """`aten::add.Tensor`."""
        return f"{self.namespace}::{self.schema.name}"


@dataclass(frozen=True)
class Tag:
    """One tag that operators may carry, from tags.yaml.

    Args:
        name: of the tag.
        description: on one line; empty where none is given.
        line: of the entry, 1-based.
    """

    name: str
    description: str
    line: int


@dataclass(frozen=True)
class Formula:
    """One gradient formula.

    Args:
        dispatch_key: `Default`, or the autograd key it is nested under.
        inputs: the YAML key: `self`, or several as in `self, other`; for forward mode the output.
        formula: as written, white space folded.
        line: 1-based.
        functions: free functions that the formula calls, in order, without repeats.
        methods: methods that it calls on a tensor.
    """

    dispatch_key: str
    inputs: str
    formula: str
    line: int
    functions: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()


@dataclass(frozen=True)
class DerivativeEntry:
    """One entry of derivatives.yaml.

    Args:
        schema: the text behind `name:`.
        operator: name of the overload that the text declares, with namespace.
        output_differentiability: as written, one for each return; empty where not given.
        line: of the entry, 1-based.
        formulas: in its order.
    """

    schema: str
    operator: str
    line: int
    output_differentiability: tuple[str, ...] = ()
    formulas: tuple[Formula, ...] = ()


@dataclass(frozen=True)
class TorchgenRule:
    """A list or set that the tree's own generator is written with.

    Args:
        name: which one: `structured_dispatch_key`, `ufunc_dispatch_key`, `inherited_tag`.
        value: one member.
        line: 1-based line of the assignment.
    """

    name: str
    value: str
    line: int


@dataclass(frozen=True)
class Shortfall:
    """Something in a file that could not be read; it becomes a row of `coverage`.

    Args:
        layer: which layer lacks it.
        status: ok, partial, failed, crashed, timeout or skipped.
        detail: what, with its line.
    """

    layer: str
    status: str
    detail: str = field(default="")
