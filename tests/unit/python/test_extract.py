"""Reading Python files: what the text says is what `ast` says."""

from __future__ import annotations

import ast
import textwrap

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.extract import python
from indexer.extract.python import lexical
from indexer.extract.python.unit import PyUnit
from indexer.facts.operators import Shortfall
from tests.unit.support.python_sources import read
from tests.unit.support.tries import tries


def _text(source: str) -> str:
    return textwrap.dedent(source).lstrip("\n")


def _truth(source: str) -> list[tuple[str, int, int | None]]:
    found = []

    def walk(node: ast.AST, scope: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.append((f"{scope}{child.name}", child.lineno, child.end_lineno))
            elif isinstance(child, ast.ClassDef):
                walk(child, f"{scope}{child.name}.")
            else:
                walk(child, scope)

    walk(ast.parse(source), "")
    return sorted(found)


def test_functions_are_delimited() -> None:
    source = _text(
        '''
        def first(a, b=")(", *, c: "Dict[str, int]" = {1: 2}) -> "x:y":
            """Doc with a line that
        begins further out: def not_me(): pass
            """
            def inner():
                return (
            1 if a else
        2)
            return [
                inner
            ]  # a comment

        class C(Base[int], metaclass=M):
            @property
            def p(self): return 1; x = 2

            async def q(
                self,
            ) -> None:
                text = """
        def neither(): pass
        """
                await self

        x = lambda y: y
        '''
    )
    fact = read(source)
    found = [(f.name, f.line, f.end_line) for f in fact.functions]
    assert sorted(found) == _truth(source)
    assert [(f.name, f.kind) for f in fact.functions] == [
        ("first", "function"), ("C.p", "property"), ("C.q", "method"),
    ]  # fmt: skip
    assert fact.functions[0].signature == ('(a, b=")(", *, c: "Dict[str, int]" = {1: 2}) -> "x:y"')
    assert fact.functions[0].doc == "Doc with a line that begins further out: def not_me(): pass"
    (found_class,) = fact.classes
    assert (found_class.bases, found_class.targets) == (("Base[int]",), ("Base",))


def test_a_long_docstring_is_cut_where_one_sees_it() -> None:
    line = "all the words of a line, and more. "
    paragraph = "".join(f"    {line * 2}\n" for _ in range(4))
    (found,) = read(f'def f():\n    """{paragraph.strip()}\n\n    Not this."""\n').functions
    assert found.doc.endswith("and more. ...") or found.doc.endswith("and more. all ...")
    assert 200 < len(found.doc) <= 300


_NAMES = st.sampled_from(["a", "bb", "f", "Klass", "_x"])
_STRINGS = st.sampled_from(
    ['"x"', "'y'", '"""m\nn"""', "r'''q'''", '"a\\"b"', "'#'", '"(["', 'f"{1}"', '""', "b'z'"]
)


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for block in lines for line in block.split("\n")]


@st.composite
def _statements(draw: st.DrawFn, depth: int = 0) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["call", "string", "comment", "def", "class", "bracket", "if"]))
        if kind in ("def", "class", "if") and depth < 3:
            name = draw(_NAMES)
            head = {
                "def": f"def {name}(x={draw(_STRINGS)}):",
                "class": f"class {name}:",
                "if": "if x:",
            }
            if "\n" in head[kind]:
                head[kind] = f"def {name}(x=1):"
            lines += [head[kind], *_indented(draw(_statements(depth=depth + 1)))]
        elif kind == "call":
            lines.append(f"{draw(_NAMES)}.{draw(_NAMES)}({draw(_STRINGS)})".replace("\n", "\\n"))
        elif kind == "string":
            lines.append(f"z = {draw(_STRINGS)}".replace("\n", "\\n"))
        elif kind == "comment":
            lines.append(f"# {draw(_STRINGS)}".replace("\n", " "))
            lines.append("pass")
        else:
            lines.append("w = [\n1,\n]".replace("\n", "") if depth else "w = (\n  1,\n)")
    return lines


@given(_statements())
@settings(max_examples=tries(200), deadline=None)
def test_any_program_is_read_as_ast_reads_it(lines: list[str]) -> None:
    source = "\n".join(line for line in lines) + "\n"
    fact = read(source)
    written = (f for f in fact.functions if f.kind != "module")
    assert sorted((f.name, f.line, f.end_line) for f in written) == _truth(source)


@given(st.text(alphabet="\"'#\\()[]{}:\n abdef=", max_size=60))
@settings(max_examples=tries(400), deadline=None)
def test_blanking_keeps_every_offset(text: str) -> None:
    blanked = lexical.blank(text)
    assert len(blanked) == len(text)
    assert [at for at, c in enumerate(text) if c == "\n"] == [
        at for at, c in enumerate(blanked) if c == "\n"
    ]


