"""Where imports of scripts and tests lead: to what stands beside them, without its folder's name.

`python test/functorch/test_vmap.py` has that folder first on `sys.path`, so `from common_utils import skipOps` is of
test/functorch/common_utils.py (the tutorial's section 6.1.2). Others put test/ itself there (`sys.path.append(
pytorch_test_dir)` of test/jit/test_hooks.py), as pytest does and test/run_test.py, which runs them from there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

PACKAGES = frozenset(("torch", "torchgen", "functorch", "caffe2"))
"""Folders of the tree that are packages, which setup.py has: nothing of them is defined anywhere else."""
# What else tests import most, of which no row need be kept; no folder of PyTorch's has a module of these names.
_INSTALLED = frozenset(
    "expecttest hypothesis matplotlib numpy onnx onnxruntime onnxscript pandas parameterized psutil pytest scipy sympy"
    " tabulate torchvision tqdm transformers triton typing_extensions yaml".split()
)
_ELSEWHERE = PACKAGES | sys.stdlib_module_names | _INSTALLED


def beside(module: str, is_package: bool, name: str) -> str:
    """The module that a script imports by a name without dots before it, as far as the names tell.

    Args:
        module: dotted name of the one that the statement stands in, its folders taken for packages.
        is_package: that is an `__init__.py`.
        name: as written: `common_utils`, `jit.test_hooks_modules`.

    Returns:
        It with the folder, whether or not there is such a module: `test.functorch.common_utils`. As written where it
        is of a package, or begins at the root of the tree.
    """
    root = name.partition(".")[0]
    folders = module.split(".") if is_package else module.split(".")[:-1]
    if not folders or root in _ELSEWHERE or root == folders[0] or folders[0] in PACKAGES:
        return name
    # `jit.mydecorator` of a file in test/jit: from above that folder. A name alone is of what stands in it, as
    # benchmarks/operator_benchmark/operator_benchmark.py does.
    above = folders.index(root) + (root == name) if root in folders else len(folders)
    return ".".join((*folders[:above], name))


def outer(name: str) -> Iterator[str]:
    """What a name that `beside` gave may mean where nothing stands there: the same in a folder above.

    Args:
        name: test.onnx.dynamo.onnx_test_common

    Yields:
        The names with fewer folders, the nearest first: test.onnx.onnx_test_common, test.onnx_test_common.
    """
    parts = name.split(".")
    if parts[0] not in PACKAGES:
        for left_out in range(1, len(parts) - 1):
            for at in range(len(parts) - 1 - left_out, 0, -1):
                yield ".".join((*parts[:at], *parts[at + left_out :]))
