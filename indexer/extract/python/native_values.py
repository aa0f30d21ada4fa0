"""Values and types that C++ gives torch one by one: dtypes, layouts, memory formats, quantization, typed tensors.

They are made in loops over enumerations, and named by a function's cases: `getDtypeNames` (c10/core/ScalarType.cpp,
earlier torch/csrc/utils/tensor_dtypes.cpp), `toString(QScheme)` (c10/core/QScheme.h), `initializeLayouts` and
`initializeMemoryFormats` (torch/csrc/utils), and `all_declared_types` (torch/csrc/utils/tensor_types.cpp), of which
`initialize_aten_types` (torch/csrc/tensor/python_tensor.cpp) makes `torch.cuda.FloatTensor` and its kin. That file's
`set_default_storage_type` gives torch `Storage`, the class of the default tensors' storage.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indexer.facts.python import NativeBinding

_DTYPES = re.compile(
    r'ScalarType::\w+:\s*(?://[^\n]*\n\s*)*return std::make_pair\(\s*"(\w+)",\s*"(\w*)"\)'
)
_QSCHEMES = re.compile(r'case k\w+:\s*return "(\w+)";')
_LAYOUTS = re.compile(
    r'PyModule_AddObject\(\s*torch_module, "(\w+)"|^ *REGISTER_LAYOUT\(\s*(\w+),', re.MULTILINE
)
_FORMATS = re.compile(r'add_memory_format\([\w:]+,\s*"(\w+)"\)')
_FILES = {
    "c10/core/ScalarType.cpp": _DTYPES,
    "torch/csrc/utils/tensor_dtypes.cpp": _DTYPES,
    "c10/core/QScheme.h": _QSCHEMES,
    "torch/csrc/utils/tensor_layouts.cpp": _LAYOUTS,
    "torch/csrc/utils/tensor_memoryformats.cpp": _FORMATS,
}
_CLASSES = "torch/csrc/tensor/python_tensor.cpp"
_GIVEN = re.compile(r'PyObject_SetAttrString\(\s*torch_module(?:\.get\(\))?,\s*"(\w+)"')
_TYPES = "torch/csrc/utils/tensor_types.cpp"
_MODULES = re.compile(r'case (?:at::)?Backend::(\w+):\s*return "([\w.]+)";')
_BACKENDS = re.compile(r"backends = \{([^}]*)\}")
_SCALARS = re.compile(r"scalar_types = \{([^}]*)\}")
_ENTRY = re.compile(r"::(\w+)")
_NO_SPARSE = "no sparse bool type"


def wants(path: str) -> bool:
    """Whether the file at `path`, relative to the tree, names such values."""
    return path in _FILES or path in (_CLASSES, _TYPES)


def extract(path: str, data: bytes) -> Iterable[NativeBinding]:
    """The values and types that a file names; nothing for files that `wants` does not want.

    Args:
        path: relative to the source tree.
        data: the file's bytes.
    """
    text = data.decode("utf-8", "replace")
    if path == _TYPES:
        yield from _tensor_types(text)
        return
    if path == _CLASSES:
        for match in _GIVEN.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield NativeBinding("torch", match[1], (), "class", line)
        return
    pattern = _FILES.get(path)
    for match in pattern.finditer(text) if pattern is not None else ():
        for group, name in enumerate(match.groups(), 1):
            if name:
                line = text.count("\n", 0, match.start(group)) + 1
                yield NativeBinding("torch", name, (), "value", line)


def _tensor_types(text: str) -> Iterator[NativeBinding]:
    modules = dict(_MODULES.findall(text))
    backends, scalars = _BACKENDS.search(text), _SCALARS.search(text)
    if backends is None or scalars is None:
        return
    for backend in _ENTRY.findall(backends[1]):
        for scalar in _ENTRY.finditer(text, scalars.start(1), scalars.end(1)):
            if scalar[1] == "Bool" and backend.startswith("Sparse") and _NO_SPARSE in text:
                continue
            if backend in modules:
                line = text.count("\n", 0, scalar.start()) + 1
                yield NativeBinding(modules[backend], f"{scalar[1]}Tensor", (), "class", line)
