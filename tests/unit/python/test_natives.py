"""What C++ binds for Python: by the generator's rules in a tree, by stubs in an installed package."""

from __future__ import annotations

import pytest

from tests.unit.support.python_sources import YAML, index
from tests.unit.support.python_torch import OPERATORS, RULES, index_torch, operators_of


@pytest.mark.parametrize(
    ("api", "operators"),
    [
        ("torch.relu", {"aten::relu": "binding"}),
        ("torch.Tensor.relu", {"aten::relu": "binding"}),
        ("torch.add", {"aten::add.Tensor": "binding", "aten::add.out": "binding"}),
        ("torch.Tensor.add", {"aten::add.Tensor": "binding"}),
        ("torch.Tensor.__add__", {"aten::add.Tensor": "binding"}),
        ("torch._C._nn.gelu", {"aten::gelu": "binding"}),
        ("torch.gelu", {}),
        ("torch.relu_backward", {}),
        ("torch.nonzero", {}),
        (
            "torch.Tensor.nonzero",
            {"aten::nonzero": "handwritten", "aten::nonzero_numpy": "handwritten"},
        ),
        ("torch.Tensor.not_this", {}),
        ("torch.Tensor.__float__", {"aten::relu": "handwritten"}),
        ("torch.Tensor.high", {"aten::top": "handwritten"}),
        (
            "torch.Tensor.tolist",
            {f"aten::{name}": "handwritten" for name in ("relu", "add.Tensor", "add.Scalar")},
        ),
        ("torch.ops.aten.relu_backward", {"aten::relu_backward": "ops"}),
    ],
)
def test_bindings_follow_the_generators_rules(api: str, operators: dict[str, str]) -> None:
    assert operators_of(index_torch({}), api) == operators


def test_an_installed_package_is_read_by_its_stubs() -> None:
    conn = index(
        {
            YAML: OPERATORS,
            "torch/__init__.py": "",
            "torch/_C/_VariableFunctions.pyi": "def relu(input): ...\ndef tensor(data): ...\n",
            "torch/_C/__init__.pyi": "class TensorBase:\n    def relu(self): ...\n"
            "    def __add__(self, other): ...\n    def nonzero(self): ...\n",
            "torch/f.py": "import torch\ndef f(x): return torch._VF.top(x)\n",
            "torch/_VF.py": "",
        }
    )
    assert set(operators_of(conn, "torch.relu")) == {"aten::relu"}
    names = {name for (name,) in conn.execute("SELECT api FROM v_python_api")}
    # The stub has what torch/__init__.py takes from elsewhere, too: torch.tensor is there, torch._VF.tensor unsure.
    assert {"torch.relu", "torch.tensor", "torch._VF.relu"} <= names
    assert "torch._VF.tensor" not in names
    assert operators_of(conn, "torch.top") == {}
    assert set(operators_of(conn, "torch.f.f")) == {"aten::top"}
    assert set(operators_of(conn, "torch.Tensor.__add__")) == set()


@pytest.mark.parametrize(
    ("method", "operator"),
    [
        ("__add__", "add.Tensor"), ("__radd__", "add.Tensor"), ("__iadd__", "add_.Tensor"),
        ("__rand__", "bitwise_and"), ("__index__", "item"), ("__complex__", "item"),
        ("__nonzero__", "is_nonzero"), ("__bool__", "is_nonzero"), ("__invert__", "bitwise_not"),
    ],
)  # fmt: skip
def test_a_stubs_method_that_syntax_calls_runs_what_the_template_binds(
    method: str, operator: str
) -> None:
    """tools/autograd/templates/python_variable_methods.cpp, whatever operators are called like the method."""
    names = ("rand", "index", "complex", "bitwise_and", "item", "is_nonzero", "bitwise_not")
    more = "".join(
        f"- func: {name}(Tensor self) -> Tensor\n  variants: function, method\n\n" for name in names
    )
    conn = index(
        {
            YAML: more + OPERATORS,
            "tools/autograd/gen_python_functions.py": RULES,
            "torch/__init__.py": "from torch._tensor import Tensor\n",
            "torch/_tensor.py": "from torch import _C\nclass Tensor(_C.TensorBase): pass\n",
            "torch/_C/__init__.pyi": "class TensorBase:\n    def add(self, other): ...\n"
            f"    def {method}(self, *others): ...\n",
        }
    )
    assert set(operators_of(conn, f"torch.Tensor.{method}")) == {f"aten::{operator}"}


def test_what_gives_no_tensor_is_followed_no_further() -> None:
    """`torch.is_grad_enabled() != x` compares no tensors, and neither does `torch.numel(x) + 1`."""
    conn = index(
        {
            YAML: OPERATORS,
            "torch/__init__.py": "from torch._tensor import Tensor\n",
            "torch/_tensor.py": "from torch import _C\nclass Tensor(_C.TensorBase): pass\n",
            "torch/_C/_VariableFunctions.pyi": "def relu(input): ...\ndef enabled() -> _bool: ...\n"
            "def made() -> Tensor: ...\ndef numel(input): ...\n",
            "torch/_C/__init__.pyi": "class TensorBase:\n    def add(self): ...\n    def numel(self): ...\n"
            "    def __add__(self, other): ...\n",
            "torch/f.py": "import torch\nfrom torch import Tensor\n"
            "def a(x: Tensor): return torch.enabled() + 1\ndef b(x: Tensor): return torch.numel(x) + 1\n"
            "def c(x: Tensor): return torch.made() + 1\n",
        }
    )
    found = [set(operators_of(conn, f"torch.f.{name}")) for name in "abc"]
    assert found == [{None}, {None}, {"aten::add.Tensor", "aten::add.Scalar"}]


