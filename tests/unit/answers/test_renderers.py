"""Each tool is listed without what answers it, and each answer finds the module that lays it out."""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
from typing import Any

import pytest

import torchtalk.answers
from torchtalk.answers.base import Answer
from torchtalk.render.text import lines_of
from torchtalk.tools import all_tools

_LISTS = """
import json, sys
import torchtalk.server.app
from torchtalk.tools import all_tools
all_tools()
print(json.dumps(sorted(sys.modules)))
"""


def _modules() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(torchtalk.answers.__path__)]


def _answers(module: Any) -> list[type[Answer]]:
    own = (value for value in vars(module).values() if isinstance(value, type))
    return [
        one for one in own if issubclass(one, Answer) and one.__module__ == module.__name__
    ]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in _modules() if name != "base"])
def test_each_answer_is_laid_out_by_the_module_of_its_name(name: str) -> None:
    answers = _answers(importlib.import_module(f"torchtalk.answers.{name}"))
    leaves = [one for one in answers if not one.__subclasses__()]
    if leaves:
        importlib.import_module(f"torchtalk.render.text_{name}")
    for answer in leaves:
        assert lines_of.dispatch(answer) is not lines_of.dispatch(Answer)


@pytest.mark.slow
def test_a_server_that_starts_loads_no_tool() -> None:
    done = subprocess.run([sys.executable, "-c", _LISTS], capture_output=True, check=True)
    loaded = set(json.loads(done.stdout))
    for name in all_tools():
        assert f"torchtalk.tools.{name}" not in loaded
    assert not any(
        name.startswith(("torchtalk.affected", "torchtalk.render.text_")) for name in loaded
    )


@pytest.mark.parametrize("name", list(all_tools()))
def test_each_tool_is_answered_by_the_function_of_its_name(name: str) -> None:
    assert callable(getattr(importlib.import_module(f"torchtalk.tools.{name}"), name))
