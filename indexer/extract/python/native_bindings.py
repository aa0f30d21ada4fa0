"""Python methods written by hand in C++: their names, and the operators that their code calls.

tools/autograd/gen_python_functions.py leaves some operators out (`_SKIP_PYTHON_BINDINGS`);
their methods stand in tools/autograd/templates/python_*.cpp and torch/csrc/autograd. What a
method's function calls is read from its text, through the helper functions of the same file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indexer.facts.python import NativeBinding

VARIABLE_METHODS = "torch._C.TensorBase"
_OWNERS = {
    "variable_methods": VARIABLE_METHODS,
    "variable_indexing": VARIABLE_METHODS,
    "python_variable": VARIABLE_METHODS,
    "torch_functions": "torch._C._VariableFunctions",
    "nn_functions": "torch._C._nn",
    "fft_functions": "torch._C._fft",
    "linalg_functions": "torch._C._linalg",
    "nested_functions": "torch._C._nested",
    "sparse_functions": "torch._C._sparse",
    "special_functions": "torch._C._special",
}
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# {"name", castPyCFunctionWithKeywords(TypeError_to_NotImplemented_<THPVariable_add>), …
_METHOD = re.compile(r'\{\s*"(\w+)",\s*(?:\w+[(<]\s*)*(THP\w+|\w+)[>)\s]*,')
# {"T", (getter)PropertyT::getter, …
_GETTER = re.compile(r'\{\s*"(\w+)",\s*\(getter\)\s*([\w:]+),')
# Functions behind the slots of the type (torch/csrc/autograd/python_variable.cpp).
_SLOTS = {
    "THPVariable_getitem": "__getitem__",
    "THPVariable_setitem": "__setitem__",
    "THPVariable_length": "__len__",
}
_ALIAS = re.compile(r'\{\s*"(\w+)",\s*"(\w+)"\s*\}')
_HEAD = re.compile(
    r"^(?=[A-Za-z])(?:static |inline |template[^\n]*\n|C10_\w+ )*[\w:<>*&, ]+?[ *&\n](\w+)\s*\(",
    re.MULTILINE,
)
_STRUCT = re.compile(r"^struct (Property\w+)[^{;]*\{(.*?)^\};", re.MULTILINE | re.DOTALL)
_CALL = re.compile(
    r"((?:\b\w+::)+|\b(?:self_?|tensor|t|sliced|result|x|new_tensor)(?:\.|->)(?:template )?|\bdispatch_"
    r"|(?<![\w:.>]))(\w+)\s*[(<]"
)
# tensor.detach().cpu().resolve_conj()
_CHAIN = re.compile(r"\btensor\.\w+\([^()]*\)((?:\s*\.\w+\([^()]*\))+)")
_NO_TENSORS = ("c10::", "std::")  # what types and functions there are called like operators
_CHAINED = re.compile(r"\.(\w+)\(")
# Files whose functions bindings in other files call: how Python data becomes a tensor and a tensor Python's data, and
# the indexing that Python and C++ share.
_HELPERS = (
    *(
        f"torch/csrc/utils/{name}.cpp"
        for name in ("tensor_new", "tensor_numpy", "tensor_list", "nested")
    ),
    "aten/src/ATen/TensorIndexing.h",
)


# Methods that at::Tensor has inline, for operators with `manual_cpp_binding`.
_INLINE = "aten/src/ATen/templates/TensorBody.h"
_METHOD_BODY = re.compile(r"\n  Tensor (\w+)\([^)\n]*\) const \{\n(.*?)\n  \}", re.DOTALL)
_THIS_CALL = re.compile(r"\bthis->(\w+)\(")


# Where an installed package has some of these files.
_INSTALLED = (
    ("torchgen/packaged/autograd/", "tools/autograd/"),
    ("torchgen/packaged/ATen/", "aten/src/ATen/"),
    ("torch/include/ATen/", "aten/src/ATen/"),
)


def _in_tree(path: str) -> str:
    """The path that a file of an installed package has in a checkout."""
    for installed, folder in _INSTALLED:
        if path.startswith(installed):
            return folder + path[len(installed) :]
    return path


def wants(path: str) -> bool:
    """Whether the file at `path` holds bindings of tensors or of `torch`'s functions, or what these call."""
    path = _in_tree(path)
    folder, _, name = path.rpartition("/")
    return path in (*_HELPERS, _INLINE) or (
        folder in ("tools/autograd/templates", "torch/csrc/autograd")
        and name.startswith("python_")
        and name.endswith(".cpp")
        and _owner(name) is not None
    )


