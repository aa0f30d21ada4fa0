"""Facts about what C++ gives to Python: pybind11, `PyMethodDef` tables and their kin, and operators that it names.

Where something is bound is told by an owner: a node of a small graph that linking resolves to a dotted path.

    py:torch._C            a path
    arg:ns::f#0            a parameter of a function
    type:THPDtypeType      a PyTypeObject
    table:ns::methods      an array of PyMethodDef, PyGetSetDef or PyMemberDef
    call:ns::f             what a function returns
    def:<file>:<name>      a PyModuleDef; `vec:` a vector of PyMethodDef; `class:` a class bound under a name
    lambda                 no owner: in this line a lambda ends that is bound, and no other binding comes behind it
"""

from __future__ import annotations

from typing import NamedTuple


class Binding(NamedTuple):
    """One name that Python sees.

    Args:
        name: the last part of its path; "" for entries that are generated (`${py_method_defs}`).
        owner: the node it belongs to, see above; "" if not known.
        cpp_name: as written, without `&`, casts and wrappers, but with the parameters of a cast to a function's pointer
            in brackets behind it; the enclosing function's name and `::lambda` for a lambda; what is generated for a
            template's placeholder.
        scope: the namespaces and classes it stands in.
        form: what it is: function, method, static_method, property, property_static, field, value, class, enum,
            submodule, attribute, type, method_table, getset (its getter), setter, member (of an object by
            PyMemberDef, or a value that a helper puts into a module), slot (what Python runs for `T(…)` or `x[i]`),
            generated.
        file: relative to the tree.
        line: 1-based.
    """

    name: str
    owner: str
    cpp_name: str
    scope: str
    form: str
    file: str
    line: int


class OwnerLink(NamedTuple):
    """A node of the owners' graph is another one, or a member of it.

    Args:
        node: what is told about.
        parent: another node; for `call:` and `table:` as written in `scope`.
        name: the member's name; "" where the two are the same object.
        scope: the namespaces around, from which names in `node` and `parent` are looked up.
        file: relative to the tree.
        line: 1-based.
    """

    node: str
    parent: str
    name: str
    scope: str
    file: str
    line: int


class OperatorHandle(NamedTuple):
    """The dispatcher is asked for the handle of an operator: what runs it by that, Python may see as a function.

    Args:
        operator: in full: c10d::allreduce_.
        line: 1-based.
    """

    operator: str
    line: int


BindingFact = Binding | OwnerLink | OperatorHandle
