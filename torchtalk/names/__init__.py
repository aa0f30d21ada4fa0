"""Names as people write them, resolved for every tool alike."""

from torchtalk.names.imported_names import in_imported
from torchtalk.names.meaning import Resolution, Target
from torchtalk.names.resolve import operator_around, resolve

__all__ = ["Resolution", "Target", "in_imported", "operator_around", "resolve"]
