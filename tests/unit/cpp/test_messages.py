"""Messages of Objective-C: calls where the text tells the receiver's class, and nothing where it does not."""

from __future__ import annotations

import pytest

from indexer.extract.cpp.messages import messages
from tests.unit.cpp.test_call_names import edges

VIEW = b"""
@implementation View
+ (View*)shared { return nil; }
- (int)size { return 1; }
- (void)draw:(int)a at:(int)b { %s }
- (BOOL)isEqual:(id)other { return YES; }
@end
@implementation Page
- (int)size { return 2; }
- (void)turn:(int)a { }
@end
"""
DRAW = "View::draw:at:"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"[View shared];", ["View::shared"]),
        (b"f([View shared], 1);", ["View::shared"]),
        (b"[[View shared] draw:1 at:[self size]];", [DRAW, "View::shared", "View::size"]),
        (b"return [[[View alloc] init] draw:a ? b : c\n  at:m[i]];", [DRAW]),
        (b"[self size];", ["View::size"]),
        (b"Page* page = nil; [page size];", ["Page::size"]),
        (b"Page * _Nonnull page = nil; dispatch(^{ [page turn:2]; });", ["Page::turn:"]),
        # Whose these are, is not told.
        (b"[page size]; [page turn:1]; [super size]; [self.page turn:1]; [f() size];", []),
        (b"View* it = nil; { Page* it = nil; [it size]; }", []),
        (b"id x = nil; [x isEqual:nil];", []),
        # What is no message.
        (b"sizes[View]; auto f = [self](int size) { }; a[i] = b [size];", []),
        (b"[View missing]; [View draw:1]; [View shared", []),
    ],
)
def test_messages(monkeypatch: pytest.MonkeyPatch, body: bytes, found: list[str]) -> None:
    called = [callee for caller, callee in edges(monkeypatch, a_mm=VIEW % body) if caller == DRAW]
    assert sorted(called) == sorted(found)


def test_brackets_of_c_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"struct View { static void shared(); };\nvoid View::shared() { }\nvoid f() { auto g = [View shared]; }\n"
    assert edges(monkeypatch, a_cpp=source) == []


@pytest.mark.parametrize(
    "text", [b"[" * 50_000, b"[a " * 20_000, b"[View f];" * 5_000, b"[A [B " * 9_000]
)
def test_any_number_of_brackets(text: bytes) -> None:
    assert len(list(messages(text, 0, 0, len(text), ""))) in (0, 5_000)
