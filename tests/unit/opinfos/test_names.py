"""What OpInfos are called whose classes make or fill in the name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed

_CORE = "torch/testing/_internal/opinfo/core.py"
_DB = "torch/testing/_internal/common_methods_invocations.py"
_TREE = {
    "aten/src/ATen/native/native_functions.yaml": "- func: pack(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
}
_POST = "    def __post_init__(self):\n        name = self.name\n        self.name = f'_foreach_{name}'\n"


@pytest.mark.parametrize(
    ("body", "call", "name"),
    [
        # torch/testing/_internal/opinfo/core.py of 2.8, 2.0 and 2.3
        (_POST, "MadeInfo('pack')", "_foreach_pack"),
        (
            "    def __init__(self, name, **kwargs):\n        super().__init__('_foreach_' + name, **kwargs)\n",
            "MadeInfo('pack')", "_foreach_pack",
        ),
        (
            "    def __init__(self, name, **kwargs):\n        super().__init__(name='_foreach_' + name, **kwargs)\n",
            "MadeInfo(name='pack')", "_foreach_pack",
        ),
        # torch/testing/_internal/common_methods_invocations.py of 1.12
        (
            "    def __init__(self, variant_test_name):\n"
            "        super(MadeInfo, self).__init__('pack', variant_test_name=variant_test_name)\n",
            "MadeInfo(variant_test_name='one')", "pack.one",
        ),
        ("    def __init__(self, name):\n        super().__init__(name)\n", "MadeInfo('pack')", "pack"),
        ("    def __init__(self, name):\n        super().__init__(f(name))\n", "MadeInfo('pack')", "pack"),
    ],
)  # fmt: skip
def test_the_name_that_a_class_makes(tmp_path: Path, body: str, call: str, name: str) -> None:
    files = {
        **_TREE,
        _CORE: f"class OpInfo:\n    pass\n\n\nclass MadeInfo(OpInfo):\n{body}",
        _DB: f"from torch.testing._internal.opinfo.core import MadeInfo\nop_db = [{call}]\n",
    }
    with indexed(files, tmp_path) as conn:
        (row,) = conn.execute("SELECT name, variant FROM v_opinfos").fetchall()
    assert ".".join(filter(None, row)) == name


def test_an_entry_is_of_the_operator_that_it_calls(tmp_path: Path) -> None:
    """As `OpInfo("torch.ops.aten._safe_softmax.default", …)` and `OpInfo("torch._scaled_mm", …)` are."""
    files = {
        **_TREE,
        "aten/src/ATen/native/native_functions.yaml": "- func: pack(Tensor self) -> Tensor\n"
        "- func: _safe(Tensor self) -> Tensor\n",
        _CORE: "class OpInfo:\n    pass\n",
        _DB: "import torch\nfrom torch.testing._internal.opinfo.core import OpInfo\nop_db = [\n"
        "    OpInfo('torch.ops.aten._safe.default'),\n"
        "    OpInfo('Packing', op=torch.ops.aten.pack),\n"
        "    OpInfo('pack', op=torch.ops.aten._safe),\n"
        "    OpInfo('nothing', op=lambda x: torch.ops.aten.pack(x)),\n]\n",
    }
    with indexed(files, tmp_path) as conn:
        rows = conn.execute(
            "SELECT o.name, p.base FROM opinfos AS o JOIN opinfo_operators AS p ON p.opinfo_id = o.id ORDER BY o.id"
        )
        assert [tuple(row) for row in rows] == [
            ("torch.ops.aten._safe.default", "_safe"),
            ("Packing", "pack"),
            ("pack", "pack"),
        ]
