"""tags.yaml: the tags that operators may carry."""

from __future__ import annotations

from collections.abc import Iterator

from indexer.extract import yaml_nodes
from indexer.facts.operators import Tag


def extract(path: str, data: bytes) -> Iterator[Tag]:
    """Read tags.yaml.

    Args:
        path: the file's, relative to the tree; nothing depends on it.
        data: its bytes.

    Yields:
        its tags in their order.

    Raises:
        YamlError: the file cannot be read.
    """
    for node in yaml_nodes.entries(data):
        found = {key: yaml_nodes.text(value) for key, value, _ in yaml_nodes.items(node)}
        if "tag" in found:
            description = " ".join(found.get("desc", "").split())
            yield Tag(found["tag"], description, yaml_nodes.line_of(node))
