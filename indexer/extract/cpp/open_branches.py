"""What is open where an `#if` begins is open in each of its branches; behind it, what the first leaves open."""

from __future__ import annotations

from typing import NamedTuple

from indexer.extract.cpp.head import Head
from indexer.extract.cpp.outline import Function, Scopes


class State(NamedTuple):
    """What is open at some place, as `Branches` says."""

    scopes: Scopes
    opened: tuple[tuple[Head, int], ...]  # for each scope: its head and the offset of the name
    depth: int
    boundary: int
    inside: Function | None
    holes: tuple[tuple[int, int], ...]


class Branches:
    """What is open in a file that is read from its beginning on: scopes, a function, brackets."""

    def __init__(self) -> None:
        self.scopes: Scopes = ()
        self.opened: tuple[tuple[Head, int], ...] = ()
        self.depth = 0
        self.boundary = 0
        self.inside: Function | None = None
        self.holes: tuple[tuple[int, int], ...] = ()
        self.frames: list[tuple[State, State | None]] = []
        self.dead = 0  # nesting of #if inside an `#if 0`

    def state(self) -> State:
        """What is open now."""
        return State(self.scopes, self.opened, self.depth, self.boundary, self.inside, self.holes)

    def restore(self, state: State) -> None:
        """Go on from `state`, what was open at another place."""
        self.scopes, self.opened, self.depth, self.boundary, self.inside, self.holes = state

    def condition(self, word: bytes, rest: bytes) -> None:
        """What an `#if` and its branches do to what is open.

        Args:
            word: of the directive, behind its `#`: `ifdef`, `endif`; other directives than conditions do nothing.
            rest: what stands behind the word on its line.
        """
        if word.startswith(b"if"):
            if self.dead:
                self.dead += 1
                return
            self.frames.append((self.state(), None))
            if word == b"if" and rest.split(b"/")[0].strip() == b"0":
                self.dead = 1
        elif word in (b"else", b"elif", b"elifdef", b"elifndef"):
            if self.dead > 1 or not self.frames:
                return
            before, first = self.frames[-1]
            if self.dead:
                self.dead = 0
            elif first is None:
                self.frames[-1] = (before, self.state())
            else:
                self.join(first)
            self.restore(before)
        elif word == b"endif":
            if self.dead > 1:
                self.dead -= 1
                return
            self.dead = 0
            if self.frames:
                _, first = self.frames.pop()
                if first is not None:
                    self.join(first)
                    self.restore(first)

    def join(self, first: State) -> None:
        """A function that this branch leaves open ends where the first branch's ends.

        Args:
            first: what the first branch leaves open.
        """
        mine, kept = self.inside, first.inside
        if mine is not None and mine is not kept and kept is not None and first.depth:
            kept.twins.append(mine)
