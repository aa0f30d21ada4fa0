"""GPU kernels and the places that launch them."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import NO_PAGE, Answer, Page, Place


@dataclass(frozen=True)
class LaunchSite:
    """A place that launches something on a GPU.

    Args:
        kernel: what is launched; a helper such as `gpu_kernel` where that launches in its turn.
        kernel_place: the kernel's definition.
        launcher: the enclosing function.
        place: of the launch.
        kind: launch, runtime, helper, jit, library, macro, pipeline or name.
        platform: cuda, metal or vulkan.
        grid: as written, for a launch that says so.
        block: as written.
        why: what it has to do with the name asked for.
        behind: the operators, or the kernel, from which the way to it begins.
        launches: how many there are in that line: a macro makes one for each instance of a template.
        overloads: how many definitions of the kernel's name it may be, of which the place is one.
    """

    kernel: str
    kernel_place: Place
    launcher: str | None
    place: Place
    kind: str
    platform: str
    grid: str | None
    block: str | None
    why: str
    behind: tuple[str, ...] = ()
    launches: int = 1
    overloads: int = 1


@dataclass(frozen=True)
class LibraryUse:
    """Functions of a vendor's library that do the work where no kernel of the tree does, or beside one.

    Args:
        library: cuBLAS, cuDNN …
        functions: as the tree calls them.
        places: of the calls, in one file.
        condition: of the `#if`s inside of functions that the calls stand under; else empty.
        behind: the operators, or the kernel, from which the way to them begins.
        platform: `cuda` (and HIP), `metal` or `vulkan`, as of launch sites.
    """

    library: str
    functions: tuple[str, ...]
    places: tuple[Place, ...]
    condition: str
    behind: tuple[str, ...]
    platform: str


@dataclass(frozen=True)
class Folder:
    """What one folder holds.

    Args:
        path: of the folder.
        kernels: definitions.
        launches: places that name a kernel.
        others: places that launch through a helper, a library or a compiler.
    """

    path: str
    kernels: int
    launches: int
    others: int


@dataclass(frozen=True)
class UnlaunchedKernel:
    """A kernel that fits the name and that no launch in the tree was found for."""

    name: str
    place: Place
    platform: str


@dataclass(frozen=True)
class CudaKernelsAnswer(Answer):
    """Launch sites by name, or an overview by folder.

    Args:
        operators: whose implementations were followed; the kernel's name where that alone was.
        sites: this page's launch sites.
        libraries: what the same operators or kernels end at in libraries; on the first page.
        unlaunched: kernels of a fitting name without a launch, at most ten.
        folders: the overview, where no name was given.
        page: of `sites`, or of `folders`.
    """

    operators: tuple[str, ...] = ()
    sites: tuple[LaunchSite, ...] = ()
    libraries: tuple[LibraryUse, ...] = ()
    unlaunched: tuple[UnlaunchedKernel, ...] = ()
    folders: tuple[Folder, ...] = ()
    page: Page = NO_PAGE

    @property
    def found(self) -> bool:
        """Whether anything fits."""
        return self.page.total > 0 or bool(self.unlaunched) or bool(self.libraries)