def _owner(name: str) -> str | None:
    return next((owner for part, owner in _OWNERS.items() if part in name), None)


def extract(path: str, data: bytes) -> Iterable[NativeBinding]:
    """The methods that a file declares; nothing for files that `wants` does not want.

    Args:
        path: relative to the source tree.
        data: the file's bytes.
    """
    if not wants(path):
        return
    path = _in_tree(path)
    owner = _owner(path.rpartition("/")[2]) or ""
    text = _COMMENT.sub(
        lambda match: re.sub(r"[^\n]", " ", match[0]), data.decode("utf-8", "replace")
    )
    if path == _INLINE:
        for match in _METHOD_BODY.finditer(text):
            called = tuple(dict.fromkeys(_THIS_CALL.findall(match[2])))
            if called:
                line = text.count("\n", 0, match.start()) + 2
                yield NativeBinding("at::Tensor", match[1], called, "inline", line)
        return
    bodies = dict(_functions(text))
    for match in _STRUCT.finditer(text):
        bodies[match[1]] = match[2]
    for match in (*_METHOD.finditer(text), *_GETTER.finditer(text)):
        function = match[2].partition("::")[0]
        called = _called(function, bodies)
        if function in bodies or called:
            yield NativeBinding(
                owner, match[1], called, "handwritten", text.count("\n", 0, match.start()) + 1
            )
        elif function.startswith("THPVariable_"):
            # A second name of a generated method: {"__radd__", THPVariable_add}.
            base = function.removeprefix("THPVariable_")
            line = text.count("\n", 0, match.start()) + 1
            yield NativeBinding(owner, match[1], (base,), "alias", line)
    for function, name in _SLOTS.items():
        if function in bodies:
            line = text.count("\n", 0, text.index(f"{function}(")) + 1
            yield NativeBinding(owner, name, _called(function, bodies), "handwritten", line)
    if path in _HELPERS:
        for function in bodies:
            names = [*_called(function, bodies)]
            for chain in _CHAIN.finditer(bodies[function]):
                names += _CHAINED.findall(chain[1])
            yield NativeBinding(
                owner, function.rstrip("<"), tuple(dict.fromkeys(names)), "helper", 1
            )
    if "torch_functions" in path:
        for match in _ALIAS.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield NativeBinding(owner, match[2], (match[1],), "alias", line)


def _functions(text: str) -> Iterator[tuple[str, str]]:
    """Name and body of each function at the left margin; a template's name ends in `<`."""
    for match in _HEAD.finditer(text):
        opening = text.find("{", match.end())
        semicolon = text.find(";", match.end())
        if opening < 0 or 0 <= semicolon < opening:
            continue
        end = text.find("\n}", opening)
        name = f"{match[1]}<" if match[0].startswith("template") else match[1]
        yield name, text[opening : end if end >= 0 else len(text)]


def _called(function: str, bodies: dict[str, str]) -> tuple[str, ...]:
    """Names called by a function, those of helpers in the same file in their place."""
    found: dict[str, None] = {}
    seen = {function}
    pending = [function]
    while pending:
        body = bodies.get(pending.pop(0))
        if body is None:
            continue
        for match in _CALL.finditer(body):
            prefix, name = match.groups()
            helper = f"dispatch_{name}" if "dispatch_" in match[0] else name
            # `dispatch_to<double>(self)` is another function than `dispatch_to(self, device)`.
            known = (f"{helper}<", helper) if match[0].endswith("<") else (helper, f"{helper}<")
            below = next((function for function in known if function in bodies), "")
            if below and below not in seen:
                seen.add(below)
                pending.append(below)
            if prefix == "dispatch_" and below.endswith("<"):
                continue  # what it converts to does not name what it calls
            if prefix.startswith(_NO_TENSORS):
                continue
            if prefix or name.startswith("THPVariable_"):
                found[name.removeprefix("THPVariable_")] = None
    return tuple(found)
