"""What a body insists that its names are, and calls of what calls give."""

from __future__ import annotations

from tests.unit.support.python_sources import read

SOURCE = """
class Spec:
    def size(self): ...
class Strategy:
    strategies: list[Spec]
    def best(self): ...
class Why:
    def __init__(self, node): ...
    def __call__(self, reason): ...
def why() -> Why: ...
other = 1

def held(schema):
    strategy = schema.args[0]
    assert isinstance(strategy, Strategy), "not one"
    for spec in strategy.strategies:
        spec.size()
    def inner():
        return strategy.best()
    return inner

def demanded(found):
    '''One.
    '''
    assert isinstance(found, (Strategy, int)) and found
    found.best()

def twice(found):
    assert isinstance(found, Strategy)
    while found:
        found = found.next()
    [found.best() for _ in ()]

def of_module():
    assert isinstance(other, Strategy)

def below(found):
    if found:
        assert isinstance(found, Spec)
    found.best()

def complains(node):
    Why(node)("at once")
    why()(
        "later"
    )
    unknown(node)("never")
    return node(1)(2)
"""


def test_what_is_insisted_on_is_known_of_names_that_are_bound_once() -> None:
    fact = read(SOURCE, "torch/example.py")
    found = {
        (fact.functions[call.caller].name, call.target.replace("torch.example.", ""))
        for call in fact.calls
        if call.kind == "call" and not call.target.startswith(("?", "custom("))
    }
    assert {each for each in found if each[0] != "complains"} == {
        ("held", "Strategy().strategies!"),
        ("held", "Strategy().strategies[*].size"),
        ("held", "Strategy().best"),
        ("demanded", "Strategy().best"),
        ("twice", "Strategy().next"),
    }
    assert {called for caller, called in found if caller == "complains"} == {
        "Why",
        "Why()",
        "why",
        "why()",
    }
