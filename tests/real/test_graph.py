"""The joined graph of whole trees, against the lines of their sources."""

from __future__ import annotations

import re
from typing import Any

import pytest

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


def test_torch_nn_linear_is_used_by_modules(new: Real) -> None:
    answer = _ask(new, "called_by", "torch.nn.Linear", limit=200)
    users = {neighbour.name for neighbour in answer.neighbours}
    assert "torch.nn.modules.transformer.TransformerEncoderLayer.__init__" in users
    assert "torch.nn.LazyLinear" in users
