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
torchtalk knows one PyTorch source tree. Ask it before searching the source by text.

- trace: a name's overloads, schemas, kernels for each backend, formulas, Python names.
- search: part of any name; `backend` keeps operators for CUDA, MPS ...
- calls: what a function or operator calls, with lines.
- called_by: who calls a function, operator, stub or file:line.
- impact: what a change reaches: callers, operators, Python, modules, tests.
- cuda_kernels: GPU kernels behind an operator, launcher or file.
- trace_module: an nn.Module, optimizer or scheduler; what `forward` ends at.
- list_modules: those there are, in groups.
- find_similar_tests: tests of a name or concept, and how to run them.
- list_test_utils: what to write tests with.
- test_file_info: what a test file holds.
- affected: which tests to run for names, files or a diff.
- compile_path: an operator's way through torch.compile.
- compile_options: logs, config, environment variables, graph breaks.
- sql: one SELECT over the views of torchtalk://schema.
- get_status: which PyTorch is indexed, what is missing or stale.

Names as in code: softmax, torch.softmax, F.softmax, Tensor.add_, torch.ops.aten.add.Tensor,
aten::add.Tensor, at::native::softmax. An ambiguous name is answered with what it could be, an
unknown one with the closest. Places are path:line. Long lists are cut and say so; go on with
offset. If the index is being built, ask again."""

_DIFF = "\n- diff: what changed since another PyTorch."


def make_server(source: IndexSource, classic: bool = False) -> MCPServer:
    """A server that answers from an index; it is not running yet.

    Args:
        source: of the index.
        classic: offer the earlier tool set instead of torchtalk's own.
    """
    server = MCPServer(
        "torchtalk",
        title="torchtalk: PyTorch's source",
        instructions=None if classic else INSTRUCTIONS + (_DIFF if source.compare else ""),
        version=__version__,
        website_url=None,
        tools=make_tools(source, classic),
        log_level="WARNING",
    )
    add_resources(server, source)
    add_prompts(server)
    add_completion(server, source)
    return server
