"""Files that the system is asked to read before they are needed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from indexer.scan.readahead import read_ahead

pytestmark = pytest.mark.skipif(
    not hasattr(os, "posix_fadvise"), reason="the system takes no advice"
)


def test_each_file_is_asked_for_in_order_and_none_stays_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / f"{number}.h" for number in range(80)]
    for number, file in enumerate(files):
        if number % 7:
            file.write_text(str(number))
    os.mkfifo(tmp_path / "7.h")  # to open one waits for who writes
    asked: list[str] = []

    def advise(descriptor: int, offset: int, length: int, advice: int) -> None:
        assert (offset, length, advice) == (0, 0, os.POSIX_FADV_WILLNEED)
        asked.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        if len(asked) % 5 == 0:
            raise OSError("no advice is taken")

    monkeypatch.setattr(os, "posix_fadvise", advise)
    opened = len(os.listdir("/proc/self/fd"))
    thread = read_ahead(files)
    assert thread is not None
    thread.join(10)
    assert not thread.is_alive()
    assert asked == [str(file) for file in files if file.exists()]
    assert len(os.listdir("/proc/self/fd")) == opened


def test_few_files_and_other_systems_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_ahead([tmp_path / "a", tmp_path / "b"]) is None
    monkeypatch.delattr(os, "posix_fadvise")
    assert read_ahead([tmp_path / str(number) for number in range(1000)]) is None
