"""Which qualifiers an operator's name may have: `at::sort` means aten::sort, and `thrust::sort` does not."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from torchtalk.sqlfile import statements

_HERE = Path(__file__).parent
_SEPARATOR = "::"
# torchgen/gen.py writes an operator's functions into at::, at::symint::, at::_ops:: and at::redispatch::, and its
# methods into at::Tensor (templates Functions.h, Operators.h, RedispatchFunctions.h, TensorBody.h); its kernels stand
# in at::native, often called with the operator's own name.
_GENERATED = ("at", "at::symint", "at::_ops", "at::redispatch", "at::Tensor", "at::native")
# tools/autograd/templates/variable_factories.h has factories in torch::, and `using namespace at` gives it the others
# (torch/csrc/api/include/torch/types.h); torch/nn/functional below it mirrors torch.nn.functional.
_FRONTEND = ("torch", "torch::Tensor", "torch::nn::functional", "torch::nn")
_SHORT = ("native", "Tensor", "_ops", "F")


def may_hold_operators(conn: sqlite3.Connection, name: str) -> bool:
    """Whether a name is one by which an operator may be meant, as far as what stands before its last `::` tells.

    The functions for one dispatch key stand in `at::cpu`, `at::cuda` and so on (torchgen/gen.py, CPUFunctions.h and its
    like), those of a `python_module` in `torch::linalg` and the like (torch/csrc/api/include/torch/linalg.h).

    Args:
        conn: an index.
        name: as it is asked for, with a leading `::` or without.

    Returns:
        True of a name without `::`; False of one at file scope (`::sort`), where no operator has functions.
    """
    is_full = name.startswith(_SEPARATOR)
    scope, colons, _ = name.removeprefix(_SEPARATOR).rpartition(_SEPARATOR)
    if not colons:
        return not is_full
    if scope in (*_GENERATED, *_FRONTEND) or (scope in _SHORT and not is_full):
        return True
    namespaces = statements(_HERE / "names.sql")["namespaces"]
    if scope in {row["namespace"] for row in conn.execute(namespaces)}:
        return True
    outer, _, inner = scope.rpartition(_SEPARATOR)
    sql = statements(_HERE / "operator_scopes.sql")
    asked = {"at": "is_key", "torch": "is_python_module"}.get(outer)
    return asked is not None and conn.execute(sql[asked], {"name": inner}).fetchone() is not None
