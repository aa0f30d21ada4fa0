"""A line of a long text of C++ is of the variable that has the text, whatever it looks like."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.affected.texts.initializers import valued

PATH = "aten/src/ATen/native/Loom.cpp"
SOURCE = """namespace at::native {
const std::string loom_text = R"ESCAPE(
  constexpr int warp_size = 32;
  int spin(int x) {
)ESCAPE"
"  tail\\n"
"}";
static Library lib(R"METAL(
  int warp_size = 16;
)METAL");
int weave() { return compile(loom_text); }
int mill() { return lib.run(); }
int other() { return warp_size; }
}
"""
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: one(Tensor self) -> Tensor\n",
    PATH: SOURCE,
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("long_texts")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("line", "user"), [(3, "weave"), (4, "weave"), (5, "weave"), (7, "weave"), (9, "mill"), (10, "mill")]
)  # fmt: skip
def test_a_line_of_it_leads_to_who_uses_the_text(
    conn: sqlite3.Connection, line: int, user: str
) -> None:
    answer = ask(conn, "impact", name=f"{PATH}:{line}")
    assert [subject.name for subject in answer.subjects] == [f"at::native::{user}"]
    text = SOURCE.split("\n")[line - 1]
    diff = f"--- a/{PATH}\n+++ b/{PATH}\n@@ -{line} +{line} @@\n-{text}\n+{text} 1\n"
    changed = ask(conn, "affected", diff=diff).changed
    assert [thing.name.partition(" uses ")[0] for thing in changed] == [f"at::native::{user}"]


def test_texts_in_functions_and_of_one_line_are_none() -> None:
    code = b'auto a = R"x";\nvoid f() {\n  auto b = R"  \n  ";\n}\nstruct S {\n  const char* c = " "\n" ";\n};\nf("\n");'
    assert [(one.name, one.is_text) for one in valued(code)] == [("c", True)]


def test_lists_in_brackets_and_sums_of_texts_have_a_name() -> None:
    text = '"' + "\n" * 2_500 + '"'
    code = f"""
static std::map<std::string, std::vector<K>> versions(
    {{{{"a", 1}},
     {{"b", 2}}}});
std::string all = ""
+ std::string({text})
+ std::string({text}) + std::string("x"
"y");
Registerer reg({{one, two}});
int f(int a = {{}}) {{ return g({{a}}); }}
MACRO({{1, 2}});
f({{1}}) + std::string("a");
@implementation Own {{ int a; }}
+ (int)made:(int)b {{ return 1; }}
@end
"""
    found = [(one.name, code[: one.start].count("\n")) for one in valued(code.encode())]
    assert [name for name, _ in found if name != "Own"] == ["versions", "all", "all", "all", "reg"]
