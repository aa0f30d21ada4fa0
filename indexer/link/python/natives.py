"""Names that are bound in C++ and the operators behind each."""

from __future__ import annotations

import re
import sqlite3

from indexer.link.python.fronts import read_fronts
from indexer.link.python.native_rows import (
    OLD_TENSOR_BASE,
    TENSOR_BASE,
    OperatorRow,
    read_bound,
    read_operators,
    read_returns,
    read_rules,
    read_written,
)

FUNCTIONS = "torch._C._VariableFunctions"
BOUND = "bound"
"""How a name is known that C++ binds to a function of its own; its operators are those that this gets handles of."""
PROPERTY = "property"
"""How a name is known that a stub declares as a property of tensors."""
_OPS = "torch.ops."


class Natives:
    """The names, found on demand where there are too many to list.

    Args:
        conn: the database; rows are added to `python_natives`.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self.conn = conn
        self.ids: dict[str, int] = {}
        self.operators: dict[int, list[int]] = {}
        self.unlisted: dict[str, list[int]] = {}
        self._makers: set[int] = set()
        self._telling: set[str] = set()  # what stubs say to give no tensors
        # An object of one has the methods that are bound under its name.
        self._classes: dict[int, str] = {}
        self._how: dict[int, str] = {}
        self._found_at: dict[int, tuple[int | None, int | None]] = {}
        self._called: dict[tuple[int, bool], list[int]] = {}
        self.rows = read_operators(conn)
        self.by_base: dict[tuple[str, str], list[OperatorRow]] = {}
        self.by_name: dict[str, OperatorRow] = {}
        for row in self.rows:
            self.by_base.setdefault((row.namespace, row.base), []).append(row)
            self.by_name[row.name] = row
        self._is_installed = not conn.execute(
            "SELECT 1 FROM source_files WHERE path = 'aten/src/ATen/native/native_functions.yaml'"
        ).fetchall()
        self._inline = {row.base for row in self.rows if row.is_inline and row.namespace == "aten"}
        self._by_id = {row.id: row for row in self.rows}
        self._returns = read_returns(conn)
        self._rules = {
            kind: [value for _, value in group] for kind, group in read_rules(conn).items()
        }
        self.private = frozenset(self._rules.get("private", ()))
        self._places: dict[str, tuple[str, int | None, int | None]] = {}
        # Whether it is a class, by name; a row is made of those only that the tree's Python uses.
        self._bound = read_bound(conn)
        self._fronts = read_fronts(conn)
        found = self._generated()
        self._add_written(conn, found)
        for name in sorted(found):
            self._add(name, found[name])

    def find(self, path: str) -> int | None:
        """Id of a name that C++ binds; of one that is not listed yet a row is added.

        Args:
            path: dotted, in full: `torch._C._nn.gelu`, `torch.ops.aten.add.Tensor`.

        Returns:
            None where C++ binds no such name.
        """
        if path.startswith(OLD_TENSOR_BASE):
            path = TENSOR_BASE + path[len(OLD_TENSOR_BASE) :]
        known = self.ids.get(path)
        if known is None and path in self.unlisted:
            return self._add(path, self.unlisted[path])
        if known is not None:
            return known
        if path in self._bound:
            self._places[path] = (BOUND, None, None)
            fronts = (self.by_name.get(name) for name in self._fronts.get(path, ()))
            return self._add(path, [row.id for row in fronts if row is not None])
        if not path.startswith(_OPS):
            return None
        namespace, _, rest = path[len(_OPS) :].partition(".")
        base, _, overload = rest.partition(".")
        if overload:
            name = f"{namespace}::{base}" + ("" if overload == "default" else f".{overload}")
            row = self.by_name.get(name)
            rows = [row] if row else []
        else:
            rows = self.by_base.get((namespace, base), [])
        # What C++ registers is not in an installed package, whose Python calls it all the same. Of others the text does
        # not tell an overload from an attribute (torch/_ops.py, OpOverloadPacket).
        is_elsewhere = (
            self._is_installed
            and bool(base)
            and not base.startswith("__")
            and overload in ("", "default")
            and (namespace, base) not in self.by_base
        )
        if not rows and not is_elsewhere:
            return None
        self._places[path] = ("ops", None, None)
        return self._add(path, [row.id for row in rows])

    def returns(self, native: int) -> str:
        """Target of what the name with the id `native` gives when it is called, or an empty string."""
        # What runs an operator in a function of its own gives what that makes of it.
        operators = () if self._how[native] == BOUND else self.operators.get(native, ())
        for operator in operators:
            found = self._returns.get(operator)
            if found is not None:
                return found
        # What is bound by hand among torch's functions makes tensors: tensor, from_numpy.
        return "torch.Tensor()" if native in self._makers else self._classes.get(native, "")

    def how(self, native: int) -> str:
        """How the name with the id `native` is known: generated, handwritten, alias, stub, property, ops or bound."""
        return self._how[native]

    def place(self, native: int) -> tuple[int | None, int | None]:
        """File and line where the name `native`, an id, is written if bound by hand; None where nothing writes it."""
        return self._found_at[native]

    def called(self, native: int, takes_out: bool) -> list[int]:
        """Operators that Python code calls by a name.

        Not those that at::TensorBase answers itself, as it does `size` and `is_complex`.

        Args:
            native: id of the name.
            takes_out: whether the code could pass on an `out`.
        """
        key = (native, takes_out)
        found = self._called.get(key)
        if found is None:
            rows = [self._by_id[operator] for operator in self.operators.get(native, ())]
            found = self._called[key] = [
                row.id
                for row in rows
                if row.base not in self._inline and (takes_out or row.kind != "out")
            ]
        return found

    def _add(self, name: str, operators: list[int]) -> int:
        how, file_id, line = self._places.get(name, ("generated", None, None))
        cursor = self.conn.execute(
            "INSERT INTO python_natives (name, how, file_id, line) VALUES (?, ?, ?, ?)",
            (name, how, file_id, line),
        )
        native = int(cursor.lastrowid or 0)
        self.ids[name] = native
        self._how[native] = how
        self._found_at[native] = (file_id, line)
        self.operators[native] = list(dict.fromkeys(operators))
        if how == BOUND:
            if self._bound[name]:
                self._classes[native] = name
        elif not operators and self._is_maker(name):
            self._makers.add(native)
        self.conn.executemany(
            "INSERT INTO python_native_operators VALUES (?, ?)",
            ((native, operator) for operator in self.operators[native]),
        )
        return native

    def _is_maker(self, path: str) -> bool:
        """Whether what calls no operator makes tensors.

        Not what is a method of tensors as well, such as `numel`: that tells something about one. Nor what a stub says
        to give something else: `is_grad_enabled`.
        """
        owner, _, name = path.rpartition(".")
        about = (f"{TENSOR_BASE}.{name}" in known for known in (self._places, self.ids))
        return owner == FUNCTIONS and path not in self._telling and not any(about)

    def _generated(self) -> dict[str, list[int]]:
        """Names by tools/autograd/gen_python_functions.py.

        `should_generate_py_binding` leaves out what is generated itself (but not view copies),
        names by regular expression and some signatures; `is_py_variable_method` and its
        neighbours say in which place a binding goes.
        """
        values = self._rules.get("skip_name", ())
        skip = re.compile("|".join(f"(?:^{value}$)" for value in values)) if values else None
        signatures = frozenset(self._rules.get("skip_signature", ()))
        found: dict[str, list[int]] = {}
        for row in self.rows:
            if row.origin == "library" or row.is_hidden or row.namespace != "aten":
                continue
            name = f"{row.base}_out" if row.kind == "out" else row.base
            if (skip is not None and skip.match(name)) or row.func in signatures:
                continue
            for owner in _owners(row):
                found.setdefault(f"{owner}.{row.base}", []).append(row.id)
        return found

    def _add_inline(self, found: dict[str, list[int]], inline: dict[str, list[str]]) -> None:
        """Operators that at::Tensor's own methods call: `conj()` is `_conj()` underneath.

        Where `manual_cpp_binding` is set, aten/src/ATen/templates/TensorBody.h has the method,
        and the generated code calls that.
        """
        for row in self.rows:
            if row.is_manual and row.namespace == "aten" and row.base in inline:
                for owner in _owners(row):
                    path = f"{owner}.{row.base}"
                    if path in found:
                        found[path] += self._named(inline[row.base])

    def _add_written(self, conn: sqlite3.Connection, found: dict[str, list[int]]) -> None:
        written = read_written(conn, {_module(row) for row in self.rows})
        stubs = {f"{owner}.{name}" for owner, name, _, how, _, _ in written if how == "stub"}
        if stubs and "skip_name" not in self._rules:
            # An installed package: what its stubs do not have was left out, or is there only for
            # the package's own Python code, which then names it.
            owners = {path.rpartition(".")[0] for path in stubs}
            for path in [path for path in found if path not in stubs]:
                if path.rpartition(".")[0] in owners:
                    self.unlisted[path] = found.pop(path)
        helpers = {
            name: operators.split(",")
            for owner, name, operators, how, _, _ in written
            if how == "helper"
        }
        self._add_inline(
            found,
            {name: text.split(",") for _, name, text, how, _, _ in written if how == "inline"},
        )
        for owner, name, operators, how, file_id, line in written:
            path = f"{owner}.{name}"
            if how == "stub" and not operators:
                self._telling.add(path)
            if how == PROPERTY and path in self._places:
                continue  # the sources say more
            if how == PROPERTY:
                self._places[path] = (how, file_id, line)
                found[path] = self._named(_STUB_PROPERTIES.get(name, []))
                continue
            if how in ("helper", "inline") or (how == "stub" and path in found):
                continue
            bases = operators.split(",") if operators else []
            if how == "alias":
                rows = list(found.get(f"{owner}.{bases[0]}", ())) or self._named(bases)
            elif how == "stub":
                rows = self._of_stub(owner, name, found)
                rows += self._below(helpers, [_STUB_SLOTS.get(name, "")])
            else:
                rows = self._named(bases) + self._below(helpers, bases)
            elsewhere = how == "stub" and owner not in (FUNCTIONS, TENSOR_BASE)
            # Of other classes a method's name says nothing: `ProcessGroup.gather` is no operator.
            if not elsewhere or (rows and not owner.rpartition(".")[2].lstrip("_")[:1].isupper()):
                self._places[path] = (how, file_id, line)
                found[path] = list(dict.fromkeys([*found.get(path, ()), *rows]))

    def _of_stub(self, owner: str, name: str, found: dict[str, list[int]]) -> list[int]:
        """Operators of what a stub names: a method that syntax calls runs what the tensor has by a plain name.

        The same function is bound to both, as `THPVariable_mul` to `mul`, `__mul__` and `__rmul__`: not all operators
        of that name, of which the generator leaves some out.
        """
        for base in _stub_bases(name):
            rows = found.get(f"{owner}.{base}") or self._named([base])
            if rows:
                return list(rows)
        return []

    def _below(self, helpers: dict[str, list[str]], bases: list[str]) -> list[int]:
        """Operators of the helpers among these names; what the bindings share works on positions, not on names."""
        below = dict.fromkeys(name for base in bases for name in helpers.get(base, ()))
        rows = self._named(list(below))
        return [row for row in rows if "Dimname" not in self._by_id[row].func]

    def _named(self, bases: list[str]) -> list[int]:
        """Operators that C++ code names: `nonzero`, `nonzero_out`.

        Not those that say something about a tensor and are bound by hand: at::TensorBase answers
        `size(0)` itself (aten/src/ATen/core/TensorBase.h).
        """
        found = []
        for base in bases:
            base = base.removesuffix("_symint")
            rows = self.by_base.get(("aten", base), [])
            if rows:
                rows = [row for row in rows if not row.is_hidden and not row.is_inline]
                found += [row.id for row in rows if row.kind != "out"]
            elif base.endswith("_out"):
                rows = self.by_base.get(("aten", base.removesuffix("_out")), [])
                found += [row.id for row in rows if row.kind == "out" and not row.is_hidden]
        return found


# What of Python's methods is not called as the tensor's own that it runs; the template that says so
# (tools/autograd/templates/python_variable_methods.cpp) is not part of an installed package.
_DATA_MODEL = {
    "truediv": "div", "floordiv": "floor_divide", "mod": "remainder",
    "rand": "bitwise_and", "ror": "bitwise_or", "rxor": "bitwise_xor", "invert": "bitwise_not",
    "bool": "is_nonzero", "nonzero": "is_nonzero",
    "float": "item", "complex": "item", "int": "item", "long": "item", "index": "item",
}  # fmt: skip


# What the tensor's properties call: PropertyT and its neighbours in torch/csrc/autograd/python_variable.cpp, which is
# not part of one either. The others call no operator.
_STUB_PROPERTIES = {
    "T": ["numpy_T"], "H": ["matrix_H"], "mT": ["mT"], "mH": ["mH"], "real": ["real"],
    "imag": ["imag"],
}  # fmt: skip


# Indexing: what torch/csrc/autograd/python_variable_indexing.cpp does with Python's indices, which is not part of one
# either, does ATen/TensorIndexing.h with those of C++.
_STUB_SLOTS = {"__getitem__": "get_item", "__setitem__": "set_item"}


def _stub_bases(name: str) -> list[str]:
    """Names of what a name in a stub may run, the first that is there: `add_` for `__iadd__`."""
    if not (name.startswith("__") and name.endswith("__")):
        return [name]
    bare = name[2:-2]
    bases = [name, _DATA_MODEL.get(bare, bare)]
    if bare.startswith(("r", "i")) and bare not in _DATA_MODEL:
        inner = _DATA_MODEL.get(bare[1:], bare[1:])
        bases.append(inner + ("_" if bare.startswith("i") else ""))
    return bases


def _module(row: OperatorRow) -> str:
    return FUNCTIONS if row.python_module is None else f"torch._C._{row.python_module}"


def _owners(row: OperatorRow) -> list[str]:
    if row.python_module is not None:
        return [_module(row)]
    owners = []
    variants = [variant.strip() for variant in (row.variants or "function").split(",")]
    if "method" in variants:
        owners.append(TENSOR_BASE)
    if "function" in variants:
        owners.append(FUNCTIONS)
    return owners
