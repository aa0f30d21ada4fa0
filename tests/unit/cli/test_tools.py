"""The commands that are made from the registry."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.unit.support.command import Command, command_line, environment
from torchtalk.answers.base import Answer
from torchtalk.cli.run import run
from torchtalk.cli.tools import command_name, make_command
from torchtalk.render import to_text
from torchtalk.tools import all_tools
from torchtalk.tools.spec import Parameter, Tool


@pytest.fixture
def torchtalk(capsys: pytest.CaptureFixture[str], home: Path) -> Command:
    return Command(capsys)


def _line(tool: Tool, arguments: dict[str, Any]) -> list[str]:
    given = []
    for at, parameter in enumerate(tool.parameters):
        if parameter.name not in arguments:
            continue
        value = str(arguments[parameter.name])
        if parameter.required or (at == 0 and parameter.kind is str):
            given.append(value)
        else:
            given.append(f"--{parameter.name.replace('_', '-')}={value}")
    return given


@pytest.mark.parametrize("name", list(all_tools()))
def test_every_tool_answers_as_text_and_as_json(
    torchtalk: Command, conn: sqlite3.Connection, fixture_db: Path, name: str
) -> None:
    tool = all_tools()[name]
    for example in tool.examples:
        answer = tool.ask(conn, **example)
        expected = 0 if answer.found else 1
        for spelling in {command_name(name), name, name.replace("_", "-")}:
            ended = torchtalk(spelling, *_line(tool, example), "--db", fixture_db)
            assert (ended.code, ended.err) == (expected, "")
            assert ended.out == to_text(answer) + "\n"
        ended = torchtalk(name, *_line(tool, example), "--db", fixture_db, "--json")
        assert json.loads(ended.out)["finding"] == answer.finding


def test_options_become_arguments(torchtalk: Command, fixture_db: Path) -> None:
    ended = torchtalk("trace", "softcap", "--focus", "yaml", "--db", fixture_db)
    assert ended.out.startswith("aten::softcap")
    ended = torchtalk("search", "softcap", "--limit", 1, "--offset", 1, "--db", fixture_db)
    assert "2 to 2 of 4" in ended.out


def test_nothing_found_ends_with_one_and_an_answer(torchtalk: Command, fixture_db: Path) -> None:
    for question in (("trace", "sotfcap"), ("search", "sotfcap")):
        ended = torchtalk(*question, "--db", fixture_db)
        assert (ended.code, ended.err) == (1, "")
        assert "aten::softcap" in ended.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("trace",),
        ("trace", "a", "b"),
        ("trace", "a", "--focus", "none"),
        ("trace", "a" * 4001),
        ("search", "a", "--limit", "0"),
        ("search", "a", "--limit", "201"),
        ("search", "a", "--limit", "x"),
        ("search", "a", "--backend", "none"),
        ("trace", os.fsdecode(b"\xff")),
        ("nosuchcommand",),
        ("status", "--nosuchoption"),
    ],
)
def test_wrong_usage_ends_with_two(
    torchtalk: Command, fixture_db: Path, arguments: tuple[str, ...]
) -> None:
    ended = torchtalk(*arguments, "--db", fixture_db)
    assert (ended.code, ended.out) == (2, "")
    assert "rror" in ended.err


@pytest.mark.parametrize("command", ["status", "index", "diff"])
def test_a_database_whose_name_is_no_text_is_refused(
    torchtalk: Command, fixture_db: Path, fixture_tree: Path, tmp_path: Path, command: str
) -> None:
    database = tmp_path / os.fsdecode(b"\xff.db")
    options = {
        "status": ("--db",),
        "index": ("--pytorch-source", fixture_tree, "--db"),
        "diff": (fixture_db,),
    }
    ended = torchtalk(command, *options[command], database)
    assert (ended.code, ended.out) == (2, "")
    assert "is not UTF-8" in ended.err
    assert not list(tmp_path.glob("*.db*"))


@pytest.mark.slow
def test_a_tree_whose_path_is_no_text_is_none(
    torchtalk: Command, fixture_tree: Path, tmp_path: Path
) -> None:
    tree = tmp_path / os.fsdecode(b"\xff")
    tree.symlink_to(fixture_tree)
    assert torchtalk("index", "--pytorch-source", tree, "--no-clang").code == 0, "it is resolved"
    tree.unlink()
    native = tree / "aten/src/ATen/native"
    native.mkdir(parents=True)
    (native / "native_functions.yaml").touch()
    ended = torchtalk("index", "--pytorch-source", tree)
    assert (ended.code, ended.out, ended.err.count("\n")) == (3, "", 1)
    assert "is not UTF-8" in ended.err


def test_without_a_tree_the_ways_to_give_one_are_said(torchtalk: Command) -> None:
    ended = torchtalk("status")
    assert (ended.code, ended.out) == (3, "")
    assert ended.err.count("\n") == 1
    for way in ("--pytorch-source", "PYTORCH_SOURCE", "torchtalk init"):
        assert way in ended.err


def test_without_an_index_the_command_that_builds_it_is_said(
    torchtalk: Command, fixture_tree: Path
) -> None:
    ended = torchtalk("status", "--pytorch-source", fixture_tree)
    assert (ended.code, ended.out) == (8, "")
    assert "torchtalk index" in ended.err


def test_the_environment_names_the_index(
    torchtalk: Command, fixture_db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHTALK_DB", str(fixture_db))
    named = torchtalk("status")
    assert (named.code, named.out) == (0, torchtalk("status", "--db", fixture_db).out)
    for missing in (tmp_path / "missing.db", tmp_path):
        given = torchtalk("status", "--db", missing)
        assert given.code != 0, "the option goes before the variable"
        monkeypatch.setenv("TORCHTALK_DB", str(missing))
        ended = torchtalk("status")
        assert (ended.code, ended.out) == (given.code, "")
        assert str(missing) in ended.err
    monkeypatch.setenv("TORCHTALK_DB", "")
    assert torchtalk("status").code == 3, "as if it were not set"


def test_foreign_files_are_refused(torchtalk: Command, tmp_path: Path) -> None:
    path = tmp_path / "foreign.db"
    path.write_bytes(b"something else" * 100)
    assert torchtalk("status", "--db", path).code == 8


def test_a_damaged_index_is_no_traceback(
    torchtalk: Command, fixture_db: Path, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.db"
    content = bytearray(fixture_db.read_bytes())
    content[4096 * 4 :] = b"\x55" * (len(content) - 4096 * 4)
    path.write_bytes(content)
    ended = torchtalk("trace", "softcap", "--db", path)
    assert (ended.code, ended.out) == (8, "")
    assert "build it again" in ended.err


@dataclass(frozen=True)
class _Echo(Answer):
    @property
    def found(self) -> bool:
        return self.query != "nothing"


def test_a_command_follows_its_tool(capsys: pytest.CaptureFixture[str], fixture_db: Path) -> None:
    def echo(conn: sqlite3.Connection, **arguments: Any) -> Answer:
        return _Echo(arguments["first_text"], json.dumps(arguments))

    tool = Tool(
        "get_echo",
        "Echo",
        "Says what it was asked.",
        (
            Parameter("first_text", str, "a text"),
            Parameter("how_many", int, "a number", 3, minimum=2, maximum=5),
            Parameter("which", str, "a choice", "b", choices=("a", "b")),
        ),
        echo,
    )
    command = make_command(tool)
    assert command.name == "echo"

    def ask(*arguments: str) -> tuple[int, str]:
        code = run(command, ["--db", str(fixture_db), *arguments])
        return code, capsys.readouterr().out

    defaults = {"first_text": "x", "how_many": 3, "which": "b"}
    assert ask("x") == (0, json.dumps(defaults) + "\n")
    assert ask("x", "--how-many", "5", "--which", "a") == (
        0, json.dumps({**defaults, "how_many": 5, "which": "a"}) + "\n",
    )  # fmt: skip
    assert ask("nothing")[0] == 1
    assert ask("--", "-x")[0] == 0
    for wrong in (["--how-many", "6"], ["--how-many", "1"], ["--which", "c"], []):
        assert ask(*(["x", *wrong] if wrong else []))[0] == 2
    assert run(command, ["--help"]) == 0
    text = capsys.readouterr().out
    for said in (
        "Says what it was asked.",
        "FIRST_TEXT",
        "a text",
        "A number.",
        "2<=x<=5",
        "[a|b]",
    ):
        assert said in text


def test_help_names_every_command_and_exit_code(torchtalk: Command) -> None:
    ended = torchtalk("--help")
    assert ended.code == 0
    for name in ("init", "index", "mcp-serve", *map(command_name, all_tools())):
        assert f"\n  {name} " in ended.out
        assert torchtalk(name, "--help").code == 0
    assert " 130 " in torchtalk("index", "--help").out
    assert torchtalk("--version").out.startswith("torchtalk, version ")


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error(fixture_db: Path) -> None:
    read, written = os.pipe()
    os.close(read)
    ended = subprocess.run(
        command_line("trace", "softcap", "--json", "--db", fixture_db),
        env=environment(), stdout=written, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(written)
    assert (ended.returncode, ended.stderr) == (141, b"")


_HEAVY = ("mcp", "pydantic", "rich", "yaml", "sqlite_utils", "tree_sitter", "clang", "asyncio",
          "multiprocessing", "concurrent.futures")  # fmt: skip


def test_a_question_loads_what_it_needs_and_no_more(fixture_db: Path) -> None:
    program = (
        "import sys\n"
        "from torchtalk.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit as end:\n"
        "    assert end.code == 0, end\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, "trace", "softcap", "--db", str(fixture_db)],
        env=environment(), cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert not set(_HEAVY) & set(ended.stderr.split())


def test_output_that_the_terminal_cannot_show_is_escaped(fixture_db: Path, tmp_path: Path) -> None:
    path = tmp_path / "α.db"
    shutil.copy(fixture_db, path)
    ended = subprocess.run(
        command_line("status", "--db", path),
        env={**environment(), "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"\\u03b1.db" in ended.stdout


def test_a_command_that_is_misspelt_brings_those_like_it(torchtalk: Command) -> None:
    done = torchtalk("trac", "softcap")
    assert done.code == 2 and "Did you mean trace?" in done.err
    assert "Did you mean" not in torchtalk("qqqqqq").err


def test_what_is_left_out_is_told_and_the_index_that_is_missing_can_be_built_so(
    torchtalk: Command, fixture_tree: Path, tmp_path: Path
) -> None:
    result = torchtalk("trace")
    assert result.code == 2
    assert "Missing argument 'NAME'" in result.err
    missing = tmp_path / "a b.db"
    result = torchtalk("trace", "x", "--db", str(missing), "--pytorch-source", str(fixture_tree))
    assert result.code == 8
    assert result.err.endswith(
        f"build it with: torchtalk index --pytorch-source {fixture_tree} --db '{missing}'\n"
    )


@pytest.mark.parametrize("option", ["--db", "--pytorch-source", "--json"])
def test_an_option_that_stands_before_its_command(torchtalk: Command, option: str) -> None:
    ended = torchtalk(option, "x", "status")
    assert ended.code == 2
    assert f"{option} stands behind the command: torchtalk status {option}" in ended.err
    assert "No such option" in torchtalk("--nosuch", "status").err
