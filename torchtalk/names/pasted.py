"""What people paste in the place of a name: calls, schemas, lines of stack traces, errors, addresses in a browser.

Each is known by its shape alone, and what is left of it is a name, a file or a line as the other modules take them.
"""

from __future__ import annotations

import re

from indexer.scan.files import SUFFIXES
from torchtalk.names.mangled import demangled

_LONGEST = 4000
_SUFFIX = f"(?:{'|'.join(sorted(SUFFIXES, key=len, reverse=True))})"
_PATH = rf"[/\w.~+@-]+\.{_SUFFIX}(?![\w.])"
_DRIVE = re.compile(r"^[A-Za-z]:(?=/)")
_SCHEME = re.compile(r"^(?:https?|file|vscode)://(?:[^/]*/)")
_PAGE = re.compile(r"(?:^|/)(torch[\w.]*)\.html$")
# The same behind a path alone.
_FRAGMENT = re.compile(rf"^({_PATH})#L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?$")
_LINES = re.compile(r"^#?L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?$")
# Python's tracebacks.
_FRAME = re.compile(rf'^File "({_PATH})", line (\d+)')
# Compilers, pytest, `Exception raised from f at ../c10/x.cpp:79`: what stands behind the line, or before the file.
_LINE = re.compile(
    rf"(?:^|\bat |\bfrom |^> ?)({_PATH})(?:\((\d+)(?:,\d+)?\)|:(\d+)(?:-(\d+)|:\d+)?)(?=$|[\s:,)])"
)
# One test, as pytest and unittest take it.
_TEST = re.compile(
    rf"^(?:.*\b(?:python3?|pytest)\s(?:.*\s)?)?({_PATH})(?:::|\s+)(?P<test>[A-Za-z_]\w*(?:(?:::|\.)\w+)*)(?:\[.*\])?$"
)
# gdb's and c10's frames: `#3 0x00007f in f (x=1) at y.cpp:3`, `frame #3: f(int) + 0x1b (0x7f in /lib.so)`.
_NATIVE_FRAME = re.compile(r"^(?:frame )?#\d+:?\s+(?:0x[0-9a-fA-F]+\s+in\s+)?(\S.*)$")
_BEHIND_FRAME = re.compile(
    r"(?:\s\+\s0x[0-9a-fA-F]+)?(?:\s\(0x[0-9a-fA-F]+ in [^)]*\)|\s(?:at|from)\s\S+)?$"
)
# torchgen/model.py, FunctionSchema: `func: add.Tensor(Tensor self, …) -> Tensor`.
_SCHEMA = re.compile(
    r"^(?:-\s*)?(?:func:\s*)?((?:\w+::)?[A-Za-z_]\w*(?:\.\w+)?)\s*\(.*\)\s*->\s*\S", re.DOTALL
)
_DEFINITION = re.compile(
    r"^(?:async\s+)?(?:def|class)\s+([A-Za-z_]\w*)\s*(?:(?:[(\[]|:(?!:)).*)?$", re.DOTALL
)
_STATEMENT = re.compile(r"^(?:return\s+|await\s+|[A-Za-z_][\w., ]*\s=\s+)(?=[A-Za-z_][\w.]*\()")
# A call in Python, or what a module prints: `nn.Linear(10, 20)`, `Linear(in_features=10, out_features=20)`. A name
# of C++ keeps its brackets: with them it is one overload.
_CALL = re.compile(
    r"^([A-Za-z_]\w*(?:\.\w+)+)\((.*)\)$|^([A-Za-z_]\w*)\((.*\b\w+=[^=\s].*)\)$", re.DOTALL
)
_DECORATOR = re.compile(r"^@([A-Za-z_][\w.]*)(?:\(.*\))?$", re.DOTALL)
_NODE = re.compile(r"^(?:.*\bgrad_fn=)?<(\w+)(?: object at 0x[0-9a-fA-F]+)?>\)?$", re.DOTALL)
# What PyTorch's own errors name.
_ERRORS = (
    # AT_DISPATCH_… (aten/src/ATen/Dispatch.h)
    re.compile(r"\"(\w+)\" not implemented for '"),
    # c10/core/…, torch/csrc/utils/python_arg_parser.cpp: `softmax() received an invalid combination of arguments`
    re.compile(r"^(?:\w+(?:Error|Exception): )?([A-Za-z_][\w.]*)\(\)(?:: | )[a-z]"),
    re.compile(r"\bFunction '(\w+)' returned nan values|\boutput \d+ of (\w+Backward\w*)"),
    # `Could not run 'aten::x' with …`, `The operator 'aten::x' is not …`, `derivative for aten::x is not …`
    re.compile(
        r"(?:'|\"|\b(?:derivative for|operator|op|schema for) )([a-z_]\w*::\w+(?:\.\w+)?)(?![\w:<(])"
    ),
    # `… in method wrapper_CUDA_addmm)`: the function that torchgen writes around a kernel
    # (torchgen/dest/register_dispatch_key.py, wrapper_name)
    re.compile(r"\bin method wrapper_[A-Za-z]+_+(\w+)"),
)
# Of Objective-C's methods, as debuggers write them: `-[MetalContext pipelineState:]`, with a category behind the class.
_SELECTOR = re.compile(r"^[-+]?\[(\w+)(?:\(\w*\))? ([\w:]+)\]$")
# A line of a graph: `%mm : [num_users=1] = call_function[target=torch.ops.aten.mm.default](…)`,
# `mm: "f32[2]" = torch.ops.aten.mm.default(a, b);  a = None`.
_GRAPH = re.compile(r"\bcall_\w+\[target=([\w.]+)\]|\b(torch\.ops\.\w+\.\w+(?:\.\w+)?)\(")
_ABSENT = re.compile(r"module '([\w.]+)' has no attribute '(\w+)'")
_NOT_IMPORTED = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
# A word of a sentence, in bold or with the sign behind it; `operator,` is a name.
_WORD = re.compile(r"^(\*\*|)([^\s*]*[\w)])(?:[,;?!]+|\.+|:)?\1$")
_SIGN = re.compile(r"\boperator\W*$")
_FEWEST_WORDS = 3  # fewer are a name with something before it


