"""Modules, optimizers and schedulers as the documentation groups them."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.python_sources import documented
from tests.unit.support.python_torch import index_torch
from torchtalk.arguments import BadArgument
from torchtalk.tools import all_tools


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return documented()


def test_modules_are_listed_as_the_documentation_groups_them(conn: sqlite3.Connection) -> None:
    answer = all_tools()["list_modules"].ask(conn, category="nn")
    assert [(group.title, group.total) for group in answer.groups] == [
        ("Caps", 2), ("torch.nn", 2), ("torch.ao.cap", 1), ("torch.nn.modules.cap", 1),
    ]  # fmt: skip
    assert answer.page.total == 6
    names = [module.name for group in answer.groups for module in group.modules]
    paged = [
        module.name
        for offset in range(6)
        for group in all_tools()["list_modules"]
        .ask(conn, category="nn", limit=1, offset=offset)
        .groups
        for module in group.modules
    ]
    assert paged == names


def test_lists_by_text_and_category(conn: sqlite3.Connection) -> None:
    def names(category: str) -> list[str]:
        answer = all_tools()["list_modules"].ask(conn, category=category)
        return [module.name for group in answer.groups for module in group.modules]

    assert names("optim") == ["torch.optim.Optimizer", "torch.optim.Scaled"]
    assert names("lr_scheduler") == [
        "torch.optim.lr_scheduler.LRScheduler", "torch.optim.lr_scheduler.StairLR",
    ]  # fmt: skip
    assert names("caps") == ["torch.nn.Cap", "torch.nn.CapPair"]
    assert len(names("all")) == 10
    missed = all_tools()["list_modules"].ask(conn, category="capz")
    assert (missed.finding, missed.closest) == ("no classes that fit 'capz'", ("Caps",))
    one = all_tools()["list_modules"].ask(conn, category="CapPair")
    assert one.finding == "1 class that fits 'CapPair' under 1 heading"
    assert names("'; DROP TABLE x; --%_") == []
    with pytest.raises(BadArgument):
        names("x" * 10_000)


def test_without_documentation_the_package_of_the_category_comes_first() -> None:
    module = "class Module: ...\nclass Linear(Module): ...\n"
    sources = {
        "torch/nn/__init__.py": "from .modules.module import Module, Linear\n",
        "torch/nn/modules/module.py": module,
        "torch/ao/__init__.py": "",
        "torch/ao/quant.py": "from torch.nn import Module\nclass Quant(Module): ...\n",
    }
    answer = all_tools()["list_modules"].ask(index_torch(sources), category="nn")
    assert [group.title for group in answer.groups] == ["torch.nn", "torch.ao.quant"]


def test_a_category_like_nothing_brings_those_there_are(conn: sqlite3.Connection) -> None:
    answer = all_tools()["list_modules"].ask(conn, category="qqqzzz")
    assert (answer.found, answer.closest) == (False, ())
    assert answer.notes[0].startswith("a category is nn, optim, lr_scheduler or all, or a word of ")
