"""What answers about tests share: what a question is about, and how to run what was found."""

from __future__ import annotations

from torchtalk.sqlfile import beside

queries = beside(__file__)
"""The named statements of a `.sql` file of this folder."""
