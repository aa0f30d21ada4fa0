"""What PyTorch's own generator makes of a tree: run in the tree's root, prints JSON.

    python torchgen_facts.py > facts.json

It imports the tree's own `torchgen` and `tools.autograd`, so it is run in a process of its own.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def _operator(f: Any) -> dict[str, Any]:
    precomputed = []
    if f.precomputed:
        precomputed = [
            [name, ", ".join(map(str, arguments))]
            for name, arguments in f.precomputed.replace.items()
        ]
        if f.precomputed.add:
            precomputed.append([None, ", ".join(map(str, f.precomputed.add))])
    return {
        "schema": str(f.func),
        "line": f.loc.line,
        "tags": sorted(f.tags),
        "variants": sorted(variant.name for variant in f.variants),
        "structured": f.structured,
        "structured_delegate": str(f.structured_delegate) if f.structured_delegate else None,
        "structured_inherits": f.structured_inherits,
        "python_module": f.python_module,
        "category_override": f.category_override,
        "device_check": f.device_check.name,
        "device_guard": f.device_guard,
        "manual_cpp_binding": f.manual_cpp_binding,
        "manual_kernel_registration": f.manual_kernel_registration,
        "use_const_ref_for_mutable_tensors": f.use_const_ref_for_mutable_tensors,
        "kind": f.func.kind().name,
        "generated": "generated" in f.tags,
        "cpp_no_default_args": sorted(f.cpp_no_default_args),
        "ufunc_inner_loop": sorted([k.name, v.name] for k, v in f.ufunc_inner_loop.items()),
        "precomputed": precomputed,
        "signature": str(f.func.signature(strip_default=True)),
        "arguments": [
            [a.name, str(a.type), a.default, str(a.annotation) if a.annotation else None]
            for a in f.func.schema_order_arguments()
        ],
        "out": [a.name for a in f.func.arguments.out],
        "returns": [
            [r.name, str(r.type), str(r.annotation) if r.annotation else None]
            for r in f.func.returns
        ],
    }


def _derivatives(native: str, tags: str, derivatives: str) -> dict[str, Any]:
    from tools.autograd.load_derivatives import load_derivatives
    from torchgen.api.autograd import match_differentiability_info
    from torchgen.gen import parse_native_yaml

    infos = load_derivatives(derivatives, native, tags)
    if isinstance(infos, tuple):
        infos = infos[0]
    own: dict[str, Any] = {}
    copied: dict[int, str] = {}
    for by_key in infos.values():
        for key, info in by_key.items():
            name = str(info.func.func.name)
            copied[id(by_key)] = name
            backward = [
                [", ".join(d.var_names), " ".join(d.original_formula.split())]
                for d in info.derivatives
            ]
            own.setdefault(name, {})[key] = sorted(backward)
    functions = parse_native_yaml(native, tags).native_functions
    written = {info.op: info for by_key in infos.values() for info in by_key.values()}

    def source(info: Any) -> str:
        # What is made for a foreach operator is called after whose formulas these are (gen_foreach_derivativeinfo).
        if info.op not in written:
            overload = info.func.func.name.overload_name
            info = written[info.op.removeprefix("Foreach").removesuffix(overload)]
        return str(info.func.func.name)

    used = {
        str(matched.func.func.name): sorted({source(i) for i in matched.info.values()})
        for matched in match_differentiability_info(functions, infos)
        if matched.info
    }
    return {"own": own, "used": used}


def main() -> None:
    """Print the facts."""
    sys.path.insert(0, os.getcwd())
    from torchgen.api import native as native_api
    from torchgen.gen import needs_backend_select, parse_native_yaml
    from torchgen.selective_build.selector import SelectiveBuilder

    native = "aten/src/ATen/native/native_functions.yaml"
    tags = "aten/src/ATen/native/tags.yaml"
    derivatives = "tools/autograd/derivatives.yaml"
    if not os.path.exists(native):
        native, tags, derivatives = (
            "torchgen/packaged/ATen/native/native_functions.yaml",
            "torchgen/packaged/ATen/native/tags.yaml",
            "",
        )
    parsed = parse_native_yaml(native, tags)
    everything = SelectiveBuilder.get_nop_selector()
    facts: dict[str, Any] = {
        "operators": {
            f"{f.namespace}::{f.func.name}": _operator(f) for f in parsed.native_functions
        },
        "dispatch": {
            str(key): {
                str(name): [f"{m.cpp_namespace}::{m.kernel}", m.structured]
                for name, m in index.index.items()
            }
            for key, index in parsed.backend_indices.items()
        },
        "backend_select": {
            str(f.func.name): native_api.name(f.func)
            for f in parsed.native_functions
            if needs_backend_select(f, everything)
        },
    }
    if derivatives:
        facts["derivatives"] = _derivatives(native, tags, derivatives)
    json.dump(facts, sys.stdout)


if __name__ == "__main__":
    main()
