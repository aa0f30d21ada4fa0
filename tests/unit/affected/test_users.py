"""What changed lines outside of functions define, and who uses it; what is new in a diff."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.endless import ended
from tests.unit.support.small_tree import indexed
from torchtalk.affected.diff.diffs import parse_diff
from torchtalk.affected.sources import Sources
from torchtalk.affected.texts import defined as users
from torchtalk.affected.texts import messages
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_CPP, _HEADER, _USER = f"{_NATIVE}/Warp.cpp", f"{_NATIVE}/Warp.h", f"{_NATIVE}/Weft.cpp"
_PY = "torch/yarn.py"
FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  dispatch:\n    CPU: warp_cpu\n"
        "- func: weft(Tensor self) -> Tensor\n  dispatch:\n    CPU: weft_cpu\n"
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    _HEADER: (
        "#pragma once\n#define MOST_YARNS 4\nusing YarnVector =\n    SmallVector<int, 3>;\n"
        "enum class Yarn : long {\n  kWool,\n  kSilk = 3,\n};\n"
        "#define STRINGS(...) namespace strings {\\\n  int all[] = {\nSTRINGS()\n"
        "template <typename T = int>\ninline T spool(T x, int n = 1) {\n  return x;\n}\n"
        "const auto spun_string = jiterator_stringify(\n  T spin(T x) {\n    return x + 1;\n  }\n);\n"
        "const auto woven_string = spun_string + jiterator_stringify(\n  T weave(T x) { return spin(x); }\n);\n"
        "static const int kCounts[2] = {\n  1,\n  2\n};\n"
    ),
    _CPP: (
        "#include <Warp.h>\nnamespace at::native {\nstatic constexpr size_t kSpools =\n    1024; // of yarn\n"
        "Tensor warp_cpu(const Tensor& self) {\n  int left[kSpools];\n  return self;\n}\n"
        "Tensor nobody(const Tensor& self) {\n  // kSpools\n  return self;\n}\n}\n"
    ),
    _USER: (
        "#include <Warp.h>\nnamespace at::native {\nTensor weft_cpu(const Tensor& self) {\n"
        "  YarnVector all; int most[MOST_YARNS]; Yarn one = Yarn::kSilk;\n"
        "  run(woven_string, kCounts[1]);\n  return self;\n}\n}\n"
    ),
    _PY: (
        "MOST = 3\n_TABLE = {\n    'wool': 1,\n    'silk': 2,\n}\n_ALL = [\n    _TABLE,\n]\n\n"
        "def draw():\n    return MOST\n\ndef look():\n    return _ALL\n"
    ),
    "torch/knit.py": "from torch.yarn import MOST\n\ndef knit():\n    return MOST + 1\n",
    "test/test_all.py": (
        "import torch\nfrom torch import yarn, knit\nfrom torch.testing._internal.common_utils import TestCase\n"
        "class TestAll(TestCase):\n"
        "    def test_warp(self):\n        torch.warp(1)\n    def test_weft(self):\n        torch.weft(1)\n"
        "    def test_draw(self):\n        yarn.draw()\n    def test_knit(self):\n        knit.knit()\n"
        "    def test_look(self):\n        yarn.look()\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("users")) as connection:
        yield connection


def _diff(path: str, line: int, old: str, new: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-{old}\n+{new}\n"


def _reached(answer: AffectedAnswer) -> set[str]:
    return {
        test.name.removeprefix("TestAll.test_")
        for test in answer.tests
        if "by name" not in test.path[0]
    }


@pytest.mark.parametrize(
    ("path", "line", "old", "new", "name", "tests"),
    [
        (_CPP, 4, "    1024; // of yarn", "    2048;", "kSpools", {"warp"}),
        (_HEADER, 2, "#define MOST_YARNS 4", "#define MOST_YARNS 5", "MOST_YARNS", {"weft"}),
        (_HEADER, 3, "using YarnVector =", "using YarnVector = const", "YarnVector", {"weft"}),
        (_HEADER, 5, "enum class Yarn : long {", "enum class Yarn : int {", "Yarn", {"weft"}),
        (_HEADER, 7, "  kSilk = 3,", "  kSilk = 4,", "kSilk", {"weft"}),
        (_HEADER, 18, "    return x + 1;", "    return x + 2;", "spun_string", {"weft"}),
        (_HEADER, 26, "  2", "  3", "kCounts", {"weft"}),
        (_PY, 1, "MOST = 3", "MOST = 4", "MOST", {"draw", "knit"}),
        (_PY, 4, "    'silk': 2,", "    'silk': 3,", "_TABLE", {"look"}),
    ],
)
def test_who_uses_it(
    conn: sqlite3.Connection, path: str, line: int, old: str, new: str, name: str, tests: set[str]
) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff(path, line, old, new))
    assert _reached(answer) == tests
    assert answer.unseen == ()
    assert any(note.startswith(f"{path}: {name} changed, which ") for note in answer.notes)
    assert all(thing.name.endswith(f" uses {name}") for thing in answer.changed)


def test_what_nobody_uses_is_not_seen(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, diff=_diff(_HEADER, 6, "  kWool,", "  kCotton,"))
    (unseen,) = answer.unseen
    assert unseen.startswith(f"{_HEADER}: 1 changed line in no function")
    assert _reached(answer) == set()


def test_the_tree_may_have_the_new_file(tmp_path: Path) -> None:
    """In a pull request's checkout the index is of the base: a use stands on another line than there."""
    with indexed(FILES, tmp_path) as conn:
        file = tmp_path / "tree" / _CPP
        file.write_text(
            file.read_text().replace("    1024;", "    // more\n    // of it\n    2048;")
        )
        diff = (
            f"--- a/{_CPP}\n+++ b/{_CPP}\n@@ -4 +4,3 @@\n-    1024; // of yarn\n"
            "+    // more\n+    // of it\n+    2048; // of yarn\n"
        )
        assert _reached(all_tools()["affected"].ask(conn, diff=diff)) == {"warp"}


