"""Functions and methods that are run as tests, and those that are only named so."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: t(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "version.txt": "2.6.0\n",
    "test/conftest.py": "import pytest\n@pytest.fixture()\ndef shared():\n    return 1\n",
    "test/run_test.py": (
        "import pytest\n"
        "def test_distributed(test_module, options):\n    pass\n"
        "def test_annotated(test_module: str) -> None:\n    pass\n"
        "def test_plain():\n    pass\n"
        "def test_default(x=1, *args, **kwargs):\n    pass\n"
        "def test_built_in(tmp_path, monkeypatch: object) -> None:\n    pass\n"
        "def test_fixture(shared, *, own):\n    pass\n"
        "@pytest.mark.parametrize('x', [1])\ndef test_parametrized(x):\n    pass\n"
        "@pytest.fixture\ndef own():\n    return 1\n"
    ),
}

_METHODS = {
    **{path: text for path, text in _FILES.items() if path != "test/run_test.py"},
    "torch/testing/_internal/common_nn.py": (
        "class ModuleTest:\n    def test_cuda(self, test_case):\n        pass\n"
        "    def test_noncontig(self, test_case, module: str = 'x'):\n        pass\n"
    ),
    "torch/testing/_internal/rpc_test.py": (
        "class RpcTest:\n    def test_plain(self) -> None:\n        pass\n"
        "    def test_helped(self, other):\n        pass\n"
        "    @dist_init\n    def test_decorated(self, other):\n        pass\n"
    ),
}


def test_what_pytest_cannot_call_is_no_test(tmp_path: Path) -> None:
    with indexed(_FILES, tmp_path) as conn:
        names = [row[0] for row in conn.execute("SELECT test FROM v_tests ORDER BY line")]
    assert names == [
        "test_plain", "test_default", "test_built_in", "test_fixture", "test_parametrized",
    ]  # fmt: skip


def test_what_other_tests_call_is_no_test(tmp_path: Path) -> None:
    with indexed(_METHODS, tmp_path) as conn:
        names = [
            tuple(row) for row in conn.execute("SELECT class, test FROM v_tests ORDER BY line")
        ]
        classes = [row[0] for row in conn.execute("SELECT name FROM test_classes")]
    assert names == [("RpcTest", "test_plain"), ("RpcTest", "test_decorated")]
    assert classes == ["RpcTest"]
