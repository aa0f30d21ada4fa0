"""What one C++ file binds to Python: pybind11's calls, method tables, types and modules."""

from __future__ import annotations

from collections.abc import Iterator

from indexer.extract.cpp.method_tables import method_tables
from indexer.extract.cpp.owners import Variables
from indexer.extract.cpp.pybind import pybind
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.bindings import BindingFact

_PYBIND = (b"py::", b"pybind11::", b"PYBIND11_MODULE", b"class_<")
_TABLES = (
    b"PyMethodDef",
    b"PyGetSetDef",
    b"PyMemberDef",
    b"PyModule_AddObject",
    b"PyTypeObject",
    b"PyModuleDef",
)


def bindings(unit: CppUnit) -> Iterator[BindingFact]:
    """Every name bound to Python in a file, and what tells where in Python the names are.

    Args:
        unit: the file; its syntax tree is not used.
    """
    data = unit.data
    has_tables = b"Py" in data and any(sign in data for sign in _TABLES)
    if has_tables or any(sign in data for sign in _PYBIND):
        variables = Variables(unit.path, data, unit.text)
        yield from pybind(unit, variables)
        if has_tables:
            yield from method_tables(unit, variables)
