"""The command line that a unit is parsed with where no compile database tells it.

Definitions and folders are those that PyTorch's own build passes (CMakeLists.txt, aten/src/ATen/CMakeLists.txt,
cmake/Codegen.cmake, caffe2/CMakeLists.txt), for a CPU build with every component that needs no header of others.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterable
from pathlib import Path

BUILTIN = Path(__file__).resolve().parent / "include" / "builtin"
"""Stand-ins for the headers that belong to a compiler; the libclang package carries none."""

LIBRARY = BUILTIN.parent / "library" / "include"
"""Headers of the C++ library that declare the same in less time. As all of its headers they are known by what stands
behind the last `/include/`."""

ALWAYS = ("-w", "-ferror-limit=0", "-nobuiltininc", "-ftemplate-depth=1024", "-fbracket-depth=1024")
"""What every command line needs for libclang, a build's own as well."""

_LANGUAGE = ("-x", "c++", "-std=gnu++17", "-fPIC", *ALWAYS)
_DEFINITIONS = (
    "AT_PER_OPERATOR_HEADERS", "CPU_CAPABILITY=DEFAULT", "CPU_CAPABILITY_DEFAULT", "HAVE_AVX2_CPU_DEFINITION",
    "HAVE_AVX512_CPU_DEFINITION", "USE_DISTRIBUTED", "USE_C10D_GLOO", "USE_RPC", "USE_TENSORPIPE",
    "FMT_HEADER_ONLY=1", "ONNX_NAMESPACE=onnx_torch", "ONNX_ML=1", "THP_BUILD_MAIN_LIB",
    "CAFFE2_BUILD_MAIN_LIB", "C10_BUILD_MAIN_LIB", "USE_PTHREADPOOL", "USE_PYTORCH_QNNPACK",
    "PYTORCH_QNNPACK_RUNTIME_QUANTIZATION=1", "USE_VULKAN_API", "USE_EXTERNAL_MZCRC",
    "MINIZ_DISABLE_ZIP_READER_CRC32_CHECKS",
)  # fmt: skip
# Below {G}enerated and the tree {P}, in the order of the real build's.
_FOLDERS = (
    "{G}/aten/src", "{P}/aten/src", "{G}", "{P}", "{G}/torch/csrc/api/include", "{P}/torch/csrc/api/include",
    "{P}/torch/csrc", "{G}/torch/csrc", "{G}/aten/src/ATen", "{P}/aten/src/ATen", "{P}/third_party",
)  # fmt: skip
_LATE_FOLDERS = (
    "{P}/aten/src/ATen/native/quantized/cpu/qnnpack/include", "{P}/aten/src/ATen/native/quantized/cpu/qnnpack/src",
    "{P}/torch/lib", "{P}/torch/lib/libshm", "{P}/torch/csrc/distributed", "{P}/third_party/miniz-3.0.2",
    "{P}/third_party/miniz-2.1.0", "{P}/caffe2/aten/src", "{P}/caffe2/core/nomnigraph/include",
    "{P}/functorch",
)  # fmt: skip


def python_include() -> Path | None:
    """The folder of Python.h of the Python that runs, or None where it has no headers."""
    for key in ("include", "platinclude"):
        folder = Path(sysconfig.get_path(key) or "")
        if (folder / "Python.h").is_file():
            return folder
    return None


# Below third_party, where a library's headers are not in a folder `include` of its own (CMakeLists.txt,
# cmake/Dependencies.cmake; .gitmodules names what is there).
_OTHERS = (
    "composable_kernel/include", "cpp-httplib", "cutlass/tools/util/include", "flatbuffers/include",
    "FP16/include", "gloo", "googletest/googlemock/include", "googletest/googletest/include",
    "ideep/mkl-dnn/include", "kineto/libkineto/include", "kineto/libkineto/src", "nlohmann/single_include",
    "NVTX/c/include", "onnx", "opentelemetry-cpp/api/include", "pocketfft", "protobuf/src", "tensorpipe",
    "VulkanMemoryAllocator",
)  # fmt: skip

OWN = ("-isystem", str(LIBRARY), "-isystem", str(BUILTIN))
"""Where the compiler's own headers are found, and first of all those that stand in for slow ones of the C++ library."""


def third_party(root: Path) -> list[Path]:
    """Folders of headers that a full clone has below third_party; none where `root` has no such folder."""
    folder = root / "third_party"
    usual = sorted(path for path in folder.glob("*/include") if path.is_dir())
    others = (folder / name for name in _OTHERS)
    return [*usual, *(path for path in others if path not in usual and any(path.glob("*")))]


def default_flags(root: Path, generated: Path, extra: Iterable[Path]) -> list[str]:
    """The arguments for every unit of a tree.

    Args:
        root: the tree.
        generated: where the generated headers are.
        extra: more folders of headers, searched after the tree's.
    """
    flags = [*_LANGUAGE, *(f"-D{definition}" for definition in _DEFINITIONS)]
    for template in (*_FOLDERS, *_LATE_FOLDERS):
        folder = template.format(G=generated, P=root)
        if Path(folder).is_dir():
            flags.append(f"-I{folder}")
    flags += [f"-I{folder}" for folder in third_party(root)]
    flags += [f"-I{folder}" for folder in extra]
    python = python_include()
    if python is not None:
        flags.append(f"-I{python}")
    return [*flags, *OWN]