@given(st.binary(max_size=80))
@settings(max_examples=tries(300), deadline=None)
def test_no_bytes_are_too_strange(data: bytes) -> None:
    for fact in python.extract("torch/x.py", data):
        assert isinstance(fact, (python.PythonFile, Shortfall))


def test_files_that_are_no_python_say_where() -> None:
    for text, line in (("def f(:\n", 1), ("x = 1\nprint 'a'\n", 2), ("def f():\n    (\n", 2)):
        (fact,) = python.extract("torch/x.py", text.encode())
        assert isinstance(fact, Shortfall)
        assert fact.status == "failed"
        assert fact.detail.startswith(f"line {line}:")
    (fact,) = python.extract("torch/x.py", b"a\n\xff")
    assert isinstance(fact, Shortfall)
    assert fact.detail == "line 2: not UTF-8"


def test_deep_nesting_ends() -> None:
    for text in ("(" * 10_000 + ")" * 10_000, "[" * 100_000, '"' * 99_999, "-" * 50_000 + "1"):
        assert len(list(python.extract("torch/x.py", text.encode()))) == 1


def test_line_ends_of_all_kinds() -> None:
    for end in ("\n", "\r\n", "\r"):
        fact = read(end.join(["import torch", "def f(x):", "    return torch.relu(x)", ""]))
        assert [(f.name, f.line, f.end_line) for f in fact.functions] == [("f", 2, 3)]
        assert [(c.target, c.line) for c in fact.calls] == [("torch.relu", 3)]


def test_text_that_misleads_is_read_by_ast() -> None:
    # A statement continued at the margin looks like the end of the function.
    source = "def f():\n    x = 1 + \\\n2\n    return x\n\ndef g(): pass\n"
    assert [(f.name, f.line, f.end_line) for f in read(source).functions] == [
        ("f", 1, 4), ("g", 6, 6),
    ]  # fmt: skip


def test_imports_name_what_they_import() -> None:
    fact = read(
        _text(
            """
            from . import a
            from ..b import c as d
            import torch.nn.functional as F
            import torch.optim
            import os
            try:
                from torch.x import y
            except ImportError:
                y = None
            from torch.star import *
            if TYPE_CHECKING:
                from torch.t import T
            """
        ),
        "torch/p/__init__.py",
    )
    assert [(b.name, b.kind, b.target, b.guarded) for b in fact.bindings] == [
        ("a", "from", "torch.p:a", False),
        ("d", "from", "torch.b:c", False),
        ("F", "import", "torch.nn.functional", False),
        ("torch", "import", "torch", False),
        ("y", "from", "torch.x:y", False),
        ("*", "star", "torch.star", False),
        ("T", "from", "torch.t:T", True),
    ]


def test_all_is_followed_through_its_forms() -> None:
    fact = read("__all__ = ['a'] + m.__all__\n__all__ += ['b']\n__all__.extend(['c'])\n")
    assert fact.exports == ("a", "m.*", "b", "c")
    assert read("x = 1\n").exports is None


def test_calls_of_a_body() -> None:
    fact = read(
        _text(
            """
            import torch
            from torch.nn import functional as F

            class M(torch.nn.Module):
                def __init__(self, size):
                    super().__init__()
                    self.inner = torch.nn.Linear(size, size)
                    self.act = F.relu

                def run(self, size):
                    from torch.fft import fft
                    fft(size)
                    self.helper(F.pad(size))
                    layer = torch.nn.Linear(1, 1)
                    layer.reset_parameters()
                    chosen = F.gelu
                    F = 3
                    "torch.no()"  # torch.neither()
            """
        )
    )
    names = {c.target for c in fact.calls}
    assert {
        "super(torch.example.M).__init__", "torch.nn.Linear", "torch.fft.fft",
        "torch.example.M().helper", "torch.nn.functional.pad", "torch.nn.Linear().reset_parameters",
    } <= names  # fmt: skip
    assert ("torch.nn.functional.gelu", "reference") in {(c.target, c.kind) for c in fact.calls}
    assert not any("torch.no" in name or "neither" in name for name in names)
    assert [(b.name, b.target) for b in fact.bindings if b.kind == "attribute"] == [
        ("inner", "torch.nn.Linear()"), ("act", "torch.nn.functional.relu"),
    ]  # fmt: skip


