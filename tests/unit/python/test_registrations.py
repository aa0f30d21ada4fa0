"""Registrations in Python, each form by a small text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from indexer.extract.python.registrations import registrations as read_python
from indexer.facts.registrations import MetaExclusion, Registration, UnreadRegistration
from tests.unit.support.registration_texts import python
from tests.unit.support.small_tree import indexed
from torchtalk.names import resolve


def python_rows(text: str) -> list[tuple[Any, ...]]:
    return [(r.kind, r.operator, r.key, r.kernel, r.line) for r in python(text)]


def test_library_methods_variables_and_loops() -> None:
    found = python(
        "import torch\n"
        "from torch.library import Library\n"
        'lib = Library("n", "DEF")\n'
        'lib.define("a(Tensor x) -> Tensor", tags=torch.Tag.core)\n'
        'meta = torch.library.Library("n", "IMPL", "Meta")\n'
        "def a_meta(x): return x\n"
        "for name in ['a', 'b']:\n"
        "    meta.impl(name + '.out', a_meta)\n"
        'lib.impl(torch.ops.n.a.default, lambda x: x, "CPU")\n'
        'Library("_", "IMPL").fallback(torch.library.fallthrough_kernel, "MPS")\n'
    )
    assert [(r.kind, r.operator, r.key, r.kernel, r.form, r.line, r.block_line) for r in found] == [
        ("def", "n::a", "", "", "unknown", 4, 3),
        ("impl", "n::a.out", "Meta", "torch.a.a_meta", "function", 8, 5),
        ("impl", "n::b.out", "Meta", "torch.a.a_meta", "function", 8, 5),
        ("impl", "n::a", "CPU", "", "lambda", 9, 3),
        ("fallback", "", "MPS", "torch.library.fallthrough_kernel", "fallthrough", 10, 10),
    ]
    assert found[0].tags == ("core",)


def test_library_decorators() -> None:
    assert python_rows(
        "import torch\n"
        'torch.library.define("n::a", "(Tensor x) -> Tensor")\n'
        'lib = torch.library.Library("n", "FRAGMENT")\n'
        '@torch.library.impl("n::a", ("cpu", "cuda"))\n'
        "def a_impl(x): ...\n"
        '@torch.library.impl(lib, "a", "CompositeExplicitAutograd")\n'
        "def a_any(x): ...\n"
        '@torch.library.register_fake("n::a")\n'
        "def a_fake(x): ...\n"
        'torch.library.register_autograd("n::a", a_backward, setup_context=a_setup)\n'
        '@torch.library.register_kernel(torch.ops.n.a.default, "xpu")\n'
        "def a_xpu(x): ...\n"
        'torch.library.register_vmap("n::a", a_any)\n'
    ) == [
        ("def", "n::a", "", "", 2),
        ("impl", "n::a", "CPU", "torch.a.a_impl", 4),
        ("impl", "n::a", "CUDA", "torch.a.a_impl", 4),
        ("impl", "n::a", "CompositeExplicitAutograd", "torch.a.a_any", 6),
        ("impl", "n::a", "Meta", "torch.a.a_fake", 8),
        ("impl", "n::a", "Autograd", "", 10),
        ("impl", "n::a", "XPU", "torch.a.a_xpu", 11),
        ("impl", "n::a", "FuncTorchBatched", "torch.a.a_any", 13),
    ]


def test_custom_op_defines_and_registers_what_goes_with_it() -> None:
    assert python_rows(
        "from torch.library import custom_op\n"
        '@custom_op("n::f", mutates_args=(), schema="(Tensor x) -> Tensor")\n'
        "def f(x): ...\n"
        "@f.register_fake\n"
        "def f_fake(x): ...\n"
    ) == [
        ("def", "n::f", "", "", 2),
        ("impl", "n::f", "CompositeExplicitAutograd", "torch.a.f", 2),
        ("impl", "n::f", "Autograd", "torch._library.autograd.make_autograd_impl", 2),
        ("impl", "n::f", "Meta", "torch.a.f_fake", 4),
    ]


def test_custom_op_that_writes_has_a_kernel_that_counts_versions() -> None:
    rows = python_rows(
        "from torch.library import custom_op\n"
        '@custom_op("n::f_", mutates_args=("x",), schema="(Tensor(a!) x) -> ()")\n'
        "def f_(x): ...\n"
        "@f_.register_autograd\n"
        "def f_backward(ctx, grad): ...\n"
    )
    assert rows[2:] == [
        ("impl", "n::f_", "Meta", "", 2),  # it computes nothing
        (
            "impl",
            "n::f_",
            "ADInplaceOrView",
            "torch._library.custom_ops.CustomOpDef._register_to_dispatcher",
            2,
        ),
        ("impl", "n::f_", "Autograd", "torch.a.f_backward", 4),
    ]


def test_py_impl_and_decomposition_tables() -> None:
    found = python(
        "import torch\n"
        "from functools import wraps\n"
        "from torch._decomp import register_decomposition, _add_op_to_registry, meta_table\n"
        "aten = torch.ops.aten\n"
        "@aten.f.default.py_impl(torch._C.DispatchKey.Autograd)\n"
        "@register_decomposition([aten.f, aten.g.out])\n"
        "def f(x): ...\n"
        "def register_meta(op):\n"
        "    def wrapper(fn):\n"
        "        _add_op_to_registry(meta_table, op, fn)\n"
        "        return fn\n"
        "    return wrapper\n"
        "@register_meta(aten.h.default)\n"
        "def h(x): ...\n"
        "def make_inplace(fn):\n"
        "    name = f'{fn.__name__}_'\n"
        "    @wraps(fn)\n"
        "    def _fn(a): ...\n"
        "    _fn.__name__ = name\n"
        "    return register_decomposition(getattr(aten, name))(_fn)\n"
        "f_ = make_inplace(f)\n"
        "mine = {}\n"
        "@register_decomposition(aten.k, registry=mine)\n"
        "def k(x): ...\n"
    )
    assert [
        (r.operator, r.key, r.kernel, r.all_overloads, r.expression, r.line) for r in found
    ] == [
        ("aten::f", "Meta", "torch.a.f", True, "table:post_autograd", 6),
        ("aten::g.out", "Meta", "torch.a.f", False, "table:post_autograd", 6),
        ("aten::f", "Autograd", "torch.a.f", False, "py_impl", 5),
        ("aten::h", "Meta", "torch.a.h", False, "table:meta", 13),
        ("aten::f_", "Meta", "torch.a.f_", True, "table:post_autograd", 21),
    ]


def test_helpers_are_followed_and_known_conditions_decide() -> None:
    assert python_rows(
        "import torch\n"
        "from torch._library.utils import is_functional_schema\n"
        'lib = torch.library.Library("p", "DEF")\n'
        "def make(*, schema, impl, old=False):\n"
        "    name = schema.split('(')[0]\n"
        "    if old or not is_functional_schema(torch._C.parse_schema(schema)):\n"
        "        lib.define(schema)\n"
        "        lib.impl(name, impl, 'CPU')\n"
        "    else:\n"
        "        torch.library.custom_op('p::' + name, impl, schema=schema[len(name):])\n"
        "def impl(x): ...\n"
        "make(schema='a(Tensor x) -> Tensor', impl=impl)\n"
        "make(schema='b_(Tensor(a!) x) -> Tensor(a!)', impl=impl)\n"
    ) == [
        ("def", "p::a", "", "", 12),
        ("impl", "p::a", "CompositeExplicitAutograd", "torch.a.impl", 12),
        ("impl", "p::a", "Autograd", "torch._library.autograd.make_autograd_impl", 12),
        ("impl", "p::a", "Meta", "", 12),
        ("def", "p::b_", "", "", 13),
        ("impl", "p::b_", "CPU", "torch.a.impl", 13),
    ]


def test_functions_that_nothing_calls_are_followed_and_marked() -> None:
    (found,) = python(
        "import torch\n"
        "def later(flag):\n"
        "    lib = torch.library.Library('aten', 'IMPL')\n"
        "    if flag:\n"
        "        lib.impl('f', g, 'MPS')\n"
        "    else:\n"
        "        raise ValueError\n"
    )
    assert found.condition == "when later() runs"


def test_recursion_and_endless_loops_end() -> None:
    assert (
        python(
            "import torch.library\n"
            "from torch.library import impl\n"
            "def f(x):\n"
            "    return f(x) + f(x)\n"
            "while True:\n"
            "    f(1)\n"
            "@impl('n::a', 'cpu')\n"
            "def g(x): ...\n"
        )[0].operator
        == "n::a"
    )


def test_operators_that_activate_meta_names() -> None:
    found = python(
        "import torch\n"
        'lib = torch.library.Library("aten", "IMPL", "Meta")\n'
        "def activate_meta():\n"
        "    for op in table:\n"
        '        if op.name() in {"aten::clone"}:\n'
        "            pass\n"
        "activate_meta()\n"
    )
    assert MetaExclusion("aten::clone") in found


def test_broken_python_is_reported() -> None:
    (found,) = python("import torch.library\ntorch.library.impl(\n")
    assert isinstance(found, UnreadRegistration)
    assert found.line == 2


def test_where_python_kernels_are_defined() -> None:
    text = (
        "import torch\n"
        "from functools import wraps\n"
        "from torch.other import taken\n"
        "lib = torch.library.Library('ns', 'IMPL', 'Meta')\n"
        "def kept(fn):\n"
        "    @wraps(fn)\n"
        "    def inner(*args): ...\n"
        "    return inner\n"
        "@torch.library.impl(lib, 'a')\n"
        "@kept\n"
        "def a(x): ...\n"
        "lib.impl('b', lambda x: x)\n"
        "lib.impl('c', taken)\n"
    )
    found = {r.operator: (r.kernel, r.line, r.kernel_path, r.kernel_line) for r in
             read_python("torch/x.py", text.encode()) if isinstance(r, Registration)}  # fmt: skip
    assert found == {
        "ns::a": ("torch.x.a", 9, "torch/x.py", 11),
        "ns::b": ("", 12, "torch/x.py", 12),
        "ns::c": ("torch.other.taken", 13, "", 0),
    }


def test_operators_of_a_set_that_activate_meta_leaves_out() -> None:
    found = python(
        "import torch\n"
        "aten = torch.ops.aten\n"
        "cpp_ops = {aten.stack.default, aten.arange.start}\n"
        "def activate_meta():\n"
        "    for op, fn in table.items():\n"
        "        if op in cpp_ops:\n"
        "            continue\n"
        "        op.py_impl(torch._C.DispatchKey.Meta)(fn)\n"
        "activate_meta()\n"
    )
    excluded = [f for f in found if isinstance(f, MetaExclusion)]
    assert excluded == [MetaExclusion("aten::stack"), MetaExclusion("aten::arange.start")]


def test_overrides_by_a_dsl() -> None:
    """torch/_native: the backend's kernel stays for the calls that the predicate refuses."""
    found = python(
        "from ... import registry, triton_utils as tu\n"
        "def _cond(a): ...\n"
        "def _impl(a): ...\n"
        "def _register_for(key):\n"
        '    tu.register_op_override("aten", "bmm", key, cond=_cond, impl=_impl)\n'
        "def register_to_dispatch():\n"
        '    _register_for("CUDA")\n'
        "    registry.register_op_override(\n"
        '        "native", "aten", "add_.Tensor", "CPU", None, _impl, unconditional_override=True)\n',
        "torch/_native/ops/bmm/triton_impl.py",
    )
    module = "torch._native.ops.bmm.triton_impl"
    assert [(r.operator, r.key, r.kernel, r.expression, r.condition) for r in found] == [
        ("aten::bmm", "CUDA", f"{module}._impl", "register_op_override",
         "when register_to_dispatch() runs, for calls that _cond() accepts"),
        ("aten::add_.Tensor", "CPU", f"{module}._impl", "register_op_override",
         "when register_to_dispatch() runs"),
    ]  # fmt: skip


