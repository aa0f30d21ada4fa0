"""Answers as compact text for a model or a terminal, and as JSON.

The text of the answers of `torchtalk.answers.X` is made by `torchtalk.render.text_X`.
"""

from torchtalk.render.json import to_json
from torchtalk.render.text import to_text

__all__ = ["to_json", "to_text"]
