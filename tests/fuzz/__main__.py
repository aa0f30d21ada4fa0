"""Fuzz until the time is over; each defect is kept once, with its input and its traceback."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

from indexer.build import build
from indexer.errors import SourceError
from indexer.scan.files import SourceFile, list_files
from indexer.scan.tree import SourceTree, open_tree
from tests.fuzz.check import Checker, cpu_limit
from tests.fuzz.mutate import mutated

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures" / "pytorch"
ROUND = 150
"""Inputs that one process reads, so that one that dies costs little."""

BUILD_SECONDS = 60.0
"""CPU time that a build of the damaged embedded tree may take; it takes half a second."""

_MOST_SEED = 100_000  # bytes of a file that is mutated
_MEMORY = 6 << 30  # bytes of address space, so that a blow-up is an exception


class Seeds:
    """The files that are mutated: the embedded tree's, and those of a real one."""

    def __init__(self, real: Path | None) -> None:
        self._fixtures = self._files(FIXTURES)
        self._real = self._files(real) if real else []
        self._by_kind: dict[str, list[tuple[SourceTree, SourceFile]]] = {}
        for entry in self._real:
            self._by_kind.setdefault(entry[1].kind, []).append(entry)

    @staticmethod
    def _files(root: Path) -> list[tuple[SourceTree, SourceFile]]:
        tree = open_tree(root)
        return [
            (tree, file) for file in list_files(tree)
            if isinstance(file, SourceFile) and file.size <= _MOST_SEED
        ]  # fmt: skip

    def pick(self, rng: random.Random) -> tuple[str, bytes]:
        """A file's path and content; every kind of file is as likely as any other."""
        if self._by_kind and rng.random() < 0.85:
            tree, file = rng.choice(self._by_kind[rng.choice(sorted(self._by_kind))])
        else:
            tree, file = rng.choice(self._fixtures)
        return file.path, (tree.root / file.path).read_bytes()


def one_input(seeds: Seeds, name: str) -> tuple[str, bytes]:
    """The input of a name, the same each time."""
    rng = random.Random(name)
    path, data = seeds.pick(rng)
    return path, mutated(rng, data, seeds.pick(rng)[1])


def one_build(seeds: Seeds, name: str, folder: Path) -> None:
    """Build the embedded tree with some of its files damaged."""
    rng = random.Random(name)
    tree = folder / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(FIXTURES, tree)
    files = [file for file in list_files(open_tree(tree)) if isinstance(file, SourceFile)]
    for file in rng.sample(files, k=rng.randrange(1, 12)):
        place = tree / file.path
        place.write_bytes(mutated(rng, place.read_bytes(), seeds.pick(rng)[1]))
    # One of the files that everything stands on may be damaged; the message says which line.
    with cpu_limit(BUILD_SECONDS), contextlib.suppress(SourceError):
        build(open_tree(tree), folder / "fuzz.db", workers=0)


class Round:
    """What one process does: inputs by their numbers, and its findings into a folder."""

    def __init__(self, seeds: Seeds, findings: Path, folder: Path) -> None:
        self.seeds = seeds
        self.findings = findings
        self.folder = folder

    def run(self, seed: str, number: int, until: float) -> int:
        """Do one round; returns the number of inputs."""
        checker = Checker(self.folder / "files")
        slowest = 0.0
        done = 0
        for step in range(ROUND):
            if time.monotonic() >= until:
                break
            name = f"{seed}:{number}:{step}"
            path, data = "build", b""
            try:
                if step % 25 == 24:
                    one_build(self.seeds, name, self.folder)
                else:
                    path, data = one_input(self.seeds, name)
                    (self.folder / "last").write_text(f"{name} {path}", encoding="utf-8")
                    slowest = max(slowest, checker(path, data) / (1 + len(data) / 50_000))
            except Exception as error:  # noqa: BLE001  (whatever it is, it is a finding)
                self.keep(name, path, data, error)
            done += 1
        checker.close()
        return done

    def keep(self, name: str, path: str, data: bytes, error: BaseException) -> None:
        """Keep a defect unless one from the same line is kept already."""
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if "/indexer/" in frame.filename] or list(frames)
        at = f"{type(error).__name__} {Path(own[-1].filename).name}:{own[-1].name}"
        key = hashlib.sha1(at.encode(), usedforsecurity=False).hexdigest()[:10]
        report = self.findings / f"{key}.txt"
        if report.exists():
            return
        (self.findings / f"{key}.input").write_bytes(data)
        text = "".join(traceback.format_exception(error))
        report.write_text(f"{name} {path}\n{at}\n\n{text}", encoding="utf-8", errors="replace")


def main() -> int:
    """Fuzz; the exit code is 1 where a defect was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=sys.maxsize)
    parser.add_argument("--seed", default=str(time.time_ns()))
    parser.add_argument("--pytorch-source", type=Path, default=os.environ.get("PYTORCH_SOURCE"))
    parser.add_argument("--findings", type=Path, help="folder for what falls; kept")
    options = parser.parse_args()
    findings: Path = options.findings or Path(tempfile.mkdtemp(prefix="torchtalk-fuzz-"))
    findings.mkdir(parents=True, exist_ok=True)
    seeds = Seeds(Path(options.pytorch_source) if options.pytorch_source else None)
    until = time.monotonic() + options.seconds
    total = number = 0
    memory = Path("/dev/shm")  # a folder of our own is made in it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch:
        work = Round(seeds, findings, Path(scratch))
        while number < options.rounds and time.monotonic() < until:
            total += _in_a_process(work, options.seed, number, until)
            number += 1
    found = sorted(findings.glob("*.txt"))
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        json.dumps(
            {
                "inputs": total,
                "cpu_seconds": round(usage.ru_utime + usage.ru_stime),
                "seed": options.seed,
                "defects": [path.read_text(encoding="utf-8").splitlines()[1] for path in found],
                "findings": str(findings),
            },
            indent=1,
        )
    )
    return 1 if found else 0


def _in_a_process(work: Round, seed: str, number: int, until: float) -> int:
    """Run a round in a child; its death is a finding too."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        done = work.run(seed, number, until)
        os.write(writing, str(done).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if status:
        last = (work.folder / "last").read_text(encoding="utf-8")
        name, _, path = last.partition(" ")
        death = RuntimeError(f"the process died with status {status}")
        work.keep(name, path, one_input(work.seeds, name)[1], death)
    return int(said or b"0")


if __name__ == "__main__":
    sys.exit(main())
