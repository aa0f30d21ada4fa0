"""A build that is interrupted: nothing is left of it, neither files nor processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.command import start

pytestmark = pytest.mark.slow  # each begins a build and waits for it to read

WITHIN = 2.0


@pytest.fixture(scope="module")
def slow_tree(fixture_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree that takes long enough to read to be interrupted."""
    tree = Path(shutil.copytree(fixture_tree, tmp_path_factory.mktemp("slow") / "tree"))
    with (tree / "aten/src/ATen/native/native_functions.yaml").open("a", encoding="utf-8") as file:
        for number in range(60_000):
            file.write(f"\n- func: slow_{number}(Tensor self) -> Tensor\n")
    return tree


class Build:
    """A build that is under way: its workers are reading."""

    def __init__(self, tree: Path, target: Path) -> None:
        self.process = start(
            "index", "--pytorch-source", tree, "--db", target, "--workers", 2, "--quiet"
        )
        self.workers = self._wait_for_workers()

    def _wait_for_workers(self) -> list[int]:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            found = [pid for pid in _children(self.process.pid) if _is_busy_worker(pid)]
            if found:
                return _children(self.process.pid)
            time.sleep(0.02)
        raise AssertionError("no worker was started")

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err

    def workers_left(self) -> list[int]:
        end = time.monotonic() + WITHIN
        while (left := [pid for pid in self.workers if _alive(pid)]) and time.monotonic() < end:
            time.sleep(0.02)
        return left


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(child) for child in text.split()]


def _is_busy_worker(pid: int) -> bool:
    """A spawned worker that has used more than its imports take."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        ticks = sum(
            map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])
        )
    except (OSError, IndexError):
        return False
    return b"spawn_main" in command and ticks / os.sysconf("SC_CLK_TCK") > 0.4


def _alive(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


@pytest.fixture
def target(tmp_path: Path, fixture_db: Path) -> Path:
    path = tmp_path / "out" / "x.db"
    path.parent.mkdir()
    shutil.copy(fixture_db, path)
    return path


@pytest.fixture
def build(slow_tree: Path, target: Path) -> Iterator[Build]:
    under_way = Build(slow_tree, target)
    yield under_way
    if under_way.process.poll() is None:
        under_way.process.kill()
        under_way.process.communicate()


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_signal_undoes_the_build(
    build: Build, target: Path, fixture_db: Path, number: signal.Signals, code: int, word: str
) -> None:
    before = time.monotonic()
    build.process.send_signal(number)
    assert build.end() == (code, "", f"torchtalk: {word}; nothing was changed\n")
    assert time.monotonic() - before < WITHIN
    assert build.workers_left() == []
    assert target.read_bytes() == fixture_db.read_bytes()
    assert sorted(os.listdir(target.parent)) == ["x.db", "x.db.lock"]


def test_workers_do_not_outlive_a_killed_parent(
    build: Build, target: Path, fixture_db: Path
) -> None:
    build.process.kill()
    build.process.wait()
    assert build.workers_left() == []
    assert target.read_bytes() == fixture_db.read_bytes()
    build.process.communicate()


def test_a_killed_worker_ends_with_seven(build: Build, target: Path, fixture_db: Path) -> None:
    busy = [pid for pid in build.workers if _is_busy_worker(pid)]
    os.kill(busy[0], signal.SIGKILL)
    code, out, err = build.end()
    assert (code, out) == (7, "")
    assert "worker process died" in err
    assert build.workers_left() == []
    assert target.read_bytes() == fixture_db.read_bytes()
    assert sorted(os.listdir(target.parent)) == ["x.db", "x.db.lock"]


def test_nohup_is_respected(slow_tree: Path, target: Path) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = start(
        "index", "--pytorch-source", slow_tree, "--db", target, "--workers", 0, "--quiet",
        preexec_fn=ignore,
    )  # fmt: skip
    # Before it takes the lock it has said what is to happen with signals.
    lock = target.with_name(target.name + ".lock")
    end = time.monotonic() + 30
    while not lock.exists() and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 143
