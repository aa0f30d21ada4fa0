"""Answers as compact text for a model or a terminal, and as JSON."""

from torchtalk.render import text_cuda_kernels, text_module, text_search, text_status, text_trace
from torchtalk.render.json import to_json
from torchtalk.render.text import to_text

__all__ = ["text_cuda_kernels", "text_module", "text_search", "text_status", "text_trace", "to_json", "to_text"]
