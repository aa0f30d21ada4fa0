"""What a search finds besides operators."""

from __future__ import annotations

from torchtalk.sqlfile import beside

queries = beside(__file__)
"""The named statements of the `.sql` files here."""
