"""Read the dispatcher of an installed torch into a small table: the truth registrations are compared with.

    python read_dispatch_dump.py OUT.tsv.gz

Run it with the interpreter of the torch in question. One line a fact, tab-separated, sorted:

    kind       def (a schema), impl (a kernel), fallback (a kernel for all operators), jit (an operator of
               the TorchScript registry, which the dispatcher does not know)
    operator   `ns::base.overload`; empty for a fallback
    key        the dispatch key; empty for def and jit
    state      active, inactive (replaced by a later registration)
    file       relative to the source tree; `python` where torch says `/dev/null` (before 2.7 a Python
               registration has no file), empty where it says nothing
    line       of the TORCH_LIBRARY block, or of the Python `Library(...)`/its caller
    flags      fallthrough, or empty
    schema     of def and jit

Registrations from generated C++ (`build/`, `torch/csrc/autograd/generated/`) are left out, since no tree has
them; but for those that a later one replaced, whose file is given as `generated`.
"""

from __future__ import annotations

import gzip
import re
import sys

import torch

Row = tuple[str, str, str, str, str, str, str, str]

_KERNEL = re.compile(
    r"^(?P<key>\w+)(?P<inactive> \(inactive\))?(?:\[alias\])?(?P<inactive2> \(inactive\))?: "
    r"registered (?:at (?P<file>.*):(?P<line>\d+)|(?P<by>by \w+)) :: .*\[(?P<flags>[^\]]*)\]$"
)
_TABLE = re.compile(
    r"^(?P<key>\w+): (?P<through>fallthrough )?registered at (?P<file>.*):(?P<line>\d+) "
    r"\[backend fallback\]$"
)
_GENERATED = ("build/", "torch/csrc/autograd/generated/")
_PACKAGE = torch.__file__[: -len("torch/__init__.py")]


def _file(path: str | None) -> str:
    if not path:
        return ""
    if path == "/dev/null":
        return "python"
    if path.startswith(_PACKAGE):
        return path[len(_PACKAGE) :]
    if not path.startswith("/"):
        # Before 2.1 as the build's own folder has it.
        return path[3:] if path.startswith("../") else f"build/{path}"
    # The build's source root: whatever stands before the first folder of the tree.
    found = re.search(r"/pytorch/(?!pytorch/)(.*)$", path)
    return found[1] if found else path


def operator_names() -> list[str]:
    """The operators that the dispatcher knows; before 2.0 torch only lists what TorchScript knows, these included."""
    if hasattr(torch._C, "_dispatch_get_all_op_names"):
        return sorted(torch._C._dispatch_get_all_op_names())
    schemas = torch._C._jit_get_all_schemas()
    names = {s.name + (f".{s.overload_name}" if s.overload_name else "") for s in schemas}
    return sorted(name for name in names if torch._C._dispatch_dump(name).startswith("name:"))


def dispatcher_rows() -> set[Row]:
    """Rows of every operator the dispatcher knows, and of the backend fallbacks.

    Raises:
        ValueError: a line of a dump that this script does not understand.
    """
    rows: set[Row] = set()
    for operator in operator_names():
        schema = ""
        for line in torch._C._dispatch_dump(operator).splitlines():
            head, _, tail = line.partition(": ")
            if head in ("", "name", "alias analysis kind"):
                continue
            if head == "schema":
                schema = tail
            elif head == "debug":
                at = re.fullmatch(r"registered at (.*):(\d+)", tail)
                file, number = (_file(at[1]), at[2]) if at else ("", "")
                if not file.startswith(_GENERATED):
                    rows.add(("def", operator, "", "active", file, number, "", schema))
            else:
                found = _KERNEL.match(line)
                if found is None:
                    raise ValueError(f"{operator}: {line}")
                file = _file(found["file"])
                inactive = found["inactive"] or found["inactive2"]
                if file.startswith(_GENERATED):
                    if not inactive:
                        continue
                    file = "generated"
                flags = "fallthrough" if "fallthrough" in found["flags"] else ""
                rows.add(
                    (
                        "impl",
                        operator,
                        found["key"],
                        "inactive" if inactive else "active",
                        file,
                        found["line"] or "",
                        flags,
                        "",
                    )
                )
    # An operator without any kernel shows what every key falls back to.
    library = torch.library.Library("_dispatch_truth", "DEF")
    library.define("nothing(Tensor x) -> Tensor")
    for line in torch._C._dispatch_dump_table("_dispatch_truth::nothing").splitlines():
        found = _TABLE.match(line)
        if found:
            flags = "fallthrough" if found["through"] else ""
            rows.add(
                ("fallback", "", found["key"], "active", _file(found["file"]), found["line"],
                 flags, "")
            )  # fmt: skip
    return rows


def jit_rows(known: set[str]) -> set[Row]:
    """Rows of the TorchScript registry's operators that are not in the dispatcher."""
    rows: set[Row] = set()
    for schema in torch._C._jit_get_all_schemas():
        name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
        if name not in known:
            rows.add(("jit", name, "", "active", "", "", "", str(schema)))
    return rows


def module_rows() -> set[Row]:
    """Rows of the Python files of torch that are loaded."""
    files = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    return {
        ("module", "", "", "active", _file(file), "", "", "")
        for file in files
        if file.startswith(_PACKAGE + "torch/") and file.endswith(".py")
    }


def main() -> None:
    """Write the table named on the command line."""
    modules = module_rows()
    known = set(operator_names())
    rows = sorted(modules | dispatcher_rows() | jit_rows(known))
    text = f"# torch {torch.__version__}\n" + "".join("\t".join(row) + "\n" for row in rows)
    with open(sys.argv[1], "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
        out.write(text.encode())


if __name__ == "__main__":
    main()
