"""The tools about tests, on the fixture tree."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.support.tries import tries
from torchtalk.arguments import BadArgument
from torchtalk.render import to_json, to_text
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.tools import all_tools

_INVOCATIONS = "torch/testing/_internal/common_methods_invocations.py"


def find(conn: sqlite3.Connection, query: str, **arguments: object) -> list[str]:
    return to_text(
        all_tools()["find_similar_tests"].ask(conn, query=query, **arguments)
    ).splitlines()


def test_entries_come_first_then_generic_tests_then_dedicated_ones(
    conn: sqlite3.Connection,
) -> None:
    lines = find(conn, "softcap")
    assert lines[0].startswith("aten::softcap: 1 OpInfo-like entry, run by generic tests in 1 file")
    assert lines[1].startswith(f"opinfo softcap  {_INVOCATIONS}:")
    assert lines[2].startswith(
        "3 generic tests, 1 of them only if the entry supports it  test/test_entries.py:9  [@ops: 1 of these entries"
    )
    assert lines[3] == "  $ pytest test/test_entries.py -k _softcap_"
    assert lines[4].startswith("TestCaps.test_softcap  test/test_caps.py:22  [named after softcap")
    assert lines[5] == "  $ pytest test/test_caps.py -k 'TestCaps and test_softcap'"


def test_what_a_python_function_happens_to_call_is_not_what_it_is_about(
    conn: sqlite3.Connection,
) -> None:
    rows = conn.execute("SELECT operator FROM v_python_api WHERE api = 'torch.trimmed'").fetchall()
    assert {row[0] for row in rows} > {"aten::softcap.int", "aten::linalg_trim"}
    answer = all_tools()["find_similar_tests"].ask(conn, query="torch.trimmed", limit=100)
    assert not [hit for hit in answer.hits if "softcap" in hit.name]
    # A function that has an operator's name is about that operator.
    assert any("softcap" in hit.name for hit in
               all_tools()["find_similar_tests"].ask(conn, query="torch.softcap").hits)  # fmt: skip


@pytest.mark.parametrize("query", ["torch.softcap", "F.softcap", "aten::softcap", "softcap"])
def test_names_in_all_forms(conn: sqlite3.Connection, query: str) -> None:
    assert any("TestCaps.test_softcap" in line for line in find(conn, query))


def test_a_module_finds_its_entry_and_its_users(conn: sqlite3.Connection) -> None:
    lines = find(conn, "nn.Cap")
    assert any(line.startswith("moduleinfo nn.Cap ") for line in lines)
    assert any("uses torch.nn.Cap" in line for line in lines)


def test_a_word_in_lower_case_is_the_class_that_has_entries(conn: sqlite3.Connection) -> None:
    assert any(line.startswith("moduleinfo nn.Cap ") for line in find(conn, "cap"))
    assert not any("info " in line for line in find(conn, "module"))


def test_words_are_words_not_parts(conn: sqlite3.Connection) -> None:
    text = "\n".join(find(conn, "band"))
    assert "test_band_copy" not in text
    assert "CapTest.BandUp" in text
    assert "test_band_copy_of_cap" in "\n".join(find(conn, "band copy"))


def test_gtests_have_a_command(conn: sqlite3.Connection) -> None:
    lines = find(conn, "linalg_trim")
    assert "  $ build/bin/cap_test --gtest_filter='*CapFixture*.TrimsTwice*'" in lines


def test_words_in_other_forms_where_these_have_none(conn: sqlite3.Connection) -> None:
    answer = all_tools()["find_similar_tests"].ask(conn, query="bands copying")
    assert [hit.name for hit in answer.hits][:1] == ["TestBands.test_band_copy_of_cap"]
    assert answer.notes == ("no test is named so; these have words that begin alike",)
    answer = all_tools()["find_similar_tests"].ask(conn, query="bands copy elsewhere")
    assert [hit.name for hit in answer.hits][:1] == ["TestBands.test_band_copy_of_cap"]
    assert answer.notes[0].endswith("none has elsewhere as well")
    assert not all_tools()["find_similar_tests"].ask(conn, query="b c").found


def test_nothing_fits(conn: sqlite3.Connection) -> None:
    answer = all_tools()["find_similar_tests"].ask(conn, query="softcup")
    assert not answer.found
    assert answer.closest


def test_pages_do_not_overlap(conn: sqlite3.Connection) -> None:
    whole = all_tools()["find_similar_tests"].ask(conn, query="softcap", limit=50).hits
    parts = [
        hit
        for offset in range(len(whole))
        for hit in all_tools()["find_similar_tests"]
        .ask(conn, query="softcap", limit=1, offset=offset)
        .hits
    ]
    assert tuple(parts) == whole


def test_utilities_by_category(conn: sqlite3.Connection) -> None:
    text = to_text(all_tools()["list_test_utils"].ask(conn))
    assert "decorators: 5" in text
    lines = to_text(all_tools()["list_test_utils"].ask(conn, category="decorators")).splitlines()
    assert lines[1].startswith("torch.testing._internal.common_device_type.ops  ")
    assert "3 uses in 1 file" in lines[1]


def test_categories_of_utilities_are_paged(conn: sqlite3.Connection) -> None:
    whole = all_tools()["list_test_utils"].ask(conn)
    assert whole.page.total == len(whole.categories) > 1
    parts = [
        all_tools()["list_test_utils"].ask(conn, limit=1, offset=at)
        for at in range(len(whole.categories))
    ]
    assert tuple(line for part in parts for line in part.categories) == whole.categories
    text = to_text(parts[0])
    assert text.splitlines()[0] == to_text(whole).splitlines()[0]
    assert f"1 to 1 of {whole.page.total} categories; more with offset=1" in text
    assert f"none at offset 99: there are {whole.page.total} categories" in to_text(
        all_tools()["list_test_utils"].ask(conn, offset=99)
    )


def test_utilities_by_word(conn: sqlite3.Connection) -> None:
    text = to_text(all_tools()["list_test_utils"].ask(conn, category="alike"))
    assert "assert_alike(actual, expected)" in text
    assert "Fail unless two tensors are alike." in text
    answer = all_tools()["list_test_utils"].ask(conn, category="decoration")
    assert "decorators" in answer.closest


def test_a_file(conn: sqlite3.Connection) -> None:
    text = to_text(all_tools()["test_file_info"].ask(conn, path="test/test_caps.py"))
    assert text.startswith("test/test_caps.py: 8 tests in 5 classes")
    assert (
        "TestCaps(test.test_caps.CapMixin, torch.testing._internal.common_utils.TestCase)" in text
    )
    assert 'for each device (only_for=("cuda", "cpu"))' in text
    assert "operators by tests that call them: band 2" in text


def test_a_list_whose_condition_is_not_evaluated_says_so(conn: sqlite3.Connection) -> None:
    lines = to_text(
        all_tools()["test_file_info"].ask(conn, path="test/test_entries.py")
    ).splitlines()
    some = next(line for line in lines if "op.width" in line)
    assert some.endswith(": at most 1 entry (its condition is not evaluated), 1 test")
    each = next(line for line in lines if "op_db)" in line)
    assert "at most" not in each


def test_a_part_of_a_path_that_fits_several(conn: sqlite3.Connection) -> None:
    answer = all_tools()["test_file_info"].ask(conn, path="test_caps")
    assert not answer.found
    assert [line.split()[0] for line in answer.candidates] == [
        "test/test_caps.py",
        "test/nested/test_caps.py",
    ]
    assert all_tools()["test_file_info"].ask(conn, path="entries").path == "test/test_entries.py"
    assert not all_tools()["test_file_info"].ask(conn, path="no such file").found


def test_affected_by_an_operator(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, names="aten::softcap")
    names = [test.name for test in answer.tests]
    assert names[0] == "TestCaps.test_softcap"
    assert "3 generic tests for softcap" in names
    assert answer.tests[0].path == ("aten::softcap", "named after it and calls it")
    assert "CapTest.BandUp" not in names


def test_affected_by_a_changed_entry(conn: sqlite3.Connection) -> None:
    line = conn.execute("SELECT line FROM v_opinfos WHERE name = 'softcap'").fetchone()[0]
    diff = f"--- a/{_INVOCATIONS}\n+++ b/{_INVOCATIONS}\n@@ -{line} +{line} @@\n-a\n+b\n"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert [thing.name for thing in answer.changed] == ["OpInfo softcap"]
    assert [test.name for test in answer.tests] == ["3 generic tests for softcap"]
    assert answer.commands == ("pytest test/test_entries.py -k _softcap_",)


def test_affected_by_a_changed_module(conn: sqlite3.Connection) -> None:
    line = conn.execute("SELECT line FROM v_methods WHERE class LIKE '%.Cap'").fetchone()[0]
    path = "torch/nn/modules/cap.py"
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{line + 1} +{line + 1} @@\n-a\n+b\n"
    names = [test.name for test in all_tools()["affected"].ask(conn, diff=diff).tests]
    assert names[0] == "TestBands.test_band_copy_of_cap"


def test_affected_as_a_script(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(
        conn, names="aten::softcap no_such_thing_at_all", form="commands"
    )
    for line in to_text(answer).splitlines():
        assert line.startswith(("# ", "pytest ", "build/bin/"))


def test_affected_keeps_to_its_budget(conn: sqlite3.Connection) -> None:
    for budget in range(1, 8):
        answer = all_tools()["affected"].ask(conn, names="softcap", max_tests=budget)
        assert 0 < answer.selected <= budget
        assert answer.selected == sum(test.tests for test in answer.tests)


def test_more_generic_tests_than_the_budget_are_named_one_by_one(conn: sqlite3.Connection) -> None:
    whole = all_tools()["affected"].ask(conn, names="softcap", max_tests=50)
    group = next(test for test in whole.tests if test.kind == "generic" and test.tests > 1)
    line = conn.execute("SELECT line FROM v_opinfos WHERE name = 'softcap'").fetchone()[0]
    diff = f"--- a/{_INVOCATIONS}\n+++ b/{_INVOCATIONS}\n@@ -{line} +{line} @@\n-a\n+b\n"
    answer = all_tools()["affected"].ask(conn, diff=diff, max_tests=group.tests - 1)
    assert answer.selected == group.tests - 1
    (test,) = answer.tests
    assert test.name == f"the first {group.tests - 1} generic tests for softcap"
    names = {row[0] for row in conn.execute("SELECT test FROM v_tests")}
    asked = test.command.partition("-k ")[2].strip("'").split(" or ")
    assert len(asked) == group.tests - 1
    assert {name.removesuffix("_softcap_") for name in asked} < names
    assert answer.commands == (test.command,)


def test_generic_tests_that_are_too_many_to_be_named_are_not_the_whole_file(
    conn: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torchtalk.tools.affected.MOST_NAMES", 1)
    line = conn.execute("SELECT line FROM v_opinfos WHERE name = 'softcap'").fetchone()[0]
    diff = f"--- a/{_INVOCATIONS}\n+++ b/{_INVOCATIONS}\n@@ -{line} +{line} @@\n-a\n+b\n"
    (test,) = all_tools()["affected"].ask(conn, diff=diff, max_tests=2).tests
    assert test.name == "the first 2 generic tests for softcap"
    assert test.command.endswith(" -k _softcap_")
    (test,) = all_tools()["affected"].ask(conn, diff=diff, max_tests=1).tests
    assert test.name == "the first generic test for softcap"


def test_affected_says_what_it_does_not_see(conn: sqlite3.Connection) -> None:
    diff = "--- a/torch/x.txt\n+++ b/torch/x.txt\n@@ -1 +1 @@\n-a\n+b\n"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert answer.unseen == ("torch/x.txt: not in the index",)
    assert not answer.tests
    with pytest.raises(BadArgument, match="names or a diff"):
        all_tools()["affected"].ask(conn)
    with pytest.raises(BadArgument, match="no file"):
        all_tools()["affected"].ask(conn, diff="no diff")


def test_no_text_is_told_what_is_wanted(conn: sqlite3.Connection) -> None:
    for empty in ("", " \n"):
        found = all_tools()["find_similar_tests"].ask(conn, query=empty)
        assert (found.found, found.finding[:16]) == (False, "give an operator")
        file = all_tools()["test_file_info"].ask(conn, path=empty)
        assert (file.found, file.finding[:13]) == (False, "give the path")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=tries(40))
@given(text=st.text(min_size=1, max_size=60))
def test_any_text_gets_an_answer(conn: sqlite3.Connection, text: str) -> None:
    for tool, name in (
        (all_tools()["find_similar_tests"], "query"),
        (all_tools()["list_test_utils"], "category"),
        (all_tools()["test_file_info"], "path"),
        (all_tools()["affected"], "names"),
    ):
        try:
            answer = tool.ask(conn, **{name: text})
        except BadArgument:
            continue
        assert len(to_text(answer)) <= MAX_CHARACTERS
        to_json(answer)


def test_the_tests_that_a_changed_skip_names_come_first(conn: sqlite3.Connection) -> None:
    line = conn.execute("SELECT line FROM v_opinfos WHERE name = 'softcap'").fetchone()[0]
    diff = f"--- a/{_INVOCATIONS}\n+++ b/{_INVOCATIONS}\n@@ -{line} +{line} @@\n-a\n+b\n"
    whole = all_tools()["affected"].ask(conn, diff=diff, max_tests=50)
    group = next(test for test in whole.tests if test.kind == "generic" and test.tests > 1)
    (first,) = all_tools()["affected"].ask(conn, diff=diff, max_tests=1).tests
    names = [
        row[0] for row in conn.execute(
            "SELECT DISTINCT test FROM v_tests WHERE file = ? AND decorators GLOB 'ops*'", (group.place.file,)
        )
    ]  # fmt: skip
    other = next(name for name in names if f"{name}_softcap_" not in first.command)
    skip = diff.replace("+b", f"+    DecorateInfo(unittest.skip('x'), 'TestCaps', '{other}')")
    (named,) = all_tools()["affected"].ask(conn, diff=skip, max_tests=1).tests
    assert f"{other}_softcap_" in named.command