def test_a_stubs_class_that_is_not_the_tensors_has_no_operators() -> None:
    conn = index(
        {
            YAML: OPERATORS,
            "torch/__init__.py": "",
            "torch/_C/_VariableFunctions.pyi": "def top(input): ...\n",
            "torch/_C/__init__.pyi": "class _TensorBase:\n    def relu(self): ...\n"
            "class Size:\n    def __add__(self, other): ...\n    def relu(self): ...\n",
            "torch/_C/_c10d.pyi": "def gelu(x): ...\nclass Store:\n    def add(self, n): ...\n",
        }
    )
    natives = {name for (name,) in conn.execute("SELECT name FROM python_natives")}
    assert {name for name in natives if ".Size." in name or "c10d" in name} == set()
    # The old name of the tensor's class is that class: what it does not list is left out.
    tensor = {name for name in natives if "TensorBase" in name}
    assert tensor == {"torch._C.TensorBase.relu"}


def test_a_stubs_properties_call_what_their_getters_call() -> None:
    """Those of torch/csrc/autograd/python_variable.cpp; `data` is not the operator of its name."""
    properties = (
        "- func: numpy_T(Tensor(a) self) -> Tensor(a)\n  variants: method\n\n"
        "- func: data(Tensor self) -> Tensor\n  manual_cpp_binding: True\n  variants: method\n\n"
    )
    conn = index(
        {
            YAML: properties + OPERATORS,
            "torch/__init__.py": "from torch._tensor import Tensor\n",
            "torch/_tensor.py": "from torch import _C\nclass Tensor(_C.TensorBase): pass\n",
            "torch/_C/_VariableFunctions.pyi": "def relu(input): ...\n",
            "torch/_C/__init__.pyi": "class TensorBase:\n    T: Tensor\n    data: Tensor\n"
            "    is_cuda: _bool\n    def relu(self): ...\nclass Node:\n    T: int\n",
            "torch/f.py": "from torch import Tensor\ndef f(x: Tensor, y: Tensor):\n"
            "    z = x.T\n    return z.relu() @ y.data\n",
        }
    )
    assert operators_of(conn, "torch.Tensor.T") == {"aten::numpy_T": "stub"}
    rows = conn.execute("SELECT api, operator, via FROM v_python_api WHERE operator IS NULL")
    assert {row["api"]: row["via"] for row in rows if row["api"].startswith("torch.Tensor.")} == {
        "torch.Tensor.data": "C++ without an operator",
        "torch.Tensor.is_cuda": "C++ without an operator",
    }
    places = conn.execute("SELECT file, line FROM v_python_api WHERE api = 'torch.Tensor.data'")
    assert [*map(tuple, places)] == [("torch/_C/__init__.pyi", 3)]
    assert set(operators_of(conn, "torch.f.f")) == {"aten::numpy_T", "aten::relu"}
    lines = conn.execute("SELECT name, line FROM python_natives WHERE line IS NOT NULL")
    assert dict(lines.fetchall()) == {
        "torch._C.TensorBase.T": 2, "torch._C.TensorBase.data": 3,
        "torch._C.TensorBase.is_cuda": 4,
    }  # fmt: skip


def test_indexing_by_a_stub_calls_what_the_header_of_indexing_calls() -> None:
    operators = "\n".join(
        f"- func: {name}(Tensor self) -> Tensor\n  variants: function, method\n"
        for name in ("relu", "index", "select")
    )
    conn = index(
        {
            YAML: operators,
            "torch/include/ATen/TensorIndexing.h": """
static inline Tensor applySelect(const Tensor& self) {
  return self.select(0);
}
static inline Tensor get_item(const Tensor& self) {
  return self.index(applySelect(self));
}
""",
            "torch/_C/__init__.pyi": "class TensorBase:\n    def __getitem__(self, i): ...\n    def relu(self): ...\n",
            "torch/__init__.py": "from torch._tensor import Tensor\n",
            "torch/_tensor.py": "from torch import _C\nclass Tensor(_C.TensorBase):\n    pass\n",
        }
    )
    assert set(operators_of(conn, "torch.Tensor.__getitem__")) == {"aten::index", "aten::select"}
    assert set(operators_of(conn, "torch.Tensor.relu")) == {"aten::relu"}


def test_a_method_that_the_tensor_s_header_writes_runs_what_its_body_calls() -> None:
    """`manual_cpp_binding`: aten/src/ATen/templates/TensorBody.h has `conj`, which may call `_conj`."""
    operators = (
        "- func: conj(Tensor(a) self) -> Tensor(a)\n  variants: function, method\n  manual_cpp_binding: True\n\n"
        "- func: _conj(Tensor(a) self) -> Tensor(a)\n  variants: function, method\n\n"
        "- func: plain(Tensor self) -> Tensor\n  variants: function, method\n"
    )
    conn = index(
        {
            YAML: operators,
            "torch/__init__.py": "",
            "aten/src/ATen/templates/TensorBody.h": "class Tensor {\n"
            "  Tensor conj() const {\n    return this->_conj();\n  }\n"
            "  Tensor plain() const {\n    return this->_conj();\n  }\n};\n",
        }
    )
    assert set(operators_of(conn, "torch.conj")) == {"aten::conj", "aten::_conj"}
    assert set(operators_of(conn, "torch.plain")) == {"aten::plain"}
