"""The tables of decompositions that PyTorch itself has, by the names that the index knows them by."""

from __future__ import annotations

import re

INDUCTOR_TABLE = "torch._inductor.decomposition.decompositions"
"""What Inductor decomposes (torch/_inductor/decomposition.py)."""

CHOSEN_TABLE = "torch._inductor.decomposition.select_decomp_table()"
"""What AOTAutograd is given of Inductor: its own table, and others that this adds to it (the same file)."""

POST_AUTOGRAD_TABLE = "torch._decomp._core_aten_decompositions_post_autograd()"
"""What is decomposed into core ATen (torch/_decomp/__init__.py)."""

GLOBAL_TABLE = re.compile(r"torch\._decomp\.global_decomposition_table\[(\w+)\]$")
"""One of those that `register_decomposition` fills, by its type (torch/_decomp/__init__.py)."""
