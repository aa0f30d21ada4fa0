"""The shaders of Vulkan that C++ asks for by name: `VK_KERNEL(softmax_channel)`.

aten/src/ATen/native/vulkan/api/ShaderRegistry.h has the macros, api/Common.h before 2.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp.lexical import Argument, arguments
from indexer.extract.cpp.metal_values import HOLE, Strings, squeeze
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.launches import Launch

_KNOWS = b"VK_"
# The name itself, or (…_FROM_STR) a text that holds it; in some versions shaders are registered for operations.
_LOOKUP = re.compile(rb"\bVK_(?:LOOKUP_)?KERNEL(_FROM_STR)?\s*\(")
_NAME = re.compile(r"\w+$")


def shader_lookups(unit: CppUnit) -> Iterator[Launch]:
    """Each shader that a file asks for, with the function that does; a name may hold `*` for what is not known of it.

    Args:
        unit: the file.
    """
    if _KNOWS not in unit.data:
        return
    strings = None
    for match in _LOOKUP.finditer(unit.text):
        if unit.scopes.define_at(match.start()) is not None:
            continue
        listed = arguments(unit.text, match.end() - 1)
        if len(listed) != 1:
            continue
        scope = unit.scopes.at(match.start())
        names = [unit.text[listed[0].start : listed[0].end].strip().decode("utf-8", "replace")]
        if match[1]:
            strings = strings or Strings(unit.data)
            value = strings.value(Argument(*listed[0]), scope, 0)
            names = [squeeze(pattern.replace(HOLE, "*")) for pattern in value.patterns]
        for name in dict.fromkeys(names):
            if _NAME.match(name.replace("*", "")):
                yield Launch(
                    name,
                    "",
                    scope.prefix,
                    scope.qualified,
                    "pipeline",
                    "",
                    "",
                    "",
                    "",
                    "",
                    "",
                    False,
                    "vulkan",
                    unit.path,
                    unit.line(match.start()),
                )
