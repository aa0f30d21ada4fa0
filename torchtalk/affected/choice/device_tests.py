"""Which files of tests have anything of a device: what stands in no other file runs no code for it.

An operator leads from its CUDA kernel to all that call it, many of which do so on a CPU alone: the tests of torch_np,
of quantization, of initialisations. From its kernel for MPS it leads to few that run on that.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from torchtalk.affected.choice.elsewhere import device_of
from torchtalk.affected.choice.sources_of_tests import C_FAMILY
from torchtalk.sqlfile import beside
from torchtalk.testing.words import words_of

_queries = beside(__file__)


class _Spoken(NamedTuple):
    """How tests speak of a device.

    Args:
        word: that names of it begin with.
        other: another one, of what stands for any GPU.
        names: in the bodies of tests, for FTS5.
        given: to what makes tests for devices.
    """

    word: str
    other: str
    names: str
    given: str


# instantiate_device_type_tests leaves out MPS and XPU but where it is told not to ("allow_mps: bool = False", in
# torch/testing/_internal/common_device_type.py); GPU_TYPE stands for CUDA or XPU (GPU_TYPES, torch/_inductor/utils.py).
_ANY = "device OR devices OR device_type OR gpu* OR has_gpu"
_SPOKEN = {
    "cuda": _Spoken("cuda", "gpu", f"cuda* OR test_cuda OR has_cuda OR {_ANY}", "%"),
    "xpu": _Spoken("xpu", "gpu", "xpu* OR test_xpu OR has_xpu OR gpu* OR has_gpu", "%xpu%"),
    "mps": _Spoken("mps", "metal", "mps* OR test_mps OR has_mps", "%mps%"),
    "metal": _Spoken("metal", "mps", "metal*", "%mps%"),
    "vulkan": _Spoken("vulkan", "vulkan", "vulkan*", "%vulkan%"),
}


class DeviceTests:
    """Tells of files whether their tests may run on a device.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._sql = _queries("device_tests")
        self._python: dict[str, frozenset[str]] = {}
        self._cpp: dict[tuple[str, str], bool] = {}

    def never_runs(self, path: str, changed: str | None) -> bool:
        """Whether what changed is native code for one device, and a file's tests have no word of that.

        Functions of Python that are named after a device are called where there is none: `torch.cuda.is_available`.

        Args:
            path: of the tests' file.
            changed: path of the file that changed.
        """
        device = device_of(changed) if changed and not changed.endswith(".py") else ""
        return device in _SPOKEN and not self._may_run(path, device)

    def _may_run(self, path: str, device: str) -> bool:
        spoken = _SPOKEN[device]
        if _says(path, spoken):
            return True
        if not C_FAMILY.search(path):
            if device not in self._python:
                self._python[device] = frozenset(self._files_of(spoken))
            return path in self._python[device]
        if (path, device) not in self._cpp:
            asked = {"path": path, "word": spoken.word, "other": spoken.other}
            row = self._conn.execute(self._sql["is_file_in_cpp"], asked).fetchone()
            self._cpp[path, device] = bool(row[0])
        return self._cpp[path, device]

    def _files_of(self, spoken: _Spoken) -> set[str]:
        asked = spoken._asdict()
        files = {row["path"] for row in self._conn.execute(self._sql["files_of_python"], asked)}
        for row in self._conn.execute(self._sql["imports"], asked):
            # `json.dumps` has the letters of MPS.
            if row["path"] not in files and _says(row["target"], spoken):
                files.add(row["path"])
        return files


def _says(text: str, spoken: _Spoken) -> bool:
    """Whether a path or a name has a word that begins like one of a device."""
    return any(word.startswith((spoken.word, spoken.other)) for word in words_of(text, None))
