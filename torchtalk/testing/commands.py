"""The command that runs a test, from the root of the tree."""

from __future__ import annotations

import posixpath
import re
import shlex

# Other classes run the tests of such ones.
_ELSEWHERE = ("mixin", "template")


def owner_named(class_name: str | None, role: str | None, run_by: str | None) -> str:
    """The class that a test's own one is, or has in its name, when it runs; nothing where that is another.

    Args:
        class_name: of its class; None for a function of the module.
        role: of the class (`test_classes` in schema.sql).
        run_by: as of `python_command`.
    """
    if class_name is None or role in _ELSEWHERE or run_by is not None:
        return ""
    return class_name


def python_command(
    path: str,
    class_name: str | None,
    role: str | None,
    test: str,
    *,
    is_generated: bool,
    has_main: bool,
    run_by: str | None = None,
    expression: str = "",
) -> str:
    """How to run one Python test; an empty text where no file is known to run it.

    Args:
        path: of its file.
        class_name: of its class; None for a function of the module.
        role: of the class (`test_classes` in schema.sql).
        test: its name.
        is_generated: the class is instantiated for devices or parameters, so that the names of
            its tests and its own have more behind them.
        has_main: the file runs its tests when it is run itself.
        run_by: where its own file runs none of the class's tests: a file that does, or nothing.
        expression: what `-k` takes for it (`exact.expression`), where it is run so.
    """
    if is_by_words(class_name, role, run_by, is_generated=is_generated):
        return "" if run_by == "" else filter_command(run_by or path, expression or test)
    if class_name is not None and role != "pytest" and has_main:
        return f"python {path} {class_name}.{test}"
    return f"pytest {node_id(path, class_name, test)}"


def is_by_words(
    class_name: str | None, role: str | None, run_by: str | None, *, is_generated: bool
) -> bool:
    """Whether a test is run by words of its name, having more behind it or another class when it runs.

    Args:
        class_name: of its class; None for a function of the module.
        role: of the class.
        run_by: as of `python_command`.
        is_generated: as of `python_command`.
    """
    if run_by is not None:
        return True
    is_of_class = class_name is not None and role != "pytest"
    return is_of_class and (is_generated or role in _ELSEWHERE)


def node_id(path: str, class_name: str | None, test: str) -> str:
    """What pytest calls a test that is there under its own name, in a class that is, or in none.

    Args:
        path: of its file.
        class_name: of its class, with those around it; None for a function of the module.
        test: its name.
    """
    return "::".join((path, *(class_name or "").split("."), test) if class_name else (path, test))


# Decorators that make no names: those that skip, choose devices, or patch something. `parametrize` has other names in
# files that import it so, or that make a decorator of it (`swap`, torch/testing/_internal/common_utils.py).
_PLAIN = re.compile(
    r"(?:\w+\.)*_?(?:\w*[sS]kip\w*|unittest\.\w+|only\w+|slow\w*|expected\w*|suppress\w*|patch(?:\.\w+)*|requires?_?\w*"
    r"|property|\w+method|torch\.\w+(?:\.\w+)*|config\.patch|dtypes\w*|tf32\w*|with_\w+|serialTest|largeTensorTest)$"
)


def makes_names(decorators: str | None) -> bool:
    """Whether decorators may make several tests of one, in a class that is instantiated for parameters.

    Args:
        decorators: as written, comma-separated.
    """
    depth = 0
    head = ""
    heads = []
    for character in decorators or "":
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif depth == 0 and character == ",":
            heads.append(head)
            head = ""
        elif depth == 0:
            head += character
    return any(text.strip() and not _PLAIN.match(text.strip()) for text in (*heads, head))


def filter_command(path: str, expression: str) -> str:
    """How to run what an expression selects of a file.

    Args:
        path: of the file.
        expression: as `-k` takes it.
    """
    return f"pytest {path} -k {shlex.quote(expression)}"


def gtest_command(path: str, suite: str, test: str) -> str:
    """How to run one googletest test; the program's name is that of PyTorch's CMake files.

    Args:
        path: of its file in the tree.
        suite: its class.
        test: its name.
    """
    return f"{gtest_program(path)} --gtest_filter='*{suite}*.{test}*'"


# Folders whose files are one program together, by their CMakeLists.txt; test/cpp/x is test_x without being named.
_PROGRAMS = {
    "test/cpp/rpc/": "test_cpp_rpc",
    "test/mobile/nnc/": "test_mobile_nnc",
    "test/mobile/lightweight_dispatch/": "test_codegen_unboxing",
    "test/edge/": "test_edge_op_registration",
    "test/inductor/cpp/": "test_cpp_prefix",
    # Of 1.13: test/cpp/jit/CMakeLists.txt takes them in.
    "torch/csrc/jit/codegen/cuda/test/": "test_jit",
    "benchmarks/static_runtime/": "static_runtime_test",
}
# Folders whose files are programs of their own, and what stands before the files' names.
_PREFIXES = {
    "test/cpp/c10d/": "",
    "c10/cuda/test/": "c10_cuda_",
    "c10/xpu/test/": "c10_xpu_",
    "c10/": "c10_",
}


# By its CMakeLists.txt, where PYTORCH_QNNPACK_BUILD_TESTS asks for them; deps/clog/ does so, too.
_QNNPACK = "aten/src/ATen/native/quantized/cpu/qnnpack/"
# caffe2/CMakeLists.txt makes a program of it for each CPU capability; of these DEFAULT has no vectors.
_VECTORS = "aten/src/ATen/test/vec_test_all_types.cpp"


def gtest_program(path: str) -> str:
    """The program that a C++ test file, `path` in the tree, is built into, by the rules of PyTorch's CMake files."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    parts = path.split("/")
    for folder, program in _PROGRAMS.items():
        if path.startswith(folder):
            return f"build/bin/{program}"
    if path.startswith(_QNNPACK):
        return f"build/bin/{stem.replace('_', '-')}-test"
    if path == _VECTORS:
        return f"build/bin/{stem}_AVX2"
    for folder, prefix in _PREFIXES.items():
        if path.startswith(folder):
            return f"build/bin/{prefix}{stem}"
    if path.startswith("test/cpp/") and len(parts) > 3:
        return f"build/bin/test_{parts[2]}"
    return f"build/bin/{stem}"
