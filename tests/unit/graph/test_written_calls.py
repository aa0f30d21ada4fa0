"""What the C++ calls that Python writes: Inductor's, and that of the generators."""

from __future__ import annotations

from pathlib import Path

from indexer.extract.python import extract, generated_cpp
from indexer.facts.python import WrittenCall
from tests.unit.support.asking import affected_by_line, text
from tests.unit.support.small_tree import indexed

_PATH = "torch/_inductor/codegen/wrapper.py"


def written(source: str, path: str = _PATH) -> list[tuple[str, bool, int, int]]:
    """Name, whether a bracket follows, line and writer of each call that a file writes."""
    return [tuple(f) for f in extract(path, source.encode()) if isinstance(f, WrittenCall)]


def test_names_with_a_bracket_and_at_the_end() -> None:
    source = (
        'def clone(x):\n    """As aoti_torch_clone(x) does."""\n'
        '    yield f"CHECK(aoti_torch_clone({x}, &{x}));"\n'
        '    yield "aoti_torch_index_put_out"\n    # aoti_torch_not_this(1)\n'
        "    yield f'auto y = at::vec::maximum<float>({x}) + x.not_this() + std::abs(y) + p->nor_this(1);'\n"
    )
    assert written(source) == [
        ("aoti_torch_clone", True, 3, 1),
        ("aoti_torch_index_put_out", False, 4, 1),
        ("at::vec::maximum", True, 6, 1),
    ]


def test_only_inductor_writes_them() -> None:
    source = 'def clone(x):\n    return f"aoti_torch_clone({x});"\n'
    assert written(source)
    assert not written(source, "torch/nn/modules/linear.py")
    assert generated_cpp.wants(_PATH)


def test_of_generators_whole_names_with_a_bracket_count() -> None:
    source = (
        "SET = CodeTemplate('check_inplace(${self}, any); at::impl::sync_${how}(x);')\n"
        "NAMES = {'index_put', 'index_put_'}\n"
        "def emit(how):\n    return SET.substitute(how=how) + f'make_{how}(1); index_add'\n"
    )
    assert written(source, "tools/autograd/gen_variable_type.py") == [("check_inplace", True, 1, 3)]
    assert written(source, "torchgen/gen.py") and not written(source, "tools/setup_helpers/gen.py")


def test_plain_words_capitals_and_pragmas_are_none() -> None:
    source = (
        'def each(n):\n    yield f"size({n}) + add({n}) + BLOCK_SIZE({n})"\n'
        '    yield f"#pragma omp parallel num_threads({n})"\n    yield f"launchKernel({n});"\n'
    )
    assert written(source) == [("launchKernel", True, 4, 1)]


def test_what_is_filled_in_is_open() -> None:
    source = (
        'def item(kind, device):\n    yield f"aoti_torch_item_{kind}({device}); {kind}_load(1);"\n'
        '    yield f"aoti_torch_{device}_view_{kind}("\n    yield f"if (x) {{ atomic_add({kind}); }}"\n'
    )
    assert written(source) == [
        ("aoti_torch_item_*", True, 2, 1),
        ("aoti_torch_*_view_*", True, 3, 1),
        ("atomic_add", True, 4, 1),
    ]


def test_a_text_with_a_name_is_written_by_who_uses_the_name() -> None:
    source = (
        'GEMM = r"""\nusing namespace torch::aot;\nget_blocking({{kernel.get_sizes(x)}});\n"""\n'
        "class Template:\n    entry = 'micro_gemm(1)'\n"
        "    def render(self):\n        return GEMM + self.entry\n"
        "    def other(self):\n        return 'GEMM'\n"
    )
    assert written(source) == [
        ("torch::aot::", True, 2, 7), ("get_blocking", True, 3, 7), ("micro_gemm", True, 6, 7),
    ]  # fmt: skip