def test_new_definitions_are_named(conn: sqlite3.Connection) -> None:
    """A kernel that an entry of the same diff names is that operator's."""
    yaml = f"{_NATIVE}/native_functions.yaml"
    diff = (
        f"--- a/{yaml}\n+++ b/{yaml}\n@@ -6,0 +7,3 @@\n+- func: loom(Tensor self) -> Tensor\n+  dispatch:\n"
        "+    CPU, CUDA: loom_any\n"
        f"--- a/{_CPP}\n+++ b/{_CPP}\n@@ -12,0 +13,6 @@\n+static int helper() {{\n+  return 1;\n+}}\n"
        "+Tensor loom_any(const Tensor& self) {\n+  return self;\n+}\n"
        f"--- a/{_PY}\n+++ b/{_PY}\n@@ -15,0 +17,2 @@\n+def fresh():\n+    return 2\n"
    )
    assert all_tools()["affected"].ask(conn, diff=diff).unseen == (
        f"{yaml}: aten::loom is a new operator",
        f"{_CPP}: 2 new definitions: helper, loom_any (kernel of aten::loom for CPU, CUDA)",
        f"{_PY}: 1 new definition: fresh",
    )


@pytest.mark.parametrize(
    "text", ["\n" * 40_000, "typedef a " * 5_000], ids=["empty lines", "typedef"]
)
def test_long_changes_are_read_in_time_of_their_length(text: str) -> None:
    forms = (*users._CPP, users._ASSIGNED, messages._COMMENT)
    with ended():
        for form in forms:
            list(form.finditer(text))


@pytest.mark.slow
def test_many_lines_of_many_tables_are_placed_at_once(tmp_path: Path) -> None:
    tables = "".join(f"_T{n} = [\n    'yarn number {n} of many',\n]\n" for n in range(4_000))
    with indexed({**FILES, _PY: tables}, tmp_path) as conn:
        hunks = "".join(
            f"@@ -{line} +{line} @@\n-    'yarn number {line // 3} of many',\n+    'another',\n"
            for line in range(2, 12_000, 30)
        )
        (change,) = parse_diff(f"--- a/{_PY}\n+++ b/{_PY}\n{hunks}")
        row = conn.execute("SELECT * FROM source_files WHERE path = ?", (_PY,)).fetchone()
        of_file = users.Users(conn, row, change, Sources(conn))
        with ended():
            found = [of_file._tables((span,)) for span in change.old]
        assert found == [[f"_T{n}"] for n in range(0, 4_000, 10)]
