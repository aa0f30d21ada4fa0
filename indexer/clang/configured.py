"""The headers that cmake makes from the tree's templates (configure_file) and messages, for a plain CPU build."""

from __future__ import annotations

import re
from pathlib import Path

from indexer.clang import protos

_TEMPLATES = {
    "c10/macros/cmake_macros.h.in": "c10/macros/cmake_macros.h",
    "caffe2/core/macros.h.in": "caffe2/core/macros.h",
    "torch/csrc/api/include/torch/version.h.in": "torch/csrc/api/include/torch/version.h",
    "aten/src/ATen/Config.h.in": "aten/src/ATen/Config.h",
    "aten/src/ATen/cuda/CUDAConfig.h.in": "aten/src/ATen/cuda/CUDAConfig.h",
    "c10/cuda/impl/cuda_cmake_macros.h.in": "c10/cuda/impl/cuda_cmake_macros.h",
    "c10/xpu/impl/xpu_cmake_macros.h.in": "c10/xpu/impl/xpu_cmake_macros.h",
}
_DEFINED = frozenset(
    (
        "C10_BUILD_SHARED_LIBS",
        "CAFFE2_BUILD_SHARED_LIBS",
        "C10_CUDA_BUILD_SHARED_LIBS",
        "CAFFE2_USE_CUDNN",
    )
)
# What is switched on in the *Config.h; everything else is 0.
_ON = frozenset((
    "AT_POCKETFFT_ENABLED", "AT_BUILD_WITH_BLAS", "AT_BUILD_WITH_LAPACK", "AT_PARALLEL_NATIVE",
    "AT_CUDNN_ENABLED", "AT_MAGMA_ENABLED",
))  # fmt: skip
_SHADERS, _SHADER_HEADER = "aten/src/ATen/native/vulkan/glsl", "ATen/native/vulkan/spv.h"
_SHADER = """\
extern const uint32_t {0}_spv[];
extern const uint32_t {0}_spv_len;
extern const std::vector<VkDescriptorType> {0}_spv_layout;
"""
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def templates(root: Path) -> list[Path]:
    """Absolute paths of all that the tree `root` has and `configure` makes files from."""
    return [
        *(root / name for name in _TEMPLATES if (root / name).is_file()),
        *protos.templates(root),
        *_shaders(root),
    ]


def configure(root: Path, target: Path) -> None:
    """Write the configured headers of a tree below a folder.

    Args:
        root: the tree.
        target: the folder of generated headers.
    """
    protos.write_headers(root, target)
    _shader_header(root, target)
    version = _VERSION.search(_read(root / "version.txt"))
    numbers = version.groups() if version else ("0", "0", "0")
    names = ("TORCH_VERSION_MAJOR", "TORCH_VERSION_MINOR", "TORCH_VERSION_PATCH")
    values = dict(zip(names, numbers, strict=True))
    for template, header in _TEMPLATES.items():
        if not (root / template).is_file():
            continue
        path = target / header
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(substituted(_read(root / template), values), encoding="utf-8")


def _shaders(root: Path) -> list[Path]:
    return sorted((root / _SHADERS).rglob("*.glsl"))


def _shader_header(root: Path, target: Path) -> None:
    """What tools/gen_vulkan_spv.py declares for each shader."""
    names = sorted({path.stem for path in _shaders(root)})
    if names:
        header = target / _SHADER_HEADER
        header.parent.mkdir(parents=True, exist_ok=True)
        declared = "".join(_SHADER.format(name) for name in names)
        header.write_text(
            "#pragma once\n#include <cstdint>\n#include <vector>\n#include <ATen/native/vulkan/api/vk_api.h>\n"
            f"namespace at::native::vulkan {{\n{declared}}}\n",
            encoding="utf-8",
        )


def substituted(text: str, values: dict[str, str]) -> str:
    """A template's text as cmake's configure_file would give it.

    `#cmakedefine NAME` is defined or not; `@NAME@` a value, else 1 or 0 for whether the component is there; `${NAME}`
    nothing.

    Args:
        text: the template.
        values: by the names that stand between `@`.
    """

    def defined(match: re.Match[str]) -> str:
        name = match[1]
        return f"#define {name}" if name in _DEFINED else f"/* #undef {name} */"

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name in values:
            return values[name]
        return "" if name.endswith("EXTRA") else str(int(name in _ON))

    text = re.sub(r"^[ \t]*#[ \t]*cmakedefine[ \t]+(\w+).*$", defined, text, flags=re.MULTILINE)
    text = re.sub(r"\$\{\w+\}", "", text)
    return re.sub(r"@(\w+)@", value, text)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
