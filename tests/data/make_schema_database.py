"""Keep an index of the present schema, so that later versions can be tested to lead it on.

    python -m tests.data.make_schema_database

writes `schema-N.db.gz` beside this file, N being the schema's version. Once a version of torchtalk
with this schema is released its file is never written again: a later schema gets a migration.
"""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path

from indexer.build import build
from indexer.scan.tree import open_tree
from torchtalk.dbfile import SCHEMA_VERSION

FOLDER = Path(__file__).resolve().parent

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: kept(Tensor self, *, Scalar alpha=1) -> Tensor\n"
        "  dispatch:\n    CPU, CUDA: kept_kernel\n  tags: core\n"
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Of the core.\n",
    "tools/autograd/derivatives.yaml": "- name: kept(Tensor self, *, Scalar alpha=1) -> Tensor\n"
    "  self: grad * alpha\n",
    "aten/src/ATen/native/Kept.cpp": "namespace at::native {\n"
    "Tensor kept_kernel(const Tensor& self, const Scalar& alpha) { return self; }\n}\n",
    "torch/functional.py": "def kept_too(x):\n    return x.kept()\n",
    "version.txt": "1.0.0\n",
}


def stored(version: int) -> Path:
    """Where the index of a schema is kept."""
    return FOLDER / f"schema-{version}.db.gz"


def main() -> None:
    """Write the file of the present schema."""
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
    # The path stands in the file: the same each time gives the same bytes.
    root = Path(tempfile.gettempdir()) / "torchtalk-schema-database"
    for path, text in _FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    target = root / "kept.db"
    build(open_tree(root), target, workers=0)
    stored(SCHEMA_VERSION).write_bytes(gzip.compress(target.read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    main()
