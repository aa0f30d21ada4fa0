"""What names mean in Python: functions, classes, methods and modules, and the operators behind them."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

from torchtalk.counted import few
from torchtalk.names.attributes import find_attribute, method_of_object
from torchtalk.names.closest import last_component
from torchtalk.names.cpp_names import CppNames
from torchtalk.names.forms import Form, modules_of
from torchtalk.names.imported import OWNERS, Spelling, assigned, spellings
from torchtalk.names.meaning import Resolution, Target
from torchtalk.names.methods import find_bound, find_method
from torchtalk.names.namesakes import in_full
from torchtalk.names.operator_names import OperatorNames
from torchtalk.names.options import options_called
from torchtalk.names.python_names import beside, internal, public

_MOST_ALSO = 8
_BINDING_MODULES = ("linalg", "fft", "special", "sparse", "nested")
BOUND_IN = frozenset((*OWNERS, *(f"torch.{module}" for module in _BINDING_MODULES)))
"""Where operators are bound in Python: `torch.nn.common_types.T` is no `aten::t`."""


class PythonNames(OperatorNames):
    """Finds them in an index.

    Args:
        conn: the index.
        query: as given.
        form: of the name in it.
    """

    def __init__(self, conn: sqlite3.Connection, query: str, form: Form) -> None:
        super().__init__(conn, query, form)
        self._cpp = CppNames(conn, query, form.text)

    def python(self) -> Resolution | None:
        """`torch.softmax`, `torch.Tensor.add_`, `torch.nn.functional.gelu`, `torch.linalg.det`."""
        api = self._form.text
        found = self._python_name()
        if found is not None:
            return found
        for spelling in spellings(self._conn, api):
            form = replace(self._form, text=spelling.name, base=last_component(spelling.name))
            found = PythonNames(self._conn, self._query, form)._python_name()
            if found is not None:
                return replace(found, notes=(spelling.said_of(api), *found.notes))
        found = self._attribute()
        if found is not None:
            return found
        made = assigned(self._conn, api)
        if made and not options_called(self._conn, made):
            return Resolution(self._query, Target("value", made), api=api)
        return self._module()

    def _attribute(self) -> Resolution | None:
        """`torch.backends.cudnn.benchmark`: what runs something where it is read or set."""
        api = self._form.text
        if find_attribute(self._conn, api) is not None:
            return Resolution(self._query, Target("attribute", api), api=api)
        method, note = method_of_object(self._conn, api) or ("", "")
        if not method:
            return None
        found = PythonNames(self._conn, self._query, replace(self._form, text=method))._method()
        return replace(found, notes=(note, *found.notes)) if found is not None else None

    def _module(self) -> Resolution | None:
        """`torch.random`, and by an import `torch.utils.checkpoint.torch`."""
        api = self._form.text
        for spelling in (Spelling(api), *spellings(self._conn, api)):
            if self._rows("module", name=spelling.name):
                notes = (spelling.said_of(api),) if spelling.name != api else ()
                return Resolution(self._query, Target("module", spelling.name), notes=notes)
        return None

    def _python_name(self) -> Resolution | None:
        """The same by this very name, whatever imports it."""
        api = self._form.text
        names = [row["name"] for row in self._rows("api", api=api)]
        if not names and api.startswith("torch._C."):
            names = [row["name"] for row in self._rows("native_operators", name=api)]
        # What an API is named after comes before what it calls besides.
        names.sort(key=self._unlike)
        if names:
            packets = dict.fromkeys(name.partition(".")[0] for name in names)
            note = "" if len(packets) == 1 else f"{api} reaches {', '.join(packets)}"
            target = Target("operator", next(iter(packets)), tuple(names))
            return Resolution(self._query, target, api=api, notes=(note,) if note else ())
        known = self._rows("api_known", api=api)
        rows = self._bound()
        if known and known[0]["function_id"] is None:
            return self._without_operator(api, rows)
        if rows and not known and self._rows("module", name=api):
            return Resolution(self._query, Target("module", api))
        if rows:
            # torch._C._nn has it; torch.nn has modules and packages.
            is_misplaced = not known and api.startswith("torch.nn.")
            note = f"{api} is no public name of this index; shown is the operator of that name"
            return self._found(rows, *([note] if is_misplaced else ()), api=api)
        rows = self._overloads(self._form.base, None, None)
        if rows and not known and api.startswith("torch.nn.functional."):
            return self._found(
                rows,
                f"{api} is a Python function that is not in the index; "
                "shown is the operator of the same name",
            )
        if known:
            return Resolution(self._query, Target("python", api), api=api)
        if self._rows("bound_in", names=json.dumps([api])):
            return Resolution(self._query, Target("binding", api), api=api)
        return self.python_class() or self._method() or self._defined() or self._object()

    def _object(self) -> Resolution | None:
        """An operator by the variable that holds it: `torch._higher_order_ops.cond.cond_op`, `torch._prims.abs`."""
        for row in self._rows("operator_object", name=self._form.text):
            namespace, _, base = row["operator"].partition("::")
            rows = self._overloads(base, namespace, None)
            if row["name"] == self._form.text and rows:
                said = f"{row['name']} is the object of {row['operator']}"
                if namespace != "higher_order":
                    # indexer/link/python/resolver.py (_made): `cos = make_prim("cos", impl_aten=torch.cos)`.
                    said += "; Python's calls of it are followed to what it is made of"
                return self._found(rows, said)
        return None

    def _without_operator(self, api: str, namesakes: list[sqlite3.Row]) -> Resolution:
        """What the index of public names says is bound in C++ and calls no operator."""
        owner, _, last = api.rpartition(".")
        names = [api, *(f"{known}.{last}" for known in OWNERS.get(owner, ()))]
        bound = self._rows("bound_in", names=json.dumps(names))
        target = Target("binding", bound[0]["name"] if bound else api)
        packets = dict.fromkeys(f"{row['namespace']}::{row['base']}" for row in namesakes)
        notes = tuple(
            f"an operator {packet} exists too, which {api} does not call" for packet in packets
        )
        return Resolution(self._query, target, api=api, notes=notes)

    def _defined(self) -> Resolution | None:
        """A function of Python that is no public name, or a kernel that is written in Python."""
        name = self._form.text
        modules = modules_of(name)
        kernel = self._cpp.kernel(name)
        if kernel is not None and kernel.target is not None and kernel.target.name == name:
            return kernel
        rows = self._rows("python_function", name=name, modules=modules)
        return Resolution(self._query, Target("internal", name), api=name) if rows else None

    def _method(self) -> Resolution | None:
        """`torch.nn.Linear.forward`, `Adam.step`."""
        found = find_method(self._conn, self._form.text)
        bound = find_bound(self._conn, self._form.text, found)
        if bound is not None:
            return self._of_base(bound)
        if found is None:
            return None
        notes = (f"{found.owner} inherits it",) if found.inherited else ()
        target = Target("method", found.name, class_id=found.owner_id if found.inherited else 0)
        return Resolution(self._query, target, api=found.name, notes=notes)

    def _of_base(self, bound: str) -> Resolution:
        """What a class has from a base that C++ fills."""
        owner, _, member = bound.rpartition(".")
        public = (name for name, owners in OWNERS.items() if owner in owners)
        api = f"{next(public, owner)}.{member}"
        note = f"{self._form.text.rpartition('.')[0]} inherits it: {api}"
        form = replace(self._form, text=api, base=member)
        found = PythonNames(self._conn, self._query, form)._python_name() if api != bound else None
        found = found or Resolution(self._query, Target("binding", bound), api=bound)
        return replace(found, notes=(note, *found.notes))

    def _unlike(self, name: str) -> int:
        """How far an operator's name is from the one asked for: 0 the same, 1 a part, 2 another."""
        base = name.partition("::")[2].partition(".")[0]
        if base.strip("_") == self._form.base.strip("_"):
            return 0
        return 1 if self._form.base in base else 2

    def _bound(self) -> list[sqlite3.Row]:
        module = self._form.text.removeprefix("torch.").rpartition(".")[0]
        module = module.removeprefix("_C.").removeprefix("_")
        base = self._form.base
        if module == "nn.functional":
            module = "nn"
        if module == "VariableFunctions":
            module = ""
        if module in _BINDING_MODULES:
            prefixed = base if base.startswith(f"{module}_") else f"{module}_{base}"
            return self._rows("binding", base=prefixed, module=module) or self._rows(
                "binding", base=base, module=module
            )
        if module in ("", "Tensor", "nn"):
            return self._rows("binding", base=base, module=module)
        return []

    def python_class(self) -> Resolution | None:
        """`torch.nn.Linear`."""
        rows = self._rows("class", name=self._form.text)
        if not rows:
            return None
        name = rows[0]["name"]
        notes = (f"{self._form.text} is another name of it",) if rows[0]["is_alias"] else ()
        return Resolution(self._query, Target("class", name), notes=notes)

    def _class_defined(self) -> Resolution | None:
        """`conv.Conv2d`: a class by the end of the name that it is defined with, a public one before others."""
        rows = self._rows("class_defined", ending=self._form.text)
        shown = [row["name"] for row in rows if row["is_public"] == rows[0]["is_public"]]
        if len(shown) > 1:
            return Resolution(self._query, candidates=tuple(shown))
        return Resolution(self._query, Target("class", shown[0])) if shown else None

    def _class_called(self) -> Resolution | None:
        """`CppVecKernel`: a class by its last part alone, which is no public name; tests' are looked for elsewhere."""
        name = self._form.text
        if name == name.lower() or not name.isidentifier():
            return None
        rows = self._rows("class_called", last=name)
        names = tuple(row["name"] for row in rows)
        if len(names) > 1:
            return Resolution(self._query, candidates=names)
        return Resolution(self._query, Target("class", names[0])) if names else None

    def _public(self, in_cpp: Resolution | None) -> Resolution | None:
        """A public function or class of Python that is known by the end of its name.

        Args:
            in_cpp: what C++ has under this name, which is told beside it.
        """
        chosen, names = public(self._conn, self._form.text)
        others = list(in_cpp.candidates) if in_cpp is not None else []
        if in_cpp is not None and in_cpp.target is not None:
            others = [in_full(in_cpp.target.name), *in_cpp.others]
        if chosen is None:
            return Resolution(self._query, candidates=(*names, *others)) if names else None
        also = [name for name in (*names, *others) if name != chosen]
        notes = (f"also of this name: {few(also, _MOST_ALSO)}",) if also else ()
        return self._in_full(chosen, notes)

    def _internal(self) -> Resolution | None:
        """A function of Python that is no public name, by the end of its name."""
        chosen, names = internal(self._conn, self._form.text)
        if chosen is None:
            return Resolution(self._query, candidates=names) if names else None
        return self._in_full(chosen, ())

    def _with_modules(self, found: Resolution | None) -> Resolution | None:
        """What is not public, or nothing, with the modules of torch that are called so."""
        names = [row["name"] for row in self._rows("module_ending", last=self._form.text)]
        if not names:
            return found
        if found is not None:
            note = f"also a module of Python: {few(names, _MOST_ALSO)}"
            return replace(found, notes=(*found.notes, note))
        if len(names) > 1:
            return Resolution(self._query, candidates=tuple(names))
        return Resolution(self._query, Target("module", names[0]))

    def _beside_internal(self, in_cpp: Resolution | None) -> Resolution | None:
        """What C++ has, with a word on Python's functions of the same name."""
        if in_cpp is None:
            return None
        names = beside(self._conn, self._form.text)
        if not names:
            return in_cpp
        if in_cpp.target is None:
            return replace(in_cpp, candidates=(*in_cpp.candidates, *names))
        note = f"also a function of Python: {few(names, _MOST_ALSO)}"
        return replace(in_cpp, notes=(*in_cpp.notes, note))

    def _in_full(self, name: str, notes: tuple[str, ...]) -> Resolution | None:
        form = Form("python", name, None, last_component(name))
        found = PythonNames(self._conn, self._query, form).python()
        return replace(found, notes=(*found.notes, *notes)) if found is not None else None
