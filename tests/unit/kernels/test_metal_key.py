"""What kernels for the key Metal launch, whose names a shared context looks up."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: bent(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: bent\n"
    ),
    "aten/src/ATen/native/Bent.cpp": (
        "namespace at::native {\nTensor bent(const Tensor& x) { return x; }\n}\n"
    ),
    "aten/src/ATen/native/metal/MetalShaders.h": (
        'static const char* SHADERS = R"METAL(\n#include <metal_stdlib>\nusing namespace metal;\n'
        "kernel void bend(texture2d<half> in[[texture(0)]], ushort2 gid[[thread_position_in_grid]]) {\n}\n"
        ')METAL";\n'
    ),
    "aten/src/ATen/native/metal/MetalContext.h": (
        "@interface MetalContext : NSObject\n+ (instancetype)sharedInstance;\n"
        "- (id)pipelineState:(const std::string&)kernel;\n@end\n"
    ),
    "aten/src/ATen/native/metal/MetalContext.mm": (
        "@implementation MetalContext\n- (id)pipelineState:(const std::string&)kernel {\n"
        "  id<MTLFunction> function = [_library newFunctionWithName:[NSString stringWithUTF8String:kernel.c_str()]];\n"
        "  return function;\n}\n@end\n"
    ),
    "aten/src/ATen/native/metal/ops/MetalBent.mm": (
        "namespace at::native::metal {\nstatic Tensor bent(const Tensor& x) {\n"
        '  id state = [[MetalContext sharedInstance] pipelineState:"bend"];\n  return x;\n}\n'
        'TORCH_LIBRARY_IMPL(aten, Metal, m) {\n  m.impl(TORCH_SELECTIVE_NAME("aten::bent"), TORCH_FN(bent));\n}\n}\n'
    ),
}


def test_they_are_told_without_what_looks_up_any_name(tmp_path: Path) -> None:
    with indexed(_FILES, tmp_path) as connection:
        lines = text(connection, "trace", name="bent")
        sites = text(connection, "cuda_kernels", name="bent")
        of_file = text(connection, "cuda_kernels", name="MetalShaders.h")
    at = next(n for n, line in enumerate(lines) if line.strip().startswith("Metal ->"))
    assert lines[at + 1].strip() == (
        "launches bend  aten/src/ATen/native/metal/MetalShaders.h:4"
        "  at aten/src/ATen/native/metal/ops/MetalBent.mm:3"
    )
    assert not any("launches *" in line for line in lines)
    # The file that only has the kernel leads to its launch, too.
    assert of_file[0] == "1 launch site for 'MetalShaders.h'"
    assert of_file[1].endswith("[metal pipeline; in the path of the kernel's file]")
    assert any("bend aten/src/ATen/native/metal/MetalShaders.h:4" in line for line in sites)