def test_a_fake_stands_at_its_def_wherever_it_is_registered(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: t(Tensor self) -> Tensor\n",
        "torch/__init__.py": "",
        "torch/nn/__init__.py": "",
        "torch/nn/attend.py": "import torch\n"
        '@torch.library.custom_op("attend::one", mutates_args=())\n'
        "def one(x: torch.Tensor) -> torch.Tensor:\n    return x.clone()\n\n"
        "@one.register_fake\n"
        "def _one_fake(x: torch.Tensor) -> torch.Tensor:\n    return torch.empty_like(x)\n",
    }
    with indexed(files, tmp_path) as conn:
        rows = conn.execute(
            "SELECT function, line, registered_line FROM v_compile WHERE operator = 'attend::one' AND role = 'fake'"
        ).fetchall()
    assert [tuple(row) for row in rows] == [("torch.nn.attend._one_fake", 7, 6)]


def test_a_variable_that_holds_an_operator_is_that_operator(tmp_path: Path) -> None:
    """Not the function that it is made of (torch/_prims/__init__.py)."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: cap(Tensor self) -> Tensor\n  variants: function\n",
        "torch/__init__.py": "",
        "torch/_prims/__init__.py": "import torch\n"
        "def _make_prim(schema, impl_aten):\n"
        '    torch.library.custom_op("prims::" + schema.split("(")[0], impl_aten, mutates_args=(), schema=schema)\n'
        "    return impl_aten\n\n"
        'cap = _make_prim("cap(Tensor self) -> Tensor", torch.cap)\n',
        "torch/_plain.py": 'import torch\nlib = torch.library.Library("prims", "DEF")\n'
        'lib.define("cap(Tensor self) -> Tensor")\n',
    }
    with indexed(files, tmp_path) as conn:
        made = conn.execute(
            "SELECT line FROM registrations WHERE kind = 'def' AND operator = 'prims::cap' AND line = 6"
        ).fetchall()
        assert made
        for name in ("torch._prims.cap", "_prims.cap"):
            target = resolve(conn, name).target
            assert target is not None
            assert target.overloads == ("prims::cap",)


def test_an_operator_has_the_schema_of_another_files(tmp_path: Path) -> None:
    yaml = "aten/src/ATen/native"
    files = {
        f"{yaml}/native_functions.yaml": "- func: far(Tensor self) -> Tensor\n",
        f"{yaml}/tags.yaml": "- tag: core\n  desc: core\n",
        "torch/__init__.py": "",
        "torch/_prims/__init__.py": "import torch\nlib = torch.library.Library('prims', 'DEF')\n"
        "lib.define('cap(Tensor a, int dim) -> Tensor')\n",
        # Before the file that defines what it is like.
        "torch/_prims/_fused.py": "import torch\nfused = torch.library.Library('fused', 'DEF')\n"
        "def register():\n    for name in ['cap', 'nothing']:\n"
        "        like = getattr(torch.ops.prims, name)\n        fused.define(like.schema)\n",
    }
    with indexed(files, tmp_path) as conn:
        rows = conn.execute(
            "SELECT operator, schema, line FROM v_operators WHERE namespace = 'fused' ORDER BY 1"
        )
        assert [tuple(row) for row in rows] == [
            ("fused::cap", "cap(Tensor a, int dim) -> Tensor", 6),
            ("fused::nothing", None, 6),
        ]


def test_what_a_function_registers_is_there_once_whoever_calls_it() -> None:
    text = (
        "import torch\n"
        'lib = torch.library.Library("n", "IMPL", "Meta")\n'
        "def make(name):\n"
        "    lib.impl(name, torch.far)\n"
        "def register_a():\n"
        '    make("a")\n'
        "def register():\n"
        "    register_a()\n"
        '    make("b")\n'
    )
    assert [(r.operator, r.line, r.condition) for r in python(text)] == [
        ("n::a", 6, "when register_a() runs"),
        ("n::b", 9, "when register() runs"),
    ]
