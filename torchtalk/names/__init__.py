"""Names as people write them, resolved for every tool alike."""

from torchtalk.names.meaning import Resolution, Target
from torchtalk.names.resolve import in_imported, operator_around, resolve

__all__ = ["Resolution", "Target", "in_imported", "operator_around", "resolve"]
