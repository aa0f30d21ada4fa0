"""What calls and brackets give: calls of what a call gives, `Self`, `__getitem__`, decorators, metaclasses, imports."""

from __future__ import annotations

from collections.abc import Mapping

from tests.unit.support.python_torch import index_torch


def surely_called(files: Mapping[str, str], caller: str) -> list[tuple[int, str]]:
    """What a function of a module calls for sure, with its module and line."""
    rows = index_torch(files).execute(
        "SELECT DISTINCT c.line, m.name || '.' || called.name FROM python_calls AS c"
        " JOIN python_functions AS caller ON caller.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS called ON called.id = r.function_id"
        " JOIN python_modules AS m ON m.id = called.module_id"
        " WHERE caller.name = ? AND c.kind IN (0, 6) ORDER BY 1, 2",
        (caller,),
    )
    return [tuple(row) for row in rows]


def test_what_is_given_by_calling_what_a_call_gives() -> None:
    """An object of the class that is called first it is not: `LazyCache.realize` of torch/_dynamo/variables/lazy.py."""
    text = """\
class Tracker:
    def hint(self): ...
class Builder:
    def __call__(self, value) -> Tracker: ...
    def hint(self): ...
class Wrapping:
    def __call__(self, f): ...
    def hint(self): ...
class Cache:
    def __init__(self):
        self.held = Builder()(1)
        self.other = Wrapping()(f)
def realize():
    made = Builder()(1)
    made.hint()
    wrapped = Wrapping()(f)
    wrapped.hint()
def ask(cache: Cache):
    cache.held.hint()
    cache.other.hint()
"""
    files = {"torch/a.py": text}
    assert surely_called(files, "realize") == [
        (14, "torch.a.Builder.__call__"),
        (15, "torch.a.Tracker.hint"),
        (16, "torch.a.Wrapping.__call__"),
    ]
    assert surely_called(files, "ask") == [(19, "torch.a.Tracker.hint")]


def test_self_in_brackets_is_the_class_around_it() -> None:
    text = """\
from typing import List, Optional
from typing_extensions import Self
class Tree:
    _children: List[Self]
    def children(self) -> List["Self"]: ...
    def parent(self) -> Optional[Self]: ...
    def like(self, others: List[Self]):
        others[0].leaf()
        for child in self._children:
            child.leaf()
    def leaf(self): ...
def walk(tree: Tree):
    tree.parent().leaf()
    for child in tree.children():
        child.leaf()
"""
    leaf = "torch.a.Tree.leaf"
    assert surely_called({"torch/a.py": text}, "Tree.like") == [(8, leaf), (10, leaf)]
    found = surely_called({"torch/a.py": text}, "walk")
    assert [line for line, name in found if name == leaf] == [13, 15]


def test_getitem_says_what_square_brackets_give() -> None:
    text = """\
from typing import Iterator, TypeVar, Union
T = TypeVar("T")
class Item:
    def get(self): ...
    def part(self): ...
class Box:
    def __getitem__(self, index) -> Item: ...
class Layers:
    def __getitem__(self, index) -> Union["Layers", T]: ...
    def get(self): ...
def take(box: Box, layers: Layers):
    box[0].get()
    item = box["a"]
    item.part()
    layers[0].get()
"""
    assert surely_called({"torch/a.py": text}, "take") == [
        (12, "torch.a.Item.get"),
        (14, "torch.a.Item.part"),
    ]


def test_what_a_decorator_says_that_it_makes_of_a_function() -> None:
    """`flex_cp_allgather.register_autograd(…)` of torch/distributed: torch/_library/custom_ops.py makes the object."""
    text = """\
from typing import Callable, Union
class Definition:
    def register(self, f): ...
    def prev(self): ...
def custom(name, *, mutates) -> Union[Callable[..., "Definition"], "Definition"]: ...
class Guard:
    def register(self, f): ...
@custom("a::b", mutates=())
def op(x): ...
@Guard()
def guarded(x): ...
def use():
    op.register(1)
    guarded.register(2)
    op(3)
"""
    assert surely_called({"torch/a.py": text}, "use") == [
        (13, "torch.a.Definition.register"),
        (15, "torch.a.op"),
    ]


def test_a_class_has_the_methods_of_its_metaclass() -> None:
    text = """\
class Base:
    def own(self): ...
class Factory(type):
    def _create(cls, x): ...
    def own(cls): ...
    @property
    def world(cls) -> Base: ...
class Made(Base, metaclass=Factory):
    pass
class Heir(Made):
    pass
def make():
    Made._create(1)
    Heir._create(2)
    Made.own(3)
    Made()._create(4)
"""
    assert surely_called({"torch/a.py": text}, "make") == [
        (13, "torch.a.Factory._create"),
        (14, "torch.a.Factory._create"),
        (15, "torch.a.Base.own"),
    ]


