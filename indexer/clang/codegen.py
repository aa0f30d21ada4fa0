"""The headers and sources that PyTorch's build generates, by the tree's own torchgen.

This runs code of the tree that is being indexed: in child processes with a time limit, which write to a folder of
their own in the user's cache. The folder's name is the content of all that the result depends on, so that it is made
once for a state of the tree.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from indexer.clang.configured import configure, templates
from indexer.clang.made_folder import CodegenError, made_folder
from indexer.scan.readahead import read_ahead

FORMAT = 6
GENERATOR = "torchgen/gen.py"
"""What a tree has that can generate."""
TIME_LIMIT = 300.0
"""Seconds for one generator."""

_SOURCES = (
    "torchgen", "tools/autograd", "tools/setup_helpers", "tools/jit", "tools/lite_interpreter", "tools/code_analyzer",
    "aten/src/ATen/templates", "torch/csrc/lazy/core/shape_inference.h", "torch/csrc/lazy/ts_backend",
    "torch/csrc/inductor/aoti_torch/generated", "aten/src/ATen/native/native_functions.yaml",
    "aten/src/ATen/native/tags.yaml", "aten/src/ATen/native/ts_native_functions.yaml", "version.txt",
)  # fmt: skip
# One file that holds what the others hold in parts, for builds that cannot take parts.
_WHOLE = "*Everything.cpp"


def generated_headers(root: Path, cache: Path, *, time_limit: float = TIME_LIMIT) -> Path:
    """The folder with everything generated for a tree, laid out as in a build.

    Args:
        root: the tree.
        cache: where such folders are kept.
        time_limit: seconds for each of the generators, which run at the same time.

    Raises:
        CodegenError: a generator failed or took too long, or the folder cannot be written.
    """

    def generate(folder: Path) -> None:
        _generate(root, folder, time_limit)
        for extra in folder.rglob(_WHOLE):
            extra.unlink()
        for templates_folder in sorted(folder.rglob("templates")):
            shutil.rmtree(templates_folder, ignore_errors=True)
        _make_relative(folder)
        configure(root, folder)

    return made_folder(cache, "generated", codegen_key(root), generate)


def _make_relative(folder: Path) -> None:
    """Take the folder's own name out of includes: torchgen/dest/lazy_ir.py writes where it was told to write."""
    absolute = f"{folder}/".encode()
    for file in (folder / "torch/csrc/lazy").rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            if absolute in data:
                file.write_bytes(data.replace(absolute, b""))


def codegen_key(root: Path) -> str:
    """A digest of all files below the tree `root` that the generated ones are made from, and of how they are made."""
    digest = hashlib.sha256(f"{FORMAT} {sys.version_info[:2]}".encode())
    paths = [*_inputs(root), *templates(root)]
    read_ahead(paths)
    for path in paths:
        digest.update(str(path.relative_to(root)).encode())
        try:
            content = path.read_bytes()
        except OSError:
            continue
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:24]


def _inputs(root: Path) -> Iterator[Path]:
    for name in _SOURCES:
        path = root / name
        if path.is_dir():
            for folder, folders, files in os.walk(path):
                folders[:] = sorted(set(folders) - {"__pycache__", "packaged"})
                yield from (
                    Path(folder) / file for file in sorted(files) if not file.endswith(".pyc")
                )
        elif path.is_file():
            yield path


def _commands(root: Path, target: Path) -> list[list[str]]:
    """The generators, as cmake/Codegen.cmake and caffe2/CMakeLists.txt call them.

    torchgen's is called for the headers and for the sources, at the same time; Declarations.yaml is not wanted.
    """
    native = "aten/src/ATen/native"
    aten = [
        sys.executable, "-m", "torchgen.gen", "--source-path", "aten/src/ATen",
        "--install_dir", str(target / "aten/src/ATen"), "--per-operator-headers",
    ]  # fmt: skip
    try:
        generator = (root / GENERATOR).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise CodegenError(f"{GENERATOR} cannot be read: {error.strerror or error}") from error
    if "--aoti-install-dir" in generator or "--aoti_install_dir" in generator:
        # Without it torchgen writes into the tree.
        aten += ["--aoti-install-dir", str(target / "torch/csrc/inductor/aoti_torch/generated")]
    autograd = [
        sys.executable, "-m", "tools.setup_helpers.generate_code",
        "--native-functions-path", f"{native}/native_functions.yaml", "--gen-dir", str(target),
        "--force_schema_registration", "--gen_lazy_ts_backend", "--per_operator_headers",
    ]  # fmt: skip
    if (root / native / "tags.yaml").is_file():
        autograd += ["--tags-path", f"{native}/tags.yaml"]
    if '"--generate"' not in generator:
        return [aten, autograd]
    return [[*aten, "--generate", "headers"], [*aten, "--generate", "sources"], autograd]


def _generate(root: Path, target: Path, time_limit: float) -> None:
    (target / "aten/src/ATen").mkdir(parents=True)
    (target / "torch/csrc/inductor/aoti_torch/generated").mkdir(parents=True)
    environment = {
        **{
            name: os.environ[name]
            for name in ("PATH", "HOME", "LANG", "SYSTEMROOT")
            if name in os.environ
        },
        "PYTHONDONTWRITEBYTECODE": "1",
        # Older trees write the elements of sets: the same each time, or all that includes them is parsed anew.
        "PYTHONHASHSEED": "0",
        # The interpreter's own packages first are no danger: the tree's folder is the current one.
        "PYTHONPATH": str(root),
    }
    children: list[subprocess.Popen[bytes]] = []
    with contextlib.ExitStack() as stack:
        commands = _commands(root, target)
        logs = [stack.enter_context(tempfile.TemporaryFile()) for _ in commands]
        try:
            for command, log in zip(commands, logs, strict=True):
                children.append(
                    subprocess.Popen(
                        command, cwd=root, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                        start_new_session=True,
                    )
                )  # fmt: skip
            deadline = time.monotonic() + time_limit
            for child, log in zip(children, logs, strict=True):
                _wait(child, log, deadline, time_limit)
        finally:
            for child in children:
                if child.poll() is None:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(child.pid, signal.SIGKILL)
                child.wait()


def _wait(
    child: subprocess.Popen[bytes], log: IO[bytes], deadline: float, time_limit: float
) -> None:
    try:
        code = child.wait(max(0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise CodegenError(f"the tree's code generator took over {time_limit:.0f} s") from error
    if code:
        log.seek(0)
        last = log.read().decode("utf-8", "replace").strip().splitlines()[-1:]
        raise CodegenError(f"the tree's code generator failed: {(last or ['no message'])[0][:300]}")
