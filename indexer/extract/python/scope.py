"""What the names of a file stand for, as far as the file itself tells."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from indexer.extract.python.beside import PACKAGES, beside
from indexer.extract.python.value_texts import (
    GIVING,
    LONGEST_CHOICE,
    ONE,
    TENSOR,
    is_class,
    tuple_of,
)
from indexer.facts.python import PythonBinding

_LEAST_OF_CLASS = 3  # characters


def module_name(path: str) -> str:
    """The dotted name that a file is imported by, its folder taken as on `sys.path`."""
    name = path.removesuffix(".py").removesuffix("/__init__")
    return name.replace("/", ".")


def absolute(module: str, is_package: bool, level: int, name: str | None) -> str:
    """The module that `from ..name import` names (the language reference, section 5.7); of scripts see `beside`.

    Args:
        module: dotted name of the one that the statement stands in.
        is_package: that is an `__init__.py`.
        level: how many dots there are.
        name: behind the dots; None where nothing is.
    """
    if level == 0:
        return beside(module, is_package, name or "")
    parts = module.split(".")
    keep = len(parts) - level + is_package
    return ".".join([*parts[: max(keep, 0)], *([name] if name else [])])


def dotted(node: ast.expr | None) -> str:
    """`a.b.c`, if `node` is a chain of attributes on a name, or a name; an empty string for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


# What makes inputs of tests calls nearly nothing but `make_arg`, of which it says once that it is `make_tensor`.
_SAMPLES = "torch.testing._internal"


