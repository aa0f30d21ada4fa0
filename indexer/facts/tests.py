"""Facts of layer 5: what tests are made of, beyond what the Python layer reads of every file.

Names of classes and functions are *targets* as in `indexer.facts.python`: dotted paths as far as
the file itself tells.
"""

from __future__ import annotations

from typing import NamedTuple


class TestInfo(NamedTuple):
    """A call that may make an OpInfo, ModuleInfo or OptimizerInfo: the link step decides.

    Args:
        line: of the call, 1-based.
        class_target: what is called.
        name: as given to the constructor; None where it is not known statically.
        variant: `variant_test_name`, None where not given.
        aten_name: as given, else None.
        aliases: names, comma-separated.
        subject: source of `op=`, or target of the first argument where that is a class.
        dtypes: source of `dtypes=`.
        sample_inputs: target of the function that makes sample inputs.
        inplace: source of `inplace_variant=`.
        skips: `Class.test` of the DecorateInfos in skips and decorators, comma-separated.
        ref_name: `torch_opinfo_name` of a Python reference: the entry it inherits from.
        ref_variant: the variant of that entry.
        list_name: module-level name that the result becomes an element of; empty if none.
        maker_line: line of the function that makes the call for a list, or None.
        unknown: what could not be told statically, for `coverage`; empty if nothing.
        end_line: of the call's last line.
        fields: what it is given for its fields, by signs (indexer/extract/python/testing/fields.py).
    """

    line: int
    class_target: str
    name: str | None
    variant: str | None
    aten_name: str | None
    aliases: str
    subject: str
    dtypes: str
    sample_inputs: str
    inplace: str
    skips: str
    ref_name: str | None
    ref_variant: str | None
    list_name: str
    maker_line: int | None
    unknown: str
    end_line: int
    fields: str


class InfoClass(NamedTuple):
    """How a class of that kind changes the name that it is given.

    Args:
        name: of the class, within its module.
        template: `_foreach_{}`; `{}` where the name stays; `mvlgamma` where it is always that.
        line: of the class.
        fields: what they are where nothing is given, by the same signs as a call's.
    """

    name: str
    template: str
    line: int
    fields: str


class ListPart(NamedTuple):
    """What a module-level list takes from another.

    Args:
        list_name: the list.
        position: among its parts.
        target: the other list.
        class_target: only instances of this class, or empty.
        condition: what else is asked of an element, as written; empty: nothing.
        line: of the statement.
    """

    list_name: str
    position: int
    target: str
    class_target: str
    condition: str
    line: int


class Instantiation(NamedTuple):
    """A module-level call, or class decorator, that makes tests of a class.

    Args:
        line: of the call.
        function: target of what is called.
        class_target: of the class.
        arguments: what else is given, as written.
    """

    line: int
    function: str
    class_target: str
    arguments: str


class RunsTests(NamedTuple):
    """A file runs its tests when it is run itself: its `__main__` block says so.

    Args:
        line: of the block.
    """

    line: int


class TestImport(NamedTuple):
    """An import of what only a test's place tells: `from test_jit import *` finds the file beside it.

    Args:
        target: the module; `module:name` where a name is taken from it, `module:*` where all are;
            `list=module:name` where a list of the module has it, for others to import; `os.environ=NAME` of a
            variable of the environment that has to be there.
        line: of the statement.
    """

    target: str
    line: int


ASSIGNED = "="
"""Stands before a name that a file of torch.testing gives a value, in the place of whose uses its line stands."""


class UtilityUses(NamedTuple):
    """How often a file uses what tests are written with, where no function's calls tell it.

    Args:
        uses: pairs of a name and a number, all separated by spaces: `.assertEqual`, which is called on something,
            or the target of what is called at module level; see `ASSIGNED`.
    """

    uses: str


class ExpectedMessages(NamedTuple):
    """What a file expects errors and warnings to say.

    Args:
        messages: one a line, each behind the line that it begins on and a space; as written, mostly a regular
            expression.
    """

    messages: str


UNSURE = "?"
"""Stands before a method that containers have too, where nothing tells what it is called on."""

ALONE = "0"
"""Stands before a name of several words, or one of Python's own, that a function only calls by itself or defines, where
its file imports nothing of this name.
"""

CAPITALS = "1"
"""Stands before a name of several words with capitals: full-text tables have all names in lower case."""


class BodyNames(NamedTuple):
    """Names in the body of a function of a test file.

    Args:
        line: of the `def`.
        methods: what it calls on values that may be tensors, space-separated, each once; see `UNSURE`.
        names: all that it calls or takes from something, space-separated, each once; see `ALONE` and `CAPITALS`.
    """

    line: int
    methods: str
    names: str


TestFact = (
    TestInfo
    | InfoClass
    | ListPart
    | Instantiation
    | RunsTests
    | TestImport
    | UtilityUses
    | ExpectedMessages
    | BodyNames
)
