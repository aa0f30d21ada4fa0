"""The methods that operators and built-in functions run (Doc/reference/datamodel.rst, Special method names)."""

from __future__ import annotations

import ast

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift",
    ast.RShift: "rshift",
}  # fmt: skip
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "__eq__", ast.NotEq: "__ne__", ast.Lt: "__lt__", ast.LtE: "__le__",
    ast.Gt: "__gt__", ast.GtE: "__ge__",
}  # fmt: skip
UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__",
}  # fmt: skip
BUILT_IN = {
    "float": "__float__", "int": "__int__", "bool": "__bool__", "complex": "__complex__",
    "len": "__len__", "abs": "__abs__", "reversed": "__reversed__",
}  # fmt: skip