class Scope:
    """The module-level names of a file.

    Args:
        module: dotted name of the file's module.
    """

    def __init__(self, module: str) -> None:
        self.module = module
        self.names: dict[str, str] = {}
        self.has_star = False
        self.calls_partials = not module.startswith(_SAMPLES)
        """Whether what `partial` makes of a function is told to call it, beside that it is made of it."""
        self._packages = PACKAGES | {module.partition(".")[0]}
        self._foreign: dict[str, str] = {}

    def add_import(self, binding: PythonBinding) -> bool:
        """Take in `binding`, an imported name, unless it is a class's own; whether it comes from the tree."""
        path = binding.target.replace(":", ".")
        inside = self.is_inside(path)
        if binding.kind == "star":
            self.has_star = self.has_star or inside
        elif not binding.scope:
            names = self.names if inside else self._foreign
            # What stands in for something is not what its name means here.
            names[binding.name] = names.get(binding.name, path) if binding.guarded else path
        return inside

    def has(self, name: str) -> bool:
        """Whether a name is one of the module, whatever it comes from, or built in."""
        return name in self.names or name in self._foreign or name in _BUILTINS

    @property
    def foreign(self) -> Iterable[str]:
        """The names that are imported from elsewhere than the tree."""
        return self._foreign

    def is_inside(self, path: str) -> bool:
        """Whether a dotted path belongs to a package of the tree."""
        return path.partition(".")[0] in self._packages

    def target(self, name: str) -> str:
        """Target of a dotted name; an empty string where nothing of the tree is known by it."""
        head, dot, rest = name.partition(".")
        path = self.names.get(head)
        if path is not None:
            return path + dot + rest
        # Only a star import could still provide it.
        if self.has_star and head and head not in self._foreign and head not in _BUILTINS:
            return f"{self.module}.{name}"
        return ""

    def of_made(self, node: ast.expr | None) -> str:
        """Target of what an object has that is made for it alone: `cexpr = CppPrinter().doprint`; or nothing.

        Args:
            node: what a name of the module is given.
        """
        made = node.value if isinstance(node, ast.Attribute) else None
        path = self.target(dotted(made.func)) if isinstance(made, ast.Call) else ""
        return f"{path}().{node.attr}" if is_class(path) else ""  # type: ignore[union-attr]

    def full(self, name: str) -> str:
        """A dotted name in full, as far as the file tells, wherever it comes from."""
        head, dot, rest = name.partition(".")
        path = self.names.get(head) or self._foreign.get(head)
        return path + dot + rest if path else self.target(name) or name

    def annotation(self, node: ast.expr | None, own: str = "") -> str:
        """Target of an instance of what an annotation says, or an empty string.

        `Optional[X]` and `X | None` are X, `Union[X, Y]` is `union(X|Y)`; a list, tuple or sequence of X is
        `list(X)`, a tuple of X and Y `tuple(X,Y)`, a mapping to X `dict(X)`; of `X[Y]`, where X is a class of the
        tree, it is X.

        Args:
            node: the annotation; None where there is none.
            own: the class that it stands in, of which `Self` is an object (PEP 673); "" where it stands in none.
        """
        if node is None:
            return ""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return self.annotation(ast.parse(node.value.strip(), mode="eval").body, own)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return ""
        if isinstance(node, ast.BinOp):
            return either(self.annotation(part, own) for part in (node.left, node.right))
        if isinstance(node, ast.Subscript):
            return self._generic(node, own)
        name = dotted(node)
        if own and name in _SELF and self.full(name) != f"{self.module}.Self":
            return f"{self.module}.{own}()"
        path = self.target(name) if name else ""
        return f"{path}()" if path else ""

    def type_alias(self, node: ast.expr | None, annotation: ast.expr | None) -> str:
        """Target of what annotations mean by a name: `type(union(X()|Y()))`, where `name = Union[X, Y]`; or nothing.

        Of a tensor or a sequence of some nobody knows which it is: `_TensorOrTensors` of torch/types.py.

        Args:
            node: what the name is given; for `TypeVar("T", bound=X)` it is what that may be.
            annotation: of the name; `TypeAlias` says that `X | Y` is a type.
        """
        found = ""
        if isinstance(node, ast.Subscript):
            kind = dotted(node.value).rpartition(".")[2]
            found = self._generic(node) if kind in _TYPES else ""
        elif isinstance(node, ast.BinOp):
            # `re.I | re.M` are flags, in capitals.
            is_alias = dotted(annotation).endswith("TypeAlias")
            found = self.annotation(node) if is_alias or _are_classes(node) else ""
        elif isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == "TypeVar":
            bound = [keyword.value for keyword in node.keywords if keyword.arg == "bound"]
            found = either(map(self.annotation, (*node.args[1:], *bound)))
        is_one = found.startswith("union(") or not self._mixes(node)
        return f"type({found})" if "(" in found and is_one else ""

    def told_type(self, made: ast.Call, annotation: ast.expr | None) -> str:
        """The type that a generic class is told to be for: `of(Graph())` of `x: Virtualized[Graph] = Virtualized()`.

        Args:
            made: what a name is given.
            annotation: of the name.

        Returns:
            An empty string where it is other than so, or of several types, or the tree has no such type.
        """
        if not isinstance(annotation, ast.Subscript):
            return ""
        name = dotted(annotation.value)
        told = self.annotation(annotation.slice) if name and name == dotted(made.func) else ""
        return f"of({told})" if told and "|" not in told else ""

    def _mixes(self, node: ast.expr | None) -> bool:
        """Whether a union has several parts of the tree, which are then no classes alone."""
        index = node.slice if isinstance(node, ast.Subscript) else None
        parts = index.elts if isinstance(index, ast.Tuple) else ()
        return len(set(map(self.annotation, parts)) - {""}) > 1

    def _generic(self, node: ast.Subscript, own: str = "") -> str:
        kind = dotted(node.value).rpartition(".")[2]
        index = node.slice
        arguments = index.elts if isinstance(index, ast.Tuple) else [index]
        if kind in ("Optional", "Union"):
            return either(self.annotation(each, own) for each in arguments)
        if kind in ("Annotated", "Final", "ClassVar"):
            found = (self.annotation(argument, own) for argument in arguments)
            return next((target for target in found if target), "")
        if kind in ("Type", "type"):
            target = self.annotation(arguments[0], own)
            is_one = target.endswith("()") and "(" not in target[:-2]
            return target[:-2] if is_one else ""  # the class itself
        if kind == "Callable" and len(arguments) == 2:
            given = self.annotation(arguments[1], own)
            return f"{GIVING}{given})" if "(" in given and not _is_variable(given) else ""
        if kind in _TUPLES and not any(_is_dots(argument) for argument in arguments):
            return tuple_of([self.annotation(argument, own) for argument in arguments])
        if kind in _SEQUENCES:
            found = (self.annotation(argument, own) for argument in arguments)
            element = next((target for target in found if target), "")
            return f"list({element})" if element else ""
        if kind in _MAPPINGS and len(arguments) == 2:
            element = self.annotation(arguments[1], own)
            return f"dict({element})" if element else ""
        path = self.target(dotted(node.value)) if kind[:1].isupper() else ""
        return f"{path}()" if path else ""  # a generic class of the tree: `OrderedSet[Node]`