def test_methods_of_what_calls_give() -> None:
    fact = read(
        _text(
            """
            import torch
            from torch.nn import Linear

            class M(torch.nn.Module):
                def run(self, size, Local):
                    Linear(size, 1).reset_parameters()
                    torch.nn.Linear(
                        f(size), (1, 2)
                    ).extra_repr()
                    super().run(size)
                    super(M, self).stop()
                    torch.ones(3).neg().view(size[0],
                        (1)).sum()
                    (size).no()
                    made(size).no()
                    Local(1).no().no()
            """
        )
    )
    methods = [c for c in fact.calls if c.target.startswith("super") or "()" in c.target]
    assert sorted(((c.target, c.line) for c in methods), key=lambda call: call[::-1]) == [
        ("torch.nn.Linear().reset_parameters", 6), ("torch.nn.Linear().extra_repr", 9),
        ("super(torch.example.M).run", 10), ("super(torch.example.M).stop", 11),
        ("torch.ones().neg", 12), ("torch.ones().neg().view", 12), ("torch.ones().neg().view().sum", 13),
    ]  # fmt: skip


def test_values_of_tensors_are_followed() -> None:
    fact = read(
        _text(
            """
            import torch
            from torch import Tensor
            from typing import List, Optional

            def f(x: Tensor, ys: List[Tensor], z: Optional[Tensor] = None, n: int = 1) -> Tensor:
                a = x.softmax(0) * 2
                b, c = torch.max(a, 1)
                for y in ys:
                    b += y[0]
                if torch.any(b):
                    return -b
                return 1 - z @ c + n.bit_length() if z is None else n
            """
        )
    )
    calls = {(c.target, c.kind, c.line) for c in fact.calls}
    assert ("torch.Tensor().softmax", "call", 6) in calls
    assert ("torch.Tensor().softmax().__mul__", "operator", 6) in calls
    assert ("torch.max", "call", 7) in calls
    assert ("torch.Tensor().__getitem__", "operator", 9) in calls
    assert ("torch.max()[0].__iadd__", "operator", 9) in calls
    assert ("torch.any().__bool__", "operator", 10) in calls
    assert ("torch.max()[0].__neg__", "operator", 11) in calls
    assert ("torch.Tensor().__matmul__", "operator", 12) in calls
    assert not any("bit_length" in target for target, _, _ in calls)


def test_a_unit_is_read_once() -> None:
    unit = PyUnit("torch/x.py", b"def f(): pass\n")
    assert unit.module is unit.module
    assert unit.spans is unit.spans


def test_a_class_made_of_another_by_a_function() -> None:
    source = _text(
        """
        from torch import optim

        def partialclass(cls, *args):
            class NewCls(cls):
                x = 1

            return NewCls

        def nothing(cls):
            class Kept(cls):
                pass

            return cls

        Adam = partialclass(optim.Adam, 3)
        SGD = nothing(optim.SGD)
        Lost = partialclass()
        """
    )
    file, *_ = python.extract("torch/made.py", source.encode())
    assert [(c.name, c.bases, c.targets, c.line, c.end_line) for c in file.classes] == [
        ("Adam", ("optim.Adam",), ("torch.optim.Adam",), 4, 5)
    ]


def test_a_tuple_of_one_element_keeps_its_comma() -> None:
    signature = _text("""
        (
            self,
            pair=(1, 2,),
            one=(
                math,
            ),
            made: Tuple[int,] = f(")", 1,),
            *,
            nested=((1,), g[0](2,),),
        ) -> None""")
    assert lexical.without_comments(signature, is_signature=True) == (
        '(self, pair=(1, 2), one=(math,), made: Tuple[int,] = f(")", 1), *, nested=((1,), g[0](2))) -> None'
    )
    assert lexical.without_comments("(\n  math,\n)") == "(math,)"
    assert lexical.without_comments("dtypes(\n  (a,),  # one\n  b,\n)") == "dtypes((a,), b)"


def test_what_is_read_as_an_attribute_is_a_property_however_it_is_decorated() -> None:
    fact = read(
        "class C:\n"
        "    @constraints.dependent_property(is_discrete=True)\n"
        "    def support(self): ...\n"
        "    @lazy_property\n"
        "    def logits(self): ...\n"
        "    @other(1)\n"
        "    def plain(self): ...\n"
    )
    assert [f.kind for f in fact.functions] == ["property", "property", "method"]


def test_accessors_are_those_of_a_property() -> None:
    """`@x.setter` is a property's, `@setter` is some function of that name."""
    fact = read(
        "class C:\n"
        "    @property\n    def x(self): pass\n"
        "    @x.setter\n    def x(self, value): pass\n"
        "    @x.deleter\n    def x(self): pass\n"
        "    @setter\n    def y(self): pass\n"
        "    @staticmethod\n    def z(): pass\n"
        "    @overload\n    def o(self): pass\n"
        "@getter\ndef f(): pass\n"
    )
    kinds = ["property", "setter", "setter", "method", "staticmethod", "overload", "function"]
    assert [f.kind for f in fact.functions] == kinds
