"""From a change to the tests it touches: diffs, places, the graph, the choice."""

from __future__ import annotations

from torchtalk.sqlfile import beside

queries = beside(__file__)
"""The named statements of a `.sql` file of this folder."""
