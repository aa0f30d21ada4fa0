"""What is known of templates whose source is no part of the tree: the standard library's, and c10's of their kind."""

from __future__ import annotations

import re

POINTERS = re.compile(
    r"(?:.*::)?(?:shared_ptr|unique_ptr|intrusive_ptr|weak_ptr|weak_intrusive_ptr|optional|reference_wrapper|MaybeOwned|\w+Ptr)"
)
"""Templates whose `->` leads to their first argument: the standard library's, c10's and what is named like them."""

VALUES = frozenset(("get", "value", "value_or", "lock", "release", "toStrongRef"))
"""Methods of these that give what they hold."""

STRONG = {"weak_ptr": "std::shared_ptr", "weak_intrusive_ptr": "c10::intrusive_ptr"}
"""What those that are weak give by `lock()` ([util.smartptr.weak.obs])."""

CASTS = frozenset(
    "static_cast dynamic_cast const_cast reinterpret_cast make_shared make_unique static_pointer_cast"
    " dynamic_pointer_cast any_cast checked_static_cast".split()
)
"""What gives its template argument ([expr.static.cast], [util.smartptr.shared.create]) or a pointer to it."""

BY_TYPE = frozenset(("std::get", "std::get_if", "py::cast", "pybind11::cast"))
"""What gives the one of a variant or tuple that has a type ([variant.get], [tuple.elem]), or what an object of Python's
holds (pybind11/cast.h)."""

LISTS = frozenset(
    "vector ArrayRef SmallVector List array deque list set unordered_set initializer_list OptionalArrayRef"
    " MaterializedITensorListRef".split()
)
"""Containers of their first argument."""

MAPS = frozenset("map multimap unordered_map unordered_multimap flat_hash_map FastMap".split())
"""Those of pairs of their first two."""

PAIR, TUPLE = "std::pair", "std::tuple"
OF_PAIRS = {"first": 0, "second": 1}

ITERATORS = frozenset(("find", "begin", "rbegin", "cbegin", "crbegin"))
"""Methods of these that give what leads to an element by `->`."""

ELEMENTS = frozenset(("at", "front", "back", "top"))
"""Methods of the standard library's that give an element."""
