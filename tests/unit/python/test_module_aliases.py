"""Modules that a package puts below itself under another name."""

from __future__ import annotations

import pytest

from tests.unit.support.python_torch import index_torch

_STORES = {
    "a loop over a list": """\
names = ["spin", "dye"]
for name in names:
    full = f"torch.yarn.{name}"
    sys.modules[f"torch.old.{name}"] = import_module(full)
""",
    "one by one": """\
sys.modules["torch.old.spin"] = importlib.import_module("torch.yarn.spin")
sys.modules[__name__ + ".dye"] = compute()
sys.modules[f"{__name__}.dye"] = torch.yarn.dye
sys.modules["elsewhere.dye"] = torch.yarn.other
sys.modules[compute()] = torch.yarn.other
""",
}


@pytest.mark.parametrize("how", _STORES)
def test_what_is_imported_from_them_is_what_they_have(how: str) -> None:
    conn = index_torch(
        {
            "torch/yarn/__init__.py": "",
            "torch/yarn/spin/__init__.py": "def top(): ...\n",
            "torch/yarn/spin/fast.py": "def wheel(): ...\n",
            "torch/yarn/dye.py": "def red(): ...\n",
            "torch/yarn/other.py": "def red(): ...\n",
            "torch/old/__init__.py": f"import importlib, sys, torch\n{_STORES[how]}",
            "torch/user.py": (
                "from torch.old.spin.fast import wheel\nfrom torch.old.spin import top\nimport torch.old.dye\n"
                "def use():\n    wheel()\n    top()\n    torch.old.dye.red()\n"
            ),
        }
    )
    rows = conn.execute(
        "SELECT DISTINCT c.line, m.name || '.' || called.name FROM python_calls AS c"
        " JOIN python_functions AS caller ON caller.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS called ON called.id = r.function_id"
        " JOIN python_modules AS m ON m.id = called.module_id WHERE caller.name = 'use' ORDER BY 1"
    )
    assert [tuple(row) for row in rows] == [
        (5, "torch.yarn.spin.fast.wheel"),
        (6, "torch.yarn.spin.top"),
        (7, "torch.yarn.dye.red"),
    ]
