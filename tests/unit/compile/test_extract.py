"""What single files give, and that no text harms."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.extract.cpp import environment as cpp
from indexer.extract.python import compile as layer
from indexer.extract.python.compile.api import CompileApi
from indexer.extract.python.compile.comments import Comments
from indexer.extract.python.compile.dynamo import dynamo
from indexer.extract.python.compile.environment import environment
from indexer.extract.python.compile.graph_breaks import graph_breaks, registry
from indexer.extract.python.compile.places import Functions
from indexer.extract.python.compile.registered import registered
from indexer.extract.python.higher_order import higher_order
from indexer.facts.compile import CompileRegistration, GraphPattern, TableStep
from indexer.facts.operators import Shortfall
from tests.unit.support.tries import tries

NAMES = st.text(string.ascii_uppercase + "_", min_size=2, max_size=12).filter(lambda n: n[0] != "_")


def lowered(text: str) -> list[CompileRegistration]:
    path, module = "torch/_inductor/kernel/x.py", "torch._inductor.kernel.x"
    source = f"import torch\nfrom torch._inductor.lowering import *\naten = torch.ops.aten\n{text}"
    source = source.replace("import *", "import register_lowering, make_fallback, fallback_handler")
    return [
        f for f in registered(path, source.encode(), module) if isinstance(f, CompileRegistration)
    ]


def test_a_loop_over_a_list() -> None:
    found = lowered("for op in [aten.a, aten.b.out]:\n    make_fallback(op)\n")
    assert [(f.operator, f.all_overloads) for f in found if f.role == "fallback"] == [
        ("aten::a", True), ("aten::b.out", False)
    ]  # fmt: skip


def test_where_the_file_of_the_registering_functions_uses_them_itself() -> None:
    """torch/_inductor/lowering.py has `make_fallback` and calls it, by helpers too: the outer line counts."""
    path, module = "torch/_inductor/lowering.py", "torch._inductor.lowering"
    source = (
        "import torch\naten = torch.ops.aten\n"
        "def make_fallback(op, layout_constraint=None, warn=True): pass\n"
        "def both(op, other):\n    make_fallback(op)\n    make_fallback(other)\n"
        "make_fallback(aten.a)\n"
        "both(aten.b, aten.c)\n"
    )
    found = registered(path, source.encode(), module)
    places = [
        (f.operator, f.line)
        for f in found
        if isinstance(f, CompileRegistration) and f.role == "fallback"
    ]
    assert places == [("aten::a", 7), ("aten::b", 8), ("aten::c", 8)]


def test_default_is_the_overload_without_a_name() -> None:
    (found,) = lowered("@register_lowering(aten.a.default)\ndef f(x): return x\n")
    assert (found.operator, found.all_overloads, found.function_line, found.line) == (
        "aten::a",
        False,
        5,
        4,
    )


def test_overloads_of_a_packet_are_the_packet() -> None:
    text = "for ol in aten.a.overloads():\n    register_lowering(getattr(aten.a, ol))(len)\n"
    assert {(f.operator, f.all_overloads) for f in lowered(text)} == {("aten::a", True)}


def test_what_is_asked_for_by_hasattr_holds_for_what_is_there() -> None:
    text = (
        "def pointwise(op, name):\n    register_lowering(op)(len)\n"
        "    if hasattr(prims, name):\n        register_lowering(getattr(prims, name))(len)\n"
        "prims = torch.ops.prims\nif torch.x():\n    pointwise(aten.a, 'a')\n    make_fallback(aten.b)\n"
    )
    assert list(dict.fromkeys((f.operator, f.condition) for f in lowered(text))) == [
        ("aten::a", "if torch.x()"), ("prims::a", "if hasattr(prims, name)"), ("aten::b", "if torch.x()")
    ]  # fmt: skip


def test_inside_a_function_that_nothing_calls() -> None:
    text = "def setup():\n    @register_lowering(aten.a)\n    def inner(x): return x\n"
    (found,) = lowered(text)
    assert found.function == "torch._inductor.kernel.x.setup.<locals>.inner"
    assert found.condition == "when setup() runs"


def test_a_fallback_inside_a_lowering_is_no_registration_at_import() -> None:
    text = "@register_lowering(aten.a)\ndef f(x):\n    return fallback_handler(aten.a.default)(x)\n"
    roles = {(f.role, f.condition) for f in lowered(text)}
    assert roles == {("lowering", ""), ("fallback", "when f() runs")}


def test_what_only_a_run_tells_is_said() -> None:
    text = (
        b"from torch._inductor.lowering import register_lowering\nregister_lowering(pick())(len)\n"
    )
    assert list(registered("torch/_inductor/x.py", text, "torch._inductor.x")) == [
        Shortfall("compile", "partial", "line 2: an operator that only a run tells")
    ]


def test_invalid_python_is_said() -> None:
    (found,) = registered("torch/_inductor/x.py", b"register_lowering(aten.x)\ndef (:\n", "m")
    assert isinstance(found, Shortfall)
    assert found.status == "failed"


def test_steps_of_a_table() -> None:
    text = (
        b"import torch\nfrom torch._decomp import core_aten_decompositions, get_decompositions, remove_decompositions\n"
        b"aten = torch.ops.aten\nmine = {**core_aten_decompositions(), **get_decompositions([aten.a])}\n"
        b"remove_decompositions(mine, [aten.b.out])\n"
    )
    found = [
        f
        for f in registered("torch/_inductor/t.py", text, "torch._inductor.t")
        if isinstance(f, TableStep)
    ]
    table = "torch._inductor.t.mine"
    assert found == [
        TableStep(table, "merge", "torch._decomp.core_aten_decompositions()", "", False, 4),
        TableStep(table, "get", "post_autograd", "aten::a", True, 4),
        TableStep(table, "remove", "", "aten::b.out", False, 5),
    ]


@pytest.mark.parametrize(
    ("text", "name", "default"),
    [
        ('x = os.environ["A_B"]', "A_B", ""),
        ('x = os.environ.get("A_B", str(1))', "A_B", "str(1)"),
        ('x = os.getenv("A_B", "a,b")', "A_B", '"a,b"'),
        ('if "A_B" in os.environ: pass', "A_B", ""),
        ('if "A_B" not in os.environ: pass', "A_B", ""),
        ('NAME = "A_B"\nx = os.environ.get(NAME)', "A_B", ""),
        ('x = get_tristate_env("A_B")', "A_B", ""),
        ('x = Config(env_name_force=["A_B"])', "A_B", ""),
    ],
)
def test_reads_of_the_environment(text: str, name: str, default: str) -> None:
    (found,) = environment("torch/x.py", text.encode())
    assert (found.name, found.default) == (name, default)


@pytest.mark.parametrize(
    "text",
    ['os.environ["A"] = "1"', '# os.environ["A"]', '"""os.environ["A"]"""', "os.environ.get(name)"],
)
def test_what_reads_nothing(text: str) -> None:
    assert list(environment("torch/x.py", text.encode())) == []


def test_only_packages_that_are_installed() -> None:
    assert list(environment("tools/x.py", b'os.environ["A"]')) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('auto x = std::getenv("A_B");', ["A_B"]),
        ('auto x = c10::utils::check_env("A_B");', ["A_B"]),
        ('static const char* KEY = "A_B";\nauto x = getenv(KEY);', ["A_B"]),
        (
            'std::vector<std::string> KEYS = {"A", "B"};\nauto x = getCvarBool(KEYS, false);',
            ["A", "B"],
        ),
        ('auto x = getCvarInt({"A_B", "B"}, 0);', ["A_B", "B"]),
        ('for (const char* v : {"A", "B"}) { auto x = getenv(v); }', ["A", "B"]),
        ('static constexpr const auto key = "A_B";\nauto x = c10::utils::get_env(key);', ["A_B"]),
        ("auto x = getCvarBool(A_B, false);", ["A_B"]),
        ("auto x = parseEnvVarFlag(A_B);", ["A_B"]),
        ("auto x = getenv(A_B);", []),
        ("auto x = getCvarBool(keys, false);", []),
        (
            "bool set(const char* key) { return check_env(key); }\n"
            'bool a() { return set("A_B"); }\nbool b() { return reset("C"); }',
            ["A_B"],
        ),
        ('// getenv("A")', []),
        ('/* getenv("A") */', []),
    ],
)
def test_reads_of_the_environment_in_cpp(text: str, names: list[str]) -> None:
    assert [found.name for found in cpp.environment("c10/x.cpp", text.encode())] == names


def test_a_header_names_variables_that_other_files_read() -> None:
    text = (
        b'// How long to wait.\nstatic std::vector<std::string> A_B = {\n    "A_B", "OLD_B"};\n'
        b'auto x = getCvarInt({"C"}, 7);\nstatic std::vector<std::string> KINDS = {"X"};\n'
    )
    found = [(o.name, o.default, o.description, o.line) for o in cpp.environment("c10/x.hpp", text)]
    said = "How long to wait."
    assert found == [("A_B", "", said, 2), ("OLD_B", "", said, 2), ("C", "7", "", 4)]
    assert [o.name for o in cpp.environment("c10/x.cpp", text)] == ["C"]


@given(name=NAMES, default=st.text(string.ascii_letters + string.digits + " ", max_size=20))
def test_a_variable_is_found_by_its_name(name: str, default: str) -> None:
    text = f"def f():\n    return os.environ.get({name!r}, {default!r})\n"
    (found,) = environment("torch/x.py", text.encode())
    assert (found.name, found.details, found.line) == (name, "f", 2)
    assert found.default.split() == repr(default).split()


def test_comments_above_and_behind() -> None:
    comments = Comments("a = 1\n# one\n#: two\nb = 2  # three\n\nc = '# no'  # noqa: E501\n")
    assert comments.beside(4, 4) == "one two three"
    assert comments.beside(1, 1) == ""
    assert comments.beside(6, 6) == ""


def test_the_function_around_a_place() -> None:
    text = "def a():\n    x\n    def b():\n        y\n    z\nclass C:\n    w\n"
    functions = Functions(text)
    assert [functions.around(text.index(c)) for c in "xyzw"] == ["a", "b", "a", ""]


def test_messages_of_graph_breaks() -> None:
    text = (
        b"def f():\n    unimplemented(f'no {x} ' 'here')\n    unimplemented(msg)\n"
        b"    raise Unsupported('too much')\n    raise UserError(Kind.A, 'yours')\n"
    )
    found = [(g.message, g.function, g.line) for g in graph_breaks("torch/_dynamo/x.py", text)]
    assert found == [("no {x} here", "f", 2), ("too much", "f", 4), ("yours", "f", 5)]


def test_the_registry_of_graph_breaks() -> None:
    (code,) = registry("r.json", b'{"GB0001": [{"Gb_type": "a  b"}], "GB0002": []}')
    assert code == ("GB0001", "a b")
    (failed,) = registry("r.json", b"{")
    assert isinstance(failed, Shortfall)


def test_higher_order_operators() -> None:
    text = (
        b"class _Base(HigherOrderOperator):\n    pass\nclass A(_Base):\n    def __init__(self):\n"
        b"        super().__init__('a')\nb = HigherOrderOperator('b')\n"
    )
    assert sorted(found.name for found in higher_order(text, "m")) == ["a", "b"]


def test_calls_of_the_files_own_functions_are_known() -> None:
    from indexer.extract.python.compile.bodies import Bodies

    api = CompileApi("torch._inductor.lowering", Bodies(""))
    assert api.knows("torch._inductor.lowering.register_lowering")
    assert not api.knows("torch._inductor.lowering.register_pointwise")


PIECES = st.sampled_from(
    [
        "register_lowering(aten.x)(f)", "make_fallback(", "@register_op_impl(aten.y.default)",
        "def f(a):", "    return a",
        "os.environ.get('A')", "decompositions = {**a, **get_decompositions([aten.z])}", "for x in y:", "    pass",
        "register_graph_pattern(CallFunction(aten.q))(f)", "class config:", "    a = 1", "install_config_module(m)",
        "unimplemented(f'{a}')", "register_artifact('a', 'b')", ")", '"""', "aten = torch.ops.aten", "\\", "\x00", "é",
        "_make_inplace(f)", "return NotImplemented", "if torch.xpu._is_compiled():",
    ]
)  # fmt: skip


