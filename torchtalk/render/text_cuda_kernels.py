"""The text of cuda_kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchtalk.answers.cuda_kernels import CudaKernelsAnswer, LibraryUse
from torchtalk.counted import few
from torchtalk.render.library_calls import library_calls
from torchtalk.render.pages import page_line, row
from torchtalk.render.text import lines_of

_MOST_BEHIND = 3
_METAL = "metal"


@lines_of.register
def _(answer: CudaKernelsAnswer) -> Iterator[str]:
    for folder in answer.folders:
        launches = f"{folder.launches} launches, {folder.others} by helpers"
        yield from row(f"{folder.path}  {folder.kernels} kernels, {launches}")
    yield from _libraries(use for use in answer.libraries if use.platform != _METAL)
    for site in answer.sites:
        kernel = (
            site.kernel if site.kernel_place.file is None else f"{site.kernel} {site.kernel_place}"
        )
        kernel += f" (one of {site.overloads} overloads)" if site.overloads > 1 else ""
        kind = "" if site.kind == "launch" else f" {site.kind}"
        size = f" <<<{site.grid}, {site.block}>>>" if site.grid and site.block else ""
        launcher = site.launcher or "(no function)"
        more = f"; {site.launches} launches in this line" if site.launches > 1 else ""
        why = f"[{site.platform}{kind}; {site.why}{more}]"
        yield from row(f"{kernel} <- {launcher} {site.place}{size}  {why}")
    yield from _libraries(use for use in answer.libraries if use.platform == _METAL)
    yield from page_line(answer.page, "folders" if answer.folders else "launch sites")
    for idle in answer.unlaunched:
        yield f"no launch found: {idle.name} {idle.place} [{idle.platform}]"


def _libraries(uses: Iterable[LibraryUse]) -> Iterator[str]:
    for use in uses:
        calls = library_calls(use.library, use.functions, use.places, use.condition)
        yield f"calls {calls}  [behind {few(use.behind, _MOST_BEHIND)}]"