def test_names_that_a_module_gets_from_one_place_or_another() -> None:
    """A `try` may fail within what PyTorch has of its own: torch/utils/_cxx_pytree.py needs another package."""
    fast, slow = "torch/fast.py", "torch/slow.py"
    both = "def flatten(): ...\nclass Spec:\n    def leaf(self): ...\n"
    text = """\
from functools import partial
from importlib import import_module
from torch.kinds import Ordered
try:
    from torch import fast as tree
    from torch.fast import Spec
except ImportError:
    from torch import slow as tree
    from torch.slow import Spec
settings = import_module("torch.settings")
seen = Ordered[int]()
Kind = partial(Ordered, kind=1)
def use(spec: Spec):
    tree.flatten()
    spec.leaf()
    settings.is_on()
    seen.add(1)
    made = Kind()
    made.add(2)
"""
    files = {
        "torch/a.py": text, fast: both, slow: both, "torch/settings.py": "def is_on(): ...\n",
        "torch/kinds.py": "class Ordered:\n    def add(self, x): ...\n",
    }  # fmt: skip
    assert surely_called(files, "use") == [
        (14, "torch.fast.flatten"), (14, "torch.slow.flatten"), (15, "torch.fast.Spec.leaf"),
        (15, "torch.slow.Spec.leaf"), (16, "torch.settings.is_on"), (17, "torch.kinds.Ordered.add"),
        (19, "torch.kinds.Ordered.add"),
    ]  # fmt: skip


def test_what_is_asked_over_several_lines() -> None:
    text = """\
class Node:
    def own(self): ...
class Other(Node):
    def leaf(self): ...
def ask(x, y, flag):
    if flag and isinstance(
        x, Node
    ):
        x.own()
    assert isinstance(
        y,
        (
            Node,
            Other,
        ),
    ), "no node"
    y.own()
"""
    assert surely_called({"torch/a.py": text}, "ask") == [
        (9, "torch.a.Node.own"),
        (17, "torch.a.Node.own"),
    ]


def test_super_of_a_class_looks_behind_that() -> None:
    """`super(ConstantFolder, self).run_node(node)` of torch/_inductor/fx_passes/joint_graph.py is Interpreter's."""
    text = """\
import torch
class Interpreter:
    def run(self): ...
class Folder(Interpreter):
    def run(self): ...
class Uniform(Folder):
    def run(self):
        super().run()
        super(Uniform, self).run()
        super(Folder, self).run()
        super(foreign, self).run()
        super(type(self), self).run()
        super(self.kind, self).run()
    def forward(self, x: torch.Tensor):
        super(Folder, self).run()
        return super(Uniform, self).run()
class Beside:
    def run(self): ...
class Both(Folder, Beside):
    def run(self):
        super(Interpreter, self).run()
def outside(uniform):
    super(Folder, uniform).run()
"""
    files = {"torch/a.py": text}
    above, next_one = "torch.a.Interpreter.run", "torch.a.Folder.run"
    assert surely_called(files, "Uniform.run") == [
        (8, next_one), (9, next_one), (10, above), (12, next_one),
    ]  # fmt: skip
    assert surely_called(files, "Uniform.forward") == [(15, above), (16, next_one)]
    assert surely_called(files, "outside") == [(23, above)]
    assert surely_called(files, "Both.run") == [(21, "torch.a.Beside.run")]


def test_a_function_that_gives_one_within_it_is_what_runs() -> None:
    """Of `parse` no row stands apart: `_pair = _ntuple(2, "_pair")` of torch/nn/modules/utils.py."""
    text = """\
def ntuple(n):
    def parse(x):
        return x
    async def other(x):
        return x
    if n > 2:
        return other
    return parse
pair = ntuple(2)
def chosen(n):
    def parse(x): ...
    if n:
        return n
    return parse
either = chosen(2)
def wrapper(f) -> Callable[[int], int]:
    def run(x):
        return f(x)
    return run
held = wrapper(lambda x: x)
def plain(x): ...
wrapped = wrapper(plain)
class Holder:
    def handler(op):
        def run(self, x): ...
        return run
    POSITIVE = handler(1)
    def use(self, x):
        self.POSITIVE(x)
def use(x):
    pair(x)
    ntuple(6)(x)
    either(x)
    wrapped(x)
    pair(x)()
    held(x)
"""
    files = {"torch/a.py": text}
    assert surely_called(files, "use") == [
        (31, "torch.a.ntuple"),
        (32, "torch.a.ntuple"),
        (34, "torch.a.plain"),
        (35, "torch.a.ntuple"),
        (36, "torch.a.wrapper"),
    ]
    assert surely_called(files, "Holder.use") == [(29, "torch.a.Holder.handler")]


def test_what_an_element_has_is_given_to_a_name() -> None:
    """As `users = self.name_to_buf[name].users` in torch/_inductor/scheduler.py."""
    text = """\
class User:
    def name(self): ...
class Buffer:
    users: list[User]
    def first(self) -> User: ...
class Scheduler:
    def __init__(self, buffers: list[Buffer]):
        self.buffers = buffers
        self.by_name: dict[str, Buffer] = {}
    def use(self, key):
        users = self.by_name[key].users
        made = self.buffers[-1].first()
        made.name()
        last = self.buffers[0].size()
        last.name()
        part = self.buffers[1:].users
        part[0].name()
        return all(user.name() for user in users)
"""
    files = {"torch/a.py": text}
    assert surely_called(files, "Scheduler.use") == [
        (12, "torch.a.Buffer.first"), (13, "torch.a.User.name"), (18, "torch.a.User.name"),
    ]  # fmt: skip