@settings(max_examples=tries(150), deadline=None)
@given(
    lines=st.lists(PIECES, max_size=12),
    path=st.sampled_from(["torch/_dynamo/x.py", "torch/_inductor/lowering.py"]),
)
def test_no_text_harms(lines: list[str], path: str) -> None:
    data = "\n".join(lines).encode()
    first, second = list(layer.extract(path, data)), list(layer.extract(path, data))
    assert first == second
    for fact in first:
        line = getattr(fact, "line", 1)
        assert 1 <= line <= len(lines) + 1


def test_which_variable_dynamo_has_for_a_higher_order_operator() -> None:
    """By comparisons in `make`, and by the table of newer versions."""
    text = (
        "class TorchHigherOrderOperatorVariable:\n"
        "    @staticmethod\n"
        "    def make(value, source=None, **kwargs):\n"
        '        if value.__name__ == "cond":\n'
        "            return CondVariable(value, source, **kwargs)\n"
        '        elif value.__name__ in ("map", "map_impl"):\n'
        "            return MapVariable(value, source, **kwargs)\n"
        '_hop_name_to_variable_class = {"scan": ScanVariable}\n'
    )
    path = "torch/_dynamo/variables/higher_order_ops.py"
    found = list(dynamo(path, text.encode(), "torch._dynamo.variables.higher_order_ops"))
    assert sorted((rule.name.rpartition(".")[2], rule.target, rule.line) for rule in found) == [
        ("cond", "CondVariable", 4),
        ("map", "MapVariable", 6),
        ("map_impl", "MapVariable", 6),
        ("scan", "ScanVariable", 8),
    ]
    assert list(dynamo("torch/_dynamo/other.py", text.encode(), "torch._dynamo.other")) == []


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        ("mkldnn_ir.QConvPointWisePT2E.create(x)", "extern"),
        ("mkldnn_ir.LinearBinary.create(x)", "extern"),
        ("mkldnn_ir.MKLPackedLinear.create(x)", "extern"),
        ("ir.MkldnnRnnLayer.create(x)", "extern"),
        ("ir.Linearized.create(x)", ""),
    ],
)
def test_what_a_lowering_makes(made: str, kind: str) -> None:
    text = f"@register_lowering(aten.a)\ndef f(x):\n    return {made}\n"
    assert [f.kernels for f in lowered(text)] == [kind]


