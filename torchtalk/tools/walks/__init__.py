"""What the tools that walk the joined graph have in common: what a question means, where it begins, what is said."""

from __future__ import annotations

from torchtalk.sqlfile import beside

queries = beside(__file__)
"""The named statements of the `.sql` files here."""
