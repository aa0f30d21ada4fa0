"""Every tool that can be asked, with its arguments: what the server lists when it starts.

The module that answers, of the tool's name, is loaded by the first question: all of them and what they stand on take
longer than the answer.
"""

from __future__ import annotations

import functools
import importlib
import sqlite3
from typing import Any, Final

from indexer.layers import LAYERS
from torchtalk.graph import exclusions
from torchtalk.tools.spec import LIMIT, MAX_PAGE, OFFSET, Parameter, Tool, name_parameter

MAX_DEPTH: Final = 20
"""Calls that `impact` goes at most."""

MAX_DIFF: Final = 20_000_000
"""Longest diff that is read, in characters."""

MAX_QUERY: Final = 10_000
"""Longest SQL query, in characters."""

FORMS: Final = ("text", "json", "mermaid", "dot")
"""How an answer is given that can be drawn."""

OTHER_KINDS: Final = (
    "class", "api", "kernel", "stub", "cuda", "metal", "backward", "function", "binding", "python",
    "vulkan",
)  # fmt: skip
"""Kinds of names that are no operators, as they are ranked where all else is equal."""

OPTION_KINDS: Final = ("", "log", "artifact", "config", "env", "graph_break")
"""What `compile_options` knows; empty for all."""

DEFAULT_EXCLUDE: Final = "boilerplate"
"""Edges that `calls` and `called_by` leave out unless they are told otherwise."""

_SUBJECT = name_parameter(
    "name", "operator, C++ function, kernel, stub, Python name, file or file:line"
)
_FORMAT = Parameter("format", str, "text, json, or a picture", "text", choices=FORMS)
_NEIGHBOURS = (
    _SUBJECT,
    Parameter("exclude", str, exclusions.HELP, DEFAULT_EXCLUDE),
    _FORMAT,
    LIMIT,
    OFFSET,
)


def _answered_by(name: str) -> functools.partial[Any]:
    return functools.partial(_answer, name)


def _answer(tool: str, conn: sqlite3.Connection, /, **arguments: Any) -> Any:
    """Ask the function of the tool's name in the module of that name."""
    return getattr(importlib.import_module(f"torchtalk.tools.{tool}"), tool)(conn, **arguments)