def _are_classes(node: ast.expr) -> bool:
    """Whether all that `|` joins are named as classes are, or None."""
    if isinstance(node, ast.BinOp):
        return (
            isinstance(node.op, ast.BitOr) and _are_classes(node.left) and _are_classes(node.right)
        )
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.Subscript):
        return _are_classes(node.value)
    last = dotted(node).rpartition(".")[2]
    return last in _BUILTINS or (last[:1].isupper() and not last.isupper())


def _is_variable(target: str) -> bool:
    """Whether something is called as variables of types are: `_T`, `R`."""
    return len(target.rpartition(".")[2].strip("_()")) < _LEAST_OF_CLASS


def _is_dots(node: ast.expr) -> bool:
    """Whether something is `...`: a tuple of any length is annotated so."""
    return isinstance(node, ast.Constant) and node.value is ...


def either(targets: Iterable[str]) -> str:
    """Target of a value that is one of several: `union(X()|Y())`, of objects of classes alone.

    Where a sequence or a tensor may stand, too, it is the first of them: what tensors do is looked at more closely, and
    what holds something is mostly made of the other. Empty ones among `targets` count for nothing.
    """
    found = list(dict.fromkeys(target for target in targets if target))
    if len(found) < 2:
        return "".join(found)
    # What is called says less than what stands there, or that is told already: `Callable[[F], Op] | Op`.
    found = [target for target in found if not target.startswith(GIVING)] or found[:1]
    if len(found) < 2:
        return "".join(found)
    parts: list[str] = []
    for target in found:
        parts += target[6:-1].split("|") if target.startswith("union(") else [target]
    if any(part == TENSOR or not part.endswith("()") or "(" in part[:-2] for part in parts):
        return found[0]
    return f"union({'|'.join(dict.fromkeys(parts))})"


def one_of(value: str, other: str) -> str:
    """Target of what is one value or another: `union(X()|Y())` of objects, `one(f|g)` of what is called by its name.

    Args:
        value: its target.
        other: that of the other; an empty string says nothing.

    Returns:
        That of the first where they are neither two objects nor two names, or too many.
    """
    if not (value and other) or value == other:
        return value or other
    if value.startswith(GIVING) != other.startswith(GIVING):
        return (
            other if value.startswith(GIVING) else value
        )  # what is called says more than what it gives
    parts = [part for each in (value, other) for part in _parts(each)]
    if not any("(" in part for part in parts):
        found = f"{ONE}{'|'.join(dict.fromkeys(parts))})"
    else:
        is_made = all(is_class(part.removesuffix("()")) for part in parts)
        found = either((value, other)) if is_made else ""
    is_one = found.startswith((ONE, "union(")) and len(found) < LONGEST_CHOICE
    return found if is_one else value


def _parts(value: str) -> list[str]:
    """The targets of which a value is one."""
    opening = next((sign for sign in (ONE, "union(") if value.startswith(sign)), "")
    return value[len(opening) : -1].split("|") if opening else [value]


_BUILTINS = frozenset(dir(builtins))
_SELF = ("Self", "typing.Self", "typing_extensions.Self")
_TUPLES = ("Tuple", "tuple")
_SEQUENCES = frozenset(
    (
        "List", "list", "Tuple", "tuple", "Sequence", "Iterable", "Iterator", "Collection", "Set", "set",
        "frozenset", "FrozenSet", "deque", "Deque", "MutableSequence", "Generator",
    )
)  # fmt: skip
_MAPPINGS = frozenset(
    ("Dict", "dict", "Mapping", "OrderedDict", "MutableMapping", "DefaultDict", "defaultdict")
)
_TYPES = _SEQUENCES | _MAPPINGS | {"Optional", "Union", "Annotated"}
