"""Facts about GPU kernels and what launches them, for CUDA (and HIP), Metal and Vulkan."""

from __future__ import annotations

from typing import NamedTuple


class Kernel(NamedTuple):
    """A function that runs on the GPU.

    Args:
        name: qualified (`at::native::foo_kernel`); for Metal the name a library finds it by (its `host_name` where
            it has one), for Vulkan the name that its registry has.
        function: the function's own name, which differs from `name` for Metal's named instantiations; of Vulkan's
            variants the template's.
        platform: `cuda`, `metal` or `vulkan`.
        is_definition: it has a body here.
        is_template: it, or its class, is a template, so that launches name it with arguments.
        bounds: what `__launch_bounds__` says, or "".
        macro: the file's own macro whose use makes it, or "".
        embedded: it stands in a string, compiled when PyTorch runs.
        file: relative to the tree.
        line: 1-based, of its name, or of the macro's use.
        definition_line: of an instantiation of a function that the file defines more than once: the one that its
            parameters pick; else 0.
    """

    name: str
    function: str
    platform: str
    is_definition: bool
    is_template: bool
    bounds: str
    macro: str
    embedded: bool
    file: str
    line: int
    definition_line: int = 0


class Launch(NamedTuple):
    """A place where a kernel is launched.

    Args:
        kernel: as written, without template arguments; the function that a local variable stands for where its
            initialisation says so. A Metal name may hold `*` where it is put together at run time.
        template_arguments: with their brackets, or "".
        scope: the namespaces and classes around it.
        launcher: qualified name of the enclosing function, "" outside of one.
        kind: `launch` (`<<<…>>>`), `runtime` (`cudaLaunchKernel` and its like), `helper` (`gpu_kernel` and its
            like), `jit` (compiled at run time), `library` (cub, thrust), `macro` (a use of another file's macro that
            may launch its first argument), `pipeline` (a Metal function or a Vulkan shader looked up by name).
        grid: as written, like the three that follow; "" where it is not there.
        block: see `grid`.
        shared: see `grid`.
        stream: see `grid`.
        variable: the local variable or parameter the kernel was named by, or "".
        macro: the file's own macro that it comes from; in the macro's definition and in its uses. Else "".
        in_definition: it is the text of that macro's definition.
        platform: `cuda`, `metal` or `vulkan`.
        file: relative to the tree.
        line: 1-based, of the `<<<` or the called name; of the use for a macro's.
        handed_to: the function that the lambda around it is handed to, where its parameter is launched; else "".
    """

    kernel: str
    template_arguments: str
    scope: str
    launcher: str
    kind: str
    grid: str
    block: str
    shared: str
    stream: str
    variable: str
    macro: str
    in_definition: bool
    platform: str
    file: str
    line: int
    handed_to: str = ""


class KernelArgument(NamedTuple):
    """A kernel that a function calls one of its own parameters with.

    Args:
        kernel: as written; one that the file declares.
        function: qualified name of the enclosing function.
        file: relative to the tree.
        line: 1-based.
    """

    kernel: str
    function: str
    file: str
    line: int


LaunchFact = Kernel | Launch | KernelArgument