TOOLS = (
    Tool(
        name="get_status",
        title="State of the index",
        description="What is indexed: which PyTorch tree and version, when, each layer's counts and "
        "gaps, and whether the tree has changed since.",
        parameters=(),
        run=_answered_by("get_status"),
        examples=({},),
    ),
    Tool(
        name="trace",
        title="Trace an operator",
        description="Follow an operator, Python API or kernel by name to each overload's schema, "
        "dispatch table with kernels and file:line, gradient formulas and Python names.",
        parameters=(
            name_parameter(
                "name",
                "softmax, torch.softmax, F.softmax, Tensor.add_, aten::add.Tensor, softmax_cpu_out …",
            ),
            Parameter(
                "focus",
                str,
                "full; yaml: entries and formulas; dispatch: complete tables",
                "full",
                choices=("full", "yaml", "dispatch"),
            ),
            _FORMAT,
        ),
        run=_answered_by("trace"),
        examples=(
            {"name": "softmax"},
            {"name": "aten::add.Tensor", "focus": "dispatch"},
            {"name": "aten::relu", "format": "mermaid"},
        ),
        layers=("native", "python"),
    ),
    Tool(
        name="search",
        title="Search names",
        description="Find operators, kernels, stubs, C++ functions, bindings, classes and APIs by name, "
        "part of one or words; `backend` keeps operators with an entry for a key (CUDA, MPS …).",
        parameters=(
            name_parameter("query", "a name or part of one: conv2d, layer norm, softmax backward"),
            Parameter("backend", str, "dispatch key, any case; empty for all", "", maximum=80),
            Parameter(
                "kind",
                str,
                "only names of this kind; empty for operators first, then the best of the others",
                "",
                choices=("", "operator", *OTHER_KINDS),
            ),
            LIMIT,
            OFFSET,
        ),
        run=_answered_by("search"),
        examples=({"query": "conv2d", "backend": "CUDA"},),
        layers=("native", "python", "compile"),
    ),
    Tool(
        name="calls",
        title="What it calls",
        description="Direct callees of a C++ function, kernels of an operator or stub, what a Python function uses; "
        "by kind, with file:line of call and definition, overloads apart.",
        parameters=_NEIGHBOURS,
        run=_answered_by("calls"),
        examples=({"name": "softmax_cpu_out"}, {"name": "aten::relu"}),
        layers=("native", "python"),
    ),
    Tool(
        name="called_by",
        title="What calls it",
        description="Direct callers of a C++ function, operator, stub or Python name, and what it is registered for; "
        "by kind, with file:line of call and definition, overloads apart.",
        parameters=_NEIGHBOURS,
        run=_answered_by("called_by"),
        examples=({"name": "at::native::softmax"}, {"name": "aten::relu"}),
        layers=("native", "python"),
    ),
    Tool(
        name="impact",
        title="What depends on it",
        description="What a change in a function, kernel, stub, operator, file or file:line reaches: "
        "transitive callers with a path each, operators, Python names, modules, tests.",
        parameters=(
            _SUBJECT,
            Parameter("depth", int, "how many calls away at most", 3, minimum=1, maximum=MAX_DEPTH),
            Parameter("exclude", str, exclusions.HELP, exclusions.DEFAULT),
            _FORMAT,
            LIMIT,
            OFFSET,
        ),
        run=_answered_by("impact"),
        examples=(
            {"name": "softmax_cpu_out"},
            {"name": "aten::relu", "depth": 2, "format": "mermaid"},
        ),
        layers=("native", "python", "tests"),
    ),
    Tool(
        name="cuda_kernels",
        title="GPU kernels",
        description="Find CUDA, Metal and Vulkan kernels and their launch sites by kernel, launcher, operator, module "
        "or file; without a name an overview by folder.",
        parameters=(
            name_parameter(
                "name",
                "kernel, launching function, operator, module or file, or a part; empty: overview",
                "",
            ),
            LIMIT,
            OFFSET,
        ),
        run=_answered_by("cuda_kernels"),
        examples=({"name": "layer_norm"}, {}),
        layers=("native",),
    ),
    Tool(
        name="trace_module",
        title="Trace a module",
        description="An nn.Module, optimizer or scheduler by name: class, bases, signatures, methods "
        "with file:line, and what its forward or step calls down to the operators.",
        parameters=(
            name_parameter("name", "Linear, nn.LSTM, torch.ao.nn.quantized.Linear, AdamW …"),
            Parameter(
                "focus",
                str,
                "methods; full: also what is inherited, and kernels",
                "methods",
                choices=("methods", "full"),
            ),
        ),
        run=_answered_by("trace_module"),
        examples=({"name": "Linear"}, {"name": "Adam", "focus": "full"}),
        layers=("python",),
    ),
    Tool(
        name="list_modules",
        title="List modules",
        description="List nn.Modules, optimizers or LR schedulers with file:line, grouped as the "
        "documentation groups them (Convolution, Pooling, Loss …), with totals.",
        parameters=(
            Parameter(
                "category", str, "nn, optim, lr_scheduler, all, or a text: conv, loss …", "nn"
            ),
            LIMIT,
            OFFSET,
        ),
        run=_answered_by("list_modules"),
        examples=({"category": "nn"}, {"category": "Pooling"}),
        layers=("python",),
    ),
    Tool(
        name="find_similar_tests",
        title="Find tests",
        description="Tests for an operator, API, module, C++ function or concept: OpInfos and the "
        "generic tests that run them, then dedicated tests, each with the reason and the command.",
        parameters=(
            name_parameter(
                "query",
                "softmax, F.softmax, nn.Linear, at::native::add, channels last …",
                is_topic=True,
            ),
            LIMIT,
            OFFSET,
        ),
        run=_answered_by("find_similar_tests"),
        examples=({"query": "softmax"}, {"query": "channels last", "limit": 5}),
        layers=("tests",),
    ),
    Tool(
        name="list_test_utils",
        title="Test utilities",
        description="What PyTorch's tests are written with (torch.testing): decorators, assertions, "
        "OpInfo machinery, device and dtype helpers, common_* modules; with use counts.",
        parameters=(
            Parameter(
                "category",
                str,
                "a category, a file, or a word of a name; empty: the categories",
                "",
            ),
            LIMIT,
            OFFSET,
        ),
        run=_answered_by("list_test_utils"),
        examples=({}, {"category": "decorators", "limit": 5}),
        layers=("tests",),
    ),
    Tool(
        name="test_file_info",
        title="About a test file",
        description="What a test file holds: classes, how they are made for devices, OpInfo lists, "
        "operators, imports, how to run it. A part of a path that fits several lists them.",
        parameters=(
            Parameter("path", str, "test/test_nn.py, test_nn, inductor …"),
            Parameter("limit", int, "how many classes to show", 50, minimum=1, maximum=200),
            OFFSET,
        ),
        run=_answered_by("test_file_info"),
        examples=({"path": "test_nn.py"},),
        layers=("tests",),
    ),
    Tool(
        name="affected",
        title="Tests for a change",
        description="Which tests a change needs: from function, operator or file names, or a diff, "
        "over the joined graph to tests, ranked and cut to a budget, each with its path of reasons.",
        parameters=(
            Parameter(
                "names",
                str,
                "functions, operators, classes, files, folders of few",
                "",
                maximum=20_000,
            ),
            Parameter("diff", str, "a unified diff", "", maximum=MAX_DIFF),
            Parameter(
                "max_tests",
                int,
                "how many tests at most; one for many devices and dtypes counts once",
                50,
                minimum=1,
                maximum=20_000,
            ),
            Parameter(
                "form", str, "text, or commands to run", "text", choices=("text", "commands")
            ),
        ),
        run=_answered_by("affected"),
        examples=({"names": "softmax_cpu_out"}, {"names": "aten::relu", "form": "commands"}),
        layers=("native", "python", "tests", "graph"),
        needs=("tests", "graph"),
    ),
    Tool(
        name="compile_path",
        title="Follow an operator through torch.compile",
        description="What becomes of an operator in torch.compile: Dynamo rule, IR level, decompositions, "
        "meta/fake, gradient, Inductor lowering or fallback, patterns, each with file:line.",
        parameters=(
            name_parameter(
                "name",
                "softmax, torch.addmm, F.gelu, aten::index_put_, torch.ops.higher_order.cond …",
            ),
        ),
        run=_answered_by("compile_path"),
        examples=({"name": "softmax"}, {"name": "aten::addmm"}),
        layers=("compile",),
    ),
    Tool(
        name="compile_options",
        title="Find switches and graph breaks of torch.compile",
        description="Search TORCH_LOGS logs and artifacts, dynamo/inductor/functorch config options, "
        "environment variables and Dynamo's graph-break messages, each with default and file:line.",
        parameters=(
            Parameter("query", str, "a name, words, or the text of a graph break; empty lists all"),
            Parameter(
                "kind",
                str,
                "log, artifact, config, env, graph_break; empty for all",
                "",
                choices=OPTION_KINDS,
            ),
            LIMIT,
            OFFSET,
        ),
        run=_answered_by("compile_options"),
        examples=({"query": "max_autotune"}, {"query": "graph_breaks", "kind": "artifact"}),
        layers=("compile",),
    ),
    Tool(
        name="sql",
        title="Query the index",
        description="One read-only SELECT over the views v_operators, v_dispatch, v_calls, v_tests … "
        "(columns and examples: torchtalk://schema, docs/schema.md), for what no other tool answers.",
        parameters=(
            Parameter("query", str, "one SQLite SELECT", maximum=MAX_QUERY),
            Parameter("limit", int, "how many rows to show", 50, minimum=1, maximum=MAX_PAGE),
        ),
        run=_answered_by("sql"),
        examples=(
            {"query": "SELECT operator, file, line FROM v_operators ORDER BY operator LIMIT 3"},
        ),
        layers=tuple(layer.name for layer in LAYERS),
    ),
)
"""In the order in which they are listed."""
