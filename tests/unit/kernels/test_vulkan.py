"""Vulkan's shaders: .glsl files, the variants that a YAML file has made of them, and what C++ asks for by name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.extract.cpp.unit import CppUnit
from indexer.extract.cpp.vulkan import shader_lookups
from indexer.extract.glsl import shaders, variants
from indexer.extract.yaml_nodes import YamlError
from tests.unit.support.asking import affected_by_line, text
from tests.unit.support.small_tree import indexed

_GLSL = "aten/src/ATen/native/vulkan/glsl"
_MAIN = "#version 450 core\n#define PRECISION ${PRECISION}\n// void main() {\nvoid main() {\n}\n"
_BENT_YAML = (
    "bent_op:\n  parameter_names_with_default_values:\n    OPERATOR: X\n    INPLACE: false\n"
    "  generate_variant_forall:\n    INPLACE:\n      - VALUE: false\n        SUFFIX: ''\n"
    "      - VALUE: true\n        SUFFIX: inplace\n"
    "  shader_variants:\n    - NAME: bent\n      OPERATOR: X + X\n    - NAME: bowed\n      OPERATOR: X * X\n"
    "    - NAME: fixed\n      INPLACE: true\n"
)
_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: bent(Tensor self) -> Tensor\n  dispatch:\n    CPU: bent\n"
        "- func: straight(Tensor self) -> Tensor\n  dispatch:\n    CPU: bent\n"
    ),
    "aten/src/ATen/native/Bent.cpp": (
        "namespace at::native {\nTensor bent(const Tensor& x) { return x; }\n}\n"
    ),
    f"{_GLSL}/bent_op.glsl": _MAIN.replace("\nvoid main", "\n$if INPLACE:\nvoid main"),
    f"{_GLSL}/straight.glsl": _MAIN,
    f"{_GLSL}/params.yaml": _BENT_YAML,
    "aten/src/ATen/native/vulkan/ops/Bent.cpp": (
        "namespace at::native::vulkan::ops {\n"
        "Tensor run(const Tensor& x, const api::ShaderInfo& shader) { return x; }\n"
        "Tensor bent(const Tensor& x) {\n  return run(x, VK_KERNEL(bent));\n}\n"
        "Tensor straight(const Tensor& x) {\n  return run(x, VK_KERNEL(straight));\n}\n"
        "TORCH_LIBRARY_IMPL(aten, Vulkan, m) {\n"
        '  m.impl(TORCH_SELECTIVE_NAME("aten::bent"), TORCH_FN(bent));\n'
        '  m.impl(TORCH_SELECTIVE_NAME("aten::straight"), TORCH_FN(straight));\n}\n}\n'
    ),
}


def test_a_shader_stands_at_its_main() -> None:
    (found,) = shaders(f"{_GLSL}/mm.glsl", _MAIN.encode())
    assert (found.name, found.line, found.platform) == ("mm", 4, "vulkan")
    assert found.is_definition and not found.is_template
    (template,) = shaders(f"{_GLSL}/mm.glsl", _MAIN.encode() + b"#define OP ${OPERATOR}\n")
    assert template.is_template
    assert not [*shaders(f"{_GLSL}/common.glsl", b"float twice(float x) { return 2 * x; }\n")]


def test_what_a_shader_is_registered_for_is_a_name_of_it() -> None:
    data = "/*\n * REGISTER_FOR = ('conv2d_pw', ['catchall'])\n */\n" + _MAIN
    found = [(k.name, k.function, k.is_definition) for k in shaders("glsl/pw_2x2.glsl", data.encode())]  # fmt: skip
    assert found == [("pw_2x2", "pw_2x2", True), ("conv2d_pw", "pw_2x2", False)]


def test_variants_are_named_as_the_generator_does() -> None:
    found = [*variants(f"{_GLSL}/params.yaml", _BENT_YAML.encode())]
    assert [(k.name, k.line) for k in found] == [
        ("bent", 12), ("bent_inplace", 12), ("bowed", 14), ("bowed_inplace", 14), ("fixed", 16),
    ]  # fmt: skip
    assert {(k.function, k.is_definition) for k in found} == {("bent_op", False)}


def test_variants_of_several_parameters_and_what_they_are_registered_for() -> None:
    data = (
        b"pool:\n  shader_variants:\n    - NAME: pool\n      generate_variant_forall:\n"
        b"        KIND:\n          - VALUE: max\n          - VALUE: avg\n"
        b"        DTYPE:\n          - VALUE: float\n            SUFFIX: ''\n          - VALUE: int8\n"
        b'    - NAME: pool_1\n      REGISTER_FOR: !!python/tuple ["pooling", ["catchall"]]\n'
        b"    - DTYPE: half\nother: 1\n"
    )
    assert [k.name for k in variants("a/glsl/x.yaml", data)] == [
        "pool_max", "pool_max_int8", "pool_avg", "pool_avg_int8", "pool_1", "pooling",
    ]  # fmt: skip


@pytest.mark.parametrize("data", [b"- a\n", b"a: [\n", b"a:\n  shader_variants:\n    - NAME: []\n"])
def test_another_shape_is_an_error(data: bytes) -> None:
    with pytest.raises(YamlError):
        list(variants("a/glsl/x.yaml", data))


def test_what_asks_for_a_shader() -> None:
    source = (
        "#define VK_KERNEL(name) registry().get(#name)\n"
        "namespace at {\n// VK_KERNEL(commented)\n"
        "ShaderInfo get(int kind) {\n  return kind ? VK_KERNEL(one) :\n    VK_KERNEL( two );\n}\n"
        "struct Context {\n  Context() : shader_(VK_KERNEL(three)) {}\n};\n"
        'ShaderInfo of(bool wide) {\n  std::string name = "four_";\n'
        '  return VK_KERNEL_FROM_STR(name + (wide ? "4" : "1"));\n}\n'
        "ShaderInfo any(std::string name) { return VK_KERNEL_FROM_STR(name); }\n"
        "ShaderInfo looked() { return VK_LOOKUP_KERNEL(five); }\n}\n"
    )
    # What stands in a list of initialisers has its function by linking, which goes by lines.
    found = [*shader_lookups(CppUnit("a.cpp", source.encode()))]
    assert {(f.platform, f.kind) for f in found} == {("vulkan", "pipeline")}
    assert [(f.kernel, f.launcher, f.line) for f in found] == [
        ("one", "at::get", 5), ("two", "at::get", 6), ("three", "", 9),
        ("four_4", "at::of", 13), ("four_1", "at::of", 13), ("five", "at::looked", 16),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


def test_answers_lead_to_shaders(conn: sqlite3.Connection) -> None:
    traced = text(conn, "trace", name="bent")
    calls = text(conn, "calls", name="at::native::vulkan::ops::bent")
    sites = text(conn, "cuda_kernels", name="bent")
    users = text(conn, "called_by", name="bent_op")
    found = text(conn, "search", query=f"{_GLSL}/params.yaml")
    reached = text(conn, "impact", name=f"{_GLSL}/params.yaml:12")
    rows = conn.execute(
        "SELECT kernel, launcher, kernel_file, kernel_line, platform FROM v_launches ORDER BY line"
    ).fetchall()
    at = next(n for n, line in enumerate(traced) if line.strip().startswith("Vulkan ->"))
    assert traced[at + 1].strip() == (
        f"launches bent  {_GLSL}/bent_op.glsl:5  at aten/src/ATen/native/vulkan/ops/Bent.cpp:4"
    )
    assert any(f"bent (GPU kernel)  {_GLSL}/params.yaml:12" in line for line in calls)
    assert any(f"bent_op (GPU kernel)  {_GLSL}/bent_op.glsl:5" in line for line in calls)
    assert any(f"bent {_GLSL}/bent_op.glsl:5 <- at::native::vulkan::ops::bent" in s for s in sites)
    assert any("at::native::vulkan::ops::bent  aten" in line for line in users)
    assert reached[1:3] == [f"{name}  {_GLSL}/params.yaml:12" for name in ("bent", "bent_inplace")]
    assert any(line.startswith(f"vulkan bent_inplace  {_GLSL}/params.yaml:12") for line in found)
    ops = "at::native::vulkan::ops"
    assert [tuple(row) for row in rows] == [
        ("bent", f"{ops}::bent", f"{_GLSL}/bent_op.glsl", 5, "vulkan"),
        ("straight", f"{ops}::straight", f"{_GLSL}/straight.glsl", 4, "vulkan"),
    ]


@pytest.mark.parametrize(
    ("file", "text_of_line", "changed"),
    [
        ("straight.glsl", "void main() {", {"straight"}),
        ("params.yaml", "X + X", {"bent", "bent_inplace"}),
        ("params.yaml", "NAME: bowed", {"bowed", "bowed_inplace"}),
        ("params.yaml", "default_values", set()),
    ],
)
def test_a_changed_line_is_of_its_shader(
    conn: sqlite3.Connection, file: str, text_of_line: str, changed: set[str]
) -> None:
    answer = affected_by_line(conn, _FILES, f"{_GLSL}/{file}", text_of_line)
    assert {one.name for one in answer.changed} == changed


def test_an_object_that_is_made_for_it_chooses_the_shader(tmp_path: Path) -> None:
    path = "aten/src/ATen/native/vulkan/ops/Bent.cpp"
    source = (
        "namespace at::native::vulkan::ops {\n"
        "static ShaderInfo chosen(int kind) { return VK_KERNEL(straight); }\n"
        "struct Packed { ShaderInfo shader; Packed(int kind); };\n"
        "Packed::Packed(int kind) { shader = chosen(kind); }\n"
        "struct Plain { Plain(int kind); };\nPlain::Plain(int kind) {}\n"
        "Tensor bent(const Tensor& x) {\n  Plain plain(1);\n  return x;\n}\n"
        "Tensor straight(const Tensor& x) {\n  Packed packed = Packed(1);\n  return x;\n}\n"
        "TORCH_LIBRARY_IMPL(aten, Vulkan, m) {\n"
        '  m.impl(TORCH_SELECTIVE_NAME("aten::bent"), TORCH_FN(bent));\n'
        '  m.impl(TORCH_SELECTIVE_NAME("aten::straight"), TORCH_FN(straight));\n}\n}\n'
    )
    with indexed(_FILES | {path: source}, tmp_path) as conn:
        traced = text(conn, "trace", name="straight")
        other = text(conn, "trace", name="bent")
    at = next(n for n, line in enumerate(traced) if line.strip().startswith("Vulkan ->"))
    assert traced[at + 1].strip() == f"launches straight  {_GLSL}/straight.glsl:4  at {path}:2"
    assert not any("launches" in line for line in other)
