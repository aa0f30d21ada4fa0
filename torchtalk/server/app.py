"""The server: tools, resources, prompts and completion over one index."""

from __future__ import annotations

from mcp.server import MCPServer

from torchtalk import __version__
from torchtalk.server.completion import add_completion
from torchtalk.server.prompts import add_prompts
from torchtalk.server.resources import add_resources
from torchtalk.server.source import IndexSource
from torchtalk.server.tools import make_tools

INSTRUCTIONS = """\
torchtalk knows one PyTorch source tree: its operators, what each dispatch key leads to, gradient
formulas, and where all of that stands. Ask it before searching PyTorch's source by text: it reads
the YAML as PyTorch's own generator does.

- trace: you have a name and want its overloads, schemas, kernels for each backend, formulas and
  Python names. focus=dispatch or focus=yaml answers shorter.
- search: you have part of a name or some words, or want the operators that have an entry for a
  backend (CUDA, MPS, SparseCsrCUDA ...).
- cuda_kernels: the GPU kernels behind an operator, launcher or file, and where they are launched.
- trace_module: an nn.Module, optimizer or scheduler: methods, and what `forward` ends at.
- list_modules: those there are, in the documentation's groups.
- get_status: which PyTorch is indexed, what is missing, whether the tree has changed since.

Names may be written as in code: softmax, torch.softmax, F.softmax, torch.nn.functional.softmax,
Tensor.add_, torch.ops.aten.add.Tensor, aten::add.Tensor, at::native::softmax. An ambiguous name is
answered with what it could be, an unknown one with the closest names.

Places are path:line below the root of the tree. Long lists are cut and say so; go on with offset.
An answer that says the index is being built is no error: ask again a little later."""


def make_server(source: IndexSource) -> MCPServer:
    """A server that answers from an index; it is not running yet."""
    server = MCPServer(
        "torchtalk",
        title="torchtalk: PyTorch's source",
        instructions=INSTRUCTIONS,
        version=__version__,
        website_url=None,
        tools=make_tools(source),
        log_level="WARNING",
    )
    add_resources(server, source)
    add_prompts(server)
    add_completion(server, source)
    return server
