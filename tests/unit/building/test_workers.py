"""The pool: what is started is asked for later, and what is shared travels once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from indexer.errors import WorkerError
from indexer.shared_folder import SharedFolder, sweep
from indexer.workers import WorkerPool
from tests.unit.support.worker_tasks import (
    added,
    end,
    end_while_telling,
    leave_a_mark,
    process_of,
    slow_pid,
)


def test_what_is_started_comes_in_order_from_the_workers() -> None:
    with WorkerPool(2) as pool:
        results = list(pool.start(process_of, range(20)))
    assert [number for number, _ in results] == list(range(20))
    assert os.getpid() not in {process for _, process in results}


def test_the_workers_are_taken_until_the_last_result_is_asked_for() -> None:
    with WorkerPool(1) as pool:
        running = pool.start(process_of, range(3))
        here = list(pool.ordered_map(process_of, [7]))
        assert here == [(7, os.getpid())]
        assert pool.share([1]).get() == [1]
        assert [number for number, _ in running] == [0, 1, 2]
        ((number, process),) = pool.ordered_map(process_of, [8])
        assert number == 8
        assert process != os.getpid()


@pytest.mark.slow
def test_workers_that_are_let_go_end_and_others_begin_where_there_is_more_to_do() -> None:
    with WorkerPool(1) as pool:
        ((_, first),) = pool.ordered_map(process_of, [1])
        pool.end()
        pool.end()
        ((_, second),) = pool.ordered_map(process_of, [1])
        assert second not in (first, os.getpid())
    for process in (first, second):
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.slow
@pytest.mark.parametrize("others", [0, 5])
def test_a_worker_that_dies_while_it_tells_a_result_is_missed(
    monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    monkeypatch.setattr("indexer.workers._LOOK", 0.1)
    with (
        WorkerPool(2) as pool,
        pytest.raises(WorkerError, match="nothing was changed"),
    ):
        running = [
            pool.begin(end_while_telling, 9),
            *(pool.begin(process_of, n) for n in range(others)),
        ]
        for _, result in running:
            result()


@pytest.mark.slow
def test_an_interruption_does_not_wait_for_the_rest_of_a_result() -> None:
    with pytest.raises(KeyboardInterrupt), WorkerPool(1) as pool:
        pool.begin(end_while_telling, 9)
        time.sleep(1)
        raise KeyboardInterrupt


def test_nothing_started_takes_no_worker() -> None:
    with WorkerPool(1) as pool:
        assert list(pool.start(process_of, [])) == []
        ((_, process),) = pool.ordered_map(process_of, [1])
        assert process != os.getpid()


def test_without_workers_tasks_wait_until_they_are_asked_for() -> None:
    begun: list[int] = []
    with WorkerPool(0) as pool:
        running = pool.start(begun.append, [1, 2])
        assert begun == []
        assert list(running) == [None, None]
    assert begun == [1, 2]


@pytest.mark.parametrize("workers", [0, 2])
def test_what_is_shared_is_the_same_for_every_task(workers: int) -> None:
    with WorkerPool(workers) as pool:
        shared = pool.share([1, 2, 3])
        results = list(pool.ordered_map(added, [(shared, n) for n in range(4)]))
    assert results == [(6, True), (7, True), (8, True), (9, True)]


@pytest.mark.slow
def test_workers_end_without_being_taken_down_and_have_told_all(tmp_path: Path) -> None:
    marks = [tmp_path / "a", tmp_path / "b"]
    with WorkerPool(2) as pool:
        results = list(pool.ordered_map(leave_a_mark, marks))
    assert list(map(len, results)) == [1_000_000] * 2
    assert any(mark.exists() for mark in marks)  # one worker may have done both


def test_a_worker_that_ends_is_an_error_when_its_result_is_asked_for() -> None:
    with WorkerPool(1) as pool:
        running = pool.start(end, [3])
        with pytest.raises(WorkerError, match="died"):
            list(running)


# What is shared lies in a folder ------------------------------------------------------------


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_goes_with_its_pool(temporary: Path) -> None:
    with WorkerPool(1) as pool:
        pool.share([1])
        assert len(list(temporary.iterdir())) == 1
        sweep()  # of somebody else, while this one lives
        assert len(list(temporary.iterdir())) == 1
    assert list(temporary.iterdir()) == []


def test_the_folder_of_a_killed_process_is_removed_by_the_next(temporary: Path) -> None:
    code = (
        "import os, signal, tempfile; from indexer.shared_folder import SharedFolder;"
        f"tempfile.tempdir = {str(temporary)!r}; SharedFolder(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    (left,) = temporary.iterdir()
    (left / "1").write_bytes(b"x")
    others = [
        temporary / "torchtalk-pool-file",
        temporary / "torchtalk-pool-new",
        temporary / "mine",
    ]
    others[0].write_text("")
    others[1].mkdir()  # not locked yet
    others[2].mkdir()
    (temporary / "torchtalk-pool-link").symlink_to(others[2])
    living = SharedFolder()
    with WorkerPool(1) as pool:
        assert list(pool.ordered_map(abs, [-1])) == [1]
    assert sorted(temporary.iterdir()) == sorted(
        [*others, living.path, temporary / "torchtalk-pool-link"]
    )
    living.remove()
    assert not living.path.exists()


@pytest.mark.parametrize("killed", [0, 1])
@pytest.mark.parametrize("is_early", [False, True])
def test_a_worker_that_is_killed_while_all_end_is_not_waited_for(
    killed: int, is_early: bool
) -> None:
    """One of two that have nothing to do holds the lock that the other waits for."""
    with WorkerPool(2) as pool:
        pids = list({pid for _ in range(20) for pid in pool.ordered_map(slow_pid, range(4))})
        pids.sort()
        assert len(pids) == 2
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        if is_early:
            pool.end()

        def kill() -> None:
            os.kill(pids[killed], signal.SIGKILL)
            os.kill(pids[1 - killed], signal.SIGCONT)

        timer = threading.Timer(0.5, kill)
        timer.start()
        began = time.monotonic()
    timer.join()
    assert time.monotonic() - began < 30
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
