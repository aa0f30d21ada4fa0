"""The one resolver: exact before loose, ambiguity listed, nothing silently replaced."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from pathlib import Path

from torchtalk.counted import few
from torchtalk.names.closest import last_component
from torchtalk.names.cpp_names import CppNames
from torchtalk.names.files import written
from torchtalk.names.forms import in_lower_case, module_called, parse
from torchtalk.names.imported_names import in_imported
from torchtalk.names.in_python import BOUND_IN, PythonNames
from torchtalk.names.meaning import Resolution, Target
from torchtalk.names.namesakes import beside_operator, is_global
from torchtalk.names.operator_scopes import may_hold_operators
from torchtalk.names.pythons_own import module_of_python
from torchtalk.names.torchscript import of_torchscript
from torchtalk.names.unknown import like_unknown, why_unknown
from torchtalk.names.written import plain
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_MOST_BESIDE = 3
_MOST_CLASSES = 6
_NOT_GLOBAL = "nothing known stands at file scope as ::{}; the operator is taken"
_OF_CLASS = re.compile(r"[A-Z]\w+\.[A-Za-z_]\w*")
"""A class and what it has, as people write it who think of an object."""


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
    behind = in_imported(conn, text) if near and "::" not in text else []
    alike = (
        like_unknown(conn, (parse(behind[0], namespaces) if behind else None) or form)
        if near
        else ()
    )
    return Resolution(text, notes=why_unknown(conn, form), closest=alike)


def operator_around(conn: sqlite3.Connection, found: Resolution) -> Resolution:
    """For questions about operators: the one that a generated function is written around, which clang has read.

    Args:
        conn: an index.
        found: what a name means.

    Returns:
        The operator, with a note; what was found, where that is no generated function.
    """
    target = found.target
    if target is None or target.kind != "function":
        return found
    kinds = conn.execute(statements(_SQL)["kinds_of_files"], {"name": target.name}).fetchall()
    if {row["kind"] for row in kinds} != {"generated"}:
        return found
    around = CppNames(conn, found.query, target.name).generated(target.name)
    return found if around is None else replace(around, notes=(*found.notes, *around.notes))


class _Finder(PythonNames):
    """In which order the meanings of a name are tried, by the form that it has."""

    def find(self) -> Resolution | None:
        """What the name means in the form that it has."""
        by_kind = {"operator": self.operator, "python": self.python, "cpp": self.cpp}
        found = by_kind.get(self._form.kind, self.bare)()
        if found is None and _OF_CLASS.fullmatch(self._query.strip()):
            # `Tensor.sizes` is C++'s alone, whatever stands between the two.
            found = self._cpp.inherited(self._query.strip().replace(".", "::"))
        return found

    def operator(self) -> Resolution | None:
        """`aten::add`, `aten::add.Tensor`, `torch.ops.aten.add`."""
        form = self._form
        rows = self._overloads(form.base, form.namespace, form.overload)
        if rows:
            return self._found(rows)
        other = self._other_overloads(self._overloads(form.base, form.namespace, None))
        # Namespaces are those of C++ (`c10d`) and of Python (`test`), too.
        if other or "::" in form.text:
            return other or self.cpp()
        return self.python() or self._of_imported()

    def cpp(self) -> Resolution | None:
        """`at::native::gelu_cpu`, `native::gelu_cpu`, `at::add`, `at::_ops::add_Tensor::call`."""
        name = self._form.text
        # `at::eq` is all of the operator, of which it may be a kernel as well: BatchingRegistrations.cpp hands it on.
        found = self._cpp_api(name) or self._cpp.kernel(name)
        if found is None and (found := self._cpp.other(name)) is not None:
            # `prim::Print` is c10::prim::Print, its symbol, and an operator of TorchScript's registry.
            notes = of_torchscript(self._conn, self._form) if name.count("::") == 1 else ()
            found = replace(found, notes=(*notes, *found.notes))
        return (
            found
            or self._cpp.structured(name)
            or self._cpp_api(f"at::{name.removeprefix('torch::')}")
            or self._cpp.generated(name)
            or self._cpp.used(name)
            or self._cpp.inherited(name)
            or self._cpp.overriding(name)
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
        if scope in ("at", "at::Tensor", "Tensor"):
            rows = self._overloads(base, "aten", None) or self._out(base)
            if rows:
                return self._found(rows, f"{name} is the C++ function that calls this operator")
        return None

    def bare(self) -> Resolution | None:
        """`softmax`, `add.Tensor`, `softmax_cpu_out`, `add_out`."""
        form = self._form
        found = self._cpp.of_file_scope()
        if found is not None:
            return found
        rows = self._overloads(form.base, None, form.overload)
        if rows:
            known = self._with_functions(self._found_or_out(rows))
            told = (_NOT_GLOBAL.format(form.base),) if is_global(self._query) else ()
            return replace(known, notes=(*told, *known.notes))
        if (module := module_called(form.text)) and self._rows("module", name=module):
            return Resolution(self._query, Target("module", module))
        if form.overload is not None:
            # `Linear.forward` has the look of an operator's overload, and `tools.linter.Lint` too.
            is_pythons = module_of_python(self._conn, form.text)
            rows = [] if is_pythons else self._overloads(form.base, None, None)
            other = self._other_overloads(rows)
            found = self._method() or self._public(None) or self._class_defined()
            found = found or self._of_imported()
            if found is None and self._in_imported() and not self._is_overload(form.overload):
                other = None
            found = found or other or self.python() or self._internal()
            found = found or self._of_class()
            return found and self._beside_python(found, is_pythons)
        rows = self._out(form.base)
        found = self._cpp.kernel(form.base)
        if found is None and rows:
            return self._found(rows, f"{form.base} stands for the out overloads")
        found = found or self._cpp.other(form.base) or self._cpp.structured(form.base)
        public = self._public(found) or self._beside_internal(found)
        public = public or self._of_imported()
        return public or self._python_inside() or self._cpp.generated(form.text)

    def _python_inside(self) -> Resolution | None:
        return self._with_modules(self._internal() or self._class_called())

    def _beside_python(self, found: Resolution, module: str) -> Resolution:
        """`queue.Queue` is told by its end, torch.multiprocessing.queue.Queue; Python has it, too."""
        if not module or found.target is None or self._form.text.count(".") > 1:
            return found
        note = f"{module} is a module of Python's own, too; what has this name in the tree is taken"
        return replace(found, notes=(*found.notes, note))

    def _of_imported(self) -> Resolution | None:
        """`dist.barrier`, by what files of the tree import a module as, is torch.distributed's and not aten::dist's."""
        head, _, rest = self._query.strip().partition(".")
        for name in self._in_imported():
            found = resolve(self._conn, name, near=False)
            if found.target is not None:
                module = name.removesuffix(f".{rest}") if rest else name
                if module == f"torch.{head}":
                    return replace(found, query=self._query)
                note = f"{head} is what files of the tree import {module} as"
                return replace(found, query=self._query, notes=(note, *found.notes))
        return None

    def _of_class(self) -> Resolution | None:
        """`SchedulerNode.get_name`: what a class inherits that is known by its last part alone."""
        owner, _, member = self._form.text.rpartition(".")
        if "." in owner or owner == owner.lower():
            return None
        found: dict[str, Resolution] = {}
        for row in self._rows("class_called", last=owner)[:_MOST_CLASSES]:
            one = resolve(self._conn, f"{row['name']}.{member}", near=False)
            if one.target is not None:
                found.setdefault(one.target.name, one)
        if len(found) > 1:
            return Resolution(self._query, candidates=tuple(found))
        return next((replace(one, query=self._query) for one in found.values()), None)

    def _in_imported(self) -> list[str]:
        """The full names of what stands behind what modules are imported as."""
        return in_imported(self._conn, self._query)

    def _is_overload(self, name: str) -> bool:
        return bool(self._rows("is_overload", overload=name))

    def _with_functions(self, found: Resolution) -> Resolution:
        """An operator that a word alone means, with what else C++ calls so: `torch::nn::functional::softshrink`."""
        if self._form.overload is not None:
            return found
        others = beside_operator(self._conn, self._form.base)
        note = f"also functions of C++: {few(others, _MOST_BESIDE)}"
        return replace(found, notes=(*found.notes, note), others=others) if others else found

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
            if named or owner not in BOUND_IN:
                return Resolution(self._query, candidates=named) if named else None
        base = last_component(self._form.base)
        rows = self._rows("operator_any_case", base=base)
        scope, colons, _ = self._form.text.rpartition("::")
        if colons:
            # `prim::Print` is no higher_order::print, nor `at::Reduction::Mean` aten::mean; the operators of `at::` and
            # of what holds some in it are aten's.
            if scope.startswith("at::") and not may_hold_operators(self._conn, self._form.text):
                return None
            namespace = "aten" if scope.partition("::")[0] == "at" else scope.lower()
            rows = [row for row in rows if row["namespace"].lower() == namespace]
        if not rows:
            return None
        if len(rows) > 1:
            names = tuple(f"{row['namespace']}::{row['base']}" for row in rows)
            return Resolution(self._query, candidates=names)
        exact = self._overloads(rows[0]["base"], rows[0]["namespace"], self._form.overload)
        note = f"there is no {base}; {rows[0]['base']} differs in case only"
        return self._found(exact, note) if exact else None
