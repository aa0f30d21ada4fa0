"""The joined graph of whole trees, against the lines of their sources."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.edges import edges_not_in_view
from tests.real.conftest import Real
from torchtalk.render import to_text
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.tools import all_tools

pytestmark = pytest.mark.real

_GEMM = re.compile(r"(?<![\w:])(?:at::native::)?(?:cpublas::)?gemm(?:<\w+>)?\(")


def _ask(real: Real, tool: str, name: str, **arguments: object) -> Any:
    return all_tools()[tool].ask(real.conn, name=name, **arguments)


def test_every_call_of_gemm_that_a_grep_finds(real: Real) -> None:
    found = set()
    folder = real.root / "aten/src/ATen/native"
    for path in [*folder.glob("*.cpp"), *folder.glob("cpu/*.cpp")]:
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if (
                _GEMM.search(line)
                and "void gemm" not in line
                and not line.lstrip().startswith("//")
            ):
                found.add((str(path.relative_to(real.root)), number))
    answer = _ask(real, "called_by", "at::native::cpublas::gemm", limit=200)
    assert {(str(place.file), place.line) for n in answer.neighbours for place in n.uses} == found
    assert len(found) >= 25


def test_gemm_reaches_linear(real: Real) -> None:
    answer = _ask(real, "impact", "gemm")
    paths = {module.name: module.path for module in answer.modules}
    names = [step.name for step in paths["torch.nn.Linear"]]
    assert names[:3] == [
        "torch.nn.modules.linear.Linear.forward",
        "torch._C._nn.linear",
        "aten::linear",
    ]
    assert names[-3:] == [
        "at::native::addmm_out_cpu", "at::native::addmm_impl_cpu_", "at::native::cpublas::gemm",
    ]  # fmt: skip
    assert "aten::addmm" in answer.operators
    assert "torch.nn.functional.linear" in answer.apis


@pytest.mark.parametrize(
    "name",
    [
        "at::native::softmax_kernel_impl",
        "at::native::tril_indices_kernel",
        "at::native::cpublas::gemm",
        "at::native::triu_tril_cuda_template",
        "aten::addmm",
    ],
)
def test_what_a_path_says_stands_on_the_line_it_names(real: Real, name: str) -> None:
    answer = _ask(real, "impact", name, limit=200)
    steps = {step for dependent in answer.dependents for step in dependent.path}
    assert steps
    missing = []
    for step in steps:
        # In Python `self.fc1(x)` calls Linear.forward: what is called need not stand there.
        if step.relation not in ("call", "candidate", "launch", "stub", "operator"):
            continue
        # What a decorator hands to a table or an object is called by the name of that.
        if step.relation == "candidate" and step.origin == "python":
            continue
        # What a macro's expansion calls need not be named where the macro is used.
        if step.origin == "macro":
            continue
        last = re.split(r"::|\.", step.name.removeprefix("aten::").partition(".")[0])[-1]
        if step.origin == "python":
            last = step.name.rpartition(".")[2]
        # A call's line is that of the name; a registration may go on over the next ones.
        source = (
            (real.root / step.place.file).read_text(encoding="utf-8", errors="replace").split("\n")
        )
        text = "".join(source[step.place.line - 1 : step.place.line + 2])
        if last.strip("_") not in text:
            missing.append((step.name, step.relation, str(step.place), text[:120]))
    assert missing == []


def test_a_stub_and_its_kernel(real: Real) -> None:
    answer = _ask(real, "impact", "at::native::softmax_kernel_impl")
    assert [(d.depth, d.name) for d in answer.dependents[:2]] == [
        (0, "at::native::softmax_kernel"),
        (1, "at::native::softmax_cpu_out"),
    ]
    assert answer.operators[:2] == ("aten::_softmax", "aten::softmax")
    assert "torch.nn.functional.softmax" in answer.apis
    assert "torch.nn.Softmax" in {
        module.name for module in _ask(real, "impact", "softmax_cpu_out").modules
    } | {d.name for d in _ask(real, "impact", "softmax_cpu_out", limit=200).dependents}


def test_a_global_function(real: Real) -> None:
    answer = _ask(real, "impact", "at::native::tril_indices_kernel")
    assert answer.operators == ("aten::tril_indices",)
    assert answer.apis == ("torch.tril_indices",)
    first = answer.dependents[0]
    assert (first.name, first.path[0].relation) == ("at::native::tril_indices_cuda", "launch")


def test_a_line_of_tensor_shape(real: Real) -> None:
    path = "aten/src/ATen/native/TensorShape.cpp"
    lines = (real.root / path).read_text(encoding="utf-8").splitlines()
    line = next(
        n for n, text in enumerate(lines, 1) if text.startswith("Tensor as_strided_qtensorimpl(")
    )
    answer = _ask(real, "impact", f"{path}:{line + 1}", depth=1)
    assert [subject.name for subject in answer.subjects] == ["at::native::as_strided_qtensorimpl"]
    assert answer.operators[0] == "aten::as_strided"
    assert "torch.as_strided" in answer.apis
    blank = next(n for n, text in enumerate(lines, 1) if not text and lines[n - 2] == "}")
    assert "stands there" in _ask(real, "impact", f"{path}:{blank}").finding


def test_a_generated_kernels_stub(real: Real) -> None:
    answer = _ask(real, "impact", "at::native::add_stub", depth=1)
    assert {"aten::add", "aten::add_"} <= set(answer.operators)


def test_no_container_is_a_tensor(real: Real) -> None:
    wrong = real.conn.execute(
        """
        SELECT f.path, c.line, c.callee, c.receiver FROM operator_calls AS c
        JOIN functions AS u ON u.id = c.caller_id
        JOIN source_files AS f ON f.id = u.file_id
        JOIN operators AS o ON o.base = c.callee AND o.namespace = 'aten'
        JOIN edges AS e ON e.target = o.id * 16 + 1 AND e.source = c.caller_id * 16 AND e.line = c.line
        WHERE c.is_member AND (c.receiver GLOB 'std::*' OR c.receiver GLOB '*ArrayRef' OR c.receiver = 'Stack')
          AND NOT EXISTS (SELECT 1 FROM operator_calls AS other
                          WHERE other.caller_id = c.caller_id AND other.line = c.line
                            AND other.receiver IS NOT c.receiver)
        """
    ).fetchall()
    assert [tuple(row) for row in wrong] == []


@pytest.mark.parametrize(
    "name", ["at::empty", "at::TensorIteratorBase::build", "torch.nn.Module", "c10::str"]
)
@pytest.mark.parametrize("depth", [3, 6, 20])
def test_the_worst_hubs_have_bounded_answers(real: Real, name: str, depth: int) -> None:
    for exclude in ("ambiguous,boilerplate,compile", "none"):
        for form in ("text", "mermaid", "json"):
            answer = _ask(
                real, "impact", name, depth=depth, exclude=exclude, format=form, limit=200
            )
            assert 200 < len(to_text(answer)) <= MAX_CHARACTERS
            assert answer.page.total >= answer.page.shown


# Those of YAML, of stubs and launches, and between Python's functions and classes.
_EDGES = {
    "2.6.0": {
        "stub": 1509, "dispatch": 6133, "structured": 1920, "launch": 486, "bind": 9383, "call": 1856, "handle": 93,
        "python": 102839, "decorator": 3538, "method": 5316, "inherits": 3387, "derivative": 1204, "lowering": 1482,
        "template": 5774, "specialization": 2080, "virtual": 5994, "written": 1073, "destructor": 606,
    },
    "1.13.1": {
        "stub": 1324, "dispatch": 4816, "structured": 1792, "launch": 413, "bind": 7949, "call": 1764, "handle": 45,
        "python": 55951, "decorator": 2480, "method": 3366, "inherits": 2015, "derivative": 1068,
        "template": 6269, "specialization": 4302, "virtual": 4322, "destructor": 1120,
    },
}  # fmt: skip


def test_how_many_edges_of_each_kind(real: Real) -> None:
    kinds = dict(
        real.conn.execute(
            "SELECT k.kind, count(*) FROM edges AS e JOIN edge_kinds AS k ON k.id = e.kind_id GROUP BY k.kind"
        ).fetchall()
    )
    assert {kind: kinds[kind] for kind in _EDGES[real.version]} == _EDGES[real.version]


@pytest.mark.parametrize(
    ("caller", "callee", "count"),
    [
        ("torch::autograd::Engine::execute", "torch::autograd::python::PythonEngine::execute", 1),
        ("c10::SymNodeImpl::eq", "c10::NestedIntSymNodeImpl::eq", 1),
        # Abstract methods that are asked of `this`, and of what `this` refers to once it is moved.
        ("torch::nn::BatchNormImplBase::forward", "torch::nn::BatchNorm*::_check_input_dim", 3),
        ("torch::distributed::rpc::RpcCommandBase::toMessage", "*::toMessageImpl", 22),
        # Of classes that macros make, 282 for operators and 90 native ones.
        ("torch::jit::SROperatorFunctor::Generate", "torch::jit::SR*::Generate", 372),
    ],
)
def test_virtual_methods_run_those_that_override_them(
    new: Real, caller: str, callee: str, count: int
) -> None:
    (found,) = new.conn.execute(
        "SELECT count(DISTINCT target) FROM v_edges WHERE source = ? AND target GLOB ? AND kind = 'virtual'",
        (caller, callee),
    ).fetchone()
    assert found == count


@pytest.mark.parametrize(
    ("caller", "callee", "kind"),
    [
        # By a typedef, in a table that a macro writes, of an object that a macro makes.
        ("at::CPUGeneratorImpl::current_seed", "at::mt19937_engine::seed", "call"),
        ("torch::jit::dict_ops", "torch::jit::dictSetItem", "reference"),
        (
            "at::functorch::Interpreter::process",
            "at::functorch::VmapInterpreterPtr::processImpl",
            "call",
        ),
        # What makes a namespace's variable, what a use of a body's own macro names, a slot that Python has no name for,
        # a template's argument, and what every container has.
        (
            "torch::autograd::registerVariableHooks",
            "at::impl::VariableHooksRegisterer::VariableHooksRegisterer",
            "constructor",
        ),
        ("torch::jit::initJITBindings", "c10::SymNodeImpl::clone", "virtual"),
        ("THPFunctionType", "THPFunction_dealloc", "reference"),
        ("TORCH_LIBRARY_IMPL_init___Python_0", "pythonFallback", "reference"),
        (
            "torch::profiler::impl::InputOutputEncoder::clear",
            "torch::profiler::impl::AppendOnlyList::clear",
            "call",
        ),
    ],
)
def test_who_calls_what_had_no_caller(new: Real, caller: str, callee: str, kind: str) -> None:
    rows = new.conn.execute(
        "SELECT DISTINCT caller, kind FROM v_calls WHERE callee = ?", (callee,)
    ).fetchall()
    assert (caller, kind) in map(tuple, rows)


def test_decorators_stand_where_they_are_said_to(real: Real) -> None:
    rows = real.conn.execute(
        "SELECT DISTINCT f.path, e.line FROM edges AS e JOIN edge_kinds AS k ON k.id = e.kind_id"
        " JOIN source_files AS f ON f.id = e.file_id WHERE k.kind = 'decorator'"
    ).fetchall()
    assert [
        (path, line) for path, line in rows if not real.line(path, line).lstrip().startswith("@")
    ] == []


# Hashes that containers are given as members, what only tests or other projects use, and what nothing does.
_UNUSED_FUNCTORS = frozenset(
    "DispatchStub GlobalIndexToPerSliceIndex IntTupleHash ParamsEqual ParamsHash ParamsWrapperHash PointwiseOpListFunctor"
    " QChannelShuffle SliceComp TensorMulOp cpublas::UnsafeUkernelKeyHasher templates::cuda::BernoulliKernel"
    " templates::cuda::CauchyKernel templates::cuda::ExponentialKernel templates::cuda::GeometricKernel"
    " templates::cuda::LogNormalKernel templates::cuda::NormalKernel templates::cuda::RandomFromToKernel"
    " templates::cuda::RandomKernel templates::cuda::UniformKernel xnnpack::Deleter std::hash"
    # Handed on as a member's type, as a base's argument, and made by its constructor's name alone.
    " ReversedPackedLayer _cpu_scatter_gather_dim_loop detail::GreaterOrNan".split()
)


def test_functors_have_users(real: Real) -> None:
    rows = real.conn.execute(
        "SELECT u.name, max(EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = u.id AND c.caller_id <> u.id)"
        " OR EXISTS (SELECT 1 FROM edges AS e WHERE e.target = u.id * 16))"
        " FROM functions AS u JOIN source_files AS f ON f.id = u.file_id"
        " WHERE u.last = 'operator()' COLLATE NOCASE AND f.path GLOB 'aten/src/ATen/native/*'"
        " AND NOT (f.path GLOB '*/vulkan/*' OR f.path GLOB '*/transformers/*'"
        " OR f.path GLOB '*/cutlass_extensions/*' OR f.path GLOB '*/qnnpack/*') GROUP BY u.name"
    ).fetchall()
    assert len(rows) == {"2.6.0": 183, "1.13.1": 160}[real.version]
    unused = {
        name.removeprefix("at::native::").removesuffix("::operator()")
        for name, used in map(tuple, rows)
        if not used
    }
    assert len(unused) == {"2.6.0": 24, "1.13.1": 21}[real.version]
    assert unused <= _UNUSED_FUNCTORS


@pytest.mark.parametrize(
    ("file", "text", "operators"),
    [
        # A functor of a header, one that a macro makes, a reduction's operation, a cell, a specialization.
        ("cuda/BinaryInternal.h", "struct MulFunctor", {"aten::mul", "aten::div"}),
        ("cuda/ForeachUnaryOp.cu", "acos, Acos", {"aten::_foreach_acos", "aten::_foreach_acos_"}),
        ("SharedReduceOps.h", "struct AbsMinOps", {"aten::linalg_vector_norm"}),
        ("RNN.cpp", "struct LSTMCell", {"aten::lstm_cell", "aten::lstm"}),
        ("BatchLinearAlgebra.cpp", "lapackSvd<float>", {"aten::_linalg_svd"}),
    ],
)
def test_what_templates_run_reaches_operators(
    real: Real, file: str, text: str, operators: set[str]
) -> None:
    path = f"aten/src/ATen/native/{file}"
    lines = (real.root / path).read_text(encoding="utf-8").split("\n")
    first = 1 + next(n for n, line in enumerate(lines) if text in line)
    line = real.conn.execute(
        "SELECT line FROM v_functions WHERE file = ? AND line >= ? AND kind <> 'constructor' ORDER BY line",
        (path, first),
    ).fetchone()[0]
    answer = _ask(real, "impact", f"{path}:{line}", depth=6, limit=200)
    names = set(answer.operators)
    assert operators <= names


def test_every_edge_has_a_name_at_either_end(real: Real) -> None:
    assert edges_not_in_view(real.conn) == Counter()


def test_edges_by_name(real: Real) -> None:
    rows = real.conn.execute(
        "SELECT source, target, kind, file, line FROM v_edges WHERE file = ? AND kind <> 'test'",
        ("aten/src/ATen/native/SoftMax.cpp",),
    ).fetchall()
    assert all(row["source"] and row["target"] for row in rows)
    found = {(row["source"], row["target"], row["kind"]) for row in rows}
    assert ("at::native::softmax_cpu_out", "at::native::softmax_kernel", "stub") in found
    assert ("at::native::softmax", "aten::_softmax", "operator") in found


def test_torch_nn_linear_is_used_by_modules(new: Real) -> None:
    answer = _ask(new, "called_by", "torch.nn.Linear", limit=200)
    users = {neighbour.name for neighbour in answer.neighbours}
    assert "torch.nn.modules.transformer.TransformerEncoderLayer.__init__" in users
    assert "torch.nn.LazyLinear" in users


_NAMED = re.compile(
    r"\b(?:findSchemaOrThrow|findSchema|findOp|callOpByName|OperatorName)\b\s*[({]\s*[({]?\s*"
    r'"(\w+::\w+)"\s*,\s*"(\w*)"'
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@pytest.mark.parametrize("tree", ["new", "old"])
def test_every_handle_that_a_grep_finds(tree: str, request: pytest.FixtureRequest) -> None:
    real: Real = request.getfixturevalue(tree)
    operators = {name for (name,) in real.conn.execute("SELECT name FROM operators")}
    found = set()
    for folder in ("aten", "c10", "torch", "functorch"):
        for path in (real.root / folder).rglob("*"):
            if path.suffix not in (".cpp", ".h", ".cc", ".cu", ".cuh", ".hpp", ".mm"):
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            text = _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
            for match in _NAMED.finditer(text):
                name = ".".join(part for part in match.groups() if part)
                # Tests look up what they have just registered themselves.
                if name in operators:
                    line = text.count("\n", 0, match.start()) + 1
                    found.add((path.relative_to(real.root).as_posix(), line, name))
    known = set(
        real.conn.execute("SELECT file, line, target FROM v_edges WHERE kind = 'handle'").fetchall()
    )
    assert found <= {tuple(row) for row in known}
    assert len(found) >= (80 if tree == "new" else 40)


_BY_EYE = Path(__file__).parents[1] / "data" / "edges-by-eye-2.6.0.tsv.gz"


@pytest.mark.parametrize(("drawn", "share"), [("syntax", 0.90), ("templates", 0.85)])
def test_edges_that_were_read_and_found_right_are_still_there(
    new: Real, drawn: str, share: float
) -> None:
    text = gzip.decompress(_BY_EYE.read_bytes()).decode("utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    judged = [row[1:8] for row in rows if row[0] == drawn]
    right = [row for row in judged if row[6] == "right"]
    assert len(right) / len(judged) >= share
    files = sorted({row[3].rpartition(":")[0] for row in right})
    known = {
        (f"{file}:{line}", source, target)
        for file, line, source, target in new.conn.execute(
            "SELECT file, line, source, target FROM v_edges WHERE file IN (SELECT value FROM json_each(?))",
            (json.dumps(files),),
        )
    }
    # What was known to be handed on, at the line that makes it, may be known to be called since, where it is.
    called = {
        tuple(row)
        for row in new.conn.execute(
            "SELECT file, caller, callee FROM v_calls WHERE kind = 'call'"
            " AND file IN (SELECT value FROM json_each(?))",
            (json.dumps(files),),
        )
    }
    missing = [
        (kind, caller, callee, place)
        for kind, caller, callee, place, *_ in right
        if (place, caller, callee.partition("  ")[0]) not in known
        and (place.rpartition(":")[0], caller, callee.partition("  ")[0]) not in called
    ]
    # Of eight candidates that are kept of many, which ones may change; what templates run was drawn from an index
    # with exact calls, and where the text takes something else to call it there is no such edge.
    changing = (
        {"candidate", "template", "specialization"} if drawn == "templates" else {"candidate"}
    )
    assert {kind for kind, *_ in missing} <= changing, missing
    # Of a call whose object's class is known since, the other classes' candidates are gone.
    assert len(missing) <= 3, missing
