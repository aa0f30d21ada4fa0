"""The machine: Python, its packages, SQLite, git, libclang and the headers that it needs."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from torchtalk.dbfile import SQLITE_FLOOR
from torchtalk.doctor.findings import FAIL, OK, WARN, Finding

_FLOOR = (3, 10)
_PACKAGE = re.compile(r"^[A-Za-z0-9._-]+")
# What SQLite must have, by the statement that needs it.
_FEATURES = {
    "STRICT tables": "CREATE TABLE a (x TEXT) STRICT",
    "FTS5": "CREATE VIRTUAL TABLE b USING fts5 (x)",
    "trigram": "CREATE VIRTUAL TABLE c USING fts5 (x, tokenize = 'trigram')",
    "JSON": "SELECT json_extract('[1]', '$[0]')",
}
# What libclang needs to read most of PyTorch, and what brings it.
_HEADERS = {
    "vector": ("the C++ library", "install g++ (Debian: apt install g++)"),
    "stddef.h": ("the compiler's own headers", "reinstall torchtalk: they come with it"),
    "Python.h": ("Python's headers", "install them (Debian: apt install python3-dev)"),
    "pybind11/pybind11.h": ("pybind11", "pip install pybind11"),
}


def machine() -> Iterator[Finding]:
    """Check what is installed."""
    yield _python()
    yield _packages()
    yield _sqlite()
    yield _git()
    yield from _libclang()


def _python() -> Finding:
    text = f"{platform.python_version()} at {sys.executable}"
    if sys.version_info < _FLOOR:
        return Finding("python", FAIL, text, "torchtalk needs Python 3.10 or newer")
    return Finding("python", OK, text)


def _packages() -> Finding:
    try:
        wanted = importlib.metadata.requires("torchtalk") or []
    except importlib.metadata.PackageNotFoundError:
        return Finding(
            "packages", WARN, "torchtalk itself is not installed", "pip install ., in its checkout"
        )
    found, missing = [], []
    for requirement in wanted:
        name = _PACKAGE.match(requirement)
        if name is None or "extra ==" in requirement:
            continue
        try:
            found.append(f"{name[0]} {importlib.metadata.version(name[0])}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name[0])
    if missing:
        return Finding(
            "packages", FAIL, f"missing: {', '.join(missing)}", f"pip install {' '.join(missing)}"
        )
    import yaml

    if not hasattr(yaml, "CSafeLoader"):
        return Finding(
            "packages", WARN, "PyYAML has no C loader: reading YAML takes ten times as long",
            "pip install --force-reinstall pyyaml, with libyaml",
        )  # fmt: skip
    return Finding("packages", OK, ", ".join(found))


def _sqlite() -> Finding:
    missing = []
    conn = sqlite3.connect(":memory:")
    try:
        for name, statement in _FEATURES.items():
            try:
                conn.execute(statement)
            except sqlite3.Error:
                missing.append(name)
    finally:
        conn.close()
    floor = ".".join(map(str, SQLITE_FLOOR))
    if missing or sqlite3.sqlite_version_info < SQLITE_FLOOR:
        lack = f" without {', '.join(missing)}" if missing else ""
        return Finding(
            "sqlite", FAIL, f"{sqlite3.sqlite_version}{lack}",
            f"use a Python that is linked with SQLite {floor} or newer, with FTS5",
        )  # fmt: skip
    return Finding("sqlite", OK, f"{sqlite3.sqlite_version} with {', '.join(_FEATURES)}")


def _git() -> Finding:
    path = shutil.which("git")
    if path is None:
        return Finding(
            "git", WARN, "not found: the index does not know its commit, `affected` needs --diff",
            "install git",
        )  # fmt: skip
    ended = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return Finding("git", OK, ended.stdout.strip().removeprefix("git version "))


def _libclang() -> Iterator[Finding]:
    from indexer.clang.library import LibclangMissing, load_libclang

    try:
        lib = load_libclang()
    except LibclangMissing as error:
        yield Finding(
            "libclang", WARN, f"{error}; the exact C++ call graph cannot be read",
            "pip install libclang, or set TORCHTALK_LIBCLANG to the library",
        )  # fmt: skip
        return
    yield Finding("libclang", OK, f"{lib.version} at {lib.path}")
    from indexer.clang.environment import header_flags, probe

    with tempfile.TemporaryDirectory(prefix="torchtalk-doctor-") as folder:
        missing = probe(lib, header_flags(Path(folder)), _HEADERS)
    for header in sorted(missing):
        what, advice = _HEADERS[header]
        yield Finding("headers", WARN, f"libclang does not find {what} (<{header}>)", advice)
    if not missing:
        yield Finding("headers", OK, ", ".join(what for what, _ in _HEADERS.values()))
