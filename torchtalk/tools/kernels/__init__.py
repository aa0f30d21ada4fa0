"""What stands behind dispatch entries and how it reaches the device: code, launches, libraries, other operators."""

from __future__ import annotations

from torchtalk.sqlfile import beside

queries = beside(__file__)
"""The named statements of the `.sql` files here."""
