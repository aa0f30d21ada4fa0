"""One file that kills or holds up libclang costs itself alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from indexer.clang.pool import cpu_seconds, run_tasks
from indexer.clang.results import read_result
from indexer.clang.setup import UNIT, Outcome, Setup, Task
from tests.unit.support.clang_units import FLAGS, libclang
from tests.unit.support.processes import workers_of


def run(
    folder: Path, texts: dict[str, str], workers: int, time_limit: float = 60.0, memory: int = 0
) -> dict[str, Outcome]:
    tasks = []
    for number, (name, text) in enumerate(texts.items()):
        (folder / name).write_text(text)
        tasks.append(
            Task(number, UNIT, name, str(folder / name), "core", str(folder / f"{name}.facts"))
        )
    setup = Setup(
        str(libclang().path), str(folder), str(folder / "none"), {"core": FLAGS}, memory=memory
    )
    return {task.path: outcome for task, outcome in run_tasks(setup, tasks, workers, time_limit)}


# Thirty doublings: more than any machine can hold.
_ENDLESS = (
    "#define L0 x x\n" + "".join(f"#define L{n + 1} L{n} L{n}\n" for n in range(40)) + "int L40;\n"
)


@pytest.mark.slow
def test_a_hanging_file_is_given_up(tmp_path: Path) -> None:
    found = run(tmp_path, {"bad.cpp": _ENDLESS, "good.cpp": "void f(); void g() { f(); }"}, 1, 3.0)
    assert (found["bad.cpp"].status, found["good.cpp"].status) == ("timeout", "ok")
    facts = read_result(tmp_path / "good.cpp.facts")
    assert facts is not None
    assert [s.name for s in facts.symbols] == ["g", "f"]


@pytest.mark.slow
def test_a_file_whose_worker_somebody_killed_is_read_again(tmp_path: Path) -> None:
    def kill() -> None:
        while not killed:
            killed.extend(workers_of(os.getpid()))
            time.sleep(0.02)
        os.kill(killed[0], signal.SIGKILL)

    killed: list[int] = []
    thread = threading.Thread(target=kill)
    thread.start()
    found = run(tmp_path, {"bad.cpp": _ENDLESS, "good.cpp": "void f() {}"}, 1, 3.0)
    thread.join()
    assert (found["bad.cpp"].status, found["good.cpp"].status) == ("timeout", "ok")


@pytest.mark.slow
def test_a_file_that_waits_for_a_processor_is_not_given_up(tmp_path: Path) -> None:
    def hold_up() -> None:
        while not (found := workers_of(os.getpid())):
            time.sleep(0.02)
        os.kill(found[0], signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(found[0], signal.SIGCONT)

    thread = threading.Thread(target=hold_up)
    thread.start()
    found = run(tmp_path, {"good.cpp": "void f() {}"}, 1, 1.0)
    thread.join()
    # Where the system does not tell what a process has used, the clock counts.
    is_told = cpu_seconds(os.getpid()) is not None
    assert found["good.cpp"].status == ("ok" if is_told else "timeout")


@pytest.mark.slow
def test_a_file_that_needs_too_much_memory_crashes_alone(tmp_path: Path) -> None:
    huge = (
        "#define L0 1,1,\n"
        + "".join(f"#define L{n + 1} L{n} L{n}\n" for n in range(30))
        + "int x[] = {L30 1};\n"
    )
    found = run(tmp_path, {"huge.cpp": huge, "good.cpp": "void f() {}"}, 1, 60.0, 128 << 20)
    assert found["huge.cpp"].status == "crashed"
    assert found["good.cpp"].status == "ok"


def test_the_same_without_processes(tmp_path: Path) -> None:
    found = run(tmp_path, {"a.cpp": "void f() {}", "b.cpp": "#include <no.h>\nvoid f() {}"}, 0)
    assert [o.status for o in found.values()] == ["ok", "partial"]
    assert found["b.cpp"].detail.startswith("1 errors; first: b.cpp:1: 'no.h' file not found")


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    setup = Setup(str(libclang().path), str(tmp_path), str(tmp_path / "none"), {"core": FLAGS})
    task = Task(0, UNIT, "gone.cpp", str(tmp_path / "gone.cpp"), "core", str(tmp_path / "x.facts"))
    ((_, outcome),) = run_tasks(setup, [task], 0, 60.0)
    assert outcome.status == "failed"


@pytest.mark.parametrize(("own", "asked", "held"), [(2, 3, 2), (3, 2, 2), (2, 0, 2)])
def test_a_bound_that_holds_already_is_not_raised(own: int, asked: int, held: int) -> None:
    program = (
        "import resource\n"
        "from indexer.clang.worker import limit_memory\n"
        f"resource.setrlimit(resource.RLIMIT_DATA, ({own} << 30, {own} << 30))\n"
        f"limit_memory({asked} << 30)\n"
        "print(resource.getrlimit(resource.RLIMIT_DATA)[1] >> 30)\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout == f"{held}\n", found.stderr
