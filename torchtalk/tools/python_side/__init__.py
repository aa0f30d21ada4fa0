"""The way from Python names and modules down to operators, step by step."""

from __future__ import annotations

from torchtalk.sqlfile import beside

queries = beside(__file__)
"""The named statements of the `.sql` files here."""
