"""What the expressions of a function that works on tensors are, and what they call.

`x.softmax(0)` and `a * b` call a method of whatever `x` and `a` are.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from indexer.extract.python import value_texts
from indexer.extract.python.argument_values import GivenCall
from indexer.extract.python.autograd_functions import CONTEXT, SAVED
from indexer.extract.python.calls import CALL, HANDED, OPERATOR, REFERENCE
from indexer.extract.python.known import SEQUENCES, Known
from indexer.extract.python.operator_methods import BINARY, BUILT_IN, COMPARE, UNARY
from indexer.extract.python.scope import dotted, one_of
from indexer.extract.python.subscripted import has_starred, is_params, limit, mapping_of, position
from indexer.extract.python.value_texts import TENSOR, element_of, is_class, is_number, shorten
from indexer.facts.python import READ, SET

_Read = TypeVar("_Read")

# Properties of a tensor that run an operator: THPVariable_properties in torch/csrc/autograd/python_variable.cpp.
_TENSORS = frozenset(("grad", "data"))  # those that are tensors and run none
_PROPERTIES = frozenset(("T", "H", "mT", "mH", "real", "imag"))
# Built-ins that only ask what something is.
_ASKING = frozenset(("isinstance", "issubclass"))
# Of the built-ins that look for a method those that give what they were given, or its elements.
_SAME = frozenset(("abs", "reversed"))
# Built-ins that hand on what they were given, or a sequence of it.
_PASSING = frozenset(("list", "tuple", "reversed", "sorted", "iter"))
_PAIRING = frozenset(("zip", "enumerate"))
_REGISTERING, _OPERATORS = "register", "torch.ops."
_COPIES = frozenset(("copy.copy", "copy.deepcopy"))
_PARTIAL = "functools.partial"
_CASTS = frozenset(("typing.cast", "typing_extensions.cast"))


class Values(Known):
    """Reads the expressions of one function; made as `Known` is."""

    def _assign(self, target: ast.expr, value: str, node: ast.expr | None) -> None:
        self._forget(target)
        if isinstance(target, ast.Name):
            self.names.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = node.elts if isinstance(node, (ast.Tuple, ast.List)) else None
            is_counted = not any(isinstance(element, ast.Starred) for element in target.elts)
            for at, element in enumerate(target.elts):
                if items is not None and at < len(items):
                    self._assign(element, self._peek(items[at]), items[at])
                elif isinstance(element, ast.Starred):
                    self._assign(element.value, value, None)
                else:
                    self._assign(element, element_of(value, at if is_counted else None), None)
        elif isinstance(target, ast.Subscript):
            owner = self.value(target.value)
            self.value(target.slice)
            if owner:
                self._add(f"{owner}.__setitem__", OPERATOR, target)
        elif isinstance(target, ast.Attribute):
            self._set(self.value(target.value), target)

    def _set(self, owner: str, node: ast.Attribute) -> None:
        """Add the setter that may run where an attribute of `owner`, a target, is given something."""
        held = self._object_of_module(node.value) or owner
        if given := self.reads.properties.set(held, node.attr):
            self._add(given, CALL, node)
        elif self.reads.may_be(held, node.attr):
            self._add(f"{held}.{node.attr}{SET}", CALL, node)

    def _object_of_module(self, node: ast.expr) -> str:
        """Target of an object that the module makes of a class of its own, where a name is that; else ""."""
        if isinstance(node, ast.Name) and self.names.local(node.id) is None:
            return self.reads.properties.made.get(node.id, "")
        return ""

    def _peek(self, node: ast.expr) -> str:
        """What a value is, when its calls have been counted already."""
        silent, self.is_silent = self.is_silent, True
        value = self.value(node)
        self.is_silent = silent
        return value

    # The target of each value, or an empty string

    def value(self, node: ast.expr | None) -> str:
        """Read an expression, adding what it calls, and tell what its value is.

        Args:
            node: the expression; None where a statement has none.

        Returns:
            Its target; "" where it is not known.
        """
        if node is None:
            return ""
        reader = _READERS.get(type(node))
        if reader is not None:
            return self._as_asked(node, reader(self, node))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return ""

    def _name(self, node: ast.Name) -> str:
        return self.names.target(node.id)

    def _attribute(self, node: ast.Attribute, is_called: bool = False) -> str:
        owner = self.value(node.value)
        if not owner:
            return ""
        if owner == TENSOR and node.attr in _TENSORS:
            return TENSOR
        if owner == CONTEXT and node.attr in SAVED:
            return f"list({TENSOR})"
        path = f"{owner}.{node.attr}"
        held = self._object_of_module(node.value) or owner
        if ran := self.reads.properties.read(held, node.attr):
            # By its class it is what runs; by its object it is what that gives.
            self._add(ran, CALL, node)
            return shorten(path)
        if not is_called and self.reads.may_be(owner, node.attr):
            self._add(f"{path}{READ}", CALL, node)
        if node.attr in _PROPERTIES and "()" in owner and owner != f"{self.names.owner}()":
            self._add(path, OPERATOR, node)
            path += "()"
        return shorten(path)

    def _call(self, node: ast.Call) -> str:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super":
            return self._super(node)
        if isinstance(function, ast.Attribute):
            callee = self._attribute(function, is_called=True)
        else:
            callee = self.value(function)
        name = dotted(function)
        read = self.value if name in _ASKING else self._argument
        if name.rpartition(".")[2].lstrip("_").startswith(_REGISTERING):
            read = self._registered
        handed = [read(argument) for argument in node.args]
        named = {keyword.arg or "": self._argument(keyword.value) for keyword in node.keywords}
        if not callee and handed and (named_in_full := self.names.scope.full(dotted(function))):
            if named_in_full in _CASTS:
                return self.names.scope.annotation(node.args[0]) or handed[-1]
            if named_in_full in _COPIES:
                return handed[0]
            if named_in_full == _PARTIAL and self.names.scope.calls_partials:
                return handed[0]  # what it makes is called as what it is given
        if callee.endswith("().type") and not (node.args or node.keywords):
            return ""  # says what it is and calls nothing: THPVariable_type, python_variable_methods.cpp
        if callee.startswith("dict("):
            return value_texts.of_mapping(callee)
        if callee:
            self._add(callee, CALL, node)
            self._give(callee, node, handed, named)
            return shorten(f"{callee}()")
        if isinstance(function, ast.Attribute):
            self._add_untold(function, node)
        if isinstance(function, ast.Name) and handed and handed[0]:
            if function.id in BUILT_IN:
                self._add(f"{handed[0]}.{BUILT_IN[function.id]}", OPERATOR, node)
                return handed[0] if function.id in _SAME else ""
            if function.id in _PASSING:
                return handed[-1]
        return ""

    def _super(self, node: ast.Call) -> str:
        """Target of what `super()` is: of a class within the function, what that derives from."""
        if self.derived_from is not None:
            return self.derived_from
        return self.names.above(dotted(node.args[0]) if node.args else "")

    def _give(self, callee: str, node: ast.Call, handed: list[str], named: dict[str, str]) -> None:
        """Keep what a function of the same file is called with."""
        if self.is_silent or not callee.startswith(f"{self.names.scope.module}."):
            return
        starred = (at for at, value in enumerate(node.args) if isinstance(value, ast.Starred))
        positional = [value if "()" in value else "" for value in handed[: next(starred, None)]]
        named = {name: value for name, value in named.items() if name and "()" in value}
        if named or any(positional):
            self.given.append(GivenCall(callee, positional, named))

    def _argument(self, node: ast.expr) -> str:
        value = self.value(node)
        self._hand(value, node)
        return value

    def _registered(self, node: ast.expr) -> str:
        """What a function that registers is given: an operator is none that runs there.

        `_register_python_decomposition_vmap(torch.ops.aten.addr.default)` of torch/_functorch/predispatch.py.
        """
        value = self.value(node)
        if value and isinstance(node, (ast.Name, ast.Attribute)) and "(" not in value:
            self._add(value, HANDED if value.startswith(_OPERATORS) else REFERENCE, node)
        return value

    def _binary(self, node: ast.BinOp) -> str:
        left, right = self._operand(node.left), self._operand(node.right)
        operator = BINARY[type(node.op)]
        if left.startswith(SEQUENCES) or right.startswith(SEQUENCES):
            # Two of them make one of both; what is known of the parts holds for one of them alone.
            first = left if left.startswith(SEQUENCES) else right
            return first if first.startswith("list(") else value_texts.list_of(element_of(first))
        if left:
            self._add(f"{left}.__{operator}__", OPERATOR, node)
        if right and "()" not in left:
            self._add(f"{right}.__r{operator}__", OPERATOR, node)
        return TENSOR if TENSOR in (left, right) else left or right

    def _operand(self, node: ast.expr) -> str:
        value = self.value(node)
        return "" if is_number(value) else value

    def _compare(self, node: ast.Compare) -> str:
        operands = map(self.value, (node.left, *node.comparators))
        values = ["" if is_class(value) else value for value in operands]
        for at, kind in enumerate(node.ops):
            operand = values[at] or values[at + 1]
            if operand and type(kind) in COMPARE:
                self._add(f"{operand}.{COMPARE[type(kind)]}", OPERATOR, node)
                return operand
        return ""

    def _unary(self, node: ast.UnaryOp) -> str:
        value = self.value(node.operand)
        if value and type(node.op) in UNARY:
            self._add(f"{value}.{UNARY[type(node.op)]}", OPERATOR, node)
            return value
        return ""

    def _subscript(self, node: ast.Subscript) -> str:
        owner = self.value(node.value)
        self.value(node.slice)
        if is_params(node):
            return f"list({TENSOR})"
        if not owner or value_texts.is_generic(owner):
            return owner  # `OrderedSet[int]` is the class
        self._add(f"{owner}.__getitem__", OPERATOR, node)
        if isinstance(node.slice, ast.Slice):
            return value_texts.part_of(owner, limit(node.slice.lower), limit(node.slice.upper))
        return element_of(owner, position(node.slice))

    def _conditional(self, node: ast.IfExp) -> str:
        self._test(node.test)
        otherwise = self._assigned(node.orelse)
        with self._narrowed(node.test):
            return one_of(self._assigned(node.body), otherwise)

    def _each_narrowed(self, node: ast.BoolOp, read: Callable[[ast.expr], _Read]) -> list[_Read]:
        """Read the operands; those of `and` with what the ones before say of names."""
        with contextlib.ExitStack() as said:
            found = []
            for operand in node.values:
                found.append(read(operand))
                if isinstance(node.op, ast.And):
                    said.enter_context(self._narrowed(operand))
            return found

    def _boolean(self, node: ast.BoolOp) -> str:
        return next(filter(None, self._each_narrowed(node, self.value)), "")

    def _tuple(self, node: ast.Tuple) -> str:
        if has_starred(node.elts):
            return self._sequence(node)
        return value_texts.tuple_of([self.value(element) for element in node.elts])

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> str:
        values = [self.value(element) for element in node.elts]
        return value_texts.list_of(next(filter(None, values), ""))

    def _starred(self, node: ast.Starred) -> str:
        return element_of(self.value(node.value))

    def _named(self, node: ast.NamedExpr) -> str:
        value = self.value(node.value)
        self._assign(node.target, value, node.value)
        return value

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> str:
        with self._generators(node.generators):
            element = self.value(node.elt)
        return value_texts.list_of(element)

    def _mapping(self, node: ast.DictComp) -> str:
        with self._generators(node.generators):
            self.value(node.key)
            element = self.value(node.value)
        return value_texts.list_of(element)

    @contextlib.contextmanager
    def _generators(self, generators: list[ast.comprehension]) -> Iterator[None]:
        """Bind what they loop over, for themselves, and take names for what their conditions say."""
        outer = self.names.names
        self.names.names = dict(outer)
        with contextlib.ExitStack() as said:
            for generator in generators:
                self._loop(generator.target, generator.iter)
                for condition in generator.ifs:
                    self.value(condition)
                    said.enter_context(self._narrowed(condition))
            yield
        self.names.names = outer

    def _lambda(self, node: ast.Lambda) -> str:
        outer = self.names.names
        self.names.names = dict(outer)
        for parameter in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            self.names.names[parameter.arg] = ""
        self.value(node.body)
        self.names.names = outer
        return ""

    def _test(self, node: ast.expr) -> None:
        """Read a condition; a tensor in it is asked for its truth."""
        if isinstance(node, ast.BoolOp):
            self._each_narrowed(node, self._test)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._test(node.operand)
        elif (value := self.value(node)) and not isinstance(node, ast.Name):
            # A name is more often asked whether it is None.
            self._add(f"{value}.__bool__", OPERATOR, node)

    def _assigned(self, node: ast.expr) -> str:
        value = self.value(node)
        is_got = isinstance(node, ast.Attribute) and value.endswith("()")
        if value and isinstance(node, (ast.Name, ast.Attribute)) and not is_got:
            self._add(value, REFERENCE, node)
        return value

    def _loop(self, target: ast.expr, node: ast.expr) -> None:
        """Bind what a loop binds: of `zip` each name to an element of its own, of `enumerate` none to the number."""
        name = self._loops_by(node)
        names = target.elts if isinstance(target, ast.Tuple) else []
        given = node.args if isinstance(node, ast.Call) else []
        if name == "enumerate" and len(names) == 2 and given:
            self._assign(names[0], "", None)
            self._loop(names[1], given[0])
        elif name == "zip" and len(names) == len(given) and not has_starred([*names, *given]):
            for each, iterable in zip(names, given, strict=True):
                self._loop(each, iterable)
        elif len(names) == 2 and (owner := mapping_of(node, "items")) is not None:
            self.value(node)
            self._assign(names[0], "", None)
            self._assign(names[1], element_of(self._peek(owner)), None)
        else:
            self._assign(target, self._iterate(node), None)

    def _loops_by(self, node: ast.expr) -> str:
        """Name of the function whose result is looped over, or nothing; a module may call one of its own so."""
        function = node.func if isinstance(node, ast.Call) else None
        name = function.id if isinstance(function, ast.Name) else ""
        if name in _PAIRING and (own := self.names.target(name)):
            self._add(own, CALL, node)  # `zip = strict_zip` of torch/_functorch/_aot_autograd/
        return name

    def _iterate(self, node: ast.expr) -> str:
        """What an element is of what is looped over."""
        if self._loops_by(node) in _PAIRING:
            elements = [self._iterate(argument) for argument in node.args]  # type: ignore[attr-defined]
            element = next((value for value in elements if value), "")
            return f"list({element})" if element else ""
        value = self.value(node)
        owner = mapping_of(node, "values")
        if owner is not None and not value.startswith("list("):
            return element_of(self._peek(owner))
        if value.startswith("dict("):
            return ""  # a key
        if value and not value.startswith("list("):
            self._add(f"{value}.__iter__", OPERATOR, node)
        return value_texts.each_of(value)


_READERS: dict[type[ast.expr], Callable[[Values, Any], str]] = {
    ast.Name: Values._name, ast.Attribute: Values._attribute, ast.Call: Values._call,
    ast.BinOp: Values._binary, ast.Compare: Values._compare, ast.UnaryOp: Values._unary,
    ast.Subscript: Values._subscript, ast.IfExp: Values._conditional, ast.BoolOp: Values._boolean,
    ast.List: Values._sequence, ast.Tuple: Values._tuple, ast.Set: Values._sequence,
    ast.Starred: Values._starred, ast.NamedExpr: Values._named, ast.ListComp: Values._comprehension,
    ast.SetComp: Values._comprehension, ast.GeneratorExp: Values._comprehension,
    ast.DictComp: Values._mapping, ast.Lambda: Values._lambda,
    ast.Constant: lambda self, node: "",
}  # fmt: skip
