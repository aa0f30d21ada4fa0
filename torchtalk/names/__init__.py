"""Names as people write them, resolved for every tool alike."""

from torchtalk.names.resolve import Resolution, Target, resolve

__all__ = ["Resolution", "Target", "resolve"]
