"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass

OK, WARN, FAIL = "ok", "warn", "fail"


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Args:
        name: of what was looked at.
        status: ok; warn where something is missing that one can do without; fail.
        text: what was found.
        advice: what to do; empty where there is nothing to be done.
    """

    name: str
    status: str
    text: str
    advice: str = ""

    def __str__(self) -> str:
        line = f"{self.status:<4}  {self.name}: {self.text}"
        return f"{line}\n      → {self.advice}" if self.advice else line
