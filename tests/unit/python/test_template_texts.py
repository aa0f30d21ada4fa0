"""What templates of text call of the objects that they are rendered with is run by who renders them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.support.python_sources import read
from tests.unit.support.small_tree import indexed

SOURCES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/kernels.py": """
class Kernel:
    def size(self, x):
        pass
    def stride(self, x):
        pass
    def unused(self):
        pass
    def of_text(self):
        pass
""",
    "torch/template.py": '''
from torch.kernels import Kernel

BODY = r"""
{%- if kernel.stride(x) == 1 %}
{{template.header().getvalue()}}
  int n = {{kernel.size({"a": x}, 1)}};  // kernel.of_text(1)
{%- endif %}
"""

class Template:
    def header(self):
        pass

    def render(self, kernel: Kernel):
        options = dict(template=self, kernel=kernel, other=1)
        return self._template_from_string(BODY).render(**options)

    def by_text(self, held: Kernel):
        return self._template_from_string(BODY).render({"kernel": held})

    def of_nobody(self, kernel):
        return self._template_from_string(BODY).render(kernel=kernel)

class Heir(Template):
    def header(self):
        pass
''',
    "torch/plain.py": """
from torch.kernels import Kernel

BODY = "{{kernel.size(1)}}"

def make(kernel: Kernel):
    return dict(kernel=kernel)
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(SOURCES, tmp_path_factory.mktemp("templates")) as connection:
        yield connection


def test_who_gives_an_object_to_a_template_may_call_what_the_template_calls(
    conn: sqlite3.Connection,
) -> None:
    rows = conn.execute(
        "SELECT source, target, line FROM v_edges WHERE kind = 'candidate' AND origin = 'python'"
        " ORDER BY source, target"
    )
    kernel = [("torch.kernels.Kernel.size", 7), ("torch.kernels.Kernel.stride", 5)]
    assert [tuple(row) for row in rows] == [
        *(("torch.template.Template.by_text", *one) for one in kernel),
        *(("torch.template.Template.render", *one) for one in kernel),
        ("torch.template.Template.render", "torch.template.Template.header", 6),
    ]


def test_what_may_be_called_so_may_be_what_overrides_it(conn: sqlite3.Connection) -> None:
    rows = conn.execute("SELECT source, target FROM v_edges WHERE kind = 'virtual'")
    assert [tuple(row) for row in rows] == [
        ("torch.template.Template.header", "torch.template.Heir.header")
    ]


@given(st.text(st.sampled_from("{}%k.()=,\"'\n a"), max_size=80))
def test_any_text_is_read(text: str) -> None:
    read(f"def f(k: int):\n    return T.render(k=k)\nT = {text!r} + '{{{{k.a(1)}}}}'\n")