_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: bent(Tensor self) -> Tensor\n  dispatch:\n    CPU: bent\n",
    "torch/__init__.py": "",
    "torch/_inductor/__init__.py": "",
    "torch/_inductor/codegen/__init__.py": "",
    _PATH: (
        "class Wrapper:\n"
        '    head = "using namespace torch::aot;"\n'
        "    def clone(self, x):\n        return self.head + f'aoti_clone({x}); get_handle({x});'\n"
        "    def item(self, kind):\n        return f'aoti_item_{kind}(1); in_test_only(1)'\n"
        "    def name(self):\n        return ['aoti_named', 'plain_helper']\n"
    ),
    "torch/csrc/inductor/shim.cpp": (
        "int aoti_clone(int x) { return x; }\nint aoti_item_int(int x) { return x; }\n"
        "int aoti_item_float(int x) { return x; }\nint aoti_named(int x) { return x; }\n"
        "int aoti_unused(int x) { return x; }\n"
    ),
    "torch/csrc/inductor/utils.h": "namespace torch::aot { inline int get_handle(int x) { return x; } }\n",
    "torch/csrc/Other.cpp": "int plain_helper(int x) { return x; }\n",
    "test/cpp/api/only.cpp": "int in_test_only(int x) { return x; }\n",
}


def test_what_generators_write_is_said_and_no_edge(tmp_path: Path) -> None:
    files = {
        **_FILES,
        "torchgen/gen_kernels.py": (
            "def emit(arg):\n    yield f'check_alias({arg});'\n"
            "    yield f'at::impl::sync_it({arg}); native_one({arg});'\n"
        ),
        "tools/autograd/gen_more.py": "def emit(arg):\n    return f'check_alias({arg});'\n",
        "torch/csrc/autograd/checks.h": (
            "namespace torch::autograd { inline void check_alias(int x) {} }\n"
            "namespace at::impl { inline void sync_it(int x) {} }\n"
            "namespace at::native { inline void native_one(int x) {} }\n"
        ),
    }
    said = "C++ that is generated when PyTorch is built calls it, too; it is written in "
    places = "tools/autograd/gen_more.py:2, torchgen/gen_kernels.py:2"
    with indexed(files, tmp_path) as conn:
        users = text(conn, "called_by", name="torch::autograd::check_alias")
        synced = text(conn, "impact", name="at::impl::sync_it")
        others = text(conn, "called_by", name="at::native::native_one")
        rows = conn.execute("SELECT source FROM v_edges WHERE target GLOB '*::check_alias'")
        assert rows.fetchall() == []
    assert users[0].endswith("check_alias is called by generated C++ alone, as far as is known")
    assert f"note: {said}{places}" in users
    assert f"note: {said}torchgen/gen_kernels.py:3" in synced
    assert not any(said in line for line in others)


def test_functions_lead_to_the_python_that_writes_their_calls(tmp_path: Path) -> None:
    wrapper = "torch._inductor.codegen.wrapper.Wrapper"
    with indexed(_FILES, tmp_path) as conn:
        users = text(conn, "called_by", name="aoti_clone")
        unused = text(conn, "called_by", name="aoti_unused")
        answer = affected_by_line(
            conn, _FILES, "torch/csrc/inductor/utils.h", "inline int get_handle"
        )
        rows = conn.execute(
            "SELECT target, source, line FROM v_edges WHERE kind = 'written' ORDER BY 1, 2"
        ).fetchall()
    assert any(f"{wrapper}.clone (Python)  {_PATH}:3  at {_PATH}:4" in line for line in users)
    assert "nothing is known that it is used by" in unused[0]
    assert [one.name for one in answer.changed] == ["torch::aot::get_handle"]
    assert [tuple(row) for row in rows] == [
        ("aoti_clone", f"{wrapper}.clone", 4),
        ("aoti_item_float", f"{wrapper}.item", 6),
        ("aoti_item_int", f"{wrapper}.item", 6),
        ("aoti_named", f"{wrapper}.name", 8),
        ("torch::aot::get_handle", f"{wrapper}.clone", 4),
    ]
