"""The one resolver: exact before loose, ambiguity listed, nothing silently replaced."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

from torchtalk.counted import few
from torchtalk.names.closest import last_component
from torchtalk.names.cpp_names import CppNames
from torchtalk.names.files import written
from torchtalk.names.forms import Form, in_lower_case, module_called, parse
from torchtalk.names.imported import OWNERS, Spelling, assigned, spellings
from torchtalk.names.meaning import Resolution, Target
from torchtalk.names.methods import find_bound, find_method
from torchtalk.names.operator_names import OperatorNames
from torchtalk.names.python_names import beside, internal, public
from torchtalk.names.unknown import like_unknown, why_unknown
from torchtalk.names.written import plain
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_MOST_ALSO = 8
_BINDING_MODULES = ("linalg", "fft", "special", "sparse", "nested")
# `torch.nn.common_types.T` is no `aten::t`.
_BOUND_IN = frozenset((*OWNERS, *(f"torch.{module}" for module in _BINDING_MODULES)))


def resolve(conn: sqlite3.Connection, text: str, *, near: bool = True) -> Resolution:
    """Find what a name means.

    Args:
        conn: an index.
        text: in any of the forms people use: `softmax`, `torch.softmax`, `F.softmax`, `Tensor.add_`,
            `torch.ops.aten.add.Tensor`, `aten::add.Tensor`, `at::native::softmax`, `softmax_cpu_out`.
        near: look for names that are like it where it has no meaning, which takes longer than all else.

    Returns:
        Its meaning; without a target it says what the name could be, or what is like it.
    """
    sql = statements(_SQL)
    namespaces = frozenset(row[0] for row in conn.execute(sql["namespaces"]))
    form = parse(text, namespaces)
    finder = _Finder(conn, text, form) if form is not None else None
    found = finder.find() if finder is not None else None
    if found is not None:
        return found
    # A name as it is written comes before what is left of it without brackets.
    bare = plain(text)
    short = parse(bare, namespaces) if bare and bare != text.strip() else None
    found = _Finder(conn, text, short).find() if short is not None else None
    if found is not None:
        return replace(found, notes=(f"taken as {bare}", *found.notes))
    lower = in_lower_case(form.text) if form is not None else ""
    other = parse(lower, namespaces) if lower else None
    found = _Finder(conn, text, other).find() if other is not None else None
    if found is not None and found.target is not None:
        note = f"there is no {text.strip()}; {lower} differs in case only"
        return replace(found, notes=(note, *found.notes))
    found = finder.other_case() if finder is not None else None
    if found is not None:
        return found
    # What has spaces in it (`at::(anonymous namespace)::f`) is unknown by what is left of it.
    form = form or short
    if form is None:
        return Resolution(
            text, notes=("this is no name; search and find_similar_tests take words",)
        )
    alike = like_unknown(conn, form) if near else ()
    return Resolution(text, notes=why_unknown(conn, form), closest=alike)


class _Finder(OperatorNames):
    def __init__(self, conn: sqlite3.Connection, query: str, form: Form) -> None:
        super().__init__(conn, query, form)
        self._cpp = CppNames(conn, query, form.text)

    def find(self) -> Resolution | None:
        """What the name means in the form that it has."""
        by_kind = {"operator": self.operator, "python": self.python, "cpp": self.cpp}
        return by_kind.get(self._form.kind, self.bare)()

    def operator(self) -> Resolution | None:
        """`aten::add`, `aten::add.Tensor`, `torch.ops.aten.add`."""
        form = self._form
        rows = self._overloads(form.base, form.namespace, form.overload)
        if rows:
            return self._found(rows)
        other = self._other_overloads(self._overloads(form.base, form.namespace, None))
        # Namespaces are those of C++ (`c10d`) and of Python (`test`), too.
        return other or (self.cpp() if "::" in form.text else self.python())

    def python(self) -> Resolution | None:
        """`torch.softmax`, `torch.Tensor.add_`, `torch.nn.functional.gelu`, `torch.linalg.det`."""
        api = self._form.text
        found = self._python_name()
        if found is not None:
            return found
        for spelling in spellings(self._conn, api):
            form = replace(self._form, text=spelling.name, base=last_component(spelling.name))
            found = _Finder(self._conn, self._query, form)._python_name()
            if found is not None:
                where = f"  {spelling.place}" if spelling.place else ""
                return replace(found, notes=(f"{api} is {spelling.name}{where}", *found.notes))
        made = assigned(self._conn, api)
        if made:
            return Resolution(self._query, Target("value", made), api=api)
        return self._module()

    def _module(self) -> Resolution | None:
        """`torch.random`, and by an import `torch.utils.checkpoint.torch`."""
        api = self._form.text
        for spelling in (Spelling(api), *spellings(self._conn, api)):
            if self._rows("module", name=spelling.name):
                where = f"  {spelling.place}" if spelling.place else ""
                notes = (f"{api} is {spelling.name}{where}",) if spelling.name != api else ()
                return Resolution(self._query, Target("module", spelling.name), notes=notes)
        return None

    def _python_name(self) -> Resolution | None:
        """The same by this very name, whatever imports it."""
        api = self._form.text
        names = [row["name"] for row in self._rows("api", api=api)]
        # What an API is named after comes before what it calls besides.
        names.sort(key=self._unlike)
        if names:
            packets = dict.fromkeys(name.partition(".")[0] for name in names)
            note = "" if len(packets) == 1 else f"{api} reaches {', '.join(packets)}"
            target = Target("operator", next(iter(packets)), tuple(names))
            return Resolution(self._query, target, api=api, notes=(note,) if note else ())
        known = self._rows("api_known", api=api)
        rows = self._bound()
        if known and known[0]["file"] is None:
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
        parts = name.split(".")
        modules = json.dumps([".".join(parts[:at]) for at in range(1, len(parts))])
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
        found = _Finder(self._conn, self._query, form)._python_name() if api != bound else None
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

    def cpp(self) -> Resolution | None:
        """`at::native::gelu_cpu`, `native::gelu_cpu`, `at::add`, `at::_ops::add_Tensor::call`."""
        name = self._form.text
        # `at::eq` is all of the operator, of which it may be a kernel as well: BatchingRegistrations.cpp hands it on.
        found = self._cpp_api(name) or self._cpp.kernel(name) or self._cpp.other(name)
        return (
            found
            or self._cpp.structured(name)
            or self._cpp_api(f"at::{name.removeprefix('torch::')}")
            or self._cpp.generated(name)
            or self._cpp.used(name)
        )

    def _cpp_api(self, name: str) -> Resolution | None:
        scope, _, base = name.rpartition("::")
        if scope.startswith("at::_ops"):
            wanted = name.split("::")[2]
            for end in (len(wanted), *(i for i, c in enumerate(wanted) if c == "_")):
                overload = wanted[end + 1 :]
                rows = self._overloads(wanted[:end], "aten", overload)
                if rows:
                    return self._found(rows, f"{name} calls this operator")
        if scope == "at" or scope == "at::Tensor":
            rows = self._overloads(base, "aten", None) or self._out(base)
            if rows:
                return self._found(rows, f"{name} is the C++ function that calls this operator")
        return None

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

    def bare(self) -> Resolution | None:
        """`softmax`, `add.Tensor`, `softmax_cpu_out`, `add_out`."""
        form = self._form
        rows = self._overloads(form.base, None, form.overload)
        if rows:
            return self._found_or_out(rows)
        if (module := module_called(form.text)) and self._rows("module", name=module):
            return Resolution(self._query, Target("module", module))
        if form.overload is not None:
            # `Linear.forward` has the look of an operator's overload, and `tools.linter.Lint` too.
            other = self._other_overloads(self._overloads(form.base, None, None))
            found = self._method() or self._public(None) or self._class_defined() or other
            return found or self.python() or self._internal()
        rows = self._out(form.base)
        found = self._cpp.kernel(form.base)
        if found is None and rows:
            return self._found(rows, f"{form.base} stands for the out overloads")
        found = found or self._cpp.other(form.base) or self._cpp.structured(form.base)
        known = self._public(found) or self._beside_internal(found)
        return known or self._with_modules(self._internal()) or self._cpp.generated(form.text)

    def _public(self, in_cpp: Resolution | None) -> Resolution | None:
        """A public function or class of Python that is known by the end of its name.

        Args:
            in_cpp: what C++ has under this name, which is told beside it.
        """
        chosen, names = public(self._conn, self._form.text)
        others = list(in_cpp.candidates) if in_cpp is not None else []
        if in_cpp is not None and in_cpp.target is not None:
            others.insert(0, in_cpp.target.name)
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
        found = _Finder(self._conn, self._query, form).python()
        return replace(found, notes=(*found.notes, *notes)) if found is not None else None

    def other_case(self) -> Resolution | None:
        """What differs only in case: a public name of Python; an operator, in Python only where these are bound."""
        owner, _, base = self._form.text.rpartition(".")
        if written(self._form.text) is not None:
            return None  # SoftMax.cpp:301 is no `softmax`
        if self._form.kind == "python":
            named = tuple(r["name"] for r in self._rows("python_any_case", name=self._form.text))
            if len(named) == 1:
                note = f"there is no {self._form.text}; {named[0]} differs in case only"
                return self._in_full(named[0], (note,))
            if named or owner not in _BOUND_IN:
                return Resolution(self._query, candidates=named) if named else None
        base = last_component(self._form.base)
        rows = self._rows("operator_any_case", base=base)
        if not rows:
            return None
        if len(rows) > 1:
            names = tuple(f"{row['namespace']}::{row['base']}" for row in rows)
            return Resolution(self._query, candidates=names)
        exact = self._overloads(rows[0]["base"], rows[0]["namespace"], self._form.overload)
        note = f"there is no {base}; {rows[0]['base']} differs in case only"
        return self._found(exact, note) if exact else None
