"""Rows that the link steps make of registrations."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from indexer import link
from indexer.extract.cpp.registrations import registrations as read_cpp
from indexer.extract.cpp.unit import CppUnit
from indexer.extract.python.registrations import registrations as read_python
from indexer.schema import create
from indexer.workers import WorkerPool
from indexer.write.registrations import write_registrations


def database(conn: sqlite3.Connection, cpp: str, py: str = "") -> sqlite3.Connection:
    create(conn)
    for identity, (path, text) in enumerate({"a.cpp": cpp, "torch/a.py": py}.items(), 1):
        kind = "cpp" if path.endswith("cpp") else "python"
        conn.execute(
            "INSERT INTO source_files VALUES (?, ?, ?, ?, '')", (identity, path, kind, len(text))
        )
        facts: list[Any] = (
            list(read_cpp(CppUnit(path, text.encode())))
            if kind == "cpp"
            else list(read_python(path, text.encode()))
        )
        write_registrations(conn, identity, facts)
    return conn


def run_link(conn: sqlite3.Connection) -> None:
    dict(link.steps([16]))["16_registrations"](conn, WorkerPool(0))


def test_rows_of_operators_and_dispatch(memory: sqlite3.Connection) -> None:
    conn = database(
        memory,
        "namespace at::native {\n"
        "TORCH_LIBRARY(n, m) {\n"
        '  m.def("f(Tensor x, int k=1) -> Tensor", {at::Tag::core});\n'
        '  m.def("g", g_any);\n'
        '  m.impl("nothing", h);\n'
        "}\n"
        'TORCH_LIBRARY_IMPL(n, Meta, m) { m.impl("f", f_meta); }\n'
        "TORCH_LIBRARY_IMPL(_, MPS, m) { m.fallback(all_mps); }\n"
        "}\n",
        "import torch\n"
        "lib = torch.library.Library('n', 'IMPL')\n"
        "def f_py(x): ...\n"
        "lib.impl('f', f_py, 'Meta')\n",
    )
    conn.execute(
        "INSERT INTO functions (name, head, kind, file_id, line, end_line, is_exact)"
        " VALUES ('at::native::f_meta', '', 'function', 1, 1, 1, 0)"
    )
    run_link(conn)
    assert conn.execute(
        "SELECT name, schema, origin, line FROM operators ORDER BY name"
    ).fetchall() == [
        ("n::f", "f(Tensor x, int k=1) -> Tensor", "library", 3),
        ("n::g", None, "library", 4),
    ]
    assert conn.execute("SELECT name, default_value FROM arguments").fetchall() == [
        ("x", None),
        ("k", "1"),
    ]
    assert conn.execute(
        "SELECT o.name, d.dispatch_key, d.kernel, d.origin, d.file_id, d.line FROM dispatch AS d"
        " JOIN operators AS o ON o.id = d.operator_id ORDER BY d.id"
    ).fetchall() == [
        ("n::g", "CompositeImplicitAutograd", "at::native::g_any", "impl", 1, 4),
        ("n::f", "Meta", "at::native::f_meta", "impl", 1, 7),
        ("n::f", "Meta", "torch.a.f_py", "python", 2, 4),
    ]
    assert conn.execute("SELECT key, kernel, line FROM fallbacks").fetchall() == [
        ("MPS", "at::native::all_mps", 8)
    ]
    assert conn.execute(
        "SELECT dispatch_id, by_dispatch_id FROM dispatch_replacements"
    ).fetchall() == [(2, 3)]
    assert conn.execute("SELECT file, detail FROM coverage").fetchall() == [
        (
            "a.cpp",
            "line 5: CompositeImplicitAutograd kernel for n::nothing, which nothing defines outside of tests in C++",
        )
    ]
    assert conn.execute("SELECT name FROM temp.sqlite_master").fetchall() == []


def test_one_statement_for_the_dispatcher_and_for_python_is_one_kernel(
    memory: sqlite3.Connection,
) -> None:
    conn = database(
        memory,
        'TORCH_LIBRARY(n, m) { m.def("f(Tensor x) -> Tensor"); }\n',
        "import torch\n"
        "lib = torch.library.Library('n', 'IMPL', 'Meta')\n"
        "def register_meta(op):\n"
        "    def wrapper(f):\n"
        "        lib.impl('f', f)\n"
        "        op.py_impl(torch._C.DispatchKey.Meta)(f)\n"
        "        return f\n"
        "    return wrapper\n"
        "@register_meta(torch.ops.n.f.default)\n"
        "def f_meta(x): ...\n"
        "@torch.ops.n.f.default.py_impl(torch._C.DispatchKey.Autograd)\n"
        "def f_autograd(x): ...\n",
    )
    run_link(conn)
    rows = conn.execute("SELECT key, kernel, registered_line FROM v_dispatch ORDER BY key")
    assert [row for row in rows if row[1]] == [
        ("Autograd", "torch.a.f_autograd", 11), ("Meta", "torch.a.f_meta", 9),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "kernel",
    [
        "&Wrap< ::at::Policy::low_too, S, &g>::call",
        "TORCH_FN((&Wrap<Policy::low_too, S, &g>::call))",
    ],
)
def test_the_specialization_is_the_registrations(memory: sqlite3.Connection, kernel: str) -> None:
    conn = database(
        memory,
        "template <Policy p, class F, F* f> struct Wrap {};\n"
        "template <class F, F* f>\n"
        "struct Wrap<Policy::low, F, f> {\n"
        "  static void call() {}\n"
        "};\n"
        "template <class F, F* f>\n"
        "struct Wrap<Policy::low_too, F, f> {\n"
        "  static void call() {}\n"
        "};\n"
        f'TORCH_LIBRARY(n, m) {{ m.def("f() -> ()", {kernel}); }}\n'
        "// m.impl(\n",
    )
    for line in (4, 8):
        conn.execute(
            "INSERT INTO functions (name, head, kind, file_id, line, end_line, is_exact)"
            " VALUES ('Wrap::call', '', 'method', 1, ?, ?, 0)",
            (line, line),
        )
    run_link(conn)
    conn.execute("INSERT INTO dispatch_kernels SELECT 1, id, line = 4 FROM functions")
    dict(link.steps([30]))["30_registered_kernels"](conn, WorkerPool(0))
    assert conn.execute(
        "SELECT u.line, k.is_primary FROM dispatch_kernels AS k JOIN functions AS u ON u.id = k.function_id"
    ).fetchall() == [(8, 1)]


def test_helpers_of_other_files_are_followed(memory: sqlite3.Connection) -> None:
    maker = (
        "import torch\n"
        "from functools import wraps\n"
        "from torch._decomp import register_decomposition\n"
        "aten = torch.ops.aten\n"
        "infer = object()\n"
        "def unary(kind, *, op=infer):\n"
        "    def inner(fn):\n"
        "        @wraps(fn)\n"
        "        def _ref(a): ...\n"
        "        found = getattr(aten, fn.__name__) if op is infer else op\n"
        "        register_decomposition(found)(_ref)\n"
        "        return _ref\n"
        "    return inner\n"
        "def inplace(fn):\n"
        "    return register_decomposition(getattr(aten, fn.__name__ + '_'))(fn)\n"
    )
    user = (
        "import torch\n"
        "from torch._refs import inplace, unary\n"
        "from torch._decomp import register_decomposition\n"
        "@unary(1, op=torch.ops.aten.special_f)\n"
        "def f(a): ...\n"
        "@unary(1)\n"
        "def g(a): ...\n"
        "@register_decomposition(torch.ops.aten.h)\n"
        "def h(a): ...\n"
        "h_ = inplace(h)\n"
    )
    create(memory)
    paths = {"torch/_refs/__init__.py": maker, "torch/_refs/special.py": user, "a.cpp": ""}
    for identity, (path, text) in enumerate(paths.items(), 1):
        memory.execute("INSERT INTO source_files VALUES (?, ?, 'python', 0, '')", (identity, path))
        write_registrations(memory, identity, read_python(path, text.encode()))
    run_link(memory)
    assert memory.execute(
        "SELECT operator, kernel, line FROM registrations WHERE file_id = 2 ORDER BY line, id"
    ).fetchall() == [
        ("aten::special_f", "torch._refs.special.f", 4),
        ("aten::g", "torch._refs.special.g", 6),
        ("aten::h", "torch._refs.special.h", 8),
        ("aten::h_", "torch._refs.special.h", 10),
    ]


def test_a_schema_handed_on_to_another_file_is_followed(memory: sqlite3.Connection) -> None:
    prims = (
        "import torch\n"
        "from torch._prims_common import RETURN_TYPE\n"
        "x = {}\n"
        "lib = torch.library.Library('prims', 'IMPL', 'CompositeExplicitAutograd')\n"
        "def _make_prim(*, schema, return_type, meta, impl_aten):\n"
        "    def _prim_impl(*args): ...\n"
        "    name = schema.split('(')[0]\n"
        "    if not torch._C.is_functional_schema(torch._C.parse_schema(schema)):\n"
        "        lib.define(schema)\n"
        "        lib.impl(name, _prim_impl)\n"
        "        return\n"
        "    made = torch.library.custom_op(\n"
        "        'prims::' + name, _prim_impl, mutates_args=(), schema=schema[len(name):])\n"
        "    made.register_fake(meta)\n"
        "    if return_type == RETURN_TYPE.VIEW:\n"
        "        made._lib.impl(name, torch.library.fallthrough_kernel, 'Conjugate')\n"
    )
    user = (
        "from torch import _prims\n"
        "def make_prim(schema, impl, return_type=_prims.RETURN_TYPE.NEW):\n"
        "    def meta(*args): ...\n"
        "    return _prims._make_prim(\n"
        "        schema=schema, return_type=return_type, meta=meta, impl_aten=impl)\n"
        "seed = make_prim('seed(Device device) -> Tensor', lambda device: 1)\n"
        "put_ = make_prim('put_(Tensor(a!) self) -> Tensor(a!)', lambda self: self)\n"
        "direct = _prims._make_prim(\n"
        "    schema='direct(Tensor a) -> Tensor', return_type=_prims.RETURN_TYPE.NEW, meta=None, impl_aten=None)\n"
    )
    create(memory)
    paths = {"torch/_prims/__init__.py": prims, "torch/_inductor/inductor_prims.py": user}
    for identity, (path, text) in enumerate({**paths, "a.cpp": ""}.items(), 1):
        memory.execute("INSERT INTO source_files VALUES (?, ?, 'python', 0, '')", (identity, path))
        write_registrations(memory, identity, read_python(path, text.encode()))
    run_link(memory)
    rows = memory.execute(
        "SELECT operator, dispatch_key, kernel, line, block_file_id, block_line FROM registrations"
        " WHERE file_id = 2 AND kernel IS NOT NULL ORDER BY line, id"
    ).fetchall()
    impl = "torch._prims._make_prim.<locals>._prim_impl"
    autograd = "torch._library.autograd.make_autograd_impl"
    assert [row for row in rows if row[2] == autograd] == [
        ("prims::seed", "Autograd", autograd, 6, 2, 6),
        ("prims::direct", "Autograd", autograd, 8, 2, 8),
    ]
    assert [row for row in rows if row[2] != autograd] == [
        ("prims::seed", "CompositeExplicitAutograd", impl, 6, 2, 6),
        ("prims::seed", "Meta", "torch._inductor.inductor_prims.make_prim.<locals>.meta", 6, 2, 6),
        ("prims::put_", "CompositeExplicitAutograd", impl, 7, 1, 4),
        ("prims::direct", "CompositeExplicitAutograd", impl, 8, 2, 8),
    ]
    keys = memory.execute(
        "SELECT dispatch_key FROM registrations WHERE operator = 'prims::seed' AND kind = 'impl'"
    )
    assert sorted(key for (key,) in keys) == ["Autograd", "CompositeExplicitAutograd", "Meta"]
    defined = memory.execute("SELECT operator FROM registrations WHERE kind = 'def' ORDER BY line")
    assert [name for (name,) in defined] == ["prims::seed", "prims::put_", "prims::direct"]


def test_a_kernel_that_is_taken_out_of_the_table_of_decompositions(
    memory: sqlite3.Connection,
) -> None:
    conn = database(memory, "")
    files = {
        "torch/_decomp/decompositions.py": (
            "import torch\n"
            "from torch._decomp import register_decomposition\n"
            "@register_decomposition(torch.ops.aten.addr)\n"
            "def addr(a): ...\n"
        ),
        "torch/_functorch/vmap.py": (
            "import torch\n"
            "from torch._decomp import decomposition_table\n"
            'LIB = torch.library.Library("aten", "IMPL", "FuncTorchBatched")\n'
            "def take(decomp):\n"
            "    LIB.impl(decomp, decomposition_table[decomp])\n"
            "take(torch.ops.aten.addr.default)\n"
            "take(torch.ops.aten.unknown.default)\n"
        ),
    }
    for identity, (path, text) in enumerate(files.items(), 10):
        conn.execute("INSERT INTO source_files VALUES (?, ?, 'python', 0, '')", (identity, path))
        write_registrations(conn, identity, read_python(path, text.encode()))
    run_link(conn)
    rows = conn.execute(
        "SELECT operator, kernel, kernel_form, kernel_file_id, kernel_line, line FROM registrations"
        " WHERE dispatch_key = 'FuncTorchBatched' ORDER BY id"
    ).fetchall()
    assert [tuple(row) for row in rows] == [
        ("aten::addr", "torch._decomp.decompositions.addr", "function", 10, 4, 6),
        ("aten::unknown", None, "unknown", None, None, 7),
    ]


def test_a_higher_order_operator_by_its_object(memory: sqlite3.Connection) -> None:
    conn = database(memory, "")
    files = {
        "torch/_higher_order_ops/scan.py": (
            "from torch._ops import HigherOrderOperator\n"
            "class ScanOp(HigherOrderOperator):\n"
            '    def __init__(self): super().__init__("scan")\n'
            "scan_op = ScanOp()\n"
        ),
        "torch/b.py": (
            "import torch\n"
            "from torch._C import DispatchKey\n"
            "from torch._decomp import register_decomposition\n"
            "from torch._higher_order_ops import scan_op as shown\n"
            "from torch._higher_order_ops.scan import scan_op as own\n"
            "@own.py_impl(DispatchKey.CPU)\n"
            "def on_cpu(x): ...\n"
            "@shown.py_impl(DispatchKey.CUDA)\n"
            "def on_cuda(x): ...\n"
            "@register_decomposition(torch.ops.higher_order.scan)\n"
            "def decomposed(x): ...\n"
        ),
    }
    for identity, (path, text) in enumerate(files.items(), 3):
        conn.execute("INSERT INTO source_files VALUES (?, ?, 'python', 1, '')", (identity, path))
        write_registrations(conn, identity, list(read_python(path, text.encode())))
    run_link(conn)
    assert conn.execute("SELECT name, schema, origin, line FROM operators").fetchall() == [
        ("higher_order::scan", None, "library", 2)
    ]
    # activate_meta leaves higher-order operators out: the decomposition is no Meta kernel.
    assert conn.execute("SELECT dispatch_key, kernel, line FROM dispatch").fetchall() == [
        ("CPU", "torch.b.on_cpu", 6),
        ("CUDA", "torch.b.on_cuda", 8),
    ]
