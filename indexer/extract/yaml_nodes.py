"""YAML read as nodes, so that every fact knows its line.

Nodes are read one level at a time and never expanded as a whole: an alias bomb costs no more
than the text it is written with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

MOST_NESTED = 200
"""Lists and mappings in each other; PyTorch's files have four."""

_FLOW = re.compile(r"[\[\]{}]")
# A collection in block style begins further to the right than the one around it.
_INDENTED = re.compile(rf"^[ \t\-?:]{{{MOST_NESTED},}}", re.MULTILINE)
_TRUE = frozenset(("true", "yes", "on"))


class YamlError(ValueError):
    """A YAML file cannot be read.

    Args:
        message: what is wrong.
        line: 1-based line, where it is known.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


def entries(data: bytes) -> list[yaml.MappingNode]:
    """The mappings of a file that is one sequence of mappings.

    Args:
        data: the file's bytes.

    Raises:
        YamlError: the file is no YAML, or its top level has another shape.
    """
    root = _composed(data)
    if not isinstance(root, yaml.SequenceNode):
        raise YamlError("not a list of entries", 1)
    for node in root.value:
        if not isinstance(node, yaml.MappingNode):
            raise YamlError("an entry is not a mapping", line_of(node))
    return list(root.value)


def mapping(data: bytes) -> yaml.MappingNode:
    """The mapping that a file is.

    Args:
        data: the file's bytes.

    Raises:
        YamlError: the file is no YAML, or its top level has another shape.
    """
    root = _composed(data)
    if not isinstance(root, yaml.MappingNode):
        raise YamlError("not a mapping", 1)
    return root


def _composed(data: bytes) -> yaml.Node | None:
    try:
        text = data.decode("utf-8")
        _refuse_depth(text)
        root: yaml.Node | None = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(filter(None, (error.problem, error.context)))
        raise YamlError(problem or "not YAML", mark.line + 1 if mark else None) from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise YamlError(" ".join(str(error).split()) or "not YAML") from error
    return root


def _refuse_depth(text: str) -> None:
    """Raise `YamlError` for what is nested so deeply that composing it would end the process.

    LibYAML's events take no stack, its nodes do; events of a whole file take too long to look at
    them where brackets and indentation show that there is no need.
    """
    depth = deepest = 0
    for match in _FLOW.finditer(text):
        depth += 1 if match[0] in "[{" else -1
        deepest = max(deepest, depth)
    if deepest <= MOST_NESTED and _INDENTED.search(text) is None:
        return
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MOST_NESTED:
                mark = event.start_mark
                raise YamlError("nested too deeply", mark.line + 1 if mark else None)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def line_of(node: yaml.Node) -> int:
    """The 1-based line a node starts on."""
    return int(node.start_mark.line) + 1


def items(node: yaml.MappingNode) -> Iterator[tuple[str, yaml.Node, int]]:
    """Key, value and 1-based line of the key, for every key of `node` that is a scalar."""
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode):
            yield str(key.value), value, line_of(key)


def text(node: yaml.Node) -> str:
    """The text of `node`, a scalar.

    Raises:
        YamlError: it is a list or a mapping.
    """
    if not isinstance(node, yaml.ScalarNode):
        raise YamlError("a text was expected here", line_of(node))
    return str(node.value)


def flag(node: yaml.Node) -> bool:
    """Whether `node`, a scalar, says yes: `true`, `yes` or `on`, in any case.

    Raises:
        YamlError: it is a list or a mapping.
    """
    return text(node).lower() in _TRUE


def texts(node: yaml.Node) -> tuple[str, ...]:
    """The texts of `node`: a list of scalars, or one scalar as a list of one.

    Raises:
        YamlError: it is a mapping, or a list that holds more than scalars.
    """
    if isinstance(node, yaml.SequenceNode):
        return tuple(text(item) for item in node.value)
    return (text(node),)