def pasted(text: str) -> str:
    """The name, file or line in what somebody pasted.

    Args:
        text: `https://github.com/…/Linear.cpp#L76`, `File "linear.py", line 125, in forward`,
            `aten::add.Tensor(Tensor self, …) -> Tensor`, `_ZN2at6native…`, `y = F.softmax(x, dim=1)`,
            `RuntimeError: "addmm_impl_cpu_" not implemented for 'Half'`.

    Returns:
        `…/Linear.cpp:76`, `linear.py:125`, `aten::add.Tensor`, `at::native::…`, `F.softmax`,
        `addmm_impl_cpu_`; an empty text where it has none of these shapes.
    """
    given = text.strip()
    stripped = given.removesuffix(";").rstrip()  # of a statement
    if len(stripped) > _LONGEST or not stripped:
        return ""
    method = _SELECTOR.match(stripped)
    if method is not None:
        return f"{method[1]}::{method[2]}"
    found = _address(stripped) or _test(stripped) or _place(stripped) or demangled(stripped)
    for pattern in () if found else (_SCHEMA, _DEFINITION, _DECORATOR, _NODE):
        match = pattern.match(stripped)
        if match is not None:
            found = match[1]
            break
    found = found or _frame(stripped) or _error(stripped) or _call(_STATEMENT.sub("", stripped))
    word = _WORD.match(found)
    if word is not None and not _SIGN.search(found):
        found = word[2]
    found = found.strip()
    return found if found != given else ""


def _address(text: str) -> str:
    """A file in a browser, or a page of the documentation."""
    scheme = _SCHEME.match(text)
    if scheme is None or re.search(r"\s", text):
        return ""
    path, _, fragment = text[scheme.end() :].partition("#")
    path = path.partition("?")[0].rstrip("/")
    page = _PAGE.search(path)
    if fragment.startswith("torch."):
        return fragment
    if page is not None and "." in page[1]:
        return page[1]
    lines = _LINES.match(fragment)
    if not re.search(rf"\.{_SUFFIX}(?::\d+)*$", path):
        return ""
    if lines is None:
        return path
    return f"{path}:{lines[1]}" + (f"-{lines[2]}" if lines[2] else "")


def _place(text: str) -> str:
    """A file's line, as a traceback, a compiler or an editor of another system gives it."""
    plain = text
    if "\\" in text and not re.search(r"[\s(]", text.partition(".")[0].strip()):
        plain = text.replace("\\", "/")
    plain = _DRIVE.sub("", plain)
    fragment = _FRAGMENT.match(plain)
    if fragment is not None:
        return f"{fragment[1]}:{fragment[2]}" + (f"-{fragment[3]}" if fragment[3] else "")
    frame = _FRAME.match(plain.replace("\\", "/"))
    if frame is None and plain.startswith('File "'):
        frame = _FRAME.match(re.sub(r'"[A-Za-z]:(?=/)', '"', plain.replace("\\", "/")))
    if frame is not None:
        return f"{frame[1]}:{frame[2]}"
    if _NATIVE_FRAME.match(text):
        return ""  # its function is sure where the file is another version's
    found = list(_LINE.finditer(plain))
    if len(found) != 1:
        return plain if plain != text and re.fullmatch(_PATH, plain) else ""
    path, bracketed, line, last = found[0].groups()
    return f"{path}:{bracketed or line}" + (f"-{last}" if last else "")


def _test(text: str) -> str:
    """A test by its file as Python calls it: `test.nn.test_init.TestNNInit.test_eye`."""
    match = _TEST.match(text)
    if match is None or not match[1].endswith(".py"):
        return ""
    module = match[1].removesuffix(".py").strip("./").replace("/", ".")
    return f"{module}.{match['test'].replace('::', '.')}"


def _frame(text: str) -> str:
    """The function in a frame of gdb or c10."""
    match = _NATIVE_FRAME.match(text)
    if match is None:
        return ""
    name = _BEHIND_FRAME.sub("", match[1])
    return demangled(name) or re.sub(r"\s+\(.*$", "", name)


def _call(text: str) -> str:
    """What is called; the text where that is no single call."""
    match = _CALL.match(text)
    if match is None:
        return text
    depth = 0
    for sign in match[2] if match[1] else match[4]:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return text
    return match[1] or match[3] or text


def _error(text: str) -> str:
    targets = {name for match in _GRAPH.finditer(text) for name in match.groups() if name}
    if len(targets) == 1:
        return str(targets.pop())
    absent = _ABSENT.search(text)
    if absent is not None:
        return f"{absent[1]}.{absent[2]}"
    not_imported = _NOT_IMPORTED.search(text)
    if not_imported is not None:
        return f"{not_imported[2]}.{not_imported[1]}"
    if len(text.split()) < _FEWEST_WORDS or "(" in text.split()[0].lstrip("(").partition("()")[0]:
        return ""
    for pattern in _ERRORS:
        found = {name for match in pattern.finditer(text) for name in match.groups() if name}
        if len(found) == 1:
            return str(found.pop())
    return ""
