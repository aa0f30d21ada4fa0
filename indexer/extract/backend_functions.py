"""A backend's own YAML file: for which operators it has kernels, and in which class these are written.

`Lazy` has one (ts_native_functions.yaml). Its kernels are registered when the backend is initialised, so that they are
no entries of the dispatcher.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import yaml

from indexer.extract import yaml_nodes
from indexer.facts.operators import TorchgenRule

BACKEND = "backend"
"""A rule whose value is a backend's dispatch key, the namespace of its kernels and the class that has them."""

_OPERATORS = ("supported", "autograd", "full_codegen", "symint")
"""The lists of operators that such a file may have (torchgen/gen_backend_stubs.py, parse_backend_yaml)."""


def extract(path: str, data: bytes) -> Iterator[TorchgenRule]:
    """Read a file that `gen_backend_stubs` or `gen_lazy_tensor` is given.

    Args:
        path: the file's; nothing depends on it.
        data: its bytes.

    Yields:
        a rule `backend`, and one for each list of operators, called by the backend and the list: an object in JSON that
        has the line of each.

    Raises:
        YamlError: the file cannot be read.
    """
    found = {key: (value, line) for key, value, line in yaml_nodes.items(yaml_nodes.mapping(data))}
    if "backend" not in found or "cpp_namespace" not in found:
        return
    backend = yaml_nodes.text(found["backend"][0])
    texts = {
        key: yaml_nodes.text(found[key][0])
        for key in ("cpp_namespace", "class_name")
        if key in found
    }
    class_name = texts.get("class_name", f"{backend}NativeFunctions")
    value = f"{backend} {texts['cpp_namespace']}::{class_name}"
    yield TorchgenRule(BACKEND, value, found["backend"][1])
    for key in _OPERATORS:
        listed, line = found.get(key, (None, 0))
        # An empty list is a scalar.
        nodes = listed.value if isinstance(listed, yaml.SequenceNode) else ()
        lines = {yaml_nodes.text(node): yaml_nodes.line_of(node) for node in nodes}
        if lines:
            yield TorchgenRule(f"{backend} {key}", json.dumps(lines, separators=(",", ":")), line)
