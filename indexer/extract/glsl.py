"""Vulkan's shaders: .glsl files, and the variants that a YAML file beside them has made of one.

`tools/gen_vulkan_spv.py` names a shader as its file is called; of what the YAML lists it makes the variants alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import yaml

from indexer.extract import yaml_nodes
from indexer.extract.cpp.lexical import blanked, line_of
from indexer.facts.launches import Kernel

_MAIN = re.compile(rb"\bvoid\s+main\s*\(")
# What each shader is given, whether it has variants or not (`DEFAULT_ENV` of gen_vulkan_spv.py; lower case before 2.0).
_TEMPLATE = re.compile(rb"\$\{(?!PRECISION\}|FORMAT\})|^\s*\$(?:if|for)\b", re.MULTILINE)
_REGISTERED = re.compile(rb"^ \* REGISTER_FOR = \('(\w+)'", re.MULTILINE)
_VARIANTS = ("shader_variants", "parameter_values")
_FOR_ALL = "generate_variant_forall"
_MOST = 1_000  # variants of one entry


def shaders(path: str, data: bytes) -> Iterator[Kernel]:
    """The shader of a .glsl file, in the line of its `main`, and the operation that it is registered for.

    Args:
        path: relative to the tree.
        data: the file's bytes.
    """
    main = _MAIN.search(blanked(data))
    if main is None:
        return
    stem = path.rpartition("/")[2].split(".")[0]
    template = _TEMPLATE.search(data) is not None
    yield _kernel(path, stem, stem, line_of(data, main.start()), template)._replace(
        is_definition=True
    )
    for match in _REGISTERED.finditer(data):
        if (name := match[1].decode()) != stem:
            yield _kernel(path, name, stem, line_of(data, match.start()), False)


def variants(path: str, data: bytes) -> Iterator[Kernel]:
    """What a YAML file has made of templates: `add_inplace` of binary_op_tensor, in the line of its entry.

    Args:
        path: relative to the tree.
        data: the file's bytes.

    Raises:
        YamlError: the file is no YAML, or has another shape.
    """
    for template, told, _ in yaml_nodes.items(yaml_nodes.mapping(data)):
        fields = _fields(told)
        for key in _VARIANTS:
            listed = fields.get(key)
            for node in listed.value if isinstance(listed, yaml.SequenceNode) else ():
                own = _fields(node)
                if "NAME" not in own:
                    continue
                every = own.get(_FOR_ALL, fields.get(_FOR_ALL))
                name, line = yaml_nodes.text(own["NAME"]), yaml_nodes.line_of(node)
                for suffix in _suffixes(every, own):
                    yield _kernel(path, name + suffix, template, line, True)
                for operation in _registered_for(own.get("REGISTER_FOR")):
                    yield _kernel(path, operation, template, line, True)


def _kernel(path: str, name: str, function: str, line: int, template: bool) -> Kernel:
    return Kernel(name, function, "vulkan", False, template, "", "", False, path, line)


def _fields(node: yaml.Node) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key: value for key, value, _ in yaml_nodes.items(node)}


def _suffixes(every: yaml.Node | None, own: dict[str, yaml.Node]) -> Iterator[str]:
    """What the values of the parameters that a variant does not set itself add to its name, as the generator has it."""
    choices = []
    for parameter, values in _fields(every).items() if every is not None else ():
        if parameter not in own and isinstance(values, yaml.SequenceNode):
            told = [_fields(value) for value in values.value]
            given = [one.get("SUFFIX", one.get("VALUE")) for one in told]
            choices.append([yaml_nodes.text(one) for one in given if one is not None])
    for number, chosen in enumerate(product(*choices)):
        if number == _MOST:
            return
        yield "".join(f"_{suffix}" for suffix in chosen if suffix)


def _registered_for(node: yaml.Node | None) -> list[str]:
    """The operation of `["conv2d_pw", ["catchall"]]`."""
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        return []
    return [yaml_nodes.text(node.value[0])]
