"""The wheel carries all it needs: installed alone, it indexes and answers."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.conftest import ROOT


def _run(*command: str | Path, cwd: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTORCH_SOURCE")}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_wheel_in_an_empty_environment(tmp_path: Path, fixture_tree: Path) -> None:
    _run(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT,
        cwd=tmp_path,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    home = tmp_path / "empty"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    _run(python, "-m", "pip", "install", "--quiet", "--no-deps", wheel, cwd=tmp_path)
    # The dependencies are those of this environment, which a second download would only repeat;
    # torchtalk itself, installed here for development, is not found by way of this folder.
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    db = tmp_path / "index.db"
    _run(
        home / "bin/torchtalk", "index", "--pytorch-source", fixture_tree, "--db", db, cwd=tmp_path
    )
    answer = _run(home / "bin/torchtalk", "trace", "softcap", "--db", db, cwd=tmp_path)
    assert answer.startswith("aten::softcap: ")
    rows = _run(home / "bin/torchtalk", "sql", "SELECT 1 AS one", "--db", db, cwd=tmp_path)
    assert rows == "1 row\none\n1\n"
    resource = "from torchtalk.server.resources import schema_text; print(schema_text())"
    assert "v_operators(operator, " in _run(python, "-c", resource, cwd=tmp_path)
    where = _run(python, "-c", "import indexer; print(indexer.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(packages)
    # Type checkers read annotations of packages alone that say they have them.
    assert [(packages / name / "py.typed").is_file() for name in ("torchtalk", "indexer")] == [
        True,
        True,
    ]
    (metadata,) = packages.glob("torchtalk-*.dist-info")
    assert "\nLicense-Expression: BSD-3-Clause\n" in (metadata / "METADATA").read_text("utf-8")
    assert (metadata / "licenses/LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