@pytest.mark.parametrize(
    "call", ["register_replacement(", "gen_register_replacement(f'{name}_key', "]
)
def test_patterns_that_are_replaced(call: str) -> None:
    text = (
        "import torch\nfrom ..pattern_matcher import gen_register_replacement, register_replacement\n"
        "from .joint_graph import patterns\naten = torch.ops.aten\n\n"
        "def one(a, b):\n    return aten.mm(a, b)\n\n\ndef two(a, b):\n    return pad(a, b)\n\n\n"
        f"def hand_on(name, searched, replaced):\n    {call}searched, replaced)\n\n\n"
        "def init():\n    for name, searched, replaced in [('mm', one, two)]:\n"
        f"        {call}searched, replaced, [], None, patterns)\n"
    )
    module = "torch._inductor.fx_passes.pad"
    found = registered("torch/_inductor/fx_passes/pad.py", text.encode(), module)
    assert [fact for fact in found if isinstance(fact, GraphPattern)] == [
        GraphPattern(
            "replacement", f"{module}.one", 6, f"{module}.two",
            "torch._inductor.fx_passes.joint_graph.patterns", ("aten.mm",), 20,
        )
    ]  # fmt: skip


def test_what_a_registry_has_besides_functions_decomposes_nothing() -> None:
    text = (
        "import torch\nfrom torch._decomp import register_decomposition\naten = torch.ops.aten\n"
        "registry = {}\n\n\ndef noop(targets, source=0):\n    def decorated(cond):\n"
        "        register_decomposition(targets, registry=registry, unsafe=True)((cond, source))\n"
        "        return cond\n    return decorated\n\n\n"
        "@noop([aten.ceil, aten.floor])\ndef whole(x):\n    return is_integer_dtype(x.dtype)\n"
    )
    module = "torch._inductor.fx_passes.post_grad"
    found = list(registered("torch/_inductor/fx_passes/post_grad.py", text.encode(), module))
    assert [f for f in found if isinstance(f, CompileRegistration)] == []
    assert [f for f in found if isinstance(f, GraphPattern)] == [
        GraphPattern(
            "graph", f"{module}.whole", 15, "", f"{module}.registry",
            ("aten::ceil", "aten::floor"), 14,
        )
    ]  # fmt: skip
